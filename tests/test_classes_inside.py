"""Classes that are made inside of a function: their methods read, and bind, its variables."""
from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, total_ordering

import numpy as np
import pytest

from harness import check_core_form, check_program
from srcgrad import UnsupportedError, grad

X = np.array([0.7, 1.3, -0.4, 2.1]), 1.7
OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
CASES = []


def case(f):
    CASES.append(f)
    return f


class OutBase:
    gain = 1.5

    def __init__(self, w):
        self.w = w

    def f(self, v):
        return self.gain * self.w * v


def step(v):
    return v * 3.0


@case
def methods_that_bind_variables(x, k):
    count = 0.0
    class Acc:
        def add(self, v):
            nonlocal count
            count = count + v * k
            return count
    a = Acc()
    b = Acc()
    a.add(x[0])
    b.add(x[1] * x[2])
    return count * x[3]


@case
def inheritance(x, k):
    class Base:
        scale = 2.0
        def __init__(self, w):
            self.w = w
        def f(self, v):
            return self.scale * v * self.w
        def g(self, v):
            return self.f(v) ** 2
    class Child(Base):
        def __init__(self, w, b):
            super().__init__(w)
            self.b = b
        def f(self, v):
            return super().f(v) + self.b * k
    c = Child(x[0], x[1])
    return c.g(x[2]) + Base(x[3]).g(2.0)


@case
def properties_and_static_methods(x, k):
    class Rect:
        def __init__(self, w, h):
            self._w, self._h = w, h
        @property
        def area(self):
            return self._w * self._h * k
        @property
        def w(self):
            return self._w
        @w.setter
        def w(self, v):
            self._w = v * 2.0
        @staticmethod
        def helper(a):
            return a * a * k
        @classmethod
        def square(cls, a):
            return cls(a, a)
    r = Rect.square(x[0])
    r.w = x[1]
    return r.area + Rect.helper(x[2]) + r.helper(x[3])


@case
def operators(x, k):
    class Vec:
        def __init__(self, a, b):
            self.a, self.b = a, b
        def __add__(self, o):
            return Vec(self.a + o.a, self.b + o.b)
        def __mul__(self, s):
            return Vec(self.a * s, self.b * s)
        __rmul__ = __mul__
        def __neg__(self):
            return Vec(-self.a, -self.b)
        def __getitem__(self, i):
            return self.a if i == 0 else self.b
        def __call__(self, t):
            return self.a + self.b * t
        def dot(self, o):
            return self.a * o.a + self.b * o.b
    u, v = Vec(x[0], x[1]), Vec(x[2], x[3])
    w = u + 2.0 * v * k + -u * x[0]
    return w.dot(u) + w[0] + w(x[1])


@case
def abstract_classes(x, k):
    class Shape(ABC):
        @abstractmethod
        def area(self):
            ...
        def twice(self):
            return 2.0 * self.area()
    class Sq(Shape):
        def __init__(self, s):
            self.s = s
        def area(self):
            return self.s ** 2
    class Circ(Shape):
        def __init__(self, r):
            self.r = r
        def area(self):
            return np.pi * self.r ** 2 * k
    shapes = [Sq(x[0]), Circ(x[1]), Sq(x[2])]
    return sum(s.twice() for s in shapes)


@case
def diamond_with_slots(x, k):
    class A:
        def f(self, v):
            return v * 2.0
    class B(A):
        def f(self, v):
            return super().f(v) + k
    class C(A):
        def f(self, v):
            return super().f(v) * v
    class D(B, C):
        __slots__ = ("w",)
        def __init__(self, w):
            self.w = w
        def f(self, v):
            return super().f(v) * self.w
    return D(x[0]).f(x[1]) + D(x[2]).f(x[3])


@case
def linked_list(x, k):
    class Node:
        def __init__(self, v, nxt=None):
            self.v, self.nxt = v, nxt
        def total(self):
            rest = 0.0 if self.nxt is None else self.nxt.total()
            return self.v ** 2 + rest * k
    head = None
    for i in range(len(x)):
        head = Node(x[i], head)
    return head.total()


@case
def tree(x, k):
    class Node:
        def __init__(self, v, left=None, right=None):
            self.v, self.left, self.right = v, left, right
        def total(self):
            out = self.v ** 2
            if self.left is not None:
                out = out + k * self.left.total()
            if self.right is not None:
                out = out + self.right.total()
            return out
    t = Node(x[0], Node(x[1]), Node(x[2], Node(x[3])))
    return t.total()


