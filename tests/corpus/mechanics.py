"""Dynamical systems."""
import math

import numpy as np

from corpus.registry import mat, program, vec


def lorenz(s, sigma, rho):
    return np.array([sigma * (s[1] - s[0]), s[0] * (rho - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]])


def accelerate(x, m, a):
    """Adds the attraction of all pairs to a."""
    n = len(m)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = x[j] - x[i]
                a[i] += m[j] * d / (np.sum(d * d) + 0.2) ** 1.5


@program(inputs=[(1.0, 0.1, 6), (2.5, 0.3, 1), (0.3, 0.3, 0)], wrt=(0, 1))
def pendulum(theta, damping, steps):
    omega = 0.0
    dt = 0.1
    for _ in range(steps):
        omega += dt * (-math.sin(theta) - damping * omega)
        theta += dt * omega
        if omega < -0.3:
            omega *= 0.9
    return theta ** 2 + omega ** 2 + damping


@program(inputs=[(vec(3), 10.0, 28.0, 3), (vec(3, 1), 5.0, 14.0, 0), (mat(3, 1, 1), 5.0, 14.0, 1)], wrt=(0, 1, 2))
def runge_kutta_lorenz(state, sigma, rho, steps):
    h = 0.01
    peak = 0.0
    state = state.reshape(3)
    for n in range(steps):
        k1 = lorenz(state, sigma, rho)
        k2 = lorenz(state + 0.5 * h * k1, sigma, rho)
        k3 = lorenz(state + 0.5 * h * k2, sigma, rho)
        k4 = lorenz(state + h * k3, sigma, rho)
        state = state + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
        peak = state[2] if state[2] > peak else peak + 0.1 * state[0]
    final = np.sum(state * state) * 0.01
    if n_steps_are_few(steps):
        final += sigma * rho * 1e-3
    return final + peak


def n_steps_are_few(steps):
    return steps < 2


@program(inputs=[(mat(3, 2), mat(3, 2, 1), vec(3), 2), (mat(1, 2, 2), mat(1, 2, 3), vec(1), 1)], wrt=(0, 1, 2))
def many_bodies(x, v, m, steps):
    x = x.copy()
    v = v.copy()
    a = np.zeros_like(x)
    for s in range(steps):
        a[:] = 0.0
        accelerate(x, m, a)
        v += 0.1 * a
        x += 0.1 * v
    kinetic = 0.0
    for i in range(len(m)):
        kinetic += 0.5 * m[i] * np.sum(v[i] ** 2)
    return kinetic + np.sum(x * x) * 0.1


@program(inputs=[(0.9, 0.05, 0.3, 5), (0.5, 0.4, 0.6, 0)], wrt=(0, 1, 2))
def epidemic(s, i, beta, days):
    gamma = 0.1
    peak = i
    log = [i]
    for day in range(days):
        new = beta * s * i
        s, i = s - new, i + new - gamma * i
        log.append(i)
        if i > peak:
            peak = i
    total = 0.0
    for value in log:
        total += value * value
    return total + peak + 0.1 * s


@program(inputs=[(vec(4), vec(3, 1), 4), (vec(2, 2), vec(1, 3), 1)], wrt=(0, 1))
def chain_of_springs(x, k, steps):
    pos = x.copy()
    vel = np.zeros(len(x))
    t = 0
    while t < steps:
        force = np.zeros(len(x))
        for e in range(len(k)):
            f = k[e] * (pos[e + 1] - pos[e] - 0.5)
            force[e] += f
            force[e + 1] -= f
        vel += 0.1 * force
        vel *= 0.99
        pos += 0.1 * vel
        t += 1
    return np.sum(pos ** 2) + np.sum(vel ** 2)


@program(inputs=[(12.0, 0.9, 0.02), (1.0, 0.3, 0.1)], wrt=(0, 1, 2))
def projectile_with_drag(speed, angle, drag):
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    x, y = 0.0, 1.0
    dt = 0.01
    for _ in range(150):
        if y > 0.0:
            v = math.sqrt(vx * vx + vy * vy)
            vx -= dt * drag * v * vx
            vy -= dt * (9.81 + drag * v * vy)
            x_before, y_before = x, y
            x += dt * vx
            y += dt * vy
    fraction = y_before / (y_before - y)
    return x_before + fraction * (x - x_before)


@program(inputs=[(vec(2), vec(4, 1), 3), (vec(2, 2), vec(4, 3), 0), (vec(1, 2), vec(4, 3), 1)], wrt=(0, 1))
def predator_and_prey(population, rates, steps):
    a, b, c, d = rates
    log = np.zeros((steps + 1, 2))
    log[0] = population
    for t in range(steps):
        x, y = log[t]
        log[t + 1, 0] = x + 0.05 * (a * x - b * x * y)
        log[t + 1, 1] = y + 0.05 * (d * x * y - c * y)
    if steps > 0:
        return np.sum((log[1:] - log[:-1]) ** 2) + np.mean(log)
    x, y = log[-1]
    return x * y + a * b + c * d


@program(inputs=[(0.8, 3.7, 3), (0.2, 2.5, 1)], wrt=(0, 1))
def lyapunov_exponent(x, r, n):
    s = 0.0
    k = 0
    while k < n:
        derivative = r * (1.0 - 2.0 * x)
        s += math.log(abs(derivative))
        x = r * x * (1.0 - x)
        k += 1
    if s > 0:
        s = s / n
    elif s > -1.0:
        s *= 0.5
    return s + x


@program(inputs=[(vec(3), mat(3, 3, 1), 0.1, 4), (vec(1, 1), mat(1, 1, 2), 0.5, 2)], wrt=(0, 1))
def multistep_method(y, A, h, steps):
    history = []
    for n in range(steps):
        f = A @ np.tanh(y)
        history.append(f)
        if n == 0:
            y = y + h * f
        elif n == 1:
            y = y + h * (1.5 * f - 0.5 * history[0])
        else:
            y = y + h * (23.0 * f - 16.0 * history[n - 1] + 5.0 * history[n - 2]) / 12.0
    drift = history[0] - history[-1]
    return np.sum(y * y) + np.sum(drift ** 2)
