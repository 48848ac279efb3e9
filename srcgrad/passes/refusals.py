"""What is refused, as statements that raise: the error knows the place in the user's source.

        try:                                            try:
            y = <refused>                                   raise refuse_line_3("there is no derivative rule for ...")
        except Exception:               ->              except UnsupportedError:
            y = 0.0                                         raise
                                                        except Exception:
                                                            y = 0.0

The program itself would have had no error there, so no handler of its own may take it for one.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import CellType, FunctionType
from typing import Any

from srcgrad.errors import UnsupportedError
from srcgrad.lang.core import (
    At,
    Attr,
    Call,
    Const,
    Expr,
    Jump,
    Name,
    Refuse,
    Statement,
    Try,
    Tuple,
    blocks,
    expressions,
    names_read,
    statements,
    with_blocks,
)

Block = tuple[Statement, ...]
_CATCHES = ("Exception", "BaseException", "RuntimeError", "NotImplementedError")


def raised(block: Block, helpers: dict[str, Any], outside: Mapping[str, Any]) -> Block:
    """The block with its refusals as `raise`; what that needs is added to the helpers."""
    return tuple(_raised(stmt, helpers, outside) for stmt in block)


def refuse(at: At | None, remedy: str, what: str) -> UnsupportedError:
    return UnsupportedError(what, at, remedy)


def _raised(stmt: Statement, helpers: dict[str, Any], outside: Mapping[str, Any]) -> Statement:
    if isinstance(stmt, Refuse):
        name = f"refuse_line_{stmt.at.line}" if stmt.at is not None else "refuse_here"
        while name in helpers:
            name += "_"
        helpers[name] = partial(refuse, stmt.at, stmt.remedy)
        return Jump("raise", Call(Name(name), (Const(stmt.what),)))
    if not blocks(stmt):
        return stmt
    whole = with_blocks(stmt, tuple(raised(b, helpers, outside) for b in blocks(stmt)))
    if isinstance(stmt, Try) and isinstance(whole, Try) and any(map(_catches, _caught(stmt))) \
            and _may_refuse(stmt.body, helpers):
        name = "UnsupportedError"
        while helpers.get(name, outside.get(name, UnsupportedError)) is not UnsupportedError:
            name += "_"
        helpers[name] = UnsupportedError
        return replace(whole, handlers=((Name(name), None, (Jump("raise"),)), *whole.handlers))
    return whole


def _caught(stmt: Try) -> Iterator[Expr | None]:
    for expr, _, _ in stmt.handlers:
        yield from expr.items if isinstance(expr, Tuple) else (expr,)


def _catches(caught: Expr | None) -> bool:
    """Whether a handler may take a refusal for an error of the program."""
    match caught:
        case Name(name) | Attr(_, name):
            return name in _CATCHES
    return True


def _may_refuse(body: Block, helpers: Mapping[str, Any]) -> bool:
    """Whether something in it is refused, in a function that it calls, too."""
    called = {n for stmt in statements(body) for e in expressions(stmt) for n in names_read(e) if n in helpers}
    return any(isinstance(stmt, Refuse) for stmt in statements(body)) or any(_refuses(helpers[n]) for n in called)


def _refuses(helper: Any) -> bool:
    return isinstance(helper, CellType) or isinstance(helper, FunctionType) \
        and UnsupportedError.__name__ in helper.__code__.co_names
