"""Functions of single elements: exponentials, circular functions, rounding, activations, clamp, where."""
from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from srcgrad.eager.dtypes import promote, result_dtype
from srcgrad.eager.kernels import erf, erfinv, sigmoid
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.pointwise import operand, shape_error, unary, unsupported
from srcgrad.eager.protocols import TORCH, helper
from srcgrad.eager.quiet import quiet
from srcgrad.eager.table import FUNCTIONS, function, plain
from srcgrad.eager.tensor import Tensor, wrap

# NumPy's function -> torch's name of the node, and of the function
_UNARY = {
    np.exp: ("Exp", "exp"), np.exp2: ("Exp2", "exp2"), np.expm1: ("Expm1", "expm1"), np.log: ("Log", "log"),
    np.log2: ("Log2", "log2"), np.log10: ("Log10", "log10"), np.log1p: ("Log1P", "log1p"), np.sqrt: ("Sqrt", "sqrt"),
    np.sin: ("Sin", "sin"), np.cos: ("Cos", "cos"), np.tan: ("Tan", "tan"), np.arcsin: ("Asin", "asin arcsin"),
    np.arccos: ("Acos", "acos arccos"), np.arctan: ("Atan", "atan arctan"), np.sinh: ("Sinh", "sinh"),
    np.cosh: ("Cosh", "cosh"), np.tanh: ("Tanh", "tanh"), np.arcsinh: ("Asinh", "asinh arcsinh"),
    np.arctanh: ("Atanh", "atanh arctanh"), np.sinc: ("Sinc", "sinc"), np.deg2rad: ("Deg2Rad", "deg2rad"),
    np.rad2deg: ("Rad2Deg", "rad2deg")}

for _ufunc, (_node, _names) in _UNARY.items():
    TORCH[_ufunc] = function(unary(Op(f"{_node}Backward0", _ufunc), _ufunc), *_names.split())

TORCH[np.arccosh] = function(unary(Op("AcoshBackward0", np.arccosh, recompute=np.arccosh), np.arccosh), "acosh",
                             "arccosh")
_abs = unary(Op("AbsBackward0", np.absolute), np.absolute, floating=False)


def torch_abs(input: Tensor) -> Tensor:
    """The size of elements."""
    if input._a.dtype == bool:
        raise unsupported("abs_cpu", input._a.dtype)
    found: Tensor = _abs(input)
    return found


TORCH[np.absolute] = function(torch_abs, "abs", "absolute", "__abs__")


# ---------------------------------------------------------------- torch's own

