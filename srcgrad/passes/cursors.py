"""Iterators that several statements advance: a name for what they run over, and one for how far they are.

        it = iter(xs)                       it_items = xs
                                            it_next = 0
        first = next(it)            ->      first = it_items[it_next]       (StopIteration where there is none)
                                            it_next = it_next + 1
        for x in it: ...                    while it_next < len(it_items): x = it_items[it_next]; ...

A generator is taken apart (`passes.machines`), and each of these statements is a step of it:

        g = averages(k)                     g_mean = 0.0; g_at = 0
        a = next(g)                 ->      if g_at == 0: ...
        b = g.send(v)
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import reach
from srcgrad.analysis.values import Known, Lazy
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Expr,
    For,
    Function,
    If,
    Item,
    Jump,
    Name,
    Opaque,
    Statement,
    While,
    expressions,
    names_read,
    statements,
    walk,
)
from srcgrad.library.cursors import cursor_of
from srcgrad.passes.arguments import Callee
from srcgrad.passes.leaving import without_jumps
from srcgrad.passes.machines import Machine, Names, Unfit
from srcgrad.passes.meanwhile import between, given, may_change
from srcgrad.passes.producers import callee_of_generator, generator_of, is_sequence, matters, may_grow, source_of
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
    for stmt, name, items in _remembered(unit, facts):
        found |= _taken(unit, facts, stmt, name, items)
    for stmt, name, call in _made(unit, facts):
        uses = _uses(unit, facts, name)
        if uses is not None and any(matters(facts, u.stmt) for u in uses):
            source = source_of(facts, stmt, call)
            found |= source is not call and _sequence(unit, facts, stmt, name, source, uses) \
                or _stepped(unit, facts, stmt, name, call, uses) or _sequence(unit, facts, stmt, name, source, uses)
    return found


def _made(unit: Unit, facts: Facts) -> Iterator[tuple[Bind, str, Call]]:
    bound = Counter(n for s in statements(unit.code.body) for n in names.bound_by(s))
    for stmt in statements(unit.code.body):
        match stmt:
            case Bind((name,), (Call() as call,)) if bound[name] == 1:
                if isinstance(facts.kind(stmt, call).value, Lazy):
                    yield stmt, name, call


def _remembered(unit: Unit, facts: Facts) -> Iterator[tuple[Bind, str, Expr]]:
    """What steps of generators run over, and what it is called."""
    for stmt in statements(unit.code.body):
        match stmt:
            case Bind((name,), (Call(func, (items,)),)) if stmt in facts.before:
                if facts.kind(stmt, func).value == Known(cursor_of):
                    yield stmt, name, items


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

def _sequence(unit: Unit, facts: Facts, stmt: Bind, name: str, source: Expr | None, uses: list[_Use]) -> bool:
    if source is None or any(_is_send(u.expr, name) for u in uses):
        return False
    if source is not stmt.values[0] and may_grow(facts, stmt, source):
        return False                        # `passes.kept_iterators` makes it an object that knows when it has ended
    if isinstance(source, Call) and source is stmt.values[0] and may_change(
            unit, facts, stmt, source, between(unit.code.body, stmt, [u.stmt for u in uses])):
        return False
    cursor = _cursor(unit, name)

    def start(make: Make) -> list[Statement]:
        value = source if source is not stmt.values[0] else Call(make.outside("list", list), (source,), at=stmt.at)
        return cursor.start(value, stmt.at)
    facts.replacements[stmt] = start
    for use in uses:
        if isinstance(use.stmt, For) and use.expr is use.stmt.iter:
            facts.replacements[use.stmt] = cursor.loop(use.stmt)
        else:
            facts.rewrites[use.stmt, id(use.expr)] = cursor.next
    return True


def _taken(unit: Unit, facts: Facts, stmt: Bind, name: str, source: Expr) -> bool:
    """Where all that is done with a cursor is to ask whether there is more, and to take it."""
    places = [(s, e) for s in statements(unit.code.body) if s in facts.before for top in expressions(s)
              for e in walk(top)]
    asked = [(s, e) for s, e in places if isinstance(e, Call) and isinstance(e.func, Attr)
             and e.func.value == Name(name) and e.func.name in ("more", "take")]
    if len(asked) != sum(e == Name(name) or isinstance(e, (Function, Opaque)) and name in names_read(e)
                         for _, e in places):
        return False
    if isinstance(facts.kind(stmt, source).value, Lazy):
        made = _making(unit, facts, stmt, source)
        if made is None or not _stepped(unit, facts, made[0], name, made[1], [_Use(s, e) for s, e in asked]):
            return False
        if made[0] is not stmt:
            facts.replacements[stmt] = lambda make: []
        return True
    if not is_sequence(facts.value(stmt, source)):
        return False
    cursor = _cursor(unit, name)
    facts.replacements[stmt] = lambda make: cursor.start(source, stmt.at)
    for s, e in asked:
        assert isinstance(e, Call) and isinstance(e.func, Attr)
        facts.rewrites[s, id(e)] = cursor.more if e.func.name == "more" else cursor.take
    return True


def _making(unit: Unit, facts: Facts, stmt: Bind, source: Expr) -> tuple[Bind, Call] | None:
    """Where the iterator is made that a step of a generator runs over, and nobody else."""
    if isinstance(source, Call):
        return stmt, source
    body = list(statements(unit.code.body))
    made = [s for s in body if isinstance(source, Name) and source.id in names.bound_by(s)]
    reads = sum(e == source for s in body if s in facts.before for top in expressions(s) for e in walk(top))
    match made:
        case [Bind((_,), (Call() as call,)) as bind] if reads == 1 and bind in facts.before:
            return bind, call
    return None


def _cursor(unit: Unit, name: str) -> _Cursor:
    items, position = (unit.fresh.name(f"{name}_{part}") for part in ("items", "next"))
    unit.made |= {items, position}
    return _Cursor(items, position)


@dataclass(frozen=True)
class _Cursor:
    items: str
    position: str

    def start(self, items: Expr, at: Any) -> list[Statement]:
        return [Bind((self.items,), (items,), at=at), Bind((self.position,), (Const(0),), at=at)]

    def more(self, parts: tuple[Expr, ...], make: Make) -> Expr:
        return self._left()

    def take(self, parts: tuple[Expr, ...], make: Make) -> Expr:
        at = parts[0].at
        value = make.name("item")
        make.add(Bind((value,), (self._item(at),), at=at))
        make.add(self._advance(at))
        return Name(value, at=at)

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
            ended = Compare(Name(self.position), (">=",), (Call(Name("len"), (Name(self.items),)),))
            make.add(If(ended, (Jump("raise", Name("StopIteration"), at=at),), at=at))
            for s in taken:
                make.add(s)
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

def _stepped(unit: Unit, facts: Facts, stmt: Bind, name: str, call: Call, uses: list[_Use]) -> bool:
    found = generator_of(facts, stmt, call)
    callee = None if found is None else callee_of_generator(*found)
    if callee is None or not _can_be_stepped(callee.code.body):
        return False
    machine = Machine(Names(*(unit.fresh.name(f"{name}_{part}") for part in ("at", "item", "result", "going"))),
                      unit.fresh.name, lambda name, obj: Const(obj), stays_ended=_may_go_on(facts, stmt, call, callee))
    bound = Counter(n for s in statements(unit.code.body) for n in names.bound_by(s))
    bound.update(p.name for p in unit.code.params)

    def start(make: Make) -> list[Statement]:
        work: Splicer = make.work          # type: ignore[attr-defined]
        out: list[Statement] = []
        body = work.spliced(callee, call, call, stmt, out, changing=names.bound(unit.code.body))
        inside = Counter(n for s in statements(body) for n in names.bound_by(s))
        machine.outside = work.outside
        machine.fresh = work.made
        unit.made.update(vars(machine.names).values())

        def is_settled(expr: Expr) -> bool:
            return isinstance(expr, Const) or isinstance(expr, Name) and inside[expr.id] == 0 and bound[expr.id] <= 1
        return [*out, *machine.take_apart(body, is_settled)]

    def next_(parts: tuple[Expr, ...], make: Make) -> Expr:
        at, item = parts[0].at, machine.names.item
        stop: Statement = Jump("raise", machine.stopped(), at=at)
        if len(parts) > 2:
            stop = Bind((item,), (parts[2],), at=at)
        return advance(Const(None), (stop,), make, at)

    def send(parts: tuple[Expr, ...], make: Make) -> Expr:
        at = parts[0].at
        return advance(parts[1], (Jump("raise", machine.stopped(), at=at),), make, at)

    def advance(sent: Expr, at_end: Block, make: Make, at: Any) -> Expr:
        for s in machine.step(sent, at_end):
            make.add(s)
        item = make.name("item")
        make.add(Bind((item,), (Name(machine.names.item),), at=at))
        return Name(item, at=at)

    def more(parts: tuple[Expr, ...], make: Make) -> Expr:
        """A step of another generator asks, and then takes."""
        at, going = parts[0].at, make.name("more")
        make.add(Bind((going,), (Const(True),), at=at))
        for s in machine.step(Const(None), (Bind((going,), (Const(False),), at=at),)):
            make.add(s)
        return Name(going, at=at)

    def take(parts: tuple[Expr, ...], make: Make) -> Expr:
        return Name(machine.names.item, at=parts[0].at)

    def loop(use: For) -> Any:
        def build(make: Make) -> list[Statement]:
            given = Bind((use.target,), (Name(machine.names.item),), at=use.at)
            match machine.step(Const(None), (Jump("break", at=use.at),)):
                case (If(test, step, (Jump("break"),)),) if not any(isinstance(s, Jump) for s in statements(step)):
                    return [While(test, (*step, given, *_followed(make, use.body)), use.orelse, at=use.at)]
                case step:
                    body = (*step, given, *_followed(make, use.body))
                    return list(without_jumps(unit, (While(Const(True), body, use.orelse, at=use.at),)))
        return build

    facts.replacements[stmt] = start
    for use in uses:
        if isinstance(use.stmt, For) and use.expr is use.stmt.iter:
            facts.replacements[use.stmt] = loop(use.stmt)
        else:
            assert isinstance(use.expr, Call)
            method = use.expr.func.name if isinstance(use.expr.func, Attr) else ""
            facts.rewrites[use.stmt, id(use.expr)] = {"send": send, "more": more, "take": take}.get(method, next_)
    return True


def _may_go_on(facts: Facts, stmt: Statement, call: Call, callee: Callee) -> bool:
    """Whether there may be more where the generator has found that there isn't: in a list that has grown meanwhile."""
    held = reach(given(facts, stmt, call)) if callee.library else facts.heap.storages()
    return any(s.kind == "list" and facts.written(s) for s in held)


def _can_be_stepped(body: Block) -> bool:
    taken = iter(range(10**6))
    try:
        Machine(Names("at", "item", "result", "going"), lambda hint: f"{hint}{next(taken)}",
                lambda name, obj: Const(obj)).take_apart(body, lambda expr: False)
    except Unfit:
        return False
    return True
