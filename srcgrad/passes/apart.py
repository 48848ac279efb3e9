"""Calls that stay calls and write what they are given, as statements of their own.

        y = 2.0 * f(a, n - 1) + a[0]    ->      t = f(a, n - 1); y = 2.0 * t + a[0]
        y = items.append(v) or v        ->      items.append(v); y = None or v

What they write has a derivative, also where what they give has none.
"""
from __future__ import annotations

import numpy as np

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import reach
from srcgrad.analysis.values import DictOf, Known, Lazy, ListOf
from srcgrad.lang.core import Attr, Bind, Call, Const, Effect, Expr, Star, Statement
from srcgrad.passes.inline import Inliner
from srcgrad.passes.outer_names import with_own_names
from srcgrad.passes.placeable import Kept
from srcgrad.passes.reverse.changes import LIST_METHODS
from srcgrad.passes.unit import Unit
from srcgrad.runtime import containers

_WRITERS = (containers.permute, object.__setattr__, delattr)


def apart(unit: Unit, facts: Facts) -> Unit | None:
    """The function with such calls by themselves, or None where they are."""
    work = _Apart(unit, facts, Kept())
    body = work.block(unit.code.body)
    return with_own_names(unit, body, work.bound_outside) if work.changed else None


class _Apart(Inliner):
    def _changes(self, stmt: Statement, expr: Expr) -> bool:
        if not isinstance(expr, Call) or isinstance(stmt, Effect) and stmt.value is expr \
                or isinstance(self.facts.kind(stmt, expr).value, Lazy):
            return False
        if self._gives_nothing(stmt, expr):
            return True
        alone = isinstance(stmt, Bind) and len(stmt.names) == 1 and stmt.values[0] is expr
        return not alone and (self._takes_out(stmt, expr) or self._writes(stmt, expr))

    def _writes(self, stmt: Statement, call: Call) -> bool:
        """Whether it is a function of the user that writes what it is given."""
        found = self.facts.callees.get((stmt, id(call)))
        if found is None:
            return False
        given = [a.value if isinstance(a, Star) else a for a in call.args] + [v for _, v in call.kwargs]
        given += [call.func.value] if found[1] and isinstance(call.func, Attr) else []
        return any(map(self.facts.written, reach([self.facts.kind(stmt, e) for e in given])))

    def _takes_out(self, stmt: Statement, call: Call) -> bool:
        return self._is_method(stmt, call, ("pop", "popitem"))

    def _gives_nothing(self, stmt: Statement, call: Call) -> bool:
        """Whether it changes a container, or an array, and gives None."""
        known = self.facts.kind(stmt, call.func).value
        if isinstance(known, Known):
            return any(known.obj is writer for writer in _WRITERS) \
                or isinstance(known.obj, type(np.add.at)) and known.obj == np.add.at
        return self._is_method(stmt, call, (*LIST_METHODS, "clear"))

    def _is_method(self, stmt: Statement, call: Call, names: tuple[str, ...]) -> bool:
        return isinstance(call.func, Attr) and call.func.name in names \
            and isinstance(self.facts.value(stmt, call.func.value), (ListOf, DictOf))

    def _callee(self, stmt: Statement, expr: Expr) -> None:
        """Nothing is put in place."""

    def hoist(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        new = super().hoist(stmt, expr, before)
        if not self._changes(stmt, expr):
            return new
        self.changed = True
        if isinstance(expr, Call) and self._gives_nothing(stmt, expr):
            before.append(Effect(new, at=expr.at or stmt.at))
            return Const(None)
        return self.name(new, before)


__all__ = ["apart"]
