"""Elements in another order, and diagonals and triangles of matrices."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.axes import axes, axis
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.shaping import given_sizes, sizes_of
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor
from srcgrad.eager.views import view_of

_flip, _roll, _rot90 = Op("FlipBackward0", np.flip), Op("RollBackward0", np.roll), Op("Rot90Backward0", np.rot90)
_tril, _triu = Op("TrilBackward0", np.tril), Op("TriuBackward0", np.triu)
_diagonal, _trace, _diag = Op("DiagonalBackward0", np.diagonal), Op("TraceBackward0", np.trace), Op(
    "DiagEmbedBackward0", np.diag)
_diag_of = Op("DiagonalBackward0", np.diag)


@function
def flip(input: Tensor, *dims: Any, **words: Any) -> Tensor:
    """The order along dimensions reversed."""
    over = axes(sizes_of(given_sizes("flip", dims, words, "dims")), input._a.ndim) or ()
    return record(_flip, np.flip(input._a, over).copy(), (input, over))


@function
def fliplr(input: Tensor) -> Tensor:
    """Columns in reverse."""
    return flip(input, 1)


@function
def flipud(input: Tensor) -> Tensor:
    """Rows in reverse."""
    return flip(input, 0)


@function
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements moved along dimensions, round the end."""
    if dims is not None and np.size(shifts) != np.size(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {np.size(shifts)}, dims:{np.size(dims)}")
    shifts = tuple(shifts) if isinstance(shifts, (tuple, list)) else shifts
    over = tuple(dims) if isinstance(dims, (tuple, list)) else dims
    return record(_roll, np.roll(input._a, shifts, over), (input, shifts, over))


@function
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by right angles."""
    return record(_rot90, np.rot90(input._a, k, tuple(dims)).copy(), (input, k, tuple(dims)))


@function
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle."""
    return record(_tril, np.tril(input._a, diagonal), (input, diagonal))


@function
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle."""
    return record(_triu, np.triu(input._a, diagonal), (input, diagonal))


@function
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal, as a view."""
    n = input._a.ndim
    i, j = axis(dim1, n), axis(dim2, n)
    if i == j:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    out = np.diagonal(input._a, offset, i, j)
    out.flags.writeable = input._a.flags.writeable
    return view_of(_diagonal, out, (input, offset, i, j), diagonal, offset, i, j)


@function
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with this diagonal, or the diagonal of a matrix."""
    if input._a.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._a.ndim}D")
    op = _diag if input._a.ndim == 1 else _diag_of
    return record(op, np.diag(input._a, diagonal).copy(), (input, diagonal))


@function
def diag_embed(input: Tensor, offset: int = 0) -> Tensor:
    """Matrices with these diagonals."""
    a = input._a
    n = a.shape[-1] + abs(offset)
    out = np.zeros((*a.shape[:-1], n, n), a.dtype)
    steps = np.arange(a.shape[-1])
    out[..., steps + max(0, -offset), steps + max(0, offset)] = a
    return record(_diag_embed, out, (input, offset))


@operation("DiagEmbedBackward0")
def _diag_embed(out_bar: Any, out: Any, a: Any, offset: Any) -> Any:
    a_bar = np.diagonal(out_bar, offset, -2, -1)
    return a_bar


@function
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal."""
    if input._a.ndim != 2:
        raise RuntimeError("trace: expected a matrix")
    return record(_trace, np.trace(input._a), (input, 0, 0, 1))


def _numpy_flip(m: Any, axis: Any = None) -> Tensor:
    return flip(m, tuple(range(m.dim())) if axis is None else axis)


TORCH.update({np.flip: _numpy_flip, np.tril: tril, np.triu: triu})

__all__ = ["diag", "diagonal", "flip"]
