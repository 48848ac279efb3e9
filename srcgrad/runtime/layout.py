"""Adjoints of what moves, repeats, joins, takes or arranges elements, for generated code to call."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.runtime.arrays import Shape, unbroadcast

# ---------------------------------------------------------------- permuting and repeating

def inverse_axes(axes: Any) -> Any:
    """The permutation that undoes np.transpose(a, axes).

    >>> inverse_axes((2, 0, 1))
    (1, 2, 0)
    """
    return None if axes is None else tuple(int(i) for i in np.argsort([axis % len(axes) for axis in axes]))


def tile_adjoint(g: Any, shape: Shape, reps: Any) -> Any:
    """The adjoint of an array of `shape` in np.tile(A, reps)."""
    reps = tuple(int(r) for r in np.atleast_1d(reps))
    n = max(len(shape), len(reps))
    sizes = (1,) * (n - len(shape)) + shape
    counts = (1,) * (n - len(reps)) + reps
    apart = np.reshape(g, [size for pair in zip(counts, sizes) for size in pair])
    return np.reshape(np.sum(apart, axis=tuple(range(0, 2 * n, 2))), shape)


def repeat_adjoint(g: Any, shape: Shape, repeats: Any, axis: int | None) -> Any:
    """The adjoint of an array of `shape` in np.repeat(a, repeats, axis)."""
    if axis is None:
        return np.reshape(repeat_adjoint(g, (math.prod(shape),), repeats, 0), shape)
    bar = np.zeros(shape, g.dtype)
    source = np.repeat(np.arange(shape[axis]), repeats)
    np.add.at(np.moveaxis(bar, axis, 0), source, np.moveaxis(g, axis, 0))
    return bar


def pad_adjoint(g: Any, shape: Shape, pad_width: Any, mode: Any) -> Any:
    """The adjoint of an array of `shape` in np.pad(array, pad_width, mode)."""
    if mode == "constant":
        before = np.broadcast_to(np.asarray(pad_width), (len(shape), 2))[:, 0]
        return g[tuple(slice(w, w + n) for w, n in zip(before, shape))]
    source = np.pad(np.arange(math.prod(shape)).reshape(shape), pad_width, mode)
    bar = np.zeros(math.prod(shape), g.dtype)
    np.add.at(bar, source, g)
    return bar.reshape(shape)


# ---------------------------------------------------------------- joining

def split_like(g: Any, parts: Sequence[Shape], axis: int | None) -> list[Any]:
    """The adjoints of arrays of shapes `parts` in np.concatenate(arrays, axis).

    >>> split_like(np.arange(5.0), [(2,), (3,)], 0)
    [array([0., 1.]), array([2., 3., 4.])]
    """
    sizes = [math.prod(p) if axis is None else p[axis] for p in parts]
    pieces = np.split(g, np.cumsum(sizes)[:-1], axis=0 if axis is None else axis)
    return [np.reshape(piece, part) for piece, part in zip(pieces, parts)] if axis is None else pieces


def unstack(g: Any, axis: int) -> list[Any]:
    """The adjoints of the arrays in np.stack(arrays, axis)."""
    return list(np.moveaxis(g, axis, 0))


def vstack_adjoint(g: Any, parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of arrays of shapes `parts` in np.vstack."""
    return _split_raised(g, parts, [_two(p) for p in parts], 0)


