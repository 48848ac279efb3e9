"""The reverse of `try` and `with`.

A `try` went one way: to the end of its body and its `else`, or into a handler.  Where nothing that the body did before
the exception is read afterwards, the handlers' reverse skips the body's; else the body's reverse comes after that of
either way, and each of its statements knows whether it happened (`passes.tries`).
"""
from __future__ import annotations

from srcgrad.lang.core import Statement, Try, With
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.branches import Branches, ReversesBlocks, settle
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.contribute import Contributor, Out
from srcgrad.passes.reverse.steps import Step


class Guards:
    def __init__(self, context: Context, contributor: Contributor, branches: Branches, blocks: ReversesBlocks) -> None:
        self.c, self.contributor, self.branches, self.blocks = context, contributor, branches, blocks

    def with_(self, stmt: With, state: State) -> Step:
        return Step(stmt, inner=[self.blocks.block(stmt.body, state)])

    def try_(self, stmt: Try, state: State) -> Step:
        """The step's blocks: body, else, the handlers, finally; its tails: those of each way."""
        final = self.blocks.block(stmt.final, state)
        first: Out = []
        settle(self.c, self.contributor, stmt, state, first)
        states = [state.copy() for _ in (stmt.body, *stmt.handlers)]
        tails: list[Out] = [[] for _ in states]
        orelse = self.blocks.block(stmt.orelse, states[0])
        handlers = [self.blocks.block(body, s) for (_, _, body), s in zip(stmt.handlers, states[1:])]
        counted = stmt in self.c.tries.counted
        body = [] if counted else self.blocks.block(stmt.body, states[0])
        self._meet(stmt, states, state, tails)
        if counted:
            body = self.blocks.block(stmt.body, state)
        return Step(stmt, first=first, inner=[body, orelse, *handlers, final], tails=tails)

    def _meet(self, stmt: Statement, states: list[State], state: State, tails: list[Out]) -> None:
        self.branches.agree(stmt, states, state, tails)
        state.masks = {}
