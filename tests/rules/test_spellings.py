"""All spellings of an operation lead to one rule, and calls to its parameters."""
from __future__ import annotations

import builtins
import cmath
import math
import operator

import numpy as np
import pytest

from srcgrad.lang import printing
from srcgrad.lang.core import Call, Const, Expr, List, Name, Star, Tuple
from srcgrad.lang.templates import parse_expr
from srcgrad.rules.nondifferentiable import is_nondifferentiable, is_pure
from srcgrad.rules.registry import rule_for
from srcgrad.rules.spellings import (
    ATTRIBUTES,
    COMPARISONS,
    METHODS,
    NOT_KNOWN,
    OPERATORS,
    SYNONYMS,
    UNARY_OPERATORS,
    bind,
    canonical,
    literal,
    method_call,
)


@pytest.mark.parametrize("function, want", [
    (operator.mul, np.multiply), (operator.truediv, np.divide), (math.sin, np.sin), (builtins.abs, np.absolute),
    (math.log, np.log), (np.dot, np.dot), (print, print)])
def test_canonical(function, want):
    assert canonical(function, 1) is want


def test_a_logarithm_to_a_base_is_another_function():
    assert canonical(math.log, 2) is math.log and canonical([]) == []


@pytest.mark.parametrize("function", [*OPERATORS.values(), *UNARY_OPERATORS.values(), *COMPARISONS.values(),
                                      *SYNONYMS.values(), *METHODS.values(), *ATTRIBUTES.values()])
def test_what_is_spelled_is_known(function):
    assert rule_for(function) is not None or is_nondifferentiable(function)
    assert is_pure(function)


_OTHER_ARGUMENTS = (math.prod, math.fsum, math.ldexp, complex, cmath.phase)


@pytest.mark.parametrize("function", [f for f in SYNONYMS if f not in _OTHER_ARGUMENTS])
def test_synonyms_give_the_same(function):
    ufunc = SYNONYMS[function]
    args = [0.7, 1.3][:getattr(ufunc, "nin", 2)]
    if ufunc in (np.matmul, np.outer, np.tensordot):
        args = [np.eye(2), np.eye(2)] if ufunc is not np.outer else [np.ones(2), np.ones(3)]
    args = [1.5] if ufunc is np.arccosh else args
    np.testing.assert_allclose(function(*args), ufunc(*args), rtol=1e-15)


def bound(text: str) -> dict[str, str]:
    """What the parameters of a call's rule become, as text."""
    expr = parse_expr(text)
    assert isinstance(expr, Call)
    function = eval(printing.text(expr.func), {"np": np, "math": math})
    return {name: printing.text(e) for name, e in bind(rule_for(function), expr.args, expr.kwargs).items()}


@pytest.mark.parametrize("text, want", [
    ("np.sum(u)", {"a": "u", "axis": "None", "keepdims": "False"}),
    ("np.sum(u, 1, keepdims=True)", {"a": "u", "axis": "1", "keepdims": "True"}),
    ("np.sum(axis=0, a=u)", {"a": "u", "axis": "0", "keepdims": "False"}),
    ("np.clip(u, 0, max=1)", {"a": "u", "a_min": "0", "a_max": "1"}),
    ("np.clip(u, min=lo)", {"a": "u", "a_min": "lo", "a_max": "None"}),
    ("np.einsum('i,i', u, v)", {"subscripts": "'i,i'", "operands": "(u, v)", "optimize": "False"}),
    ("np.rot90(m)", {"m": "m", "k": "1", "axes": "(0, 1)"}),
    ("np.var(u, correction=1)", {"a": "u", "axis": "None", "ddof": "1", "keepdims": "False"}),
    ("np.multiply(u, v)", {"x1": "u", "x2": "v"}),
])
def test_bind(text, want):
    assert bound(text) == want


@pytest.mark.parametrize("text, message", [
    ("np.sum(u, where=m)", r"the argument `where` of np\.sum is not supported"),
    ("np.sum(u, **options)", r"the argument `\*\*` of np\.sum"),
    ("np.sum(*rest)", r"np\.sum with \*arguments"),
    ("np.sum(u, a=v)", r"np\.sum is given `a` twice"),
    ("np.sum(axis=0)", r"np\.sum needs an argument `a`"),
    ("np.multiply(u, v, w)", r"np\.multiply with 3 positional arguments"),
    ("np.reshape(u, 3, order='A')", r"np\.reshape is supported with order='C' or 'F' only"),
    ("np.reshape(u, 3, order=o)", r"np\.reshape is supported with order='C' or 'F' only"),
    ("np.pad(u, 1, mode=f)", r"np\.pad is supported with mode="),
])
def test_bind_refuses(text, message):
    with pytest.raises(ValueError, match=message):
        bound(text)


def test_bind_asks_what_is_known():
    args: tuple[Expr, ...] = (Name("u"), Const(3), Name("o"))
    found = bind(rule_for(np.reshape), args, (), lambda e: "F" if e == Name("o") else literal(e))
    assert found["order"] == Name("o")


def test_methods():
    u = Name("u")
    assert method_call("reshape", u, (Const(2), Const(3)), ()) == (np.reshape, (u, Tuple((Const(2), Const(3)))), ())
    assert method_call("reshape", u, (Const(-1),), ()) == (np.reshape, (u, Const(-1)), ())
    assert method_call("transpose", u, (), ()) == (np.transpose, (u,), ())
    assert method_call("sum", u, (), (("axis", Const(0)),)) == (np.sum, (u,), (("axis", Const(0)),))
    assert method_call("sort", u, (), ()) is None        # in place


def test_methods_exist():
    assert all(hasattr(np.ndarray, name) for name in METHODS) and all(hasattr(np.ndarray, name) for name in ATTRIBUTES)


def test_literals():
    assert literal(parse_expr("-1")) == -1 and literal(parse_expr("(0, -1)")) == (0, -1)
    assert literal(List((Const("a"),))) == ["a"] and literal(Name("x")) is NOT_KNOWN
    assert literal(Tuple((Star(Name("x")),))) is NOT_KNOWN
