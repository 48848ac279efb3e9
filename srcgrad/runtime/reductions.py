"""Adjoints of reductions and cumulations that no plain expression gives, for generated code to call."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.arrays import (
    Axis,
    Shape,
    axes_of,
    expand_reduced,
    floating,
    one_if_zero,
    reduced_size,
    unbroadcast,
)

# ---------------------------------------------------------------- products

def prod_adjoint(g: Any, out: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """The adjoint of `a` in out = np.prod(a, axis, keepdims=keepdims); right where elements are 0."""
    shape = np.shape(a)
    if np.all(a):
        return expand_reduced(g * out, shape, axis, keepdims) / a
    others = _from_rows(_products_of_others(_rows(np.asarray(a), axis)), shape, axis)
    return expand_reduced(g, shape, axis, keepdims) * others


def _products_of_others(rows: np.ndarray) -> np.ndarray:
    """For each element the product of all others in its row."""
    before, after = np.ones_like(rows), np.ones_like(rows)
    before[..., 1:] = np.cumprod(rows[..., :-1], axis=-1)
    after[..., :-1] = np.cumprod(rows[..., :0:-1], axis=-1)[..., ::-1]
    return before * after


def cumprod_adjoint(g: Any, a: Any, axis: int | None) -> Any:
    """The adjoint of `a` in np.cumprod(a, axis); right where elements are 0."""
    rows = _rows(np.asarray(a), axis)
    g_rows = _rows(np.asarray(g), axis)
    if np.all(rows):
        bar = _cumsum_backwards(g_rows * np.cumprod(rows, axis=-1)) / rows
    else:
        bar = _cumprod_with_zeros(g_rows, rows)
    return _from_rows(bar, np.shape(a), axis)


def _cumprod_with_zeros(g: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(product before an element) * (what its product with later ones contributes), without a division."""
    before = np.ones_like(rows)
    before[..., 1:] = np.cumprod(rows[..., :-1], axis=-1)
    after = g.copy()
    for i in reversed(range(rows.shape[-1] - 1)):
        after[..., i] += rows[..., i + 1] * after[..., i + 1]
    return before * after


def _cumsum_backwards(rows: np.ndarray) -> np.ndarray:
    return np.cumsum(rows[..., ::-1], axis=-1)[..., ::-1]


def _rows(a: np.ndarray, axis: Axis) -> np.ndarray:
    """The array with the axes of a reduction moved last and made one."""
    axes = axes_of(axis, a.ndim)
    moved = np.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    kept = moved.shape[:a.ndim - len(axes)]
    return moved.reshape(*kept, math.prod(moved.shape[len(kept):]))


def _from_rows(rows: np.ndarray, shape: Shape, axis: Axis) -> np.ndarray:
    """Undoes `_rows` for an array of `shape`."""
    axes = axes_of(axis, len(shape))
    kept = len(shape) - len(axes)
    moved = rows.reshape(*rows.shape[:kept], *(shape[i] for i in axes))
    return np.moveaxis(moved, range(kept, len(shape)), axes)


# ---------------------------------------------------------------- extrema, medians, norms

