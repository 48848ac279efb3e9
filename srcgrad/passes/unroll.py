"""Loops over a few things of different kinds, written out for each of them.

        for f, k in ((np.sin, 2.0), (np.cos, b)):           f = np.sin; k = 2.0
            total = total + f(x * k)                ->      total = total + f(x * k)
                                                            f = np.cos; k = b
                                                            total = total + f(x * k)
"""
from __future__ import annotations

import functools

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.iteration import MOST_ITEMS, MOST_STATEMENTS
from srcgrad.analysis.interpret.unpacking import taken_apart
from srcgrad.analysis.values import UNKNOWN, Array, Closure, Known, OneOf, TupleOf, Value, join, number_of
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Const,
    Expr,
    For,
    Item,
    List,
    Name,
    Star,
    Statement,
    Tuple,
    names_read,
    statements,
)
from srcgrad.passes.leaving import left_by_return, without_jumps
from srcgrad.passes.lower.returns import duplicate
from srcgrad.passes.producers import matters
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.splice import Splicer


def is_uneven(facts: Facts, stmt: For) -> bool:
    """Whether the loop runs over a few things of which no one kind tells enough."""
    kinds = _kinds(facts, stmt)
    size = sum(1 for _ in statements(stmt.body))
    if not 1 < len(kinds) <= MOST_ITEMS or len(kinds) * size > MOST_STATEMENTS or UNKNOWN in kinds:
        return False
    return any(_is_function(k) for k in kinds) or _is_blurred(functools.reduce(join, kinds), kinds) \
        and matters(facts, stmt)


def _kinds(facts: Facts, stmt: For) -> list[Value]:
    if isinstance(stmt.iter, (Tuple, List)):
        if any(isinstance(e, Star) for e in stmt.iter.items):
            return []
        return [facts.value(stmt, e) for e in stmt.iter.items]
    value = facts.value(stmt, stmt.iter)
    return list(value.items) if isinstance(value, TupleOf) and isinstance(stmt.iter, Name) else []


def _is_function(value: Value) -> bool:
    if isinstance(value, TupleOf):
        return any(map(_is_function, value.items))
    return isinstance(value, Closure) or isinstance(value, Known) and callable(value.obj)


def _is_blurred(joined: Value, kinds: list[Value]) -> bool:
    """Whether less is known of all of them together than of each."""
    if isinstance(joined, TupleOf):
        parts = [k.items for k in kinds if isinstance(k, TupleOf) and len(k.items) == len(joined.items)]
        return len(parts) == len(kinds) and any(
            _is_blurred(part, [p[i] for p in parts]) for i, part in enumerate(joined.items))
    if joined == UNKNOWN or isinstance(joined, OneOf):
        return any(k != UNKNOWN for k in kinds)
    return isinstance(joined, Array) and joined.dims is None and any(
        isinstance(k, Array) and k.dims is not None or number_of(k) is not None for k in kinds)


def written_out(work: Splicer, stmt: For) -> list[Statement]:
    """The loop's body once for each of the things that it runs over."""
    work.changed = True
    before: list[Statement] = []
    items = _items(work, stmt, before)
    live = work.facts.live.after.get(stmt, frozenset())
    body: list[Statement] = []
    for item in items:
        first = Bind((stmt.target,), (item,), at=stmt.at)
        own = taken_apart([first, *duplicate(left_by_return(stmt.body))], lambda name: name not in live)
        body += _with_known(own, live)
    return [*before, *without_jumps(work.unit, tuple(body))]


def _with_known(body: list[Statement], live: frozenset[str]) -> list[Statement]:
    """`f = np.sin; k = 0; y = f(x[k])` as `y = np.sin(x[0])`."""
    while body:
        first, *rest = body
        match first:
            case Bind((name,), ((Attr(Name()) | Name() | Const()) as value,)) \
                    if name not in live | names.bound(tuple(rest)) and not names_read(value) & names.bound(tuple(rest)):
                body = [rename_statement(s, {name: value}) for s in rest]
            case Bind() if len(rest) > 1 and isinstance(rest[0], Bind):
                return [first, *_with_known(rest, live)]
            case _:
                break
    return body


def _items(work: Splicer, stmt: For, before: list[Statement]) -> list[Expr]:
    bound = names.bound((stmt,))
    if isinstance(stmt.iter, (Tuple, List)):
        return [_held(work, e, bound, before) for e in stmt.iter.items]
    owner = stmt.iter
    if not isinstance(owner, Name) or owner.id in bound:
        owner = _named(work, owner, before)
    return [Item(owner, Const(k), at=stmt.at) for k in range(len(_kinds(work.facts, stmt)))]


def _held(work: Splicer, expr: Expr, bound: frozenset[str], before: list[Statement]) -> Expr:
    """The expression, evaluated before the loop as its display is."""
    if isinstance(expr, Const) or isinstance(expr, Name) and expr.id not in bound:
        return expr
    if isinstance(expr, Tuple) and not any(isinstance(e, Star) for e in expr.items):
        return Tuple(tuple(_held(work, e, bound, before) for e in expr.items), at=expr.at)
    return _named(work, expr, before)


def _named(work: Splicer, expr: Expr, before: list[Statement]) -> Name:
    name = work.unit.fresh.name("item")
    work.unit.made.add(name)
    before.append(Bind((name,), (expr,), at=expr.at))
    return Name(name, at=expr.at)
