"""Losses between distributions over classes."""
from __future__ import annotations

import warnings

import numpy as np

from srcgrad.eager.nn.functional_losses import check_reduction, reduce
from srcgrad.eager.nn.ops import losses as ops
from srcgrad.eager.nn.ops.apply import apply, fixed
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
             reduction: str = "mean") -> Tensor:
    """`-input[target]` for logarithms of probabilities (batch, classes, ...), or (classes,), and numbers of classes.

    The mean is weighted by the classes' weights; targets that are `ignore_index` don't count.
    """
    check_reduction(reduction)
    fixed("nll_loss_forward", weight=weight)
    _check_classes(input, target, weight)
    axis = 0 if input.dim() == 1 else 1
    numbers = target._a.reshape(()) if input.dim() == 1 else target._a
    classes, weights = _weights(numbers, input._a.shape[axis], weight, ignore_index)
    weights = weights.astype(input._a.dtype)
    total = None if reduction == "none" else 1 if reduction == "sum" else np.sum(weights)
    return apply(ops.nll_2d if input.dim() > 2 else ops.nll, input, classes, weights, axis, total)


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    _check_target(tuple(input.shape), tuple(target.shape))
    if input._a.dtype.kind != "f":
        raise NotImplementedError(f"\"nll_loss_out_frame\" not implemented for '{input.dtype.legacy}'")
    if target._a.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.legacy}")
    if weight is None:
        return
    classes = input.shape[0 if input.dim() == 1 else 1]
    if tuple(weight.shape) != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                           f"weight tensor of shape: {list(weight.shape)}")
    if weight._a.dtype != input._a.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.legacy} but found {weight.dtype.legacy}")


def _check_target(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Refuses a target whose shape isn't the input's without the classes."""
    if len(shape) == 0:
        raise ValueError(f"Expected 1 or more dimensions (got {len(shape)})")
    if len(shape) == 1 and wanted not in ((), (1,)):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {wanted[0]}")
    if len(shape) > 1 and wanted[:1] != shape[:1]:
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size "
                         f"({wanted[0] if wanted else 0}).")
    if len(shape) == 2 and len(wanted) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape) > 2 and wanted != shape[:1] + shape[2:]:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(wanted)}")


def _weights(target: np.ndarray, classes: int, weight: Tensor | None,
             ignore_index: int) -> tuple[np.ndarray, np.ndarray]:
    """The class of each target (0 where it is ignored), and its weight (0 where it is ignored)."""
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= classes))
    if np.any(wrong):
        raise IndexError(f"Target {target[wrong].flat[0]} is out of bounds.")
    chosen = np.where(counts, target, 0)
    return chosen, counts * (np.ones((), np.float32) if weight is None else weight._a[chosen])


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100,
                  reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The negative logarithm of the target's probability for scores (batch, classes, ...), or (classes,).

    Targets are numbers of classes, or probabilities of the input's shape.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(2, 4), torch.tensor([1, 3]))
    tensor(1.3863)
    """
    check_reduction(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    axis = 0 if input.dim() == 1 else 1
    logs = input.log_softmax(axis)
    if target._a.shape == input._a.shape and input.dim() > 1:
        if target._a.dtype.kind != "f":
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{target.dtype.legacy}")
        return _by_probabilities(logs, target, weight, reduction, label_smoothing, axis)
    if label_smoothing == 0.0:
        return nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    return _smoothed(logs, target, weight, ignore_index, reduction, label_smoothing, axis)


def _by_probabilities(logs: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float,
                      axis: int) -> Tensor:
    if smoothing > 0.0:
        target = target * (1 - smoothing) + smoothing / logs.shape[axis]
    terms = logs * target if weight is None else logs * target * _lined(weight, logs, axis)
    if reduction == "none":
        return -terms.sum(axis)
    batch = logs.numel() // logs.shape[axis]
    return -terms.sum() / batch if reduction == "mean" else -terms.sum()


def _smoothed(logs: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str,
              smoothing: float, axis: int) -> Tensor:
    """Part of the loss is that of the uniform distribution."""
    hard = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    _, counted = _weights(target._a, logs.shape[axis], weight, ignore_index)
    uniform = -(logs if weight is None else logs * _lined(weight, logs, axis)).sum(axis)
    uniform = uniform.masked_fill(wrap(target._a == ignore_index), 0.0)
    if reduction == "mean":
        uniform = uniform.sum() / float(np.sum(counted))
    elif reduction == "sum":
        uniform = uniform.sum()
    return hard * (1 - smoothing) + uniform * (smoothing / logs.shape[axis])


def _lined(weight: Tensor, logs: Tensor, axis: int) -> Tensor:
    return weight.reshape(-1, *(1,) * (logs.dim() - axis - 1))




def kl_div(input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """`target * (log(target) - input)`: the divergence of a distribution from one that is given by logarithms.

    `"batchmean"` is the sum over the size of the batch; the terms of a target 0 are 0.
    """
    if input._a.dtype.kind in "iub" or target._a.dtype.kind in "iub":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = target.xlogy(target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0] if input.dim() else losses.sum()
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                      "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                      stacklevel=2)
    return reduce(losses, reduction)
