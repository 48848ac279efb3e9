"""`:=` inside expressions: moved into statements of their own, before the one that holds them.

    if (n := len(x)) > 3: ...    becomes    n = len(x)
                                            if n > 3: ...
"""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.lang import parse


class Refused(Exception):
    """What can't be lowered, why, and where; the statement becomes a Refuse."""

    def __init__(self, what: str, remedy: str, node: Any):
        super().__init__(what)
        self.what, self.remedy, self.node = what, remedy, node


def check(node: Any) -> None:
    """Refuses an expression that binds names or suspends the function."""
    found = parse.without(node)
    if found is not None:
        raise Refused(*found)


def hoist(node: Any, fresh: Callable[[str], str]) -> tuple[list[tuple[str, Any]], Any]:
    """The bindings (name, value) that an expression makes, in order, and the expression that is left.

    What is evaluated before a binding, and does more than reading other names, goes to the front with it.  Refused
    where a binding isn't always evaluated.
    """
    if not parse.binds_names(node):
        return [], node
    hoisting = _Hoisting(fresh)
    left = hoisting.visit(copy.deepcopy(node), always=True)
    return hoisting.before, left


def _consumes(node: Any) -> bool:
    """Whether the call is of a builtin that uses up the generator expression that it is given."""
    return parse.kind(node.func) == "Name" and node.func.id in _CONSUMERS and len(node.args) == 1 \
        and parse.kind(node.args[0]) == "GeneratorExp" and not node.keywords


class _Hoisting:
    def __init__(self, fresh: Callable[[str], str]) -> None:
        self.fresh = fresh
        self.before: list[tuple[str, Any]] = []
        self.plain = True  # only names have been read so far
        self.seen: set[str] = set()

    def visit(self, node: Any, always: bool) -> Any:
        """The node without the bindings inside; `always` says whether it is evaluated in any case."""
        match parse.kind(node):
            case "NamedExpr":
                return self.binding(node, always)
            case "Lambda":
                return node
            case "ListComp" | "SetComp" | "DictComp" if parse.binds_names(node):
                return self.comprehension(node, always)
            case "Call" if _consumes(node) and parse.binds_names(node.args[0]):
                return self.consumed(node, always)
            case "Name":
                self.seen.add(node.id)
            case "BoolOp":
                node.values = [self.visit(v, always and i == 0) for i, v in enumerate(node.values)]
            case "Compare":
                node.left = self.visit(node.left, always)
                node.comparators = [self.visit(c, always and i == 0) for i, c in enumerate(node.comparators)]
            case "IfExp":
                node.test = self.visit(node.test, always)
                node.body, node.orelse = self.visit(node.body, False), self.visit(node.orelse, False)
            case _:
                self.children(node, always and not _reordered(node))
        self.plain = self.plain and parse.kind(node) in _HARMLESS
        return node

    def binding(self, node: Any, always: bool) -> Any:
        plain, seen, name = self.plain, set(self.seen), node.target.id
        if not (always and plain) or name in seen:
            check(node)
        value = self.visit(node.value, always)
        self.before.append((name, value))
        self.plain, self.seen = plain, seen | {name}
        return gast.copy_location(gast.Name(name, gast.Load(), None, None), node)

    def comprehension(self, node: Any, always: bool) -> Any:
        """One that binds names around it is evaluated beforehand, like a binding."""
        if not (always and self.plain):
            check(node)
        name = self.fresh("values")
        self.before.append((name, node))
        return gast.copy_location(gast.Name(name, gast.Load(), None, None), node)

    def consumed(self, node: Any, always: bool) -> Any:
        """sum((y := f(v)) for v in x): the elements are a list first; `any` and `all` stop early."""
        if node.func.id in ("any", "all"):
            return self.comprehension(node, always)
        given = node.args[0]
        elements = gast.copy_location(gast.ListComp(given.elt, given.generators), given)
        node.args = [self.comprehension(elements, always)]
        return node

    def children(self, node: Any, always: bool) -> None:
        parts = [(name, value if isinstance(value, list) else [value]) for name, value in gast.iter_fields(node)]
        ordered = [child for _, children in parts for child in children
                   if isinstance(child, gast.AST) and not isinstance(child, _SIGNS)]
        done = {id(child): self.child(child, ordered[k + 1:], always) for k, child in enumerate(ordered)}
        for name, children in parts:
            new = [done.get(id(child), child) for child in children]
            setattr(node, name, new if isinstance(getattr(node, name), list) else new[0])

    def child(self, node: Any, later: list[Any], always: bool) -> Any:
        """A part that is evaluated before these others; what they bind comes after it."""
        bound = {n.target.id for other in later for n in parse.nodes(other) if parse.kind(n) == "NamedExpr"}
        plain, seen = self.plain, set(self.seen)
        new = self.visit(node, always)
        if not always or not bound or all(map(_keeps, parse.nodes(new))) and not bound & self.seen:
            return new
        owner = new if parse.kind(new) in ("Starred", "keyword") else None
        value = new if owner is None else owner.value
        if not isinstance(value, gast.expr) or parse.kind(value) in _NO_VALUE:
            return new
        name = self.fresh("t")
        self.before.append((name, value))
        self.plain, self.seen = plain, seen          # what it reads is read beforehand
        held = gast.copy_location(gast.Name(name, gast.Load(), None, None), value)
        if owner is None:
            return held
        owner.value = held
        return owner


def _reordered(node: Any) -> bool:
    """Whether the parts aren't evaluated in the order of the fields, or not once each."""
    if parse.kind(node) == "Dict":
        return not all(k is None or parse.kind(k) == "Constant" for k in node.keys)
    return parse.kind(node) in _REORDERED


def _keeps(node: Any) -> bool:
    """Whether it may as well be evaluated later."""
    return parse.kind(node) in _HARMLESS


_SIGNS = (gast.operator, gast.unaryop, gast.boolop, gast.cmpop)
_HARMLESS = frozenset({"Name", "Constant", "Attribute", "Load", "keyword"})
_NO_VALUE = frozenset({"Slice", "FormattedValue", "Constant"})
_REORDERED = frozenset({"DictComp", "ListComp", "SetComp", "GeneratorExp", "comprehension"})
_CONSUMERS = frozenset({"any", "all", "sum", "min", "max", "list", "tuple", "set", "sorted"})
