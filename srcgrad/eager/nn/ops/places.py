"""Taking elements and putting them: each is the other's transpose."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.op import operation
from srcgrad.eager.protocols import helper

Array = Any
Shape = tuple[int, ...]


def picked(x: Array, indices: Array, axis: int) -> Array:
    """One element of each row along an axis, by number; the axis is gone."""
    return x[_each(x.shape, indices, axis)]


def placed(x: Array, shape: Shape, indices: Array, axis: int) -> Array:
    """The transpose: zeros of that shape, with the elements of `x` at the numbers."""
    out = np.zeros(shape, x.dtype)
    out[_each(shape, indices, axis)] = x
    return out


def _each(shape: Shape, indices: Array, axis: int) -> Any:
    """The index of one element of each row along an axis."""
    if len(shape) < 3:
        return indices if len(shape) == 1 else (np.arange(shape[0]), indices)
    rest = np.ogrid[tuple(slice(n) for i, n in enumerate(shape) if i != axis)]
    return (*rest[:axis], indices, *rest[axis:])


@operation("GatherBackward0", picked)
def _picked_rule(out_bar, out, x, indices, axis):
    x_bar = placed(out_bar, np.shape(x), indices, axis)
    return x_bar


@operation("ScatterBackward0", placed)
def _placed_rule(out_bar, out, x, shape, indices, axis):
    x_bar = picked(out_bar, indices, axis)
    return x_bar


def gathered(x: Array, indices: Array, shape: Shape) -> Array:
    """The elements of each row of `x` at the row's own indices; rows are the last axes, as many as `shape` has."""
    rows = np.reshape(x, (*x.shape[:x.ndim - len(shape)], math.prod(shape)))
    flat = np.reshape(indices, (*rows.shape[:-1], -1))
    return np.reshape(np.take_along_axis(rows, flat, -1), indices.shape)


def gathered_adjoint(g: Array, indices: Array, shape: Shape) -> Array:
    """Zeros with rows of that shape, to which the elements of `g` are added at each row's own indices."""
    lead = g.shape[:g.ndim - len(shape)]
    count, size = math.prod(lead), math.prod(shape)
    flat = np.reshape(indices, (count, -1)) + size * np.arange(count)[:, None]
    sums = np.bincount(np.ravel(flat), np.ravel(g), count * size)
    return np.reshape(sums, (*lead, *shape)).astype(g.dtype, copy=False)


@operation("GatherBackward0", gathered)
def gather(out_bar, out, x, indices, shape):
    x_bar = gathered_adjoint(out_bar, indices, shape)
    return x_bar


@operation("MaxPool2DWithIndicesBackward0", gathered)
def max_pool(out_bar, out, x, indices, shape):
    x_bar = gathered_adjoint(out_bar, indices, shape)
    return x_bar


@operation("GatherBackward0", gathered_adjoint)
def _gathered_adjoint_rule(out_bar, out, g, indices, shape):
    g_bar = gathered(out_bar, indices, shape)
    return g_bar


def rows_adjoint(g: Array, indices: Array, count: int, padding: int | None) -> Array:
    """Zeros of `count` rows, to which the rows of `g` are added by number; the row of `padding` stays zero."""
    out = np.zeros((count, *g.shape[indices.ndim:]), g.dtype)
    np.add.at(out, indices, g)
    if padding is not None:
        out[padding] = 0
    return out


def _embedding(table: Array, indices: Array, padding: int | None) -> Array:
    return table[indices]


@operation("EmbeddingBackward0", _embedding)
def embedding(out_bar, out, table, indices, padding):
    table_bar = rows_adjoint(out_bar, indices, np.shape(table)[0], padding)
    return table_bar


def unpadded_rows(table: Array, indices: Array, padding: int | None) -> Array:
    """Rows of a table, by number, with zeros for the row of `padding`."""
    out = table[indices]
    if padding is not None:
        out[indices == padding] = 0
    return out


@operation("EmbeddingDenseBackward0", rows_adjoint)
def _rows_adjoint_rule(out_bar, out, g, indices, count, padding):
    g_bar = unpadded_rows(out_bar, indices, padding)
    return g_bar


@operation("EmbeddingBackward0", unpadded_rows)
def _unpadded_rows_rule(out_bar, out, table, indices, padding):
    table_bar = rows_adjoint(out_bar, indices, np.shape(table)[0], padding)
    return table_bar


helper(picked, _picked_rule)
helper(placed, _placed_rule)
helper(gathered, gather)
helper(gathered_adjoint, _gathered_adjoint_rule)
helper(rows_adjoint, _rows_adjoint_rule)
helper(unpadded_rows, _unpadded_rows_rule)
