"""The functions of the module and the methods of tensors, as the chapters make them."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from srcgrad.eager.tensor import Tensor

__all__ = ["FUNCTIONS", "function", "operand_checked"]

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Any] = {}


def operand_checked(f: F, name: str) -> F:
    """A named function of two operands: what an operator leaves to the other operand is a TypeError here."""
    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        found = f(*args, **kwargs)
        if found is NotImplemented:
            wrong = args[1] if len(args) > 1 else kwargs.get("other")
            raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type(wrong).__name__}")
        return found
    return called       # type: ignore[return-value]


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
