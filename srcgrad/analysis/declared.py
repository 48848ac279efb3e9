"""What a signature tells of its arguments before there are any: by annotations, and by defaults."""
from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.values import UNKNOWN, Array, Known, ListOf, Number, TupleOf, Value

__all__ = ["declared"]

_ANY = Array(None, None)
_NUMBERS = {int: "int", float: "float", complex: "complex", bool: "bool"}


def declared(function: Callable[..., Any]) -> tuple[Value, ...]:
    """One value a parameter, in the order of the signature: a number or an array where nothing is declared.

    >>> def f(x: float, n: int, flag=True, *rest): ...
    >>> [type(value).__name__ for value in declared(f)]
    ['Number', 'Number', 'Number', 'Unknown']
    """
    parameters = inspect.signature(function).parameters.values()
    notes = _notes(function)
    return tuple(_of_parameter(p, notes.get(p.name)) for p in parameters)


def _notes(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:       # names that only a type checker knows: then only defaults tell
        return {}


def _of_parameter(p: inspect.Parameter, note: Any) -> Value:
    if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
        return UNKNOWN
    if note is not None:
        return _of_note(note)
    return _ANY if p.default is p.empty else _of_default(p.default)


def _of_default(default: Any) -> Value:
    """Who may leave an argument out may also pass another number or an array for it, but no other kind of thing."""
    if isinstance(default, (bool, int)):
        return Number(_NUMBERS[type(default)]) if type(default) in _NUMBERS else UNKNOWN
    if isinstance(default, (float, np.ndarray, np.number)):
        return _ANY
    # another function would need another derivative
    return Known(default) if callable(default) else UNKNOWN


def _of_note(note: Any) -> Value:
    if note in _NUMBERS:
        return Number(_NUMBERS[note])
    origin, arguments = typing.get_origin(note), typing.get_args(note)
    if note is np.ndarray or note is Any or origin in (typing.Union, types.UnionType) and all(
            a in _NUMBERS or (typing.get_origin(a) or a) is np.ndarray for a in arguments):
        return _ANY
    if origin is np.ndarray or getattr(origin, "__name__", "") == "NDArray":
        return Array(_dtype(arguments), None)
    if origin is list and len(arguments) == 1:
        return ListOf(_of_note(arguments[0]))
    if origin is tuple and arguments and Ellipsis not in arguments:
        return TupleOf(tuple(map(_of_note, arguments)))
    return UNKNOWN


def _dtype(arguments: tuple[Any, ...]) -> np.dtype | None:
    """Of `npt.NDArray[np.float64]`, which is, or stands for, `np.ndarray[Any, np.dtype[np.float64]]`."""
    last = arguments[-1] if arguments else None
    scalar = next(iter(typing.get_args(last)), last)
    if isinstance(scalar, type) and issubclass(scalar, np.generic):
        try:
            return np.dtype(scalar)
        except TypeError:       # an abstract one
            return None
    return None
