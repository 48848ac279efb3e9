"""Writes `x = x + g` as `x += g`, and `a[...] += g` as `a += g`, where that does the same.

        s_bar = s_bar + g       ->      s_bar += g          for numbers
        a[...] = a * t          ->      a *= t              for floating arrays
        a[1:] = a[1:] * t       ->      a[1:] *= t
"""
from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.values import Array
from srcgrad.lang.core import Bin, Bind, Const, Expr, Item, Name, Statement, Store, blocks, with_blocks
from srcgrad.passes.optimize.oracles import Oracles

OPERATORS = ("+", "-", "*", "/")


def augment(block: tuple[Statement, ...], oracles: Oracles) -> tuple[Statement, ...]:
    return tuple(_statement(stmt, oracles) for stmt in block)


def _statement(stmt: Statement, oracles: Oracles) -> Statement:
    if blocks(stmt):
        return with_blocks(stmt, tuple(augment(b, oracles) for b in blocks(stmt)))
    match stmt:
        case Bind((name,), (Bin(op, Name(left), right),)) if name == left and op in OPERATORS \
                and oracles.kind(Name(name)) == "number" and oracles.kind(right) == "number":
            return Store(Name(name), op, right, at=stmt.at)
        case Store(place, None, Bin(op, left, right)) if op in OPERATORS and _same_place(place, left) \
                and _is_floating(place, oracles):
            return _whole(replace(stmt, op=op, value=right), oracles)
        case Store(Item(), op, _) if op is not None:
            return _whole(stmt, oracles)
    return stmt


def _whole(stmt: Store, oracles: Oracles) -> Store:
    """a[...] op= v   ->   a op= v"""
    match stmt.place:
        case Item(Name() as name, Const(value)) if value is Ellipsis and oracles.kind(name) == "array":
            return replace(stmt, place=name)
    return stmt


def _same_place(place: Expr, left: Expr) -> bool:
    if place == left:
        return True
    return isinstance(place, Item) and place.index == Const(...) and place.value == left


def _is_floating(place: Expr, oracles: Oracles) -> bool:
    """The result of the operation has the array's dtype, so that storing it in one step is the same."""
    owner = place.value if isinstance(place, Item) else place
    value = oracles.value(owner)
    return isinstance(value, Array) and value.dtype is not None and value.dtype.kind == "f" and bool(value.dims)
