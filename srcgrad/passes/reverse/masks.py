"""Strong zero: what a choice cuts stays cut, also against a partial that is infinite there.

        y = np.where(x > 0, np.sqrt(x), 0.0)        t = x > 0; t_1 = np.sqrt(x); y = np.where(t, t_1, 0.0)

            x_bar = np.where(t, y_bar, 0.0) * 0.5 / np.where(t, t_1, 1.0)

The mask of an adjoint (`State.masks`) is a variable of the backward part that broadcasts to the adjoint, which is zero
where the mask is false.  It comes from the choice itself, never from a test for zero.  A partial of a masked adjoint
is taken at harmless operands where the mask is false, if it may be infinite.
"""
from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from srcgrad.analysis.finite import Finite
from srcgrad.analysis.values import UNKNOWN, Value
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Expr,
    Item,
    Name,
    Statement,
    children,
    expressions,
    names_read,
    rebuild,
    statements,
    substitute,
    walk,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.context import Context, is_number, same_shape
from srcgrad.rules.rule import Rule
from srcgrad.rules.spellings import literal
from srcgrad.runtime import masks as runtime

Out = list[Statement]

# Their text is finite where the operands that it reads (and the result) are.
REGULAR = frozenset((np.multiply, np.square, np.sin, np.cos, np.tan, np.tanh, np.exp, np.exp2, np.absolute, np.arctan,
                     np.arcsinh, np.sinc, np.copysign, math.erf, math.erfc))

# Their partials are bounded whatever the operands, or (of ldexp) those that there are.
BOUNDED = frozenset((np.where, np.clip, np.maximum, np.minimum, np.fmax, np.heaviside, np.nan_to_num, np.ldexp))

# They take each slice along an axis to one element.
REDUCTIONS = frozenset((np.sum, np.mean, np.var, np.std, np.prod, np.max, np.min, np.ptp, np.median, np.average,
                        np.nansum, np.nanmean, np.linalg.norm))

# They put elements elsewhere; the text of their rules does the same to a mask.
MOVES = frozenset((np.transpose, np.matrix_transpose, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.swapaxes,
                   np.moveaxis, np.roll, np.flip))


