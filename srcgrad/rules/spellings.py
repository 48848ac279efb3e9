"""Everything that makes spellings one: operators, synonyms, methods, keywords.

A rule is looked up for one function only; `x * y`, `operator.mul(x, y)` and `np.multiply(x, y)` all mean `np.multiply`.
"""
from __future__ import annotations

import builtins
import cmath
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcgrad.lang.core import Const, Expr, List, Star, Tuple, Unary
from srcgrad.rules.rule import Rule

Args = tuple[Expr, ...]
Kwargs = tuple[tuple[str | None, Expr], ...]

OPERATORS: dict[str, Callable] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide, "%": np.remainder,
    "**": np.power, "@": np.matmul, "<<": np.left_shift, ">>": np.right_shift, "&": np.bitwise_and,
    "|": np.bitwise_or, "^": np.bitwise_xor}

UNARY_OPERATORS: dict[str, Callable] = {
    "-": np.negative, "+": np.positive, "~": np.invert, "not": np.logical_not}

COMPARISONS: dict[str, Callable] = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}

SYNONYMS: dict[Any, Callable] = {
    builtins.abs: np.absolute, builtins.pow: np.power, builtins.complex: np.complex128,
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
    operator.floordiv: np.floor_divide, operator.mod: np.remainder, operator.pow: np.power,
    operator.matmul: np.matmul, operator.neg: np.negative, operator.pos: np.positive, operator.abs: np.absolute,
    math.sqrt: np.sqrt,
    math.exp: np.exp, math.expm1: np.expm1, math.log: np.log, math.log2: np.log2, math.log10: np.log10,
    math.log1p: np.log1p, math.sin: np.sin, math.cos: np.cos, math.tan: np.tan, math.asin: np.arcsin,
    math.acos: np.arccos, math.atan: np.arctan, math.atan2: np.arctan2, math.sinh: np.sinh, math.cosh: np.cosh,
    math.tanh: np.tanh, math.asinh: np.arcsinh, math.acosh: np.arccosh, math.atanh: np.arctanh,
    math.hypot: np.hypot, math.fabs: np.fabs, math.pow: np.power, math.fmod: np.fmod, math.copysign: np.copysign,
    math.radians: np.deg2rad, math.degrees: np.rad2deg, math.ldexp: np.ldexp, math.prod: np.prod,
    math.fsum: np.sum,
    **{getattr(cmath, name): getattr(np, name) for name in "exp log10 sin cos tan sinh cosh tanh sqrt".split()},
    cmath.log: np.log, cmath.asin: np.arcsin, cmath.acos: np.arccos, cmath.atan: np.arctan, cmath.asinh: np.arcsinh,
    cmath.acosh: np.arccosh, cmath.atanh: np.arctanh, cmath.phase: np.angle}

for _name in ("outer", "matmul", "tensordot"):
    SYNONYMS[getattr(np.linalg, _name)] = getattr(np, _name)
for _name in ("cbrt", "exp2"):              # Python 3.11 and later
    if hasattr(math, _name):
        SYNONYMS[getattr(math, _name)] = getattr(np, _name)

# What a method of an array or a NumPy scalar is, as a function of its owner and the method's arguments.
METHODS: dict[str, Callable] = {
    **{name: getattr(np, name) for name in (
        "all any argmax argmin argsort clip compress conj cumprod cumsum diagonal dot max mean min nonzero "
        "prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace transpose var").split()},
    "conjugate": np.conj, "copy": np.copy, "flatten": np.ndarray.flatten, "astype": np.ndarray.astype,
    "item": np.ndarray.item, "tolist": np.ndarray.tolist}

# What an attribute of an array or a NumPy scalar is, as a function of its owner.
ATTRIBUTES: dict[str, Callable] = {
    "T": np.transpose, "mT": np.matrix_transpose, "real": np.real, "imag": np.imag,
    "shape": np.shape, "ndim": np.ndim, "size": np.size}

# Methods that take a tuple also as several arguments.
_SPREAD = ("reshape", "transpose")

# Other names that a call may use for a rule's parameters.
_KEYWORDS: dict[Any, dict[str, str]] = {
    np.clip: {"min": "a_min", "max": "a_max"},
    np.reshape: {"newshape": "shape"},
    np.var: {"correction": "ddof"},
    np.std: {"correction": "ddof"},
}

NOT_KNOWN = object()


