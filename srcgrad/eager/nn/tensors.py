"""Tensors as compositions see them: the chapters attach the methods, which a type checker so doesn't know."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srcgrad.eager.tensor import Tensor
else:
    from srcgrad.eager.tensor import Tensor

__all__ = ["Tensor"]
