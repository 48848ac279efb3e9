"""Which values may be complex: conjugations stand in the text only where complex numbers come up."""
from __future__ import annotations

import cmath
import types
from collections import deque
from typing import Any

import numpy as np

from srcgrad.analysis.guards import Guard
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import (
    Array,
    Closure,
    DictOf,
    Known,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
    held,
)

_MAKERS = (complex, np.complex64, np.complex128, np.clongdouble, np.linalg.eig, np.linalg.eigvals, np.roots)


def reality(value: Value) -> bool | None:
    """True of what certainly is complex, False of what certainly is real, None where that isn't known.

    >>> reality(Number("complex")), reality(Number("int")), reality(Array(None, None))
    (True, False, None)
    """
    match value:
        case Number(kind):
            return kind == "complex"
        case Array(dtype, _):
            return None if dtype is None else dtype.kind == "c"
        case Known(obj):
            return bool(np.iscomplexobj(obj)) if isinstance(obj, (np.ndarray, np.generic, complex)) else False
        case TupleOf(items, _):
            return _any([reality(item) for item in items])
        case ListOf(item):
            return False if item is None else reality(item)
    return False if isinstance(value, (RangeOf, ShapeOf, Closure, DictOf, ObjectOf)) else None


def _any(answers: list[bool | None]) -> bool | None:
    """Of several: True if all are complex, False if none is."""
    return None if None in answers or len(set(answers)) > 1 else bool(answers) and answers[0]


def meets_complex(facts: Facts) -> bool:
    """Whether complex numbers may come up in the function: where types tell of them, or something comes from code or
    objects that aren't followed."""
    items = (*facts.entry.values(), *facts.kinds.values())
    return facts.given_complex or facts.heap.foreign or any(map(_tells, items))


def _tells(item: Abstract) -> bool:
    if isinstance(item.value, Known) and not isinstance(item.value.obj, (np.ndarray, np.generic, complex)):
        return _makes_complex(item.value.obj)
    return bool(reality(item.value)) or any(map(_tells, item.items or ()))


def _makes_complex(obj: Any) -> bool:
    if isinstance(obj, np.dtype):
        return obj.kind == "c"
    if isinstance(obj, str):
        return obj.startswith("complex")
    home = str(getattr(obj, "__module__", ""))
    far = not isinstance(obj, types.ModuleType) and home.startswith(("numpy.fft", "scipy.fft", cmath.__name__))
    return far or any(obj is maker for maker in _MAKERS)


def holds_complex(obj: Any, depth: int = 8) -> bool:
    """Whether a value is complex, or holds what is.

    >>> holds_complex([1.0, {"a": np.zeros(2, complex)}]), holds_complex((1.0, None))
    (True, False)
    """
    if isinstance(obj, (np.ndarray, np.generic, complex, int, float, str)) or obj is None or not depth:
        return bool(np.iscomplexobj(obj))
    return any(holds_complex(part, depth - 1) for part in _parts(obj))


def _parts(obj: Any) -> list[Any]:
    if isinstance(obj, dict):
        return list(obj.values())
    if isinstance(obj, (list, tuple, set, frozenset, deque)):
        return list(obj)
    slots = [name for cls in type(obj).__mro__ for name in _names(cls.__dict__.get("__slots__", ()))]
    return [*getattr(obj, "__dict__", {}).values(), *(getattr(obj, name, None) for name in slots)]


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _leaves_open(value: Value) -> bool:
    """Whether some part of the value may be real or complex, for all that is known."""
    if isinstance(value, (TupleOf, ListOf, DictOf, ObjectOf)):
        return any(map(_leaves_open, held(value)))
    return reality(value) is None


def is_real(name: str, value: Value) -> Guard | None:
    """The check that an argument holds nothing complex; None where its kind tells."""
    if not _leaves_open(value):
        return None
    return Guard(f"not _holds_complex({name})", (("_holds_complex", holds_complex),))
