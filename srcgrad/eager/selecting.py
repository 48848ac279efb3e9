"""Elements that a tensor of numbers or a mask names."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.pointwise import shape_error
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime.layout import getitem_adjoint

__all__ = ["along", "common_shape", "in_bounds", "larger_elsewhere"]


def in_bounds(index: np.ndarray, shape: tuple[int, ...], d: int, error: type[Exception], text: str = "") -> None:
    """Raises unless all are numbers from 0 up to the size of the dimension."""
    size = shape[d] if shape else 1
    wrong = index[(index >= size) | (index < 0)]
    if wrong.size:
        raise error(text or f"index {wrong.flat[0]} is out of bounds for dimension {d} with size {size}")


def larger_elsewhere(index: np.ndarray, a: np.ndarray, d: int) -> None:
    """Raises if the index is larger than the array in any other dimension."""
    for k, (n, m) in enumerate(zip(index.shape, a.shape)):
        if k != d and n > m:
            raise RuntimeError(f"Size does not match at dimension {k} expected index {list(index.shape)} to be no "
                               f"larger than self {list(a.shape)} apart from dimension {d}")


def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that these broadcast to."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise shape_error(*shapes) from None


_take, _index_select = Op("TakeBackward0", np.take), Op("IndexSelectBackward0", np.take)


@operation("GatherBackward0")
def _gather(out_bar: Any, out: Any, a: Any, index: Any, axis: Any) -> Any:
    a_bar = getitem_adjoint(out_bar, np.shape(a), index)
    return a_bar


def along(index: np.ndarray, shape: tuple[int, ...], d: int) -> tuple[np.ndarray, ...]:
    """The full index of elements that `index` names along a dimension."""
    places: list[Any] = list(np.indices(index.shape, sparse=True))
    places[d] = index
    return tuple(np.broadcast_to(p, index.shape) for p in places)


@function
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Elements that `index` names along a dimension."""
    d = axis(dim, input._a.ndim)
    if index._a.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if index._a.ndim != input._a.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    larger_elsewhere(index._a, input._a, d)
    in_bounds(index._a, input._a.shape, d, RuntimeError)
    where = along(index._a, input._a.shape, d)
    return record(_gather, input._a[where], (input, where, d))


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Elements that `indices` names along a dimension, or of all."""
    return take(input, indices) if dim is None else gather(input, dim, indices)


@function
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices that `index` names."""
    d = axis(dim, input._a.ndim)
    if index._a.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._a.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if input._a.ndim:
        in_bounds(index._a, input._a.shape, d, IndexError, "index out of range in self")
    return record(_index_select, np.take(input._a, np.atleast_1d(index._a), d), (
        input, np.atleast_1d(index._a).copy(), d))


@function
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements of the flattened tensor."""
    n = input._a.size
    wrong = index._a[(index._a >= n) | (index._a < -n)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong.flat[0]} on a tensor of {n} elements.")
    return record(_take, np.take(input._a, index._a), (input, index._a.copy(), None))


@function
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds."""
    x = input
    if mask._a.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = common_shape(x._a.shape, mask._a.shape)
    x = x if x._a.shape == shape else x.expand(shape)
    where = (np.broadcast_to(mask._a, shape).copy(),)
    return record(_masked_select, x._a[where], (x, where))


_masked_select = Op("MaskedSelectBackward0", operator.getitem)


@operation("MaskedFillBackward0", elementwise=True)
def _masked_fill(out_bar: Any, out: Any, a: Any, mask: Any, value: Any) -> Any:
    a_bar = np.where(mask, 0.0, out_bar)
    value_bar = np.where(mask, out_bar, 0.0)
    return a_bar, value_bar


@function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """With `value` where the mask holds."""
    if mask._a.dtype != bool:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    common_shape(input._a.shape, mask._a.shape)
    filled = np.where(mask._a, np.asarray(getattr(value, "_a", value)).astype(input._a.dtype), input._a)
    return record(_masked_fill, filled, (input, mask, value))


def _numpy_take(a: Tensor, indices: Any, axis: int | None = None) -> Tensor:
    places = indices._a.copy() if isinstance(indices, Tensor) else indices
    return record(_take if axis is None else _index_select, np.take(a._a, places, axis), (a, places, axis))


TORCH[np.take] = _numpy_take
