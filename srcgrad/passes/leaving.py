"""Bodies of loops in other places: leaving the loop becomes a way to the end of the statements."""
from __future__ import annotations

from srcgrad.lang import names
from srcgrad.lang.core import (
    Bind,
    Code,
    Const,
    Expr,
    For,
    Jump,
    Name,
    Return,
    Statement,
    While,
    blocks,
    statements,
    with_blocks,
)
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]


def left_by_return(block: Block) -> Block:
    """The body of a loop with its own `break` as `return`."""
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, Jump) and stmt.kind == "break":
            stmt = Return(Const(None), at=stmt.at)
        elif blocks(stmt) and not isinstance(stmt, (For, While)):
            stmt = with_blocks(stmt, tuple(map(left_by_return, blocks(stmt))))
        out.append(stmt)
    return tuple(out)


def without_jumps(unit: Unit, body: Block) -> Block:
    """The block with every `return` in it made a way to its end."""
    if not any(isinstance(s, Return) for s in statements(body[-1:])):
        body = (*body, Return(Const(None)))
    known = names.bound(body)
    code = single_exit(Code("loop", (), body))
    *rest, last = code.body
    result = last.value.id if isinstance(last, Return) and isinstance(last.value, Name) else None
    block = _without(tuple(rest), result) if result not in known else tuple(rest)
    renaming: dict[str, Expr] = {}
    for name in sorted(names.bound(block) - known):
        renaming[name] = Name(unit.fresh.name(name))
    return tuple(rename_statement(s, renaming) for s in block) if renaming else block


def _without(block: Block, result: str | None) -> Block:
    """The block without what it returns, which is always None."""
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, Bind) and stmt.names == (result,):
            continue
        inner = blocks(stmt)
        out.append(with_blocks(stmt, tuple(_without(b, result) for b in inner)) if inner else stmt)
    return tuple(out)
