"""Simulations as they are written in practice: solvers with step control, particles, epidemics, beams."""
import contextlib
import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from corpus.registry import mat, program, vec

# ---------------------------------------------------------------- ordinary differential equations

def lotka_volterra(t, state, params):
    prey, hunters = state
    a, b, c, d = params
    return np.array([a * prey - b * prey * hunters, d * prey * hunters - c * hunters * (1.0 + 0.1 * math.sin(t))])


def rk4_step(f, t, y, h, *args):
    k1 = f(t, y, *args)
    k2 = f(t + h / 2, y + h / 2 * k1, *args)
    k3 = f(t + h / 2, y + h / 2 * k2, *args)
    k4 = f(t + h, y + h * k3, *args)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(inputs=[(np.array([0.9, 0.6]), vec(4, 1), np.linspace(0.0, 1.2, 7)),
                 (np.array([0.5, 1.1]), vec(4, 2), np.array([0.3])),
                 (np.array([0.5, 1.1]), vec(4, 2), np.array([0.0, 0.4]))], wrt=(0, 1))
def fit_of_orbit(start, params, times):
    trajectory = np.empty((len(times), 2))
    trajectory[0] = start
    for k, (t0, t1) in enumerate(zip(times[:-1], times[1:]), start=1):
        trajectory[k] = rk4_step(lotka_volterra, t0, trajectory[k - 1], t1 - t0, params)
    target = np.stack([np.cos(times), np.sin(times)], axis=1)
    return np.mean((trajectory - target) ** 2) + 0.01 * np.sum(params ** 2)


def bogacki_shampine(f, y, h):
    """A step of third order, and its difference to one of second order."""
    k1 = f(y)
    k2 = f(y + 0.5 * h * k1)
    k3 = f(y + 0.75 * h * k2)
    better = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
    k4 = f(better)
    worse = y + h * (7.0 * k1 + 6.0 * k2 + 8.0 * k3 + 3.0 * k4) / 24.0
    return better, worse - better


@program(inputs=[(np.array([1.0, 0.0]), 1.5, 2.0, 1e-3), (np.array([0.3]), 0.4, 0.5, 1e-2),
                 (np.array([0.3]), 0.4, 0.0, 1e-2)], wrt=(0, 1))
def adaptive_solver(y0, stiffness, end, tolerance):
    """The step is chosen from the numbers alone, and held fixed for the derivative."""
    def f(y):
        return -stiffness * y ** 3 + 0.5 * np.roll(y, 1)

    t, h, y = 0.0, 0.9, y0
    accepted = rejected = 0
    work = [0.1 * np.sum(y0 ** 2) * stiffness]
    while t < end:
        h = min(h, end - t)
        candidate, error = bogacki_shampine(f, y, h)
        size = round(float(np.max(np.abs(error))), 6)
        if size > tolerance and h > 1e-3:
            rejected += 1
            h *= 0.5
            continue
        t += h
        y = candidate
        accepted += 1
        work.append(h * np.sum(y ** 2))
        if size < 0.1 * tolerance:
            h *= 1.5
    return sum(work) + np.sum(y) / (1 + accepted + rejected)


# ---------------------------------------------------------------- Newton's method

class NoConvergence(Exception):
    pass


def newton(residual, jacobian, guess, tolerance=1e-12, limit=40):
    u = guess
    for _ in range(limit):
        r = residual(u)
        if np.max(np.abs(r)) < tolerance:
            return u
        u = u - np.linalg.solve(jacobian(u), r)
    raise NoConvergence(f"residual {np.max(np.abs(r))}")


@program(inputs=[(vec(3), 0.5, 40), (vec(1, 1), 1.2, 20), (np.array([2.0, 9.0]), 0.7, 2)], wrt=(0, 1))
def implicit_equilibrium(load, softening, limit):
    n = len(load)
    K = 3.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)

    def residual(u):
        return K @ u + softening * u ** 3 - load

    def jacobian(u):
        return K + np.diag(3.0 * softening * u ** 2)

    try:
        u = newton(residual, jacobian, np.zeros(n), limit=limit)
    except NoConvergence:
        return np.sum(load ** 2) + softening
    energy = 0.5 * u @ K @ u + 0.25 * softening * np.sum(u ** 4) - load @ u
    return energy + np.max(u) ** 2 + 0.1 * softening * np.sum(load)


# ---------------------------------------------------------------- epidemic

@dataclass
class Event:
    day: int
    kind: str
    factor: float


EVENTS = [Event(2, "lockdown", 0.5), Event(4, "vaccinate", 0.2), Event(5, "end", 0.0)]


@program(inputs=[(0.5, 0.2, np.array([0.9, 0.1]), EVENTS, 8),
                 (0.8, 0.3, np.array([0.7, 0.3]), [Event(1, "import", 0.1)], 3),
                 (0.8, 0.3, np.array([0.7, 0.3]), [], 0)],
         wrt=(0, 1, 2, 3))
def epidemic_with_events(beta, gamma, start, events, days):
    s, i = start
    r, peak = 0.0, i
    queue = deque(events)
    day = 0
    while day < days:
        if queue and queue[0].day <= day:
            event = queue.popleft()
            if event.kind == "lockdown":
                beta = beta * event.factor
            elif event.kind == "vaccinate":
                moved = event.factor * s
                s, r = s - moved, r + moved
            elif event.kind == "import":
                i = i + event.factor
            else:
                break
        infections, recoveries = beta * s * i, gamma * i
        s, i, r = s - infections, i + infections - recoveries, r + recoveries
        if i > peak:
            peak = i
        day += 1
    return peak ** 2 + r + 0.1 * s * beta + 0.01 * gamma ** 2 + 0.001 * sum(e.factor ** 2 for e in events)


