"""Objects that are made, changed and passed about: classes, dataclasses, named tuples, inheritance, operators."""
import copy
import dataclasses
import enum
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from corpus.registry import mat, program, vec


class Oscillator:
    """A damped oscillator with a state of its own."""
    damping = 0.1

    def __init__(self, q, p, k=1.0):
        self.q = q
        self.p = p
        self.k = k
        self.steps = 0

    def force(self):
        return -self.k * self.q - self.damping * self.p

    def step(self, dt):
        self.p = self.p + dt * self.force()
        self.q = self.q + dt * self.p
        self.steps += 1

    @property
    def energy(self):
        return 0.5 * np.sum(self.p ** 2) + 0.5 * self.k * np.sum(self.q ** 2)


class Layer:
    def __init__(self, scale):
        self.scale = scale
        self.cache = None

    def __call__(self, x):
        self.cache = x
        return self.activate(self.linear(x))

    def linear(self, x):
        return self.scale * x

    def activate(self, z):
        return z


class TanhLayer(Layer):
    def activate(self, z):
        return np.tanh(z)


class BiasLayer(TanhLayer):
    def __init__(self, scale, bias):
        super().__init__(scale)
        self.bias = bias

    def linear(self, x):
        return super().linear(x) + self.bias


class Dual:
    """A number with arithmetic of its own."""
    __slots__ = ("re", "eps")

    def __init__(self, re, eps=0.0):
        self.re = re
        self.eps = eps

    def __add__(self, other):
        if isinstance(other, Dual):
            return Dual(self.re + other.re, self.eps + other.eps)
        return Dual(self.re + other, self.eps)

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, Dual):
            return Dual(self.re * other, self.eps * other)
        return Dual(self.re * other.re, self.re * other.eps + self.eps * other.re)

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return Dual(-self.re, -self.eps)

    def __sub__(self, other):
        return self + (-other)

    def __pow__(self, n):
        out = Dual(1.0)
        for _ in range(n):
            out = out * self
        return out

    def __lt__(self, other):
        return self.re < other


@dataclass
class Point:
    x: float
    y: float = 0.5

    def norm2(self):
        return self.x * self.x + self.y * self.y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y


@dataclass
class Model:
    weights: np.ndarray
    history: list = field(default_factory=list)
    rate: float = 0.1
    norm: float = field(init=False)

    def __post_init__(self):
        self.norm = np.sum(self.weights ** 2)

    def update(self, g):
        self.weights = self.weights - self.rate * g
        self.history.append(np.sum(self.weights))


@dataclass(frozen=True)
class Config:
    alpha: float
    beta: float = 2.0

    def blend(self, a, b):
        return self.alpha * a + self.beta * b


@dataclass(frozen=True)
class Normalised:
    v: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "v", self.v / np.sum(self.v))


class State(NamedTuple):
    position: np.ndarray
    velocity: np.ndarray
    time: float = 0.0

    def moved(self, dt):
        return State(self.position + dt * self.velocity, self.velocity, self.time + dt)


class Kind(enum.Enum):
    LINEAR = 1
    SQUARE = 2


class Temperature:
    """A property with a setter."""

    def __init__(self, kelvin):
        self._kelvin = kelvin

    @property
    def celsius(self):
        return self._kelvin - 273.15

    @celsius.setter
    def celsius(self, value):
        self._kelvin = value + 273.15

    @staticmethod
    def mix(a, b, w):
        return w * a + (1.0 - w) * b

    @classmethod
    def from_celsius(cls, value):
        return cls(value + 273.15)


class Grid:
    """Items of its own."""

    def __init__(self, n):
        self.cells = np.zeros(n)
        self.writes = 0

    def __getitem__(self, k):
        return self.cells[k]

    def __setitem__(self, k, value):
        self.cells[k] = value
        self.writes += 1

    def __len__(self):
        return len(self.cells)

    def __iadd__(self, other):
        self.cells += other
        return self


class Lazy:
    def __init__(self, x):
        self.x = x
        self.count = 0

    @cached_property
    def square(self):
        self.count += 1
        return self.x * self.x


class Node:
    """A list whose nodes hold each other."""

    def __init__(self, value, after=None):
        self.value = value
        self.after = after


