"""Rows of tables, by number: embeddings, bags of them, and classes as rows of zeros and a one."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.joining import stack
from srcgrad.eager.nn.ops import places
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import bump, wrap


def padding_row(padding_idx: int | None, count: int) -> int | None:
    """The number of the row that stays as it is, counted from 0."""
    if padding_idx is None:
        return None
    if not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % count


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Rows of `weight`, by number; the row of `padding_idx` gets no gradient.

    With `max_norm`, rows that are used are first shortened in place to that norm.
    """
    if scale_grad_by_freq or sparse:
        raise NotImplementedError("embedding(): scale_grad_by_freq and sparse aren't there: gradients are dense")
    numbers = input._a
    if numbers.dtype.kind not in "iu":
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got torch.{input.dtype.legacy}Tensor instead (while checking arguments for "
                           "embedding)")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= weight.shape[0]):
        raise IndexError("index out of range in self")
    if max_norm is not None and numbers.size:
        _shorten(weight, np.unique(numbers), max_norm, norm_type)
    return apply(places.embedding, weight, numbers, padding_row(padding_idx, weight.shape[0]))


def _shorten(weight: Tensor, rows: np.ndarray, most: float, order: float) -> None:
    """Scales rows down to the norm `most`, in place."""
    chosen = weight._a[rows]
    size = np.linalg.norm(chosen, order, axis=1, keepdims=True)
    weight._a[rows] = np.where(size > most, chosen * (most / (size + 1e-7)), chosen)
    bump(weight)


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
                  norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of rows of `weight`: of each row of numbers, or of those from one offset to the next."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}').")
    ends = _bags(input, offsets, include_last_offset)
    flat = input.reshape(-1)
    rows: Any = embedding(flat, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    used = np.ones(flat._a.shape, bool) if padding_idx is None else flat._a != padding_row(padding_idx, len(weight))
    bag = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    if mode == "max":
        return _greatest(rows, [np.flatnonzero(used & (bag == k)) for k in range(len(ends) - 1)])
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    kept = np.flatnonzero(used)
    sums: Any = wrap(np.zeros((len(ends) - 1, weight.shape[1]), weight._a.dtype))
    sums = sums.index_add(0, wrap(bag[kept]), rows if used.all() else rows[wrap(kept)])
    if mode == "sum":
        return sums
    counts = np.maximum(np.bincount(bag[kept], minlength=len(ends) - 1), 1)
    return sums / wrap(counts.astype(weight._a.dtype)[:, None])


def _bags(input: Tensor, offsets: Tensor | None, include_last: bool) -> np.ndarray:
    """Where the bags begin, and the end of the last."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("If input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             f"fixed length sequences. However, found offsets of type {type(offsets)}")
        return np.arange(0, input.numel() + 1, max(1, input.shape[1]))
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    return offsets._a if include_last else np.append(offsets._a, input.numel())


def _greatest(rows: Any, bags: list[np.ndarray]) -> Tensor:
    """The greatest element of each column in each bag; zeros of none."""
    return stack([rows[wrap(bag)].max(0)[0] if len(bag) else rows.new_zeros(rows.shape[1]) for bag in bags])


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last axis, with 1 at the class and 0 elsewhere.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    classes = tensor._a
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if classes.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(classes.max()) + 1 if num_classes == -1 else num_classes
    if classes.size and classes.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((classes[..., None] == np.arange(count)).astype(np.int64))
