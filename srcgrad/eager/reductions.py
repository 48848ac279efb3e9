"""Sums, means, products, variances, norms, cumulated sums, softmax."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.eager.axes import axes, axis, numpy_names
from srcgrad.eager.dtypes import floating
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.pointwise import unsupported
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.quiet import quiet
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.runtime.arrays import expand_reduced

_sum_all, _sum_dim = Op("SumBackward0", np.sum), Op("SumBackward1", np.sum)
_mean_all, _mean_dim = Op("MeanBackward0", np.mean), Op("MeanBackward1", np.mean)
_prod_all, _prod_dim = Op("ProdBackward0", np.prod), Op("ProdBackward1", np.prod)
_var, _std = Op("VarBackward0", np.var), Op("StdBackward0", np.std)
_nansum = Op("NansumBackward0", np.nansum)


def _typed(input: Tensor, dtype: Any, integers: Any = np.int64) -> Tensor:
    """The tensor as the type that is asked for; integers and bools as int64."""
    if dtype is not None:
        return input.to(dtype)
    kind = input._a.dtype.kind
    return wrap(input._a.astype(integers)) if kind in "biu" and integers is not None else input


@function
@numpy_names
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along dimensions."""
    x = _typed(input, dtype)
    a = x._a
    over = None if dim is None else axes(dim, a.ndim)
    with quiet:
        return record(_sum_all if over is None else _sum_dim, _reduced(np.add, a, over, keepdim), (x, over, keepdim))


def _reduced(ufunc: Any, a: np.ndarray, over: Any, keepdim: bool) -> Any:
    return ufunc.reduce(a, axis=over if a.ndim else None, keepdims=bool(keepdim))


@function
@numpy_names
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """As `sum`, with NaN counted as zero."""
    x = _typed(input, dtype)
    over = axes(dim, x._a.ndim)
    return record(_nansum, np.nansum(x._a, over, keepdims=keepdim), (x, over, keepdim))


@function
@numpy_names
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along dimensions."""
    x = _typed(input, dtype, None)
    a = x._a
    if a.dtype.kind not in "fc":
        what = "Input" if dtype is None else "Optional"
        raise RuntimeError("mean(): could not infer output dtype. "
                           f"{what} dtype must be either a floating point or complex dtype. Got: {x.dtype.legacy}")
    over = axes(dim, a.ndim)
    count = a.size if over is None else math.prod(a.shape[i] for i in over if a.ndim)
    with quiet:
        out = _reduced(np.add, a, over, keepdim) / a.dtype.type(count)
    return record(_mean_all if over is None else _mean_dim, out, (x, over, keepdim))


@function
@numpy_names
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """As `mean`, of the elements that aren't NaN."""
    count = wrap((~np.isnan(input._a)).astype(input._a.dtype))
    return nansum(input, dim, keepdim) / sum(count, dim, keepdim)


@function
@numpy_names
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along a dimension."""
    x = _typed(input, dtype)
    over = None if dim is None else axis(dim, x._a.ndim)
    with quiet:
        out = _reduced(np.multiply, x._a, over, keepdim)
    return record(_prod_all if over is None else _prod_dim, out, (x, over, keepdim))


def _correction(unbiased: Any, correction: Any) -> Any:
    if correction is not None:
        return correction
    return 1 if unbiased is None else int(unbiased)


def _spread(op: Op, compute: Any) -> Any:
    @numpy_names
    def spread(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *,
               correction: Any = None) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        ddof = _correction(unbiased, correction)
        a = input._a
        if a.dtype.kind not in "fc":
            raise RuntimeError("std and var only support floating point and complex dtypes")
        over = axes(dim, a.ndim)
        with quiet, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = compute(a, axis=over, ddof=ddof, keepdims=keepdim)
        if ddof and out.size and ddof >= a.size / out.size:
            warnings.warn(f"{compute.__name__}(): degrees of freedom is <= 0. Correction should be strictly less than "
                          "the reduction factor (input numel divided by output numel).", UserWarning, stacklevel=2)
        return record(op, out, (input, over, ddof, keepdim))
    return spread


var = function(_spread(_var, np.var), "var")
std = function(_spread(_std, np.std), "std")


@function
def var_mean(input: Tensor, dim: Any = None, **words: Any) -> tuple[Tensor, Tensor]:
    """Variance and mean."""
    return var(input, dim, **words), mean(input, dim, words.get("keepdim", False))


@function
def std_mean(input: Tensor, dim: Any = None, **words: Any) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    return std(input, dim, **words), mean(input, dim, words.get("keepdim", False))


# ---------------------------------------------------------------- norms

_norm = Op("LinalgVectorNormBackward0", np.linalg.norm)


@function
@numpy_names
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The p-norm of all elements, or along dimensions."""
    x = input if dtype is None else input.to(dtype)
    if x._a.dtype.kind not in "fc":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{x.dtype.legacy}")
    order = None if p in ("fro", None, 2) else p
    over = axes(dim, x._a.ndim)
    if order is not None and (over is None or len(over) > 1):
        return _flat_norm(x, order, over, keepdim)
    with quiet:
        single = over if over is None or len(over) > 1 else over[0]
        out = _norm_of(x._a, order, single, keepdim)
    return record(_norm, out, (x, order, single, keepdim))


