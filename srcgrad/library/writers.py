"""Functions that write into an array, as assignments: what they write is then seen like any other write.

Each has the parameters of the function that it stands for, and leaves the array as that function does.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.library.registry import equivalent, equivalent_method
from srcgrad.runtime.writes import (
    along_axis,
    cells_of,
    cycle,
    cycle_apart,
    diagonal_cells,
    flat_cells,
    partition_order,
    reduceat_cells,
    reshaped,
    running_order,
)

Array = Any


# ---------------------------------------------------------------- the whole array, or where a mask holds

def write_into(value: Any, out: Array) -> Array:
    """f(..., out=out)"""
    out[...] = value
    return out


def write_same_kind_into(value: Any, out: Array) -> Array:
    """f(..., out=out), where what f gives may not fit into the array"""
    if not np.can_cast(np.result_type(value), out.dtype, "same_kind"):
        raise TypeError("the result can't be cast to the type of `out` with casting rule 'same_kind'")
    out[...] = value
    return out


@equivalent_method(np.ndarray, "fill", writes=True)
def fill(a: Array, value: Any) -> None:
    a[...] = value


@equivalent(np.copyto, writes=True)
def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is True:
        dst[...] = src
    else:
        mask = np.broadcast_to(where, np.shape(dst))
        dst[mask] = np.broadcast_to(src, np.shape(dst))[mask]


def write_masked(function: Callable, x: Any, out: Array, where: Any) -> Array:
    """function(x, out=out, where=where)"""
    mask = np.broadcast_to(where, np.shape(out))
    out[mask] = function(np.broadcast_to(x, np.shape(out))[mask])
    return out


def write_masked_pair(function: Callable, x1: Any, x2: Any, out: Array, where: Any) -> Array:
    """function(x1, x2, out=out, where=where)"""
    mask = np.broadcast_to(where, np.shape(out))
    out[mask] = function(np.broadcast_to(x1, np.shape(out))[mask], np.broadcast_to(x2, np.shape(out))[mask])
    return out


def nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    x[...] = np.nan_to_num(x, True, nan, posinf, neginf)
    return x


# ---------------------------------------------------------------- cells by number

def numbers(a: Array) -> Any:
    """The numbers of an array's cells, row by row."""
    return np.arange(np.size(a))


def get_flat(a: Array, number: int) -> Any:
    """a.flat[number]"""
    return a[np.unravel_index(number, np.shape(a))]


def get_flat_several(a: Array, cells: Any) -> Any:
    return a[flat_cells(np.shape(a), cells)]


def all_flat(a: Array) -> Array:
    """a.flat, read to its end at once"""
    return np.ravel(a)


def set_flat(a: Array, number: int, value: float) -> None:
    """a.flat[number] = value"""
    a[np.unravel_index(number, np.shape(a))] = value


def set_flat_number(a: Array, cells: Any, value: float) -> None:
    a[flat_cells(np.shape(a), cells)] = value


def set_flat_several(a: Array, cells: Any, value: Any) -> None:
    a[flat_cells(np.shape(a), cells)] = np.ravel(value)[cycle_apart(a, value, np.size(cells))]


def set_all_flat(a: Array, value: Any) -> None:
    """a.flat = value"""
    a[...] = np.reshape(np.ravel(value)[cycle_apart(a, value, np.size(a))], np.shape(a))


@equivalent_method(np.ndarray, "put", writes=True)
@equivalent(np.put, writes=True)
def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    a[flat_cells(np.shape(a), ind, mode)] = np.ravel(v)[cycle(np.size(v), np.size(ind))]


def put_number(a: Array, ind: Any, v: float, mode: str = "raise") -> None:
    a[flat_cells(np.shape(a), ind, mode)] = v


@equivalent(np.place, writes=True)
def place(arr: Array, mask: Any, vals: Any) -> None:
    where = np.reshape(np.asarray(mask, bool), np.shape(arr))
    arr[where] = np.ravel(vals)[cycle_apart(arr, vals, np.size(np.flatnonzero(where)))]


def place_number(arr: Array, mask: Any, vals: float) -> None:
    arr[np.reshape(np.asarray(mask, bool), np.shape(arr))] = vals


@equivalent(np.putmask, writes=True)
def putmask(a: Array, mask: Any, values: Any) -> None:
    where = np.reshape(np.asarray(mask, bool), np.shape(a))
    a[where] = np.ravel(values)[np.flatnonzero(where) % np.size(values)]


@equivalent(np.fill_diagonal, writes=True)
def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    cells = diagonal_cells(np.shape(a), wrap)
    a[cells] = np.ravel(val)[cycle_apart(a, val, np.size(cells[0]))]


def fill_diagonal_number(a: Array, val: float, wrap: bool = False) -> None:
    a[diagonal_cells(np.shape(a), wrap)] = val


