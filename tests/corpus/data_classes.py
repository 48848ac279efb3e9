"""Classes that are made inside of the function: solvers, layers, trees, records, with what is around them."""
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4), 3, 0.9), (vec(6, 1), 0, 1.2)])
def integrator_classes(q, steps, stiffness):
    calls = 0

    class Integrator:
        dt = 0.05

        def __init__(self, q):
            self.q, self.p = q, np.zeros_like(q)

        def force(self):
            nonlocal calls
            calls += 1
            return -stiffness * self.q - 0.1 * self.q ** 3

        def run(self, n):
            for _ in range(n):
                self.step()
            return self

        @property
        def energy(self):
            return 0.5 * np.sum(self.p ** 2) + 0.5 * stiffness * np.sum(self.q ** 2)

    class Euler(Integrator):
        def step(self):
            f = self.force()
            self.q = self.q + self.dt * self.p
            self.p = self.p + self.dt * f

    class Leapfrog(Integrator):
        dt = 0.02

        def step(self):
            self.p = self.p + 0.5 * self.dt * self.force()
            self.q = self.q + self.dt * self.p
            self.p = self.p + 0.5 * self.dt * self.force()

    total = 0.0
    for way in (Euler(q), Leapfrog(2.0 * q)):
        if steps > 2 and isinstance(way, Leapfrog):
            total = total + way.run(2 * steps).energy
        else:
            total = total - way.run(steps).energy
    return total + calls


@program(inputs=[(mat(3, 4), vec(4, 2), 0.5), (mat(2, 2, 3), vec(2, 4), -0.3)])
def network_of_local_layers(W, x, leak):
    class Layer(ABC):
        made = 0.0

        def __init__(self):
            Layer.made += 1.0

        @abstractmethod
        def forward(self, v): ...

        def __call__(self, v):
            return self.forward(v)

    class Dense(Layer):
        def __init__(self, weights):
            super().__init__()
            self.weights = weights

        def forward(self, v):
            return self.weights @ v

    class Leaky(Layer):
        def forward(self, v):
            return np.where(v > 0, v, leak * v)

    class Chain(Layer):
        def __init__(self, *layers):
            super().__init__()
            self.layers = list(layers)

        def forward(self, v):
            for layer in self.layers:
                v = layer(v)
            return v

    net = Chain(Dense(W), Leaky(), Dense(W.T))
    out = net(x)
    return np.sum(out * out) / Layer.made


@program(inputs=[(vec(7), 2.0), (vec(3, 5), 0.5), (vec(1, 6), 1.0)])
def chain_of_local_nodes(values, weight):
    class Node:
        def __init__(self, load, rest=None):
            self.load, self.rest = load, rest

        def total(self, depth):
            own = self.load ** 2 * weight ** depth
            if self.rest is None:
                return own
            return own + self.rest.total(depth + 1)

    head = None
    for v in values:
        head = Node(v, head)
    total = head.total(0)
    while head.rest is not None:
        head = head.rest
        total = total - 0.1 * head.load
    return total


@program(inputs=[(vec(5), 4), (vec(3, 7), 2)])
def local_records(x, n):
    class Point(NamedTuple):
        r: float
        v: float = 0.0

        def drifted(self, dt):
            return self._replace(r=self.r + dt * self.v)

    @dataclass
    class Track:
        points: list = field(default_factory=list)
        damping: float = 0.1
        length: float = field(init=False, default=0.0)

        def __post_init__(self):
            self.points.append(Point(x[0], x[1]))

        def advance(self, dt):
            last = self.points[-1]
            here = last.drifted(dt)
            here = here._replace(v=here.v * (1.0 - self.damping * dt) - dt * here.r)
            self.length = self.length + (here.r - last.r) ** 2
            self.points.append(here)
            return here

    track = Track()
    for k in range(n):
        r, v = track.advance(0.1 * (k + 1))
        if v < -10.0:
            break
    first, *_, last = track.points
    return track.length * x[2] + last.r * last.v + first.r


@program(inputs=[(vec(6), "ramp"), (vec(4, 2), "pulse"), (vec(4, 3), "flat")])
def schedule_by_kind(x, name):
    class Kind(Enum):
        RAMP = "ramp"
        PULSE = "pulse"
        FLAT = "flat"

        @property
        def order(self):
            return 2 if self is Kind.RAMP else 1

    @dataclass(frozen=True)
    class Schedule:
        kind: Kind
        scale: float

        def __call__(self, t):
            match self.kind:
                case Kind.RAMP:
                    return self.scale * t
                case Kind.PULSE:
                    return self.scale * np.exp(-t * t)
            return self.scale

    table = {kind.value: kind for kind in Kind}
    try:
        base = Schedule(table[name], x[0])
    except KeyError:
        return np.sum(x)
    total = 0.0
    for k, v in enumerate(x):
        schedule = replace(base, scale=base.scale * v) if k % 2 else base
        total = total + schedule(0.1 * k) ** base.kind.order
    return total


@program(inputs=[(vec(5), 0.2), (vec(8, 1), -0.1)])
def accumulators_by_factory(x, rate):
    def accumulator(decay):
        class Average:
            def __init__(self):
                self.value, self.seen = 0.0, []

            def update(self, v):
                self.value = decay * self.value + (1.0 - decay) * v
                self.seen.append(self.value)
                return self.value

            def __len__(self):
                return len(self.seen)

            def __iter__(self):
                yield from self.seen
        return Average()

    slow, fast = accumulator(1.0 - rate * x[0] ** 2), accumulator(0.3)
    for k in range(len(x)):
        fast.update(x[k])
        if k % 2:
            continue
        slow.update(fast.value * x[k])
    return sum(v ** 2 for v in slow) + fast.value * len(slow)


@program(inputs=[(vec(6), 0.1), (vec(4, 8), 0.3)])
def local_grid_in_place(u, nu):
    class Grid:
        def __init__(self, values):
            self.u = values.copy()
            self.flux = np.zeros(len(values) - 1)

        def __enter__(self):
            self.before = self.u.copy()
            return self

        def __exit__(self, *raised):
            self.u[0] = self.before[0]
            return False

        def __iadd__(self, other):
            self.u += other
            return self

        def diffuse(self):
            self.flux[:] = nu * self.u[:-1] * (self.u[1:] - self.u[:-1])
            self.u[1:-1] += self.flux[1:] - self.flux[:-1]

    grid = Grid(u)
    for _ in range(3):
        with grid as g:
            g.diffuse()
            g += 0.01 * u
    return np.sum(grid.u ** 2) + np.sum(grid.flux)
