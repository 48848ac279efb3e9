"""How the runtime's helpers run on tensors, so that derivatives can be differentiated again.

Most are made of NumPy's functions, which tensors answer.  Those that write into buffers have rules here, in the form
of all rules; those that only choose have derivative zero.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.op import operation
from srcgrad.eager.protocols import HELPERS, constant, helper
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime import arrays, decompositions, layout, products, reductions
from srcgrad.runtime.arrays import expand_reduced
from srcgrad.runtime.reductions import prod_adjoint

for _chooser in (arrays.larger_share, arrays.chosen_share, arrays.within, arrays.clipped_below, arrays.clipped_above,
                 reductions.count_valid):
    constant(_chooser)


# ---------------------------------------------------------------- taking and putting

@operation("IndexPutBackward0", layout.getitem_adjoint)
def _getitem(out_bar: Any, out: Any, g: Any, shape: Any, index: Any) -> Any:
    g_bar = out_bar[index]
    return g_bar


@operation("IndexAddBackward0", layout.take_adjoint)
def _take(out_bar: Any, out: Any, g: Any, shape: Any, indices: Any, axis: Any) -> Any:
    g_bar = np.take(out_bar, indices, axis)
    return g_bar


@operation("ScatterAddBackward0", layout.take_along_axis_adjoint)
def _take_along(out_bar: Any, out: Any, g: Any, shape: Any, indices: Any, axis: Any) -> Any:
    g_bar = np.take_along_axis(out_bar, indices, axis)
    return g_bar


@operation("IndexAddBackward0", layout.compress_adjoint)
def _compress(out_bar: Any, out: Any, g: Any, shape: Any, condition: Any, axis: Any) -> Any:
    g_bar = np.take(out_bar, np.flatnonzero(condition), axis)
    return g_bar


@operation("DiagonalScatterBackward0", layout.diagonal_adjoint)
def _diagonal(out_bar: Any, out: Any, g: Any, shape: Any, offset: Any, axis1: Any, axis2: Any) -> Any:
    g_bar = np.diagonal(out_bar, offset, axis1, axis2)
    return g_bar


@operation("DiagBackward0", layout.diag_adjoint)
def _diag(out_bar: Any, out: Any, g: Any, shape: Any, k: Any) -> Any:
    g_bar = np.diag(out_bar, k)
    return g_bar


@operation("TraceBackward0", layout.trace_adjoint)
def _trace(out_bar: Any, out: Any, g: Any, shape: Any, offset: Any, axis1: Any, axis2: Any) -> Any:
    g_bar = np.trace(out_bar, offset, axis1, axis2)
    return g_bar


@operation("RepeatBackward0", layout.repeat_adjoint)
def _repeat(out_bar: Any, out: Any, g: Any, shape: Any, repeats: Any, axis: Any) -> Any:
    g_bar = np.repeat(out_bar, repeats, axis)
    return g_bar


@operation("PadBackward0", layout.pad_adjoint)
def _pad(out_bar: Any, out: Any, g: Any, shape: Any, pad_width: Any, mode: Any) -> Any:
    g_bar = np.pad(out_bar, pad_width, mode)
    return g_bar


@operation("SortBackward0", layout.sort_adjoint)
def _sort(out_bar: Any, out: Any, g: Any, a: Any, axis: Any) -> Any:
    g_bar = np.take_along_axis(out_bar, np.argsort(a, axis, kind="stable"), axis)
    return g_bar


@operation("ConvolutionBackward0", products.convolve_adjoint)
def _convolve(out_bar: Any, out: Any, g: Any, other: Any, n: Any, mode: Any) -> Any:
    g_bar = np.convolve(out_bar, other, mode)
    return g_bar


for _op in (_getitem, _take, _take_along, _compress, _diagonal, _diag, _trace, _repeat, _pad, _sort, _convolve):
    helper(_op.primal, _op)


# ---------------------------------------------------------------- shared by those that attain an extremum

@operation("EvenlyDistributeBackward0", reductions.extremum_adjoint)
def _extremum(out_bar: Any, out: Any, g: Any, value: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    hits = np.equal(a, expand_reduced(value, np.shape(a), axis, keepdims))
    ties = np.sum(hits, axis=axis, keepdims=keepdims)
    g_bar = np.sum(np.where(hits, out_bar, 0.0), axis=axis, keepdims=keepdims) / np.maximum(ties, 1)
    return g_bar


@operation("MedianBackward0", reductions.median_adjoint)
def _median(out_bar: Any, out: Any, g: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    shares = median_shares(a, axis, keepdims)
    g_bar = np.sum(out_bar * shares, axis=axis, keepdims=keepdims)
    return g_bar


def median_shares(a: Any, axis: Any, keepdims: bool) -> Any:
    """How much of the median each element is."""
    plain = a._a if isinstance(a, Tensor) else a
    one = np.ones_like(np.median(plain, axis=axis, keepdims=keepdims)).astype(plain.dtype)
    return reductions.median_adjoint(one, plain, axis, keepdims)


for _op in (_extremum, _median):
    helper(_op.primal, _op)


# ---------------------------------------------------------------- written again with differentiable operations

def _power_exponent(out: Any, x1: Any) -> Any:
    safe = np.where((x1 == 0) & np.isfinite(out), 1, x1)
    return out * np.log(safe)


def _prod(g: Any, out: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """Products of all other elements, which are differentiable also at zeros."""
    if bool(np.all(a._a if isinstance(a, Tensor) else a)):
        return prod_adjoint(g, out, a, axis, keepdims)
    shape = np.shape(a)
    over = arrays.axes_of(axis, len(shape))
    kept = [i for i in range(len(shape)) if i not in over]
    rows = np.reshape(np.transpose(a, (*kept, *over)), (*(shape[i] for i in kept), -1))
    n = np.shape(rows)[-1]
    others = [np.prod(np.concatenate([rows[..., :i], rows[..., i + 1:]], -1), axis=-1) for i in range(n)]
    full = np.reshape(np.stack(others, -1), [shape[i] for i in (*kept, *over)])
    return expand_reduced(g, shape, axis, keepdims) * np.transpose(full, np.argsort((*kept, *over)).tolist())


def _cumprod(g: Any, a: Any, axis: int) -> Any:
    n = np.shape(a)[axis]
    moved, bars = np.moveaxis(a, axis, 0), np.moveaxis(g, axis, 0)
    terms = []
    for i in range(n):
        before = np.prod(moved[:i], axis=0) if i else 1.0
        later = bars[i]
        for k in range(i + 1, n):
            later = later + bars[k] * np.prod(moved[i + 1:k + 1], axis=0)
        terms.append(later * before)
    return np.moveaxis(np.stack(terms, 0), 0, axis)


def _cofactors(a: Any) -> Any:
    return np.expand_dims(np.linalg.det(a), (-2, -1)) * np.swapaxes(np.linalg.inv(a), -1, -2)


HELPERS.update({arrays.power_exponent_partial: _power_exponent, reductions.prod_adjoint: _prod,
                reductions.cumprod_adjoint: _cumprod, decompositions.cofactors: _cofactors})

