"""Which values are finite as long as the function's inputs are, overflow of sums and products left aside."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import Array, Known, number_of
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Bool,
    Call,
    Code,
    Compare,
    Cond,
    Const,
    Expr,
    For,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Tuple,
    Unary,
    Unpack,
    children,
    expressions,
    statements,
    walk,
)
from srcgrad.rules.spellings import ATTRIBUTES, NOT_KNOWN, OPERATORS, UNARY_OPERATORS, canonical, literal, method_call

_AT_FINITE = frozenset(getattr(np, name) for name in (
    "add subtract multiply negative positive absolute fabs square sign sin cos tanh arctan arcsinh sinc deg2rad "
    "rad2deg radians degrees maximum minimum fmax fmin clip where heaviside nan_to_num floor ceil trunc rint copysign "
    "sum mean max min amax amin var ptp median cumsum diff prod cumprod dot matmul outer inner tensordot einsum vdot "
    "trace convolve "
    "reshape transpose ravel squeeze expand_dims swapaxes moveaxis broadcast_to concatenate stack vstack hstack take "
    "roll flip tile repeat diag diagonal tril triu array asarray copy zeros ones zeros_like ones_like full full_like "
    "eye arange linspace sort atleast_1d atleast_2d").split()) | {math.erf, math.erfc}

_TESTS = frozenset((np.isnan, np.isfinite, np.isinf, np.nan_to_num, np.nansum, np.nanmean, math.isnan, math.isinf,
                    math.isfinite))


class Finite:
    """Answers for one function.

    Its inputs count as finite, unless it tests for numbers that aren't, or takes masks: then they may be why.
    """

    def __init__(self, code: Code, facts: Facts, in_place: Callable[[Abstract], bool]) -> None:
        self.facts, self.in_place = facts, in_place
        self.doubtful: set[str] = set()
        params = {p.name for p in code.params}
        self.inputs = not self._tests(code) and not any(self._mask(facts.entry[n]) for n in params if n in facts.entry)
        if not self.inputs:
            self.doubtful |= params
        self.bound = params | {name for stmt in statements(code.body) for name, _ in _bindings(stmt)}
        self.measured: set[str] = set()
        self._settle(code)

    def _tests(self, code: Code) -> bool:
        """Whether the function asks if a number is finite."""
        return any(isinstance(known := self.facts.value(stmt, e), Known) and _is_in(known.obj, _TESTS)
                   for stmt in statements(code.body) for whole in expressions(stmt) for e in walk(whole))

    def _mask(self, item: Abstract) -> bool:
        value = self.facts.value_of(item)
        return isinstance(value, Array) and (value.dtype is None or value.dtype.kind == "b")

    def _settle(self, code: Code) -> None:
        """Names lose what one of their bindings lacks, until nothing changes."""
        before = None
        while before != (len(self.doubtful), len(self.measured)):
            before = len(self.doubtful), len(self.measured)
            for stmt in statements(code.body):
                for name, value in _bindings(stmt):
                    if not self(stmt, value):
                        self.doubtful.add(name)
                    if self._measures(stmt, value):
                        self.measured.add(name)

    def _measures(self, stmt: Statement, expr: Expr) -> bool:
        """Whether the value depends on what stands in arrays, not only on their sizes."""
        if isinstance(expr, Attr) and expr.name in ("shape", "size", "ndim"):
            return False
        if isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "len":
            return False
        if isinstance(expr, Name):
            return expr.id in self.measured or isinstance(self.facts.value(stmt, expr), Array)
        return any(self._measures(stmt, e) for e in children(expr))

    # ------------------------------------------------------------ answers

    def constant(self, stmt: Statement, expr: Expr) -> bool:
        """Whether the value is one number, made of numbers: a step size, say."""
        return number_of(self.facts.value(stmt, expr)) is not None and not self._measures(stmt, expr)

    def __call__(self, stmt: Statement, expr: Expr) -> bool:
        """Whether an expression that stands in the statement is finite."""
        match expr:
            case Const(value):
                return not isinstance(value, (float, complex)) or bool(np.isfinite(value))
            case Slice() | Compare():
                return True
            case Bool(_, parts) | Tuple(parts) | List(parts):
                return all(self(stmt, e) for e in parts)
            case Cond(_, body, orelse):
                return self(stmt, body) and self(stmt, orelse)
            case Item(value, _):
                return self(stmt, value)
        return self._integer(stmt, expr) or self._name(stmt, expr) or self._operation(stmt, expr)

    def _integer(self, stmt: Statement, expr: Expr) -> bool:
        value = self.facts.value(stmt, expr)
        number = number_of(value)
        if number is not None:
            return number.kind in ("int", "bool")
        return isinstance(value, Array) and value.dtype is not None and value.dtype.kind in "iub"

    def _name(self, stmt: Statement, expr: Expr) -> bool:
        return isinstance(expr, Name) and expr.id not in self.doubtful and (self.inputs or expr.id in self.bound) \
            and not self.in_place(self.facts.kind(stmt, expr))

    def _operation(self, stmt: Statement, expr: Expr) -> bool:
        function, operands = self._parts(stmt, expr)
        if function is np.divide:
            return self(stmt, operands[0]) and literal(operands[1]) not in (NOT_KNOWN, 0)
        if function is np.power:
            exponent = literal(operands[1])
            return self(stmt, operands[0]) and isinstance(exponent, int) and exponent >= 0
        return _is_in(function, _AT_FINITE) and all(self(stmt, e) for e in operands)

    def _parts(self, stmt: Statement, expr: Expr) -> tuple[Any, tuple[Expr, ...]]:
        """The function that an operation applies, and its operands."""
        match expr:
            case Bin(op, left, right):
                return OPERATORS.get(op), (left, right)
            case Unary(op, operand):
                return UNARY_OPERATORS.get(op), (operand,)
            case Attr(owner, name):
                return ATTRIBUTES.get(name), (owner,)
            case Call(func, args, kwargs):
                known = self.facts.value(stmt, func)
                operands = (*args, *(v for _, v in kwargs))
                if isinstance(known, Known):
                    return canonical(known.obj, len(args)), operands
                if isinstance(func, Attr) and (found := method_call(func.name, func.value, args, kwargs)) is not None:
                    return found[0], (func.value, *operands)
        return None, ()


def _bindings(stmt: Statement) -> list[tuple[str, Expr]]:
    match stmt:
        case Bind(names, values):
            return list(zip(names, values))
        case Unpack(names, value, _):
            return [(name, value) for name in names]
        case For(target, it, _, _):
            return [(target, it)]
    return []


def _is_in(obj: Any, functions: frozenset) -> bool:
    try:
        return obj in functions
    except TypeError:                       # unhashable
        return False
