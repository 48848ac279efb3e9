"""Let `with` bind the user's name itself, where nothing has to be saved in between."""
from __future__ import annotations

from collections import Counter
from dataclasses import replace

from srcgrad.lang import core
from srcgrad.lang.core import Bind, Name, With
from srcgrad.passes.optimize.effects import Block, block_expressions


def bind_given(block: Block) -> Block:
    """The block with names that only hand on what a manager gives left out.

    ::

        with level(k) as given:
            d = given              ->      with level(k) as d:
            y = d * x                          y = d * x
    """
    reads = Counter(e.id for top in block_expressions(block) for e in core.walk(top) if isinstance(e, Name))
    return _bound_directly(block, reads)


def _bound_directly(block: Block, reads: Counter[str]) -> Block:
    out = []
    for stmt in block:
        if isinstance(stmt, With):
            stmt = _with(stmt, reads)
        inner = core.blocks(stmt)
        out.append(core.with_blocks(stmt, tuple(_bound_directly(b, reads) for b in inner)) if inner else stmt)
    return tuple(out)


def _with(stmt: With, reads: Counter[str]) -> With:
    items, body = list(stmt.items), list(stmt.body)
    while body:
        match body[0]:
            case Bind((name,), (Name(given),)) if reads[given] == 1 and any(given == n for _, n in items) \
                    and not any(name == n for _, n in items):
                items = [(manager, name if n == given else n) for manager, n in items]
                body = body[1:]
            case _:
                break
    return replace(stmt, items=tuple(items), body=tuple(body)) if body else stmt