def _norm_of(a: np.ndarray, order: Any, over: Any, keepdim: bool) -> Any:
    if order is None:
        return np.sqrt(_reduced(np.add, np.square(np.abs(a)), over, keepdim))
    return np.linalg.norm(a, order, over, keepdim)


def _flat_norm(x: Tensor, order: Any, over: Any, keepdim: bool) -> Tensor:
    """A norm over several dimensions: of the same elements along one."""
    n = x._a.ndim
    over = tuple(range(n)) if over is None else over
    kept = [i for i in range(n) if i not in over]
    flat = x.permute(*kept, *over).reshape(*(x._a.shape[i] for i in kept), -1)
    found = norm(flat, order, -1)
    shape = [1 if i in over else x._a.shape[i] for i in range(n)]
    return found.reshape(shape) if keepdim else found


@function
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The p-norm of the difference."""
    return norm(input - other, p)


# ---------------------------------------------------------------- along a dimension

_cumsum, _cumprod = Op("CumsumBackward0", np.cumsum), Op("CumprodBackward0", np.cumprod)


@function
@numpy_names
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Sums of the elements up to each."""
    x = _typed(input, dtype)
    over = axis(dim, x._a.ndim)
    return record(_cumsum, np.cumsum(x._a, over) if x._a.ndim else x._a.copy(), (x, over))


@function
@numpy_names
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Products of the elements up to each."""
    x = _typed(input, dtype)
    over = axis(dim, x._a.ndim)
    return record(_cumprod, np.cumprod(x._a, over), (x, over))


@operation("LogsumexpBackward0")
def _logsumexp(out_bar: Any, out: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    weights = np.exp(a - expand_reduced(out, np.shape(a), axis, keepdims))
    a_bar = expand_reduced(out_bar, np.shape(a), axis, keepdims) * weights
    return a_bar


@function
@numpy_names
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))), without overflow."""
    a = floating(input)
    over = axes(dim, a.ndim)
    with quiet:
        top = np.max(a, axis=over, keepdims=True)
        top = np.where(np.isfinite(top), top, 0).astype(a.dtype)
        out = np.log(np.sum(np.exp(a - top), axis=over, keepdims=True)) + top
    out = out if keepdim else np.squeeze(out, over)
    return record(_logsumexp, out, (input, over, keepdim))


@operation("SoftmaxBackward0")
def _softmax(out_bar: Any, out: Any, a: Any, axis: Any) -> Any:
    weighted = out_bar * out
    a_bar = weighted - out * np.sum(weighted, axis=axis, keepdims=True)
    return a_bar


@operation("LogSoftmaxBackward0")
def _log_softmax(out_bar: Any, out: Any, a: Any, axis: Any) -> Any:
    a_bar = out_bar - np.exp(out) * np.sum(out_bar, axis=axis, keepdims=True)
    return a_bar


@function
@numpy_names
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) over its sum along a dimension."""
    x = input if dtype is None else input.to(dtype)
    a, over = _checked(x, dim)
    with quiet:
        e = np.exp(a - np.max(a, axis=over, keepdims=True)) if a.size else a.copy()
        return record(_softmax, e / np.sum(e, axis=over, keepdims=True), (x, over))


@function
@numpy_names
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, without overflow."""
    x = input if dtype is None else input.to(dtype)
    a, over = _checked(x, dim)
    with quiet:
        moved = a - np.max(a, axis=over, keepdims=True) if a.size else a.copy()
        return record(_log_softmax, moved - np.log(np.sum(np.exp(moved), axis=over, keepdims=True)), (x, over))


def _checked(x: Tensor, dim: int) -> tuple[np.ndarray, Any]:
    a = x._a
    if a.dtype.kind != "f":
        raise unsupported("softmax_lastdim_kernel_impl", a.dtype)
    return a, axis(dim, a.ndim) if a.ndim else None


# ---------------------------------------------------------------- of bools

def _boolean(array_function: Any) -> Any:
    @numpy_names
    def reduced(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        found = wrap(array_function(input._a, axis=axes(dim, input._a.ndim), keepdims=keepdim))
        return found.to(input.dtype) if input._a.dtype == np.uint8 else found
    return reduced


all = function(_boolean(np.all), "all")
any = function(_boolean(np.any), "any")


@function
@numpy_names
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements aren't zero."""
    return wrap(np.asarray(np.count_nonzero(input._a, axes(dim, input._a.ndim)), np.int64))


@function
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs."""
    if input._a.ndim != 1 or input._a.dtype.kind not in "iu" or (input._a.size and input._a.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    return wrap(np.bincount(input._a, None if weights is None else weights._a, minlength))


def _numpy_sum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return sum(a, axis, keepdims)


def _numpy_mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return mean(a, axis, keepdims)


TORCH[np.sum], TORCH[np.mean] = _numpy_sum, _numpy_mean

__all__ = ["mean", "norm", "sum"]
