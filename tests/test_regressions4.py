"""Programs over iteration, functions as values and NumPy's compositions that once came out wrong, or not at all."""
from __future__ import annotations

import bisect
import functools
import itertools
import math
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import check_program, check_pullback, check_value, differences, gradient
from srcgrad import grad
from srcgrad.errors import UnsupportedError

X = np.array([0.7, 1.3, 0.4, 1.6])
A = np.array([[0.7, 1.3, 0.4], [1.6, 0.2, 0.9]])
OPTIONS = ({}, {"plain": True}, {"general": True}, {"checked": True})


class Meter:
    def __init__(self, factor: float = 1.0) -> None:
        self.total = 0.0
        self.factor = factor

    def add(self, v: Any) -> Any:
        self.total += v * self.factor
        return self.total


class Points:
    def __init__(self, p: Any) -> None:
        self.p = p

    def __len__(self) -> int:
        return len(self.p)

    def __getitem__(self, k: int) -> Any:
        return self.p[k]


def weight(k: int) -> float:
    return 2.0 * k + 1.0


def scalers(n: int) -> list[Callable]:
    made = []
    for k in range(n):
        made.append(lambda v: v * k)
    return made


def scaler(k: Any) -> Callable:
    k = k + 1
    return lambda v: v * k


# ---------------------------------------------------------------- methods as values

def append_by_name(x):
    out = []
    add = out.append
    for v in x:
        add(v * v)
    return sum(out)


def append_to_the_old_list(x):
    out = []
    add = out.append
    old = out
    out = [1.0]
    for v in x:
        add(v * v)
    return sum(out) + sum(old)


def get_by_name(x):
    d = {"a": x[0], "b": 2.0}
    get = d.get
    return get("a") ** 2 * get("c", 3.0)


def pop_by_name(x):
    stack = list(x)
    pop = stack.pop
    return pop() ** 2 + x[0]


def get_passed_to_map(x):
    d = {0: x[0], 1: x[-1] * 2}
    return sum(map(d.get, [0, 1, 0]))


def until_a_sentinel(x):
    stack = list(x)
    total = 0.3
    for v in iter(stack.pop, x[0]):
        total = total * 0.3 + v
    return total


def array_methods_by_name(x):
    dot, total, shaped = x.dot, x.sum, np.outer(x, x).reshape
    return dot(x) * total() + np.sum(shaped(-1) ** 2) + np.sum(shaped((-1, 1)))


def method_of_an_object_that_is_rebound(x):
    meter = Meter(2.0)
    add = meter.add
    meter = Meter(3.0)
    for v in x:
        add(v * v)
    return meter.add(x[0]) + add(1.0)


def list_of_methods(x):
    meters = [Meter(float(k)) for k in range(3)]
    adders = [meter.add for meter in meters]
    total = 0.0
    for add in adders:
        for v in x:
            total += add(v * v)
    return total + adders[1](x[0])


def partial_of_the_turn_before(x):
    before = None
    total = 0.0
    for k in range(3):
        f = functools.partial(lambda a, b: a * b * b, float(k + 1))
        if before is not None:
            total += before(x[0])
        total += f(x[-1])
        before = f
    return total


# ---------------------------------------------------------------- functions made in loops

def late_variable_of_a_comprehension(x):
    functions = [lambda v: v * k for k in range(3)]
    return sum(f(v) for f in functions for v in x)


def late_variable_of_a_callee(x):
    return sum(f(v) for f in scalers(3) for v in x)


def own_variable_of_each_call(x):
    return sum(f(v) for f in [scaler(v) for v in x] for v in x)


def defaults_in_a_comprehension(x):
    functions = [lambda v, k=k: v ** (k + 1) for k in range(3)]
    return sum(f(v) for f in functions for v in x)


# ---------------------------------------------------------------- comprehensions

def comprehension_of_calls(x):
    weights = [weight(k) for k in range(len(x))]
    return sum(w * v * v for w, v in zip(weights, x))


def comprehension_of_objects(x):
    meters = [Meter(float(k)) for k in range(3)]
    for meter, v in zip(meters, itertools.cycle(x)):
        meter.add(v * v)
    return sum(m.total * m.factor for m in meters)


