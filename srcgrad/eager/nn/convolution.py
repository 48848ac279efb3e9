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
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = Parameter(zeros(out_channels, in_channels // groups, *self.kernel_size, dtype=dtype,
                                      device=device))
        self.register_parameter("bias", Parameter(zeros(out_channels, dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

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
        convolve = F.conv1d if self.axes == 1 else F.conv2d
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._margins(), mode=self.padding_mode), 0
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", (0,) * self.axes), ("dilation", (1,) * self.axes), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
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
