"""Losses that ask for a margin between classes, or for each of several labels; all compositions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.nn.functional_activations import logsigmoid
from srcgrad.eager.nn.functional_distances import pairwise_distance
from srcgrad.eager.nn.functional_losses import reduce
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, *,
                      reduction: str = "mean") -> Tensor:
    """The mean over classes of `max(0, margin - input[target] + input) ** p`, without the target itself."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if input.dim() == 1:
        return multi_margin_loss(input.unsqueeze(0), target.unsqueeze(0), p, margin, weight,
                                 reduction="mean" if reduction == "none" else reduction)
    classes = target._a[:, None]
    own: Any = input.gather(1, wrap(classes))
    over: Any = (input - own + margin).clamp(min=0) ** p
    if weight is not None:
        over = over * weight[target].unsqueeze(1)
    others = wrap((np.arange(input.shape[1]) != classes).astype(input._a.dtype))
    return reduce((over * others).sum(1) / input.shape[1], reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """`max(0, 1 - input[label] + input)` over all labels and all that are none; labels end at the first -1."""
    if input.dim() == 1:
        return multilabel_margin_loss(input.unsqueeze(0), target.unsqueeze(0),
                                      reduction="mean" if reduction == "none" else reduction)
    listed = np.cumprod(target._a >= 0, axis=1).astype(bool)
    labels = np.where(listed, target._a, 0)
    rows = np.broadcast_to(np.arange(len(labels))[:, None], labels.shape)
    is_label = np.zeros(input._a.shape, bool)
    is_label[rows[listed], labels[listed]] = True
    pairs = wrap((listed[:, :, None] & ~is_label[:, None, :]).astype(input._a.dtype))
    own: Any = input.gather(1, wrap(labels))
    over: Any = (1 - own.unsqueeze(2) + input.unsqueeze(1)).clamp(min=0)
    return reduce((over * pairs).sum((1, 2)) / input.shape[1], reduction)


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, *,
                                reduction: str = "mean") -> Tensor:
    """The mean over classes of the cross entropy of each label with the input's sigmoid."""
    losses: Any = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    return reduce((losses if weight is None else losses * weight).mean(-1), reduction)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function: Callable[..., Any] | None = None, margin: float = 1.0,
                                      swap: bool = False, reduction: str = "mean") -> Tensor:
    """`max(0, distance to positive - distance to negative + margin)`, for any distance."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduce((margin + near - far).clamp(min=0), reduction)
