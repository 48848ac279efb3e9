"""The plain Python forms of functions that write into arrays leave the arrays as those functions do, in all layouts."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import check_program, clone, same
from srcgrad import grad
from srcgrad.errors import UnsupportedError
from srcgrad.library import writers
from srcgrad.runtime import writes


def _layouts(*shape: int) -> list[np.ndarray]:
    a = np.random.default_rng(len(shape)).uniform(-2.0, 2.0, shape)
    double = np.zeros(tuple(2 * n for n in shape))
    strided = double[tuple(slice(None, None, 2) for _ in shape)]
    strided[...] = a
    return [a, np.asfortranarray(a), a.T.copy().T, a[::-1].copy()[::-1], strided]


VECTORS, MATRICES = _layouts(5), _layouts(3, 4)
IDX = np.array([3, 0, 3, -1])

# (what NumPy does, what the library does): both write into their first argument
PAIRS: dict[str, tuple[Callable, Callable, list[np.ndarray]]] = {
    "put": (lambda a: np.put(a, IDX, [1.0, 2.0]), lambda a: writers.put(a, IDX, [1.0, 2.0]), VECTORS + MATRICES),
    "put wrap": (lambda a: np.put(a, [17, -9], [1.0, 2.0], "wrap"),
                 lambda a: writers.put(a, [17, -9], [1.0, 2.0], "wrap"),
                 VECTORS + MATRICES),
    "put clip": (lambda a: np.put(a, [17, -9], [1.0, 2.0], "clip"),
                 lambda a: writers.put(a, [17, -9], [1.0, 2.0], "clip"),
                 VECTORS + MATRICES),
    "put nothing": (lambda a: np.put(a, [], []), lambda a: writers.put(a, [], []), VECTORS),
    "put number": (lambda a: np.put(a, IDX, 7.0), lambda a: writers.put_number(a, IDX, 7.0), MATRICES),
    "place": (lambda a: np.place(a, a > 0, [1.0, 2.0, 3.0]), lambda a: writers.place(a, a > 0, [1.0, 2.0, 3.0]),
              VECTORS + MATRICES),
    "place number": (lambda a: np.place(a, a > 0, 4.0), lambda a: writers.place_number(a, a > 0, 4.0), MATRICES),
    "putmask": (lambda a: np.putmask(a, a > 0, [1.0, 2.0, 3.0]), lambda a: writers.putmask(a, a > 0, [1.0, 2.0, 3.0]),
                VECTORS + MATRICES),
    "copyto": (lambda a: np.copyto(a, a[:1] * 2.0), lambda a: writers.copyto(a, a[:1] * 2.0), VECTORS + MATRICES),
    "copyto where": (lambda a: np.copyto(a, 3.0, where=a > 0), lambda a: writers.copyto(a, 3.0, where=a > 0),
                     VECTORS + MATRICES),
    "fill_diagonal": (lambda a: np.fill_diagonal(a, [1.0, 2.0]),
                      lambda a: writers.fill_diagonal(a, [1.0, 2.0]), MATRICES),
    "fill_diagonal wrap": (lambda a: np.fill_diagonal(a, 5.0, wrap=True),
                           lambda a: writers.fill_diagonal_number(a, 5.0, wrap=True), _layouts(7, 3)),
    "fill_diagonal of a cube": (lambda a: np.fill_diagonal(a, 5.0), lambda a: writers.fill_diagonal_number(a, 5.0),
                                _layouts(2, 2, 2)),
    "put_along_axis": (lambda a: np.put_along_axis(a, np.argmax(a, 1, keepdims=True), 9.0, 1),
                       lambda a: writers.put_along_axis(a, np.argmax(a, 1, keepdims=True), 9.0, 1), MATRICES),
    "sort": (lambda a: a.sort(), writers.sort, VECTORS + MATRICES),
    "sort columns": (lambda a: a.sort(axis=0), lambda a: writers.sort(a, axis=0), MATRICES),
    "partition": (lambda a: a.partition(2), lambda a: writers.partition(a, 2), VECTORS + MATRICES),
    "flat item": (lambda a: a.flat.__setitem__(-2, 8.0),
                  lambda a: writers.set_flat(a, range(a.size)[-2], 8.0), MATRICES),
    "flat slice": (lambda a: a.flat.__setitem__(slice(1, None, 2), [1.0, 2.0, 3.0]),
                   lambda a: writers.set_flat_several(a, writers.numbers(a)[1::2], [1.0, 2.0, 3.0]), MATRICES),
    "flat": (lambda a: setattr(a, "flat", [1.0, 2.0, 3.0]),
             lambda a: writers.set_all_flat(a, [1.0, 2.0, 3.0]), MATRICES),
    "subtract.at": (lambda a: np.subtract.at(a, IDX[:3], 2.0), lambda a: writers.subtract_at(a, IDX[:3], 2.0), VECTORS),
    "multiply.at": (lambda a: np.multiply.at(a, [1, 1, 0], [2.0, 3.0, 4.0]),
                    lambda a: writers.apply_pair_at(np.multiply, a, [1, 1, 0], [2.0, 3.0, 4.0]), VECTORS),
    "multiply.at itself": (lambda a: np.multiply.at(a, [3, 1, 3], a[1:4]),
                           lambda a: writers.apply_pair_at(np.multiply, a, [3, 1, 3], a[1:4]), VECTORS),
    "negative.at": (lambda a: np.negative.at(a, [1, 1, 0]),
                    lambda a: writers.apply_at(np.negative, a, [1, 1, 0]), VECTORS),
    "shuffle": (lambda a: np.random.default_rng(3).shuffle(a),
                lambda a: writers.shuffle(np.random.default_rng(3).permutation, a), VECTORS + MATRICES),
    "shuffle columns": (lambda a: np.random.default_rng(3).shuffle(a, axis=1),
                        lambda a: writers.shuffle(np.random.default_rng(3).permutation, a, 1), MATRICES),
    "shuffle of old": (lambda a: np.random.RandomState(3).shuffle(a),
                       lambda a: writers.shuffle(np.random.RandomState(3).permutation, a), VECTORS + MATRICES),
    "nan_to_num": (lambda a: np.nan_to_num(a, copy=False), lambda a: writers.nan_to_num(a, copy=False), VECTORS),
}


@pytest.mark.parametrize("name", PAIRS)
def test_writes_as_numpy_does(name: str) -> None:
    numpys, ours, arrays = PAIRS[name]
    for array in arrays:
        a, b = clone(array), clone(array)
        numpys(a)
        ours(b)
        same(b, a)


VALUES: dict[str, tuple[Any, Any]] = {
    "maximum.accumulate": (lambda a: np.maximum.accumulate(a, -1), lambda a: writers.running(np.maximum, a, -1)),
    "minimum.accumulate": (lambda a: np.minimum.accumulate(a), lambda a: writers.running(np.minimum, a)),
    "add.reduceat": (lambda a: np.add.reduceat(a, [0, 2, 1]), lambda a: writers.add_reduceat(a, [0, 2, 1])),
    "partition": (lambda a: np.partition(a, 1), lambda a: writers.partitioned(a, 1)),
    "flat": (lambda a: a.flat[1:3], lambda a: writers.get_flat_several(a, writers.numbers(a)[1:3])),
    "sum": (lambda a: np.sum(a, where=a > 0, axis=0), lambda a: writers.sum_where(a, a > 0, axis=0)),
    "prod": (lambda a: np.prod(a, where=a > 0), lambda a: writers.prod_where(a, a > 0)),
    "mean": (lambda a: np.mean(a, where=a > -2.5, axis=-1), lambda a: writers.mean_where(a, a > -2.5, axis=-1)),
    "max": (lambda a: np.max(a, where=a < 0, initial=-5.0),
            lambda a: writers.larger(writers.max_where(a, a < 0), -5.0)),
    "outer": (lambda a: np.subtract.outer(a, a), lambda a: writers.trailing_outer(np.subtract, a, a)),
}


@pytest.mark.parametrize("name", VALUES)
def test_gives_what_numpy_gives(name: str) -> None:
    numpys, ours = VALUES[name]
    for array in VECTORS + MATRICES:
        np.testing.assert_allclose(ours(clone(array)), numpys(clone(array)), rtol=1e-14)


def test_what_a_write_by_number_raises() -> None:
    with pytest.raises(IndexError):
        writes.flat_cells((2, 3), [6])
    with pytest.raises(ValueError):
        writes.diagonal_cells((3,))


def _place_itself(x):
    y = x * 1.0
    np.place(y, y > 0, y[:2])
    return np.sum(y)


def _flat_itself(x):
    y = x * 1.0
    y.flat = y[:2]
    return np.sum(y)


def _uninitialised(x):
    return np.sum(np.sqrt(x, where=x > 1.0))


def _iterator(x):
    y = x * 1.0
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = 2.0
    return np.sum(y)


def _resized(x):
    y = x * 1.0
    y.resize(2)
    return np.sum(y)


@pytest.mark.parametrize("function, word", [(_place_itself, "array itself"), (_flat_itself, "array itself"),
                                            (_uninitialised, "where="), (_iterator, "nditer"), (_resized, "resize")])
def test_what_is_refused_is_named(function: Callable, word: str) -> None:
    with pytest.raises(UnsupportedError, match=word):
        grad(function)(np.array([1.0, 2.0, 3.0]))


# ---------------------------------------------------------------- NumPy's own errors stay

def product_into_integers(x, n):
    m = np.zeros(3, int)
    try:
        np.multiply(n, 0.5, out=m)
    except TypeError:
        return np.sum(x * (m + 1))
    return np.sum(x * x)


def sum_into_integers(x, n):
    m = n.copy()
    try:
        np.add(m, x, out=m)
    except TypeError:
        return np.sum(x * m)
    return np.sum(x)


def scaled_by_a_number(x, n):
    n = n.copy()
    try:
        n *= 0.5
    except TypeError:
        return np.sum(x * n)
    return np.sum(x * x)


def scaled_by_the_argument(x, n):
    n = n.copy()
    try:
        n *= x
    except TypeError:
        return np.sum(x * n)
    return np.sum(x * x)


def part_scaled_by_the_argument(x, n):
    n = n.copy()
    try:
        n[1:] *= x[1:]
    except TypeError:
        return np.sum(x * n)
    return np.sum(x * x)


def element_scaled_by_the_argument(x, n):
    items = [n.copy()]
    try:
        items[0] *= x
    except TypeError:
        return np.sum(x * items[0])
    return np.sum(x * x)


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("f", [product_into_integers, sum_into_integers, scaled_by_a_number, scaled_by_the_argument,
                               part_scaled_by_the_argument, element_scaled_by_the_argument])
def test_integers_take_no_floats(f, general):
    check_program(f, (np.array([0.4, -0.3, 0.8]), np.array([1, 2, 3])), (0,), general=general)
