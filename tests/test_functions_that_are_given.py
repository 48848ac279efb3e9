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


STEPS = [0]


def turn_given(k):
    k[0] += 1
    return k[0]


def turn_outside(v):
    STEPS[0] += 1
    return v


def scaled_in_place(v):
    v *= 2.0
    return v


def total(v):
    out = np.zeros(2)
    s = 0.0
    for part in (v, 2.0 * v):
        s += part
    out[0] = s
    return out[0]


class Turner:
    def __init__(self):
        self.k = [0]

    def step(self, v):
        self.k[0] += 1
        return v


def mapped_over_lists(x):
    k = [0]
    list(map(turn_given, [k, k]))
    return x[k[0]] * x[0]


def largest_by_a_key(x):
    k = [0]
    max([k, k], key=turn_given)
    return x[k[0]] * x[0]


def by_a_lambda(x):
    k = [0]
    sorted([3, 1], key=lambda v: turn_given(k) * v)
    return x[k[0]] * x[0]


def by_a_method(x):
    turner = Turner()
    list(map(turner.step, range(2)))
    return x[turner.k[0]] * x[0]


def by_a_partial(x):
    k = [0]
    list(map(functools.partial(turn_given, k), range(0)))
    list(map(lambda v: functools.partial(turn_given, k)(), range(1)))
    return x[k[0]] * x[0]


def arrays_in_place(x):
    w = np.ones(4)
    list(map(scaled_in_place, [w, w]))
    return np.sum(w * x * x)


def arrays_in_place_by_one_made_inside(x):
    w = np.ones(4)

    def scale(v):
        v *= 3.0
        return v
    list(map(scale, [w]))
    return np.sum(w * x * x)


def what_is_outside(x):
    STEPS[0] = 0
    list(map(turn_outside, [1, 2]))
    return x[STEPS[0]] * x[0]


@pytest.mark.parametrize("f", [mapped_over_lists, largest_by_a_key, by_a_lambda, by_a_method, by_a_partial,
                               arrays_in_place, arrays_in_place_by_one_made_inside, what_is_outside])
@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}, {"checked": True}], ids=str)
def test_what_functions_change_that_are_given(f, options):
    """Where nothing that they are given is differentiated: what they change is read by what is."""
    try:
        check_program(f, (X,), (0,), **options)
    except srcgrad.UnsupportedError:
        assert f in (by_a_partial, by_a_method, arrays_in_place_by_one_made_inside, what_is_outside)


def test_a_function_that_only_changes_what_it_makes_stays_with_its_caller():
    def f(x):
        root = optimize.brentq(lambda t: total(t) - 1.5, 0.0, 2.0) + optimize.brentq(total, -1.0, 1.0)
        return x[0] * x[0] * root
    optimize = pytest.importorskip("scipy.optimize")
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


def counted_by_vectorize_that_keeps(x):
    n = 0

    def bump(v):
        nonlocal n
        n += 1
        return v * n
    return np.sum(np.vectorize(bump, cache=True)(x)) * n


@pytest.mark.parametrize("f", [counted_by_vectorize, counted_by_vectorize_elsewhere, counted_by_vectorize_that_keeps])
def test_vectorize_calls_the_function_once_more_for_its_type(f):
    check_program(f, (np.array([0.78, 0.5, 0.58]),), (0,))
