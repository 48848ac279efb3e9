"""Syntax trees of expressions -> core expressions.

Nodes of `gast` and of Python's own `ast` are both accepted; nothing is refused here.  What the core form has
no expression for (f-strings, comprehensions, sets ...) is kept as it is, as `core.Opaque`.

>>> import ast
>>> expression(ast.parse("a + 1", mode="eval").body, "<doc>")
Bin(op='+', left=Name(id='a'), right=Const(value=1))
"""
from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.lang import core, names

OPERATORS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
             "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&"}
UNARIES = {"UAdd": "+", "USub": "-", "Invert": "~", "Not": "not"}
COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
               "In": "in", "NotIn": "not in"}
LAMBDA = "<lambda>"

_SCOPES = ("ListComp", "SetComp", "DictComp", "GeneratorExp")


def expression(node: Any, file: str) -> core.Expr:
    """The core form of an expression; every part of it knows its place in `file`."""
    return _Parser(file).expr(node)


def position(node: Any, file: str, until: Any = None) -> core.At | None:
    """Where a node stands; for a compound statement `until` is the last node of its head."""
    line = getattr(node, "lineno", None)
    if line is None:
        return None
    end = until if getattr(until, "end_lineno", None) is not None else node
    end_line = getattr(end, "end_lineno", None) or line
    end_column = getattr(end, "end_col_offset", None)
    start = _column(file, line, node.col_offset)
    stop = start + 1 if end_column is None else _column(file, end_line, end_column)
    return core.At(file, line, start, end_line, stop)


def _column(file: str, line: int, offset: int) -> int:
    """Python counts bytes of UTF-8; we count characters."""
    text = linecache.getline(file, line)
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


def kind(node: Any) -> str:
    """The name of a node's class, the same for gast and ast."""
    return type(node).__name__


def nodes(node: Any) -> Iterator[Any]:
    """The node and all nodes inside, parents first."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from nodes(child)


def binds_names(node: Any) -> bool:
    """Whether the expression binds names around it by `:=`."""
    return any(kind(inner) == "NamedExpr" for inner in nodes(node))


def declared_in(node: Any) -> set[str]:
    """Every name that is said to be `nonlocal` or `global` anywhere in the tree."""
    return {name for inner in nodes(node) if kind(inner) in ("Nonlocal", "Global") for name in inner.names}


def children(node: Any) -> list[Any]:
    """The nodes directly inside."""
    return list(ast.iter_child_nodes(node))


def names_in(node: Any) -> set[str]:
    """Every name that stands anywhere in the tree, bound or read, in nested functions too."""
    out: set[str] = set()
    for inner in nodes(node):
        for attribute in ("id", "arg", "asname", "rest"):
            out.add(getattr(inner, attribute, None) or "")
        if isinstance(getattr(inner, "name", None), str):
            out.add(inner.name.partition(".")[0])
    return out - {""}


def reads(node: Any) -> tuple[str, ...]:
    """The names that an expression takes from around it, in the order of the text."""
    return tuple(dict.fromkeys(_reads(node, frozenset())))


def _reads(node: Any, bound: frozenset[str]) -> Iterator[str]:
    what = kind(node)
    if what == "Name":
        if kind(node.ctx) == "Load" and node.id not in bound:
            yield node.id
    elif what == "Lambda":
        yield from _reads_of_lambda(node, bound)
    elif what in _SCOPES:
        yield from _reads_of_comprehension(node, bound)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _reads(child, bound)


def _reads_of_lambda(node: Any, bound: frozenset[str]) -> Iterator[str]:
    for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
        yield from _reads(default, bound)
    yield from _reads(node.body, bound | {name for name, _, _, _ in _arguments(node.args)})


def _reads_of_comprehension(node: Any, bound: frozenset[str]) -> Iterator[str]:
    for generator in node.generators:
        yield from _reads(generator.iter, bound)
        bound |= {n.id for n in nodes(generator.target) if kind(n) == "Name" and kind(n.ctx) == "Store"}
        for part in (generator.target, *generator.ifs):
            yield from _reads(part, bound)
    for element in (node.key, node.value) if kind(node) == "DictComp" else (node.elt,):
        yield from _reads(element, bound)


def parameters(arguments: Any, file: str) -> tuple[core.Param, ...]:
    """The parameters of a def or lambda, in the order of the text."""
    parser = _Parser(file)
    return tuple(core.Param(name, what, parser.maybe(default), parser.maybe(annotation))
                 for name, what, default, annotation in _arguments(arguments))


def _arguments(a: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """(name, kind, default, annotation) of each parameter."""
    plain = [(p, "positional") for p in a.posonlyargs] + [(p, "normal") for p in a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
    for (p, what), default in zip(plain, defaults):
        yield _argument_name(p), what, default, p.annotation
    if a.vararg is not None:
        yield _argument_name(a.vararg), "varargs", None, a.vararg.annotation
    for p, default in zip(a.kwonlyargs, a.kw_defaults):
        yield _argument_name(p), "keyword", default, p.annotation
    if a.kwarg is not None:
        yield _argument_name(a.kwarg), "varkw", None, a.kwarg.annotation


def _argument_name(node: Any) -> str:
    return node.id if kind(node) == "Name" else node.arg


def without(node: Any) -> tuple[str, str, Any] | None:
    """What an expression holds that the core form can't express: (what, remedy, node), or None."""
    for inner in nodes(node):
        what = kind(inner)
        if what == "Await":
            return "`await` isn't supported", "Use a plain call.", inner
        if what in ("Yield", "YieldFrom"):
            return "`yield` in this place isn't supported", "Give it a statement of its own, `x = yield value`.", inner
        if what == "NamedExpr":
            remedy = f"Assign `{inner.target.id}` in a statement before this one."
            return "`:=` in this place isn't supported", remedy, inner
    return None


