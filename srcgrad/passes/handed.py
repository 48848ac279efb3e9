"""Tuples that are only made to be taken apart at once become the values themselves.

        t = x * x, np.sin(x)        # what a function that was put in place returns
        a, b = t                    ->      a, b = x * x, np.sin(x)
"""
from __future__ import annotations

from collections import Counter

from srcgrad.lang.core import (
    Bind,
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
    """The function without such tuples, or None where there are none."""
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
        out.append(stmt)
    return tuple(out) if changed else block


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
