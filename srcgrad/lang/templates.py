"""Core form from Python text with {placeholders}, so that passes write code as a reader will see it.

>>> x, g = core.Name("x"), core.Bin("*", core.Name("a"), core.Name("b"))
>>> from srcgrad.lang import printing
>>> print("\\n".join(printing.block(parse_block("{x}_bar = {g} + 1\\nreturn {x}[{i}]", x=x, g=g, i=core.Const(0)))))
x_bar = a * b + 1
return x[0]
"""
from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

from srcgrad.errors import InternalError
from srcgrad.lang import core, parse

__all__ = ["parse_block", "parse_expr"]

Substitute = core.Expr | str | int | float | None | tuple[core.Statement, ...]
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_HOLE = "\u16a0"  # a letter to Python, and in nobody's names
_MARKED = re.compile(f"{_HOLE}(\\w+?){_HOLE}")
_FILE = "<template>"


def parse_expr(text: str, /, **values: core.Expr | str | int | float | None) -> core.Expr:
    """The expression that the text says, with an expression, a number or a name (as a string) for each {placeholder}.

    >>> parse_expr("a + b[{i}]", i=core.Const(0))
    Bin(op='+', left=Name(id='a'), right=Item(value=Name(id='b'), index=Const(value=0)))
    """
    return core.map_expr(_filler(values), _expression(text))


def parse_block(text: str, /, **values: Substitute) -> tuple[core.Statement, ...]:
    """The statements that the text says; a placeholder on a line of its own may stand for a whole block.

    Each call gives new statements.  Assignments, `op=`, expressions, `if`, `for`, `while`, `return`, jumps and
    comments are understood.
    """
    return _filled(_block(textwrap.dedent(text).strip("\n")), values)


# ---------------------------------------------------------------- filling in

def _filler(values: Mapping[str, Any]) -> Callable[[core.Expr], core.Expr]:
    def fill(expr: core.Expr) -> core.Expr:
        match expr:
            case core.Name(name) if (whole := _MARKED.fullmatch(name)):
                return _as_expr(_value(values, whole[1]))
            case core.Name(name):
                return core.Name(_name(name, values))
            case core.Attr(owner, name):
                return core.Attr(owner, _name(name, values))
            case core.Call(func, args, kwargs) if any(_HOLE in (k or "") for k, _ in kwargs):
                return core.Call(func, args, tuple((k and _name(k, values), v) for k, v in kwargs))
        return expr
    return fill


def _name(name: str, values: Mapping[str, Any]) -> str:
    return _MARKED.sub(lambda m: _as_name(_value(values, m[1]), m[1]), name) if _HOLE in name else name


def _value(values: Mapping[str, Any], placeholder: str) -> Any:
    if placeholder not in values:
        raise InternalError(f"nothing is given for the placeholder {{{placeholder}}}")
    return values[placeholder]


def _as_expr(value: Any) -> core.Expr:
    if isinstance(value, str):
        return core.Name(value)
    return value if isinstance(value, core.Expr) else core.Const(value)


def _as_name(value: Any, placeholder: str) -> str:
    if isinstance(value, core.Name):
        return value.id
    if isinstance(value, (str, int)):
        return str(value)
    raise InternalError(f"the placeholder {{{placeholder}}} stands where only a name can: {value!r}")


def _filled(block: tuple[core.Statement, ...], values: Mapping[str, Any]) -> tuple[core.Statement, ...]:
    out: list[core.Statement] = []
    for stmt in block:
        spliced = _spliced(stmt, values)
        out += [_filled_in(stmt, values)] if spliced is None else spliced
    return tuple(out)


def _spliced(stmt: core.Statement, values: Mapping[str, Any]) -> tuple[core.Statement, ...] | None:
    if isinstance(stmt, core.Effect) and isinstance(stmt.value, core.Name):
        whole = _MARKED.fullmatch(stmt.value.id)
        if whole and isinstance(_value(values, whole[1]), tuple):
            return values[whole[1]]
    return None


def _filled_in(stmt: core.Statement, values: Mapping[str, Any]) -> core.Statement:
    fill = _filler(values)

    def filled(value: Any) -> Any:
        if isinstance(value, core.Expr):
            return core.map_expr(fill, value)
        if isinstance(value, str):
            return _name(value, values)
        if isinstance(value, tuple) and value and isinstance(value[0], core.Statement):
            return _filled(value, values)
        return tuple(map(filled, value)) if isinstance(value, tuple) else value
    return replace(stmt, **{f.name: filled(getattr(stmt, f.name)) for f in fields(stmt) if f.name != "at"})


# ---------------------------------------------------------------- reading

def _marked(text: str) -> str:
    return _PLACEHOLDER.sub(f"{_HOLE}\\1{_HOLE}", text)


@cache
def _expression(text: str) -> core.Expr:
    return _plain(ast.parse(_marked(text), mode="eval").body)


def _plain(node: ast.expr) -> core.Expr:
    """Without positions, which mean nothing to the user."""
    return core.map_expr(lambda e: replace(e, at=None), parse.expression(node, _FILE))


@cache
def _block(text: str) -> tuple[core.Statement, ...]:
    """Comments on lines of their own are kept: they are hidden from Python as strings."""
    hidden = re.sub(r"^( *)# ?(.*)$", lambda m: f"{m[1]}{('#' + m[2])!r}", text, flags=re.MULTILINE)
    return _statements(ast.parse(_marked(hidden)).body)


def _statements(nodes: list[ast.stmt]) -> tuple[core.Statement, ...]:
    return tuple(stmt for node in nodes if (stmt := _statement(node)) is not None)


def _statement(node: ast.stmt) -> core.Statement | None:
    match node:
        case ast.Assign([target], value):
            return _assign(target, _plain(value))
        case ast.AugAssign(target, op, value):
            return core.Store(_plain(target), parse.OPERATORS[parse.kind(op)], _plain(value))
        case ast.Expr(ast.Constant(str(said))) if said.startswith("#"):
            return core.Comment(said[1:])
        case ast.Expr(value):
            return core.Effect(_plain(value))
        case ast.If(test, body, orelse):
            return core.If(_plain(test), _statements(body), _statements(orelse))
        case ast.For(ast.Name(target), source, body, orelse):
            return core.For(target, _plain(source), _statements(body), _statements(orelse))
        case ast.While(test, body, orelse):
            return core.While(_plain(test), _statements(body), _statements(orelse))
        case ast.Return(value):
            return core.Return(core.Const(None) if value is None else _plain(value))
        case ast.Raise(value, None):
            return core.Jump("raise", None if value is None else _plain(value))
        case ast.Break() | ast.Continue():
            return core.Jump(parse.kind(node).lower())
        case ast.Pass():
            return None
    raise InternalError(f"a template can't hold this statement: {ast.unparse(node)}")


def _assign(target: ast.expr, value: core.Expr) -> core.Statement:
    match target:
        case ast.Name(name):
            return core.Bind((name,), (value,))
        case ast.Tuple(elts) if all(isinstance(_unstarred(e), ast.Name) for e in elts):
            names = tuple(printed.lstrip("*") for printed in map(ast.unparse, elts))
            star = next((i for i, e in enumerate(elts) if isinstance(e, ast.Starred)), None)
            if star is None and isinstance(value, core.Tuple) and len(value.items) == len(names):
                return core.Bind(names, value.items)
            return core.Unpack(names, value, star)
        case ast.Subscript() | ast.Attribute():
            return core.Store(_plain(target), None, value)
    raise InternalError(f"a template can't assign to this: {ast.unparse(target)}")


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node
