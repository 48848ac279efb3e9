"""What the parts of `passes.place` share."""
from __future__ import annotations

from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.lang import names
from srcgrad.lang.core import Comment, Expr, If, Statement, Try, Unary
from srcgrad.passes.needs import Needs
from srcgrad.passes.reads import Block, Reads
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.steps import Step


class Placing:
    """What the walk keeps: see `passes.place`."""
    c: Context
    facts: Facts
    reads: Reads
    plain: bool
    before: Block
    stacks: dict[Any, str]
    declared: set[str]
    late: dict[Statement, frozenset[str]]
    tried: dict[tuple[int, Needs, int], tuple[Block, Block, Needs]]
    trying: int
    counting: bool
    covered: frozenset[str]
    half: list[tuple[Expr, tuple[Statement, ...]]]

    def block(self, steps: list[Step], needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        raise NotImplementedError

    def _save_name(self, name: str, stmt: Statement, depth: int, saves: Block, restores: Block) -> None:
        raise NotImplementedError

    def _stack(self, key: Any, name: str, depth: int = 1) -> str:
        raise NotImplementedError

    def _push(self, stack: str, value: Expr) -> Statement:
        raise NotImplementedError


def bound_of(step: Step) -> tuple[str, ...]:
    """The names that a step's forward statement binds."""
    return tuple(n for n in names.bound_by(step.forward or step.stmt) if n != "_" and not isinstance(step.stmt, Try))


def reversed_if(test: Expr, body: tuple[Statement, ...], orelse: tuple[Statement, ...]) -> If:
    if not has_work(body):
        return If(Unary("not", test), orelse)
    return If(test, body, orelse if has_work(orelse) else ())


def has_work(block: Any) -> bool:
    return any(not isinstance(s, Comment) for s in block)
