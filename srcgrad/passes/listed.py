"""Generators that call themselves, as functions that return the list of what they give out.

        def walk(node):                                 def walk(node):
            if node is not None:                            values = []
                yield node.value                ->          if node is not None:
                yield from walk(node.left)                      values.append(node.value)
                                                                for item in walk(node.left): values.append(item)
                                                            return values
"""
from __future__ import annotations

import types
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.quiet import is_quiet_generator
from srcgrad.lang import names, printing
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Effect,
    For,
    List,
    Name,
    Return,
    Statement,
    Store,
    While,
    Yield,
    blocks,
    expressions,
    statements,
    with_blocks,
)
from srcgrad.lang.load import load
from srcgrad.lang.source import Found
from srcgrad.passes.lower import lower
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.unit import remember_lowered

Block = tuple[Statement, ...]
_made: dict[Any, types.FunctionType] = {}


def listed(found: Found) -> types.FunctionType | None:
    """The function that returns all elements, or None where that isn't the same: it may not end, or does more."""
    lowered = lower(found.tree, found.file)
    code = listed_code(lowered)
    if code is None or not is_quiet_generator(found, lowered):
        return None
    key = found.function.__code__, id(found.globals), *map(id, found.cells.values())
    if key not in _made:
        _made[key] = _function(found, code)
    return _made[key]


def listed_code(code: Code) -> Code | None:
    """The same of a function in core form."""
    body = list(statements(code.body))
    sends = any(isinstance(s, Bind) and isinstance(s.values[0], Yield) for s in body)
    does = any(isinstance(s, (While, Store)) or isinstance(s, Effect) and not isinstance(s.value, Yield) for s in body)
    if sends or does or any(isinstance(s, For) and s.result is not None for s in body):
        return None
    values = names.Fresh(names.used(code)).name("values")
    return single_exit(replace(code, body=(Bind((values,), (List(()),), at=code.at), *_collecting(code.body, values))))


def _function(found: Found, new: Code) -> types.FunctionType:
    defaults = found.function.__defaults__ or (), found.function.__kwdefaults__ or {}
    function, file = load(printing.function(new), new.name, found.globals, found.cells, defaults=defaults)
    remember_lowered(function, file, new)
    return function


def _collecting(block: Block, values: str) -> Block:
    out: list[Statement] = []
    for stmt in block:
        given = expressions(stmt)[0] if isinstance(stmt, Effect) else None
        if isinstance(given, Yield):
            call = Call(Attr(Name(values), "append", at=stmt.at), (given.value,), at=stmt.at)
            out.append(Effect(call, at=stmt.at))
        elif isinstance(stmt, Return):
            out.append(replace(stmt, value=Name(values)))
        else:
            inner = blocks(stmt)
            out.append(with_blocks(stmt, tuple(_collecting(b, values) for b in inner)) if inner else stmt)
    return tuple(out)


