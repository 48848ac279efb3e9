"""Tuples that are only made to be taken apart at once become the values themselves.

        t = x * x, np.sin(x)        # what a function that was put in place returns
        a, b = t                    ->      a, b = x * x, np.sin(x)

Objects that are made at once are made one by one, so that each can be its fields.

        p, q = Point(x, y), Point(y, x)     ->      p = Point(x, y); q = Point(y, x)
"""
from __future__ import annotations

from collections import Counter

from srcgrad.lang.core import (
    Bind,
    Call,
    Expr,
    Name,
    Star,
    Statement,
    Tuple,
    Unpack,
    blocks,
    expressions,
    names_read,
    statements,
    with_blocks,
)
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]


def handed_over(unit: Unit) -> Unit | None:
    """The function without such tuples and makings, or None where there are none."""
    readers = Counter(name for stmt in statements(unit.code.body) for e in expressions(stmt) for name in names_read(e))
    body = _block(unit, readers, unit.code.body)
    return None if body is unit.code.body else unit.with_body(body)


def _block(unit: Unit, readers: Counter[str], block: Block) -> Block:
    out: list[Statement] = []
    changed = False
    for stmt in block:
        inner = blocks(stmt)
        new = tuple(_block(unit, readers, b) for b in inner)
        if any(a is not b for a, b in zip(inner, new)):
            stmt, changed = with_blocks(stmt, new), True
        whole = _whole(unit, readers, out[-1], stmt) if out else None
        if whole is not None:
            made, stmt, changed = out.pop(), whole, True
            if made in unit.chains:
                unit.chains[stmt] = unit.chains[made]
        parts = _one_by_one(unit, stmt)
        changed |= len(parts) > 1
        out += parts
    return tuple(out) if changed else block


def _one_by_one(unit: Unit, stmt: Statement) -> list[Statement]:
    """A statement that makes several objects as one for each of them, where none reads what another is called."""
    if not isinstance(stmt, Bind) or len(stmt.names) == 1 or not any(_makes(unit, v) for v in stmt.values):
        return [stmt]
    if any(not names_read(v).isdisjoint(stmt.names[:k]) for k, v in enumerate(stmt.values)):
        return [stmt]
    parts: list[Statement] = [Bind((name,), (v,), at=stmt.at) for name, v in zip(stmt.names, stmt.values)]
    unit.keep_chain(parts, stmt)
    return parts


def _makes(unit: Unit, value: Expr) -> bool:
    """Whether the expression makes an object."""
    if not isinstance(value, Call) or not isinstance(value.func, Name) or value.func.id in unit.bound_here:
        return False
    outer = unit.outer(value.func.id)
    return outer is not None and isinstance(outer.value(), type)


def _whole(unit: Unit, readers: Counter[str], made: Statement, taken: Statement) -> Bind | None:
    """One statement for the one that makes a tuple, beside others perhaps, and the one that alone reads it."""
    match made, taken:
        case Bind(names, values), Unpack(parts, Name(read), None) if read in names and read in unit.made:
            k = names.index(read)
            whole, others = values[k], (*names[:k], *names[k + 1:])
            if readers[read] == 1 and isinstance(whole, Tuple) and len(whole.items) == len(parts) \
                    and not any(isinstance(e, Star) for e in whole.items) and not set(parts) & set(others):
                return Bind((*names[:k], *parts, *names[k + 1:]), (*values[:k], *whole.items, *values[k + 1:]),
                            at=made.at)
    return None
