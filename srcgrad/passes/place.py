"""Decides what is saved, and joins forward and backward.

One walk in forward order carries the set of things that the backward pass will read: names, and contents of storages
that are written in place.  A statement that overwrites one of them saves it; the reversed statement puts it back.

        x = f(x)            x_saved.append(x); x = f(x)         ...  x = x_saved.pop()
        u[i] = v            u_saved.append(u[i].copy()); ...    ...  u[i] = u_saved.pop()

A name that each iteration of a loop binds anew is saved after it is bound, and taken at the start of the reversed
iteration.  With `plain` everything that is overwritten is saved.
"""
from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad.analysis.interpret import operations
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import UNKNOWN, Array, Known, ListOf, RangeOf, ShapeOf, TupleOf, Value
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Attr,
    Bin,
    Bind,
    Call,
    Comment,
    Compare,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Store,
    Try,
    Unary,
    While,
    With,
    blocks,
    children,
    expressions,
    names_read,
    statements,
    with_blocks,
)
from srcgrad.lang.names import root_name
from srcgrad.passes.moves import undo_moves
from srcgrad.passes.reads import Block, Needs, Reads
from srcgrad.passes.reverse.changes import Change
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.steps import Step, every_step
from srcgrad.passes.reverse.stores import added_at
from srcgrad.passes.undo import Undone, undone


@dataclass
class Placed:
    """before: initialisations; forward and backward: the two parts; outer_undone: whether the backward part puts old
    contents back into arrays from outside."""
    before: Block = field(default_factory=list)
    forward: Block = field(default_factory=list)
    backward: Block = field(default_factory=list)
    outer_undone: bool = False


def place(context: Context, steps: list[Step], seed: Block, comments: bool = True, kept: Needs = frozenset()) -> Placed:
    """The forward and the backward part of a function; `seed` is what the backward part begins with.

    `kept`: what must be in the end as it was in the beginning.
    """
    work = _Placer(context, comments)
    forward, backward, _ = work.block(steps, kept, 0)
    return Placed(work.before, forward, backward, work.outer_undone)


