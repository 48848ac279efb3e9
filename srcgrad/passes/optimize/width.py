"""How many columns a line will take, without printing it."""
from __future__ import annotations

from srcgrad.lang import core
from srcgrad.lang.core import Expr, Statement

_STRENGTH = {"or": 1, "and": 2, "not": 3, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
             "*": 10, "/": 10, "//": 10, "%": 10, "@": 10, "unary": 11, "**": 12}
_COMPARISON, _CONDITION, _ATOM = 4, 0, 20


def statement_columns(stmt: Statement) -> int:
    """The length of the statement's first line, without indentation."""
    total = sum(map(columns, core.expressions(stmt)))
    match stmt:
        case core.Bind(names, values):
            return total + sum(map(len, names)) + 2 * (len(names) + len(values) - 2) + 3
        case core.Unpack(names, _, _):
            return total + sum(map(len, names)) + 2 * (len(names) - 1) + 3
        case core.Store(_, op, _):
            return total + len(op or "") + 3
        case core.Return():
            return total + len("return ")
        case core.If():
            return total + len("if :")
        case core.While():
            return total + len("while :")
        case core.For(target, _, _, _):
            return total + len(target) + len("for  in :")
    return total


def columns(expr: Expr) -> int:
    """The length of the printed expression; parentheses are counted where precedence needs them.

    >>> columns(core.Bin("*", core.Bin("+", core.Name("a"), core.Name("b")), core.Name("c")))
    11
    """
    match expr:
        case core.Name(id):
            return len(id)
        case core.Const(value):
            return len(repr(value))
        case core.Bin(op, left, right):
            mine = _STRENGTH[op]
            spaces = 0 if op == "**" else 2
            tight = (mine + 1, _STRENGTH["unary"]) if op == "**" else (mine, mine + 1)
            return _inside(left, tight[0]) + len(op) + spaces + _inside(right, tight[1])
        case core.Unary(op, operand):
            return (4 if op == "not" else 1) + _inside(operand, _STRENGTH["not" if op == "not" else "unary"])
        case core.Bool(op, values):
            return sum(_inside(v, _STRENGTH[op] + 1) for v in values) + (len(op) + 2) * (len(values) - 1)
        case core.Compare(left, ops, rights):
            return sum(_inside(e, _COMPARISON + 1) for e in (left, *rights)) + sum(len(op) + 2 for op in ops)
        case core.Cond(test, body, orelse):
            return sum(_inside(e, _CONDITION + 1) for e in (test, body, orelse)) + len(" if  else ")
    return _atom_columns(expr)


def _inside(expr: Expr, needed: int) -> int:
    return columns(expr) + (2 if _strength(expr) < needed else 0)


def _strength(expr: Expr) -> int:
    match expr:
        case core.Bin(op, _, _) | core.Bool(op, _):
            return _STRENGTH[op]
        case core.Unary(op, _):
            return _STRENGTH["not" if op == "not" else "unary"]
        case core.Compare():
            return _COMPARISON
        case core.Cond() | core.Function() | core.Opaque():
            return _CONDITION
    return _ATOM


def _atom_columns(expr: Expr) -> int:
    parts = core.children(expr)
    total = sum(map(columns, parts))
    match expr:
        case core.Attr(value, name):
            return _inside(value, _ATOM) + 1 + len(name)
        case core.Item(value, core.Tuple(items)) if items:
            return _inside(value, _ATOM) + sum(map(columns, items)) + 2 * len(items)
        case core.Item(value, index):
            return _inside(value, _ATOM) + 2 + columns(index)
        case core.Slice(_, _, step):
            return total + (2 if step is not None else 1)
        case core.Call(_, args, kwargs):
            named = sum(len(name or "*") + 1 for name, _ in kwargs)
            return total + named + 2 + 2 * max(len(args) + len(kwargs) - 1, 0)
        case core.Tuple(items) | core.List(items) | core.Dict(items, _):
            return total + 2 + 2 * max(len(parts) - 1, 0)
        case core.Star():
            return total + 1
        case core.Opaque() | core.Function():
            return 30  # rare and never split, so a guess does
    return total
