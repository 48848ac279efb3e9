"""Replaces names in statements and expressions, in functions and in Python that no pass looks into as well."""
from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gast

from srcgrad.lang import names
from srcgrad.lang.core import (
    Bind,
    Comment,
    Effect,
    Expr,
    For,
    Function,
    If,
    Jump,
    Name,
    Opaque,
    Refuse,
    Return,
    Statement,
    Store,
    Unpack,
    While,
    blocks,
    expressions,
    map_expr,
    names_read,
    with_blocks,
)


def rename_statement(stmt: Statement, to: Mapping[str, Expr]) -> Statement:
    """The statement with names replaced; targets only by names."""
    def target(name: str) -> str:
        new = to.get(name)
        return new.id if isinstance(new, Name) else name

    inner = blocks(stmt)
    new = with_blocks(stmt, tuple(tuple(rename_statement(s, to) for s in b) for b in inner)) if inner else stmt
    values = tuple(rename_expr(e, to) for e in expressions(stmt))
    match new:
        case Bind(names_, _):
            return replace(new, names=tuple(map(target, names_)), values=values)
        case Unpack(names_, _, _):
            return replace(new, names=tuple(map(target, names_)), value=values[0])
        case Store():
            return replace(new, place=values[0], value=values[1])
        case For(name, _, _, _):
            return replace(new, target=target(name), iter=values[0])
        case If() | While():
            return replace(new, test=values[0])
        case Effect() | Return():
            return replace(new, value=values[0])
        case Refuse() | Comment() | Jump():
            return replace(new)
    if values:
        return Refuse("this statement isn't supported in a function that is called", "write it in the function itself",
                      at=stmt.at)
    return new


def rename_expr(expr: Expr, to: Mapping[str, Expr]) -> Expr:
    def change(e: Expr) -> Expr:
        match e:
            case Name(id):
                new = to.get(id)
                return e if new is None else replace(new, at=e.at)
            case Function(code, free):
                inner = {k: v for k, v in to.items() if k in free and k not in names.local(code)}
                body = tuple(rename_statement(s, inner) for s in code.body)
                return Function(replace(code, body=body), _renamed(free, inner), at=e.at)
            case Opaque(node, reads) if any(r in to for r in reads):
                return Opaque(_rename_node(node, to), _renamed(reads, to), at=e.at)
        return e
    return map_expr(change, expr)


def _renamed(reads: tuple[str, ...], to: Mapping[str, Expr]) -> tuple[str, ...]:
    """What is read instead of these names."""
    return tuple(sorted({n for name in reads for n in names_read(to.get(name, Name(name)))}))


def _rename_node(node: Any, to: Mapping[str, Expr]) -> Any:
    """The same for Python that no pass looks into: only plain renamings."""
    new = copy.deepcopy(node)
    for part in gast.walk(new):
        if isinstance(part, gast.Name) and isinstance(name := to.get(part.id), Name):
            part.id = name.id
    return new
