"""Calls whose result is made once, when the function is compiled: classes that are described by literals."""
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.lang.core import Call, Const, Dict, Expr, List, Tuple, Unary

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls
    from srcgrad.analysis.interpret.expressions import Evaluator

_made: dict[Any, Any] = {}


def made_once(function: Callable[..., Any]) -> Callable[..., Abstract | None]:
    """namedtuple("State", "s i r")   ->   the class, which is the same one each time"""
    def handler(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
                env: Env) -> Abstract | None:
        try:
            given = [_literal(a) for a in expr.args]
            named = {name: _literal(value) for name, value in expr.kwargs if name is not None}
        except _NoLiteral:
            return None
        key = function, repr(given), repr(named)
        if len(named) < len(expr.kwargs) or key not in _made and not _make(key, function, given, named):
            return None                             # what is wrong with it is found when it is called
        made = _made[key]
        return ev.rewrite(expr, lambda parts, make: make.outside(made.__name__, made))
    return handler


def _make(key: Any, function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> bool:
    try:
        made = _made[key] = function(*given, **named)
        made.__module__ = "__main__"
    except Exception:
        return False
    return True


class _NoLiteral(Exception):
    """An expression that isn't made of constants alone."""


def _literal(expr: Expr) -> Any:
    match expr:
        case Const(value):
            return value
        case Tuple(items):
            return tuple(map(_literal, items))
        case List(items):
            return list(map(_literal, items))
        case Dict(keys, values) if None not in keys:
            return {_literal(k): _literal(v) for k, v in zip(keys, values) if k is not None}
        case Unary("-", operand):
            return -_literal(operand)
    raise _NoLiteral


CONSTANT: dict[Any, Any] = {collections.namedtuple: made_once(collections.namedtuple)}
