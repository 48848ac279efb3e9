"""Data classes, named tuples and enumerations that are made inside of a function."""
from __future__ import annotations

from collections import namedtuple
from dataclasses import InitVar, asdict, astuple, dataclass, field, replace
from enum import Enum, IntEnum, auto
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import pytest

from harness import check_core_form, check_program

X = np.array([0.7, 1.3, -0.4, 2.1]), 1.7
OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
CASES = []


def case(f):
    CASES.append(f)
    return f


T = TypeVar("T")


@case
def data_class(x, k):
    @dataclass
    class State:
        pos: float
        vel: float
        hist: list = field(default_factory=list)
        damp: float = 0.1
        def step(self, dt):
            self.hist.append(self.pos)
            self.vel = self.vel - dt * (self.pos * k + self.damp * self.vel)
            self.pos = self.pos + dt * self.vel
    s = State(x[0], x[1])
    for _ in range(5):
        s.step(0.1)
    return s.pos * x[2] + sum(h ** 2 for h in s.hist) + x[3]


@case
def data_class_with_post_init(x, k):
    @dataclass
    class P:
        a: float
        b: float = 2.0
        def __post_init__(self):
            self.c = self.a * self.b * k
    return P(x[0]).c + P(x[1], x[2]).c


@case
def frozen_data_class(x, k):
    @dataclass(frozen=True)
    class P:
        a: float
        b: float
        def moved(self, d):
            return replace(self, a=self.a + d)
    p = P(x[0], x[1]).moved(x[2])
    d = asdict(p)
    t = astuple(p)
    return p.a * p.b + d["a"] + t[1] ** 2


@case
def named_tuple_with_methods(x, k):
    class Pt(NamedTuple):
        a: float
        b: float = 1.0
        def norm(self):
            return self.a ** 2 + self.b ** 2
    p = Pt(x[0], x[1])._replace(b=x[2])
    return p.norm() * k + Pt(x[3]).norm() + p._asdict()["a"]


@case
def named_tuple_by_a_call(x, k):
    Pt = namedtuple("Pt", ["a", "b"])
    p = Pt(x[0], b=x[1])
    Q = namedtuple("Q", "u v w")
    q = Q(x[0], x[1], x[2])
    return p.a * p.b + q.u * q.w


@case
def members_as_keys(x, k):
    class Kind(Enum):
        LIN = 1
        QUAD = 2
    weights = {Kind.LIN: x[0], Kind.QUAD: x[1]}
    def f(kind, v):
        match kind:
            case Kind.LIN:
                return v
            case Kind.QUAD:
                return v * v
    return sum(weights[m] * f(m, x[2]) for m in (Kind.LIN, Kind.QUAD))


@case
def members_with_methods(x, k):
    class Kind(Enum):
        LIN = "lin"
        QUAD = "quad"
        def apply(self, v):
            if self is Kind.LIN:
                return v * k
            return v * v
    return Kind.LIN.apply(x[0]) + Kind.QUAD.apply(x[1]) + Kind("quad").apply(x[2])


@case
def members_as_indices(x, k):
    class Mode(IntEnum):
        A = 0
        B = auto()
        C = auto()
        @property
        def double(self):
            return 2 * self.value
    t = 0.0
    for m in Mode:
        t = t + x[m] * m.double
    return t * k


@case
def init_variables(x, k):
    @dataclass
    class P:
        a: float
        scale: InitVar[float] = 2.0
        n: ClassVar[int] = 3
        b: float = field(init=False)
        def __post_init__(self, scale):
            self.b = self.a * scale * self.n
    return P(x[0]).b + P(x[1], x[2]).b


@case
def default_that_is_computed(x, k):
    k0 = x[0] * k
    @dataclass
    class P:
        a: float
        b: float = k0
        c: list = field(default_factory=lambda: [1.0, 2.0])
    p = P(x[1])
    q = P(x[2], x[3])
    p.c.append(x[0])
    return p.a * p.b + q.a * q.b + sum(p.c) * len(q.c)


@case
def data_class_that_inherits(x, k):
    @dataclass
    class A:
        a: float
    @dataclass
    class B(A):
        b: float = 1.0
        def area(self):
            return self.a * self.b
    return B(x[0], x[1]).area() + B(x[2]).area() * k


@case
def patterns(x, k):
    @dataclass
    class Circle:
        r: float
    @dataclass
    class Rect:
        w: float
        h: float
    t = 0.0
    for s in [Circle(x[0]), Rect(x[1], x[2])]:
        match s:
            case Circle(r):
                t = t + np.pi * r ** 2
            case Rect(w, h):
                t = t + w * h * k
    return t


@case
def generic_class(x, k):
    class Box(Generic[T]):
        def __init__(self, v:
            T): self.v = v
        def get(self) -> T:
            return self.v
    return Box(x[0]).get() * Box(k).get() + Box(x).get().sum()


@case
def protocol(x, k):
    class HasF(Protocol):
        def f(self, v:
            float) -> float: ...
    class A:
        def f(self, v):
            return v * k
    def use(a:
        HasF, v): return a.f(v)
    return use(A(), x[0]) ** 2


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
@pytest.mark.parametrize("f", CASES)
def test_gradient(f, options):
    check_program(f, X, (0,), **options)


@pytest.mark.parametrize("f", CASES)
def test_core_form(f):
    check_core_form(f, [X])