class _Parser:
    """One method for each kind of node that the core form has an expression for."""

    def __init__(self, file: str):
        self.file = file

    def expr(self, node: Any) -> core.Expr:
        method: Callable[[Any, core.At | None], core.Expr] = getattr(self, kind(node), self.opaque)
        return method(node, position(node, self.file))

    def maybe(self, node: Any) -> core.Expr | None:
        return None if node is None else self.expr(node)

    def all(self, nodes: list[Any]) -> tuple[core.Expr, ...]:
        return tuple(self.expr(n) for n in nodes)

    def opaque(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Opaque(node, reads(node), at=at)

    def Name(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Name(node.id, at=at)

    def Constant(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Const(node.value, at=at)

    def BinOp(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Bin(OPERATORS[kind(node.op)], self.expr(node.left), self.expr(node.right), at=at)

    def UnaryOp(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Unary(UNARIES[kind(node.op)], self.expr(node.operand), at=at)

    def Compare(self, node: Any, at: core.At | None) -> core.Expr:
        ops = tuple(COMPARISONS[kind(op)] for op in node.ops)
        return core.Compare(self.expr(node.left), ops, self.all(node.comparators), at=at)

    def BoolOp(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Bool(kind(node.op).lower(), self.all(node.values), at=at)

    def IfExp(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Cond(self.expr(node.test), self.expr(node.body), self.expr(node.orelse), at=at)

    def Call(self, node: Any, at: core.At | None) -> core.Expr:
        kwargs = tuple((k.arg, self.expr(k.value)) for k in node.keywords)
        return core.Call(self.expr(node.func), self.all(node.args), kwargs, at=at)

    def Starred(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Star(self.expr(node.value), at=at)

    def Attribute(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Attr(self.expr(node.value), node.attr, at=at)

    def Subscript(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Item(self.expr(node.value), self.expr(node.slice), at=at)

    def Slice(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Slice(self.maybe(node.lower), self.maybe(node.upper), self.maybe(node.step), at=at)

    def Tuple(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Tuple(self.all(node.elts), at=at)

    def List(self, node: Any, at: core.At | None) -> core.Expr:
        return core.List(self.all(node.elts), at=at)

    def Dict(self, node: Any, at: core.At | None) -> core.Expr:
        return core.Dict(tuple(self.maybe(k) for k in node.keys), self.all(node.values), at=at)

    def Lambda(self, node: Any, at: core.At | None) -> core.Expr:
        return function_expr(lambda_code(node, self.file), at)


def lambda_code(node: Any, file: str) -> core.Code:
    """A lambda as a function whose body is one Return (or one Refuse)."""
    at = position(node.body, file)
    refused = without(node.body)
    if refused is None:
        last: core.Statement = core.Return(expression(node.body, file), at=at)
    else:
        last = core.Refuse(*refused[:2], at=position(refused[2], file) or at)
    return core.Code(LAMBDA, parameters(node.args, file), (last,), position(node, file))


def function_expr(code: core.Code, at: core.At | None) -> core.Function:
    """The expression that makes the function, with its free names."""
    return core.Function(code, names.free(code), at=at)