def part_of_an_array_in_an_object(x):
    points = Points(x)
    total = 0.0
    for k in range(len(points)):
        total += points[k] ** 2
    return total + np.sum(points.p[1:] ** 2)


def every_permutation(x):
    total = 0.0
    for p in itertools.permutations(range(len(x))):
        term = 1.0
        for i, j in enumerate(p):
            term *= x[j] ** (0.1 * (i + 1))
        total += term
    return total


def number_or_function(x):
    total = x[0]
    for limit, f in zip([0.5, 1.0], [2.0, lambda v: v ** 3]):
        total += f(x[1]) * limit if callable(f) else f * x[2]
    return total


# ---------------------------------------------------------------- what was assumed, and optimised

def three_parts_joined(x):
    return np.sum(np.concatenate((x[1:2] - x[:1], x[2:] - x[:-2], x[-1:] - x[-2:-1])) ** 2)


def reshaped_under_its_name(x):
    def grid(u, v, transposed):
        if transposed:
            u, v = np.reshape(u, (-1, 1)), np.reshape(v, (1, -1))
        else:
            u, v = np.reshape(u, (1, -1)), np.reshape(v, (-1, 1))
        shape = np.broadcast_shapes(np.shape(u), np.shape(v))
        return np.array(np.broadcast_to(u, shape)), np.array(np.broadcast_to(v, shape))

    a, b = grid(x, x[:2], False)
    c, d = grid(x, x[:2], True)
    return np.sum(np.sin(a * b)) + np.sum(c ** 2 * d)


PROGRAMS = [
    append_by_name, append_to_the_old_list, get_by_name, pop_by_name, get_passed_to_map, until_a_sentinel,
    array_methods_by_name, method_of_an_object_that_is_rebound, list_of_methods, partial_of_the_turn_before,
    late_variable_of_a_comprehension, late_variable_of_a_callee, own_variable_of_each_call,
    defaults_in_a_comprehension, comprehension_of_calls, comprehension_of_objects, part_of_an_array_in_an_object,
    every_permutation, number_or_function, three_parts_joined, reshaped_under_its_name]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_agree_with_differences(program: Callable) -> None:
    for options in OPTIONS:
        check_program(program, (X,), (0,), **options)


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_pullbacks(program: Callable) -> None:
    want = gradient(program, (X,), (0,))
    check_value(program, (X,), (0,), want)
    check_pullback(program, (X,), (0,), want)


def test_functions_that_share_a_variable_are_refused() -> None:
    def program(x):
        total = 0.0
        for n in range(1, 4):
            for f in scalers(n):
                total += f(x[0])
        return total

    with pytest.raises(UnsupportedError, match="shares the variable `k`"):
        grad(program)(X)


# ---------------------------------------------------------------- compositions

@np.vectorize
def EACH(v, w, k=2.0):
    return v * w if v > 0.65 else v * k


