"""Gives arrays from outside that the function writes a name of their own, bound at its start.

        WORK[:] = x                     work = WORK
        y = WORK * 2            ->      work[:] = x
                                        y = work * 2

They are arguments that nobody passes: what the backward part needs of them is put into its record like any local
array, and what they hold in the end is put back when the backward part is done (`passes.assemble`).
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract, Storage
from srcgrad.errors import UnsupportedError
from srcgrad.lang.core import (
    At,
    Attr,
    Bind,
    Expr,
    Function,
    Name,
    Opaque,
    Statement,
    Store,
    blocks,
    children,
    expressions,
    map_expr,
    with_blocks,
)
from srcgrad.lang.names import local
from srcgrad.lang.printing import text
from srcgrad.passes.unit import Unit


def hold_outside(unit: Unit, facts: Facts, facts_of: Callable[[Unit], Facts]) -> tuple[Unit, Facts]:
    """The function with such names, and the facts of it."""
    work = _Holder(unit, facts)
    work.find(unit.code.body)
    if not work.names:
        return unit, facts
    body = work.block(unit.code.body)
    first = tuple(Bind((name,), (expr,), at=work.at[name]) for expr, name in work.names.items())
    unit = unit.with_body((*first, *body))
    return unit, facts_of(unit)


class _Holder:
    def __init__(self, unit: Unit, facts: Facts) -> None:
        self.unit, self.facts = unit, facts
        self.local = local(unit.code)
        self.names: dict[Expr, str] = {}
        self.at: dict[str, At | None] = {}

    def find(self, block: tuple[Statement, ...]) -> None:
        for stmt in block:
            if stmt in self.facts.before:
                for expr in expressions(stmt):
                    self._find(stmt, expr)
                for inner in blocks(stmt):
                    self.find(inner)
                self._check_place(stmt)

    def _check_place(self, stmt: Statement) -> None:
        if isinstance(stmt, Store) and stmt.op is None and stmt.place in self.names:
            raise UnsupportedError(f"`{text(stmt.place)}`, which isn't local, is set here, and the array that it holds "
                                   "is written", stmt.at, "Write into the array, or use a local one.")

    def _find(self, stmt: Statement, expr: Expr) -> None:
        if expr not in self.names and self._is_outer(expr) and self._written(self.facts.kind(stmt, expr), ()):
            hint = expr.id if isinstance(expr, Name) else expr.name if isinstance(expr, Attr) else "outer"
            lower = hint.lower().lstrip("_")
            name = self.unit.fresh.name(lower if lower != hint else f"{hint}_array")
            self.unit.outside[name] = expr
            self.names[expr], self.at[name] = name, stmt.at
        if expr in self.names or isinstance(expr, (Function, Opaque)):
            return
        for child in children(expr):
            self._find(stmt, child)

    def _is_outer(self, expr: Expr) -> bool:
        """A name that the function doesn't bind, or an attribute of such."""
        while isinstance(expr, Attr):
            expr = expr.value
        return isinstance(expr, Name) and expr.id not in self.local

    def _written(self, item: Abstract, seen: tuple[Storage, ...]) -> bool:
        """Whether an array from outside that can be reached is written."""
        parts = list(item.items or ())
        for ref in item.refs:
            if ref.storage.origin == "outer" and ref.storage.kind == "array" and self.facts.written(ref.storage):
                return True
            if ref.storage not in seen:
                seen = (*seen, ref.storage)
                parts += ref.storage.fields.values()
        return any(self._written(part, seen) for part in parts)

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(self._statement(stmt) for stmt in block)

    def _statement(self, stmt: Statement) -> Statement:
        if blocks(stmt):
            stmt = with_blocks(stmt, tuple(self.block(b) for b in blocks(stmt)))
        fields: dict[str, Any] = {}
        for name, value in vars(stmt).items():
            new = self._replaced(value)
            if new is not value:
                fields[name] = new
        return replace(stmt, **fields) if fields else stmt

    def _replaced(self, value: object) -> object:
        if isinstance(value, Expr):
            return map_expr(self._one, value)
        if isinstance(value, tuple) and any(isinstance(v, Expr) for v in value):
            new = tuple(map(self._replaced, value))
            return new if any(a is not b for a, b in zip(new, value)) else value
        return value

    def _one(self, expr: Expr) -> Expr:
        return Name(self.names[expr], at=expr.at) if expr in self.names else expr
