"""Iterators that several statements advance: a name for what they run over, and one for how far they are.

        it = iter(xs)                       it_items = xs
                                            it_next = 0
        first = next(it)            ->      first = it_items[it_next]       (StopIteration where there is none)
                                            it_next = it_next + 1
        for x in it: ...                    while it_next < len(it_items): x = it_items[it_next]; ...

A generator that runs over something finite is made a list; one of an endless loop with a single `yield` is stepped:

        g = averages(k)                     the statements before the loop; g_started = False
        a = next(g)                 ->      if g_started: the statements after the `yield`
        b = g.send(v)                       g_started = True; those before it; a = what it gives
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.values import Array, Known, Lazy, ListOf, RangeOf, TupleOf
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    For,
    Function,
    If,
    Item,
    Jump,
    Name,
    Opaque,
    Return,
    Statement,
    Store,
    While,
    Yield,
    expressions,
    names_read,
    statements,
    walk,
)
from srcgrad.passes.lower.returns import duplicate
from srcgrad.passes.meanwhile import between, may_change
from srcgrad.passes.producers import callee_of_generator, does_nothing_else, generator_of, is_finite, matters
from srcgrad.passes.splice import Splicer
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]


@dataclass
class _Use:
    """Where an iterator is advanced: a loop over it, `next(it)` or `it.send(v)`."""
    stmt: Statement
    expr: Expr


def advanced(unit: Unit, facts: Facts) -> bool:
    """Notes in the facts how iterators that several statements advance are spelled out; whether there are any."""
    found = False
    for stmt, name, call in _made(unit, facts):
        uses = _uses(unit, facts, name)
        if uses is not None and any(matters(facts, u.stmt) for u in uses):
            found |= _sequence(unit, facts, stmt, name, call, uses) or _stepped(unit, facts, stmt, name, call, uses)
    return found


def _made(unit: Unit, facts: Facts) -> Iterator[tuple[Bind, str, Call]]:
    bound = Counter(n for s in statements(unit.code.body) for n in names.bound_by(s))
    for stmt in statements(unit.code.body):
        match stmt:
            case Bind((name,), (Call() as call,)) if bound[name] == 1:
                if isinstance(facts.kind(stmt, call).value, Lazy):
                    yield stmt, name, call


def _uses(unit: Unit, facts: Facts, name: str) -> list[_Use] | None:
    """All uses of the iterator, or None where some other thing is done with it."""
    uses: list[_Use] = []
    reads = 0
    for stmt in statements(unit.code.body):
        if stmt not in facts.before:
            continue
        for node in (e for top in expressions(stmt) for e in walk(top)):
            reads += node == Name(name)
            if isinstance(node, (Function, Opaque)) and name in names_read(node):
                return None
            if _is_next(facts, stmt, node, name) or _is_send(node, name):
                uses.append(_Use(stmt, node))
        if isinstance(stmt, For) and stmt.iter == Name(name):
            uses.append(_Use(stmt, stmt.iter))
    return uses if reads == len(uses) else None


def _is_next(facts: Facts, stmt: Statement, node: Expr, name: str) -> bool:
    match node:
        case Call(Name() as func, (Name(read), *_), ()) if read == name:
            value = facts.kind(stmt, func).value
            return isinstance(value, Known) and value.obj is next
    return False


def _is_send(node: Expr, name: str) -> bool:
    match node:
        case Call(Attr(Name(read), "send"), (_,), ()):
            return read == name
    return False


# ---------------------------------------------------------------- over a sequence

def _sequence(unit: Unit, facts: Facts, stmt: Bind, name: str, call: Call, uses: list[_Use]) -> bool:
    source = _source(facts, stmt, call)
    if source is None or any(_is_send(u.expr, name) for u in uses):
        return False
    if source is call and may_change(unit, facts, stmt, call, between(unit.code.body, stmt, [u.stmt for u in uses])):
        return False
    items, position = (unit.fresh.name(f"{name}_{part}") for part in ("items", "next"))
    unit.made |= {items, position}
    cursor = _Cursor(items, position)

    def start(make: Make) -> list[Statement]:
        value = source if source is not call else Call(make.outside("list", list), (call,), at=stmt.at)
        return [Bind((items,), (value,), at=stmt.at), Bind((position,), (Const(0),), at=stmt.at)]
    facts.replacements[stmt] = start
    for use in uses:
        if isinstance(use.stmt, For) and use.expr is use.stmt.iter:
            facts.replacements[use.stmt] = cursor.loop(use.stmt)
        else:
            facts.rewrites[use.stmt, id(use.expr)] = cursor.next
    return True


def _source(facts: Facts, stmt: Bind, call: Call) -> Expr | None:
    """What the iterator runs over: a sequence, or the call itself, which then is made a list."""
    func = facts.kind(stmt, call.func).value
    known = func.obj if isinstance(func, Known) else None
    if known is iter and len(call.args) == 1:
        value = facts.value(stmt, call.args[0])
        if isinstance(value, (Array, ListOf, RangeOf, TupleOf)):
            return call.args[0]
    if known in (zip, enumerate, reversed, map, iter) and does_nothing_else(facts, stmt, call) and not any(
            isinstance(facts.value(stmt, a), Lazy) for a in call.args):
        return call
    return call if is_finite(facts, stmt, call) else None


@dataclass(frozen=True)
class _Cursor:
    items: str
    position: str

    def _left(self) -> Expr:
        return Compare(Name(self.position), ("<",), (Call(Name("len"), (Name(self.items),)),))

    def _advance(self, at: Any) -> Statement:
        return Bind((self.position,), (Bin("+", Name(self.position), Const(1)),), at=at)

    def _item(self, at: Any) -> Expr:
        return Item(Name(self.items), Name(self.position), at=at)

    def next(self, parts: tuple[Expr, ...], make: Make) -> Expr:
        at = parts[0].at
        value = make.name("item")
        taken = (Bind((value,), (self._item(at),), at=at), self._advance(at))
        if len(parts) > 2:
            make.add(If(self._left(), taken, (Bind((value,), (parts[2],), at=at),), at=at))
        else:
            make.add(If(self._left(), taken, (Jump("raise", Name("StopIteration"), at=at),), at=at))
        return Name(value, at=at)

    def loop(self, stmt: For) -> Any:
        def build(make: Make) -> list[Statement]:
            first = (Bind((stmt.target,), (self._item(stmt.at),), at=stmt.at), self._advance(stmt.at))
            return [While(self._left(), (*first, *_followed(make, stmt.body)), at=stmt.at)]
        return build


def _followed(make: Make, body: Block) -> Block:
    """The body of a loop that is replaced, in which the iterator may be advanced, too."""
    return make.work.block(body)           # type: ignore[attr-defined]


# ---------------------------------------------------------------- step by step

@dataclass(frozen=True)
class _Machine:
    """A generator that is `before`, and then `head; yield value; tail` for ever; `sent`: the name of what is sent."""
    before: Block
    head: Block
    value: Expr
    sent: str | None
    tail: Block


def _machine(body: Block) -> _Machine | None:
    whole = [s for s in body if not isinstance(s, Return)]
    if not whole or not isinstance(last := whole[-1], While) or last.test != Const(True):
        return None
    before = tuple(whole[:-1])
    at = [k for k, s in enumerate(last.body) if any(isinstance(e, Yield) for e in expressions(s))]
    total = sum(isinstance(e, Yield) for s in statements(body) for e in expressions(s))
    leaves = any(isinstance(s, (Return, Jump)) for s in statements(last.body))
    loud = any(isinstance(s, (Store, Effect, For, While)) for s in statements(before))
    if len(at) != 1 or total != 1 or leaves or loud:
        return None
    stmt = last.body[at[0]]
    value = expressions(stmt)[0]
    assert isinstance(value, Yield)
    sent = stmt.names[0] if isinstance(stmt, Bind) else None
    return _Machine(before, last.body[:at[0]], value.value, sent,
                    last.body[at[0] + 1:])


def _stepped(unit: Unit, facts: Facts, stmt: Bind, name: str, call: Call, uses: list[_Use]) -> bool:
    found = generator_of(facts, stmt, call)
    callee = None if found is None else callee_of_generator(*found)
    if callee is None or _machine(callee.code.body) is None:
        return False
    started = unit.fresh.name(f"{name}_started")
    made: list[_Machine] = []

    def start(make: Make) -> list[Statement]:
        work: Splicer = make.work          # type: ignore[attr-defined]
        out: list[Statement] = []
        bound = names.bound(unit.code.body)
        machine = _machine(work.spliced(callee, call, call, stmt, out, changing=bound))
        assert machine is not None
        made.append(machine)
        return [*out, *machine.before, Bind((started,), (Const(False),), at=stmt.at)]

    def step(sent: Expr, at: Any) -> tuple[Block, Expr]:
        machine = made[0]
        tail: list[Statement] = [] if machine.sent is None else [Bind((machine.sent,), (sent,), at=at)]
        tail += duplicate(machine.tail)
        resumed = [If(Name(started), tuple(tail), at=at)] if tail else []
        return (*resumed, Bind((started,), (Const(True),), at=at), *duplicate(machine.head)), machine.value

    def advance(parts: tuple[Expr, ...], make: Make, sends: bool) -> Expr:
        at = parts[0].at
        block, value = step(parts[1] if sends else Const(None), at)
        item = make.name("item")
        for s in (*block, Bind((item,), (value,), at=at)):
            make.add(s)
        return Name(item, at=at)

    def loop(use: For) -> Any:
        def build(make: Make) -> list[Statement]:
            block, value = step(Const(None), use.at)
            body = (*block, Bind((use.target,), (value,), at=use.at), *_followed(make, use.body))
            return [While(Const(True), body, at=use.at)]
        return build

    facts.replacements[stmt] = start
    for use in uses:
        if isinstance(use.stmt, For) and use.expr is use.stmt.iter:
            facts.replacements[use.stmt] = loop(use.stmt)
        else:
            facts.rewrites[use.stmt, id(use.expr)] = partial(advance, sends=_is_send(use.expr, name))
    return True


