"""What a subscript gives: the abstract value of `value[index]`."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.objects import of_object
from srcgrad.analysis.interpret.standins import Unify, broadcast, number_like
from srcgrad.analysis.lengths import clamp, slice_length
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
    join,
    number_of,
)


@dataclass(frozen=True)
class SliceOf(Value):
    """lower:upper:step in an index; a part that isn't there is None or Known(None)."""
    lower: Value | None = None
    upper: Value | None = None
    step: Value | None = None


Index = Value | tuple[Value, ...]
_BOOL = np.dtype(bool)


class _Unclear(Exception):
    """Nothing can be said of the result."""


def getitem(value: Value, index: Index, unify: Unify = lambda p, q: None) -> Value:
    """The abstract value of `value[index]`; a Python tuple of values is an index of several entries.

    >>> getitem(Array(np.dtype("f8"), (Linear(4), Linear(3))), Known(0)).dims
    (Linear(const=3, terms=()),)
    """
    try:
        match value:
            case Array():
                return _array_item(value, _entries(index), unify)
            case Known(obj):
                return _known_item(obj, _single(index))
            case TupleOf() | ListOf() | DictOf() | RangeOf() | ShapeOf():
                return _container_item(value, _single(index))
    except _Unclear:
        pass
    return UNKNOWN


# ---------------------------------------------------------------- containers

def _single(index: Index) -> Value:
    if isinstance(index, tuple):
        return TupleOf(index)
    return _as_slice(index)


def _container_item(value: Value, index: Value) -> Value:
    match value, index:
        case TupleOf(items, cls), SliceOf():
            kept = items[_python_slice(index)]
            return TupleOf(kept, list if issubclass(cls, list) else tuple)
        case TupleOf(items), _:
            n = _constant(index)
            if n is None:
                return _any_of(items)
            return items[n] if -len(items) <= n < len(items) else UNKNOWN
        case ListOf() | RangeOf() | ShapeOf(), SliceOf():
            return value
        case ListOf(item), _:
            return UNKNOWN if item is None else item
        case RangeOf() | ShapeOf(), _:
            return Number("int")
        case DictOf(items, other), Known():
            found = next((v for k, v in items if Known(k) == index), other)
            return UNKNOWN if found is None else found
        case DictOf(items, other), _:
            return _any_of([v for _, v in items] + ([] if other is None else [other]))
    return UNKNOWN


def _any_of(items: Sequence[Value]) -> Value:
    return functools.reduce(join, items) if items else UNKNOWN


def _known_item(obj: Any, index: Value) -> Value:
    if isinstance(obj, (str, bytes)):
        where: Any = _python_slice(index) if isinstance(index, SliceOf) else _constant(index)
        try:
            return Known(obj[where])
        except (TypeError, IndexError):
            return UNKNOWN
    if isinstance(obj, (tuple, list, dict, range)):
        return _container_item(of_object(obj), index)
    return getitem(of_object(obj), index) if type(obj) is np.ndarray else UNKNOWN


def _python_slice(index: SliceOf) -> slice:
    parts = [None if _absent(part) else _constant(part) for part in (index.lower, index.upper, index.step)]
    if any(p is None and not _absent(part) for p, part in zip(parts, (index.lower, index.upper, index.step))):
        raise _Unclear
    return slice(*parts)


def _absent(part: Value | None) -> bool:
    return part is None or part == Known(None)


def _form(part: Value | None) -> Linear | None:
    number = None if part is None else number_of(part)
    return number.linear if number is not None and number.kind == "int" else None


def _constant(part: Value | None) -> int | None:
    form = _form(part)
    return None if form is None else form.constant


# ---------------------------------------------------------------- arrays

def _entries(index: Index) -> tuple[Value, ...]:
    if isinstance(index, TupleOf) and issubclass(index.cls, tuple):
        index = index.items
    return tuple(map(_as_entry, index if isinstance(index, tuple) else (index,)))


def _as_slice(entry: Value) -> Value:
    if isinstance(entry, Known) and isinstance(entry.obj, slice):
        parts = (entry.obj.start, entry.obj.stop, entry.obj.step)
        return SliceOf(*(None if p is None else Known(p) for p in parts))
    return entry


def _as_entry(entry: Value) -> Value:
    """An integer, a slice, None, Ellipsis, or an index array; raises where it is none of them."""
    match entry:
        case Known(np.ndarray() as obj):
            return of_object(obj)
        case TupleOf(items):
            return Array(_index_dtype(_any_of(items)), (Linear(len(items)), *_inner(_any_of(items))))
        case ListOf(item, cls) if item is not None and cls is list:
            return Array(_index_dtype(item), (None, *_inner(item)))
        case Array(dtype, dims) if dims is not None and dtype is not None and dtype.kind in "iub":
            return entry
        case SliceOf() | Known(None) | Known(slice()):
            return _as_slice(entry)
        case Known(obj) if obj is Ellipsis:
            return entry
    number = number_of(entry)
    if number is None or number.kind != "int":
        raise _Unclear
    return number