def canonical(function: Any, count: int | None = None) -> Any:
    """The one function that stands for all spellings of an operation, called with `count` positional arguments.

    >>> import math
    >>> canonical(math.sin)
    <ufunc 'sin'>
    """
    if function is math.log and count == 2:
        return function                     # the logarithm to a base has a rule of its own
    try:
        return SYNONYMS.get(function, function)
    except TypeError:                       # unhashable
        return function


def method_call(name: str, owner: Expr, args: Args, kwargs: Kwargs) -> tuple[Callable, Args, Kwargs] | None:
    """`owner.name(*args, **kwargs)` as a call of a function, or None where there is no such method.

    `x.reshape(2, 3)` becomes a call of np.reshape with (x, (2, 3)).
    """
    function = METHODS.get(name)
    if function is None:
        return None
    if name in _SPREAD and len(args) > 1:
        args = (Tuple(args),)
    return function, (owner, *args), kwargs


def bind(rule: Rule, args: Args, kwargs: Kwargs = (),
         known: Callable[[Expr], Any] | None = None) -> dict[str, Expr]:
    """The expression that a call gives for each parameter of its rule, defaults filled in.

    `known` tells the value of an expression, or NOT_KNOWN (by default it knows literals).  Raises a ValueError that
    says what the rule doesn't support.
    """
    given = _positional(rule, args)
    synonyms = _KEYWORDS.get(rule.primal, {})
    for key, value in kwargs:
        name = synonyms.get(key, key) if key is not None else None
        if name not in rule.params or name == rule.variadic:
            raise ValueError(f"the argument `{'**' if key is None else key}` of {called(rule)} is not supported")
        if name in given:
            raise ValueError(f"{called(rule)} is given `{name}` twice")
        given[name] = value
    for name in rule.params:
        if name not in given:
            given[name] = _default(rule, name)
    _check_constants(rule, given, known or literal)
    return given


def _positional(rule: Rule, args: Args) -> dict[str, Expr]:
    """The positional arguments by name; what a variadic parameter takes becomes a tuple."""
    if any(isinstance(a, Star) for a in args) and rule.variadic is None:
        raise ValueError(f"a call of {called(rule)} with *arguments is not supported")
    plain = rule.params if rule.variadic is None else rule.params[:rule.params.index(rule.variadic)]
    given = dict(zip(plain, args))
    rest = args[len(plain):]
    if rule.variadic is not None:
        given[rule.variadic] = Tuple(rest)
    elif rest:
        raise ValueError(f"{called(rule)} with {len(args)} positional arguments is not supported")
    return given


def _default(rule: Rule, name: str) -> Expr:
    if name not in rule.defaults:
        raise ValueError(f"{called(rule)} needs an argument `{name}`")
    return constant(rule.defaults[name])


def _check_constants(rule: Rule, given: Mapping[str, Expr], known: Callable[[Expr], Any]) -> None:
    """Refuses values for which the rule doesn't hold, and those that can't be told before the program runs."""
    for name, allowed in rule.only.items():
        value = known(given[name])
        if value is NOT_KNOWN or not any(type(value) is type(a) and value == a for a in allowed):
            options = " or ".join(repr(a) for a in allowed)
            raise ValueError(f"{called(rule)} is supported with {name}={options} only")


def constant(value: Any) -> Expr:
    """A literal as an expression, also a tuple of literals."""
    return Tuple(tuple(constant(v) for v in value)) if isinstance(value, tuple) else Const(value)


def literal(expr: Expr) -> Any:
    """The value of a literal expression, or NOT_KNOWN.

    >>> literal(Unary("-", Const(1)))
    -1
    """
    match expr:
        case Const(value):
            return value
        case Unary("-", Const(int() | float() | complex() as value)):
            return -value
        case Tuple(items) | List(items):
            values = [literal(item) for item in items]
            return NOT_KNOWN if NOT_KNOWN in values else (tuple if isinstance(expr, Tuple) else list)(values)
    return NOT_KNOWN


def called(rule: Rule) -> str:
    """How the user calls the rule's function.

    >>> from srcgrad.rules.registry import rule_for
    >>> called(rule_for(np.linalg.norm)), called(rule_for(np.sin))
    ('np.linalg.norm', 'np.sin')
    """
    module = getattr(rule.primal, "__module__", None) or "numpy"
    module = "np" + module.removeprefix("numpy") if module.startswith("numpy") else module
    name = getattr(rule.primal, "__qualname__", None) or rule.primal.__name__
    return name if module == "builtins" else f"{module}.{name}"
