"""Losses between an input and a target of the same shape."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.eager.nn.ops import losses as ops
from srcgrad.eager.nn.ops.apply import apply, fixed
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap


def check_reduction(reduction: str) -> None:
    """Refuses what no loss knows."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def reduce(loss: Tensor, reduction: str) -> Tensor:
    """The losses themselves, their mean or their sum."""
    check_reduction(reduction)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def _together(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both broadcast to one shape; with a warning, since that is rarely meant."""
    if target._a.dtype.kind in "iub" and input._a.dtype.kind == "f":
        target = wrap(target._a.astype(input._a.dtype))
    if input._a.shape == target._a.shape:
        return input, target
    warnings.warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This "
                  "will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
                  stacklevel=3)
    shape = _broadcast(input, target)
    return input.expand(shape), target.expand(shape)


def _broadcast(input: Tensor, target: Tensor) -> tuple[int, ...]:
    a, b = input.shape, target.shape
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            raise RuntimeError(f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at "
                               f"non-singleton dimension {max(len(a), len(b)) - back}")
    return np.broadcast_shapes(tuple(a), tuple(b))


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The squared distance."""
    check_reduction(reduction)
    input, target = _together(input, target)
    if weight is None:
        return apply(ops.mse, input, target, reduction)
    if weight._a.shape != input._a.shape:
        raise ValueError("Weights and input must have the same size.")
    losses = apply(ops.mse, input, target, "none") * weight
    return losses.sum() / weight.sum() if reduction == "mean" else reduce(losses, reduction)


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """The distance."""
    check_reduction(reduction)
    input, target = _together(input, target)
    return reduce((input - target).abs(), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Quadratic within `beta`, linear beyond, divided by `beta`."""
    check_reduction(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    input, target = _together(input, target)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return apply(ops.smooth_l1, input, target, reduction, beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Quadratic within `delta`, linear beyond."""
    check_reduction(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = _together(input, target)
    return apply(ops.huber, input, target, reduction, delta)


def soft_margin_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """`log(1 + exp(-target * input))`, for targets 1 and -1."""
    check_reduction(reduction)
    fixed("soft_margin_loss", target=target)
    return apply(ops.soft_margin, input, target, reduction)


# ---------------------------------------------------------------- binary cross entropy

def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, *,
                         reduction: str = "mean") -> Tensor:
    """The cross entropy of probabilities and targets in [0, 1]; logarithms are cut at -100."""
    check_reduction(reduction)
    fixed("binary_cross_entropy", weight=weight)
    if input._a.shape != target._a.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) "
                         "is deprecated. Please ensure they have the same size.")
    if input._a.dtype != target._a.dtype:
        raise RuntimeError(f"Found dtype {target.dtype.legacy} but expected {input.dtype.legacy}")
    if np.any((input._a < 0) | (input._a > 1)):
        raise RuntimeError("all elements of input should be between 0 and 1")
    return apply(ops.bce, input, target, _frozen(weight, input), reduction)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, *,
                                     reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:
    """The cross entropy of scores and targets in [0, 1], safe for large scores.

    `pos_weight` weighs what the target has of class 1.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.zeros(3), torch.ones(3))
    tensor(0.6931)
    """
    check_reduction(reduction)
    fixed("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if input._a.shape != target._a.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if target._a.dtype.kind in "iub":
        raise RuntimeError(f"result type {input.dtype.legacy} can't be cast to the desired output type "
                           f"{target.dtype.legacy}")
    return apply(ops.bce_logits, input, target, _frozen(weight, input), _frozen(pos_weight, input), reduction)


def _frozen(weight: Tensor | None, input: Tensor) -> Any:
    """A weight as an array of the input's shape, or None; losses have no derivative by their weights."""
    return None if weight is None else np.broadcast_to(weight._a, input._a.shape)