@operation("RsqrtBackward0", elementwise=True)
def _rsqrt(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = -0.5 * out_bar * out * out * out
    return x_bar


@operation("SigmoidBackward0", elementwise=True)
def _sigmoid(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar * (1 - out) * out
    return x_bar


@operation("ReluBackward0", elementwise=True)
def _relu(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = above_zero(out_bar, out)
    return x_bar


def above_zero(g: Any, out: Any) -> Any:
    """The elements of `g` where `out` is positive, else zero; depends, with derivative zero, on `out` too."""
    return np.where(out > 0, g, 0.0)


@operation("ThresholdBackwardBackward0", above_zero, elementwise=True)
def _above_zero(out_bar: Any, out: Any, g: Any, result: Any) -> Any:
    g_bar = above_zero(out_bar, result)
    result_bar = np.zeros_like(out_bar)
    return g_bar, result_bar


helper(above_zero, _above_zero)


@operation("ErfBackward0", elementwise=True)
def _erf(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(-x * x)
    return x_bar


@operation("ErfcBackward0", elementwise=True)
def _erfc(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = -out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(-x * x)
    return x_bar


@operation("ErfinvBackward0", elementwise=True)
def _erfinv(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar * (math.sqrt(math.pi) / 2.0) * np.exp(out * out)
    return x_bar


@operation("LogitBackward0", elementwise=True)
def _logit(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar / (x * (1.0 - x))
    return x_bar


@operation("FracBackward0", elementwise=True)
def _frac(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar
    return x_bar


@operation("XlogyBackward0", elementwise=True)
def _xlogy(out_bar: Any, out: Any, x1: Any, x2: Any) -> Any:
    x1_bar = np.where(x1 == 0, 0.0, out_bar * np.log(x2))
    x2_bar = out_bar * x1 / x2
    return x1_bar, x2_bar


def _relu_array(a: np.ndarray) -> Any:
    """The larger of each element and 0; NaN stays."""
    if a.dtype.kind in "bc":
        raise RuntimeError("Boolean inputs not supported for relu") if a.dtype.kind == "b" else NotImplementedError(
            "clamp is not supported for complex types")
    return np.maximum(a, 0)


rsqrt = function(unary(_rsqrt, lambda a: 1 / np.sqrt(a)), "rsqrt")
torch_sigmoid = function(unary(_sigmoid, sigmoid), "sigmoid")
relu = function(unary(_relu, _relu_array, floating=False), "relu")
torch_erf = function(unary(_erf, erf), "erf")
erfc = function(unary(_erfc, lambda a: 1 - erf(a)), "erfc")
torch_erfinv = function(unary(_erfinv, erfinv), "erfinv")
frac = function(unary(_frac, lambda a: a - np.trunc(a)), "frac")


@function
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), with x kept away from 0 and 1 by eps."""
    x = input if eps is None else input.clamp(eps, 1 - eps)
    with quiet:
        return record(_logit, np.log(x._a / (1 - x._a)), (x,))


@function
def xlogy(input: Any, other: Any) -> Tensor:
    """x * log(y), and 0 where x is 0."""
    a, b = getattr(input, "_a", input), getattr(other, "_a", other)
    with quiet:
        out = np.where(np.equal(a, 0) & ~np.isnan(b), 0.0, a * np.log(b)).astype(result_dtype(input, other))
        return record(_xlogy, out, (input, other))



# ---------------------------------------------------------------- steps: derivative zero

def _rounded(name: str, array_function: Any) -> Any:
    """Rounds; integers stay what they are."""
    step = _step(name, array_function)

    def rounded(input: Tensor) -> Tensor:
        a = input._a
        if a.dtype.kind in "bc":
            raise NotImplementedError(f"{name.lower()} is not supported for complex inputs") if a.dtype.kind == "c" \
                else unsupported(f"{name.lower()}_vml_cpu", a.dtype)
        found: Tensor = step(input) if a.dtype.kind == "f" else wrap(a.copy())
        return found
    return rounded


def _sign(a: np.ndarray) -> Any:
    if a.dtype.kind == "c":
        raise NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
                                  "torch.sgn instead.")
    return a.copy() if a.dtype == bool else np.sign(a)


def _step(name: str, array_function: Any) -> Any:
    @operation(f"{name}Backward0", elementwise=True)
    def step(out_bar: Any, out: Any, x: Any) -> Any:
        x_bar = np.zeros_like(out_bar)
        return x_bar
    return unary(step, array_function, floating=False)


for _name, _ufunc in {"Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc}.items():
    TORCH[_ufunc] = function(_rounded(_name, _ufunc), _name.lower())
function(_rounded("Trunc", np.trunc), "fix")
function(_step("Sign", _sign), "sign")


@function
def sgn(input: Tensor) -> Tensor:
    """The sign; of complex numbers, that of size 1 in the same direction."""
    if input._a.dtype.kind != "c":
        return FUNCTIONS["sign"](input)
    size = FUNCTIONS["abs"](input)
    return input / where(size == 0, 1.0, size)


TORCH[np.sign] = sgn
_round = TORCH[np.rint] = _rounded("Round", np.rint)


@function
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Elements rounded, halves to even."""
    if decimals:
        scale = 10.0 ** decimals
        return _round(input * scale) / scale
    return _round(input)


def _test(name: str, ufunc: Any) -> None:
    def test(input: Tensor) -> Tensor:
        a = input._a
        return wrap(ufunc(a))
    test.__name__ = name
    function(test)


for _name, _ufunc in {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "isposinf": np.isposinf,
                      "isneginf": np.isneginf, "signbit": np.signbit, "isreal": np.isreal}.items():
    _test(_name, _ufunc)


# ---------------------------------------------------------------- choices

_clamp_op = Op("ClampBackward1", np.clip)


@function
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Elements kept between bounds; at a bound the derivative is 1."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [b for b in (min, max) if b is not None]
    dtype = result_dtype(input, *bounds)
    low, high = (None if b is None else getattr(b, "_a", b) for b in (min, max))
    a, low, high = promote(dtype, input._a, low, high)
    try:
        out = a if low is None else np.maximum(a, low)
        out = out if high is None else np.minimum(out, high)
    except ValueError:
        raise shape_error(a.shape, np.shape(low if low is not None else high)) from None
    return record(_clamp_op, out, (input, min, max))


function(clamp, "clip")


@function
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Elements that are at least `min`."""
    return clamp(input, min=min)


@function
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Elements that are at most `max`."""
    return clamp(input, max=max)


_where = Op("WhereBackward0", np.where)


@plain
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where the condition holds, else of `other`; alone, the indices where it holds."""
    if input is None:
        return tuple(wrap(i) for i in np.nonzero(condition._a))
    x, y = operand(input), operand(other)
    if not isinstance(condition, Tensor):
        condition = wrap(np.asarray(condition))
    if condition._a.dtype != bool:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{condition.dtype.legacy}")
    dtype = result_dtype(x, y)
    a, b = promote(dtype, getattr(x, "_a", x), getattr(y, "_a", y))
    try:
        out = np.where(condition._a, a, b)
    except ValueError:
        shapes = condition._a.shape, np.shape(a), np.shape(b)
        pair = next((p for p in itertools.combinations(shapes, 2) if not _broadcast(*p)), shapes)
        raise shape_error(*pair) from None
    return record(_where, out if out.dtype == dtype else out.astype(dtype), (condition, x, y))


def _broadcast(*shapes: tuple[int, ...]) -> bool:
    return all(len({n for n in column if n != 1}) < 2
               for column in itertools.zip_longest(*(reversed(s) for s in shapes), fillvalue=1))


TORCH[np.where] = where


def _where_method(self: Tensor, condition: Tensor, other: Any) -> Any:
    return where(condition, self, other)


setattr(Tensor, "where", _where_method)         # noqa: B010 (Tensor gets its methods so everywhere)


@function
def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """Elements with numbers in place of NaN and infinities."""
    out = np.nan_to_num(input._a, True, nan, posinf, neginf)
    return record(_nan_to_num, out, (input, True, nan, posinf, neginf))


_nan_to_num = Op("NanToNumBackward0", np.nan_to_num)


@function
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above, and `values` at 0."""
    return record(_heaviside, np.heaviside(input._a, values._a), (input, values))


_heaviside = Op("HeavisideBackward0", np.heaviside)

__all__ = ["clamp", "relu", "torch_sigmoid", "where"]
