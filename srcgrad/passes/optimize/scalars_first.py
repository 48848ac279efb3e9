"""Write the number of a product first, as a person would."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcgrad.lang import core
from srcgrad.lang.core import Bin, Bind, Const, Expr, Name, Statement, Store, Unary
from srcgrad.passes.optimize.effects import Block, owner


def scalars_first(block: Block, kind: Callable[[Expr], str | None], pure: Callable[[Expr], bool],
                  targets: frozenset[str]) -> Block:
    """The block with numbers before arrays, and constants before all else, in what is bound or added to `targets`.

    Multiplication of two numbers or arrays commutes to the last bit. ::

        a_bar = u_bar[1:-1] * (nu * dt)      ->      a_bar = nu * dt * u_bar[1:-1]
        x_bar += b_bar * 2.0                         x_bar += 2.0 * b_bar
    """
    rules = _Rules(kind, pure)
    return tuple(_statement(stmt, rules, targets) for stmt in block)


def _statement(stmt: Statement, rules: _Rules, targets: frozenset[str]) -> Statement:
    match stmt:
        case Bind((name,), (value,)) if name in targets:
            return replace(stmt, values=(rules.sum(value),))
        case Store(place, _, value) if isinstance(root := owner(place), Name) and root.id in targets:
            return replace(stmt, value=rules.sum(value))
    return core.with_blocks(stmt, tuple(tuple(_statement(s, rules, targets) for s in b) for b in core.blocks(stmt)))


class _Rules:
    def __init__(self, kind: Callable[[Expr], str | None], pure: Callable[[Expr], bool]) -> None:
        self.kind, self.pure = kind, pure

    def sum(self, expr: Expr) -> Expr:
        match expr:
            case Bin("+" | "-", left, right):
                return replace(expr, left=self.sum(left), right=self.sum(right))
            case Bin("*", left, right) if self._is_behind(left, right):
                return replace(expr, left=right, right=left)
        return expr

    def _is_behind(self, left: Expr, right: Expr) -> bool:
        """Whether the second factor would better stand first; no product, which would then need parentheses."""
        if isinstance(left, Unary) or isinstance(left, Bin) and left.op in ("*", "/"):
            return False
        if not (self.pure(left) and self.pure(right)) or isinstance(left, Const):
            return False
        if isinstance(right, Const):
            return type(right.value) in (int, float) and self.kind(left) is not None
        return self.kind(left) == "array" and self.kind(right) == "number"
