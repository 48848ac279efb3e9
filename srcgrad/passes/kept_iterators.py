"""Iterators that are kept where no loop runs over them at once: objects that know how far they are.

        it = iter(xs)                               it = Cursor(xs, 0)
        pairs = zip(it, it)             ->          pairs = zip(it, it)
        state["rows"] = (f(x) for x in xs)          state["rows"] = Cursor(list(f(x) for x in xs), 0)

Nobody can tell the difference where making all elements at once gives the same.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.values import DictOf, Known, Lazy, ListOf, ObjectOf
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Dict,
    Expr,
    For,
    List,
    Statement,
    Store,
    Tuple,
    While,
    expressions,
    names_read,
    rebuild,
    statements,
    walk,
)
from srcgrad.library.cursors import ChangingCursor, Cursor, cursor_of
from srcgrad.passes.meanwhile import may_change
from srcgrad.passes.producers import is_sequence, may_grow, source_of
from srcgrad.passes.unit import Unit

ITERATES = (Known(itertools.tee), Known(cursor_of))


def kept_as_objects(unit: Unit, facts: Facts) -> bool:
    """Notes in the facts which iterators become objects; whether there are any."""
    read = {n for s in statements(unit.code.body) for e in expressions(s) for n in names_read(e)}
    order = list(statements(unit.code.body))
    found = False
    for stmt in statements(unit.code.body):
        for call in _cursors(facts, stmt):
            facts.rewrites[stmt, id(call)] = partial(_over_sequence, call)
            found = True
        for call in _kept(facts, stmt, read) if stmt in facts.before else ():
            source = source_of(facts, stmt, call)
            changes = source is call and may_change(unit, facts, stmt, call, _later(order, stmt))
            if source is not None and not changes:
                cls = ChangingCursor if source is not call and may_grow(facts, stmt, source) else Cursor
                facts.rewrites[stmt, id(call)] = partial(_as_object, call, source is call, cls)
                found = True
    return found


def _later(order: list[Statement], stmt: Statement) -> list[Statement]:
    """The statements that may run after this one; it may be advanced by any of them."""
    again = any(isinstance(s, (For, While)) and stmt in set(statements((s,))) for s in order)
    return order if again else order[order.index(stmt) + 1:]


def _kept(facts: Facts, stmt: Statement, read: set[str]) -> Iterator[Call]:
    """The iterators that the statement makes and puts somewhere."""
    for expr in _places(facts, stmt, read):
        if isinstance(expr, Call):
            item = facts.kind(stmt, expr)
            if isinstance(item.value, Lazy) and item.active:
                yield expr


def _places(facts: Facts, stmt: Statement, read: set[str]) -> Iterator[Expr]:
    if isinstance(stmt, Bind):
        yield from (e for name, e in zip(stmt.names, stmt.values) if name in read)
    elif isinstance(stmt, Store):
        yield stmt.value
    for node in (e for top in expressions(stmt) for e in walk(top)):
        match node:
            case List(items) | Tuple(items):
                yield from items
            case Dict(_, values):
                yield from values
            case Call(Attr(owner), args) if isinstance(facts.value(stmt, owner), (ListOf, DictOf, ObjectOf)):
                yield from args
            case Call(func, (first, *_)) if facts.kind(stmt, func).value in ITERATES:
                yield first


def _cursors(facts: Facts, stmt: Statement) -> Iterator[Call]:
    """The cursors over sequences that steps of generators make."""
    for node in (e for top in expressions(stmt) for e in walk(top) if stmt in facts.before):
        match node:
            case Call(func, (items,)) if facts.kind(stmt, func).value == Known(cursor_of):
                if is_sequence(facts.value(stmt, items)):
                    yield node


def _over_sequence(call: Call, parts: tuple[Expr, ...], make: Make) -> Expr:
    return Call(make.outside("Cursor", Cursor), (parts[1], Const(0)), at=call.at)


def _as_object(call: Call, listed: bool, cls: type[Cursor], parts: tuple[Expr, ...], make: Make) -> Expr:
    whole = rebuild(call, parts)
    assert isinstance(whole, Call)
    items = Call(make.outside("list", list), (whole,), at=call.at) if listed else whole.args[0]
    return Call(make.outside(cls.__name__, cls), (items, Const(0)), at=call.at)
