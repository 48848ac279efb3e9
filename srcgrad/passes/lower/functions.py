"""Functions: the one that is compiled, and those defined inside it."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast

from srcgrad.lang import core, names, parse
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.deletions import settled
from srcgrad.passes.lower.hoist import check
from srcgrad.passes.lower.returns import at_the_end

ANONYMOUS = "lambda_"
_OWN_SCOPE = ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef")


def function(node: Any, low: Lowering) -> core.Code:
    """A def in core form; every way through it ends in a return."""
    _named_super(node)
    body = settled(at_the_end(low.block(node.body)))
    refused = any(isinstance(s, core.Refuse) for s in core.statements(body))
    if is_generator(node) and not core.suspends(body) and not refused:
        body = (core.Refuse("a generator whose `yield` is never reached isn't supported", "Return an empty list.",
                            at=_head(node, low)),)
    params = parse.parameters(node.args, low.file)
    outer = _declared(node, "Global")
    return core.Code(node.name, params, body, _head(node, low), _declared(node, "Nonlocal") | outer, outer)


def _declared(node: Any, kind: str) -> frozenset[str]:
    """The names that a function says belong to a scope around it."""
    own = (inner for stmt in node.body for inner in _own_nodes(stmt))
    return frozenset(name for inner in own if parse.kind(inner) == kind for name in inner.names)


@lowers("Nonlocal", "Global")
def declaration(node: Any, low: Lowering) -> Statements:
    """It is said of the function as a whole (`core.Code.nonlocals`)."""
    return []


def is_generator(node: Any) -> bool:
    """Whether calling the function only makes a generator."""
    return any(parse.kind(inner) in ("Yield", "YieldFrom") for stmt in node.body for inner in _own_nodes(stmt))


def _named_super(node: Any) -> None:
    """`super()` in a method as `super(__class__, self)`, which says what it means anywhere."""
    params = [*node.args.posonlyargs, *node.args.args]
    for inner in (n for stmt in node.body for n in _own_nodes(stmt)):
        if params and parse.kind(inner) == "Call" and parse.kind(inner.func) == "Name" and inner.func.id == "super" \
                and not inner.args and not inner.keywords:
            given = ("__class__", getattr(params[0], "id", None) or params[0].arg)
            inner.args = [gast.copy_location(gast.Name(n, gast.Load(), None, None), inner) for n in given]


def _head(node: Any, low: Lowering) -> core.At | None:
    """Where `def name` stands."""
    at = low.at(node)
    return at and replace(at, end_line=at.line, end_column=at.column + len(f"def {node.name}"))


def anonymous(node: Any, low: Lowering) -> core.Code:
    """A lambda in core form, under a name."""
    body = low.block([gast.copy_location(gast.Return(node.body), node.body)])
    return core.Code(ANONYMOUS, parse.parameters(node.args, low.file), body, low.at(node))


def _own_nodes(node: Any) -> Iterator[Any]:
    """The nodes that run in the function's own scope."""
    yield node
    if parse.kind(node) not in _OWN_SCOPE:
        for child in gast.iter_child_nodes(node):
            yield from _own_nodes(child)


@lowers("FunctionDef")
def nested(node: Any, low: Lowering) -> Statements:
    """`def g` binds g to a function; its decorators are called afterwards, the lowest first."""
    for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
        check(default)
    at = _head(node, low)
    decorators: list[core.Expr] = []
    out: Statements = []
    for decorator in node.decorator_list:
        expr = low.expr(decorator)
        if node.name in core.names_read(expr):                  # what the name means before: `@area.setter`
            bind, expr = low.temporary(expr, "decorator")
            out.append(bind)
        decorators.append(expr)
    code = function(node, low)
    out.append(core.Bind((node.name,), (core.Function(code, names.free(code), at=at),), at=at))
    for expr in reversed(decorators):
        out.append(core.Bind((node.name,), (core.Call(expr, (core.Name(node.name, at=at),), at=at),), at=at))
    return out
