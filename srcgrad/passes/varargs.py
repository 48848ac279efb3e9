"""Loops over `*args` of a library function, written out for each of them."""
from __future__ import annotations

from dataclasses import replace

from srcgrad.lang.core import (
    Expr,
    For,
    Name,
    Param,
    Statement,
    Tuple,
    blocks,
    expressions,
    statements,
    walk,
    with_blocks,
)
from srcgrad.passes.arguments import Callee
from srcgrad.passes.rename import rename_statement

Block = tuple[Statement, ...]


def unrolled(callee: Callee, args: dict[str, Expr]) -> tuple[Callee, dict[str, Expr]]:
    """A function whose loops over `*args` are written out for each of them, which gets a parameter of its own.

        for iterable in iterables: ...      ->      ... with iterables_0, ... with iterables_1
    """
    for param in callee.code.params:
        given = args.get(param.name)
        loops = [s for s in statements(callee.code.body) if isinstance(s, For) and s.iter == Name(param.name)]
        reads = sum(e == Name(param.name) for s in statements(callee.code.body) for top in expressions(s)
                    for e in walk(top))
        if param.kind == "varargs" and isinstance(given, Tuple) and loops and reads == len(loops):
            own = tuple(f"{param.name}_{k}" for k in range(len(given.items)))
            body = _written_out(callee.code.body, param.name, own)
            params = tuple(Param(n, "positional") for n in own)
            args = {**{n: v for n, v in args.items() if n != param.name}, **dict(zip(own, given.items))}
            others = tuple(p for p in callee.code.params if p is not param)
            callee = replace(callee, code=replace(callee.code, params=(*params, *others), body=body))
    return callee, args


def _written_out(block: Block, param: str, own: tuple[str, ...]) -> Block:
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, For) and stmt.iter == Name(param):
            for name in own:
                out += [rename_statement(s, {stmt.target: Name(name)}) for s in stmt.body]
        else:
            inner = blocks(stmt)
            out.append(with_blocks(stmt, tuple(_written_out(b, param, own) for b in inner)) if inner else stmt)
    return tuple(out)
