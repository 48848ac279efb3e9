"""What once gave wrong gradients or crashed: aliases of arguments, functions made inside, lists, names, records."""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from harness import check_program, check_pullback, compare, gradient
from srcgrad import vjp

OPTIONS: list[dict[str, bool]] = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.5, 1.5, 0.75])


# ---------------------------------------------------------------- recursive functions that give back what they got

def prefix(a):
    if len(a) == 1:
        return a
    tail = prefix(a[1:])
    out = np.empty(len(a))
    out[1:] = tail
    out[0] = a[0]
    return out


def argument_or_array_filled(x):
    return np.sum(prefix(x) ** 2)


def argument_or_array_filled_of_views(x):
    return np.sum(prefix(x[1:]) * prefix(x[:-1]))


# ---------------------------------------------------------------- functions made inside

def default_of_a_name_that_is_bound_again(x):
    k = x[0]
    scaled = lambda v, s=k: v * s  # noqa: E731
    k = x[1]
    return scaled(x[2]) + k


def default_of_an_element_that_is_overwritten(x):
    y = x.copy()
    scaled = lambda v, s=y[0]: v * s  # noqa: E731
    y[0] = x[1]
    return scaled(x[2]) + y[0]


def scaling(factor):
    def scaled(v):
        return v * factor
    return scaled


def made_by_a_function_before_its_argument_is_bound_again(x):
    a = x[0]
    first = scaling(a)
    a = a * 2.0
    return first(2.0) * scaling(a)(3.0) * a


def late_binding(x):
    k = 1.0
    scaled = lambda v: v * k  # noqa: E731
    k = 2.0
    return x[0] * list(map(scaled, [1.0, 2.0]))[1]


def used_twice_in_an_expression(x):
    def energy(v):
        w = v * v
        return w.sum()
    return energy(x) * energy(x * 2.0)


def passed_to_a_function_without_source(x):
    return functools.reduce(lambda s, v: s * x[0] + v, [1.0, 2.0, 3.0])


def kept_in_a_list(x):
    steps = [lambda v: v * x[0], lambda v: v + x[1]]
    return steps[0](2.0) * steps[1](1.0)


def active_only_when_it_is_called(x):
    k = 1.0
    scaled = lambda v: v * k  # noqa: E731
    k = x[0]
    return functools.reduce(lambda s, v: s + scaled(v), [1.0, 2.0], 0.0)


# ---------------------------------------------------------------- lists

def nested_display_that_is_written(x):
    rows = [[x[0], x[1]], [x[2], 1.0]]
    rows[0][1] = rows[1][0] * 2.0
    rows[1] = rows[0]
    rows[1][0] = 5.0 * x[0]
    return rows[0][0] * rows[0][1]


def lag_window(x):
    lags = [x[0], x[1], x[2]]
    total = 0.0
    for _ in range(3):
        new = lags[0] * lags[1] + lags[-1]
        lags = lags[1:] + [new]
        total += new
    return total * lags[0]


def joined_lists_of_arrays_that_are_written(x):
    halves = [x[:2] * 1.0, x[1:] * 1.0]
    joined = halves + [x]
    joined[0] = joined[0] * 2.0
    joined[2][0] = joined[1][0]
    return np.sum(joined[0] * joined[1]) + joined[2].sum()


def joined_tuples(x):
    t = (x[0],) + (x[1], x)
    t = t + (3.0,)
    return t[0] * t[1] * t[3] + t[2].sum()


RIGHT: list[Callable[..., Any]] = [
    argument_or_array_filled, argument_or_array_filled_of_views, default_of_a_name_that_is_bound_again,
    default_of_an_element_that_is_overwritten, made_by_a_function_before_its_argument_is_bound_again, late_binding,
    used_twice_in_an_expression, nested_display_that_is_written, lag_window, joined_lists_of_arrays_that_are_written,
    joined_tuples, passed_to_a_function_without_source, active_only_when_it_is_called, kept_in_a_list,
]


@each_way
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_gradient(function, options):
    check_program(function, (X,), (0,), **options)



# ---------------------------------------------------------------- pullbacks

def test_pullback_where_the_function_uses_the_names_of_its_parameters():
    def f(x, record):
        value_bar = x * record
        value = np.sum(value_bar * x)
        return value * 1.0

    _, pullback = vjp(f, X, X)
    compare(pullback(3.0), (3.0 * 2.0 * X * X, 3.0 * X * X))


@dataclass
class Body:
    mass: float
    momentum: np.ndarray


def kicked(body):
    body.momentum += body.momentum / body.mass
    return np.sum(body.momentum ** 2)


def test_record_keeps_what_objects_share_with_arrays():
    body = Body(2.0, X.copy())
    check_pullback(kicked, (body,), (0,), gradient(kicked, (body,), (0,)))


def test_pullback_after_the_fields_of_an_object_have_changed():
    body = Body(2.0, X.copy())
    _, pullback = vjp(lambda b: np.sum(b.momentum ** 2) / b.mass, body)
    body.momentum[:] = 0.0
    (got,) = pullback(1.0)
    compare(got.momentum, X)
