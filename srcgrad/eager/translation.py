"""How the text of rules runs on tensors: what stands for the names in it."""
from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor

__all__ = ["HELPERS", "translate"]

# helpers of the runtime: how they run on tensors
HELPERS: dict[Any, Callable[..., Any]] = {}


def translate(value: Any) -> Any:
    """What stands for a name of a rule's text where the text runs on tensors."""
    if value is np:
        return _NUMPY
    if not callable(value):
        return value
    try:
        if value in HELPERS:
            return HELPERS[value]
    except TypeError:               # unhashable
        return value
    own = isinstance(value, types.FunctionType) and value.__module__.startswith("srcgrad.runtime.")
    return _translated(value) if own else value


@functools.cache
def _translated(function: types.FunctionType) -> types.FunctionType:
    """A helper of the runtime that calls the others as they stand for tensors."""
    return types.FunctionType(function.__code__, _module(function.__module__), function.__name__,
                              function.__defaults__, function.__closure__)


@functools.cache
def _module(name: str) -> _Names:
    return _Names(vars(sys.modules[name]))


class _Names(dict):
    """The names of a module of the runtime, each looked up as it stands for tensors."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__({"__builtins__": names["__builtins__"]})
        self._names = names

    def __missing__(self, name: str) -> Any:
        self[name] = value = translate(self._names[name])
        return value


class _NumPy:
    """NumPy, where an array is made of a tensor by leaving it alone."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def asarray(a: Any, dtype: Any = None) -> Any:
        """Tensors as they are."""
        return a if isinstance(a, Tensor) else np.asarray(a, dtype)


_NUMPY = _NumPy()
