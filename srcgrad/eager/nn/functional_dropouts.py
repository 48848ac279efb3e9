"""Dropout of whole channels, and of the kind that keeps mean and variance; choices by chance."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.drawing import numbers
from srcgrad.eager.nn.functional_activations import placed
from srcgrad.eager.nn.functional_layers import check_probability
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap

_FLOOR = -1.7580993408473766        # what SELU tends to for small inputs


def _channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    check_probability(p)
    if not training or p == 0:
        return input
    shape = (*input.shape[:2], *(1,) * (input.dim() - 2))
    mask = wrap(((numbers(None).random(shape) >= p) / (1 - p if p < 1 else 1)).astype(input._a.dtype))
    return input.mul_(mask) if inplace else input * mask


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (batch, channels, length); in training only."""
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
                           "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a "
                           "channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).")
    if input.dim() == 2:
        return _channels(input.unsqueeze(0), p, training, False).squeeze(0)
    return _channels(input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (batch, channels, height, width); in training only."""
    return _channels(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (batch, channels, depth, height, width); in training only."""
    return _channels(input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean 0 and variance 1, for networks of SELU."""
    check_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    scale = ((1 - p) * (1 + p * _FLOOR ** 2)) ** -0.5
    kept = numbers(None).random(input._a.shape) >= p
    mask = wrap(kept.astype(input._a.dtype))
    rest = wrap(np.where(kept, 0.0, _FLOOR).astype(input._a.dtype) - p * _FLOOR)
    return (input * mask + rest) * scale


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """The input where positive, elsewhere times a slope: drawn in training, else the mean of the bounds."""
    if training:
        slope: Any = wrap(numbers(None).uniform(lower, upper, input._a.shape).astype(input._a.dtype))
    else:
        slope = (lower + upper) / 2
    return placed(input, lambda x: x.where(x >= 0, x * slope), inplace)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Shares drawn from the Gumbel-softmax distribution; `hard`: one-hot, with the gradient of the shares."""
    noise = wrap(numbers(None).gumbel(size=logits._a.shape).astype(logits._a.dtype))
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    best = soft.detach().max(dim, keepdim=True)[1]
    one = (soft.detach() * 0).scatter(dim, best, 1.0)
    return one - soft.detach() + soft
