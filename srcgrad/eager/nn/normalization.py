"""Layer and batch normalisation as modules."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn import init
from srcgrad.eager.nn.fresh import full, zeros
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.tensors import Tensor


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, then scaled and shifted."""

    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", Parameter(full(shape, 1.0, dtype, device)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(full(shape, 0.0, dtype, device))
                                if elementwise_affine and bias else None)

    def reset_parameters(self) -> None:
        """Scale 1 and shift 0."""
        _reset(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")


class GroupNorm(Module):
    """Mean 0 and variance 1 over groups of channels, then scaled and shifted per channel."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.register_parameter("weight", Parameter(full((num_channels,), 1.0, dtype, device)) if affine else None)
        self.register_parameter("bias", Parameter(full((num_channels,), 0.0, dtype)) if affine and bias else None)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class _BatchNorm(Module):
    """Mean 0 and variance 1 per channel over the batch; in evaluation by the running statistics."""

    dims: tuple[int, ...]
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", Parameter(full((num_features,), 1.0, dtype, device)) if affine else None)
        self.register_parameter("bias", Parameter(full((num_features,), 0.0, dtype)) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", full((num_features,), 1.0, dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", full((), 0, np.int64) if tracked else None)

    def reset_parameters(self) -> None:
        """Scale 1 and shift 0, and no statistics yet."""
        _reset(self.weight, self.bias)
        _reset(self.running_var, self.running_mean)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def _share(self) -> float:
        """What part of the running statistics the new batch makes up: the momentum, or all batches alike."""
        if self.num_batches_tracked is not None and self.training:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                return 1.0 / float(self.num_batches_tracked)
        return self.momentum or 0.0

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in self.dims:
            raise ValueError(f"expected {' or '.join(f'{n}D' for n in self.dims)} input (got {input.dim()}D input)")
        share = self._share()
        by_batch = self.training or self.running_mean is None
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None, self.running_var if keep else None,
                            self.weight, self.bias, by_batch, share, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (batch, channels) or (batch, channels, length)."""
    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (batch, channels, height, width)."""
    dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (batch, channels, depth, height, width)."""
    dims = (5,)


class _InstanceNorm(_BatchNorm):
    """Mean 0 and variance 1 over each channel of each input."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False,
                 track_running_stats: bool = False, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (self.dims[-1] - 1, self.dims[-1]):
            raise ValueError(f"expected {self.dims[-1] - 1}D or {self.dims[-1]}D input (got {input.dim()}D input)")
        if input.dim() == self.dims[-1] - 1:
            return self.forward(input.unsqueeze(0)).squeeze(0)
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats, self.momentum or 0.0, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (batch, channels, length)."""
    dims = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (batch, channels, height, width)."""
    dims = (4,)


class RMSNorm(Module):
    """Root mean square 1 over the last axes, then scaled (Zhang and Sennrich, 2019)."""

    def __init__(self, normalized_shape: int | Sequence[int], eps: float | None = None,
                 elementwise_affine: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", Parameter(full(shape, 1.0, dtype, device)) if elementwise_affine else None)

    def reset_parameters(self) -> None:
        """Scale 1."""
        _reset(self.weight, None)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """The input over a power of the mean square of neighbouring channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


def _reset(scale: Tensor | None, shift: Tensor | None) -> None:
    if scale is not None:
        init.ones_(scale)
    if shift is not None:
        init.zeros_(shift)
