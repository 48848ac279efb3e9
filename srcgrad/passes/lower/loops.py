"""`for` and `while`."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, parse
from srcgrad.passes.lower import hoist
from srcgrad.passes.lower.branches import negated
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.returns import duplicate
from srcgrad.passes.lower.targets import bind


@lowers("For")
def for_(node: Any, low: Lowering) -> Statements:
    """The target is one name; a tuple or a place is taken apart at the head of the body."""
    before, source = low.hoisted(node.iter)
    target, head = _target(node.target, low)
    body = (*head, *low.block(node.body))
    return [*before, core.For(target, source, body, low.block(node.orelse), at=low.at(node, node.iter))]


def _target(target: Any, low: Lowering) -> tuple[str, Statements]:
    if parse.kind(target) == "Name":
        return target.id, []
    name = low.fresh.name("item")
    at = low.at(target)
    return name, bind(target, core.Name(name, at=at), low, at)


@lowers("While")
def while_(node: Any, low: Lowering) -> Statements:
    """A test that binds names runs before the loop and again at the end of each round."""
    before, test = low.hoisted(node.test)
    at = low.at(node, node.test)
    if before and _continues(node.body):
        leave = (*low.block(node.orelse), core.Jump("break"))
        return _endless(node, low, [*before, core.If(negated(test), leave, at=at)])
    body = (*low.block(node.body), *duplicate(tuple(before)))
    return [*before, core.While(test, body, low.block(node.orelse), at=at)]


def _endless(node: Any, low: Lowering, head: Statements) -> Statements:
    """`while True` with the test at the head of the body, where `continue` reaches it."""
    if any(parse.kind(n) in ("Break", "Continue") for stmt in node.orelse for n in parse.nodes(stmt)):
        raise hoist.Refused("`:=` in the test of a `while` whose `else` jumps isn't supported",
                            "Assign in a statement of its own.", node.test)
    return [core.While(core.Const(True), (*head, *low.block(node.body)), at=low.at(node, node.test))]


def _continues(body: list[Any]) -> bool:
    """Whether a `continue` in the body goes on with this very loop."""
    for stmt in body:
        what = parse.kind(stmt)
        if what == "Continue":
            return True
        if what != "FunctionDef" and any(_continues(getattr(stmt, f, [])) for f in _BLOCKS[what in ("For", "While"):]):
            return True
    return False


_BLOCKS = ("body", "orelse", "handlers", "finalbody")
