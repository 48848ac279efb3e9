"""Modules that give their input another shape, drop parts of it, or compare two."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.tensors import Tensor


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """The axis `dim` as several."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        at = self.dim % input.dim()
        return input.reshape(*input.shape[:at], *self.unflattened_size, *input.shape[at + 1:])

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Dropout(Module):
    function: Any

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        dropped: Tensor = type(self).function(input, self.p, self.training, self.inplace)
        return dropped

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, zeroes each element with probability `p` and scales the rest by `1 / (1 - p)`."""
    function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """In training, zeroes whole channels of (batch, channels, length)."""
    function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """In training, zeroes whole channels of (batch, channels, height, width)."""
    function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """In training, zeroes whole channels of (batch, channels, depth, height, width)."""
    function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean 0 and variance 1, for networks of SELU."""
    function = staticmethod(F.alpha_dropout)


class PairwiseDistance(Module):
    """The norm of the differences along the last axis."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between two tensors along an axis."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
