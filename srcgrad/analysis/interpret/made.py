"""What rewriting makes while a statement is followed again and again: the same each time."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import names
from srcgrad.lang.core import Expr, Statement


class Made:
    """Names for what rewriting holds, always the same ones for the same statement.

    >>> made = Made(names.Fresh({"k"}))
    >>> made(None, "k"), made(None, "k")
    ('k_1', 'k_1')
    """

    def __init__(self, fresh: names.Fresh) -> None:
        self._fresh = fresh
        self._known: dict[tuple[Any, str], str] = {}
        self._expressions: dict[tuple[int, Expr], tuple[Expr, Expr]] = {}

    def __call__(self, stmt: Statement | None, hint: str) -> str:
        if (stmt, hint) not in self._known:
            self._known[stmt, hint] = self._fresh.name(hint)
        return self._known[stmt, hint]

    def in_place_of(self, expr: Expr, new: Expr) -> Expr:
        """What was made in the place of an expression before, if it is written like `new`.

        Storages are known by the expression that makes them, so with a new one each time the walk would never settle.
        """
        return self._expressions.setdefault((id(expr), new), (expr, new))[1]
