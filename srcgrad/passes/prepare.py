"""Makes loops and tries ready to be reversed.

        while c: ...            n = 0; while c: n = n + 1; ...      and so a `for` that is left by a break
        for i in range(k): k = ...      r = range(k); for i in r: k = ...
        for i in r: i = ...     for k in r: i = k; i = ...
        if c: c = ...           t = c; if t: c = ...
        except E as e: ...      except E as error: e = error; ...
        with m as v: ...        with m as given: v = given; ...
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.lang import names
from srcgrad.lang.core import (
    Bin,
    Bind,
    Const,
    Expr,
    For,
    If,
    Name,
    Refuse,
    Statement,
    Store,
    Try,
    While,
    With,
    blocks,
    expressions,
    names_read,
    statements,
    with_blocks,
)
from srcgrad.passes.lower.jumps import breaks
from srcgrad.passes.tries import Progress, Tries, Visible, needs_progress, with_ways
from srcgrad.passes.unit import Unit

Handler = tuple[Expr | None, str | None, tuple[Statement, ...]]


@dataclass(frozen=True)
class Prepared:
    """A function ready to be reversed: the counters of loops whose iterations are counted, what is known of its tries,
    and the names that were made."""
    unit: Unit
    counters: dict[Statement, str]
    tries: Tries
    made: frozenset[str]


def prepare(unit: Unit, facts_of: Callable[[Unit], Facts]) -> Prepared:
    """The function, ready to be reversed; facts are only asked for where there is a `try`."""
    work = _Preparer(unit, facts_of)
    body = work.block(unit.code.body)
    unit = replace(unit, steps=frozenset(work.tries.steps))
    return Prepared(unit.with_body(body), work.counters, work.tries, frozenset(work.made))


class _Preparer:
    def __init__(self, unit: Unit, facts_of: Callable[[Unit], Facts]) -> None:
        self.unit, self.facts_of = unit, facts_of
        self.fresh = unit.fresh
        self.counters: dict[Statement, str] = {}
        self.tries = Tries()
        self.visible: set[int] = set()          # statements whose effects are seen where an exception arrives
        self.made: list[str] = []

    @cached_property
    def facts(self) -> Facts:
        return self.facts_of(self.unit)

    @cached_property
    def bindings(self) -> Counter[str]:
        return Counter(n for s in statements(self.unit.code.body) for n in names.bound_by(s))

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(new for stmt in block for new in self.statement(stmt))

    def statement(self, stmt: Statement) -> list[Statement]:
        if not blocks(stmt):
            return [stmt]
        if isinstance(stmt, Try):
            return self._try(stmt)
        whole = with_blocks(stmt, tuple(self.block(b) for b in blocks(stmt)))
        match whole:
            case While():
                return self._counted(whole)
            case For(_, it) if names_read(it) & names.bound((whole,)):
                before, name = self._named("items", it, stmt)
                return [before, *self._for(replace(whole, iter=name))]
            case For():
                return self._for(whole)
            case With():
                return [self._own_names(whole)]
            case If(test, body, orelse) if names_read(test) & (names.bound(body) | names.bound(orelse)):
                before, name = self._named("cond", test, stmt)
                return [before, replace(whole, test=name)]
        return [whole]

    def _for(self, stmt: For) -> list[Statement]:
        whole = self._own_target(stmt)
        return self._counted(whole) if breaks(stmt.body) else [whole]

    def _own_target(self, stmt: For) -> For:
        """A name that the body binds again isn't at an iteration's end what it was at its start."""
        if stmt.target not in names.bound(stmt.body):
            return stmt
        name = self.fresh.name(stmt.target)
        self.made.append(name)
        return replace(stmt, target=name, body=(Bind((stmt.target,), (Name(name),), at=stmt.at), *stmt.body))

    def _own_names(self, stmt: With) -> With:
        """What managers give is bound by statements of their own, which are saved like others."""
        items: list[tuple[Expr, str | None]] = []
        head: list[Statement] = []
        for manager, name in stmt.items:
            given = None if name is None else self.fresh.name("given")
            items.append((manager, given))
            if name is not None and given is not None:
                self.made.append(given)
                head.append(Bind((name,), (Name(given),), at=stmt.at))
        return replace(stmt, items=tuple(items), body=(*head, *stmt.body))

    def _named(self, hint: str, value: Expr, stmt: Statement) -> tuple[Bind, Name]:
        name = self.fresh.name(hint)
        self.made.append(name)
        return Bind((name,), (value,), at=stmt.at), Name(name)

    def _counted(self, stmt: For | While) -> list[Statement]:
        counter = self.fresh.name("n")
        step = Bind((counter,), (Bin("+", Name(counter), Const(1)),), at=stmt.at)
        counted = replace(stmt, body=(step, *stmt.body))
        self.counters[counted] = counter
        return [Bind((counter,), (Const(0),), at=stmt.at), counted]

    # ------------------------------------------------------------ exceptions

    def _handler(self, handler: Handler) -> Handler:
        """`except E as e` unbinds e at its end: what the backward part may read of it is kept under that name."""
        caught, name, body = handler
        if name is None or not any(name in names_read(e) and self._matters(s) for s in statements(body)
                                   for e in expressions(s)):
            return handler
        raised = self.fresh.name("error")
        self.made.append(raised)
        return caught, raised, (Bind((name,), (Name(raised),)), *body)

    def _matters(self, stmt: Statement) -> bool:
        """Whether its adjoint may read what it does."""
        after = self.facts.after.get(stmt, {})
        return bool(blocks(stmt)) or isinstance(stmt, Store) or any(
            n in after and after[n].active for n in names.bound_by(stmt))

    def _try(self, stmt: Try) -> list[Statement]:
        visible = Visible(stmt, self.facts)
        self.visible |= {id(s) for s in statements(stmt.body) if visible(s)}
        if stmt.handlers and any(map(visible.leaves_half_done, statements(stmt.body))):
            return [Refuse("a recursive function that writes into its arguments is called in a `try`, and may raise in "
                           "the midst of that", "Let it return what it makes, or catch the exception in it.",
                           at=stmt.at)]
        whole = with_blocks(stmt, tuple(self.block(b) for b in blocks(stmt)))
        assert isinstance(whole, Try)
        covered = names.bound(whole.body)       # what was made for tries and loops inside, too
        before: list[Statement] = []
        counted = needs_progress(stmt, visible)
        if counted:
            progress = Progress(self.tries, self.counters, self.fresh.name, self.visible, self.bindings)
            before, body = progress.block(whole.body, False)
            whole, covered = replace(whole, body=body), frozenset(progress.merged | progress.restarted)
        whole = replace(whole, handlers=tuple(map(self._handler, whole.handlers)))
        note, whole, way = with_ways(whole, self.fresh.name)
        self.tries.starts.update(note)
        if way is not None:
            self.tries.ways[whole] = way
            self.tries.covered[whole] = covered
        if counted:
            self.tries.counted.add(whole)
        return [*before, *note, whole]
