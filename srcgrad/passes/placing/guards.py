"""`try` and `with` in `passes.place`: what is kept before them, and the reverse of the way that was taken."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from srcgrad.analysis.values import Known
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    If,
    Name,
    Statement,
    Try,
    With,
    blocks,
    children,
    expressions,
    statements,
)
from srcgrad.passes.needs import Needs
from srcgrad.passes.placing.shared import Placing, has_work, reversed_if
from srcgrad.passes.reads import Block
from srcgrad.passes.reverse.steps import Step, every_step


class Guards(Placing):
    def _try(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, Try)
        body, orelse, *handlers, final = step.inner
        counted, way = stmt in self.c.tries.counted, self.c.tries.ways.get(stmt)
        needs, outside, saves, restores = self._cover(stmt, needs, depth)
        stacks, half = set(self.stacks.values()), len(self.half)
        counting, self.counting = self.counting, self.counting or counted
        ahead, back, at_end = self.block(body, needs, depth)
        self.counting = counting
        arrives = needs | at_end | self._all_reads(body, stmt) if counted else needs
        note, cut = self._cuts(ahead, counted, half, depth, stacks)
        ways = [self.block(block, start | self.reads.of(tail, stmt), depth)
                for block, start, tail in zip([orelse, *handlers], [at_end, *(arrives for _ in handlers)], step.tails)]
        self.covered = outside
        out = frozenset().union(*(end for _, _, end in ways)) | self.reads.of(step.first, stmt)
        if way is not None:
            out = out | self.reads.of_expr(Name(way), stmt)
        last, undo, out = self.block(final, out, depth)
        caught = tuple((e, n, (*cut, *way_ahead)) for (e, n, _), (way_ahead, _, _) in zip(stmt.handlers, ways[1:]))
        whole = replace(stmt, body=tuple(ahead), handlers=caught, orelse=tuple(ways[0][0]), final=tuple(last))
        normal = (*ways[0][1], *([] if counted else back), *step.tails[0])
        others = [(*behind, *tail) for (_, behind, _), tail in zip(ways[1:], step.tails[1:])]
        after = [*step.first, *_way_back(way, normal, others), *(back if counted else [])]
        return [*saves, *note, whole], [*undo, *after, *restores], out

    def _cover(self, stmt: Try, needs: Needs, depth: int) -> tuple[Needs, frozenset[str], Block, Block]:
        """Names that the body may leave half done are kept before it."""
        outside = self.covered
        saves: Block = []
        restores: Block = []
        names_ = self.c.tries.covered.get(stmt, frozenset())
        for name in sorted(names_):
            if ("name", name) in needs or self.plain and depth > 0 and name in self.reads.primal:
                self._save_name(name, stmt, depth, saves, restores)
        self.covered = outside | names_
        return frozenset(k for k in needs if not (k[0] == "name" and k[1] in names_)), outside, saves, restores

    def _all_reads(self, steps: list[Step], stmt: Statement) -> Needs:
        """What the reverse of a body may read, wherever it begins."""
        out: Needs = frozenset()
        for top in steps:
            for step in every_step(top):
                out = out | self.reads.of([*step.adjoint, *step.first, *(s for t in step.tails for s in t)], step.stmt)
                out = out | frozenset(k for e in expressions(step.stmt) for k in self.reads.of_expr(e, step.stmt)
                                      if blocks(step.stmt))
        return out

    def _cuts(self, body: Block, counted: bool, half: int, depth: int, known: set[str]) -> tuple[Block, Block]:
        """What an exception leaves on the lists, and nobody would take: outside of loops that does no harm."""
        if depth == 0:
            return [], []
        if not counted:
            return self._cut(body, known)
        note: Block = []
        cut: Block = []
        for unfinished, block in self.half[half:]:
            lengths, back = self._cut(list(block), known)
            note += lengths
            cut += [If(unfinished, tuple(back), ())] if back else []
        return note, cut

    def _cut(self, block: Block, known: set[str]) -> tuple[Block, Block]:
        """What notes the lengths of the lists that the block saves to, and brings them back."""
        note: Block = []
        cut: Block = []
        for stack in sorted({name for s in statements(tuple(block)) if (name := _pushed_to(s)) is not None} - known):
            if stack not in self.stacks.values():
                continue
            length = self.c.temporary("length")
            note.append(Bind((length,), (Call(self.c.helper("len", len), (Name(stack),)),)))
            rest = Call(self.c.helper("slice", slice), (Name(length), Const(None)))
            cut.append(Effect(Call(Attr(Name(stack), "__delitem__"), (rest,))))
        return note, cut

    def _with(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, With)
        ahead, back, out = self.block(step.inner[0], needs, depth)
        whole = replace(stmt, body=tuple(ahead))
        quiet = tuple((e, None) for e, _ in stmt.items if self._is_quiet(stmt, e))
        if not has_work(back) or not quiet:
            return [whole], back, out
        return [whole], [With(quiet, tuple(back))], out

    def _is_quiet(self, stmt: With, manager: Expr) -> bool:
        """Whether it only says how floating-point errors are reported: what the body's reverse computes is as good."""
        if not isinstance(manager, Call) or any(not isinstance(e, Const) for e in children(manager)[1:]):
            return False
        called = self.facts.kind(stmt, manager.func).value
        return isinstance(called, Known) and called.obj is np.errstate



def _way_back(way: str | None, normal: tuple[Statement, ...], others: list[tuple[Statement, ...]]) -> Block:
    """The reverse of the way that a `try` went."""
    if way is None or not any(map(has_work, (normal, *others))):
        return list(normal)
    if len(others) == 1:
        return [reversed_if(Name(way), others[0], normal)]
    out = normal
    for k, block in reversed(list(enumerate(others))):
        out = (reversed_if(Compare(Name(way), ("==",), (Const(k + 1),)), block, out),)
    return list(out)


def _pushed_to(stmt: Statement) -> str | None:
    match stmt:
        case Effect(Call(Attr(Name(stack), "append"), (_,), ())):
            return stack
    return None
