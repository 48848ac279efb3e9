"""Convolutions and their transposes."""
from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.nn.ops import convolution as ops
from srcgrad.eager.nn.ops import windows
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.sizes import Size, per_axis
from srcgrad.eager.nn.tensors import Tensor


def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1, padding: Size | str = 0,
           dilation: Size = 1, groups: int = 1) -> Tensor:
    """The cross-correlation of (batch, channels, length), or without the batch, with `weight`."""
    return _convolve(input, weight, bias, _sizes(weight, 1, stride, padding, dilation, groups), 1)


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1, padding: Size | str = 0,
           dilation: Size = 1, groups: int = 1) -> Tensor:
    """The cross-correlation of (batch, channels, height, width), or without the batch, with `weight`."""
    return _convolve(input, weight, bias, _sizes(weight, 2, stride, padding, dilation, groups), 2)


def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1, padding: Size | str = 0,
           dilation: Size = 1, groups: int = 1) -> Tensor:
    """The cross-correlation of (batch, channels, depth, height, width), or without the batch, with `weight`."""
    return _convolve(input, weight, bias, _sizes(weight, 3, stride, padding, dilation, groups), 3)


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1, padding: Size = 0,
                     output_padding: Size = 0, groups: int = 1, dilation: Size = 1) -> Tensor:
    """The transpose of `conv1d`: every element of the input adds a multiple of the kernel to the output."""
    return _transpose(input, weight, bias, _sizes(weight, 1, stride, padding, dilation, groups), output_padding, 1)


def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Size = 1, padding: Size = 0,
                     output_padding: Size = 0, groups: int = 1, dilation: Size = 1) -> Tensor:
    """The transpose of `conv2d`: every element of the input adds a multiple of the kernel to the output."""
    return _transpose(input, weight, bias, _sizes(weight, 2, stride, padding, dilation, groups), output_padding, 2)


def _transpose(input: Tensor, weight: Tensor, bias: Tensor | None, sizes: Any, more: Size, axes: int) -> Tensor:
    if input.dim() == axes + 1:
        return _transpose(input.unsqueeze(0), weight, bias, sizes, more, axes).squeeze(0)
    stride, margins, dilation, groups = sizes
    if input.dim() != axes + 2:
        raise RuntimeError(f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to conv_transpose{axes}d, "
                           f"but got input of size: {list(input.shape)}")
    if input.shape[1] != weight.shape[0]:
        raise RuntimeError(f"Given transposed=1, weight of size {list(weight.shape)}, expected input"
                           f"{list(input.shape)} to have {weight.shape[0]} channels, but got {input.shape[1]} channels "
                           "instead")
    extra = per_axis(more, axes)
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation)):
        raise RuntimeError("output padding must be smaller than either stride or dilation, but got output_padding: "
                           f"{list(extra)}, stride: {list(stride)}, dilation: {list(dilation)}")
    size = [(n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, s, (p, _), d, k, e in zip(
        input.shape[2:], stride, margins, dilation, weight.shape[2:], extra)]
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    return apply(ops.transposed_convolution, input, weight, bias, shape, sizes)


def _sizes(weight: Tensor, axes: int, stride: Size, padding: Size | str, dilation: Size, groups: int) -> Any:
    """Stride, margins, dilation and groups, as the operation takes them."""
    steps, wide = per_axis(stride, axes), per_axis(dilation, axes)
    if min(steps) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if isinstance(padding, str):
        return steps, _named(padding, weight, steps, wide), wide, groups
    margins = tuple((p, p) for p in per_axis(padding, axes))
    if any(p < 0 for p, _ in margins):
        raise RuntimeError("negative padding is not supported")
    return steps, margins, wide, groups


def _named(padding: str, weight: Tensor, stride: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    if padding not in ("same", "valid"):
        raise RuntimeError("Invalid padding string: " + repr(padding))
    if padding == "valid":
        return ((0, 0),) * len(stride)
    if max(stride) > 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    return tuple((t // 2, t - t // 2) for t in totals)


def _convolve(input: Tensor, weight: Tensor, bias: Tensor | None, sizes: Any, axes: int) -> Tensor:
    if input.dim() == axes + 1:
        return _convolve(input.unsqueeze(0), weight, bias, sizes, axes).squeeze(0)
    _check(input, weight, bias, sizes, axes)
    return apply(ops.convolution, input, weight, bias, sizes)


def _check(input: Tensor, weight: Tensor, bias: Tensor | None, sizes: Any, axes: int) -> None:
    groups = sizes[3]
    if input.dim() != axes + 2:
        raise RuntimeError(f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to conv{axes}d, but got "
                           f"input of size: {list(input.shape)}")
    if input.shape[1] != weight.shape[1] * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {list(weight.shape)}, expected "
                           f"input{list(input.shape)} to have {weight.shape[1] * groups} channels, but got "
                           f"{input.shape[1]} channels instead")
    if weight.shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{list(weight.shape)}] instead")
    if bias is not None and tuple(bias.shape) != (weight.shape[0],):
        raise RuntimeError(f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
                           f"{weight.shape[0]} elements, but got bias of size {list(bias.shape)} instead")
    _check_fit(input, weight, bias, sizes)


def _check_fit(input: Tensor, weight: Tensor, bias: Tensor | None, sizes: Any) -> None:
    if input._a.dtype != weight._a.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.legacy} but found {weight.dtype.legacy}")
    if bias is not None and bias._a.dtype != input._a.dtype:
        raise RuntimeError(f"Input type ({input.dtype.legacy.lower()}) and bias type ({bias.dtype.legacy.lower()}) "
                           "should be the same")
    _, margins, dilation, _ = sizes
    room = [n + sum(p) for n, p in zip(input.shape[2:], margins)]
    need = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:])]
    if any(n > r for n, r in zip(need, room)):
        raise RuntimeError(f"Calculated padded input size per channel: ({_by(room)}). Kernel size: "
                           f"({_by(need)}). Kernel size can't be greater than actual input size")


def _by(sizes: list[int]) -> str:
    return " x ".join(map(str, sizes))


def unfold(input: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Tensor:
    """All windows of (batch, channels, height, width) as columns: (batch, channels * kernel, places)."""
    kernel = per_axis(kernel_size, 2)
    sizes = (per_axis(stride, 2), tuple((p, p) for p in per_axis(padding, 2)), per_axis(dilation, 2), 1)
    return apply(windows.unfold, input, kernel, sizes)


def fold(input: Tensor, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0,
         stride: Size = 1) -> Tensor:
    """What `unfold` takes apart put together again: elements of several windows are added up."""
    if input.dim() == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    kernel = per_axis(kernel_size, 2)
    sizes = (per_axis(stride, 2), tuple((p, p) for p in per_axis(padding, 2)), per_axis(dilation, 2), 1)
    shape = (input.shape[0], input.shape[1] // math.prod(kernel), *per_axis(output_size, 2))
    return apply(windows.fold, input, kernel, sizes, shape)
