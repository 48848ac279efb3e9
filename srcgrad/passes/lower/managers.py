"""`with` and `try`."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, parse
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.targets import bind


@lowers("With")
def with_(node: Any, low: Lowering) -> Statements:
    """Only names are bound by the statement itself; other targets are assigned at the head of the body."""
    items: list[tuple[core.Expr, str | None]] = []
    head: Statements = []
    for item in node.items:
        name, more = _target(item.optional_vars, low)
        items.append((low.expr(item.context_expr), name))
        head += more
    return [core.With(tuple(items), (*head, *low.block(node.body)), at=low.at(node, node.items[-1].context_expr))]


def _target(target: Any, low: Lowering) -> tuple[str | None, Statements]:
    if target is None or parse.kind(target) == "Name":
        return (None if target is None else target.id), []
    name = low.fresh.name("item")
    return name, bind(target, core.Name(name), low, low.at(target))


@lowers("Try")
def try_(node: Any, low: Lowering) -> Statements:
    handlers = tuple(_handler(h, low) for h in node.handlers)
    return [core.Try(low.block(node.body), handlers, low.block(node.orelse), low.block(node.finalbody),
                     at=low.at(node))]


def _handler(node: Any, low: Lowering) -> tuple[core.Expr | None, str | None, tuple[core.Statement, ...]]:
    caught = None if node.type is None else low.expr(node.type)
    return caught, None if node.name is None else node.name.id, low.block(node.body)


@lowers("Raise")
def raise_(node: Any, low: Lowering) -> Statements:
    """The cause (`from error`) only adds to what a traceback shows, and is left out."""
    value = None if node.exc is None else low.expr(node.exc)
    return [core.Jump("raise", value, at=low.at(node))]
