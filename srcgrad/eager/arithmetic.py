"""Sums, products, quotients, powers, comparisons: operators, functions and methods."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.dtypes import promote, result_dtype
from srcgrad.eager.graph import node_class
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.pointwise import binary, general, operand, shape_error, unary, unsupported
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.quiet import quiet
from srcgrad.eager.table import FUNCTIONS, function, operand_checked
from srcgrad.eager.tensor import Tensor, method, wrap

_add = binary(Op("AddBackward0", np.add, both=True), np.add)
_sub = binary(Op("SubBackward0", np.subtract, both=True), np.subtract, called="-")
_rsub_op = Op("RsubBackward1", np.subtract)
_mul = binary(Op("MulBackward0", np.multiply, both=True), np.multiply)
_div = binary(Op("DivBackward0", np.divide, both=True, recompute=np.divide), np.divide, floating=True)
_pow_number = binary(Op("PowBackward0", np.power, aliases={"exponent": "x2"}), np.power, refused="b", called="pow")
_pow_tensor = binary(Op("PowBackward1", np.power, aliases={"exponent": "x2"}), np.power, refused="b", called="pow")
_pow_of_number = Op("PowBackward2", np.power)
_remainder = binary(Op("RemainderBackward0", np.remainder), np.remainder, refused="bc", called="remainder_cpu")
_fmod = binary(Op("FmodBackward0", np.fmod), np.fmod, refused="bc", called="fmod_cpu")
reciprocal = function(unary(Op("ReciprocalBackward0", np.reciprocal), np.reciprocal), "reciprocal")
_neg = unary(Op("NegBackward0", np.negative), np.negative, floating=False)


def neg(input: Tensor) -> Tensor:
    """-input"""
    if input._a.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert "
                           "a mask, use the `~` or `logical_not()` operator instead.")
    negated: Tensor = _neg(input)
    return negated


function(neg, "neg", "negative")


@function
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other"""
    return _add(input, other if alpha == 1 else other * alpha)


@function
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other"""
    return _sub(input, other if alpha == 1 else other * alpha)


@function
def mul(input: Any, other: Any) -> Any:
    """input * other"""
    return _mul(input, other)


@function
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other, rounded towards zero ("trunc") or down ("floor") if asked for."""
    if rounding_mode is None:
        return _div(input, other)
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode != "trunc":
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    dtype = result_dtype(input, other)
    quotient = np.trunc(_div(input, other).detach()._a)
    return wrap(quotient.astype(dtype))


@function
def rsub(input: Tensor, other: Any) -> Any:
    """other - input"""
    return general(_rsub_op, np.subtract, other, input, False, called="-")


@function
def pow(input: Any, exponent: Any) -> Any:
    """input ** exponent"""
    if not isinstance(input, Tensor):
        return general(_pow_of_number, np.power, input, exponent, False, "b", "pow")
    if isinstance(exponent, Tensor):
        whole = input._a.dtype.kind in "iu" and exponent._a.dtype.kind in "iu"
        return _whole_power(input, exponent) if whole else _pow_tensor(input, exponent)
    if input._a.dtype.kind in "iu" and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if input._a.dtype == bool and isinstance(exponent, bool):
        return wrap(np.where(exponent, input._a, True))
    return _pow_number(input, exponent)


def _whole_power(x: Tensor, exponent: Tensor) -> Tensor:
    """Powers of integers: with negative exponents 1, -1 or 0."""
    a, n = promote(result_dtype(x, exponent), x._a, exponent._a)
    try:
        powers = np.power(a, np.maximum(n, 0))
    except ValueError:
        raise shape_error(a.shape, n.shape) from None
    below = np.where(a == 1, 1, np.where(a == -1, np.where(n % 2, -1, 1), 0))
    return wrap(np.where(n < 0, below, powers).astype(powers.dtype))


@function
def square(input: Tensor) -> Tensor:
    """input ** 2"""
    return pow(input, 2)


@function
def remainder(input: Any, other: Any) -> Any:
    """The remainder with the divisor's sign."""
    return _remainder(input, other)


@function
def fmod(input: Any, other: Any) -> Any:
    """The remainder with the dividend's sign."""
    return _fmod(input, other)


@function
def floor_divide(input: Any, other: Any) -> Any:
    """The quotient rounded down; it has no derivative, and asking for one is an error."""
    out = general(_floor_divide_op, np.floor_divide, input, other, False, "bc", "div_floor_cpu")
    if isinstance(out, Tensor) and out._fn is not None:
        out._fn.__class__ = node_class("NotImplemented")
    return out


@operation("NotImplemented", elementwise=True)
def _floor_divide_op(out_bar: Any, out: Any, x1: Any, x2: Any) -> Any:
    x1_bar = no_derivative(out_bar)
    x2_bar = no_derivative(out_bar)
    return x1_bar, x2_bar


