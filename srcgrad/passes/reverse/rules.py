"""Applies a rule to an operation: splices its text, undoes broadcasting, and hands the results to the operands."""
from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.expressions import Refused
from srcgrad.analysis.values import UNKNOWN, Array, Known, Number, OneOf, Unknown, Value
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Expr,
    Item,
    List,
    Name,
    Statement,
    Tuple,
    Unary,
    map_expr,
    names_read,
    substitute,
)
from srcgrad.passes.reverse.adjoints import LAZY, State
from srcgrad.passes.reverse.conjugates import Conjugates
from srcgrad.passes.reverse.context import Context, is_number, same_shape
from srcgrad.passes.reverse.contribute import Contributor, Out
from srcgrad.passes.reverse.fold import fold
from srcgrad.passes.reverse.masks import Masks
from srcgrad.passes.reverse.recompute import Recomputed
from srcgrad.rules.nondifferentiable import is_nondifferentiable
from srcgrad.rules.registry import rule_for
from srcgrad.rules.rule import Rule
from srcgrad.rules.spellings import ATTRIBUTES, OPERATORS, UNARY_OPERATORS, bind, canonical, method_call
from srcgrad.runtime.arrays import unbroadcast, unbroadcast_like

Bound = dict[str, Expr]
IN_MATH = frozenset("sin cos tan sinh cosh tanh exp log sqrt".split())


