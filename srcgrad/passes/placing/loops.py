"""Loops in `passes.place`: what their iterations need at both ends, and how they run backwards."""
from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from srcgrad.analysis.values import Array, Known, ListOf, RangeOf, ShapeOf, TupleOf, Value
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Slice,
    Statement,
    While,
    blocks,
)
from srcgrad.passes.needs import Needs, box_of, whole_arrays
from srcgrad.passes.placing.changing import may_change
from srcgrad.passes.placing.shared import Placing, bound_of, has_work
from srcgrad.passes.reads import Block
from srcgrad.passes.reverse.steps import Step, every_step

MOST_VISITS = 3         # of a loop, until parts of arrays that are needed grow to all of them


class Loops(Placing):
    def _loop(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, (For, While))
        targets = frozenset((stmt.target,)) if isinstance(stmt, For) else frozenset()
        needs, saved_target = self._save_target(stmt, needs, depth)
        (inner,), tail = step.inner, (step.tails or [[]])[0]
        parts = self.reads.parts
        head = needs | self.reads.of(tail, stmt)
        for visit in itertools.count():
            tried = self._dry(inner, head, depth + 1)
            end = tried[2]
            fresh = self._late_names(stmt, inner, needs, end)
            back = frozenset(k for k in end if not (k[0] == "name" and (k[1] in fresh or k[1] in targets)))
            back = parts.new(parts.earlier(back, stmt), head)
            if not back:
                break
            head = head | (back if visit < MOST_VISITS else whole_arrays(back))
        self._note_late(inner, fresh)
        ahead, behind, end = tried if self._needs_alone() else self.block(inner, head, depth + 1)
        pops = [Bind((n,), (Call(Attr(Name(self._stack(("late", self._definition(inner, n), n), n)), "pop")),))
                for n in sorted(fresh)]
        body = (*pops, *behind, *tail)
        out = frozenset(k for k in head if box_of(k) is None or k in needs)
        out = out | parts.new(parts.ever(frozenset(k for k in end if box_of(k) is not None), stmt), out)
        out = out | self.reads.of(step.first, stmt)
        out = frozenset(k for k in out if not (k[0] == "name" and k[1] in targets)) | \
            frozenset(k for k in self.reads.of(step.first, stmt))
        whole = replace(stmt, body=tuple(ahead))
        if not has_work(body):
            return [*saved_target[0], whole], [*step.first, *saved_target[1]], out
        if isinstance(stmt, For) and not self._can_be_run_again(stmt):
            note, whole, undo = self._recorded_loop(replace(stmt, body=tuple(ahead)), body, depth)
            return [*saved_target[0], *note, whole], [*step.first, *undo, *saved_target[1]], out
        loop = self._reversed_loop(stmt, body)
        out = out | self.reads.of_expr(loop.iter, stmt)
        return [*saved_target[0], whole], [*step.first, loop, *saved_target[1]], out

    def _dry(self, inner: list[Step], head: Needs, depth: int) -> tuple[Block, Block, Needs]:
        """What a body needs at its end, without keeping what was made."""
        # a loop asks several times, and so do those around it of all that is inside of them
        key = id(inner), head, len(self.reads.primal)
        if key in self.tried and not self._depends_on_more():
            return self.tried[key]
        kept = (list(self.before), dict(self.stacks), set(self.declared), dict(self.late))
        fresh = self.c.fresh.copy()
        self.trying += 1
        result = self.tried[key] = self.block(inner, head, depth)
        self.trying -= 1
        self.before, self.stacks, self.declared, self.late = kept
        self.c.fresh.go_back(fresh)
        return result

    def _needs_alone(self) -> bool:
        """Whether what is made now is going to be thrown away, and only asked what it needs."""
        return self.trying > 0 and not self._depends_on_more()

    def _depends_on_more(self) -> bool:
        """Whether what a block needs depends on more than what is needed after it."""
        return self.plain or self.counting

    def _save_target(self, stmt: For | While, needs: Needs, depth: int) -> tuple[Needs, tuple[Block, Block]]:
        saves: Block = []
        restores: Block = []
        if isinstance(stmt, For) and ("name", stmt.target) in needs:
            self._save_name(stmt.target, stmt, depth, saves, restores)
            needs = needs - {("name", stmt.target)}
        return needs, (saves, restores)

    def _late_names(self, stmt: For | While, inner: list[Step], before: Needs, end: Needs) -> frozenset[str]:
        """Names that each iteration binds once, at the top of its body, before anything reads them."""
        top = [n for s in inner for n in bound_of(s) if not isinstance(s.stmt, (For, While, If))]
        everywhere = Counter(n for s in inner for t in every_step(s) for n in (*bound_of(t), *self._counts(t)))
        live = self.facts.live.head[stmt]
        return frozenset(n for n in top if everywhere[n] == 1 and n not in live and ("name", n) not in before
                         and (("name", n) in end))

    def _counts(self, step: Step) -> tuple[str, ...]:
        """What a statement of a `try` counts on."""
        known = self.c.tries.steps.get(step.stmt)
        return () if known is None else (known[0],)

    def _definition(self, inner: list[Step], name: str) -> Statement:
        return next(s.stmt for s in inner if name in bound_of(s))

    def _note_late(self, inner: list[Step], fresh: frozenset[str]) -> None:
        for step in inner:
            found = fresh & set(bound_of(step))
            if found and not blocks(step.stmt):
                self.late[step.stmt] = frozenset(found)

    def _reversed_loop(self, stmt: For | While, body: tuple[Statement, ...]) -> For:
        counter = self.c.counters.get(stmt)
        if isinstance(stmt, While):
            assert counter is not None
            return For("_", Call(Name("range"), (Name(counter),)), body)
        items = stmt.iter if counter is None else first_of(stmt.iter, Name(counter))
        return For(stmt.target, Call(Name("reversed"), (items,)), body)

    def _can_be_run_again(self, stmt: For) -> bool:
        """Whether what it runs over is a sequence that is the same after the loop."""
        read = frozenset(k for k in self.reads.of_expr(stmt.iter, stmt) if k[0] == "content")
        return is_sequence(self.facts.value(stmt, stmt.iter)) and not may_change(self.c, stmt.body, read)

    def _recorded_loop(self, stmt: For, body: tuple[Statement, ...], depth: int) -> tuple[Block, For, Block]:
        """A loop over what can't be run through backwards: the values of its target are kept."""
        stack = self._stack(("target", stmt), stmt.target)
        whole = replace(stmt, body=(self._push(stack, Name(stmt.target)), *stmt.body))
        if depth == 0:
            return [], whole, [For(stmt.target, Call(Name("reversed"), (Name(stack),)), body)]
        note, start, end = self.cut_back(stack)
        kept = Item(Name(stack), Slice(start, None))
        return note, whole, [*end[:1], For(stmt.target, Call(Name("reversed"), (kept,)), body), *end[1:]]

    def cut_back(self, stack: str) -> tuple[Block, Name, Block]:
        """What notes the length of a list, the name of that length in the backward part, and what brings it back:
        the name is bound first, then the list is cut."""
        lengths, length = self._stack(("length", stack), "length"), self.c.fresh.name("length")
        size = Call(self.c.helper("len", len), (Name(stack),))
        bind = Bind((length,), (Call(Attr(Name(lengths), "pop")),))
        rest = Call(self.c.helper("slice", slice), (Name(length), Const(None)))
        cut = Effect(Call(Attr(Name(stack), "__delitem__"), (rest,)))
        return [self._push(lengths, size)], Name(length), [bind, cut]


def is_sequence(value: Value) -> bool:
    """Whether what a loop runs over can be run through backwards, and as often as one likes."""
    if isinstance(value, Known):
        return isinstance(value.obj, (Sequence, np.ndarray))
    return isinstance(value, (Array, ListOf, TupleOf, RangeOf, ShapeOf))


def first_of(items: Expr, count: Name) -> Expr:
    """The first `count` of a sequence."""
    match items:
        case Call(Name("range"), (_,), ()):
            return Call(items.func, (count,))
        case Call(Name("range"), (Name() | Const() as start, _), ()):
            return Call(items.func, (start, Bin("+", start, count)))
    return Item(items, Slice(None, count))
