"""Layer, batch and group normalisation."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.nn.functional_activations import floating
from srcgrad.eager.nn.functional_pad import pad
from srcgrad.eager.nn.ops import normalization as ops
from srcgrad.eager.nn.ops.apply import apply, fixed
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.runtime.modes import no_grad


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over the last axes, which have that shape; then scaled and shifted."""
    shape = tuple(normalized_shape)
    if tuple(input.shape[input.dim() - len(shape):]) != shape:
        sizes = "".join(f", {n}" for n in shape)
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [*{sizes}], but got input "
                           f"of size{list(input.shape)}")
    axes = tuple(range(-len(shape), 0))
    return apply(ops.layer_norm, floating(input, "LayerNormKernelImpl"), weight, bias, axes, eps)


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 per channel: by the batch in training, which moves the running statistics; else by them."""
    fixed("native_batch_norm", running_mean=running_mean, running_var=running_var)
    ndim = input.dim()
    axes = (0, *range(2, ndim))
    scale, shift = _shaped(weight, ndim), _shaped(bias, ndim)
    if training:
        _check_batch(input, axes)
        _move(input, running_mean, running_var, momentum, axes)
        return apply(ops.batch_norm, input, scale, shift, axes, eps)
    if running_mean is None or running_var is None:
        raise RuntimeError("running_mean must be defined in evaluation mode")
    mean, var = _shaped(running_mean, ndim), _shaped(running_var, ndim)
    out = (input - mean) * (var + eps).rsqrt()
    out = out if scale is None else out * scale
    return out if shift is None else out + shift


def _shaped(x: Any, ndim: int) -> Any:
    """A value per channel, with the axes that follow the channels."""
    return x if x is None or ndim <= 2 else x.reshape(-1, *(1,) * (ndim - 2))


def _check_batch(input: Tensor, axes: tuple[int, ...]) -> None:
    if math.prod(input.shape[i] for i in axes) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")


def _move(input: Tensor, mean: Tensor | None, var: Tensor | None, momentum: float, axes: tuple[int, ...]) -> None:
    """Moves the running statistics towards those of the batch; the variance is the unbiased one."""
    with no_grad():
        if mean is not None:
            mean.mul_(1 - momentum).add_(input.detach().mean(axes), alpha=momentum)
        if var is not None:
            var.mul_(1 - momentum).add_(input.detach().var(axes), alpha=momentum)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over groups of channels; then scaled and shifted per channel."""
    shape = input.shape
    if shape[1] % num_groups:
        raise RuntimeError(f"Expected number of channels in input to be divisible by num_groups, but got input of "
                           f"shape {list(shape)} and num_groups={num_groups}")
    split = input.reshape(shape[0], num_groups, -1)
    out = apply(ops.group_norm, split, None, None, (2,), eps).reshape(shape)
    scale, shift = _shaped(weight, input.dim()), _shaped(bias, input.dim())
    out = out if scale is None else out * scale
    return out if shift is None else out + shift


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over each channel of each input; then scaled and shifted per channel."""
    if running_mean is not None or running_var is not None or not use_input_stats:
        raise NotImplementedError("srcgrad.eager's instance_norm keeps no running statistics: leave them out")
    return apply(ops.batch_norm, input, _shaped(weight, input.dim()), _shaped(bias, input.dim()),
                 tuple(range(2, input.dim())), eps)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The input over a power of the mean square of neighbouring channels."""
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    margins = [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2]
    wide = pad(input * input, margins)
    total: Any = sum(wide.narrow(1, d, input.shape[1]) for d in range(size))
    return input / (total / size * alpha + k) ** beta


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The input over its root mean square along the last axes, then scaled."""
    over = tuple(range(-len(normalized_shape), 0))
    small = float(np.finfo(input._a.dtype).eps) if eps is None else eps
    out = input * ((input * input).mean(over, keepdim=True) + small).rsqrt()
    return out if weight is None else out * weight

