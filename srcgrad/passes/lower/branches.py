"""`if`, `elif` and `assert`."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core
from srcgrad.passes.lower.context import Lowering, Statements, lowers


@lowers("If")
def if_(node: Any, low: Lowering) -> Statements:
    before, test = low.hoisted(node.test)
    return [*before, core.If(test, low.block(node.body), low.block(node.orelse), at=low.at(node, node.test))]


@lowers("Assert")
def assert_(node: Any, low: Lowering) -> Statements:
    """`assert test, message` becomes `if not test: raise AssertionError(message)`."""
    before, test = low.hoisted(node.test)
    said = () if node.msg is None else (low.expr(node.msg),)
    error = core.Call(core.Name("AssertionError"), said, at=test.at)
    return [*before, core.If(negated(test), (core.Jump("raise", error, at=low.at(node)),), at=low.at(node))]


def negated(test: core.Expr) -> core.Expr:
    """`not test`."""
    match test:
        case core.Unary("not", inner):
            return inner
    return core.Unary("not", test, at=test.at)
