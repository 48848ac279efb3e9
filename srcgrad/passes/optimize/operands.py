"""Which reads of a name see its numbers only, so that another object with the same numbers would do."""
from __future__ import annotations

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bin, Call, Compare, Const, Expr, Item, Name, Slice, Unary
from srcgrad.passes.optimize.effects import Effects
from srcgrad.passes.optimize.simplify import FRESH

_ARITHMETIC = frozenset("+ - * / // % ** @".split())


def is_operand(expr: Expr, name: str, effects: Effects, inside: bool = False) -> bool:
    """Whether the expression reads the name only where something new is made of its value.

    True for t in `t * x`, `-t`, `np.sum(t)`, `f(t) + 1` with a pure f; False for `t`, `f(t)`, `t[1:]`, `[t]`.
    `inside`: something new is made of the whole expression.
    """
    if isinstance(expr, Name):
        return inside or expr.id != name
    if isinstance(expr, (core.Tuple, core.List, core.Dict, core.Opaque, core.Function)) or not effects.pure(expr):
        inside = False
    elif makes_new(expr):
        inside = True
    return all(is_operand(child, name, effects, inside) for child in core.children(expr))


def makes_new(expr: Expr) -> bool:
    """Whether the value is an object that nobody else knows (if it is an array)."""
    match expr:
        case Bin(op, _, _):
            return op in _ARITHMETIC
        case Unary() | Compare() | Const():
            return True
        case Call(Attr(Name("np"), function), _, _):
            return function in FRESH or function in ("zeros_like", "zeros")
        case Call(Attr(_, "copy"), (), ()):
            return True
    return False


def is_basic(index: Expr, integers: frozenset[str] = frozenset()) -> bool:
    """Whether the index is made of slices, constants and the names of integers, so that reading gives a view."""
    match index:
        case Slice() | core.Tuple():
            return all(is_basic(child, integers) for child in core.children(index))
        case Const(value):
            return value is None or value is Ellipsis or type(value) is int
        case Name(id):
            return id in integers
        case Unary("-", operand):
            return is_basic(operand, integers)
        case Bin("+" | "-" | "*" | "//" | "%", left, right):
            return all(not isinstance(e, Slice) and is_basic(e, integers) for e in (left, right))
    return False


def is_view(place: Expr, integers: frozenset[str] = frozenset()) -> bool:
    """Whether the place is a name, or a part of one at basic indices."""
    while isinstance(place, Item) and is_basic(place.index, integers):
        place = place.value
    return isinstance(place, Name)
