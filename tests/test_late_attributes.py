"""What an object doesn't have before a call is put in place, it may have afterwards: it shadows what the class has."""
from __future__ import annotations

import cmath
import contextlib
import functools
import itertools
import operator

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}],
                                   ids=["default", "plain", "general"])


def square(v):
    return v * v


def cube(v):
    return v * v * v


class Plain:
    def __init__(self, v):
        self.v = v


def with_a_default(x):
    b = Plain(x[0])
    return getattr(b, "v", 1.0) * x[1] + (b.v if hasattr(b, "v") else 5.0) * getattr(b, "w", x[2])


class Shadowing:
    act = staticmethod(square)
    k = 2.0

    def __init__(self, f, k):
        self.act = f
        self.k = k

    def run(self, v):
        return self.act(v) * self.k


def data_and_functions_of_the_class(x):
    c = Shadowing(cube, x[1])
    return c.act(x[0]) * c.k + c.run(x[2])


class Replaced:
    k = 2.0

    def act(self, v):
        return v * v

    def __init__(self, f):
        self.act = f
        self.more()
        self.setup()

    def more(self):
        self.k = self.k * 3.0

    def setup(self):
        self.k = self.k + 1.0


def methods_of_the_class(x):
    d = Replaced(lambda v: v * x[1])
    return d.act(x[0]) * d.k


class Bare:
    k = 2.0
    act = staticmethod(square)

    def f(self, v):
        return v


def configure(o, v):
    o.k = v
    o.act = cube
    o.f = cube


def set_by_a_function(x):
    e = Bare()
    configure(e, x[1])
    return e.k * x[0] + e.act(x[2]) + e.f(x[3])


def set_by_a_function_inside(x):
    e = Bare()

    def setup():
        e.k = x[1]
    setup()
    return e.k * x[0]


def set_in_the_last_iteration(x):
    e, s = Bare(), 0.0
    for i in range(3):
        s += e.k * x[i]
        configure(e, x[1])
    return s


class Doubling:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * 2.0 if name == "double" else 0.0


def attributes_by_a_method(x):
    d = Doubling(x[0])
    return d.double * d.v + d.other


class Equal:
    __hash__ = None

    def __init__(self, c):
        self.c = c

    def __eq__(self, other):
        return self.c == other.c


def unequal_by_equal(x):
    a, b = Equal(x[0]), Equal(x[1])
    return x[0] * x[1] if a != b else x[2]


def spread_over_functions_with_rules(x):
    r, phi = cmath.polar(complex(x[0], x[1]))
    z = cmath.rect(x[3], phi)
    return sum(itertools.starmap(operator.mul, zip(x, x[::-1]))) + r * z.imag + max(*(x[1], x[3]))


@each_way
@pytest.mark.parametrize("f", [with_a_default, data_and_functions_of_the_class, methods_of_the_class, set_by_a_function,
                               set_by_a_function_inside, set_in_the_last_iteration, attributes_by_a_method,
                               unequal_by_equal, spread_over_functions_with_rules])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)


def test_a_number_or_nothing_known_isnt_silently_inactive():
    def f(x):
        d = {"q": x}
        s = d.pop("u", 4)
        s += x[1]
        return np.sum(x) + s
    try:
        got = srcgrad.grad(f)(X)
    except srcgrad.UnsupportedError:
        return
    assert np.allclose(got, [1.0, 2.0, 1.0, 1.0])


# ---------------------------------------------------------------- however the code that sets it is reached

class Setter:
    def go(self, o, v):
        o.k, o.act, o.more = v, cube, v

    def __call__(self, o, v):
        self.go(o, v)


def by_another(h, o, v):
    h.go(o, v)


def given(f, o, v):
    f(o, v)


@functools.wraps(configure)
def wrapped(*args):
    return configure(*args)


class Inherited(Bare):
    def __init__(self, v):
        super().__init__()
        Setter().go(self, v)


def used(e, x):
    return e.act(x[2]) * getattr(e, "more", 1.0) * e.k


def by_a_method_of_another(x):
    e = Bare()
    by_another(Setter(), e, x[1])
    return used(e, x)


def by_a_partial(x):
    e = Bare()
    functools.partial(configure, e)(x[1])
    return e.act(x[2]) * e.k


def by_a_call_of_an_object(x):
    e = Bare()
    Setter()(e, x[1])
    return used(e, x)


def by_a_lambda_that_is_given(x):
    e = Bare()
    given(lambda o, v: by_another(Setter(), o, v), e, x[1])
    return used(e, x)


def in_the_constructor(x):
    return used(Inherited(x[1]), x)


def by_a_wrapper(x):
    e = Bare()
    wrapped(e, x[1])
    return e.act(x[2]) * e.k


@each_way
@pytest.mark.parametrize("f", [by_a_method_of_another, by_a_partial, by_a_call_of_an_object, by_a_lambda_that_is_given,
                               in_the_constructor, by_a_wrapper])
def test_whoever_sets_it(f, options):
    check_program(f, (X,), (0,), **options)


def test_set_while_a_generator_runs():
    def f(x):
        e = Bare()
        list(map(lambda v: Setter().go(e, v), x[1:2]))
        return used(e, x)
    with contextlib.suppress(srcgrad.UnsupportedError):
        check_program(f, (X,), (0,))
