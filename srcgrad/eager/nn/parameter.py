"""Tensors that a module learns."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor, counter


class Parameter(Tensor):
    """A leaf that requires grad, and that a module lists among its parameters when it becomes an attribute of it.

    >>> import srcgrad.eager as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        self._a = np.empty(0, np.float32) if data is None else data._a
        if data is not None:
            self._vc = counter(data)
        if requires_grad and self._a.dtype.kind not in "fc":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad = requires_grad

    def __repr__(self, **options: Any) -> str:
        return "Parameter containing:\n" + super().__repr__(**options)