def hstack_adjoint(g: Any, parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of arrays of shapes `parts` in np.hstack."""
    raised = [p or (1,) for p in parts]
    return _split_raised(g, parts, raised, 0 if len(raised[0]) == 1 else 1)


def column_stack_adjoint(g: Any, parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of arrays of shapes `parts` in np.column_stack."""
    return _split_raised(g, parts, [p if len(p) > 1 else (math.prod(p), 1) for p in parts], 1)


def dstack_adjoint(g: Any, parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of arrays of shapes `parts` in np.dstack."""
    return _split_raised(g, parts, [p if len(p) > 2 else (*_two(p), 1) for p in parts], 2)


def _two(shape: Shape) -> Shape:
    """The shape that np.atleast_2d gives."""
    return (1,) * (2 - len(shape)) + shape


def _split_raised(g: Any, parts: Sequence[Shape], raised: list[Shape], axis: int) -> list[Any]:
    """Splits what joined arrays whose dimensions had been raised."""
    return [np.reshape(piece, part) for piece, part in zip(split_like(g, raised, axis), parts)]


def append_adjoint(g: Any, parts: Sequence[Shape], axis: int | None, index: int) -> Any:
    """The adjoint of the first (0) or second (1) of two arrays in np.append(arr, values, axis)."""
    return split_like(g, parts, axis)[index]


def nested_shapes(nested: Any) -> Any:
    """The shape of an array or number; for a list or tuple a list of its items' structures.

    >>> nested_shapes([1.0, (2.0, np.zeros(3))])
    [(), [(), (3,)]]
    """
    return [nested_shapes(item) for item in nested] if isinstance(nested, (list, tuple)) else np.shape(nested)


def unnest(g: Any, nesting: Any) -> Any:
    """The adjoint of what np.array or np.asarray made an array of: nested lists as told by `nested_shapes`."""
    if isinstance(nesting, list):
        return [unnest(g[i], part) for i, part in enumerate(nesting)]
    return g if np.shape(g) == nesting else np.reshape(g, nesting)


def join_like(pieces: Sequence[Any], parts: Sequence[Shape], axis: int) -> Any:
    """The adjoint of what was split into `parts` along `axis`; a piece of None is zero."""
    dtype = next((piece.dtype for piece in pieces if piece is not None), np.dtype(float))
    full = [np.zeros(part, dtype) if piece is None else piece for piece, part in zip(pieces, parts)]
    return np.concatenate(full, axis)


def unlist(bars: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` of which `tolist` made nested lists; None is zero."""
    return np.reshape(np.asarray(_filled(bars, shape)), shape)


def _filled(bars: Any, shape: Shape) -> Any:
    """Nested lists with zeros for every None."""
    if bars is None:
        return np.zeros(shape)
    return [_filled(bar, shape[1:]) for bar in bars] if shape else bars


# ---------------------------------------------------------------- taking

def getitem_adjoint(g: Any, shape: Shape, index: Any) -> Any:
    """The adjoint of an array of `shape` in a[index]; repeated indices add up.

    >>> getitem_adjoint(np.array([1.0, 1.0]), (3,), np.array([2, 2]))
    array([0., 0., 2.])
    """
    bar = np.zeros(shape, np.asarray(g).dtype)
    if any(_may_repeat(i) for i in (index if isinstance(index, tuple) else (index,))):
        np.add.at(bar, index, g)
    else:
        bar[index] = g
    return bar


def _may_repeat(index: Any) -> bool:
    """Whether one entry of an index can name an element twice: an array or list of integers."""
    return isinstance(index, (list, np.ndarray)) and np.ndim(index) > 0 and np.asarray(index).dtype != bool


def take_adjoint(g: Any, shape: Shape, indices: Any, axis: int | None) -> Any:
    """The adjoint of an array of `shape` in np.take(a, indices, axis)."""
    if axis is None:
        return np.reshape(take_adjoint(g, (math.prod(shape),), indices, 0), shape)
    bar = np.zeros(shape, np.asarray(g).dtype)
    axis %= len(shape)
    where: Any = (*(slice(None) for _ in range(axis)), np.asarray(indices))
    np.add.at(bar, where, g)
    return bar


def take_along_axis_adjoint(g: Any, shape: Shape, indices: Any, axis: int | None) -> Any:
    """The adjoint of an array of `shape` in np.take_along_axis(arr, indices, axis)."""
    if axis is None:
        return np.reshape(take_adjoint(g, (math.prod(shape),), indices, 0), shape)
    where = list(np.ogrid[tuple(slice(n) for n in np.shape(g))])
    where = [np.zeros_like(i) if n == 1 else i for i, n in zip(where, shape)]
    where[axis] = indices
    bar = np.zeros(shape, g.dtype)
    np.add.at(bar, tuple(where), g)
    return bar


def compress_adjoint(g: Any, shape: Shape, condition: Any, axis: int | None) -> Any:
    """The adjoint of an array of `shape` in np.compress(condition, a, axis)."""
    return take_adjoint(g, shape, np.flatnonzero(condition), axis)


def sort_adjoint(g: Any, a: Any, axis: int | None) -> Any:
    """The adjoint of `a` in np.sort(a, axis)."""
    if axis is None:
        return np.reshape(sort_adjoint(g, np.ravel(a), 0), np.shape(a))
    bar = np.zeros_like(g)
    np.put_along_axis(bar, np.argsort(a, axis=axis, kind="stable"), g, axis)
    return bar


# ---------------------------------------------------------------- diagonals

def diagonal_adjoint(g: Any, shape: Shape, offset: int, axis1: int, axis2: int) -> Any:
    """The adjoint of an array of `shape` in np.diagonal(a, offset, axis1, axis2)."""
    bar = np.zeros(shape, g.dtype)
    steps = np.arange(g.shape[-1])
    np.moveaxis(bar, (axis1, axis2), (-2, -1))[..., steps + max(0, -offset), steps + max(0, offset)] = g
    return bar


def trace_adjoint(g: Any, shape: Shape, offset: int, axis1: int, axis2: int) -> Any:
    """The adjoint of an array of `shape` in np.trace(a, offset, axis1, axis2)."""
    length = max(0, min(shape[axis1] + min(0, offset), shape[axis2] - max(0, offset)))
    g = np.expand_dims(g, -1)
    return diagonal_adjoint(np.broadcast_to(g, (*g.shape[:-1], length)), shape, offset, axis1, axis2)


def diag_adjoint(g: Any, shape: Shape, k: int) -> Any:
    """The adjoint of an array of `shape` in np.diag(v, k), which puts on a diagonal or takes from it."""
    return np.diagonal(g, k) if len(shape) == 1 else diagonal_adjoint(g, shape, k, 0, 1)


# ---------------------------------------------------------------- choosing

def select_adjoint(g: Any, conditions: Sequence[Any], parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of choices of shapes `parts` in np.select(conditions, choices): to the first that holds."""
    taken: Any = False
    bars = []
    for condition, part in zip(conditions, parts):
        bars.append(unbroadcast(np.where(condition & np.logical_not(taken), g, 0.0), part))
        taken = taken | condition
    return bars


def default_adjoint(g: Any, conditions: Sequence[Any], shape: Shape) -> Any:
    """The adjoint of a default of `shape` in np.select(conditions, choices, default)."""
    taken = np.any(np.stack(np.broadcast_arrays(*conditions)), axis=0)
    return unbroadcast(np.where(taken, 0.0, g), shape)


# ---------------------------------------------------------------- ranges and tables

def linspace_adjoint(g: Any, shape: Shape, num: int, endpoint: bool, axis: int, stop: bool) -> Any:
    """The adjoint of start, or of stop, of `shape` in np.linspace(start, stop, num, endpoint, axis=axis)."""
    along = np.linspace(0.0, 1.0, num, endpoint).astype(np.asarray(g).dtype)
    weights = along if stop else 1 - along
    return unbroadcast(np.tensordot(np.moveaxis(g, axis, -1), weights, 1), shape)


def interp_x(g: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The adjoint of `x` in np.interp(x, xp, fp): the slope at x, 0 outside of the table."""
    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    slope = (np.take(fp, i + 1) - np.take(fp, i)) / (np.take(xp, i + 1) - np.take(xp, i))
    return g * np.where((x >= xp[0]) & (x <= xp[-1]), slope, 0.0)


def interp_xp(g: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The adjoint of the places of the table in np.interp(x, xp, fp)."""
    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    part = np.clip((x - np.take(xp, i)) / (np.take(xp, i + 1) - np.take(xp, i)), 0.0, 1.0)
    moved = -interp_x(g, x, xp, fp)
    return take_adjoint(moved * (1.0 - part), np.shape(xp), i, 0) + take_adjoint(moved * part, np.shape(xp), i + 1, 0)


def interp_fp(g: Any, x: Any, xp: Any, shape: Shape) -> Any:
    """The adjoint of tabulated values of `shape` in np.interp(x, xp, fp)."""
    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    part = np.clip((x - np.take(xp, i)) / (np.take(xp, i + 1) - np.take(xp, i)), 0.0, 1.0)
    return take_adjoint(g * (1.0 - part), shape, i, 0) + take_adjoint(g * part, shape, i + 1, 0)


# ---------------------------------------------------------------- Python's own sum, max and min

def repeat_for(g: Any, parts: Sequence[Shape]) -> list[Any]:
    """The adjoints of items of shapes `parts` in Python's sum(items)."""
    return [unbroadcast(g, part) for part in parts]


def choice_adjoint(g: Any, out: Any, values: Sequence[Any]) -> list[Any]:
    """The adjoints of numbers of which `out` is the largest or smallest; of one sequence, its items' in a list.

    >>> choice_adjoint(1.0, 3.0, (3.0, 2.0, 3.0))
    [0.5, 0.0, 0.5]
    """
    if len(values) == 1:
        return [choice_adjoint(g, out, tuple(values[0]))] if len(values[0]) != 1 else [[g]]
    if isinstance(out, (tuple, list)):      # Python takes the first of those that are equal
        first = next(k for k, v in enumerate(values) if v == out)
        return [g if k == first else _zeroed(g) for k in range(len(values))]
    ties = sum(bool(v == out) for v in values)
    return [g / ties if v == out else 0.0 * g for v in values]


def _zeroed(g: Any) -> Any:
    return [_zeroed(part) for part in g] if isinstance(g, (list, tuple)) else None if g is None else 0.0 * g