@equivalent(np.put_along_axis, writes=True)
def put_along_axis(arr: Array, indices: Any, values: Any, axis: Any) -> None:
    arr[along_axis(np.shape(arr), indices, axis)] = values


# ---------------------------------------------------------------- shapes

def reshape_in_place(a: Array, shape: Any) -> Array:
    """a.shape = shape"""
    return reshaped(a, shape)


def cast(x: Any, dtype: Any) -> Array:
    """f(x, dtype=dtype), of functions that take what they are given for one array"""
    return np.asarray(x).astype(dtype, copy=False)


def full_of_type(a: Array, fill_value: Any, dtype: Any) -> Array:
    """np.full_like(a, fill_value, dtype)"""
    return np.full(np.shape(a), fill_value).astype(dtype, copy=False)


def trailing_outer(function: Callable, a: Any, b: Any) -> Array:
    """function.outer(a, b)"""
    return function(np.expand_dims(a, tuple(range(np.ndim(a), np.ndim(a) + np.ndim(b)))), b)


def split_columns(a: Array, sections: Any) -> Any:
    """np.hsplit(a, sections)"""
    return np.split(a, sections, axis=min(np.ndim(a), 2) - 1)


# ---------------------------------------------------------------- orders

@equivalent_method(np.ndarray, "sort", writes=True)
def sort(a: Array, axis: Any = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> None:
    a[...] = np.sort(a, axis)


@equivalent_method(np.ndarray, "partition", writes=True)
def partition(a: Array, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None) -> None:
    a[...] = np.take_along_axis(a, partition_order(a, kth, axis), axis)


@equivalent(np.partition)
def partitioned(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: None = None) -> Array:
    """np.partition(a, kth, axis)"""
    return np.take_along_axis(a, partition_order(a, kth, axis), axis)


def shuffle(permutation: Callable, x: Array, axis: int = 0) -> None:
    """rng.shuffle(x, axis), by `rng.permutation`, which shuffles positions with the same draws"""
    order = permutation(np.shape(x)[axis])
    x[...] = np.take(x, order, axis)


# ---------------------------------------------------------------- ufunc.at

def subtract_at(a: Array, indices: Any, b: Any) -> None:
    np.add.at(a, indices, np.negative(b))


def apply_at(function: Callable, a: Array, indices: Any) -> None:
    """function.at(a, indices)"""
    rows = cells_of(np.shape(a), indices)
    for k in range(len(rows)):
        cell = np.unravel_index(rows[k], np.shape(a))
        a[cell] = function(a[cell])


def apply_pair_at(function: Callable, a: Array, indices: Any, b: Any) -> None:
    """function.at(a, indices, b)"""
    rows = cells_of(np.shape(a), indices)
    values = np.ravel(np.array(np.broadcast_to(b, np.shape(a[indices]))))
    for k in range(len(rows)):
        cell = np.unravel_index(rows[k], np.shape(a))
        a[cell] = function(a[cell], values[k])


# ---------------------------------------------------------------- methods of ufuncs, and draws

def running(function: Callable, a: Array, axis: int = 0) -> Array:
    """function.accumulate(a, axis) of maximum or minimum"""
    return np.take_along_axis(a, running_order(a, axis, function is np.minimum), axis)


def add_reduceat(a: Array, indices: Any, axis: int = 0) -> Array:
    """np.add.reduceat(a, indices) along the first axis"""
    segments, rows = reduceat_cells(np.shape(a)[0], indices)
    total = np.zeros((np.size(indices),) + np.shape(a)[1:])
    np.add.at(total, segments, np.take(a, rows, 0))
    return total


def taken(a: Array, index: Any, axis: int = 0) -> Array:
    """A draw from the rows of an array, by their drawn numbers."""
    return np.take(a, index, axis)


# ---------------------------------------------------------------- reductions of a part, or from a start

def sum_where(a: Array, where: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.sum(np.where(where, a, 0.0), axis=axis, keepdims=keepdims)


def prod_where(a: Array, where: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.prod(np.where(where, a, 1.0), axis=axis, keepdims=keepdims)


def mean_where(a: Array, where: Any, axis: Any = None, keepdims: bool = False) -> Any:
    chosen = np.broadcast_to(where, np.shape(a))
    return np.sum(np.where(where, a, 0.0), axis=axis, keepdims=keepdims) / np.sum(chosen, axis=axis, keepdims=keepdims)


def max_where(a: Array, where: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.max(np.where(where, a, -np.inf), axis=axis, keepdims=keepdims)


def min_where(a: Array, where: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.min(np.where(where, a, np.inf), axis=axis, keepdims=keepdims)


def larger(a: Any, initial: Any) -> Any:
    return np.maximum(a, initial)


def smaller(a: Any, initial: Any) -> Any:
    return np.minimum(a, initial)
