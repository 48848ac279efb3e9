"""Statements of one line: `return`, `break`, `continue`, `pass`, `del`, `import`, and expressions."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, parse
from srcgrad.passes.lower import deletions
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.hoist import Refused


@lowers("Return")
def return_(node: Any, low: Lowering) -> Statements:
    if node.value is None:
        return [core.Return(core.Const(None), at=low.at(node))]
    before, value = low.hoisted(node.value)
    return [*before, core.Return(value, at=low.at(node))]


@lowers("Break", "Continue")
def jump(node: Any, low: Lowering) -> Statements:
    return [core.Jump(parse.kind(node).lower(), at=low.at(node))]


@lowers("Pass")
def pass_(node: Any, low: Lowering) -> Statements:
    return []


@lowers("Expr")
def effect(node: Any, low: Lowering) -> Statements:
    """Docstrings and other constants do nothing."""
    if parse.kind(node.value) == "Constant":
        return []
    if parse.kind(node.value) in ("Yield", "YieldFrom"):
        return _given_out(node.value, low)
    before, value = low.hoisted(node.value)
    return before if before and isinstance(value, core.Name) else [*before, core.Effect(value, at=low.at(node))]


def _given_out(node: Any, low: Lowering) -> Statements:
    if parse.kind(node) == "YieldFrom":
        return low.given_out(node)
    before, value = low.yielded(node)
    return [*before, core.Effect(value, at=low.at(node))]


@lowers("Delete")
def delete(node: Any, low: Lowering) -> Statements:
    """`del x` only shortens a life; `del x[i]` and `del x.f` change what x is."""
    return [stmt for target in node.targets for stmt in _deleted(target, low)]


def _deleted(target: Any, low: Lowering) -> Statements:
    at = low.at(target)
    match parse.kind(target):
        case "Name":
            return [deletions.note(target.id, at)]
        case "Tuple" | "List":
            return [stmt for inner in target.elts for stmt in _deleted(inner, low)]
        case "Attribute":
            owner, name = low.expr(target.value), core.Const(target.attr)
            return [core.Effect(core.Call(core.Name("delattr"), (owner, name), at=at), at=at)]
    owner, index = low.expr(target.value), low.expr(target.slice)
    return [core.Effect(core.Call(core.Attr(owner, "__delitem__"), (index,), at=at), at=at)]


@lowers("Import")
def import_(node: Any, low: Lowering) -> Statements:
    """`import a.b as c` binds a.b, `import a.b` binds a."""
    return [_bound_module(alias, low.at(node)) for alias in node.names]


def _bound_module(alias: Any, at: core.At | None) -> core.Statement:
    module: core.Expr = module_named(alias.name, at)
    top, *inner = alias.name.split(".")
    if alias.asname is not None:
        for name in inner:
            module = core.Attr(module, name, at=at)
    return core.Bind((alias.asname or top,), (module,), at=at)


@lowers("ImportFrom")
def import_from(node: Any, low: Lowering) -> Statements:
    if node.level or node.module is None:
        raise Refused("a relative import inside a function isn't supported", "Import at the head of the file.", node)
    at = low.at(node)
    return [_bound_member(node.module, alias, at) for alias in node.names]


def _bound_member(module: str, alias: Any, at: core.At | None) -> core.Statement:
    member = core.Attr(module_named(module, at, alias.name), alias.name, at=at)
    return core.Bind((alias.asname or alias.name,), (member,), at=at)


def module_named(name: str, at: core.At | None, member: str | None = None) -> core.Call:
    """The import of a module, for the sake of one of its members perhaps."""
    wanted = () if member is None else (("fromlist", core.Tuple((core.Const(member),))),)
    return core.Call(core.Name("__import__"), (core.Const(name),), wanted, at=at)
