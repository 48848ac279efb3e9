"""The assertions of checked mode: what the compiler inferred, looked at while the program runs.

`where` names the statement after which a fact should hold.  A fact that doesn't raises InternalError.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcgrad.errors import InternalError
from srcgrad.runtime.memory import address
from srcgrad.runtime.structure import fields

__all__ = ["check_kind", "check_view", "check_separate", "note_unwritten", "check_unwritten", "remember", "check_held",
           "check_all_met", "check_zero", "outline", "memory_of", "ASSERTIONS"]

Fact = tuple[Any, ...]
_NUMERIC = (bool, int, float, complex, np.generic)
_NUMBERS = {"bool": (bool, np.bool_), "int": (int, np.integer), "float": (int, np.integer, float, np.floating),
            "complex": (int, np.integer, float, np.floating, complex, np.complexfloating)}


def _fail(where: str, what: str) -> None:
    raise InternalError(f"checked mode, {where}: {what}")


# ---------------------------------------------------------------- kinds

def check_kind(where: str, x: Any, fact: Fact) -> None:
    """`x` is of the kind that the fact says; None stands for what isn't known.

    Facts are ('array', dtype, dims), ('number', kind, dtype, value), ('value', v), ('is', v), ('range',),
    ('tuple', facts), ('list', fact), ('dict', pairs of key and fact) and ('object', class, pairs of field and fact).

    >>> check_kind("line 3, `x`", np.zeros((2, 3)), ("array", "float64", (2, None)))
    """
    why = _differs(x, fact)
    if why:
        _fail(where, why)


def _differs(x: Any, fact: Fact | None) -> str:
    return "" if fact is None else _KINDS[fact[0]](x, *fact[1:])


def _array(x: Any, dtype: str | None, dims: tuple[int | None, ...] | None) -> str:
    if dims is None and isinstance(x, _NUMERIC):
        return ""
    if not isinstance(x, np.ndarray):
        return f"a {type(x).__name__} instead of an array"
    if dtype is not None and str(x.dtype) != dtype:
        return f"dtype {x.dtype} instead of {dtype}"
    if dims is not None and len(dims) != x.ndim:
        return f"rank {x.ndim} instead of {len(dims)}"
    wrong = [k for k, n in enumerate(dims or ()) if n is not None and n != x.shape[k]]
    return f"shape {x.shape} instead of {dims}" if wrong else ""


def _number(x: Any, kind: str, dtype: str | None, value: int | None) -> str:
    if isinstance(x, bool | np.bool_) and kind != "bool" or not isinstance(x, _NUMBERS[kind]):
        return f"a {type(x).__name__} instead of a number of kind {kind}"
    if dtype is not None and (not isinstance(x, np.generic) or str(x.dtype) != dtype):
        return f"a {type(x).__name__} instead of a {dtype}"
    return f"{x} instead of {value}" if value is not None and x != value else ""


def _value(x: Any, known: Any) -> str:
    return "" if type(x) is type(known) and repr(x) == repr(known) else f"{x!r} instead of {known!r}"


def _is(x: Any, known: Any) -> str:
    return "" if x is known or x == known else f"{x!r} instead of {known!r}"


def _range(x: Any) -> str:
    return "" if isinstance(x, range) else f"a {type(x).__name__} instead of a range"


def _tuple(x: Any, facts: tuple[Fact | None, ...]) -> str:
    if not isinstance(x, tuple) or len(x) != len(facts):
        return f"{type(x).__name__} instead of a tuple of {len(facts)}"
    return next(filter(None, map(_differs, x, facts)), "")


def _list(x: Any, fact: Fact | None) -> str:
    if not isinstance(x, list):
        return f"a {type(x).__name__} instead of a list"
    return next(filter(None, (_differs(item, fact) for item in x)), "")


def _items(x: Any, fact: Fact | None) -> str:
    return _list(list(x), fact) if isinstance(x, tuple) else f"a {type(x).__name__} instead of a tuple"


def _dict(x: Any, pairs: tuple[tuple[Any, Fact | None], ...]) -> str:
    if not isinstance(x, dict):
        return f"a {type(x).__name__} instead of a dict"
    return next(filter(None, (_differs(x[key], fact) for key, fact in pairs if key in x)), "")


def _object(x: Any, cls: type, pairs: tuple[tuple[str, Fact | None], ...]) -> str:
    if not isinstance(x, cls):
        return f"a {type(x).__name__} instead of a {cls.__name__}"
    own = fields(x)                 # what the class has stands in for a field until that is set
    if own is None:
        own = {key: getattr(x, key) for key, _ in pairs if hasattr(x, key)}
    return next(filter(None, (_differs(own[key], fact) for key, fact in pairs if key in own)), "")


_KINDS: dict[str, Callable[..., str]] = {
    "array": _array, "number": _number, "value": _value, "is": _is, "range": _range, "tuple": _tuple, "list": _list,
    "items": _items, "dict": _dict, "object": _object}


# ---------------------------------------------------------------- memory

def check_view(where: str, x: Any, view: Any) -> None:
    """`x` is exactly the view that the reference says: the same cells in the same order.

    >>> a = np.zeros(4)
    >>> check_view("line 2, `b`", a[1:], a[1:])
    """
    if isinstance(x, np.ndarray) and isinstance(view, np.ndarray):
        if x.shape != view.shape or x.size and (address(x), x.strides) != (address(view), view.strides):
            _fail(where, "not the view that its reference says")
    elif x is not view and not isinstance(x, _NUMERIC):
        _fail(where, "not the object that its reference says")


def check_separate(where: str, x: Any, others: Mapping[str, Any]) -> None:
    """No array in `x` shares memory with one in the others.

    >>> a = np.zeros(4)
    >>> check_separate("line 2, `b`", a[:2], {"c": a[2:]})
    """
    own = _arrays(x, {})
    for name, other in others.items():
        for b in _arrays(other, {}):
            if any(np.may_share_memory(a, b) and np.shares_memory(a, b) for a in own):
                _fail(where, f"shares memory with `{name}`")


def _arrays(x: Any, seen: dict[int, Any]) -> list[np.ndarray]:
    if isinstance(x, np.ndarray):
        return [x]
    if id(x) in seen:
        return []
    seen[id(x)] = x
    return [a for part in _parts(x).values() for a in _arrays(part, seen)]


def _parts(x: Any) -> Mapping[Any, Any]:
    """What a container or an object holds; nothing for everything else."""
    if isinstance(x, (list, tuple)):
        return dict(enumerate(x))
    return x if isinstance(x, dict) else fields(x) or {}


# ---------------------------------------------------------------- what is never written

def note_unwritten(notes: list[tuple[str, Any, Any]], where: str, x: Any) -> None:
    """From now on nobody should write into the array `x`."""
    if isinstance(x, np.ndarray):
        notes.append((where, x, x.copy()))


def check_unwritten(notes: list[tuple[str, Any, Any]]) -> None:
    """Nobody has written into the arrays that were noted.

    >>> notes, a = [], np.zeros(4)
    >>> note_unwritten(notes, "line 2, `a`", a)
    >>> check_unwritten(notes)
    """
    for where, x, born in notes:
        if not _same(x, born):
            _fail(where, "written in place, which nothing should do")


# ---------------------------------------------------------------- what the backward pass reads

def remember(seen: dict[int, list[Any]], key: int, values: dict[str, Any]) -> None:
    """These values should be found again where `check_held` is called with this key."""
    memo: dict[int, Any] = {}
    seen.setdefault(key, []).append({name: _snapshot(x, memo) for name, x in values.items()})


def check_held(seen: dict[int, list[Any]], key: int, where: str, values: dict[str, Any]) -> None:
    """The values are what they were when they were remembered last under this key, which is then forgotten.

    >>> seen = {}
    >>> remember(seen, 1, {"x": 2.0})
    >>> check_held(seen, 1, "line 2", {"x": 2.0})
    """
    if not seen.get(key):
        _fail(where, "undone more often than done")
    for name, old in seen[key].pop().items():
        if not _same(values[name], old):
            _fail(where, f"the backward pass reads another {name} than there was: {values[name]!r:.200} "
                         f"instead of {old!r:.200}")


def check_all_met(seen: dict[int, list[Any]], where: str) -> None:
    """All that was remembered has been looked at."""
    if any(seen.values()):
        _fail(where, "undone less often than done")


def outline(x: Any) -> Any:
    """The shapes of all that there is in `x`.

    >>> outline([np.zeros((2, 3)), 1.0])
    ((2, 3), ())
    """
    if isinstance(x, np.ndarray):
        return x.shape
    return tuple(map(outline, _parts(x).values())) if _parts(x) else ()


class Memory(tuple):
    """Stands for where its one item lies, not for what that holds; a copied record has it beside what was copied."""
    __slots__ = ()

    def lies_as(self, other: Memory) -> bool:
        """Whether the two overlap alike with anything else; numbers don't overlap."""
        (a,), (b,) = self, other
        if isinstance(a, tuple) and isinstance(b, tuple):
            return len(a) == len(b) and all(Memory((p,)).lies_as(Memory((q,))) for p, q in zip(a, b))
        if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
            return a is b or isinstance(a, _NUMERIC) and isinstance(b, _NUMERIC)
        return a.shape == b.shape and (not a.size or (address(a), a.strides) == (address(b), b.strides))


