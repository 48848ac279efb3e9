"""Looks an adjoint up in the shadow once, not before each use.

        u_bar = shadow(u)               u_bar = shadow(u)
        u_bar[1:] += a                  u_bar[1:] += a
        u_bar = shadow(u)       ->      u_bar[:-1] -= a
        u_bar[:-1] -= a
"""
from __future__ import annotations

from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Comment,
    Effect,
    Expr,
    Name,
    Statement,
    Store,
    blocks,
    expressions,
    walk,
    with_blocks,
)
from srcgrad.lang.names import bound_by

Block = tuple[Statement, ...]


def look_up_once(block: Block, shadow: str | None) -> Block:
    """The block without look-ups whose result a name already has; `shadow` is the shadow's name, if there is one."""
    return block if shadow is None else _block(block, shadow)


def _block(block: Block, shadow: str) -> Block:
    out: list[Statement] = []
    known: dict[str, Expr] = {}
    for stmt in block:
        if blocks(stmt):
            out.append(with_blocks(stmt, tuple(_block(b, shadow) for b in blocks(stmt))))
            known.clear()
            continue
        found = _look_up(stmt, shadow)
        if found is not None and known.get(found[0]) == found[1]:
            continue
        _forget(known, stmt, shadow)
        if found is not None:
            known[found[0]] = found[1]
        out.append(stmt)
    return tuple(out)


def _look_up(stmt: Statement, shadow: str) -> tuple[str, Expr] | None:
    match stmt:
        case Bind((name,), (Call(Name(function), (Name(_) as owner,), ()),)) if function == shadow and owner.id != name:
            return name, owner
    return None


def _forget(known: dict[str, Expr], stmt: Statement, shadow: str) -> None:
    """What the statement makes untrue: names that are bound anew, storages that end."""
    if isinstance(stmt, (Store, Comment)) and not isinstance(getattr(stmt, "place", None), Name):
        return
    changed = set(bound_by(stmt))
    for expr in expressions(stmt):
        for node in walk(expr):
            if isinstance(node, Call) and isinstance(node.func, Attr) and node.func.value == Name(shadow):
                changed |= {a.id for a in node.args if isinstance(a, Name)}
                if node.func.name == "pop":
                    known.clear()
    if isinstance(stmt, Effect) and not all(isinstance(e, (Call, Attr, Name)) for e in expressions(stmt)):
        known.clear()
    for name in [n for n, owner in known.items() if n in changed or isinstance(owner, Name) and owner.id in changed]:
        del known[name]
