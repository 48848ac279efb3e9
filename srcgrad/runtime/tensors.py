"""How derivatives learn of tensors that they know nothing of: whoever has tensors registers them here."""
from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.errors import ArgumentError

__all__ = ["Lifted", "among", "register", "stop_gradient"]

# (the class of tensors, what carries out a compiled function on them)
_registered: list[tuple[type, Callable[..., Any]]] = []


def register(tensor: type, carry_out: Callable[..., Any]) -> None:
    """Makes a class of tensors known."""
    _registered.append((tensor, carry_out))


def among(*values: Any) -> bool:
    """Whether there is a tensor among the values, also in lists, tuples and dicts.

    >>> among(1.0, [2.0])
    False
    """
    return bool(_registered) and any(_holds(v) for v in values)


def _holds(x: Any) -> bool:
    if isinstance(x, _registered[0][0]):
        return True
    if isinstance(x, dict):
        return any(map(_holds, x.values()))
    return isinstance(x, (list, tuple)) and any(map(_holds, x))


class Lifted:
    """A function that can be carried out on tensors.

    `derive(mode, places)` gives its derivative ("vjp" or "grad") by the argument at a place, or at several.  A `lazy`
    one is differentiated only if the backward pass comes to it.  `weigh(n, places)` gives the gradient of the sum of
    its result times a weight, which comes before its n arguments.
    """

    def __init__(self, name: str, function: Callable[..., Any], derive: Callable[[str, Any], Any], lazy: bool = False,
                 weigh: Callable[[int, Any], Any] | None = None) -> None:
        self.name, self.function, self.lazy = name, function, lazy
        self.keywords: dict[str, Any] = {}      # arguments that are given by name only
        self._derive = functools.cache(derive)
        self._weigh = None if weigh is None else functools.cache(weigh)

    def value(self, primals: tuple[Any, ...], places: tuple[int, ...]) -> Any:
        """The value on arrays; of a function that detaches, which arrays can't, that of its compiled form."""
        code = getattr(self.function, "__code__", None)
        if places and code is not None and "detach" in code.co_names:
            return self.pull(primals, places)[0]
        return self.function(*primals, **self.keywords)

    def pull(self, primals: tuple[Any, ...], places: tuple[int, ...]) -> tuple[Any, Any]:
        """The value, and the function from its adjoint to gradients: a tuple with one entry a primal."""
        value, pullback = self._derive("vjp", places).pull(primals, places, self.keywords)
        return value, pullback

    def gradient(self, args: tuple[Any, ...], places: tuple[int, ...]) -> tuple[Any, ...]:
        """The gradients of a function that gives one number: of tensors, tensors that can be differentiated again."""
        found = self._derive("grad", places[0] if len(places) == 1 else places)(*args, **self.keywords)
        return found if isinstance(found, tuple) else (found,)

    @property
    def can_weigh(self) -> bool:
        """Whether `weighted` can be asked for."""
        return self._weigh is not None and not self.keywords

    def weighted(self, weight: Any, args: tuple[Any, ...], places: tuple[int, ...]) -> tuple[Any, ...]:
        """The gradients of the sum of the result times a weight, as tensors that can be differentiated again."""
        assert self._weigh is not None
        shifted = tuple(i + 1 for i in places)
        found = self._weigh(len(args), shifted[0] if len(shifted) == 1 else shifted)(weight, *args)
        return found if isinstance(found, tuple) else (found,)

    def on_tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The function on tensors: one node of their graph."""
        if kwargs:
            bound = inspect.signature(self.function).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
            if bound.kwargs:
                return _registered[0][1](self._with(bound.kwargs), args)
        return _registered[0][1](self, args)

    def _with(self, keywords: dict[str, Any]) -> Lifted:
        """The same function with some arguments given, which aren't differentiated."""
        for name, value in keywords.items():
            if among(value):
                raise ArgumentError(f"{self.name} was given a tensor as {name}, which it takes by keyword only",
                                    remedy="Let it take this argument by position as well.")
        fixed = copy.copy(self)
        fixed.keywords = keywords
        return fixed


def stop_gradient(x: Any) -> Any:
    """The value of `x`, as a constant: no derivative goes through it.

    >>> stop_gradient(3.0)
    3.0
    """
    for name in ("detach", "copy"):
        method = getattr(x, name, None)
        if method is not None:
            return method()
    return x
