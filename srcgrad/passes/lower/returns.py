"""Returns: only at the end of the function, as far as possible.

    if x > 0:                     if x > 0:
        return a                      return a
    b = f(x)          becomes     else:
    return b                          b = f(x)
                                      return b

A return inside a loop or a `try` stays where it is.
"""
from __future__ import annotations

from dataclasses import replace

from srcgrad.lang import core

Block = tuple[core.Statement, ...]
COPIED = 24  # so many statements may be written twice to bring returns to the end


def at_the_end(block: Block) -> Block:
    """A function's body in which every way through ends in a return (of None if nothing else is said)."""
    return _continued(block, (core.Return(core.Const(None)),))


def _continued(block: Block, rest: Block) -> Block:
    """The block followed by `rest` wherever it doesn't leave the function."""
    for i, stmt in enumerate(block):
        if isinstance(stmt, core.If) and _returns(stmt):
            after = () if ends(stmt) else _continued(block[i + 1:], rest)
            return (*block[:i], *_joined(stmt, after))
        if ends(stmt):
            return (*block[:i], _inside(stmt))
        if isinstance(stmt, core.With) and _returns(stmt):
            return (*block[:i], _inside(stmt), *_continued(block[i + 1:], rest))
    return (*block, *rest)


def _joined(stmt: core.If, after: Block) -> Block:
    """The branch with what comes after it moved into its arms, unless too much would have to be copied."""
    extra = _open(stmt.body) + _open(stmt.orelse) - 1
    if extra > 0 and extra * _size(after) > COPIED:
        return replace(stmt, body=_continued(stmt.body, ()), orelse=_continued(stmt.orelse, ())), *after
    body = _continued(stmt.body, after)
    return (replace(stmt, body=body, orelse=_continued(stmt.orelse, duplicate(after) if _open(stmt.body) else after)),)


def _inside(stmt: core.Statement) -> core.Statement:
    return replace(stmt, body=_continued(stmt.body, ())) if isinstance(stmt, core.With) else stmt


def _open(block: Block) -> int:
    """How many copies of what follows the block would be needed."""
    for i, stmt in enumerate(block):
        if ends(stmt):
            return 0
        if isinstance(stmt, core.If) and _returns(stmt):
            return (_open(stmt.body) + _open(stmt.orelse)) * _open(block[i + 1:])
    return 1


def _returns(stmt: core.Statement) -> bool:
    return any(isinstance(inner, core.Return) for inner in core.statements((stmt,)))


def _size(block: Block) -> int:
    return sum(1 for _ in core.statements(block))


def duplicate(block: Block) -> Block:
    """The same statements as new ones, since statements are told apart by identity, and so are functions in them."""
    copies = (core.with_blocks(s, tuple(map(duplicate, core.blocks(s)))) for s in block)
    return tuple(core.with_expressions(s, tuple(core.map_expr(_own, e) for e in core.expressions(s))) for s in copies)


def _own(expr: core.Expr) -> core.Expr:
    if not isinstance(expr, core.Function):
        return expr
    return replace(expr, code=replace(expr.code, body=duplicate(expr.code.body)))


def ends(stmt: core.Statement) -> bool:
    """Whether what is written after the statement never runs."""
    match stmt:
        case core.Return() | core.Refuse():
            return True
        case core.Jump(kind):
            return kind != "pass"
        case core.If(_, body, orelse):
            return _ends(body) and _ends(orelse)
        case core.Try(body, handlers, orelse, final):
            return _ends(final) or (_ends((*body, *orelse)) and all(_ends(b) for _, _, b in handlers))
        case core.While(core.Const(True), body):
            return not any(_breaks(s) for s in body)
    return False


def _ends(block: Block) -> bool:
    return any(map(ends, block))


def _breaks(stmt: core.Statement) -> bool:
    """Whether the statement may leave the loop around it with a break."""
    if isinstance(stmt, core.Jump):
        return stmt.kind == "break"
    inner = core.blocks(stmt)
    if isinstance(stmt, (core.For, core.While)):
        inner = inner[1:]  # a break in the body of an inner loop is its own
    return any(_breaks(s) for block in inner for s in block)
