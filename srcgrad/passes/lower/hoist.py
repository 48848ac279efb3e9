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

    Refused where moving one to the front could change what the program computes: when it isn't always
    evaluated, or when something before it does more than reading other names.
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
                self.children(node, always and parse.kind(node) not in _REORDERED)
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
        for name, value in gast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [self.visit(v, always) if isinstance(v, gast.AST) else v for v in value])
            elif isinstance(value, gast.AST) and not isinstance(value, _SIGNS):
                setattr(node, name, self.visit(value, always))


_SIGNS = (gast.operator, gast.unaryop, gast.boolop, gast.cmpop)
_HARMLESS = frozenset({"Name", "Constant", "Attribute", "Load", "keyword"})
_REORDERED = frozenset({"Dict", "DictComp", "ListComp", "SetComp", "GeneratorExp", "comprehension"})
_CONSUMERS = frozenset({"any", "all", "sum", "min", "max", "list", "tuple", "set", "sorted"})