def _index_dtype(item: Value) -> np.dtype:
    match item:
        case Array(dtype) if dtype is not None and dtype.kind in "iub":
            return dtype
        case TupleOf(items):
            return _index_dtype(_any_of(items))
        case ListOf(inner) if inner is not None:
            return _index_dtype(inner)
    number = number_of(item)
    if number is None or number.kind not in ("int", "bool"):
        raise _Unclear
    return _BOOL if number.kind == "bool" else np.dtype(np.intp)


def _inner(item: Value) -> tuple[Linear | None, ...]:
    match item:
        case Array(_, dims) if dims is not None:
            return dims
        case TupleOf(items):
            return (Linear(len(items)), *_inner(_any_of(items)))
        case ListOf(inner) if inner is not None:
            return (None, *_inner(inner))
    return ()


def _array_item(value: Array, entries: tuple[Value, ...], unify: Unify) -> Value:
    if value.dims is None:
        return Array(value.dtype, None)
    full = _expanded(entries, len(value.dims))
    parts = _consume(value.dims, full)
    fancy = [i for i, (entry, _) in enumerate(parts) if isinstance(entry, Array) and entry.dims]
    if fancy:
        return Array(value.dtype, _fancy_dims(parts, unify))
    dims = tuple(d for _, kept in parts for d in kept)
    # an Ellipsis makes it a 0-d array and not a scalar
    whole = dims or len(full) != len(entries) or Known(Ellipsis) in entries
    return Array(value.dtype, dims) if whole else number_like(value.dtype)


def _width(entry: Value) -> int:
    """How many dimensions of the array an entry takes."""
    if isinstance(entry, Array) and entry.dtype == _BOOL:
        return len(entry.dims or ())
    return 0 if isinstance(entry, Known) else 1


def _expanded(entries: tuple[Value, ...], rank: int) -> tuple[Value, ...]:
    """The entries with full slices for the Ellipsis, or at the end."""
    missing = rank - sum(map(_width, entries))
    if missing < 0 or entries.count(Known(Ellipsis)) > 1:
        raise _Unclear
    at = entries.index(Known(Ellipsis)) if Known(Ellipsis) in entries else len(entries)
    return (*entries[:at], *(SliceOf() for _ in range(missing)), *entries[at + 1:])


_Part = tuple[Value, tuple[Linear | None, ...]]


def _consume(dims: tuple[Linear | None, ...], entries: tuple[Value, ...]) -> list[_Part]:
    """Each entry with the dimensions that it leaves (for an index array: its own)."""
    parts: list[_Part] = []
    at = 0
    for entry in entries:
        match entry:
            case SliceOf():
                parts.append((entry, (_slice_length(dims[at], entry),)))
            case Known():
                parts.append((entry, (Linear(1),)))
            case Array(dtype, own) if dtype == _BOOL:
                if not own:
                    raise _Unclear
                parts.append((entry, (None,)))
            case Array(_, own):
                parts.append((entry, own or ()))
            case _:
                parts.append((entry, ()))
        at += _width(entry)
    return parts


def _fancy_dims(parts: list[_Part], unify: Unify) -> tuple[Linear | None, ...]:
    """The dimensions with index arrays, which broadcast to one group: in their place if they stand side by side,
    else in front."""
    advanced = [i for i, (entry, _) in enumerate(parts) if isinstance(entry, (Array, Number))]
    group = broadcast([parts[i][1] for i in advanced], unify)
    together = advanced[-1] - advanced[0] + 1 == len(advanced)
    before = parts[:advanced[0]] if together else []
    after = [part for i, part in enumerate(parts) if i >= len(before) and i not in advanced]
    return (*(d for _, kept in before for d in kept), *group, *(d for _, kept in after for d in kept))


# ---------------------------------------------------------------- slices

def _slice_length(length: Linear | None, index: SliceOf) -> Linear | None:
    lower, upper = index.lower, index.upper
    step = 1 if _absent(index.step) else _constant(index.step)
    if length is None or step is None:
        return Linear(0) if length is not None and length.constant == 0 else None
    if length.constant is not None:
        try:
            return Linear(len(range(*_python_slice(index).indices(length.constant))))
        except ValueError:
            return None
        except _Unclear:
            pass
    if step in (1, -1) and _absent(lower) and _absent(upper):
        return length
    cut = _cut(length, lower, upper) if step == 1 else None
    if cut is not None:
        return length if cut == 0 else clamp(_unclamped(length) - Linear(cut))
    bounds = _form(lower), _form(upper)
    if step == 0 or any(form is None and not _absent(part) for form, part in zip(bounds, (lower, upper))):
        return None
    return slice_length(*bounds, step, length)


def _cut(length: Linear, lower: Value | None, upper: Value | None) -> int | None:
    """How much shorter `lower:upper` is than the whole, where that is a number."""
    start = 0 if _absent(lower) else _constant(lower)
    if start is None or start < 0:
        return None
    if _absent(upper):
        return start
    end = _form(upper)
    if end is None:
        return None
    if end.constant is not None:
        return start - end.constant if end.constant < 0 else None
    # `:n - 3` of a length n below 3 counts from the end again, and leaves something if n is 2
    over = (length - end).constant
    return start + over if over is not None and 0 <= over <= 2 else None


def _unclamped(length: Linear) -> Linear:
    match length.terms:
        case ((("clamp", Linear() as form), 1),) if length.const == 0:
            return form
    return length
