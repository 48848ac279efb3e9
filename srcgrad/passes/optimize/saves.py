"""Saves what a statement overwrites before the statement, as the user wrote it, instead of in its middle."""
from __future__ import annotations

from collections import Counter

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bind, Call, Effect, Expr, Name, Statement
from srcgrad.passes.optimize.effects import Block


def save_first(block: Block, temporaries: frozenset[str]) -> Block:
    """The block without temporaries that only carry a new value past the saving of the old one.

    ::

        t = f(x)
        x_saved.append(x)    ->    x_saved.append(x)
        x = t                      x = f(x)
    """
    read = Counter(node.id for stmt in core.statements(block) for expr in core.expressions(stmt)
                   for node in core.walk(expr) if isinstance(node, Name))
    return _block(block, frozenset(name for name in temporaries if read[name] == 1))


def _block(block: Block, once: frozenset[str]) -> Block:
    out: list[Statement] = []
    for stmt in block:
        stmt = core.with_blocks(stmt, tuple(_block(inner, once) for inner in core.blocks(stmt)))
        out.append(stmt)
        match out[-3:]:
            case [Bind((carrier,), (value,)), save, Bind((target,), (Name(source),), at=at)] \
                    if carrier == source and carrier in once and _saves(save, target, value):
                out[-3:] = [save, Bind((target,), (value,), at=at)]
    return tuple(out)


def _saves(stmt: Statement, name: str, value: Expr) -> bool:
    """Whether the statement only puts away what the name means, where the value doesn't read it."""
    match stmt:
        case Effect(Call(Attr(Name(place), "append"), (Name(saved),), ())) | Bind((place,), (Name(saved),)):
            return saved == name and place not in core.names_read(value)
    return False
