"""The compiler meets tensors: functions that are compiled when they are called with tensors."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad.api import DEFAULT, Derivative
from srcgrad.errors import ArgumentError
from srcgrad.lang.load import load
from srcgrad.options import Options
from srcgrad.runtime import tensors

__all__ = ["Differentiable", "differentiable"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def differentiable(f: Callable[P, R], options: Options = DEFAULT) -> Differentiable[P, R]: ...


@overload
def differentiable(f: None = None,
                   options: Options = DEFAULT) -> Callable[[Callable[P, R]], Differentiable[P, R]]: ...


def differentiable(f: Any = None, options: Options = DEFAULT) -> Any:
    """Makes a function one operation for tensors, with a compiled derivative; for arrays it stays what it is.

    The tensor that it returns has one node, named after the function; `y.grad_fn.source` is the text that runs.

        >>> import numpy as np
        >>> import srcgrad.eager as torch
        >>> @differentiable
        ... def energy(x):
        ...     return np.sum(x * x)
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> energy(x)
        tensor(5., grad_fn=<energyBackward>)
        >>> energy(x).backward()
        >>> x.grad
        tensor([2., 4.])
    """
    if f is None:
        return lambda f: Differentiable(f, options)
    return Differentiable(f, options)


class Differentiable(Generic[P, R]):
    """What `differentiable` makes of a function."""
    __wrapped__: Callable[..., Any]

    def __init__(self, f: Callable[P, R], options: Options = DEFAULT) -> None:
        if not callable(f):
            raise ArgumentError(f"differentiable was given an object of type {type(f).__name__}, which can't be called",
                                remedy="Pass a function.")
        functools.update_wrapper(self, f)
        name = str(getattr(f, "__name__", type(f).__name__)).replace("<lambda>", "Lambda")
        self._lifted = tensors.Lifted(
            name, f, lambda mode, places: Derivative(f, places, mode, False, options),
            weigh=lambda count, places: Derivative(_weighted(f, count), places, "grad", False, options))

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        if tensors.among(*args, *kwargs.values()):
            return self._lifted.on_tensors(args, kwargs)
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<differentiable {self.__wrapped__!r}>"


def _weighted(f: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The sum of what `f` gives of that many arguments times a weight, which comes first."""
    arguments = ", ".join(f"a{i}" for i in range(count))
    text = f"def weighted(weight, {arguments}):\n    return np.sum(weight * function({arguments}))\n"
    return load(text, "weighted", {"np": np, "function": f})[0]
