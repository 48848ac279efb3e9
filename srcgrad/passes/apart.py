"""Calls that stay calls and may write what they are given, as statements of their own.

        y = 2.0 * f(a, n - 1) + a[0]    ->      t = f(a, n - 1); y = 2.0 * t + a[0]

What they write has a derivative, also where what they give has none.
"""
from __future__ import annotations

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import reach
from srcgrad.analysis.values import Lazy
from srcgrad.lang.core import Attr, Bind, Call, Effect, Expr, Star, Statement
from srcgrad.passes.inline import Inliner
from srcgrad.passes.outer_names import with_own_names
from srcgrad.passes.placeable import Kept
from srcgrad.passes.unit import Unit


def apart(unit: Unit, facts: Facts) -> Unit | None:
    """The function with such calls by themselves, or None where they are."""
    work = _Apart(unit, facts, Kept())
    body = work.block(unit.code.body)
    return with_own_names(unit, body, work.bound_outside) if work.changed else None


class _Apart(Inliner):
    def _changes(self, stmt: Statement, expr: Expr) -> bool:
        found = self.facts.callees.get((stmt, id(expr)))
        if found is None or not isinstance(expr, Call) or self._is_alone(stmt, expr) \
                or isinstance(self.facts.kind(stmt, expr).value, Lazy):
            return False
        given = [a.value if isinstance(a, Star) else a for a in expr.args] + [v for _, v in expr.kwargs]
        given += [expr.func.value] if found[1] and isinstance(expr.func, Attr) else []
        return any(map(self.facts.written, reach([self.facts.kind(stmt, e) for e in given])))

    def _is_alone(self, stmt: Statement, expr: Expr) -> bool:
        return isinstance(stmt, Effect) and stmt.value is expr \
            or isinstance(stmt, Bind) and len(stmt.names) == 1 and stmt.values[0] is expr

    def _callee(self, stmt: Statement, expr: Expr) -> None:
        """Nothing is put in place."""

    def hoist(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        new = super().hoist(stmt, expr, before)
        if not self._changes(stmt, expr):
            return new
        self.changed = True
        return self.name(new, before)


__all__ = ["apart"]
