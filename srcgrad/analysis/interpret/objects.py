"""Real arguments as abstract values."""
from __future__ import annotations

import functools
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.standins import CONSTANTS, LITERALS, number_like
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    TupleOf,
    Value,
    join,
)
from srcgrad.library.registry import owner_like

_DEPTH = 8                                   # of containers and objects inside each other


def of_object(obj: Any, path: Any = None) -> Value:
    """What an argument is; its lengths are symbols that `path` names (all unknown where path is None).

    >>> of_object(np.zeros((4, 1)), "x").dims == (Linear.symbol(("x", 0)), Linear(1))
    True
    """
    return _abstract(obj, path, ())


def _abstract(obj: Any, path: Any, above: tuple[int, ...]) -> Value:
    if type(obj) is np.ndarray:
        return Array(obj.dtype, tuple(_length(n, path, axis) for axis, n in enumerate(obj.shape)))
    if isinstance(obj, np.generic):
        return number_like(obj.dtype)
    if type(obj) is int:
        return Number("int", None, None if path is None else Linear.symbol(path))
    if type(obj) in (bool, float, complex):
        return Number(type(obj).__name__)
    if isinstance(obj, CONSTANTS) or owner_like(obj) is not None:
        return Known(obj)
    if type(obj) is range:
        return RangeOf()
    if id(obj) in above or len(above) > _DEPTH:
        return UNKNOWN
    return _abstract_parts(obj, path, (*above, id(obj)))


def _length(n: int, path: Any, axis: int) -> Linear | None:
    return Linear(n) if n <= 1 else None if path is None else Linear.symbol((path, axis))


def _abstract_parts(obj: Any, path: Any, above: tuple[int, ...]) -> Value:
    def inside(part: Any, suffix: str) -> Value:
        return _abstract(part, _longer(path, suffix), above)

    if type(obj) is list:
        return ListOf(_abstract_elements(obj, above))
    if isinstance(obj, tuple):
        return TupleOf(tuple(inside(v, f"[{i}]") for i, v in enumerate(obj)), type(obj))
    if type(obj) is dict:
        if all(isinstance(k, LITERALS) for k in obj):
            return DictOf(tuple((k, inside(v, f"[{k!r}]")) for k, v in obj.items()))
        return UNKNOWN
    if isinstance(obj, (set, frozenset, dict, list, np.ndarray, bytearray, memoryview)):
        return UNKNOWN
    return ObjectOf(type(obj), tuple((name, inside(v, f".{name}")) for name, v in _fields(obj)))


def _longer(path: Any, suffix: str) -> Any:
    """The path of a part; of what isn't an argument it ends in a tuple's last entry."""
    if isinstance(path, tuple):
        return *path[:-1], f"{path[-1]}{suffix}"
    return None if path is None else path + suffix


def _abstract_elements(obj: list, above: tuple[int, ...]) -> Value | None:
    if not obj:
        return None
    # a long list of numbers is looked at by type alone
    if len(types := set(map(type, obj))) == 1 and types <= {bool, int, float, complex}:
        return Number(types.pop().__name__)
    return functools.reduce(join, dict.fromkeys(_abstract(v, None, above) for v in obj))


def _fields(obj: Any) -> list[tuple[str, Any]]:
    if is_dataclass(obj):
        return [(f.name, getattr(obj, f.name)) for f in dataclass_fields(obj) if hasattr(obj, f.name)]
    return list(getattr(obj, "__dict__", {}).items())