@case
def data_of_the_class(x, k):
    class M:
        c = x[0] * k
        table = [x[1], x[2]]
        def f(self, v):
            return self.c * v + self.table[0] * self.table[1]
    m = M()
    a = m.f(x[3])
    m.c = 3.0 * x[1]
    return a * m.f(x[2]) + M.c


@case
def class_that_counts(x, k):
    class C:
        total = 0.0
        def __init__(self, v):
            C.total += v * v
            self.v = v
        @classmethod
        def reset(cls, w):
            cls.total = cls.total * w
    a = C(x[0])
    C(x[1])
    C.reset(x[2])
    C(x[3])
    return C.total * a.v


@case
def factory(x, k):
    def make(s):
        class Layer:
            def __init__(self, w):
                self.w = w
            def __call__(self, v):
                return s * self.w * v
        return Layer
    first = make(x[0])
    second = make(k)
    return first(x[1])(x[2]) + second(x[3])(x[0])


@case
def class_in_a_branch(x, k):
    if x[0] > 0:
        class M:
            def f(self, v):
                return v * k
    else:
        class M:
            def f(self, v):
                return v * v
    return M().f(x[1]) * x[2]


@case
def objects_in_a_list(x, k):
    class Particle:
        def __init__(self, p, v):
            self.p, self.v = p, v
        def step(self, dt):
            self.v -= dt * k * self.p
            self.p += dt * self.v
    ps = [Particle(x[i], 0.0) for i in range(4)]
    for _ in range(3):
        for p in ps:
            p.step(0.1)
    return sum(p.p ** 2 for p in ps)


@case
def protocols_of_python(x, k):
    class R:
        def __init__(self, v):
            self.v = v
        def __iter__(self):
            for e in self.v:
                yield e * k
        def __len__(self):
            return len(self.v)
        def __enter__(self):
            return self
        def __exit__(self, *a):
            return False
        def __contains__(self, e):
            return e > 0
    r = R(x)
    t = 0.0
    with r as q:
        for e in q:
            t += e * e
    return t * len(r)


@case
def base_from_outside(x, k):
    class Child(OutBase):
        gain = 2.5
        def f(self, v):
            return super().f(v) * k + step(v)
        def step(self, v):
            return step(v) * self.w
    c = Child(x[0])
    return c.f(x[1]) + c.step(x[2])


@case
def class_in_a_loop(x, k):
    t = 0.0
    for i in range(4):
        class L:
            s = x[i]
            def f(self, v):
                return self.s * v * k
        t = t + L().f(x[0]) * i
    return t


@case
def cached_property_(x, k):
    class M:
        def __init__(self, v):
            self.v = v
        @cached_property
        def norm(self):
            return np.sqrt(np.sum(self.v ** 2)) * k
        def unit(self):
            return self.v / self.norm
    m = M(x)
    return np.sum(m.unit() * x) + m.norm


@case
def registry(x, k):
    class Reg:
        items = []
        table = {}
        @classmethod
        def add(cls, name, v):
            cls.items.append(v)
            cls.table[name] = v
    Reg.add("a", x[0])
    Reg.add("b", x[1] * k)
    return sum(Reg.items) * Reg.table["a"]


@case
def decorated_method(x, k):
    def scaled(f):
        def wrapper(self, v):
            return f(self, v) * k
        return wrapper
    class M:
        def __init__(self, w):
            self.w = w
        @scaled
        def f(self, v):
            return self.w * v
    return M(x[0]).f(x[1])


@case
def callback(x, k):
    class Integrator:
        def __init__(self, rhs, dt):
            self.rhs, self.dt = rhs, dt
        def run(self, y, n):
            for _ in range(n):
                y = y + self.dt * self.rhs(y)
            return y
    return np.sum(Integrator(lambda y: -k * y * y, 0.1).run(x, 5))


@case
def methods_as_values(x, k):
    class M:
        def __init__(self, w):
            self.w = w
        def f(self, v):
            return self.w * v * k
        def g(self, v):
            return self.w + v
    m = M(x[0])
    fs = [m.f, m.g]
    t = x[1]
    for h in fs:
        t = h(t)
    return t + sum(map(m.f, x[2:]))


@case
def stack(x, k):
    class Stack:
        def __init__(self):
            self.data = []
        def push(self, v):
            self.data.append(v)
            return self
        def pop(self):
            return self.data.pop()
        def __len__(self):
            return len(self.data)
        def __bool__(self):
            return len(self.data) > 0
    s = Stack()
    for i in range(4):
        s.push(x[i] * k)
    t = 0.0
    while s:
        t = t * x[0] + s.pop()
    return t


