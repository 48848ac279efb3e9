"""Operators of classes that the user wrote: calls of their methods, which `passes.inline` puts in place.

        v + w       ->      v.__add__(w)        or  w.__radd__(v)
        v[k]        ->      v.__getitem__(k)
"""
from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import narrowing
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Build, Make
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import PENDING, ObjectOf, OneOf, TupleOf, Value
from srcgrad.lang.core import Attr, Bin, Call, Compare, Cond, Const, Expr, Item, Name, Slice, Tuple, Unary
from srcgrad.library.registry import is_library

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
          "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor"}
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
COMPARE = {"==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"), ">": ("__gt__", "__lt__"),
           "<=": ("__le__", "__ge__"), ">=": ("__ge__", "__le__")}


def class_of(value: Value) -> type | None:
    """The class of an object, or of a tuple that has a class of its own."""
    if isinstance(value, ObjectOf):
        return value.cls
    return value.cls if isinstance(value, TupleOf) and value.cls is not tuple else None


def method(cls: type | None, name: str) -> types.FunctionType | None:
    """The Python function that `cls` has under this name, if it has one; derivatives that are called are none."""
    found = None if cls is None else inspect.getattr_static(cls, name, None)
    if not isinstance(found, types.FunctionType):
        return None
    return found if is_library(found) or not (found.__module__ or "").startswith("srcgrad.") else None


def own_operator(ev: Evaluator, expr: Expr, operands: list[tuple[Abstract, Value]]) -> bool:
    """Whether the expression means methods of the operands' classes, which is noted."""
    for k, (item, value) in enumerate(operands):
        may_be_one = isinstance(value, OneOf) and any(class_of(m) for m in value.kinds)
        if may_be_one and not isinstance(expr, Compare) and narrowing.by_kind(ev, expr, k, item) is not None:
            return True
    classes = [class_of(value) for _, value in operands]
    if not any(classes):
        return False
    if any(value == PENDING for _, value in operands):
        return True                             # whose method it is depends on both
    for k, (item, _) in enumerate(operands):
        if item.partial and narrowing.unsure(ev, expr, k, item) is not None:
            return True
    names = _names(expr)
    if isinstance(expr, Compare) and len(expr.ops) == 1 and (fields := _compared(classes, expr.ops[0])) is not None:
        ev.rewrite(expr, partial(_by_fields, expr, fields))
        return True
    build = None if names is None else _builder(classes, *names)
    if build is None and names == COMPARE["!="] and (equal := _builder(classes, *COMPARE["=="])) is not None:
        build = partial(_inverted, equal)
    if build is not None:
        ev.rewrite(expr, build)
        return True
    if any(item.active and isinstance(value, ObjectOf) for item, value in operands):
        cls = next(value.cls for item, value in operands if isinstance(value, ObjectOf))
        raise Refused(f"this operator of a {cls.__name__} isn't supported where it is differentiated",
                      "call a method of it by name", expr.at)
    return False


def _names(expr: Expr) -> tuple[str, str] | None:
    """The method of the left operand, and that of the right one ("" if there is none)."""
    match expr:
        case Bin(op):
            return f"__{BINARY[op]}__", f"__r{BINARY[op]}__"
        case Unary(op) if op in UNARY:
            return UNARY[op], ""
        case Compare(_, (op,)) if op in COMPARE:
            return COMPARE[op]
        case Item():
            return "__getitem__", ""
    return None


def _builder(classes: list[type | None], name: str, reflected: str) -> Build | None:
    left = classes[0]
    right = classes[1] if len(classes) > 1 and reflected else None
    ways: list[tuple[Any, Callable[[tuple[Expr, ...], Make], Expr]]] = []
    if (own := method(left, name)) is not None:
        ways.append((own, lambda parts, make: Call(
            Attr(parts[0], name), tuple(as_argument(e, make) for e in parts[1:]))))
    if right is not left and (other := method(right, reflected)) is not None:
        ways.append((other, lambda parts, make: Call(Attr(parts[1], reflected), (parts[0],))))
        if left is not None and right is not None and issubclass(right, left):
            ways.reverse()
    if not ways:
        return None
    if len(ways) == 1 or "NotImplemented" not in ways[0][0].__code__.co_names:
        return lambda parts, make: ways[0][1](parts, make)
    return lambda parts, make: _first_that_knows(make.bind(ways[0][1](parts, make)), ways[1][1](parts, make))


def as_argument(index: Expr, make: Make) -> Expr:
    """a:b   ->   slice(a, b, None)"""
    match index:
        case Slice():
            ends = (index.lower, index.upper, index.step)
            return Call(make.outside("slice", slice), tuple(Const(None) if e is None else e for e in ends), at=index.at)
        case Tuple(items):
            return Tuple(tuple(as_argument(e, make) for e in items), at=index.at)
    return index


def _compared(classes: list[type | None], op: str) -> tuple[str, ...] | None:
    """The fields by which two objects of one data class are compared, where that is the data class's own doing."""
    cls = classes[0]
    if cls is None or not dataclasses.is_dataclass(cls) or classes[1] is not cls or op not in COMPARE:
        return None
    found = method(cls, COMPARE["==" if op == "!=" else op][0])
    own = op == "!=" and method(cls, "__ne__") is not None
    if found is None or own or found.__code__.co_filename != "<string>":
        return None
    return tuple(f.name for f in dataclasses.fields(cls) if f.compare)


def _by_fields(expr: Compare, fields: tuple[str, ...], parts: tuple[Expr, ...], make: Make) -> Expr:
    """p == q   ->   (p.a, p.b) == (q.a, q.b)"""
    left, right = (make.bind(part) for part in parts)
    return Compare(Tuple(tuple(Attr(left, name) for name in fields)), expr.ops,
                   (Tuple(tuple(Attr(right, name) for name in fields)),), at=expr.at)


def _inverted(equal: Build, parts: tuple[Expr, ...], make: Make) -> Expr:
    """a != b   ->   not a.__eq__(b)"""
    return Unary("not", equal(parts, make))


def _first_that_knows(first: Name, second: Expr) -> Expr:
    """A method that gives NotImplemented leaves it to the other operand's."""
    return Cond(Compare(first, ("is",), (Name("NotImplemented"),)), second, first)


def augmented(cls: type, op: str) -> str | None:
    """The method that `v op= w` calls, if the class has one."""
    names = (f"__i{BINARY[op]}__", f"__{BINARY[op]}__")
    return next((name for name in names if method(cls, name) is not None), None)
