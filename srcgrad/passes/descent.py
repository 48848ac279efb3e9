"""Recursion that goes down a structure: a tree of lists, dicts, tuples or objects whose nesting is known.

        def total(tree):                                        total([x, [y, 2.0]])
            if isinstance(tree, list):              ->
                return sum(total(t) for t in tree)              0 + x + (0 + y + 2.0)
            return tree

Such calls are put in place like others, as long as each call inside of another one gets something that is nested less
deeply.  Where one doesn't, or where too much would be written, the function stays a function that calls itself.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.interpret.state import Abstract, Storage
from srcgrad.analysis.values import (
    Array,
    Closure,
    DictOf,
    Known,
    ListOf,
    ObjectOf,
    OneOf,
    TupleOf,
    Value,
    held,
    members,
    number_of,
)

DEEPEST = 12
Depths = Mapping[Any, int]


class Recursive(Exception):
    """A function calls itself, perhaps through others: it can't be put in place."""

    def __init__(self, code: Any) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Descent:
    """A recursive function that was put in place: how deeply arguments, by parameter, are nested that get shallower."""
    code: Any
    depths: tuple[tuple[Any, int], ...]


def nesting(value: Value) -> int | None:
    """How deeply containers are nested in the value; None where that isn't known."""
    match value:
        case ListOf() | TupleOf() | DictOf() | ObjectOf():
            inside = held(value)
        case OneOf(kinds):
            found = [nesting(kind) for kind in kinds]
            return None if None in found else max(n for n in found if n is not None)
        case Array() | Known() | Closure():
            return 0
        case _:
            return 0 if number_of(value) is not None else None
    depths = [nesting(part) for part in inside]
    deepest = None if None in depths else max((n for n in depths if n is not None), default=0) + 1
    return None if deepest is None or deepest > DEEPEST else deepest


def depth(item: Abstract) -> int | None:
    """How deeply what the value refers to is nested; None where that isn't known, or where it holds itself."""
    return _depth(item, ())


def _depth(item: Abstract, above: tuple[Storage, ...]) -> int | None:
    containers = [ref.storage for ref in item.refs if ref.storage.kind != "array"]
    if len(above) > DEEPEST or not set(containers).isdisjoint(above):
        return None
    if item.items is None and not containers:
        return nesting(item.value)
    kinds = [nesting(kind) for kind in members(item.value) if not isinstance(kind, (ListOf, TupleOf, DictOf, ObjectOf))]
    inside = [_depth(part, above) for part in item.items or ()]
    inside += [_depth(part, (*above, storage)) for storage in containers for part in storage.fields.values()]
    if None in inside or None in kinds:
        return None
    deepest = max((n for n in (*kinds, *inside) if n is not None), default=0) + 1
    return None if deepest > DEEPEST else deepest


def goes_down(code: Any, depths: Depths, around: Iterable[Any]) -> Descent | None:
    """The call as part of a descent, where it is one: `around` are the functions that were put in place around it."""
    outer = [entry for entry in around if isinstance(entry, Descent) and entry.code is code]
    if not outer:
        kept = tuple((name, n) for name, n in depths.items() if n > 0)
    else:
        kept = tuple((name, depths[name]) for name, n in outer[-1].depths if name in depths and depths[name] < n)
    return Descent(code, kept) if kept else None
