"""Convolutions as modules."""
from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn import init
from srcgrad.eager.nn.fresh import zeros
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.parameter import Parameter
from srcgrad.eager.nn.sizes import Size, per_axis
from srcgrad.eager.tensor import Tensor


class _Convolution(Module):
    axes: int

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Size, stride: Size = 1,
                 padding: Size | str = 0, dilation: Size = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        _check(in_channels, out_channels, groups, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_axis(kernel_size, self.axes)
        self.stride = per_axis(stride, self.axes)
        self.padding = padding if isinstance(padding, str) else per_axis(padding, self.axes)
        self.dilation = per_axis(dilation, self.axes)
        self.output_padding = (0,) * self.axes
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = Parameter(zeros(*self._weight_shape(), dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(zeros(out_channels, dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draws weight and bias uniformly within one over the root of the number of inputs of an output."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        init.uniform_within_fan_in_(self.bias, self.weight)

    def _margins(self) -> list[int]:
        """What the padding adds before and after each axis, the last axis first, as `F.pad` takes it."""
        if self.padding == "valid":
            return [0] * (2 * self.axes)
        if isinstance(self.padding, str):
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        return [side for p in reversed(self.padding) for side in (p, p)]

    def forward(self, input: Tensor) -> Tensor:
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self.axes - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._margins(), mode=self.padding_mode), 0
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", (0,) * self.axes), ("dilation", (1,) * self.axes),
                            ("output_padding", (0,) * self.axes), ("groups", 1)):
            value = getattr(self, name)
            text += "" if value == usual else f", {name}={value}"
        text += "" if self.bias is not None else ", bias=False"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"


def _check(in_channels: int, out_channels: int, groups: int, padding_mode: str) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
        raise ValueError("padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                         f"padding_mode='{padding_mode}'")


class Conv1d(_Convolution):
    """Cross-correlation over the last axis; input (batch, channels, length), or without the batch."""
    axes = 1


class Conv2d(_Convolution):
    """Cross-correlation over the last two axes; input (batch, channels, height, width), or without the batch.

    >>> import srcgrad.eager as torch
    >>> layer = torch.nn.Conv2d(1, 4, 3, padding=1)
    >>> layer, layer(torch.zeros(2, 1, 8, 8)).shape
    (Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)), torch.Size([2, 4, 8, 8]))
    """
    axes = 2


class Conv3d(_Convolution):
    """Cross-correlation over the last three axes; input (batch, channels, depth, height, width)."""
    axes = 3


class _Transposed(_Convolution):
    """The transpose of a convolution, with what is to be added to one side of the output."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Size, stride: Size = 1, padding: Size = 0,
                 output_padding: Size = 0, groups: int = 1, bias: bool = True, dilation: Size = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                         device, dtype)
        self.output_padding = per_axis(output_padding, self.axes)

    def _weight_shape(self) -> tuple[int, ...]:
        return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        more = self.output_padding if output_size is None else self._missing(input, output_size)
        convolve = F.conv_transpose1d if self.axes == 1 else F.conv_transpose2d
        return convolve(input, self.weight, self.bias, self.stride, self._both_sides(), more, self.groups,
                        self.dilation)

    def _both_sides(self) -> tuple[int, ...]:
        if isinstance(self.padding, str):
            raise ValueError("padding must be a number for transposed convolutions")
        return self.padding

    def _missing(self, input: Tensor, wanted: Any) -> tuple[int, ...]:
        """What the output lacks of the size that is wanted."""
        given = input.shape[input.dim() - self.axes:]
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(
            given, self.stride, self._both_sides(), self.dilation, self.kernel_size)]
        size = tuple(wanted)[-self.axes:]
        if any(not low <= n <= low + s - 1 for n, low, s in zip(size, least, self.stride)):
            raise ValueError(f"requested an output size of {list(size)}, but valid sizes range from {least} to "
                             f"{[low + s - 1 for low, s in zip(least, self.stride)]} (for an input of {list(given)})")
        return tuple(n - low for n, low in zip(size, least))


class ConvTranspose1d(_Transposed):
    """The transpose of `Conv1d`."""
    axes = 1


class ConvTranspose2d(_Transposed):
    """The transpose of `Conv2d`.

    >>> import srcgrad.eager as torch
    >>> layer = torch.nn.ConvTranspose2d(4, 1, 4, stride=2, padding=1)
    >>> layer, layer(torch.zeros(2, 4, 8, 8)).shape
    (ConvTranspose2d(4, 1, kernel_size=(4, 4), stride=(2, 2), padding=(1, 1)), torch.Size([2, 1, 16, 16]))
    """
    axes = 2
