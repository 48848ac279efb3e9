"""Distances, angles, and the losses made of them; all compositions."""
from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.nn.functional_losses import reduce
from srcgrad.eager.nn.tensors import Tensor


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The input over its norm along `dim`, or over `eps` where the norm is smaller."""
    return input / input.norm(p, dim, keepdim=True).clamp(min=eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between two tensors along `dim`."""
    return (_unit(x1, dim, eps) * _unit(x2, dim, eps)).sum(dim)


def _unit(x: Tensor, dim: int, eps: float) -> Tensor:
    return x / x.norm(2, dim, keepdim=True).clamp(min=eps)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of the differences along the last axis, `eps` added to each."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, *, reduction: str = "mean") -> Tensor:
    """The input where the target is 1, `max(0, margin - input)` where it is -1."""
    zeros: Any = input.detach() * 0
    near = input.where(target != -1, zeros)
    far = (margin - input).clamp(min=0).where(target != 1, zeros)
    return reduce(near + far, reduction)


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, *,
                        reduction: str = "mean") -> Tensor:
    """`max(0, margin - target * (input1 - input2))`"""
    return reduce((-target * (input1 - input2) + margin).clamp(min=0), reduction)


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, *,
                          reduction: str = "mean") -> Tensor:
    """One minus the cosine where the target is 1, the cosine beyond the margin where it is -1."""
    eps = 1e-12
    squares = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cosine = (input1 * input2).sum(-1) / squares.sqrt()
    zeros = cosine.detach() * 0
    near = (1 - cosine).where(target == 1, zeros)
    far = (cosine - margin).clamp(min=0).where(target == -1, zeros)
    return reduce(near + far, reduction)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
                        eps: float = 1e-6, swap: bool = False, *, reduction: str = "mean") -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`

    With `swap`, the negative's distance is the smaller of those from anchor and positive.
    """
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return reduce((near - far + margin).clamp(min=0), reduction)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, *, eps: float = 1e-8,
                     reduction: str = "mean") -> Tensor:
    """`exp(input) - target * input`, or `input - target * log(input + eps)`; `full` adds Stirling's formula."""
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduce(loss, reduction)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    """Half of `log(var) + (input - target)^2 / var`; `var` counts as at least `eps`, without a derivative there."""
    width: Tensor = input.detach() * 0 + var if isinstance(var, (int, float)) else var
    if bool((width < 0).any()):
        raise ValueError("var has negative entry/entries")
    if width.dim() == input.dim() - 1:
        width = width.unsqueeze(-1)
    floor = (eps - width.detach()).clamp(min=0)
    loss = 0.5 * ((width + floor).log() + (input - target) ** 2 / (width + floor))
    return reduce(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)
