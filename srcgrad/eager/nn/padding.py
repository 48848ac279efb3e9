"""Margins as modules."""
from __future__ import annotations

from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn.module import Module
from srcgrad.eager.nn.sizes import Size, per_axis
from srcgrad.eager.tensor import Tensor


class _Pad(Module):
    """Margins before and after the last axes, the last axis first."""
    axes: int
    mode: str

    def __init__(self, padding: Size) -> None:
        super().__init__()
        self.padding = per_axis(padding, 2 * self.axes)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Size, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Size) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPad):
    """A number in margins along the last axis."""
    axes = 1


class ConstantPad2d(_ConstantPad):
    """A number in margins along the last two axes."""
    axes = 2


class ConstantPad3d(_ConstantPad):
    """A number in margins along the last three axes."""
    axes = 3


class ZeroPad1d(_ZeroPad):
    """Zeros in margins along the last axis."""
    axes = 1


class ZeroPad2d(_ZeroPad):
    """Zeros in margins along the last two axes."""
    axes = 2


class ZeroPad3d(_ZeroPad):
    """Zeros in margins along the last three axes."""
    axes = 3


class ReflectionPad1d(_Pad):
    """Margins that mirror the last axis."""
    axes, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Margins that mirror the last two axes."""
    axes, mode = 2, "reflect"


class ReplicationPad1d(_Pad):
    """Margins that repeat the ends of the last axis."""
    axes, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Margins that repeat the ends of the last two axes."""
    axes, mode = 2, "replicate"


class CircularPad1d(_Pad):
    """Margins that go on at the other end of the last axis."""
    axes, mode = 1, "circular"


class CircularPad2d(_Pad):
    """Margins that go on at the other ends of the last two axes."""
    axes, mode = 2, "circular"
