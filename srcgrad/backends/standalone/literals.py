"""Values as Python text that gives them back, to the last bit."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["MOST_ELEMENTS", "NotPlain", "literal"]

MOST_ELEMENTS = 1000
_DEEPEST = 20


class NotPlain(Exception):
    """A value that isn't made of numbers, strings, arrays and containers alone; the text says what it is."""


Other = Callable[[Any], "str | None"]


def _nothing_else(value: Any) -> str | None:
    return None


def literal(value: Any, other: Other = _nothing_else, depth: int = 0) -> str:
    """An expression for the value, over the name `np`; `other` may give one for what stands in a container.

    >>> literal({"rates": (0.1, -0.0, float("inf")), "w": np.ones(2, np.float32)})
    "{'rates': (0.1, -0.0, float('inf')), 'w': np.array([1.0, 1.0], dtype='float32')}"
    """
    if depth > _DEEPEST:
        raise NotPlain("nested too deeply")
    if isinstance(value, (np.ndarray, np.generic, np.dtype)):
        return _numpy(value)
    kind = type(value)
    if kind in (bool, int, str, bytes, type(None), type(Ellipsis)):
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({repr(value)!r})"
    if kind is complex:
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if kind in (slice, range):
        return f"{kind.__name__}({', '.join(literal(v) for v in (value.start, value.stop, value.step))})"
    return _container(value, other, depth)


def _container(value: Any, other: Other, depth: int) -> str:
    kind = type(value)
    found = other(value) if depth else None
    if found is not None:
        return found

    def inner(item: Any) -> str:
        return literal(item, other, depth + 1)

    if kind is dict:
        return "{" + ", ".join(f"{inner(k)}: {inner(v)}" for k, v in value.items()) + "}"
    if kind in (set, frozenset):
        items = ", ".join(sorted(map(inner, value)))
        return f"{kind.__name__}(({items},))" if items else f"{kind.__name__}()"
    if kind is list:
        return "[" + ", ".join(map(inner, value)) + "]"
    if kind is tuple:
        return "(" + ", ".join(map(inner, value)) + ("," if len(value) == 1 else "") + ")"
    raise NotPlain(f"of type {kind.__name__}" if not depth else f"a container with a value of type {kind.__name__}")


def _numpy(value: Any) -> str:
    if isinstance(value, np.dtype):
        return f"np.dtype({_dtype(value)})"
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        raise NotPlain(f"of type {type(value).__name__}")
    if value.size > MOST_ELEMENTS:
        raise NotPlain(f"an array of {value.size} elements, more than {MOST_ELEMENTS}")
    if isinstance(value, np.ndarray):
        return _array(value)
    return f"np.array({_items(value.item(), value.dtype)}, dtype={_dtype(value.dtype)})[()]"


def _array(value: np.ndarray) -> str:
    text = f"np.array({_items(value.tolist(), value.dtype)}, dtype={_dtype(value.dtype)})"
    # a list of no rows doesn't tell how long they are
    return text if value.size else f"np.zeros({value.shape}, dtype={_dtype(value.dtype)})"


def _items(items: Any, dtype: np.dtype) -> str:
    if dtype.kind not in "biufcUS" or dtype.char in "gG":
        raise NotPlain(f"an array of dtype {dtype}")
    return literal(items)


def _dtype(dtype: np.dtype) -> str:
    if dtype.names or dtype.hasobject:
        raise NotPlain(f"a dtype {dtype}")
    return repr(str(dtype))
