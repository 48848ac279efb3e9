"""The reverse of `if`: the same decision, the branches reversed; adjoints that one branch lacks are zero there."""
from __future__ import annotations

import functools
from typing import Protocol

from srcgrad.analysis.values import Array, Number
from srcgrad.lang.core import Bind, Const, Expr, If, Name, Statement
from srcgrad.passes.reverse.adjoints import LAZY, OWN, SHARED, State, meet
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.contribute import Contributor, Out
from srcgrad.passes.reverse.masks import agreed
from srcgrad.passes.reverse.steps import Step


class ReversesBlocks(Protocol):
    def block(self, block: tuple[Statement, ...], state: State) -> list[Step]: ...


class Branches:
    def __init__(self, context: Context, contributor: Contributor, blocks: ReversesBlocks) -> None:
        self.c, self.contributor, self.blocks = context, contributor, blocks

    def reverse(self, stmt: If, state: State) -> Step:
        first: Out = []
        settle(self.c, self.contributor, stmt, state, first)
        before = dict(state.masks)
        states = [state.copy(), state.copy()]
        for s in states:
            s.masks = dict(before)
        inner = [self.blocks.block(body, s) for body, s in zip((stmt.body, stmt.orelse), states)]
        tails: list[Out] = [[], []]
        masks = agreed(self.c, states, tails)
        self.agree(stmt, states, state, tails)
        state.masks = masks
        return Step(stmt, first=first, inner=inner, tails=tails)

    def agree(self, stmt: Statement, states: list[State], state: State, tails: list[Out]) -> None:
        """All ways end with the same adjoints."""
        for bar in dict.fromkeys(bar for s in states for bar in s.have):
            hows = [s.have[bar] if s.has(bar) else self._zero(stmt, bar, tail) for s, tail in zip(states, tails)]
            state.set(bar, functools.reduce(meet, hows))
        for bar in list(state.have):
            if not any(s.has(bar) for s in states):
                state.drop(bar)

    def _zero(self, stmt: Statement, bar: str, out: Out) -> str:
        zero, how = zero_before(self.c, self.contributor, stmt, bar)
        out.append(Bind((bar,), (zero,)))
        return how


def primal_of(context: Context, bar: str) -> str | None:
    """The primal name whose adjoint this is."""
    for name, known in context.bars.items():
        if known == bar:
            return name
    return None


def zero_before(context: Context, contributor: Contributor, stmt: Statement, bar: str) -> tuple[Expr, str]:
    """A zero for an adjoint in the state before a statement: of full shape where the primal is there, else lazy."""
    name = primal_of(context, bar)
    item = context.facts.before.get(stmt, {}).get(name) if name is not None else None
    if name is None or item is None:
        if name is not None and context.holds_before(stmt, name):
            return contributor.zeros(stmt, name), OWN
        return Const(0.0), LAZY
    value = context.facts.value_of(item)
    if is_number(value) or context.either(item):
        return Const(0.0), SHARED
    if not context.is_bound(stmt, name):
        return Const(0.0), LAZY
    if isinstance(value, Array) and value.dims is None:
        return contributor.zeros(stmt, name), SHARED
    return contributor.zeros(stmt, name), OWN


def settle(context: Context, contributor: Contributor, stmt: Statement, state: State, out: Out) -> None:
    """Before control flow, lazy adjoints of arrays that are live become full."""
    for bar, how in list(state.have.items()):
        name = primal_of(context, bar)
        if how != LAZY or name is None or not context.is_bound(stmt, name, after=True):
            continue
        value = contributor.value_of(stmt, name)
        if isinstance(value, Array):
            shape = context.numpy("shape", Name(name))
            out.append(Bind((bar,), (context.numpy("broadcast_to", Name(bar), shape),)))
            state.set(bar, SHARED)
        elif isinstance(value, Number):
            state.set(bar, SHARED)


__all__ = ["Branches", "settle", "zero_before", "primal_of"]