class Particle:
    def __init__(self, position, velocity, mass):
        self.position = position
        self.velocity = velocity
        self.mass = mass

    def kick(self, force, dt):
        self.velocity += dt * force / self.mass

    def drift(self, dt):
        self.position = self.position + dt * self.velocity


class Simulation:
    def __init__(self, particles):
        self.particles = particles
        self.time = 0.0

    def forces(self):
        out = []
        for i in range(len(self.particles)):
            total = np.zeros(2)
            for j in range(len(self.particles)):
                if i != j:
                    d = self.particles[j].position - self.particles[i].position
                    r2 = np.sum(d * d) + 0.1
                    total += self.particles[j].mass * d / r2 ** 1.5
            out.append(total)
        return out

    def step(self, dt):
        forces = self.forces()
        for i in range(len(self.particles)):
            self.particles[i].kick(forces[i], dt)
            self.particles[i].drift(dt)
        self.time += dt


@program(inputs=[(vec(3), vec(3, 1), 0.7, 4), (vec(1, 2), vec(1, 3), 1.3, 0)], wrt=(0, 1, 2))
def stepped_object(q, p, k, n):
    osc = Oscillator(q, p, k=k)
    for _ in range(n):
        osc.step(0.1)
    return osc.energy + osc.steps * np.sum(osc.q)


@program(inputs=[(vec(3), 0.5, 0.2), (vec(1, 1), -1.2, 0.1)], wrt=(0, 1, 2))
def layers_by_inheritance(x, a, b):
    first, second = TanhLayer(a), BiasLayer(b, a * b)
    y = second(first(x))
    z = Layer(2.0)(y)
    return np.sum(z * first.cache) + np.sum(second.cache)


@program(inputs=[(0.7, 3), (-1.1, 0)])
def dual_numbers(x, n):
    d = Dual(x, 1.0)
    y = 2.0 * d * d + d ** n - 1.5
    if y < 0.5:
        y = -y
    z = 1.0 + y * 0.5
    return z.re * 2.0 + z.eps


@program(inputs=[(vec(4), 2.0), (vec(1, 1), -1.0)], wrt=(0, 1))
def points_of_a_dataclass(v, s):
    total = Point(0.0, 0.0)
    for k in range(len(v)):
        total = total + Point(v[k] * s)
    p = Point(y=s, x=total.x)
    p.x = p.x * p.y
    return total.norm2() + p @ total + dataclasses.replace(p, y=v[0]).norm2()


@program(inputs=[(vec(3), 3), (vec(1, 1), 0)])
def trained_model(w, n):
    model = Model(w)
    for k in range(n):
        model.update(2.0 * model.weights + k)
    total = model.norm
    for h in model.history:
        total += h * h
    return total + np.sum(model.weights)


@program(inputs=[(vec(3), 0.3), (vec(1, 1), 2.0)], wrt=(0, 1))
def frozen_objects(x, a):
    c = Config(a)
    n = Normalised(c.blend(x, x * x))
    d = Config(beta=a, alpha=c.beta)
    if a > 1.0:
        d = Config(a * a, d.alpha)
    return np.sum(n.v * d.blend(x, 1.0)) + d.beta


@program(inputs=[(vec(3), vec(3, 1), 3), (vec(1, 2), vec(1, 3), 0)], wrt=(0, 1))
def named_tuple_moves(q, v, n):
    s = State(q, v)
    for k in range(n):
        s = s.moved(0.1 * (k + 1))
        s = s._replace(velocity=s.velocity - 0.1 * np.sin(s.position))
    a, b, t = s
    d = s._asdict()
    return np.sum(a * b) + t * np.sum(d["position"] ** 2)


@program(inputs=[(vec(3), 1), (vec(1, 1), 2)])
def enumerated_kinds(x, which):
    kind = Kind(which)
    if kind is Kind.SQUARE:
        y = x * x
    elif kind == Kind.LINEAR:
        y = 2.0 * x
    else:
        y = x
    return np.sum(y) * kind.value


@program(inputs=[(20.0, 0.3), (-5.0, 0.9)], wrt=(0, 1))
def property_with_a_setter(c, w):
    t = Temperature.from_celsius(c)
    t.celsius = t.celsius * 2.0
    t.celsius += w
    u = Temperature(Temperature.mix(t._kelvin, 300.0, w))
    if u.celsius > 0.0:
        u.celsius *= w
    return u.celsius * t.celsius * 0.01 + t.mix(1.0, c, w)


