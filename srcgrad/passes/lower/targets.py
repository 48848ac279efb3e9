"""Targets of assignments: names, places, and tuples of both.

    (a, b), c[0] = v    becomes    t, c_1 = v
                                   a, b = t
                                   c[0] = c_1
"""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, parse
from srcgrad.passes.lower.context import Lowering, Statements


def bind(target: Any, value: core.Expr, low: Lowering, at: core.At | None) -> Statements:
    """The statements that assign the value, which is evaluated once."""
    match parse.kind(target):
        case "Name":
            return [core.Bind((target.id,), (value,), at=at)]
        case "Tuple" | "List":
            return _taken_apart(target.elts, value, low, at)
    return [core.Store(low.expr(target), None, value, at=at)]


def _taken_apart(targets: list[Any], value: core.Expr, low: Lowering, at: core.At | None) -> Statements:
    """Nothing may be bound before the places left of it are stored, whose indices may read it."""
    star = next((i for i, t in enumerate(targets) if parse.kind(t) == "Starred"), None)
    plain = [t.value if parse.kind(t) == "Starred" else t for t in targets]
    if isinstance(value, (core.Tuple, core.List)) and _fits(value.items, targets):
        names, later = _named(plain, low, at)
        return _parallel(names, value.items, at) + later
    names, later = _named(plain, low, at)
    return [core.Unpack(tuple(names), value, star, at=at), *later]


def _named(targets: list[Any], low: Lowering, at: core.At | None) -> tuple[list[str], Statements]:
    """A name for each target, and what is left to do once they are bound."""
    names: list[str] = []
    later: Statements = []
    for target in targets:
        if parse.kind(target) == "Name" and not later:
            names.append(target.id)
        else:
            names.append(low.fresh.name(hint(target)))
            later += bind(target, core.Name(names[-1], at=low.at(target)), low, at)
    return names, later


def _fits(items: tuple[core.Expr, ...], targets: list[Any]) -> bool:
    starred = any(isinstance(i, core.Star) for i in items) or any(parse.kind(t) == "Starred" for t in targets)
    return bool(items) and len(items) == len(targets) and not starred


def _parallel(names: list[str], values: tuple[core.Expr, ...], at: core.At | None) -> Statements:
    if len(set(names)) == len(names):
        return [core.Bind(tuple(names), values, at=at)]
    return [core.Unpack(tuple(names), core.Tuple(values), None, at=at)]


def hint(target: Any) -> str:
    """What to call the value that goes to a target."""
    match parse.kind(target):
        case "Name":
            return target.id
        case "Attribute":
            return target.attr
        case "Subscript":
            return hint(target.value)
    return "t"
