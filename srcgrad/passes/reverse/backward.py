"""The reverse pass: folds the statements of a block backwards into their adjoints.

It knows no tape.  An adjoint statement reads primal names as they were before its own statement; `passes.place`
decides what must be saved for that.
"""
from __future__ import annotations

from srcgrad.analysis.interpret.expressions import Refused
from srcgrad.lang.core import (
    Bind,
    Comment,
    Effect,
    For,
    If,
    Refuse,
    Return,
    Statement,
    Store,
    Try,
    Unpack,
    While,
    With,
)
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.bindings import Bindings
from srcgrad.passes.reverse.branches import Branches
from srcgrad.passes.reverse.changes import Changes, change_of
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.contribute import Contributor
from srcgrad.passes.reverse.loops import Loops
from srcgrad.passes.reverse.rules import RuleApplier
from srcgrad.passes.reverse.steps import Step
from srcgrad.passes.reverse.stores import Stores
from srcgrad.passes.reverse.tries import Guards

Block = tuple[Statement, ...]


class Backward:
    """Reverses blocks; each kind of statement has a file of its own."""

    def __init__(self, context: Context) -> None:
        self.c = context
        self.contributor = Contributor(context)
        self.rules = RuleApplier(context, self.contributor)
        self.bindings = Bindings(context, self.contributor, self.rules)
        self.stores = Stores(context, self.contributor)
        self.changes = Changes(context, self.contributor, self.bindings.settle)
        self.branches = Branches(context, self.contributor, self)
        self.loops = Loops(context, self.contributor, self)
        self.guards = Guards(context, self.contributor, self.branches, self)

    def block(self, block: Block, state: State) -> list[Step]:
        """The steps of a block in forward order; `state` goes from the adjoints after the block to those before."""
        steps = []
        for stmt in reversed(block):
            if stmt in self.c.facts.refused:
                refusal = self.c.facts.refused[stmt]
                steps.append(Step(Refuse(refusal.what, refusal.remedy, at=refusal.at or stmt.at)))
                continue
            if stmt not in self.c.facts.before:
                continue
            if isinstance(stmt, (Bind, Unpack, Store, Effect)) and stmt not in self.c.facts.after:
                # it always raises, as far as is known; nobody may go on from here without an adjoint
                ended = Refuse("a call ended here that was thought never to end", "Write it in place.", at=stmt.at)
                steps.extend((Step(Comment(""), forward=ended), Step(stmt)))
                continue
            try:
                steps.append(self.statement(stmt, state))
            except Refused as refusal:
                steps.append(Step(Refuse(refusal.what, refusal.remedy, at=refusal.at or stmt.at)))
        return steps[::-1]

    def statement(self, stmt: Statement, state: State) -> Step:
        change = change_of(self.c, stmt)
        if change is not None:
            return self.changes.reverse(stmt, change, state)
        match stmt:
            case Bind():
                return self.bindings.bind(stmt, state)
            case Unpack():
                return self.bindings.unpack(stmt, state)
            case Store():
                return self.stores.store(stmt, state)
            case Effect():
                call = self.bindings.calls.applied(stmt, stmt.value)
                return self.stores.effect(stmt, state) if call is None \
                    else self.bindings.calls.reverse(stmt, None, call, state)
            case If():
                return self.branches.reverse(stmt, state)
            case For() | While():
                return self.loops.reverse(stmt, state)
            case Try():
                return self.guards.try_(stmt, state)
            case With():
                return self.guards.with_(stmt, state)
            case Return() | Comment() | Refuse():
                return Step(stmt)
        return Step(stmt)
