"""Folds the runtime's helpers where the facts decide what they do.

        expand_reduced(g, np.shape(a), None, False)     ->      np.broadcast_to(g, np.shape(a))
        reduced_size(np.shape(a), None)                 ->      a.size
        power_base_partial(x, 2)                        ->      2 * x
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.analysis.values import Array, number_of
from srcgrad.lang.core import Attr, Bin, Call, Const, Expr, Item, List, Name, Statement, map_expr
from srcgrad.passes.reverse.context import Context, are_numbers, is_number, same_shape
from srcgrad.rules.spellings import NOT_KNOWN
from srcgrad.runtime import arrays, layout, products

FOLDS: dict[Any, Callable[[Context, Statement, tuple[Expr, ...]], Expr | None]] = {}


def fold(context: Context, stmt: Statement, expr: Expr) -> Expr:
    """The expression with its helpers folded."""
    def visit(e: Expr) -> Expr:
        if isinstance(e, Call) and isinstance(e.func, Name) and not e.kwargs:
            obj = context.helpers.get(e.func.id)
            folder = FOLDS.get(obj) if obj is not None else None
            new = folder(context, stmt, e.args) if folder is not None else None
            return e if new is None else new
        if isinstance(e, Call) and (owner := shape_owner(e)) is not None:
            return replace(e, args=(_as_long(context, stmt, owner),))
        return e
    return map_expr(visit, expr)


def _as_long(c: Context, stmt: Statement, expr: Expr) -> Expr:
    """What has the shape of an expression: elements of a vector that numbers pick are as many as the numbers."""
    while isinstance(expr, Item):
        owner, index = c.value(stmt, expr.value), c.value(stmt, expr.index)
        if not (isinstance(owner, Array) and owner.dims is not None and len(owner.dims) == 1 and are_numbers(index)):
            break
        expr = expr.index
    return expr


def folds(helper: Any) -> Callable:
    def register(function: Callable) -> Callable:
        FOLDS[helper] = function
        return function
    return register


def shape_owner(shape: Expr) -> Expr | None:
    """a, of np.shape(a)"""
    if isinstance(shape, Call) and isinstance(shape.func, Attr) and shape.func.name == "shape" and len(shape.args) == 1:
        return shape.args[0]
    return None


@folds(arrays.expand_reduced)
def _expand_reduced(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    g, shape, axis, keepdims = args
    if c.known(stmt, axis) is None and c.known(stmt, keepdims) is False:
        owner = shape_owner(shape)
        if owner is not None and is_number(c.value(stmt, owner)):
            return g
        if owner is not None:
            shape = c.numpy("shape", c.shape_donor(stmt, owner))
        return c.numpy("broadcast_to", g, shape)
    return _along_axis(c, stmt, g, shape, axis, c.known(stmt, keepdims))


def _along_axis(c: Context, stmt: Statement, g: Expr, shape: Expr, axis: Expr, keepdims: object) -> Expr | None:
    """One axis of an array: what was kept broadcasts as it is, what was dropped is put back."""
    owner = shape_owner(shape)
    known = c.known(stmt, axis)
    if owner is None or type(known) is not int or keepdims is NOT_KNOWN or _rank(c, stmt, owner) is None:
        return None
    shape = c.numpy("shape", c.shape_donor(stmt, owner))
    return c.numpy("broadcast_to", g if keepdims else c.numpy("expand_dims", g, axis), shape)


@folds(arrays.reduced_size)
def _reduced_size(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    shape, axis = args
    owner = shape_owner(shape)
    value = None if owner is None else c.value(stmt, owner)
    if owner is None or not isinstance(value, Array) or value.dims is None:
        return None
    known = c.known(stmt, axis)
    owner = c.shape_donor(stmt, owner)
    if known is None:
        return Attr(owner, "size")
    if isinstance(known, int) and type(known) is int:
            return Item(Attr(owner, "shape"), Const(known) if known >= 0 else axis)
    return None


@folds(arrays.power_base_partial)
def _power_base_partial(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    """x2 * x1 ** (x2 - 1), where the exponent is a constant other than 0."""
    x1, x2 = args
    n = c.known(stmt, x2)
    if n is NOT_KNOWN or isinstance(n, bool) or not isinstance(n, (int, float)) or n == 0:
        return None
    if n == 1:
        return Const(1.0)
    factor = Const(float(n)) if float(n) == n else Const(n)
    if n == 2:
        return Bin("*", factor, x1)
    value = c.value(stmt, x1)
    if n < 1 and _is_integer(value):
        return None
    less: int | float = n - 1
    if less < 0 and isinstance(less, int):
        less = float(less)
    exponent = Const(less)
    return Bin("*", factor, Bin("**", x1, exponent))


@folds(layout.unnest)
def _unnest(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    """The adjoint of a copy of an array is the adjoint, and that of an element of a nested list is its item."""
    g, shapes = args
    inner = shapes.args[0] if isinstance(shapes, Call) and shapes.args else None
    return g if inner is not None and _is_regular(c, stmt, inner) else None


def _is_regular(c: Context, stmt: Statement, expr: Expr) -> bool:
    """Whether all that a nested display holds are numbers or arrays."""
    if isinstance(expr, List):
        return all(_is_regular(c, stmt, e) or is_number(c.value(stmt, e)) for e in expr.items)
    value = c.value(stmt, expr)
    return isinstance(value, Array) and bool(value.dims)


def _is_integer(value: Any) -> bool:
    number = number_of(value)
    if number is not None:
        return number.kind != "float"
    return not (isinstance(value, Array) and value.dtype is not None and value.dtype.kind == "f")


def _rank(c: Context, stmt: Statement, expr: Expr) -> int | None:
    value = c.value(stmt, expr)
    return len(value.dims) if isinstance(value, Array) and value.dims is not None else 0 if is_number(value) else None


def _transposed(expr: Expr) -> Expr:
    return expr.value if isinstance(expr, Attr) and expr.name == "T" else Attr(expr, "T")


def _owner_rank(c: Context, stmt: Statement, shape: Expr) -> int | None:
    owner = shape_owner(shape)
    return None if owner is None else _rank(c, stmt, owner)


def _alike(c: Context, stmt: Statement, shape: Expr, other: Expr) -> bool:
    """Whether two vectors certainly are as long; where they aren't, multiplying them has failed or has to."""
    owner = shape_owner(shape)
    return owner is not None and same_shape(c.value(stmt, owner), c.value(stmt, other))


@folds(products.matmul_x1)
def _matmul_x1(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    g, x2, shape = args
    match _owner_rank(c, stmt, shape), _rank(c, stmt, x2):
        case (1, 1) if _alike(c, stmt, shape, x2):
            return Bin("*", g, x2)
        case (1, 2):
            return Bin("@", x2, g)
        case (2, 1):
            return c.numpy("outer", g, x2)
        case (2, 2):
            return Bin("@", g, _transposed(x2))
    return None


@folds(products.matmul_x2)
def _matmul_x2(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    g, x1, shape = args
    match _rank(c, stmt, x1), _owner_rank(c, stmt, shape):
        case (1, 1) if _alike(c, stmt, shape, x1):
            return Bin("*", g, x1)
        case (1, 2):
            return c.numpy("outer", x1, g)
        case (2, 1) | (2, 2):
            return Bin("@", _transposed(x1), g)
    return None


@folds(products.dot_a)
def _dot_a(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    return _matmul_x1(c, stmt, args)


@folds(products.dot_b)
def _dot_b(c: Context, stmt: Statement, args: tuple[Expr, ...]) -> Expr | None:
    return _matmul_x2(c, stmt, args)
