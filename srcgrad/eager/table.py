"""The functions of the module and the methods of tensors, as the chapters make them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from srcgrad.eager.tensor import Tensor

__all__ = ["FUNCTIONS", "function"]

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Any] = {}


def function(f: F, *names: str, methods: bool = True) -> F:
    """Makes `f` a function of the module and, since its first parameter is a tensor, a method of tensors."""
    for name in names or (f.__name__,):
        FUNCTIONS[name] = f
        if methods:
            setattr(Tensor, name, f)
    return f


def plain(f: F) -> F:
    """Makes `f` a function of the module alone."""
    return function(f, methods=False)