@program(inputs=[(vec(4),), (vec(1, 1),)])
def items_of_its_own(x):
    g = Grid(len(x) + 1)
    for k in range(len(x)):
        g[k] = x[k] * x[k]
        g[k + 1] = g[k] + 0.5
    g += x[0]
    g[0] *= 3.0
    return np.sum(g.cells ** 2) + len(g) * g[-1] + g.writes


@program(inputs=[(vec(3),), (vec(1, 1),)])
def cached_properties(x):
    a = Lazy(x)
    y = a.square + a.square * a.x
    b = Lazy(y)
    total = np.sum(b.square)
    return total + a.count * np.sum(x)


@program(inputs=[(vec(4),), (vec(1, 1),), (np.zeros(0),)])
def linked_list(x):
    head = None
    for k in range(len(x)):
        head = Node(x[k] * (k + 1.0), head)
    total = 1.0
    node = head
    while node is not None:
        total = total * 0.5 + node.value ** 2
        node.value = node.value * total
        node = node.after
    node = head
    while node is not None:
        total += node.value
        node = node.after
    return total


@program(inputs=[(mat(3, 2), mat(3, 2, 1), vec(3, 2), 3), (mat(1, 2, 3), mat(1, 2, 4), vec(1, 5), 0)], wrt=(0, 1, 2))
def particle_simulation(q, v, m, n):
    particles = []
    for k in range(len(m)):
        particles.append(Particle(q[k], v[k].copy(), m[k]))
    sim = Simulation(particles)
    for _ in range(n):
        sim.step(0.05)
    energy = sim.time
    for p in sim.particles:
        energy += 0.5 * p.mass * np.sum(p.velocity ** 2) + np.sum(p.position)
    return energy


@program(inputs=[(vec(3), 2), (vec(1, 1), 0)])
def namespaces_and_copies(x, n):
    s = SimpleNamespace(u=x * 2.0, total=0.0, parts=[])
    t = copy.copy(s)
    t.u = t.u * x
    t.total = np.sum(t.u)
    d = copy.deepcopy(s)
    for k in range(n):
        d.u[0] += x[k % len(x)]
        d.parts.append(np.sum(d.u))
        s.parts.append(d.parts[-1] * k)
    for v in d.parts + t.parts:
        s.total += v * v
    return s.total + t.total + np.sum(s.u * d.u)


@program(inputs=[(vec(3), 2.0), (vec(1, 1), -0.5)], wrt=(0, 1))
def attributes_by_name(x, a):
    o = SimpleNamespace(first=x, second=a)
    setattr(o, "third", getattr(o, "first") * getattr(o, "second"))
    if hasattr(o, "fourth"):
        return a
    setattr(o, "second", getattr(o, "missing", 2.0) * o.second)
    o.third[0] = a
    return np.sum(o.third ** 2) + o.second ** 2


@program(inputs=[(Oscillator(vec(3), vec(3, 1), 0.8), 3), (Oscillator(vec(1, 2), vec(1, 3), 1.4), 0)])
def object_argument_is_changed(osc, n):
    start = osc.energy
    for _ in range(n):
        osc.step(0.2)
        if osc.energy > start:
            osc.k = osc.k * 0.9
    osc.q = osc.q * osc.k
    return osc.energy - start + np.sum(osc.q)


@program(inputs=[({"net": [Point(0.3, 0.4), Point(1.2, -0.7)], "gain": 1.5}, 3), ({"net": [Point(2.0, 0.1)],
                                                                               "gain": 0.2}, 1)])
def objects_in_containers(params, n):
    total = params["gain"]
    for k in range(n):
        p = params["net"][k % len(params["net"])]
        p.x, p.y = p.y * total, p.x + 0.1
        total += p.norm2()
    params["gain"] = total * params["gain"]
    return params["gain"] + params["net"][-1].x


@program(inputs=[(vec(3), True), (vec(1, 1), False)])
def methods_as_values(x, squared):
    p = Temperature(x)
    mix = p.mix
    osc = Oscillator(x, x * x)
    f = osc.force if squared else osc.step
    if squared:
        y = f()
    else:
        f(0.3)
        y = osc.q
    return np.sum(mix(y, x, 0.25) * p.celsius) + osc.energy
