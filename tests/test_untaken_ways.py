"""What is refused in a part of an expression that isn't always evaluated hurts nobody who doesn't get there."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

X, FAR = np.array([0.5, 1.5, 2.5]), np.array([9.0, -9.0, 12.0])


def chosen(x):
    return np.sum(np.roots(x).real) if x[0] > 5 else x[0] ** 2


def joined(x):
    return x[0] ** 2 if not (x[0] > 5 and np.sum(np.roots(x).real) > -99) else x[1]


def two(x):
    return (x[0] ** 2 if x[0] < 5 else np.ma.array(x).sum()) * (x[1] if x[1] > 0 else np.sum(np.roots(x).real))


def for_each(x):
    return sum(v * v if v < 9 else np.roots([v, 1.0])[0] for v in x)


def in_a_test(x):
    s = x[0]
    while s < 10 and (s > -5 or np.roots(x)[0] > 3):
        s = s * 2 if x[1] > 0 else np.roots(x)[0]
    return s * x[2] if x[0] < 5 else np.roots(x)[0] * s


@pytest.mark.parametrize("f", [chosen, joined, two, for_each, in_a_test])
def test_the_others_work(f: Callable[[Any], Any]) -> None:
    for options in ({}, {"plain": True}, {"general": True}):
        check_program(f, (X,), (0,), **options)
    with pytest.raises(UnsupportedError, match="rule") as caught:
        grad(f)(FAR)
    assert caught.value.at is not None and caught.value.at.file == __file__


def test_what_is_certainly_evaluated_is_refused_at_once() -> None:
    def first(x):
        return np.sum(np.roots(x).real) > 0 and x[0] ** 2

    with pytest.raises(UnsupportedError, match="numpy.roots"):
        grad(first).source(X)
