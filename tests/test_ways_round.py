"""Objects that do something of their own with what is differentiated: followed or refused, never constant."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import c_, r_

from harness import check_program
from srcgrad import UnsupportedError, grad

X = np.array([0.5, 1.5, 2.5])
OPTIONS: list[dict[str, Any]] = [{}, {"plain": True}, {"general": True}]


def rows(x):
    return np.sum(np.r_[x, 1.0, x[0]] ** 2) + np.sum(r_[x, x ** 2] ** 3) + np.sum(np.r_[np.outer(x, x), np.eye(3)])


def columns(x):
    return np.sum(c_[x, x ** 2] ** 2) + np.sum(np.c_[np.outer(x, x), x] ** 3) + np.sum(np.c_[x] ** 2)


@pytest.mark.parametrize("f", [rows, columns])
def test_subscripts_that_join_arrays(f: Callable[[Any], Any]) -> None:
    for options in OPTIONS[:2]:
        check_program(f, (X,), (0,), **options)


class Doubled:
    def __get__(self, owner, cls=None):
        return 2.0 * owner._value

    def __set__(self, owner, value):
        owner._value = value


class Holder:
    value = Doubled()


class Scaled:
    def __class_getitem__(cls, value):
        return 3.0 * value


def descriptor(x):
    holder = Holder()
    holder.value = x[0]
    return holder.value


def set_outside(x):
    holder = Holder()
    holder._value = x[0]
    return holder.value


def captured(x):
    def inner():
        return x
    return inner.__closure__[0].cell_contents[0]


def memory(x):
    return np.sum(np.asarray(x.data))


def owner_of_a_view(x):
    y = x * 2.0
    return np.sum(y[1:].base)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "a descriptor": descriptor, "a descriptor that is read": set_outside, "a captured variable": captured,
    "memory": memory, "the owner of a view": owner_of_a_view,
    "an index expression": lambda x: np.s_[x[0]] * 2.0, "a class": lambda x: Scaled[x[0]],
    "slices beside": lambda x: np.sum(np.r_[0:3, x]), "texts beside": lambda x: np.sum(np.r_["0,2", x])}


@pytest.mark.parametrize("name", REFUSED)
def test_other_ways_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        grad(REFUSED[name])(X)
    assert caught.value.at is not None and caught.value.remedy


def test_arrays_of_objects_are_refused_where_they_are_written() -> None:
    def boxed(x):
        a = np.empty(2, dtype=object)
        a[0] = x[0]
        return a[0] * 2.0

    with pytest.raises(UnsupportedError, match="dtype object") as caught:
        grad(boxed)(X)
    assert caught.value.at is not None and "a[0] = x[0]" in str(caught.value)