def no_derivative(out_bar: Any) -> Any:
    """Refuses."""
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


# ---------------------------------------------------------------- operators

def _reflected(name: str, plain: Any) -> None:
    method(name)(lambda self, other: plain(self, other))


def _quotient_of(self: Tensor, other: Any) -> Any:
    """other / self; of 1, as torch has it, the reciprocal times 1."""
    number = operand(other)
    if number is NotImplemented:
        return NotImplemented
    return _mul(reciprocal(self), 1) if number.__class__ in (int, float) and number == 1 else _div(number, self)


def _power_of(self: Tensor, base: Any) -> Any:
    return pow(operand(base), self) if operand(base) is not NotImplemented else NotImplemented


for _name, _function in {
        "__add__": _add, "__radd__": _add, "__mul__": _mul, "__rmul__": _mul, "__truediv__": _div,
        "__mod__": _remainder, "__neg__": neg, "__floordiv__": floor_divide, "__rtruediv__": _quotient_of,
        "__rpow__": _power_of, "__rsub__": rsub, "__sub__": sub}.items():
    setattr(Tensor, _name, _function)


@method("__pow__")
def _power(self: Tensor, exponent: Any) -> Any:
    exponent = operand(exponent)
    return NotImplemented if exponent is NotImplemented else pow(self, exponent)


@method("__rmod__")
def _remainder_of(self: Tensor, other: Any) -> Any:
    return _remainder(other, self)


@method("__rfloordiv__")
def _floor_quotient_of(self: Tensor, other: Any) -> Any:
    return floor_divide(other, self)


@method("__pos__")
def positive(self: Tensor) -> Tensor:
    """The tensor itself."""
    return self


# ---------------------------------------------------------------- comparisons and bits

def _compared(ufunc: Any, refused: str = "", called: str = "") -> Any:
    def compare(input: Any, other: Any) -> Any:
        x, y = operand(input), operand(other)
        if x is NotImplemented or y is NotImplemented:
            return NotImplemented
        dtype = result_dtype(x, y)
        if dtype.kind in refused:
            raise unsupported(called, dtype)
        a, b = promote(dtype, getattr(x, "_a", x), getattr(y, "_a", y))
        try:
            return wrap(ufunc(a, b))
        except ValueError:
            raise shape_error(np.shape(a), np.shape(b)) from None
    compare.__name__ = ufunc.__name__
    return compare


def _limits(name: str) -> tuple[str, str]:
    """Kinds of types for which there is no such comparison, and what errors call it."""
    if name in ("lt", "le", "gt", "ge"):
        return "c", f"{name}_cpu"
    bits = {"and": "and", "rand": "and", "or": "or", "ror": "or", "xor": "xor", "rxor": "xor"}
    short = name.removeprefix("bitwise_")
    if short in bits:
        return "fc", f"bitwise_{bits[short]}_cpu"
    return ("fc", f"{short}_cpu") if "shift" in name else ("", "")


for _names, _ufunc in {
        ("eq",): np.equal, ("ne", "not_equal"): np.not_equal, ("lt", "less"): np.less,
        ("le", "less_equal"): np.less_equal, ("gt", "greater"): np.greater, ("ge", "greater_equal"): np.greater_equal,
        ("bitwise_and",): np.bitwise_and, ("bitwise_or",): np.bitwise_or, ("bitwise_xor",): np.bitwise_xor,
        ("bitwise_left_shift",): np.left_shift, ("bitwise_right_shift",): np.right_shift}.items():
    function(_compared(_ufunc, *_limits(_names[0])), *_names)

for _name, _ufunc in {"__eq__": np.equal, "__ne__": np.not_equal, "__lt__": np.less, "__le__": np.less_equal,
                      "__gt__": np.greater, "__ge__": np.greater_equal, "__and__": np.bitwise_and,
                      "__or__": np.bitwise_or, "__xor__": np.bitwise_xor, "__rand__": np.bitwise_and,
                      "__ror__": np.bitwise_or, "__rxor__": np.bitwise_xor, "__lshift__": np.left_shift,
                      "__rshift__": np.right_shift}.items():
    setattr(Tensor, _name, _compared(_ufunc, *_limits(_name.strip("_"))))
setattr(Tensor, "__hash__", object.__hash__)        # noqa: B010 (comparing for equality took it away)


def _logical(ufunc: Any) -> Any:
    def compare(input: Any, other: Any) -> Any:
        return wrap(ufunc(getattr(input, "_a", input), getattr(other, "_a", other)))
    return compare


for _name in ("logical_and", "logical_or", "logical_xor"):
    function(_logical(getattr(np, _name)), _name)