@case
def arrays_written_in_place(x, k):
    class Grid:
        def __init__(self, n):
            self.u = np.zeros(n)
        def load(self, v):
            self.u[:] = v
        def smooth(self, a):
            self.u[1:-1] += a * k * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
        def __iadd__(self, v):
            self.u += v
            return self
    g = Grid(len(x))
    g.load(x)
    for _ in range(3):
        g.smooth(0.1)
    g += x * x
    return np.sum(g.u ** 2)


@case
def computed_attributes(x, k):
    class Lazy:
        def __init__(self, d):
            self.d = d
        def __getattr__(self, name):
            return self.d[name] * 2.0
    one = Lazy({"a": x[0], "b": x[1]})
    return one.a * one.b * k


@case
def class_in_a_class(x, k):
    class Outer:
        class Inner:
            def __init__(self, v):
                self.v = v
            def f(self):
                return self.v * k
        def make(self, v):
            return self.Inner(v)
        def make2(self, v):
            return Outer.Inner(v)
    o = Outer()
    return o.make(x[0]).f() * o.make2(x[1]).f()


@case
def own_exception(x, k):
    class Bad(ValueError):
        pass
    class Conv:
        def f(self, v):
            if v < 0:
                raise Bad("neg")
            return v * k
    t = 0.0
    for v in x:
        try:
            t = t + Conv().f(v)
        except Bad:
            t = t + v * v
    return t


@case
def own_manager(x, k):
    class Scope:
        def __init__(self):
            self.log = []
        def __enter__(self):
            return self
        def __exit__(self, *a):
            self.log.append(x[0] * k)
            return False
    s = Scope()
    with s as q:
        q.log.append(x[1])
    return s.log[0] * s.log[1]


@case
def variable_that_is_bound_anew(x, k):
    s = x[0]
    class M:
        def f(self, v):
            return s * v
    m = M()
    a = m.f(x[1])
    s = x[2] * k
    return a + m.f(x[3])


@case
def classes_told_apart(x, k):
    class A:
        def __init__(self, v):
            self.v = v
    class B(A):
        pass
    objs = [A(x[0]), B(x[1]), A(x[2])]
    return sum(o.v * (k if isinstance(o, B) else 1.0) for o in objs)


@case
def ordering(x, k):
    @total_ordering
    class V:
        def __init__(self, v):
            self.v = v
        def __eq__(self, o):
            return self.v == o.v
        def __lt__(self, o):
            return self.v < o.v
    a, b = V(x[0]), V(x[1])
    big = a if a >= b else b
    return big.v * x[2] * k


@case
def class_of_an_inner_function(x, k):
    class R:
        def __init__(self, v):
            self.v = v
    def run(y):
        return R(y * y)
    return run(x[0]).v + run(x[1]).v * k


class Data:
    c = 2.0

    def f(self, v):
        return self.c * v


@case
def data_of_a_class_outside_that_is_read_before_the_field_is_set(x, k):
    m = Data()
    a = m.f(x[3])
    m.c = 3.0 * x[1]
    return a * m.f(x[2])


def made_anew(x, k):
    ways = []
    for i in range(4):
        class Way:
            scale = x[i]

            def f(self, v):
                return self.scale * v * k
        ways.append(Way())
    return sum(way.f(2.0) for way in ways)


def given_to_recursion(x, k):
    class Way:
        def f(self, v):
            return v * k
    return down(Way(), x[0], 3)


def down(way, v, n):
    return v if n == 0 else down(way, way.f(v), n - 1)


def set_on_a_class(x, k):
    class Base:
        count = 0.0

    class Child(Base):
        pass
    Child.count = x[0]
    return Child.count * Base.count


class Registered:
    known = []

    def __init_subclass__(cls):
        Registered.known.append(cls)


def registered(x, k):
    class Way(Registered):
        pass
    return x[0]


def own_descriptor(x, k):
    class Doubled:
        def __get__(self, owner, cls):
            return 2.0 * owner.v

    class Way:
        twice = Doubled()

        def __init__(self, v):
            self.v = v
    return Way(x[0]).twice


@pytest.mark.parametrize("f, what", [
    (made_anew, "which each iteration makes anew"), (given_to_recursion, "whose methods read `k`"),
    (set_on_a_class, "setting the attribute `count` of a class"), (registered, "__init_subclass__"),
    (own_descriptor, "says what reading the attribute does")])
def test_what_is_not_followed_is_refused(f, what):
    with pytest.raises(UnsupportedError, match=what):
        grad(f)(*X)
    assert not Registered.known


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
@pytest.mark.parametrize("f", CASES)
def test_gradient(f, options):
    check_program(f, X, (0,), **options)


@pytest.mark.parametrize("f", CASES)
def test_core_form(f):
    check_core_form(f, [X])