class RuleApplier:
    def __init__(self, context: Context, contributor: Contributor) -> None:
        self.c, self.contributor, self.masks = context, contributor, Masks(context)
        self.recomputed = Recomputed(context)
        self.conjugates = Conjugates(context)

    # ------------------------------------------------------------ which rule

    def spell(self, stmt: Statement, expr: Expr) -> tuple[Rule, Bound] | None:
        """The rule of an operation, and what its parameters are."""
        function, args, kwargs = self._parts(stmt, expr)
        if function is None:
            return None
        rule = rule_for(canonical(function, len(args)))
        if rule is None:
            return None
        try:
            return rule, bind(rule, args, kwargs, lambda e: self.c.known(stmt, e))
        except ValueError as problem:
            raise Refused(str(problem), "write it with other NumPy functions", expr.at or stmt.at) from None

    def has_no_derivative(self, stmt: Statement, expr: Expr) -> bool:
        """Whether the operation's result doesn't depend on its operands, up to jumps."""
        function, _, _ = self._parts(stmt, expr)
        return isinstance(expr, Compare) or function is not None and is_nondifferentiable(function)

    def _parts(self, stmt: Statement, expr: Expr) -> tuple[Any, tuple[Expr, ...], tuple]:
        match expr:
            case Bin("*", left, right) if left == right:
                return np.square, (left,), ()
            case Bin("/", Const(1 | 1.0), right):
                return np.reciprocal, (right,), ()
            case Bin(op, left, right):
                return OPERATORS.get(op), (left, right), ()
            case Unary(op, operand):
                return UNARY_OPERATORS.get(op), (operand,), ()
            case Attr(owner, name) if name in ATTRIBUTES:
                return ATTRIBUTES[name], (owner,), ()
            case Call(func, args, kwargs):
                return self._call(stmt, func, args, kwargs)
        return None, (), ()

    def _call(self, stmt: Statement, func: Expr, args: tuple[Expr, ...], kwargs: tuple) -> tuple[Any, tuple, tuple]:
        known = self.c.kind(stmt, func).value
        if isinstance(known, Known):
            return known.obj, args, kwargs
        if isinstance(func, Attr):
            found = method_call(func.name, func.value, args, kwargs)
            if found is not None:
                return found
        return None, (), ()

    # ------------------------------------------------------------ applying it

    def apply(self, stmt: Statement, rule: Rule, bound: Bound, out_name: Expr, g: Expr, state: State, out: Out,
              out_value: Value, lazy: bool) -> None:
        """Contributions of `out = rule.primal(bound)`, whose adjoint is g."""
        self._check(stmt, rule, bound)
        wanted = [p for p in rule.returned if self.c.active(stmt, bound[p])]
        mask = state.masks.get(g.id) if isinstance(g, Name) else None
        shape = self._shape(stmt, bound, out_name, out_value)
        if lazy and not self._may_stay_lazy(stmt, rule, bound, wanted, out_value, mask):
            g, lazy = self._materialise(g, shape, out), False
        mixed = self.conjugates.concerns(stmt, bound, out_value)
        results = self._results(stmt, rule, bound, wanted, out_name, g, mask, state, out,
                                mixed and not rule.real_linear)
        for param in wanted:
            if rule.primal is np.select:
                self._give_choices(stmt, bound, param, results[rule.returned[param]], mask, state, out)
                continue
            value, cut = self.masks.cut(stmt, results[rule.returned[param]], mask, state, out)
            if mixed:
                value = self.conjugates.fitted(stmt, bound[param], value)
            passed = self.masks.passed(stmt, rule, bound, out_name, bound[param], value, g, cut, state, out)
            spread = shape if lazy else None
            self._give(stmt, rule, bound, bound[param], value, g, state, out, out_value, spread, passed)

    def _check(self, stmt: Statement, rule: Rule, bound: Bound) -> None:
        for param in rule.inactive:
            if self.c.active(stmt, bound[param]):
                raise Refused(f"the derivative with respect to `{param}` isn't supported here",
                              "pass a value that isn't differentiated", stmt.at)

    def _results(self, stmt: Statement, rule: Rule, bound: Bound, wanted: list[str], out_name: Expr, g: Expr,
                 mask: str | None, state: State, out: Out, turns: bool) -> dict[str, Expr]:
        """What the rule's text gives for the names that it returns; lines that others read become statements."""
        to = self._meanings(stmt, rule, bound, out_name, g)
        bars = {"out_bar": g}          # with complex numbers: what the text has conjugates of
        plain_math = isinstance(stmt, Bind) and _calls_math(self.c, stmt)
        needed = _needed(rule, [rule.returned[p] for p in wanted])
        results: dict[str, Expr] = {}
        returned = set(rule.returned.values())
        harmless: dict[Expr, Expr] = {}
        for line in rule.body:
            (target,) = line.names
            if target not in needed:
                continue
            if turns:
                text = fold(self.c, stmt, substitute(line.values[0], {**to, **{n: Name(n + "*") for n in bars}}))
                value = self.conjugates.turned(stmt, text, {n + "*": bar for n, bar in bars.items()})
            else:
                value = fold(self.c, stmt, substitute(line.values[0], to))
            if plain_math:
                value = with_math(self.c, value)
            value = self.masks.guard(stmt, rule, bound, out_name, value, mask, state, out, harmless)
            if target in returned and not _read_later(rule, target, needed):
                results[target] = value
            else:
                name = self.c.temporary("t")
                out.append(Bind((name,), (value,)))
                to[target] = results[target] = Name(name)
                bars[target] = Name(name)
        return results

    def _meanings(self, stmt: Statement, rule: Rule, bound: Bound, out_name: Expr, g: Expr) -> dict[str, Expr]:
        """What the names in the rule's text stand for."""
        to = {"out_bar": g, "out": out_name, **bound}
        if rule.elementwise:
            to.update({param: self.recomputed.operand(stmt, operand) for param, operand in bound.items()})
        for name, obj in rule.globals.items():
            to[name] = self.c.np if obj is np else self._global(name, obj)
        return to

    def _give_choices(self, stmt: Statement, bound: Bound, param: str, value: Expr, mask: str | None, state: State,
                      out: Out) -> None:
        """np.select: to each choice where it is taken."""
        given = bound[param]
        choices = given.items if param == "choicelist" and isinstance(given, (List, Tuple)) else ()
        masks = self.masks.choices(stmt, bound["condlist"], len(choices), mask, state, out)
        if param == "default":
            passed = self.masks.operand(stmt, given, masks[-1], state, out)
            self.contributor.add(stmt, given, value, state, out, mask=passed)
            return
        if not choices:
            self.contributor.add(stmt, given, value, state, out)
            return
        parts = self.c.temporary("parts")
        out.append(Bind((parts,), (value,)))
        for k, choice in enumerate(choices):
            passed = self.masks.operand(stmt, choice, masks[k], state, out)
            self.contributor.add(stmt, choice, Item(Name(parts), Const(k)), state, out, mask=passed)

    def _global(self, name: str, obj: Any) -> Expr:
        return Name(name) if getattr(builtins, name, None) is obj else self.c.helper(name, obj)

    def _may_stay_lazy(self, stmt: Statement, rule: Rule, bound: Bound, wanted: list[str], out_value: Value,
                       mask: str | None) -> bool:
        """Numbers among the operands get as many times the adjoint as the result has elements."""
        return rule.elementwise and all(
            same_shape(kind, out_value) or is_number(kind) and mask is None and same_shape(out_value, out_value)
            for kind in (self.c.value(stmt, bound[p]) for p in wanted))

    def _materialise(self, g: Expr, shape: Expr, out: Out) -> Expr:
        name = self.c.temporary("g")
        out.append(Bind((name,), (self.c.numpy("broadcast_to", g, self.c.numpy("shape", shape)),)))
        return Name(name)

    def _shape(self, stmt: Statement, bound: Bound, out_name: Expr, out_value: Value) -> Expr:
        """Something of the result's shape: rather an operand than the result, which would have to be kept for it."""
        alike = (e for e in bound.values() if isinstance(e, Name) and same_shape(self.c.value(stmt, e), out_value)
                 and not is_number(out_value))
        return self.c.shape_donor(stmt, next(alike, out_name))

    def _give(self, stmt: Statement, rule: Rule, bound: Bound, operand: Expr, value: Expr, g: Expr, state: State,
              out: Out, out_value: Value, shape: Expr | None, mask: str | None) -> None:
        """shape: where the adjoint is lazy, something that has its shape."""
        kind = self.c.value(stmt, operand)
        if isinstance(operand, (List, Tuple)) or not isinstance(kind, (Array, Number)):
            if rule.elementwise and isinstance(kind, (Unknown, OneOf)) and len(bound) > 1:
                value = Call(self.c.helper("unbroadcast_like", unbroadcast_like), (value, operand))
            self.contributor.add(stmt, operand, value, state, out, mask=mask)
            return
        stays_lazy = False
        if rule.elementwise:
            others = [self.c.value(stmt, e) for e in bound.values() if e is not operand]
            alone = isinstance(kind, Array) and all(is_number(v) or isinstance(v, Known) for v in others) \
                and not (kind.dims is None and isinstance(out_value, Array) and out_value.dims)
            value, stays_lazy = self._undo_broadcast(stmt, operand, kind, value, g, state, out_value, shape, alone)
        elif (expanded := _expanded(value)) is not None:
            stays_lazy = self._accepts_lazy(stmt, operand)
            value = expanded if stays_lazy else self.c.numpy("broadcast_to", expanded, self.c.numpy("shape", operand))
        self.contributor.add(stmt, operand, value, state, out, lazy=stays_lazy, mask=mask)

    def _accepts_lazy(self, stmt: Statement, operand: Expr) -> bool:
        return isinstance(operand, Name) and not self.c.in_place(self.c.kind(stmt, operand)) and not self.c.plain

    def _undo_broadcast(self, stmt: Statement, operand: Expr, kind: Value, value: Expr, g: Expr, state: State,
                        out_value: Value, shape: Expr | None, alone: bool) -> tuple[Expr, bool]:
        """The contribution summed to the operand's shape; and whether it is lazy still.

        alone: all other operands are numbers, so that the result has this one's shape, whatever it is.
        """
        if shape is not None:
            given = self.c.evaluate(stmt, value, self._lazy_kinds(stmt, g, state))
            full = same_shape(given, out_value)
            if not is_number(kind) or is_number(out_value):
                return value, not full
            if is_number(given):
                return Bin("*", value, Attr(shape, "size")), False
            every = value if full else self.c.numpy("broadcast_to", value, self.c.numpy("shape", shape))
            return self.c.numpy("sum", every), False
        if same_shape(kind, out_value) or is_number(kind) and is_number(out_value):
            return value, False
        if is_number(kind) and isinstance(out_value, Array) and out_value.dims:
            return self._total(stmt, value, g, state, out_value), False
        if alone:
            return value, False
        summed = summed_over(self.c, value, kind, out_value)
        if summed is not None:
            return summed, False
        return Call(self.c.helper("unbroadcast", unbroadcast), (value, self.c.numpy("shape", operand))), False

    def _total(self, stmt: Statement, value: Expr, g: Expr, state: State, out_value: Array) -> Expr:
        """The sum of all elements; of a product of vectors, which needs no array on the way, the dot product."""
        if isinstance(value, Bin) and value.op == "*" and not self.c.plain and not self.c.complex:
            kinds = self.contributor.kinds(stmt, state)
            parts = {e: self.c.evaluate(stmt, e, kinds) for e in (value.left, value.right)}
            if all(_is_vector(kind) and (e == g or same_shape(kind, out_value)) for e, kind in parts.items()):
                return self.c.numpy("vdot", value.left, value.right)
        return self.c.numpy("sum", value)

    def _lazy_kinds(self, stmt: Statement, g: Expr, state: State) -> dict[str, Value]:
        kinds = self.contributor.kinds(stmt, state)
        for name in names_read(g):
            if name in state.have and state.have[name] == LAZY or name not in kinds:
                kinds[name] = state.kinds.get(name, UNKNOWN)
        return kinds


