"""Start a sum with its first term instead of with zeros."""
from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.values import Array
from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bin, Bind, Call, Comment, Const, Expr, Item, Name, Statement, Store
from srcgrad.passes.optimize.effects import Block, Keys, hazard, owner, reads, statement_reads, writes
from srcgrad.passes.optimize.operands import is_operand, is_view, makes_new
from srcgrad.passes.optimize.oracles import Oracles

ZERO = Const(0.0)


def start_with_first_term(block: Block, oracles: Oracles) -> Block:
    """The block without zeros to which a whole array of the same kind is added at once.

    Only for arrays of which no views are taken, since zeros may lie in memory in another order::

        y_bar = np.zeros_like(y)
        y_bar += g * x              ->    y_bar = g * x
    """
    return _start(block, block, oracles)


def _start(block: Block, whole: Block, oracles: Oracles) -> Block:
    out: list[Statement] = []
    for stmt in block:
        stmt = core.with_blocks(stmt, tuple(_start(b, whole, oracles) for b in core.blocks(stmt)))
        stmt = _without_zeros(stmt, whole, oracles)
        at = next((i for i in range(len(out) - 1, -1, -1) if not isinstance(out[i], Comment)), None)
        merged = None if at is None else _first_term(out[at], stmt, whole, oracles)
        if merged is not None and at is not None:
            del out[at]
            stmt = merged
        out.append(stmt)
    return tuple(out)


def _first_term(zeros: Statement, stmt: Statement, whole: Block, oracles: Oracles) -> Bind | None:
    match zeros, stmt:
        case (Bind((name,), (Call(Attr(Name("np"), "zeros_like"), (like,), ()),)), Store(place, "+", term)) if (
                place in (Name(name), Item(Name(name), Const(...))) and name not in core.names_read(term)
                and _may_replace(name, like, term, whole, oracles)):
            return replace(zeros, values=(_new(term),), at=stmt.at)
    return None


def _without_zeros(stmt: Statement, whole: Block, oracles: Oracles) -> Statement:
    """`x_bar = np.zeros_like(x) + a + b` is `x_bar = a + b`."""
    match stmt:
        case Bind((name,), (Bin("+" | "-") as total,)) if name not in oracles.primal:
            left = _left_out(total, name, whole, oracles)
            return stmt if left is None else replace(stmt, values=(_new(left),))
    return stmt


def _left_out(expr: Expr, name: str, whole: Block, oracles: Oracles) -> Expr | None:
    match expr:
        case Bin("+", Call(Attr(Name("np"), "zeros_like"), (like,), ()), term):
            return term if _may_replace(name, like, term, whole, oracles) else None
        case Bin("+" | "-", left, _):
            new = _left_out(left, name, whole, oracles)
            return None if new is None else replace(expr, left=new)
    return None


def _new(term: Expr) -> Expr:
    return term if makes_new(term) else Call(Attr(term, "copy"))


def _may_replace(name: str, like: Expr, term: Expr, whole: Block, oracles: Oracles) -> bool:
    return oracles.alike(like, term) and all(_never_viewed(stmt, name, oracles) for stmt in core.statements(whole))


def _never_viewed(stmt: Statement, name: str, oracles: Oracles) -> bool:
    """Whether the order of the array's memory makes no difference to the statement."""
    return isinstance(stmt, core.Return) or all(
        _is_read_well(expr, name, oracles, isinstance(stmt, Store) and expr is stmt.place)
        for expr in core.expressions(stmt))


def _is_read_well(expr: Expr, name: str, oracles: Oracles, stored: bool) -> bool:
    if is_operand(expr, name, oracles.effects):
        return True
    while isinstance(expr, Item) and (stored or oracles.kind(expr) == "number") and is_operand(
            expr.index, name, oracles.effects):
        expr, stored = expr.value, True
    return stored and isinstance(expr, Name)


# ---------------------------------------------------------------- parts

def store_first_term(block: Block, oracles: Oracles) -> Block:
    """The block with what is first added to a cleared part of a floating array stored there instead.

    ::

        a_bar[1:] = 0.0
        x_bar += t                  ->    x_bar += t
        a_bar[1:] += t * c                a_bar[1:] = t * c
    """
    out: list[Statement] = []
    for stmt in block:
        stmt = core.with_blocks(stmt, tuple(store_first_term(b, oracles) for b in core.blocks(stmt)))
        at = _clearing(out, stmt, oracles)
        if at is not None:
            del out[at]
            assert isinstance(stmt, Store)
            value = stmt.value if stmt.op == "+" else core.Unary("-", stmt.value)
            stmt = replace(stmt, op=None, value=value)
        out.append(stmt)
    return tuple(out)


def _clearing(before: list[Statement], stmt: Statement, oracles: Oracles) -> int | None:
    """Where the place that the statement adds to was set to zero, if nobody has looked there since."""
    match stmt:
        case Store(Item(Name(name), _) as place, "+" | "-", value) if is_place_of_floats(place, oracles):
            content = oracles.effects.contents((name,)) | {("name", name)}
        case _:
            return None
    needs = reads(place, oracles.effects)
    if hazard(content, reads(value, oracles.effects)) or not oracles.pure(value):
        return None
    for at in range(len(before) - 1, -1, -1):
        match before[at]:
            case Store(cleared, None, zero) if cleared == place and zero == ZERO:
                return at
        if _touches(before[at], content | needs, content, oracles):
            return None
    return None


def _touches(stmt: Statement, needs: Keys, content: Keys, oracles: Oracles) -> bool:
    inside = list(core.statements((stmt,)))
    if any(isinstance(s, (core.Return, core.Jump, core.Refuse)) for s in inside):
        return True
    read = frozenset().union(*(statement_reads(s, oracles.effects) for s in inside))
    return hazard(content, read) or hazard(needs, writes(stmt, oracles.effects))


def is_place_of_floats(place: Item, oracles: Oracles) -> bool:
    """Whether it is one cell, or a view, of an array of floats that isn't the user's own."""
    array = oracles.value(place.value)
    name = owner(place)
    floats = isinstance(array, Array) and bool(array.dims) and array.dtype is not None and array.dtype.kind == "f"
    return floats and isinstance(name, Name) and name.id not in oracles.primal and (
        is_view(place, oracles.effects.integers) or oracles.kind(place) == "number")
