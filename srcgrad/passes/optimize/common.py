"""Compute once what two temporaries have in common."""
from __future__ import annotations

from dataclasses import replace

from srcgrad.lang import core
from srcgrad.lang.core import Bind, Call, Const, Expr, Name, Statement
from srcgrad.passes.optimize.effects import Block, Effects, Keys, captured, hazard, reads, writes


def compute_once(block: Block, effects: Effects, temporaries: frozenset[str]) -> Block:
    """The block in which a temporary that is computed as an earlier one was is a copy of that one.

    Both must be values that nobody writes into, and nothing that they are made of may change in between. ::

        a_bar = 0.125 * g              a_bar = 0.125 * g
        u_bar[1:] += a_bar             u_bar[1:] += a_bar
        b_bar = 0.125 * g       ->     b_bar = a_bar
        u_bar[:-1] += b_bar            u_bar[:-1] += b_bar
    """
    values = frozenset(temporaries - captured(block) - effects.storages.keys())
    return _block(block, effects, values)


def _block(block: Block, effects: Effects, values: frozenset[str]) -> Block:
    known: dict[Expr, tuple[str, Keys]] = {}
    out: list[Statement] = []
    for stmt in block:
        stmt = core.with_blocks(stmt, tuple(_block(inner, effects, values) for inner in core.blocks(stmt)))
        value = _computed(stmt, effects, values)
        if value is not None and isinstance(stmt, Bind) and value in known:
            stmt = replace(stmt, values=(Name(known[value][0]),))
            value = None
        changed = writes(stmt, effects)
        known = {e: (name, keys) for e, (name, keys) in known.items()
                 if not hazard(keys | {("name", name)}, changed)}
        if value is not None and isinstance(stmt, Bind) and stmt.names[0] not in core.names_read(value):
            known[value] = stmt.names[0], reads(value, effects)
        out.append(stmt)
    return tuple(out)


def _computed(stmt: Statement, effects: Effects, values: frozenset[str]) -> Expr | None:
    """What a value is computed from, if that is an operation that has no effect."""
    match stmt:
        case Bind((name,), (value,)) if name in values and not isinstance(value, (Name, Const)) \
                and effects.pure(value) and any(isinstance(e, (core.Bin, core.Unary, Call)) for e in core.walk(value)):
            return value
    return None
