"""Functions that change something and are given to others that call them, where nothing else is differentiated."""
from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])

USES = {
    "map": lambda f: list(map(f, [1])),
    "map of a lambda": lambda f: list(map(lambda k: f(k), range(2))),
    "sorted": lambda f: sorted([2, 1], key=f),
    "max": lambda f: max([1, 2], key=f),
    "filter": lambda f: list(filter(f, [1])),
    "spread": lambda f: [*map(f, [1])],
    "set": lambda f: set(map(f, [1])),
    "zip": lambda f: list(zip(map(f, [1]), [1])),
    "a comprehension's test": lambda f: [k for k in range(3) if f(k)],
    "that of a dict": lambda f: {k: 1 for k in range(3) if f(k)},
    "next": lambda f: next(iter(map(f, [1]))),
    "reduce": lambda f: functools.reduce(lambda k, m: f(k), [1, 2]),
    "accumulate": lambda f: list(itertools.accumulate([1, 2], lambda k, m: f(k))),
    "takewhile": lambda f: list(itertools.takewhile(f, [1])),
    "sum": lambda f: sum(f(k) for k in [1]),
    "any": lambda f: any(f(k) for k in [1]),
    "iter": lambda f: list(iter(lambda: f(1), 1)),
    "fromfunction": lambda f: np.fromfunction(lambda k: f(k), (2,)),
    "apply_along_axis": lambda f: np.apply_along_axis(lambda k: f(k), 0, np.ones(2)),
}


@pytest.mark.parametrize("use", USES)
def test_is_right_or_refused(use):
    given = USES[use]

    def f(x):
        k = np.array([0, 1])

        def turn(v):
            k[0] = (k[0] + 1) % 4
            return v
        y = x[k]
        given(turn)
        return np.sum(y * y) * np.sum(x[k] ** 2) + x[k[0]]
    try:
        check_program(f, (X,), (0,))
    except srcgrad.UnsupportedError:
        assert use in ("set", "zip", "spread", "next", "sum", "any", "fromfunction", "apply_along_axis", "takewhile",
                       "iter", "filter")


def test_functions_that_are_only_looked_at():
    def f(x):
        seen = []

        def note(v):
            seen.append(v)
            return v
        return note(x[0]) * seen[0] * (2.0 if callable(note) and isinstance(len(str(note)), int) else x[1])
    check_program(f, (X,), (0,))


def counted_by_vectorize(x):
    n = 0

    def bump(v):
        nonlocal n
        n += 1
        return v * n
    return np.sum(np.vectorize(bump)(x)) * n


def counted_by_vectorize_elsewhere(x):
    n = 0

    def bump(v):
        nonlocal n
        n += 1
        return v * n
    return np.sum(np.vectorize(bump)(np.arange(3.0)) * x) * n


@pytest.mark.parametrize("f", [counted_by_vectorize, counted_by_vectorize_elsewhere])
def test_vectorize_calls_the_function_once_more_for_its_type(f):
    check_program(f, (np.array([0.78, 0.5, 0.58]),), (0,))
