"""Attributes and keys that are deleted, or that only some objects have: what there is then is the class's, or new."""
from __future__ import annotations

import collections

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}],
                                   ids=["default", "plain", "general"])


class Spring:
    k = 2.0
    force = staticmethod(lambda v: v * 3.0)

    def stiffness(self):
        return self.k


def cube(v):
    return v * v * v


def field_of_the_class_again(x):
    s, r = Spring(), 1.0
    for i in range(3):
        s.k = x[i]
        r = r * s.k
        del s.k
        r = r * s.stiffness() * s.k
    s.k = x[3]
    r = r + s.k
    delattr(s, "k")
    return r * s.k


def defaults_made_again(x):
    d = collections.defaultdict(float)
    d["a"] += x[0]
    r = d["a"]
    del d["a"]
    d["a"] += x[1] * r
    d.pop("a")
    r *= d["a"] + 2.0
    d.clear()
    return r + d["a"] * 5.0 + d["b"] + x[2]


@each_way
@pytest.mark.parametrize("f", [field_of_the_class_again, defaults_made_again])
def test_what_was_deleted_has_no_adjoint(f, options):
    check_program(f, (X,), (0,), **options)


def method_of_the_class_again(x):
    s = Spring()
    s.force = cube
    r = s.force(x[0])
    del s.force
    return r * s.force(x[1])


def own_on_one_way(x):
    s = Spring()
    if x[0] > 1.0:
        s.force = cube
    return s.force(x[1]) * x[2]


def own_of_one_of_two(x):
    springs = [Spring(), Spring()]
    springs[0].force = cube
    return sum([s.force(x[1]) for s in springs])


def own_from_now_on(x):
    s, r = Spring(), 0.0
    for i in range(3):
        r += s.force(x[i])
        s.force = cube
    return r


@pytest.mark.parametrize("f", [method_of_the_class_again, own_on_one_way, own_of_one_of_two, own_from_now_on])
def test_functions_of_the_class_or_the_object(f):
    with pytest.raises(srcgrad.UnsupportedError, match="`force` may be a function of the object's own"):
        srcgrad.grad(f)(X)