@function
def logical_not(input: Tensor) -> Tensor:
    """Where elements are zero."""
    return wrap(np.logical_not(input._a))


@function
def bitwise_not(input: Tensor) -> Tensor:
    """The complement of bits, or of bools."""
    if input._a.dtype.kind in "fc":
        raise unsupported("bitwise_not_cpu", input._a.dtype)
    return wrap(np.invert(input._a))


setattr(Tensor, "__invert__", bitwise_not)      # noqa: B010 (Tensor gets its methods so everywhere)


# ---------------------------------------------------------------- of three

@function
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2"""
    return input + tensor1 * tensor2 * value


@function
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2"""
    return input + value * (tensor1 / tensor2)


@operation("LerpBackward0", elementwise=True)
def _lerp(out_bar: Any, out: Any, start: Any, end: Any, weight: Any) -> Any:
    start_bar = out_bar * (1 - weight)
    end_bar = out_bar * weight
    weight_bar = out_bar * (end - start)
    return start_bar, end_bar, weight_bar


@function
def lerp(input: Tensor, end: Any, weight: Any) -> Tensor:
    """input + weight * (end - input)"""
    with quiet:
        a, b, w = (getattr(v, "_a", v) for v in (input, end, weight))
        return record(_lerp, a + w * (b - a), (input, end, weight))


_maximum = binary(Op("MaximumBackward0", np.maximum), np.maximum, refused="c", called="maximum")
_minimum = binary(Op("MinimumBackward0", np.minimum), np.minimum, refused="c", called="minimum")
_fmax = binary(Op("FmaxBackward0", np.fmax), np.fmax)
_fmin = binary(Op("FminBackward0", np.fmin), np.fmin)
for _own, _called in ((_maximum, "maximum"), (_minimum, "minimum"), (_fmax, "fmax"), (_fmin, "fmin")):
    function(_own, _called)

hypot = function(binary(Op("HypotBackward0", np.hypot), np.hypot), "hypot")
@operation("Atan2Backward0", elementwise=True)
def _atan2(out_bar: Any, out: Any, x1: Any, x2: Any) -> Any:
    square = x1 * x1 + x2 * x2
    share = out_bar / np.where(square == 0, 1.0, square)        # torch's derivative at the origin is 0
    x1_bar = share * x2
    x2_bar = -share * x1
    return x1_bar, x2_bar


atan2 = function(binary(_atan2, np.arctan2, floating=True, refused="c",
                        called="atan2_cpu"), "atan2", "arctan2")
logaddexp = function(binary(Op("LogaddexpBackward0", np.logaddexp, recompute=np.logaddexp), np.logaddexp), "logaddexp")
_copysign = Op("CopysignBackward0", np.copysign)


@function
def copysign(input: Any, other: Any) -> Any:
    """The magnitude of one with the sign of the other."""
    return general(_copysign, np.copysign, input, other, True)


TORCH.update({
    np.add: _add, np.subtract: sub, np.multiply: _mul, np.divide: _div, np.power: pow, np.negative: neg,
    np.remainder: _remainder, np.fmod: _fmod, np.reciprocal: reciprocal, np.square: square, np.maximum: _maximum,
    np.minimum: _minimum, np.fmax: _fmax, np.fmin: _fmin, np.hypot: hypot, np.arctan2: atan2, np.logaddexp: logaddexp,
    np.float_power: pow, np.positive: positive})
for _called in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
    TORCH[getattr(np, _called)] = _compared(getattr(np, _called))


@function
def isclose(input: Tensor, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where elements are close to each other."""
    return wrap(np.isclose(input._a, getattr(other, "_a", other), rtol, atol, equal_nan))


@function
def allclose(input: Tensor, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close to each other."""
    a, b = input._a, getattr(other, "_a", other)
    if np.shape(b) and a.dtype != b.dtype:
        raise RuntimeError(f"{input.dtype.legacy} did not match {other.dtype.legacy}")
    return bool(np.allclose(a, b, rtol, atol, equal_nan))


@function
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements agree."""
    return bool(np.array_equal(input._a, other._a))


MATH = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}

# the functions that operators call under names of their own
for _called in ("add", "sub", "mul", "div", "pow", "remainder", "fmod", "floor_divide", "rsub", "eq", "ne", "not_equal",
                "lt", "less", "le", "less_equal", "gt", "greater", "ge", "greater_equal", "maximum", "minimum", "fmax",
                "fmin", "hypot", "atan2", "arctan2", "logaddexp", "bitwise_and", "bitwise_or", "bitwise_xor",
                "bitwise_left_shift", "bitwise_right_shift"):
    function(operand_checked(FUNCTIONS[_called], _called), _called)
