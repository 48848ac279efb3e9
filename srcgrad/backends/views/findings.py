"""What the analysis found out about each line of a function."""
from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from srcgrad.analysis.interpret.state import NOTHING, Abstract
from srcgrad.analysis.values import (
    Array,
    DictOf,
    Known,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
)
from srcgrad.backends.views.stretches import Stretch, surrounding
from srcgrad.compiler import Front
from srcgrad.lang import names
from srcgrad.lang.core import For, Item, Statement, Store, statements
from srcgrad.lang.names import root_name
from srcgrad.passes.unit import own_names

__all__ = ["arguments", "followed", "in_words", "kinds", "refusals"]

Notes = dict[int, list[str]]


def kinds(front: Front) -> Notes:
    """line -> what the names that it binds are, and whether they are active."""
    notes: Notes = defaultdict(list)
    found = front.unit.found
    own = own_names(found)
    for stmt in statements(front.unit.code.body):
        if stmt.at is not None and stmt.at.file == found.file:
            _note_kinds(notes, front, stmt, lambda name: name if name in own else None)
    return notes


def _note_kinds(notes: Notes, front: Front, stmt: Statement, written: Callable[[str], str | None]) -> None:
    """What the statement binds, and into what it writes; `written` gives a name as the user wrote it, or None."""
    assert front.facts is not None
    if stmt not in front.facts.after:
        return
    for name in names.bound_by(stmt):
        user = written(front.origin.get(name, name))
        item = _bound(front, stmt, name)
        # a name that nobody reads isn't followed
        if user is not None and item is not NOTHING:
            _note(notes, stmt, f"{user}: {_with_activity(front, item)}")
    if isinstance(stmt, Store) and isinstance(stmt.place, Item):
        root = front.origin.get(root_name(stmt.place), root_name(stmt.place))
        _note(notes, stmt, f"writes into {written(root) or root}")


def followed(front: Front) -> list[tuple[Stretch, Notes]]:
    """Functions of the user that were put in place, in the order of their first statements, with the same notes."""
    found: dict[Stretch, Notes] = {}
    own = Stretch.of(front.unit.found)
    for stmt in statements(front.unit.code.body):
        at = stmt.at
        stretch = None if at is None or own.holds(at) else surrounding(at.file, at.line)
        if at is None or stretch is None:
            continue
        notes = found.setdefault(stretch, defaultdict(list))
        _note_kinds(notes, front, stmt, functools.partial(_unnumbered, stretch.bound_at(at)))
    return list(found.items())


def _unnumbered(known: frozenset[str], name: str) -> str | None:
    """The name as it stood in a function, before it was told from others of that name."""
    stem = name if name in known else name.rstrip("0123456789").removesuffix("_")
    return stem if stem in known else None


def _bound(front: Front, stmt: Statement, name: str) -> Abstract:
    """What the statement binds the name to; a loop, at the beginning of its body."""
    assert front.facts is not None
    if isinstance(stmt, For) and stmt.body and stmt.body[0] in front.facts.before:
        return front.facts.before[stmt.body[0]].get(name, NOTHING)
    return front.facts.name_after(stmt, name)


def _note(notes: Notes, stmt: Statement, text: str) -> None:
    assert stmt.at is not None
    if text not in notes[stmt.at.line]:
        notes[stmt.at.line].append(text)


def arguments(front: Front) -> list[str]:
    """What each parameter is."""
    assert front.facts is not None
    entry = front.facts.entry
    return [f"{p.name}: {_with_activity(front, entry[p.name])}" if p.name in entry else f"{p.name}: not read"
            for p in front.unit.code.params]


def _with_activity(front: Front, item: Abstract) -> str:
    assert front.facts is not None
    return in_words(front.facts.value_of(item)) + (", active" if item.active else "")


def refusals(front: Front) -> Notes:
    """line -> why it couldn't be differentiated, where something active takes part."""
    notes: Notes = defaultdict(list)
    assert front.facts is not None
    for stmt, refused in front.facts.refused.items():
        at: Any = refused.at or stmt.at
        if at is not None and at.file == front.unit.found.file:
            text = f"refused: {refused.what}" + (f" ({refused.remedy})" if refused.remedy else "")
            if text not in notes[at.line]:
                notes[at.line].append(text)
    return notes


# ---------------------------------------------------------------- kinds in words

def in_words(value: Value) -> str:
    """A kind in a few words.

    >>> import numpy as np
    >>> in_words(Array(np.dtype(float), (None, None))), in_words(Array(None, None))
    ('float64 array of rank 2', 'a number or an array')
    """
    match value:
        case Array(None, None):
            return "a number or an array"
        case Array(dtype, dims):
            kind = "array" if dtype is None else f"{dtype} array"
            return kind if dims is None else f"{kind} of rank {len(dims)}" + _lengths(dims)
        case Number(kind, dtype):
            return kind if dtype is None else str(dtype)
        case Known(obj):
            return f"{obj!r:.40}" if not callable(obj) else str(getattr(obj, "__name__", "a function"))
        case TupleOf(items, cls):
            return f"{cls.__name__}({', '.join(map(in_words, items))})"
        case ListOf(item):
            return "an empty list" if item is None else f"list of {in_words(item)}"
        case DictOf(items, _):
            return "dict(" + ", ".join(f"{key}: {in_words(item)}" for key, item in items) + ")"
        case ObjectOf(cls, _):
            return cls.__name__
        case RangeOf():
            return "range"
        case OneOf(kinds):
            return " or ".join(map(in_words, kinds))
        case ShapeOf():
            return "a shape"
    return "unknown"


def _lengths(dims: tuple[Any, ...]) -> str:
    known = [(k, d.constant) for k, d in enumerate(dims) if d is not None and d.constant is not None]
    return "".join(f", length {n} along dimension {k}" for k, n in known)