def extremum_adjoint(g: Any, out: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """The adjoint of `a` where out is its maximum or minimum: shared equally by all that attain it.

    >>> extremum_adjoint(1.0, 3.0, np.array([3.0, 1.0, 3.0]), None, False)
    array([0.5, 0. , 0.5])
    """
    shape = np.shape(a)
    hit = a == expand_reduced(out, shape, axis, keepdims)
    ties = np.sum(hit, axis=axis, keepdims=keepdims, dtype=np.asarray(out).dtype)
    return expand_reduced(g / np.maximum(ties, 1), shape, axis, keepdims) * hit


def ptp_adjoint(g: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """The adjoint of `a` in np.ptp(a, axis): maximum minus minimum."""
    high = extremum_adjoint(g, np.max(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    return high - extremum_adjoint(g, np.min(a, axis=axis, keepdims=keepdims), a, axis, keepdims)


def median_adjoint(g: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """The adjoint of `a` in np.median(a, axis): to the middle element, or half to each of the middle two."""
    shape = np.shape(a)
    rows = _rows(np.asarray(a), axis)
    n = rows.shape[-1]
    ranks = np.argsort(np.argsort(rows, axis=-1, kind="stable"), axis=-1, kind="stable")
    halves = 0.5 * (ranks == (n - 1) // 2) + 0.5 * (ranks == n // 2)
    return expand_reduced(g, shape, axis, keepdims) * _from_rows(halves.astype(floating(a)), shape, axis)


def count_valid(a: Any, axis: Axis, keepdims: bool) -> Any:
    """How many elements over `axis` are not NaN, and at least 1, in a type that keeps that of `a`."""
    return np.maximum(1, np.sum(~np.isnan(a), axis=axis, keepdims=keepdims, dtype=floating(a)))


def norm_adjoint(g: Any, out: Any, x: Any, ord: Any, axis: Axis, keepdims: bool) -> Any:
    """The adjoint of `x` in out = np.linalg.norm(x, ord, axis, keepdims); 0 where the norm is 0."""
    shape = np.shape(x)
    axes = axes_of(axis, len(shape))
    if len(axes) == 2 and ord not in (None, "fro"):
        return _matrix_norm_adjoint(g, out, np.asarray(x), ord, axes, keepdims)
    if ord in (None, 2, "fro"):
        return expand_reduced(g / one_if_zero(out), shape, axis, keepdims) * x
    if ord in (np.inf, -np.inf):
        return extremum_adjoint(g, out, np.abs(x), axis, keepdims) * np.sign(x)
    if ord == 0 or isinstance(ord, str):
        raise ValueError(f"np.linalg.norm has no derivative here for ord={ord!r}: use None, 1, 2, another power or inf")
    scale = expand_reduced(g / one_if_zero(out) ** (ord - 1), shape, axis, keepdims)
    return scale * np.where(x == 0, 0, np.abs(one_if_zero(x)) ** (ord - 1)) * np.sign(x)


def _matrix_norm_adjoint(g: Any, out: Any, x: np.ndarray, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """For the spectral norm (2), and the largest or smallest sum of magnitudes by columns (1) or rows (inf)."""
    g = g if keepdims else np.expand_dims(g, axes)
    if ord == 2:
        u, _, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        return g * np.moveaxis(u[..., :, :1] @ vh[..., :1, :], (-2, -1), axes)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"np.linalg.norm of a matrix has no derivative here for ord={ord!r}: use None, 1, 2 or inf")
    along, across = axes if abs(ord) == 1 else axes[::-1]
    sums = np.sum(np.abs(x), axis=along, keepdims=True)
    out = out if keepdims else np.expand_dims(out, axes)
    return extremum_adjoint(g, out, sums, across, True) * np.sign(x)


# ---------------------------------------------------------------- weighted means

def average_a(g: Any, shape: Shape, axis: Axis, weights: Any, keepdims: bool) -> Any:
    """The adjoint of an array of `shape` in np.average(a, axis, weights, keepdims=keepdims)."""
    if weights is None:
        return expand_reduced(g / reduced_size(shape, axis), shape, axis, keepdims)
    w = _weights(weights, shape, axis)
    return expand_reduced(g, shape, axis, keepdims) * (w / np.sum(w, axis=axis, keepdims=True))


def average_weights(g: Any, out: Any, a: Any, axis: Axis, weights: Any, keepdims: bool) -> Any:
    """The adjoint of the weights in out = np.average(a, axis, weights, keepdims=keepdims)."""
    shape = np.shape(a)
    w = _weights(weights, shape, axis)
    away = a - expand_reduced(out, shape, axis, keepdims)
    bar = expand_reduced(g, shape, axis, keepdims) * (away / np.sum(w, axis=axis, keepdims=True))
    if np.shape(weights) == shape:
        return bar
    axes = axes_of(axis, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in axes)
    return np.transpose(np.sum(bar, axis=others), np.argsort(np.argsort(axes)))


def _weights(weights: Any, shape: Shape, axis: Axis) -> np.ndarray:
    """The weights repeated over an array of `shape`; those of a part of the axes are given in the order of `axis`."""
    if np.shape(weights) != shape:
        axes = axes_of(axis, len(shape))
        others = tuple(i for i in range(len(shape)) if i not in axes)
        weights = np.expand_dims(np.transpose(weights, np.argsort(axes)), others)
    return np.broadcast_to(weights, shape)


# ---------------------------------------------------------------- sums and differences along an axis

def cumsum_adjoint(g: Any, shape: Shape, axis: int | None) -> Any:
    """The adjoint of an array of `shape` in np.cumsum(a, axis)."""
    if axis is None:
        return np.reshape(np.cumsum(g[::-1])[::-1], shape)
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)


def diff_adjoint(g: Any, shape: Shape, n: int, axis: int) -> Any:
    """The adjoint of an array of `shape` in np.diff(a, n, axis).

    >>> diff_adjoint(np.array([1.0, 1.0]), (3,), 1, -1)
    array([-1.,  0.,  1.])
    """
    if shape[axis] <= n:
        return np.zeros(shape, g.dtype)
    zero = g.dtype.type(0)
    for _ in range(n):
        g = np.diff(-g, axis=axis, prepend=zero, append=zero)
    return g


def trapezoid_y(g: Any, shape: Shape, x: Any, dx: Any, axis: int) -> Any:
    """The adjoint of samples of `shape` in np.trapezoid(y, x, dx, axis)."""
    steps = dx if x is None else np.diff(_along(x, len(shape), axis), axis=axis)
    intervals = list(shape)
    intervals[axis] = max(0, shape[axis] - 1)
    half = np.broadcast_to(np.expand_dims(g, axis) * (0.5 * steps), intervals)
    return _ends_sum(half, axis, 1.0)


def trapezoid_dx(g: Any, y: Any, axis: int) -> Any:
    """The adjoint of the step in np.trapezoid(y, dx=dx, axis=axis)."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    return np.sum(g * np.sum(0.5 * (y[..., 1:] + y[..., :-1]), axis=-1))


def trapezoid_x(g: Any, y: Any, shape: Shape, axis: int) -> Any:
    """The adjoint of positions of `shape` in np.trapezoid(y, x, axis=axis)."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    half = np.expand_dims(g, -1) * (0.5 * (y[..., 1:] + y[..., :-1]))
    bar = _ends_sum(half, -1, -1.0)
    return unbroadcast(bar, shape) if len(shape) == 1 else unbroadcast(np.moveaxis(bar, -1, axis), shape)


def _along(x: Any, ndim: int, axis: int) -> np.ndarray:
    """Positions along `axis`, to broadcast against samples of `ndim` dimensions."""
    if np.ndim(x) != 1:
        return np.asarray(x)
    return np.expand_dims(x, tuple(i for i in range(ndim) if i != axis % ndim))


def _ends_sum(intervals: np.ndarray, axis: int, sign: float) -> np.ndarray:
    """What intervals give to their right ends, and `sign` times what they give to their left ends."""
    moved = np.moveaxis(intervals, axis, -1)
    ends = np.zeros((*moved.shape[:-1], moved.shape[-1] + 1), moved.dtype)
    ends[..., 1:] += moved
    ends[..., :-1] += sign * moved
    return np.moveaxis(ends, -1, axis)
