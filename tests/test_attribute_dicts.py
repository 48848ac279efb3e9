"""Attributes of objects all at once, and what depends on which class an object is of."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

X = np.array([0.7, 1.3, -0.4, 2.1]), 1.7
OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]


@dataclass(order=True)
class Pair:
    a: float
    b: float


class Named:
    def __init__(self, **given):
        self.__dict__.update(given)


class Twice:
    _v = 0.0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = 2.0 * value


class Square(Twice):
    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value * value


class Left:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return self.v * 2.0 + other.w


class Right:
    def __init__(self, w):
        self.w = w

    def __radd__(self, other):
        return other.v * 100.0 + self.w


RIGHT = Right(3.0)


def updated(x, k):
    m = Named(a=x[0], b=x[1])
    return m.a * m.b * k


def values_of(x, k):
    p = Pair(x[0], x[1])
    return sum(v ** 2 for v in vars(p).values()) * k + vars(p)["a"] + p.__dict__["b"]


def compared(x, k):
    p, q = Pair(x[0], 1.0), Pair(x[1], 1.0)
    if p == q:
        return x[2]
    return (p.a if p < q else q.a) * k


def set_on_one_of_several(x, k):
    objects = [Twice(), Square(), Twice()]
    for i, one in enumerate(objects):
        one.v = x[i] * k
    return sum(one.v for one in objects)


def made(x):
    return Left(x[0] * x[0])


def operator_of_what_is_not_known_yet(x, k):
    return (made(x) + RIGHT) * k


CASES = [updated, values_of, compared, set_on_one_of_several, operator_of_what_is_not_known_yet]


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
@pytest.mark.parametrize("f", CASES)
def test_gradient(f, options):
    check_program(f, X, (0,), **options)


def round_a_property(x, k):
    m = Twice()
    m.__dict__.update(v=x[0])
    return m.v


def test_what_goes_round_a_property_is_refused():
    with pytest.raises(UnsupportedError, match="does something of its own"):
        grad(round_a_property)(*X)