def memory_of(x: Any) -> Memory:
    """Where `x` lies.

    >>> a = np.zeros(4)
    >>> memory_of(a[1:]).lies_as(memory_of(a[1:])), memory_of(a[1:]).lies_as(memory_of(a[:-1]))
    (True, False)
    """
    return Memory((x,))


def _snapshot(x: Any, memo: dict[int, Any]) -> Any:
    """A copy of arrays and containers, however deep; all else as it is."""
    if isinstance(x, Memory):
        return x
    if id(x) in memo:
        return memo[id(x)]
    if isinstance(x, np.ndarray):
        memo[id(x)] = x.copy()
    elif isinstance(x, (list, tuple)):
        memo[id(x)] = [_snapshot(part, memo) for part in x]
    elif isinstance(x, dict):
        memo[id(x)] = {key: _snapshot(part, memo) for key, part in x.items()}
    else:
        return x
    return memo[id(x)]


def _same(x: Any, old: Any) -> bool:
    """Whether `x` is what the snapshot shows."""
    match old:
        case Memory():
            return x.lies_as(old)
        case np.ndarray():
            return isinstance(x, np.ndarray) and _same_array(x, old)
        case list():
            return isinstance(x, (list, tuple)) and len(x) == len(old) and all(map(_same, x, old))
        case dict():
            return isinstance(x, dict) and x.keys() == old.keys() and all(_same(x[k], old[k]) for k in old)
        case int() | float() | complex() | np.generic():
            return type(x) is type(old) and (x == old or x != x and old != old)
    return x is old or type(x) is type(old) and isinstance(old, (str, bytes)) and x == old


def _same_array(x: np.ndarray, old: np.ndarray) -> bool:
    inexact = old.dtype.kind in "fc"
    return x.dtype == old.dtype and x.shape == old.shape and np.array_equal(x, old, equal_nan=inexact)


# ---------------------------------------------------------------- adjoints

def check_zero(where: str, bar: Any) -> None:
    """Nothing is left of an adjoint whose primal nobody has bound yet.

    >>> check_zero("`x_bar`", np.zeros(3))
    """
    left = [a for a in (_arrays(bar, {}) or [bar]) if isinstance(a, (np.ndarray, int, float, complex)) and np.any(a)]
    if left:
        _fail(where, f"an adjoint of {left[0]!r:.100} is lost")


# what may neither be dropped nor moved across a write
ASSERTIONS = frozenset((check_kind, check_view, check_separate, note_unwritten, check_unwritten, remember, check_held,
                        check_all_met, check_zero))
