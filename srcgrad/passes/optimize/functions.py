"""Functions made inside that nobody calls any more go, also those that call themselves or each other.

        def power(k):
            return c if k == 0 else power(k - 1) * x        ->      (nothing)
        y, record = power_forward(c, x, n)
"""
from __future__ import annotations

from srcgrad.lang import core
from srcgrad.lang.core import Bind, Function, Statement
from srcgrad.passes.optimize.effects import Block


def drop_unused_functions(block: Block) -> Block:
    """The block without definitions of functions that nothing else leads to."""
    made: dict[str, list[Function]] = {}
    read: set[str] = set()
    for stmt in core.statements(block):
        name = _defined(stmt)
        if name is not None:
            made.setdefault(name, []).append(stmt.values[0])            # type: ignore[attr-defined]
        else:
            read.update(*map(core.names_read, core.expressions(stmt)))
    todo = [name for name in made if name in read]
    while todo:
        free = {n for function in made[todo.pop()] for n in function.free}
        todo += [name for name in made if name in free - read]
        read |= free
    return _without(block, made.keys() - read) if made.keys() - read else block


def _defined(stmt: Statement) -> str | None:
    """The name of a function that the statement does nothing but define."""
    match stmt:
        case Bind((name,), (Function(code, _),)) if all(p.default is None for p in code.params):
            return name
    return None


def _without(block: Block, gone: set[str]) -> Block:
    kept = (stmt for stmt in block if _defined(stmt) not in gone)
    return tuple(core.with_blocks(stmt, tuple(_without(b, gone) for b in core.blocks(stmt)))
                 if core.blocks(stmt) else stmt for stmt in kept)
