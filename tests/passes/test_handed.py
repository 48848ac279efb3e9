"""Tuples that a callee returns and the caller takes apart leave no trace."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import check_program
from srcgrad import grad

X = np.array([0.5, 1.5, 2.5, -0.7])


def parts(x):
    return x[:2], x[2:].reshape(1, 2)


def two(x):
    return x * x, np.sin(x)


def views(x):
    a, b = parts(x)
    return np.sum(a ** 2) + np.sum(b ** 3)


def nested(x):
    (a, b), c = parts(x)
    return a * b + np.sum(c ** 2)


def swapped(x):
    a, b = two(x)
    b, a = two(a + b)
    return np.sum(a * b)


def in_a_loop(x):
    a, b = x[0], x[1]
    for _ in range(3):
        a, b = two(a * b)
    return a + b


def written(x):
    a, b = two(x)
    a[0] = b[1]
    b[1] *= a[2]
    return np.sum(a * b)


PROGRAMS: list[Callable[[Any], Any]] = [views, nested, swapped, in_a_loop, written]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}, {"checked": True}], ids=str)
def test_gradients(f: Callable[[Any], Any], options: dict[str, Any]) -> None:
    check_program(f, (X,), (0,), **options)


@pytest.mark.parametrize("f", PROGRAMS)
def test_no_tuple_has_an_adjoint(f: Callable[[Any], Any]) -> None:
    assert "add_at" not in grad(f).source(X)


def test_a_tuple_that_is_kept_stays() -> None:
    def kept(x):
        both = two(x)
        a, b = both
        return np.sum(a * b) + len(both)

    assert "both" in grad(kept).source(X)
    check_program(kept, (X,), (0,))
