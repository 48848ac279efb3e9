"""Gives every straight-line rebinding of a name a name of its own, so that old values needn't be saved.

        x = relu(x @ w)             x_1 = relu(x @ w)
        x = x @ v           ->      x_2 = x_1 @ v
        return np.sum(x)            return np.sum(x_2)

Bindings inside loops and branches go with the version that is current there.  `passes.optimize.naming` gives names
back where versions don't get into each other's way.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from srcgrad.lang import names
from srcgrad.lang.core import Bind, Expr, Name, Statement, Unpack, expressions, names_read, statements
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.unit import Unit

# Names that the generated text needs for itself, with the ending of what stands in for a variable that is called so.
OWN_MEANING = {"reversed": "_", "range": "_", "len": "_", "list": "_", "float": "_", "_": "blank"}


def number_versions(unit: Unit) -> tuple[Unit, dict[str, str]]:
    """The function with versions numbered, and version -> the user's name."""
    unit = _without_hidden_builtins(unit)
    captured = names.captured(unit.code.body)
    seen = {p.name for p in unit.code.params} - captured
    to: dict[str, Expr] = {}
    origin: dict[str, str] = {}
    out: list[Statement] = []
    for stmt in unit.code.body:
        out.append(_statement(stmt, to, origin, seen, unit.fresh, unit.made))
        seen |= names.bound((stmt,)) - captured
    return unit.with_body(tuple(out)), origin


def _statement(stmt: Statement, to: dict[str, Expr], origin: dict[str, str], seen: set[str],
               fresh: names.Fresh, made: set[str]) -> Statement:
    if not isinstance(stmt, (Bind, Unpack)):
        return rename_statement(stmt, to)
    old = rename_statement(stmt, to)
    targets = []
    for name in stmt.names:
        if name in seen:
            new = fresh.name(name)
            if name in made:
                made.add(new)
            to[name], origin[new] = Name(new), name
        targets.append(_current(name, to))
    assert isinstance(old, (Bind, Unpack))
    return replace(old, names=tuple(targets))


def _current(name: str, to: Mapping[str, Expr]) -> str:
    new = to.get(name)
    return new.id if isinstance(new, Name) else name


def _without_hidden_builtins(unit: Unit) -> Unit:
    """Variables have other names than those that the generated text needs; a `_` that nobody reads stays."""
    body = unit.code.body
    variables = names.bound(body) - {p.name for p in unit.code.params}
    read = {n for stmt in statements(body) for e in expressions(stmt) for n in names_read(e)}
    to: dict[str, Expr] = {name: Name(unit.fresh.name(name + ending)) for name, ending in OWN_MEANING.items()
                           if name in variables & read}
    return unit.with_body(tuple(rename_statement(stmt, to) for stmt in body)) if to else unit
