"""The functions of the module as users call them: with `out=`, and with errors that name the argument."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.inplace import write
from srcgrad.eager.tensor import Tensor
from srcgrad.runtime.modes import mode, no_grad

__all__ = ["public"]


def public(name: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` as a function of the module.

    A tensor given as `out=` takes the result, and an argument that should be a tensor and isn't is a TypeError.
    """
    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            return _put(name, called, args, kwargs)
        try:
            return f(*args, **kwargs)
        except AttributeError as error:
            if error.name != "_a":
                raise
            raise _not_a_tensor(name, f, args, error.obj) from None
    return called


def _put(name: str, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of `f`, written into `out`."""
    out = kwargs.pop("out")
    if out is None:
        return f(*args, **kwargs)
    if isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): out= takes one tensor: use the results instead")
    if mode.grad and any(_requires(x) for x in (*args, *kwargs.values(), out)):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    with no_grad():
        found = f(*args, **kwargs)
    a, b = out._a, found._a
    if "biufc".index(b.dtype.kind) > "biufc".index(a.dtype.kind):
        raise RuntimeError(f"result type {found.dtype.legacy} can't be cast to the desired output type "
                           f"{out.dtype.legacy}")
    if a.shape != b.shape:
        out._a = np.empty(b.shape, a.dtype)
    write(out, b)
    return out


def _requires(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_requires, x))
    return isinstance(x, Tensor) and x.requires_grad


def _not_a_tensor(name: str, f: Callable[..., Any], args: tuple[Any, ...], wrong: Any) -> TypeError:
    """What is said of an argument that isn't a tensor."""
    given = type(wrong).__name__
    place = next((k for k, x in enumerate(args) if x is wrong), None)
    if place is None:
        return TypeError(f"{name}(): argument must be Tensor, not {given}")
    params = list(inspect.signature(f).parameters)
    label = params[place] if place < len(params) else "args"
    return TypeError(f"{name}(): argument '{label}' (position {place + 1}) must be Tensor, not {given}")