def _calls_math(context: Context, stmt: Bind) -> bool:
    """Whether the operation is a function of the module math: it works on numbers, and its rule may, too."""
    value = stmt.values[0]
    if not isinstance(value, Call) or len(stmt.values) != 1:
        return False
    known = context.kind(stmt, value.func).value
    return isinstance(known, Known) and getattr(known.obj, "__module__", None) == "math"


def with_math(context: Context, expr: Expr) -> Expr:
    """np.cos(x) as math.cos(x)."""
    def visit(e: Expr) -> Expr:
        match e:
            case Call(Attr(owner, name), args, ()) if owner == context.np and name in IN_MATH:
                return Call(Attr(context.helper("math", math), name), args, at=e.at)
        return e
    return map_expr(visit, expr)


def summed_over(context: Context, value: Expr, kind: Value, out_value: Value) -> Expr | None:
    """The sum that undoes a known broadcasting from `kind` to `out_value`, or None where it isn't known."""
    if not (isinstance(kind, Array) and isinstance(out_value, Array)) or kind.dims is None or out_value.dims is None:
        return None
    extra = len(out_value.dims) - len(kind.dims)
    pairs = list(zip(kind.dims, out_value.dims[max(extra, 0):]))
    ones = [k for k, (d, full) in enumerate(pairs) if d != full and d is not None and d.constant == 1]
    if extra < 0 or any(d is None or d != full and k not in ones for k, (d, full) in enumerate(pairs)):
        return None
    if extra and not ones:
        axes: Expr = Const(0) if extra == 1 else Tuple(tuple(Const(k) for k in range(extra)))
        return context.numpy("sum", value, axis=axes)
    if ones and not extra:
        last = ones == [len(pairs) - 1]
        axes = Unary("-", Const(1)) if last else Const(ones[0]) if len(ones) == 1 else Tuple(tuple(map(Const, ones)))
        return context.numpy("sum", value, axis=axes, keepdims=Const(True))
    return None


def _expanded(value: Expr) -> Expr | None:
    """g, if this is np.broadcast_to(g, shape): what `fold` makes of the adjoint of a full sum."""
    match value:
        case Call(Attr(_, "broadcast_to"), (g, _)):
            return g
    return None


def _needed(rule: Rule, names: list[str]) -> set[str]:
    """The lines of a rule that these results need."""
    needed = set(names)
    for line in reversed(rule.body):
        if line.names[0] in needed:
            needed |= names_read(line.values[0])
    return needed


def _read_later(rule: Rule, target: str, needed: set[str]) -> bool:
    return any(target in names_read(line.values[0]) for line in rule.body if line.names[0] in needed)


def _is_vector(value: Value) -> bool:
    return isinstance(value, Array) and value.dims is not None and len(value.dims) == 1 \
        and value.dtype is not None and value.dtype == np.float64
