"""Joining tensors, and what is made of several."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.axes import axis, numpy_names
from srcgrad.eager.dtypes import result_dtype
from srcgrad.eager.op import Op, record
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import function, plain
from srcgrad.eager.tensor import Tensor, wrap

_cat, _stack = Op("CatBackward0", np.concatenate), Op("StackBackward0", np.stack)


def _same_type(tensors: Any) -> list[Tensor]:
    """The tensors in one type, cast (and recorded) where they aren't."""
    found = [t if isinstance(t, Tensor) else wrap(np.asarray(t)) for t in tensors]
    dtype = result_dtype(*(t._a.reshape(-1) for t in found))
    return [t if t._a.dtype == dtype else t.to(dtype) for t in found]


@plain
@numpy_names
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along a dimension."""
    if isinstance(tensors, Tensor):
        raise TypeError("cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if not len(tensors):
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    found = _same_type(tensors)
    found = [t for t in found if t._a.shape != (0,)] or found[:1]
    first = found[0]._a
    if not first.ndim:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    d = axis(dim, first.ndim)
    for k, t in enumerate(found):
        if t._a.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {t._a.ndim}")
        wrong = [i for i in range(first.ndim) if i != d and t._a.shape[i] != first.shape[i]]
        if wrong:
            raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size "
                               f"{first.shape[wrong[0]]} but got size {t._a.shape[wrong[0]]} for tensor number {k} in "
                               "the list.")
    return record(_cat, np.concatenate([t._a for t in found], d), (found, d))


for _name in ("concat", "concatenate"):
    function(cat, _name, methods=False)


@plain
@numpy_names
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension."""
    if not len(tensors):
        raise RuntimeError("stack expects a non-empty TensorList")
    found = _same_type(tensors)
    shape = found[0]._a.shape
    for k, t in enumerate(found):
        if t._a.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                               f"{list(t._a.shape)} at entry {k}")
    d = axis(dim, len(shape), 1)
    return record(_stack, np.stack([t._a for t in found], d), (found, d))


def _raised(tensors: Any, ndim: int) -> list[Tensor]:
    return [t.reshape(*(1,) * (ndim - t._a.ndim), *t._a.shape) for t in tensors]


@plain
def vstack(tensors: Any) -> Tensor:
    """Joined as rows."""
    return cat(_raised(tensors, 2), 0)


@plain
def hstack(tensors: Any) -> Tensor:
    """Joined as columns; vectors end to end."""
    found = _raised(tensors, 1)
    return cat(found, 0 if found[0]._a.ndim == 1 else 1)


@plain
def column_stack(tensors: Any) -> Tensor:
    """Vectors joined as columns."""
    return cat([t.reshape(-1, 1) if t._a.ndim < 2 else t for t in tensors], 1)


@plain
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Grids of coordinates."""
    found = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    swap = indexing == "xy" and len(found) > 1
    if swap:
        found[:2] = found[1::-1]
    shape = [t.numel() for t in found]
    grids = [t.reshape([-1 if i == k else 1 for i in range(len(found))]).expand(shape) for k, t in enumerate(found)]
    if swap:
        grids[:2] = grids[1::-1]
        grids = [g.transpose(0, 1) for g in grids]
    return tuple(grids)


@plain
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors expanded to one shape."""
    shape = np.broadcast_shapes(*(t._a.shape for t in tensors))
    return tuple(t.expand(shape) for t in tensors)


@plain
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations, one in a row."""
    return stack([g.reshape(-1) for g in meshgrid(*tensors)], 1)


@plain
def result_type(a: Any, b: Any) -> Any:
    """The type of the result of an operation on both."""
    from srcgrad.eager.dtypes import as_dtype
    return as_dtype(result_dtype(a, b))


TORCH[np.concatenate] = lambda arrays, axis=0: cat([t if isinstance(t, Tensor) else wrap(t) for t in arrays], axis)
TORCH[np.stack] = lambda arrays, axis=0: stack([t if isinstance(t, Tensor) else wrap(t) for t in arrays], axis)

__all__ = ["cat", "stack"]