class _Placer:
    def __init__(self, context: Context, comments: bool) -> None:
        self.c, self.facts, self.plain, self.comments = context, context.facts, context.plain, comments
        self.reads = Reads(context)
        self.before: Block = []
        self.stacks: dict[Any, str] = {}
        self.declared: set[str] = set()
        self.late: dict[Statement, frozenset[str]] = {}
        self.loops = 0
        self.outer_undone = False
        self.counting = False                   # in the body of a `try` that counts its finished statements
        # branches that an exception leaves with more saved than is put back, and when that is so
        self.half: list[tuple[Expr, tuple[Statement, ...]]] = []
        self.covered: frozenset[str] = frozenset()      # names that a `try` around keeps

    # ------------------------------------------------------------ blocks

    def block(self, steps: list[Step], needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        forward: Block = []
        reversed_parts: list[tuple[At | None, Block]] = []
        for step in steps:
            before, after, needs = self.step(step, needs, depth)
            forward.extend(before)
            if after:
                reversed_parts.append((step.stmt.at, after))
        return forward, self._join(reversed_parts), needs

    def _join(self, parts: list[tuple[At | None, Block]]) -> Block:
        """The reversed statements, last first, each group under a comment that names the primal line."""
        out: Block = []
        last: Any = None
        for at, block in reversed(parts):
            line = None if at is None else (at.file, at.line)
            compound = isinstance(block[-1], (For, While))
            if self.comments and at is not None and line != last and not compound:
                out.append(Comment(_line_text(at)))
            last = None if compound else line
            out.extend(block)
        return out

    def step(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        match step.stmt:
            case If():
                return self._if(step, needs, depth)
            case For() | While():
                return self._loop(step, needs, depth)
            case Try():
                return self._try(step, needs, depth)
            case With():
                return self._with(step, needs, depth)
        return self._simple(step, needs, depth)

    # ------------------------------------------------------------ simple statements

    def _simple(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        bound = bound_of(step)
        self.reads.primal |= set(bound)
        if self.c.moves(stmt):
            saves, back, needs = undo_moves(
                self.c, stmt, needs, lambda name, into, out: self._save_name(name, stmt, depth, into, out))
            return [*saves, stmt], [*step.adjoint, *back], needs
        also = [Effect(e) for e in step.also_reads]
        reads = self.reads.of([*step.adjoint, *also], stmt)
        post = frozenset(k for k in reads if k[0] == "name" and k[1] in bound)
        needs = needs | (reads - post - self._contents_of(post, stmt))
        saves: Block = []
        restores: Block = []
        for name in bound:
            if self._must_save_name(name, needs, stmt, depth):
                self._save_name(name, stmt, depth, saves, restores)
        needs = frozenset(k for k in needs if not (k[0] == "name" and k[1] in bound))
        contents, extra = self._save_content(stmt, needs, depth)
        needs = self._after_birth(stmt, needs) | extra | reads
        late: Block = []
        for name in bound:
            if name in self.late.get(stmt, ()):
                late.append(self._push(self._stack(("late", stmt, name), name), Name(name)))
        back = [*contents[1], *step.adjoint] if isinstance(stmt, Store) \
            else [*step.adjoint, *contents[1], *restores]
        return self._in_order([*saves, *contents[0]], step.forward or stmt, late), back, needs

    def _in_order(self, saves: Block, stmt: Statement, late: Block) -> Block:
        """What is saved goes on its list before the statement; where that may fail, only after it."""
        if not self.counting:
            return [*saves, stmt, *late]
        before: Block = []
        after: Block = []
        for save in saves:
            match save:
                case Effect(Call(Attr(_, "append") as push, (value,), ())):
                    name = self.c.temporary("old")
                    before.append(Bind((name,), (value,)))
                    after.append(Effect(Call(push, (Name(name),))))
                case _:
                    before.append(save)
        return [*before, stmt, *after, *late]

    def _after_birth(self, stmt: Statement, needs: Needs) -> Needs:
        """A storage that is born here has no content that was needed before."""
        if not isinstance(stmt, Bind) or stmt not in self.facts.after:
            return needs
        for name in stmt.names:
            item = self.facts.name_after(stmt, name)
            ref = self.c.static(item)
            if ref is not None and ref.storage.born_at(stmt):
                needs = needs - {("content", ref.storage.group)}
        return needs

    def _contents_of(self, post: Needs, stmt: Statement) -> Needs:
        return frozenset()

    def _must_save_name(self, name: str, needs: Needs, stmt: Statement, depth: int) -> bool:
        if self.plain and name not in self.covered:
            return depth > 0 and name not in self.late.get(stmt, ()) or self.c.bindings.get(name, 0) > 1
        return ("name", name) in needs

    def _save_name(self, name: str, stmt: Statement, depth: int, saves: Block, restores: Block) -> None:
        if stmt in self.c.tries.resets:
            restores.append(Bind((name,), (Const(self.c.tries.resets[stmt]),)))
            return
        self._declare(name, stmt)
        stack = self._stack(("name", stmt, name), name, depth)
        if depth == 0:
            saves.append(Bind((stack,), (Name(name),)))
            restores.append(Bind((name,), (Name(stack),)))
        else:
            saves.append(self._push(stack, Name(name)))
            restores.append(Bind((name,), (Call(Attr(Name(stack), "pop")),)))

    def _declare(self, name: str, stmt: Statement) -> None:
        """A name that may not be bound yet when it is saved for the first time."""
        if name in self.declared or name in {p.name for p in self.c.unit.code.params}:
            return
        if not _certainly_bound(self.c.unit.code.body, name, stmt):
            self.declared.add(name)
            self.before.append(Bind((name,), (Const(None),)))

    def _stack(self, key: Any, name: str, depth: int = 1) -> str:
        if key not in self.stacks:
            stack = self.c.fresh.name(f"{name}_saved")
            self.stacks[key] = stack
            if depth > 0:
                self.before.append(Bind((stack,), (List(()),)))
        return self.stacks[key]

    def _push(self, stack: str, value: Expr) -> Statement:
        return Effect(Call(Attr(Name(stack), "append"), (value,)))

    # ------------------------------------------------------------ contents

    def _save_content(self, stmt: Statement, needs: Needs, depth: int) -> tuple[tuple[Block, Block], Needs]:
        nothing: tuple[tuple[Block, Block], Needs] = (([], []), frozenset())
        added = added_at(self.c, stmt)
        if added is not None:
            place = Item(*added[:2])
            self.c.annotate(stmt, place, Abstract(UNKNOWN))
            return self._save_place(stmt, place, needs, depth) or nothing
        found = undone(self.c, stmt, self._sets_new_field(stmt))
        if found is not None:
            return self._undo(stmt, *found, needs, depth) or nothing
        if not isinstance(stmt, Store) or not isinstance(stmt.place, (Item, Attr)):
            return nothing
        return self._save_place(stmt, stmt.place, needs, depth) or nothing

    def _save_place(self, stmt: Statement, place: Item | Attr, needs: Needs,
                    depth: int) -> tuple[tuple[Block, Block], Needs] | None:
        owner = self.facts.kind(stmt, place.value)
        if not self.plain and not any(("content", ref.storage.group) in needs for ref in owner.refs):
            return None
        if not owner.refs:
            return None
        self._check_local(stmt, owner)
        stack = self._stack(("content", stmt), root_name(place), depth)
        old = self._old_content(stmt, place)
        extra = frozenset(("name", n) for n in names_read(place) if n in self.reads.primal)
        if depth == 0:
            return ([Bind((stack,), (old,))], [Store(place, None, Name(stack))]), extra
        pop = Call(Attr(Name(stack), "pop"))
        return ([self._push(stack, old)], [Store(place, None, pop)]), extra

    def _check_local(self, stmt: Statement, owner: Abstract) -> None:
        """What lies outside of the function must stay as the function leaves it."""
        for ref in owner.refs:
            if ref.storage.origin != "outer":
                continue
            if ref.storage.kind != "array":
                raise UnsupportedError(f"`{ref.storage.hint}`, which isn't local, is changed here and was read before",
                                       stmt.at, "Pass it as an argument, or copy it first.")
            self.outer_undone = True

    def _old_content(self, stmt: Statement, place: Item | Attr) -> Expr:
        """A copy of the part that is overwritten."""
        value = self.facts.value(stmt, place.value)
        if not isinstance(value, Array) or not isinstance(place, Item):
            return place
        index = self.facts.value(stmt, place.index)
        cell = operations.getitem(value, index.items if isinstance(index, TupleOf) else (index,))
        if is_number(cell):
            return place
        if isinstance(cell, Array) and cell.dims is not None:
            return Call(Attr(place, "copy"))
        return self.c.numpy("array", place)

    def _undo(self, stmt: Statement, change: Change, undo: Undone, needs: Needs,
              depth: int) -> tuple[tuple[Block, Block], Needs] | None:
        """A change of a list, a dict or an object is undone where its content is read."""
        owner = self.facts.kind(stmt, change.owner)
        if not owner.refs or not self.plain and not any(("content", ref.storage.group) in needs for ref in owner.refs):
            return None
        self._check_local(stmt, owner)
        names_ = frozenset(n for e in (change.owner, *undo.reads) for n in names_read(e))
        extra = frozenset(("name", n) for n in names_ if n in self.reads.primal)
        if undo.saved is None:
            return ([], undo.back(Const(None))), extra
        stack = self._stack(("content", stmt), undo.hint, depth)
        if depth == 0:
            return ([Bind((stack,), (undo.saved,))], undo.back(Name(stack))), extra
        return ([self._push(stack, undo.saved)], undo.back(Call(Attr(Name(stack), "pop")))), extra

    def _sets_new_field(self, stmt: Statement) -> bool:
        return stmt in self.c.first_fields

    # ------------------------------------------------------------ control flow

    def _if(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, If)
        forward: list[tuple[Statement, ...]] = []
        backward: list[tuple[Statement, ...]] = []
        ends: list[Needs] = []
        counting, self.counting = self.counting, self.counting and stmt not in self.c.tries.whole
        for inner, tail in zip(step.inner, step.tails or [[], []]):
            start = needs | self.reads.of(tail, stmt)
            ahead, back, end = self.block(inner, start, depth)
            forward.append(tuple(ahead))
            backward.append((*back, *tail))
            ends.append(end)
        self.counting = counting
        out = ends[0] | ends[1] | self.reads.of(step.first, stmt)
        whole: Block = [with_blocks(stmt, tuple(forward))]
        if stmt in self.c.tries.steps:
            whole = self._happening(stmt, forward[0])
        if not any(_has_work(b) for b in backward):
            return whole, [*step.first], out
        out = out | self.reads.of_expr(stmt.test, stmt)
        reverse = _reversed_if(stmt.test, *backward)
        return whole, [*step.first, reverse], out

    def _happening(self, stmt: If, body: tuple[Statement, ...]) -> Block:
        """A branch that stands for a statement of a `try`: the statement, and the count of what is finished."""
        done, count = self.c.tries.steps[stmt]
        if stmt in self.c.tries.whole:
            self.half.append((Compare(Name(done), ("<",), (stmt.test.rights[0],)), body))
        return [*body, *([] if count is None else [Bind((done,), (Const(count),))])]

    def _loop(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, (For, While))
        targets = frozenset((stmt.target,)) if isinstance(stmt, For) else frozenset()
        needs, saved_target = self._save_target(stmt, needs, depth)
        (inner,), tail = step.inner, (step.tails or [[]])[0]
        head = needs | self.reads.of(tail, stmt)
        while True:
            _, _, end = self._dry(inner, head, depth + 1)
            fresh = self._late_names(stmt, inner, needs, end)
            back = frozenset(k for k in end if not (k[0] == "name" and (k[1] in fresh or k[1] in targets)))
            if back <= head:
                break
            head = head | back
        self._note_late(inner, fresh)
        ahead, behind, end = self.block(inner, head, depth + 1)
        pops = [Bind((n,), (Call(Attr(Name(self._stack(("late", self._definition(inner, n), n), n)), "pop")),))
                for n in sorted(fresh)]
        body = (*pops, *behind, *tail)
        out = head | back | self.reads.of(step.first, stmt)
        out = frozenset(k for k in out if not (k[0] == "name" and k[1] in targets)) | \
            frozenset(k for k in self.reads.of(step.first, stmt))
        whole = replace(stmt, body=tuple(ahead))
        if not _has_work(body):
            return [*saved_target[0], whole], [*step.first, *saved_target[1]], out
        if isinstance(stmt, For) and not is_sequence(self.facts.value(stmt, stmt.iter)):
            note, whole, back = self._recorded_loop(replace(stmt, body=tuple(ahead)), body, depth)
            return [*saved_target[0], *note, whole], [*step.first, *back, *saved_target[1]], out
        loop = self._reversed_loop(stmt, body)
        out = out | self.reads.of_expr(loop.iter, stmt)
        return [*saved_target[0], whole], [*step.first, loop, *saved_target[1]], out

    # ------------------------------------------------------------ exceptions

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
        outside, saves, restores = self.covered, [], []
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
        if not _has_work(back) or not quiet:
            return [whole], back, out
        return [whole], [With(quiet, tuple(back))], out

    def _is_quiet(self, stmt: With, manager: Expr) -> bool:
        """Whether it only says how floating-point errors are reported: what the body's reverse computes is as good."""
        if not isinstance(manager, Call) or any(not isinstance(e, Const) for e in children(manager)[1:]):
            return False
        called = self.facts.kind(stmt, manager.func).value
        return isinstance(called, Known) and called.obj is np.errstate

    # ------------------------------------------------------------ loops

    def _dry(self, inner: list[Step], head: Needs, depth: int) -> tuple[Block, Block, Needs]:
        """What a body needs at its end, without keeping what was made."""
        kept = (list(self.before), dict(self.stacks), set(self.declared), dict(self.late))
        fresh = self.c.fresh.copy()
        result = self.block(inner, head, depth)
        self.before, self.stacks, self.declared, self.late = kept
        self.c.fresh.go_back(fresh)
        return result

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
        everywhere = [n for s in inner for t in every_step(s) for n in (*bound_of(t), *self._counts(t))]
        live = self.facts.live.head[stmt]
        return frozenset(n for n in top if everywhere.count(n) == 1 and n not in live and ("name", n) not in before
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


def _way_back(way: str | None, normal: tuple[Statement, ...], others: list[tuple[Statement, ...]]) -> Block:
    """The reverse of the way that a `try` went."""
    if way is None or not any(map(_has_work, (normal, *others))):
        return list(normal)
    if len(others) == 1:
        return [_reversed_if(Name(way), others[0], normal)]
    out = normal
    for k, block in reversed(list(enumerate(others))):
        out = (_reversed_if(Compare(Name(way), ("==",), (Const(k + 1),)), block, out),)
    return list(out)


def _pushed_to(stmt: Statement) -> str | None:
    match stmt:
        case Effect(Call(Attr(Name(stack), "append"), (_,), ())):
            return stack
    return None


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


def bound_of(step: Step) -> tuple[str, ...]:
    """The names that a step's forward statement binds."""
    return tuple(n for n in names.bound_by(step.forward or step.stmt) if n != "_" and not isinstance(step.stmt, Try))


def _reversed_if(test: Expr, body: tuple[Statement, ...], orelse: tuple[Statement, ...]) -> If:
    if not _has_work(body):
        return If(Unary("not", test), orelse)
    return If(test, body, orelse if _has_work(orelse) else ())


def _has_work(block: Any) -> bool:
    return any(not isinstance(s, Comment) for s in block)


def _certainly_bound(body: tuple[Statement, ...], name: str, stmt: Statement) -> bool:
    """Whether a straight line of the function binds the name before the statement is reached."""
    for top in body:
        if top is stmt or stmt in set(statements((top,))):
            return False
        if name in names.bound_by(top) and not isinstance(top, (For, While, Try)):
            return True
    return False


def _line_text(at: At) -> str:
    text = linecache.getline(at.file, at.line).strip()
    if len(text) > 90:
        text = text[:87].rstrip() + "..."
    return f"line {at.line}: {text}" if text else f"line {at.line}"


