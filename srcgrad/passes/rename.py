"""Replaces names in statements and expressions, in functions and in Python that no pass looks into as well."""
from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gast

from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Bind,
    Compare,
    Cond,
    Const,
    Expr,
    For,
    Function,
    Name,
    Opaque,
    Statement,
    Try,
    Unpack,
    With,
    blocks,
    expressions,
    map_expr,
    names_read,
    with_blocks,
    with_expressions,
)


def rename_statement(stmt: Statement, to: Mapping[str, Expr]) -> Statement:
    """The statement with names replaced; targets only by names."""
    def target(name: str) -> str:
        new = to.get(name)
        return new.id if isinstance(new, Name) else name

    inner = blocks(stmt)
    new = with_blocks(stmt, tuple(tuple(rename_statement(s, to) for s in b) for b in inner)) if inner else stmt
    new = with_expressions(new, tuple(rename_expr(e, to) for e in expressions(stmt)))
    match new:
        case Bind(names_, _) | Unpack(names_, _, _):
            return replace(new, names=tuple(map(target, names_)))
        case For(name, _, _, _):
            return replace(new, target=target(name), result=new.result and target(new.result))
        case With(items, _):
            return replace(new, items=tuple((e, n and target(n)) for e, n in items))
        case Try(_, handlers, _, _):
            return replace(new, handlers=tuple((e, n and target(n), b) for e, n, b in handlers))
    return new


def relocated(stmt: Statement, at: At | None) -> Statement:
    """The statement as if all of it stood at this place."""
    inner = blocks(stmt)
    new = with_blocks(stmt, tuple(tuple(relocated(s, at) for s in b) for b in inner)) if inner else stmt
    return replace(with_expressions(new, tuple(_relocated_expr(e, at) for e in expressions(stmt))), at=at)


def _relocated_expr(expr: Expr, at: At | None) -> Expr:
    def move(e: Expr) -> Expr:
        match e:
            case Function(code, free):
                params = tuple(p if p.default is None else replace(p, default=_relocated_expr(p.default, at))
                               for p in code.params)
                code = replace(code, params=params, body=tuple(relocated(s, at) for s in code.body), at=at)
                return Function(code, free, at=at)
            case Opaque(node, reads) if at is not None:
                return Opaque(_relocated_node(node, at), reads, at=at)
        return replace(e, at=at)
    return map_expr(move, expr)


def _relocated_node(node: Any, at: At) -> Any:
    """The same for Python that no pass looks into."""
    new = copy.deepcopy(node)
    for part in gast.walk(new):
        if hasattr(part, "lineno"):
            part.lineno, part.col_offset = at.line, at.column
            part.end_lineno, part.end_col_offset = at.end_line, at.end_column
    return new


def rename_expr(expr: Expr, to: Mapping[str, Expr]) -> Expr:
    def change(e: Expr) -> Expr:
        match e:
            case Name(id):
                new = to.get(id)
                return e if new is None else replace(new, at=e.at)
            case Function(code, free):
                here = {k: v for k, v in to.items() if k in free}
                inner = {k: v for k, v in here.items() if k not in names.local(code)}
                body = tuple(rename_statement(s, inner) for s in code.body)
                outer = frozenset(new.id if isinstance(new := inner.get(n), Name) else n for n in code.nonlocals)
                params = tuple(p if p.default is None else replace(p, default=rename_expr(p.default, to))
                               for p in code.params)
                changed = replace(code, params=params, body=body, nonlocals=outer, globals=code.globals - inner.keys())
                return Function(changed, _renamed(free, here), at=e.at)
            # what a constant argument decides
            case Compare(Const(a), (("is" | "is not") as op,), (Const(b),)) if a is None or b is None:
                return Const((a is b) == (op == "is"), at=e.at)
            case Cond(Const(bool(known)), body, orelse):
                return body if known else orelse
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