# ---------------------------------------------------------------- particles

class Particle:
    def __init__(self, position, velocity, mass):
        self.position = position
        self.velocity = velocity
        self.mass = mass
        self.alive = True

    @property
    def momentum(self):
        return self.mass * self.velocity

    def kick(self, force, dt):
        self.velocity = self.velocity + dt / self.mass * force

    def drift(self, dt):
        self.position = self.position + dt * self.velocity


class Box:
    """Particles that attract each other, and are lost beyond a wall."""

    def __init__(self, particles, wall):
        self.particles = list(particles)
        self.wall = wall
        self.lost = []

    def __len__(self):
        return len(self.particles)

    def force_on(self, p):
        total = np.zeros_like(p.position)
        for q in self.particles:
            if q is p:
                continue
            d = q.position - p.position
            total += p.mass * q.mass * d / (np.sum(d * d) + 0.3) ** 1.5
        return total

    def step(self, dt):
        forces = [self.force_on(p) for p in self.particles]
        for p, force in zip(self.particles, forces):
            p.kick(force, dt)
            p.drift(dt)
            if p.position[0] > self.wall:
                p.alive = False
        self.lost.extend(p for p in self.particles if not p.alive)
        self.particles = [p for p in self.particles if p.alive]

    def energy(self):
        return sum(0.5 * p.mass * np.sum(p.velocity ** 2) for p in self.particles)


@program(inputs=[(mat(3, 2), mat(3, 2, 1), vec(3, 2), 3, 1.0), (mat(2, 1), mat(2, 1, 3), vec(2, 2), 2, 9.0),
                 (mat(1, 2), mat(1, 2, 3), vec(1, 2), 0, 9.0)], wrt=(0, 1, 2))
def particles_in_a_box(positions, velocities, masses, steps, wall):
    box = Box((Particle(x, v, m) for x, v, m in zip(positions, velocities, masses)), wall)
    for k in range(steps):
        box.step(0.4)
        if not len(box):
            break
    momentum = sum((p.momentum for p in box.particles), np.zeros(positions.shape[1]))
    spread = sum(np.sum(p.position ** 2) for p in box.particles)
    for p in box.lost:
        spread = spread + 0.1 * p.mass ** 2 * p.position[0]
    return box.energy() + np.sum(momentum ** 2) + spread


# ---------------------------------------------------------------- beam on an elastic foundation

def element_stiffness(EI, k, h):
    bending = EI / h ** 3 * np.array([[12.0, 6 * h, -12.0, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                                      [-12.0, -6 * h, 12.0, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])
    support = np.zeros((4, 4))
    support[[0, 2], [0, 2]] = 0.5 * k * h
    return bending + support


@program(inputs=[(vec(3), vec(3, 1), vec(3, 2), "clamped"), (vec(1), vec(1, 1), vec(1, 2), "free"),
                 (vec(2), vec(2, 1), vec(2, 2), "pinned")], wrt=(0, 1, 2))
def beam_on_foundation(EI, foundation, loads, support):
    n = len(EI)
    h = 1.0 / n
    K = np.zeros((2 * (n + 1), 2 * (n + 1)))
    f = np.zeros(2 * (n + 1))
    for e in range(n):
        dofs = np.arange(2 * e, 2 * e + 4)
        K[np.ix_(dofs, dofs)] += element_stiffness(EI[e], foundation[e], h)
        f[dofs[::2]] += 0.5 * h * loads[e]
    match support:
        case "clamped":
            fixed = [0, 1]
        case "pinned":
            fixed = [0, 2 * n]
        case _:
            fixed = []
    free = [d for d in range(len(f)) if d not in fixed]
    u = np.zeros_like(f)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    return f @ u + np.sum(u[::2] ** 2)


# ---------------------------------------------------------------- option pricing

@program(inputs=[(1.0, 1.1, 0.3, 0.05, 4, True), (1.2, 0.9, 0.2, 0.1, 3, False), (1.0, 1.3, 0.25, 0.02, 1, True)],
         wrt=(0, 1, 2, 3))
def american_put(spot, strike, sigma, rate, steps, early):
    dt = 1.0 / steps
    up = math.exp(sigma * math.sqrt(dt))
    down = 1.0 / up
    p = (math.exp(rate * dt) - down) / (up - down)
    discount = math.exp(-rate * dt)

    def price(level, ups):
        return spot * up ** ups * down ** (level - ups)

    values = [max(strike - price(steps, j), 0.0) for j in range(steps + 1)]
    exercised = set()
    for level in reversed(range(steps)):
        for j in range(level + 1):
            held = discount * (p * values[j + 1] + (1.0 - p) * values[j])
            now = strike - price(level, j)
            if early and now > held:
                exercised.add((level, j))
            values[j] = max(held, now) if early else held
        values.pop()
    assert len(values) == 1, "the tree ends in its root"
    return values[0] + 0.01 * len(exercised) + 1e-3 * (spot * strike + sigma * rate)


# ---------------------------------------------------------------- overflow that is told and caught

@program(inputs=[(vec(3), 0.7), (np.array([800.0]), 1.1), (np.array([0.2, 900.0]), 0.4)], wrt=(0, 1))
def guarded_partition(energies, temperature):
    weights = 0.0
    with contextlib.ExitStack() as stack:
        stack.enter_context(np.errstate(over="raise"))
        for e in energies:
            try:
                weights = weights + np.exp(e / temperature)
            except FloatingPointError:
                top = np.max(energies)
                weights = np.sum(np.exp(energies - top))
                return math.log(weights) * temperature + top / temperature
    return temperature * np.log(weights)
