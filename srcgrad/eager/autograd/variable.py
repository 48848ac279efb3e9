"""What tensors that require gradients were once made of."""
from __future__ import annotations

from typing import Any

from srcgrad.eager.tensor import Tensor

__all__ = ["Variable"]


class _AnyTensor(type):
    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Tensor)


class Variable(metaclass=_AnyTensor):
    """`Variable(t, requires_grad=True)` is a leaf over the elements of `t`; every tensor is a Variable."""

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        return data.detach().requires_grad_(requires_grad)