COMPOSITIONS: dict[str, Callable] = {
    "polyval": lambda x: np.polyval(x, 0.7) + np.sum(np.polyval(x, x[:2])),
    "polyfit": lambda x: np.sum(np.polyfit(np.arange(4.0), x, 2) ** 2),
    "polynomials": lambda x: np.sum(np.polymul(np.polyder(x), np.polyadd(x, x[:2])) ** 2) + np.sum(np.polyint(x)),
    "meshgrid": lambda x: np.sum(np.sin(np.meshgrid(x, x[:3])[0] * np.meshgrid(x, x[:3], indexing="xy")[1])),
    "gradient": lambda x: np.sum(np.gradient(x) ** 2) + np.sum(np.gradient(x, 0.5, edge_order=2) ** 3),
    "gradient by place": lambda x: np.sum(np.gradient(x, np.array([0.0, 0.5, 0.7, 1.5])) ** 2),
    "quantile": lambda x: np.quantile(x, 0.4) * np.percentile(x, 70) + np.sum(np.percentile(x, [20, 90]) ** 2),
    "cov": lambda x: np.cov(x, x ** 2)[0, 1] * np.corrcoef(x, x ** 3)[0, 1],
    "piecewise": lambda x: np.sum(np.piecewise(x, [x < 0.5, x > 1.4], [2.0, lambda v: v * v, np.sin])),
    "vectorize": lambda x: np.sum(np.vectorize(lambda v: v * v if v > 1.0 else math.sin(v))(x)),
    "vectorize pairs": lambda x: np.sum(np.vectorize(lambda a, b: a * math.exp(b))(x, x[::-1])),
    "apply_along_axis": lambda x: np.sum(np.apply_along_axis(lambda r: r * np.sum(r), 1, np.outer(x, x))),
    "insert": lambda x: np.sum(np.insert(x, 1, x[0] ** 2) ** 2 * np.arange(5.0)),
    "delete": lambda x: np.sum(np.delete(np.outer(x, x), 1, axis=0) ** 2),
    "resize": lambda x: np.sum(np.resize(x, (2, 3)) ** 2 * np.arange(6.0).reshape(2, 3)),
    "extract": lambda x: np.sum(np.extract(x > 0.5, x) ** 2),
    "choose": lambda x: np.sum(np.choose([0, 1, 1, 0], [x, x ** 3])),
    "block": lambda x: np.sum(np.block([[np.outer(x, x), x[:, None]], [x[None, :], np.ones((1, 1))]]) ** 2),
    "broadcast_arrays": lambda x: np.sum(np.prod(np.broadcast_arrays(x, x[:, None] ** 2), axis=0)),
    "correlate": lambda x: np.sum(np.correlate(x, x[:2]) ** 2) + np.sum(np.correlate(x, x[:3], "full") ** 3),
    "spaces": lambda x: np.sum(np.logspace(x[0], x[1], 4)) + np.sum(np.geomspace(x[2], x[3], 5) ** 2),
    "vander": lambda x: np.sum(np.vander(x, 3) ** 2) + np.sum(np.vander(x, 4, increasing=True)),
    "divmod": lambda x: np.sum(np.divmod(x, 0.3)[1] ** 2) + np.sum(np.modf(x * 2)[0] ** 2),
    "unwrap": lambda x: np.sum(np.unwrap(x * 9.0) ** 2),
    "unique": lambda x: np.sum(np.unique(x) ** 2 * np.arange(4.0)),
    "holes": lambda x: np.nanmax(np.where(x > 1.5, np.nan, x)) + np.nanvar(np.where(x < 0.5, np.nan, x)),
    "histogram": lambda x: np.sum(np.histogram(x, 3)[0] * np.histogram(x, 3)[1][1:]),
    "multi_dot": lambda x: np.linalg.multi_dot([x, np.outer(x, x), x]),
    "norms": lambda x: np.linalg.vector_norm(x, ord=3) * np.linalg.matrix_norm(np.outer(x, x)),
    "condition": lambda x: np.linalg.cond(np.diag(x)) + np.sum(np.linalg.svdvals(np.diag(x)) ** 2),
    "log of sums": lambda x: np.logaddexp.reduce(x) + np.sum(np.logaddexp.reduce(np.outer(x, x), axis=1) ** 2)
    + np.sum((np.outer(x, x) - np.logaddexp.reduce(np.outer(x, x), axis=1, keepdims=True)) ** 3),
    "each": lambda x: np.sum(EACH(x, 2.0)) + np.sum(EACH(x[:, None], x, 3.0) ** 2) + EACH(x[0], x[1])
    + np.sum(np.vectorize(lambda v: v * v, otypes=[float])(np.outer(x, x))),
    "told to type checkers": lambda x: typing.cast(float, x[0]) ** 2 * np.linalg.matrix_rank(np.outer(x, x)),
    "bisection": lambda x: x[bisect.bisect(sorted(x), 1.0) % 4] ** 2,
    "tables": lambda x: np.sum(np.interp([0.0, 0.9, 1.6, 9.0], np.cumsum(x ** 2), x, left=0.0, right=x[1]) ** 2)
    + np.interp(0.8, np.cumsum(x ** 2), x, 0.5) + np.sum(np.interp(x, np.arange(4.0), x, period=3.5) ** 2),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_compositions(name: str) -> None:
    for options in OPTIONS:
        check_program(COMPOSITIONS[name], (X,), (0,), **options)


def test_the_edges_of_a_histogram_follow_the_data() -> None:
    def edge(x):
        return np.histogram(x, bins=2)[1][1]

    assert differences(edge, (X,), (0,))[0].round(6).tolist() == [0.0, 0.0, 0.5, 0.5]
    check_program(edge, (X,), (0,))
