"""Makes loops ready to be reversed.

        while c: ...            n = 0; while c: n = n + 1; ...
        for i in range(k): k = ...      r = range(k); for i in r: k = ...
        for i in r: i = ...     for k in r: i = k; i = ...
        if c: c = ...           t = c; if t: c = ...
"""
from __future__ import annotations

from dataclasses import replace

from srcgrad.lang import names
from srcgrad.lang.core import Bin, Bind, Const, Expr, For, If, Name, Statement, While, blocks, names_read, with_blocks
from srcgrad.passes.unit import Unit


def prepare_loops(unit: Unit) -> tuple[Unit, dict[Statement, str], frozenset[str]]:
    """The function, the counter of each while, and the names that were made."""
    work = _Preparer(unit)
    return unit.with_body(work.block(unit.code.body)), work.counters, frozenset(work.made)


class _Preparer:
    def __init__(self, unit: Unit) -> None:
        self.fresh = unit.fresh
        self.counters: dict[Statement, str] = {}
        self.made: list[str] = []

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(new for stmt in block for new in self.statement(stmt))

    def statement(self, stmt: Statement) -> list[Statement]:
        if not blocks(stmt):
            return [stmt]
        whole = with_blocks(stmt, tuple(self.block(b) for b in blocks(stmt)))
        match whole:
            case While():
                return self._counted(whole)
            case For(_, it, body, _) if names_read(it) & names.bound(body):
                before, name = self._named("items", it, stmt)
                return [before, self._own_target(replace(whole, iter=name))]
            case For():
                return [self._own_target(whole)]
            case If(test, body, orelse) if names_read(test) & (names.bound(body) | names.bound(orelse)):
                before, name = self._named("cond", test, stmt)
                return [before, replace(whole, test=name)]
        return [whole]

    def _own_target(self, stmt: For) -> For:
        """A name that the body binds again isn't at an iteration's end what it was at its start."""
        if stmt.target not in names.bound(stmt.body):
            return stmt
        name = self.fresh.name(stmt.target)
        self.made.append(name)
        return replace(stmt, target=name, body=(Bind((stmt.target,), (Name(name),), at=stmt.at), *stmt.body))

    def _named(self, hint: str, value: Expr, stmt: Statement) -> tuple[Bind, Name]:
        name = self.fresh.name(hint)
        self.made.append(name)
        return Bind((name,), (value,), at=stmt.at), Name(name)

    def _counted(self, stmt: While) -> list[Statement]:
        counter = self.fresh.name("n")
        step = Bind((counter,), (Bin("+", Name(counter), Const(1)),), at=stmt.at)
        counted = replace(stmt, body=(step, *stmt.body))
        self.counters[counted] = counter
        return [Bind((counter,), (Const(0),), at=stmt.at), counted]