class Masks:
    """Makes masks, guards partials with them, and hands them on."""

    def __init__(self, context: Context) -> None:
        self.c = context
        self._finite: Finite | None = None

    @property
    def finite(self) -> Finite:
        if self._finite is None:
            self._finite = Finite(self.c.unit.code, self.c.facts, self.c.in_place)
        return self._finite

    # ------------------------------------------------------------ where masks come from

    def cut(self, stmt: Statement, value: Expr, mask: str | None, state: State, out: Out) -> tuple[Expr, str | None]:
        """The contribution, and its mask: a choice between an adjoint and 0 has one of its own."""
        choice = _choice(value)
        if choice is None:
            return value, mask
        condition, taken, other = choice.args
        if _is_zero(other):
            if not isinstance(condition, Name):
                condition = Name(self._bind("mask", condition, stmt, state, out))
                value = Call(choice.func, (condition, taken, other))
            return value, self._both(stmt, self._lasting(stmt, condition), mask, state, out)
        if _is_zero(taken):
            return value, self._both(stmt, self.c.numpy("logical_not", condition), mask, state, out)
        return value, mask

    def choices(self, stmt: Statement, conditions: Expr, count: int, mask: str | None, state: State,
                out: Out) -> list[str]:
        """The masks of np.select's choices and of its default."""
        chosen = Call(self.c.helper("chosen", runtime.chosen), (conditions,))
        name = self._bind("masks", chosen, stmt, state, out)
        return [self._both(stmt, Item(Name(name), Const(k)), mask, state, out) for k in (*range(count), -1)]

    def _lasting(self, stmt: Statement, condition: Expr) -> Expr:
        """The condition as it is now, if it is written in place later (in the backward part: put back)."""
        written = any(self.c.in_place(self.c.kind(stmt, e)) for e in walk(condition))
        return self.c.numpy("array", condition) if written else condition

    def _both(self, stmt: Statement, condition: Expr, mask: str | None, state: State, out: Out) -> str:
        if mask is not None:
            condition = self.c.numpy("logical_and", Name(mask), condition)
        return self._bind("mask", condition, stmt, state, out)

    def _bind(self, hint: str, value: Expr, stmt: Statement, state: State, out: Out) -> str:
        name = self.c.temporary(hint)
        kind = self.c.evaluate(stmt, value, dict(state.kinds))
        out.append(Bind((name,), (value,)))
        state.kinds[name] = kind
        return name

    # ------------------------------------------------------------ where they are applied

    def guard(self, stmt: Statement, rule: Rule, bound: Mapping[str, Expr], out_name: Expr, value: Expr,
              mask: str | None, state: State, out: Out, made: dict[Expr, Expr]) -> Expr:
        """The text of a rule with harmless operands where the mask is false; `made` has those that exist already."""
        if mask is None or not rule.elementwise or rule.jointly_linear or rule.primal in BOUNDED:
            return value
        regular = self._is_regular(rule, bound)
        operands = {e for e in (*bound.values(), out_name) if not isinstance(e, Const)}

        def visit(e: Expr) -> Expr:
            if e in made:
                return made[e]
            if e not in operands:
                return rebuild(e, tuple(visit(child) for child in children(e)))
            if self._is_harmless(stmt, e, mask, regular, state):
                made[e] = e
            else:
                harmless = self.c.numpy("where", Name(mask), e, Const(rule.harmless))
                made[e] = Name(self._bind("safe", harmless, stmt, state, out))
            return made[e]

        return visit(value)

    def _is_regular(self, rule: Rule, bound: Mapping[str, Expr]) -> bool:
        if rule.primal is np.power:
            exponent = literal(bound["x2"])
            return isinstance(exponent, (int, float)) and exponent >= 1
        return rule.primal in REGULAR

    def _is_harmless(self, stmt: Statement, operand: Expr, mask: str, regular: bool, state: State) -> bool:
        if regular and self.finite(stmt, operand):
            return True
        return not is_number(state.kinds.get(mask, UNKNOWN)) and self.finite.constant(stmt, operand)

    # ------------------------------------------------------------ where they go

    def passed(self, stmt: Statement, rule: Rule, bound: Mapping[str, Expr], out_name: Expr, operand: Expr, value: Expr,
               g: Expr, mask: str | None, state: State, out: Out) -> str | None:
        """The mask of an operand's contribution `value`, where that is a name; None if there is none."""
        if mask is None or not self._may_have_one(stmt, operand):
            return None
        if rule.elementwise:
            return self.operand(stmt, operand, mask, state, out)
        new = self._moved(stmt, rule, bound, out_name, value, g, mask, state)
        return mask if new == Name(mask) else None if new is None else self._bind("mask", new, stmt, state, out)

    def operand(self, stmt: Statement, operand: Expr, mask: str, state: State, out: Out) -> str | None:
        """The mask of an operand that was broadcast to the mask's shape."""
        if not self._may_have_one(stmt, operand):
            return None
        kind, mask_kind = self.c.value(stmt, operand), state.kinds.get(mask, UNKNOWN)
        if is_number(mask_kind) or same_shape(kind, mask_kind):
            return mask
        if is_number(kind):
            return self._bind("mask", self.c.numpy("any", Name(mask)), stmt, state, out)
        kept = Call(self.c.helper("kept", runtime.kept), (Name(mask), self.c.numpy("shape", operand)))
        return self._bind("mask", kept, stmt, state, out)

    def _may_have_one(self, stmt: Statement, operand: Expr) -> bool:
        return isinstance(operand, Name) and self.c.active(stmt, operand) \
            and not self.c.in_place(self.c.kind(stmt, operand))

    def _moved(self, stmt: Statement, rule: Rule, bound: Mapping[str, Expr], out_name: Expr, value: Expr, g: Expr,
               mask: str, state: State) -> Expr | None:
        result, mask_kind = self._result(stmt), state.kinds.get(mask, UNKNOWN)
        full: Expr = Name(mask)
        if not same_shape(mask_kind, result):
            full = self.c.numpy("broadcast_to", full, self.c.numpy("shape", out_name))
        if rule.primal in REDUCTIONS:
            return self._reduced(stmt, bound, mask, full)
        return substitute(value, {g.id: full}) if rule.primal in MOVES and isinstance(g, Name) else None

    def _result(self, stmt: Statement) -> Value:
        if isinstance(stmt, Bind) and len(stmt.names) == 1:
            return self.c.facts.value_of(self.c.facts.name_after(stmt, stmt.names[0]))
        return UNKNOWN

    def _reduced(self, stmt: Statement, bound: Mapping[str, Expr], mask: str, full: Expr) -> Expr | None:
        axis = self.c.known(stmt, bound["axis"])
        if axis is None or self.c.known(stmt, bound["keepdims"]) is True:
            return Name(mask)
        known = type(axis) is int and self.c.known(stmt, bound["keepdims"]) is False
        return self.c.numpy("expand_dims", full, Const(axis)) if known else None


def joined(context: Context, state: State, bar: str, mask: str | None, out: Out) -> str | None:
    """The mask of an adjoint after one more contribution: the union, and none if one of both has none."""
    old = state.masks.get(bar)
    if not state.has(bar) or old == mask:
        return mask
    if old is None or mask is None:
        return None
    name = context.temporary("mask")
    out.append(Bind((name,), (context.numpy("logical_or", Name(old), Name(mask)),)))
    return name


def agreed(context: Context, states: list[State], tails: list[Out]) -> dict[str, str]:
    """The masks at the start of both branches of an `if`; where they differ, each branch sets a common one."""
    found: dict[str, str] = {}
    for bar in dict.fromkeys(bar for s in states for bar in s.masks):
        # "" where the adjoint is zero
        masks = [s.masks[bar] if s.has(bar) else "" for s in states if bar in s.masks or not s.has(bar)]
        if len(masks) < len(states) or not any(masks):
            continue
        if len(set(masks)) > 1:
            name = context.temporary("mask")
            for mask, tail in zip(masks, tails):
                tail.append(Bind((name,), (Name(mask) if mask else Const(False),)))
            found[bar] = name
        else:
            found[bar] = masks[0]
    return found


def untouched(context: Context, stmt: Statement, masks: Mapping[str, str]) -> dict[str, str]:
    """The masks of the adjoints of names that do not occur in a loop."""
    used: set[str] = set()
    for inner in statements((stmt,)):
        used |= {*bound_by(inner), *(n for e in expressions(inner) for n in names_read(e))}
    bars = {bar for name, bar in context.bars.items() if name in used}
    return {bar: mask for bar, mask in masks.items() if bar not in bars}


def _choice(value: Expr) -> Call | None:
    """The expression, if it is np.where(condition, taken, other)."""
    match value:
        case Call(Attr(_, "where"), (_, _, _)):
            return value
    return None


def _is_zero(expr: Expr) -> bool:
    return expr == Const(0.0)


__all__ = ["Masks", "joined", "agreed", "untouched"]
