"""Puts the checks into the two parts of a function."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from srcgrad.lang import names
from srcgrad.lang.core import (
    Bind,
    Call,
    Comment,
    Const,
    Dict,
    For,
    If,
    List,
    Name,
    Statement,
    Store,
    Unpack,
    While,
    blocks,
    with_blocks,
)
from srcgrad.passes.check.facts import FactChecks, where_of
from srcgrad.passes.check.reads import Reads
from srcgrad.passes.lower.jumps import before_leaving, breaks
from srcgrad.passes.place import Placed
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.steps import Step
from srcgrad.runtime import checks

Block = list[Statement]
COMPOUND = (If, For, While)


@dataclass(frozen=True, eq=False)
class Mark:
    """A place in the backward part: before it nothing is compared yet.

    kind: `before` or `after` the statement, at the `start` of its k-th block, `decision` or `trips`.
    """
    key: int
    kind: str
    stmt: Statement
    k: int
    values: Dict


class Checker:
    """Marks the adjoints of steps; when these have been placed, puts the checks in."""

    def __init__(self, context: Context, steps: list[Step]) -> None:
        self.c, self.facts, self.steps = context, context.facts, steps
        self.primal = names.local(context.unit.code)
        self.marks: dict[Statement, Mark] = {}
        self.at: dict[tuple[str, Statement, int], list[Mark]] = {}
        self.seen, self.notes = context.fresh.name("seen"), context.fresh.name("unwritten")
        self.known = FactChecks(context, self.primal, self.notes)
        self.reads = Reads(context, self.primal)
        self._mark_block(steps)

    # ------------------------------------------------------------ marks

    def _mark_block(self, steps: list[Step]) -> None:
        for step in steps:
            if isinstance(step.stmt, COMPOUND):
                self._mark_compound(step)
            elif step.forward is None:
                self._mark(step.adjoint, "before" if isinstance(step.stmt, Store) else "after", step.stmt)

    def _mark_compound(self, step: Step) -> None:
        self._mark(step.first, "after", step.stmt)
        kind = "decision" if isinstance(step.stmt, If) else "trips"
        step.first.append(self._new_mark(kind, step.stmt, 0, Dict((), ())))
        for k, (inner, tail) in enumerate(zip(step.inner, step.tails)):
            self._mark(tail, "start", step.stmt, k)
            self._mark_block(inner)

    def _mark(self, adjoint: Block, kind: str, stmt: Statement, k: int = 0) -> None:
        values = self.reads.of(adjoint)
        if values.keys:
            adjoint.insert(0, self._new_mark(kind, stmt, k, values))

    def _new_mark(self, kind: str, stmt: Statement, k: int, values: Dict) -> Comment:
        comment = Comment(f"check {len(self.marks)}")
        self.marks[comment] = Mark(len(self.marks), kind, stmt, k, values)
        return comment

    # ------------------------------------------------------------ the whole function

    def insert(self, placed: Placed, state: State) -> Placed:
        """The placed parts with all checks in them; `state` has the adjoints at the end of the backward part."""
        backward = self._backward(placed.backward)
        bound = {p.name for p in self.c.unit.code.params}
        opening: Block = []
        for name in sorted(bound & self.facts.entry.keys()):
            self.known.of_name(opening, "at the start", None, name, self.facts.entry, bound)
        forward = self._forward(placed.forward, self.steps, bound)
        closing = self.known.call(checks.check_unwritten, Name(self.notes))
        before = [Bind((self.seen,), (Dict((), ()),)), Bind((self.notes,), (List(()),)), *self.known.before]
        return replace(placed, before=[*before, *opening, *placed.before],
                       forward=[*forward[:-1], closing, *forward[-1:]],
                       backward=[*backward, closing, *self._ending(state)])

    def _ending(self, state: State) -> Iterator[Statement]:
        params = {p.name for p in self.c.unit.code.params}
        yield self.known.call(checks.check_all_met, Name(self.seen), Const("at the end"))
        primal = {bar: name for name, bar in self.c.bars.items()}
        given = {self.c.buffer_name(s) for s in self.c.holders if s.origin == "argument"}      # their gradients
        for bar in sorted(state.have.keys() - given):
            if primal.get(bar) in self.primal - params:
                yield self.known.call(checks.check_zero, Const(f"at the end, `{bar}`"), Name(bar))

    # ------------------------------------------------------------ the forward part

    def _forward(self, block: Block, steps: list[Step], bound: set[str]) -> Block:
        """`bound` holds the names that certainly have a value, and grows."""
        origin = {step.forward or step.stmt: step.stmt for step in steps}
        compound = iter([step for step in steps if isinstance(step.stmt, COMPOUND)])
        out: Block = []
        for stmt in block:
            if isinstance(stmt, COMPOUND):
                self._forward_compound(stmt, next(compound), bound, out)
            elif stmt in origin:
                self._forward_simple(stmt, origin[stmt], bound, out)
            else:
                out.append(stmt)
        return out

    def _forward_simple(self, stmt: Statement, old: Statement, bound: set[str], out: Block) -> None:
        if isinstance(old, Store):
            self.known.of_place(old, bound, out)
        out.extend(self._remembered("before", old))
        out.append(stmt)
        bound.update(names.bound_by(stmt))
        env = self.facts.after.get(old)
        if env is not None and isinstance(old, (Bind, Unpack)):
            for name in old.names:
                self.known.of_name(out, where_of(old), old, name, env, bound)
        out.extend(self._remembered("after", old))

    def _forward_compound(self, stmt: Statement, step: Step, bound: set[str], out: Block) -> None:
        old = step.stmt
        inner: list[tuple[Statement, ...]] = []
        ends: list[set[str]] = []
        for k, block in enumerate(blocks(stmt)):
            own = set(bound)
            steps = step.inner[k] if k < len(step.inner) else []
            head = self._head(old, steps, own)
            body = [*self._remembered("start", old, k), *head, *self._forward(list(block), steps, own)]
            inner.append(tuple(self._watched(old, k, body)))
            ends.append(own)
        if isinstance(old, If):
            bound |= ends[0] & ends[1]
        after: Block = []
        env = self.facts.after.get(old, {})
        for name in sorted(names.bound((old,)) & bound & env.keys()):
            self.known.of_name(after, f"after {where_of(old)}", None, name, env, bound)
        after.extend(self._remembered("after", old))
        whole = (with_blocks(stmt, tuple(inner)),)
        if not isinstance(old, If) or not breaks(whole):
            out.extend((*whole, *after))
            return
        # what holds after it holds before a break only as far as the adjoint knows
        marks = list(self._remembered("after", old))
        out.extend(before_leaving(whole, lambda: marks))

    def _head(self, old: Statement, steps: list[Step], bound: set[str]) -> Block:
        """At the start of an iteration all that the loop binds is as its head says."""
        out: Block = []
        if isinstance(old, For):
            bound.add(old.target)
        if isinstance(old, (For, While)) and steps:
            env = self.facts.before.get(steps[0].stmt, {})
            for name in sorted(names.bound((old,)) & bound & env.keys()):
                self.known.of_name(out, f"at the head of {where_of(old)}", None, name, env, bound)
        return out

    def _watched(self, old: Statement, k: int, body: Block) -> Block:
        """Which way an `if` goes, and what a loop runs over, is remembered at the end of each block."""
        for mark in self.at.get(("decision", old, 0), ()):
            decision = Dict((Const("the decision"),), (Const(k == 0),))
            body = self._at_the_end(body, mark, decision)
        for mark in self.at.get(("trips", old, 0), ()):
            if k == 0 and isinstance(old, For):
                kept = self.c.fresh.name(f"{old.target}_kept")
                values = Dict((Const(f"`{old.target}`"),), (Name(kept),))
                body = self._at_the_end([Bind((kept,), (Name(old.target),)), *body], mark, values)
            elif k == 0:
                body = self._at_the_end(body, mark, Dict((), ()))
        return body

    def _at_the_end(self, body: Block, mark: Mark, values: Dict) -> Block:
        return list(before_leaving(tuple(body), lambda: [self._remember(mark, values)]))

    def _remembered(self, kind: str, stmt: Statement, k: int = 0) -> Iterator[Statement]:
        for mark in self.at.get((kind, stmt, k), ()):
            yield self._remember(mark, mark.values)

    def _remember(self, mark: Mark, values: Dict) -> Statement:
        return self.known.call(checks.remember, Name(self.seen), Const(mark.key), values)

    # ------------------------------------------------------------ the backward part

    def _backward(self, block: Block) -> Block:
        """The marks as comparisons; those that were kept are noted, and no others are remembered."""
        out: Block = []
        for stmt, following in zip(block, [*block[1:], None]):
            mark = self.marks.get(stmt)
            if mark is None:
                whole = with_blocks(stmt, tuple(tuple(self._backward(list(b))) for b in blocks(stmt)))
                trips = self._trips_of(block, stmt)
                if trips is not None and isinstance(whole, For):
                    whole = replace(whole, body=(self._trip(trips, whole), *whole.body))
                out.append(whole)
            elif mark.kind not in ("decision", "trips"):
                self._keep(mark)
                out.append(self._held(mark, mark.values))
            elif isinstance(mark.stmt, If) and isinstance(following, If):
                self._keep(mark)
                decided = Call(Name("bool"), (mark.stmt.test,))
                out.append(self._held(mark, Dict((Const("the decision"),), (decided,))))
        return out

    def _trips_of(self, block: Block, stmt: Statement) -> Mark | None:
        """The mark right before a reversed loop."""
        k = next(k for k, s in enumerate(block) if s is stmt)
        mark = self.marks.get(block[k - 1]) if k and isinstance(stmt, For) else None
        return mark if mark is not None and mark.kind == "trips" else None

    def _trip(self, mark: Mark, loop: For) -> Statement:
        self._keep(mark)
        if isinstance(mark.stmt, For):
            return self._held(mark, Dict((Const(f"`{loop.target}`"),), (Name(loop.target),)))
        return self._held(mark, Dict((), ()))

    def _keep(self, mark: Mark) -> None:
        self.at.setdefault((mark.kind, mark.stmt, mark.k), []).append(mark)

    def _held(self, mark: Mark, values: Dict) -> Statement:
        return self.known.call(checks.check_held, Name(self.seen), Const(mark.key), Const(where_of(mark.stmt)), values)
