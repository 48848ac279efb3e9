"""Read a part of an array in its place instead of a copy, while nobody writes there."""
from __future__ import annotations

from collections import Counter

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bin, Bind, Call, Expr, Item, Name, Statement, Store, Unary
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.copies import map_expressions
from srcgrad.passes.optimize.effects import (
    Block,
    Effects,
    Keys,
    block_expressions,
    captured,
    hazard,
    header_writes,
    reads,
    writes,
)
from srcgrad.passes.optimize.operands import is_operand, is_view


def elide_copies(block: Block, effects: Effects, temporaries: frozenset[str]) -> Block:
    """The block without copies of what stays as it is until the copy was last read.

    Every read must make something new of the value, or add it to another array. ::

        t = u_bar[1:-1].copy()
        v_bar = t * c                ->    v_bar = u_bar[1:-1] * c
        u_bar[1:-1] = 0.0                  u_bar[1:-1] = 0.0
    """
    bindings = Counter(name for stmt in core.statements(block) for name in bound_by(stmt))
    once = frozenset(name for name in temporaries - captured(block) if bindings[name] == 1)
    return _block(block, effects, once, _counts((block,)))


def _counts(blocks: tuple[Block, ...]) -> Counter[str]:
    return Counter(node.id for block in blocks for expr in block_expressions(block) for node in core.walk(expr)
                   if isinstance(node, Name))


def _block(block: Block, effects: Effects, once: frozenset[str], total: Counter[str]) -> Block:
    block = tuple(core.with_blocks(stmt, tuple(_block(b, effects, once, total) for b in core.blocks(stmt)))
                  for stmt in block)
    out: list[Statement] = []
    while block:
        first, block = block[0], block[1:]
        place = _copied(first, once, effects.integers)
        left = None if place is None else _without(bound_by(first)[0], place, block, effects, total)
        if left is None:
            out.append(first)
        else:
            block = left
    return tuple(_operands(stmt, effects) for stmt in out)


def _copied(stmt: Statement, once: frozenset[str], integers: frozenset[str]) -> Expr | None:
    """The place of `t = place.copy()`."""
    match stmt:
        case Bind((name,), (Call(Attr(Item() as place, "copy"), (), ()),)) \
                if name in once and is_view(place, integers):
            return place
    return None


def _without(name: str, place: Expr, block: Block, effects: Effects, total: Counter[str]) -> Block | None:
    """What follows the copy, with the place in place of the name; None if that wouldn't do."""
    last = max((i for i, stmt in enumerate(block) if _counts(((stmt,),))[name]), default=-1)
    before, rest = block[:last + 1], block[last + 1:]
    if last < 0 or _counts((before,))[name] != total[name]:
        return None
    needs = reads(place, effects)
    written = [writes(stmt, effects) for stmt in before[:-1]] + [_written_before_end(before[-1], effects)]
    if any(hazard(needs, keys) for keys in written):
        return None
    if not all(_reads_well(stmt, name, needs, effects) for stmt in core.statements(before)):
        return None
    return (*(_substituted(stmt, name, place) for stmt in before), *rest)


def _written_before_end(stmt: Statement, effects: Effects) -> Keys:
    """What the statement writes before it has evaluated all that it reads."""
    if isinstance(stmt, (Store, Bind)) and all(map(effects.pure, core.expressions(stmt))):
        return frozenset()
    return writes(stmt, effects)


def _reads_well(stmt: Statement, name: str, needs: Keys, effects: Effects) -> bool:
    if all(is_operand(expr, name, effects) for expr in core.expressions(stmt)):
        return True
    match stmt:
        case Store(place, _, Name()):
            # adding may go through memory that is being written only if that lies elsewhere
            return is_operand(place, name, effects) and not hazard(needs, header_writes(stmt, effects)) and (
                stmt.op is not None)
    return False


def _substituted(stmt: Statement, name: str, place: Expr) -> Statement:
    stmt = map_expressions(stmt, lambda e: core.substitute(e, {name: place}))
    return core.with_blocks(stmt, tuple(tuple(_substituted(s, name, place) for s in b) for b in core.blocks(stmt)))


def _operands(stmt: Statement, effects: Effects) -> Statement:
    """`u[1:].copy() * c` is `u[1:] * c`: a copy that goes right into an operation."""
    return map_expressions(stmt, lambda e: _uncopied(e, effects, False))


def _uncopied(expr: Expr, effects: Effects, inside: bool) -> Expr:
    match expr:
        case Call(Attr(Item() as place, "copy"), (), ()) if inside and is_view(place, effects.integers):
            return place
    if not effects.pure(expr):
        return expr
    inside = isinstance(expr, (Bin, Unary))
    old = core.children(expr)
    new = tuple(_uncopied(child, effects, inside) for child in old)
    return expr if all(a is b for a, b in zip(old, new)) else core.rebuild(expr, new)
