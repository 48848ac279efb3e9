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
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.interpret import operations
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import UNKNOWN, Array, TupleOf
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Attr,
    Bind,
    Bool,
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
    Statement,
    Store,
    Try,
    While,
    With,
    blocks,
    names_read,
    statements,
    with_blocks,
)
from srcgrad.lang.names import root_name
from srcgrad.passes.moves import undo_moves
from srcgrad.passes.needs import Needs, content_is_needed, of_content
from srcgrad.passes.placing.guards import Guards
from srcgrad.passes.placing.loops import Loops
from srcgrad.passes.placing.shared import bound_of, has_work, reversed_if
from srcgrad.passes.reads import Block, Reads
from srcgrad.passes.reverse.changes import Change
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.steps import Step
from srcgrad.passes.reverse.stores import added_at
from srcgrad.passes.undo import Undone, undone
from srcgrad.runtime import structure


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


class _Placer(Loops, Guards):
    def __init__(self, context: Context, comments: bool) -> None:
        self.c, self.facts, self.plain, self.comments = context, context.facts, context.plain, comments
        self.reads = Reads(context)
        self.before: Block = []
        self.stacks: dict[Any, str] = {}
        self.declared: set[str] = set()
        self.late: dict[Statement, frozenset[str]] = {}
        # blocks, what was needed after them, and how many names were the program's -> what `_dry` made of them
        self.tried: dict[tuple[int, Needs, int], tuple[Block, Block, Needs]] = {}
        self.trying = 0
        self.read: dict[Step, tuple[int, Needs]] = {}       # what steps read, and how many names were the program's
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
                reversed_parts.append((None if _shows_its_test(step.stmt, after) else step.stmt.at, after))
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
            kept, back, needs = undo_moves(
                self.c, stmt, needs, lambda name, into, out: self._save_name(name, stmt, depth, into, out))
            return self._in_order(kept, stmt, []), [*step.adjoint, *back], needs
        reads = self._reads_of(step)
        own: Needs = frozenset(("name", name) for name in bound)
        post = reads & own
        needs = needs | self.reads.parts.new(reads - post, needs)
        saves: Block = []
        restores: Block = []
        for name in bound:
            if self._must_save_name(name, needs, stmt, depth):
                self._save_name(name, stmt, depth, saves, restores)
        needs = needs - own
        self._check_unseen(stmt, needs)
        contents, extra = self._save_content(stmt, needs, depth)
        needs = self._after_birth(stmt, needs) | extra
        needs = needs | self.reads.parts.new(reads, needs)
        late: Block = []
        for name in bound:
            if name in self.late.get(stmt, ()):
                late.append(self._push(self._stack(("late", stmt, name), name), Name(name)))
        back = [*step.first, *contents[1], *step.adjoint] if isinstance(stmt, Store) \
            else [*step.adjoint, *contents[1], *restores]
        return self._in_order([*saves, *contents[0]], step.forward or stmt, late), back, needs

    def _reads_of(self, step: Step) -> Needs:
        # loops ask again and again
        known = self.read.get(step)
        if known is None or known[0] != len(self.reads.primal):
            also = [Effect(e) for e in step.also_reads]
            reads = self.reads.parts_of([*step.first, *step.adjoint, *also], step.stmt)
            known = self.read[step] = len(self.reads.primal), reads
        return known[1]

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
                needs = needs - of_content(needs, ref.storage.group)
        return needs

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
        if not owner.refs or not self._must_save_content(owner, self._of_part(owner, place, stmt, needs)):
            return None
        self._check_local(stmt, owner)
        stack = self._stack(("content", stmt), root_name(place), depth)
        old = self._old_content(stmt, place)
        extra = frozenset(("name", n) for n in names_read(place) if n in self.reads.primal)
        extra |= self._read_by_index(place, stmt)
        if depth == 0:
            return ([Bind((stack,), (old,))], [Store(place, None, Name(stack))]), extra
        pop = Call(Attr(Name(stack), "pop"))
        return ([self._push(stack, old)], [Store(place, None, pop)]), extra

    def _of_part(self, owner: Abstract, place: Item | Attr, stmt: Statement, needs: Needs) -> Needs:
        """The needs without those of other parts of the same array."""
        parts, box = self.reads.parts, self.reads.parts.box(place, stmt)
        return needs if box is None else needs - parts.elsewhere(owner, box, needs)

    def _must_save_content(self, owner: Abstract, needs: Needs, field: Expr | None = None) -> bool:
        """Whether what the owner holds is read later; a list that isn't local stays as the function leaves it."""
        lists_outside = any(ref.storage.origin == "outer" and ref.storage.kind != "array" for ref in owner.refs)
        if self.plain and not lists_outside:
            return True
        return any(content_is_needed(ref.storage, needs, field) for ref in owner.refs)

    def _read_by_index(self, place: Expr, stmt: Statement) -> Needs:
        """What the subscripts of a place read: an index array must be what it was when the place is put back."""
        out: Needs = frozenset()
        while isinstance(place, (Item, Attr)):
            if isinstance(place, Item):
                out |= self.reads.of_expr(place.index, stmt)
            place = place.value
        return out

    def _check_local(self, stmt: Statement, owner: Abstract) -> None:
        """What lies outside of the function must stay as the function leaves it."""
        for ref in owner.refs:
            if ref.storage.origin != "outer":
                continue
            if ref.storage.kind != "array":
                raise UnsupportedError(f"`{ref.storage.hint}`, which isn't local, is changed here and was read before",
                                       stmt.at, "Pass it as an argument, or copy it first.")
            self.outer_undone = True

    def _check_unseen(self, stmt: Statement, needs: Needs) -> None:
        """What code that isn't followed may change can't be put back."""
        for storage, called in self.facts.evaluator.changed_unseen.get(stmt, {}).items():
            if content_is_needed(storage, needs):
                raise UnsupportedError(f"`{called}`, which isn't followed, may change an array or a list that was "
                                       "read before", stmt.at,
                                       "Pass it a copy, or call it before what it is given is used.")

    def _old_content(self, stmt: Statement, place: Item | Attr) -> Expr:
        """A copy of the part that is overwritten."""
        value = self.facts.value(stmt, place.value)
        if value == UNKNOWN and self.facts.kind(stmt, place.value).refs:
            return Call(self.c.helper("copy_argument", structure.copy_argument), (place,))
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
        if not owner.refs or not self._must_save_content(owner, needs, change.key if change.kind == "field" else None):
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

    def _branch(self, stmt: If, inner: list[Step], start: Needs, depth: int) -> tuple[Block, Block, Needs]:
        """A branch; in a loop, names that belong to it alone are saved when they are bound, like those of the loop."""
        if depth == 0 or self.plain or self.counting:
            return self.block(inner, start, depth)
        tried = self._dry(inner, start, depth)
        fresh = self._branch_names(stmt, inner, start, tried[2])
        self._note_late(inner, fresh)
        ahead, back, end = tried if self._needs_alone() else self.block(inner, start, depth)
        pops = [Bind((n,), (Call(Attr(Name(self._stack(("late", self._definition(inner, n), n), n)), "pop")),))
                for n in sorted(fresh)]
        return ahead, [*pops, *back], end - {("name", n) for n in fresh}

    def _branch_names(self, stmt: If, inner: list[Step], start: Needs, end: Needs) -> frozenset[str]:
        """Names that only this branch binds, once, at its top, and that nothing reads after it."""
        top = {n for s in inner if not blocks(s.stmt) for n in bound_of(s)} - self.c.tries.counters
        live = self.facts.live.after[stmt]
        return frozenset(n for n in top if self.c.bindings.get(n) == 1 and n not in live and ("name", n) in end
                         and ("name", n) not in start)

    def _if(self, step: Step, needs: Needs, depth: int) -> tuple[Block, Block, Needs]:
        stmt = step.stmt
        assert isinstance(stmt, If)
        forward: list[tuple[Statement, ...]] = []
        backward: list[tuple[Statement, ...]] = []
        ends: list[Needs] = []
        counting, self.counting = self.counting, self.counting and stmt not in self.c.tries.whole
        for inner, tail in zip(step.inner, step.tails or [[], []]):
            start = needs | self.reads.of(tail, stmt)
            ahead, back, end = self._branch(stmt, inner, start, depth)
            forward.append(tuple(ahead))
            backward.append((*back, *tail))
            ends.append(end)
        self.counting = counting
        out = ends[0] | ends[1] | self.reads.of(step.first, stmt)
        whole: Block = [with_blocks(stmt, tuple(forward))]
        if stmt in self.c.tries.steps:
            whole = self._happening(stmt, forward[0])
        if not any(has_work(b) for b in backward):
            return whole, [*step.first], out
        out = out | self.reads.of_expr(stmt.test, stmt)
        reverse = reversed_if(stmt.test, *backward)
        return whole, [*step.first, reverse], out

    def _happening(self, stmt: If, body: tuple[Statement, ...]) -> Block:
        """A branch that stands for a statement of a `try`: the statement, and the count of what is finished."""
        done, count = self.c.tries.steps[stmt]
        if stmt in self.c.tries.whole:
            # None: the block never began
            finished = Bool("or", (Name(done), Const(0)))
            assert isinstance(stmt.test, Compare)
            self.half.append((Compare(finished, ("<",), stmt.test.rights), body))
        return [*body, *([] if count is None else [Bind((done,), (Const(count),))])]


def _certainly_bound(body: tuple[Statement, ...], name: str, stmt: Statement) -> bool:
    """Whether a straight line of the function binds the name before the statement is reached."""
    for top in body:
        if top is stmt or stmt in set(statements((top,))):
            return False
        if name in names.bound_by(top) and not isinstance(top, (For, While, Try)):
            return True
    return False


def _shows_its_test(stmt: Statement, block: Block) -> bool:
    """Whether what reverses an `if` asks for its test as the user wrote it, so that no comment need say it."""
    match block[-1]:
        case If(test) if isinstance(stmt, If) and len(block) == 1:
            return test == stmt.test and not isinstance(test, Name)
    return False


def _line_text(at: At) -> str:
    text = linecache.getline(at.file, at.line).strip()
    if len(text) > 90:
        text = text[:87].rstrip() + "..."
    return f"line {at.line}: {text}" if text else f"line {at.line}"


