"""Takes a sign off a value that is only added and subtracted, and turns these instead."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from srcgrad.lang import core
from srcgrad.lang.core import Bin, Bind, Expr, Name, Statement, Store, Unary, names_read
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.effects import Block
from srcgrad.passes.optimize.operands import makes_new

TURNED = {"+": "-", "-": "+"}


def turn_signs(block: Block, temporaries: frozenset[str]) -> Block:
    """The block with one operation less for each sign that can be turned. ::

        a_bar = -u_bar[1:] * c              a_bar = u_bar[1:] * c
        u_bar[1:] += a_bar          ->      u_bar[1:] -= a_bar
        u_bar[:-1] -= 2.0 * a_bar           u_bar[:-1] += 2.0 * a_bar
    """
    found = _Uses(block, temporaries)
    magnitudes = {name: m for name, value in found.bound.items()
                  if name in found.added - found.other and (m := _magnitude(value)) is not None}
    return tuple(_turned(stmt, magnitudes) for stmt in block) if magnitudes else block


class _Uses:
    """Names that are bound once, those that are added somewhere, and those that are used otherwise."""

    def __init__(self, block: Block, temporaries: frozenset[str]) -> None:
        self.bound: dict[str, Expr] = {}
        self.added: set[str] = set()
        self.other: set[str] = set()
        for stmt in core.statements(block):
            self._statement(stmt, temporaries)

    def _statement(self, stmt: Statement, temporaries: frozenset[str]) -> None:
        read = {n for e in core.expressions(stmt) for n in names_read(e)}
        match stmt:
            case Bind((name,), (value,)) if name in temporaries and name not in self.bound:
                self.bound[name] = value
            case Store(place, "+" | "-", value) if (added := _factor(value, temporaries)) is not None \
                    and added not in names_read(place):
                self.added.add(added)
                read.discard(added)
            case _:
                self.other.update(bound_by(stmt))
        self.other |= read


def _factor(value: Expr, names: frozenset[str]) -> str | None:
    """The one of these names that the product has once as a factor."""
    found = [e.id for e in _factors(value) if isinstance(e, Name) and e.id in names]
    once = len(found) == 1 and sum(isinstance(e, Name) and e.id == found[0] for e in core.walk(value)) == 1
    return found[0] if once else None


def _factors(value: Expr) -> list[Expr]:
    match value:
        case Bin("*", left, right):
            return _factors(left) + _factors(right)
        case Bin("/", left, _):
            return _factors(left)
    return [value]


def _magnitude(value: Expr) -> Expr | None:
    """The product without the sign at its first factor, which is a new array still."""
    match value:
        case Unary("-", operand) if makes_new(operand):
            return operand
        case Bin("*" | "/", left, right):
            inner = left.operand if isinstance(left, Unary) and left.op == "-" else _magnitude(left)
            return None if inner is None else replace(value, left=inner, right=right)
    return None


def _turned(stmt: Statement, magnitudes: Mapping[str, Expr]) -> Statement:
    match stmt:
        case Bind((name,), _) if name in magnitudes:
            return replace(stmt, values=(magnitudes[name],))
        case Store(_, "+" | "-" as op, value) if _factor(value, frozenset(magnitudes)) is not None:
            return replace(stmt, op=TURNED[op])
    return core.with_blocks(stmt, tuple(tuple(_turned(s, magnitudes) for s in b) for b in core.blocks(stmt)))
