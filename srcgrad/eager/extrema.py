"""Extrema, sorting and searching, with torch's choices at ties: along a dimension the first, of all elements shared."""
from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from srcgrad.eager.axes import axes, axis, numpy_names
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import FUNCTIONS, function
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.runtime.layout import take_along_axis_adjoint


def result_of(name: str, *fields: str) -> Any:
    """A named tuple that prints as torch's."""
    base = namedtuple(name, fields or ("values", "indices"))        # type: ignore[misc]

    def text(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self))
        return f"torch.return_types.{name}(\n{parts})"
    return type(name, (base,), {"__slots__": (), "__repr__": text, "__str__": text, "__module__": __name__})


# ---------------------------------------------------------------- along a dimension

@operation("MaxBackward0")
def _chosen(out_bar: Any, out: Any, a: Any, indices: Any, axis: Any) -> Any:
    a_bar = take_along_axis_adjoint(out_bar, np.shape(a), indices, axis)
    return a_bar


@operation("MaxBackward0")
def _chosen_one(out_bar: Any, out: Any, a: Any, indices: Any, axis: Any) -> Any:
    a_bar = take_along_axis_adjoint(np.expand_dims(out_bar, axis), np.shape(a), indices, axis)
    return a_bar


def take_chosen(input: Tensor, name: str, indices: Any, over: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The elements at `indices`, which keep the dimension `over`; and the indices."""
    a = input._a
    if not a.ndim:
        op = Op(name, np.positive)
        return record(op, a.copy(), (input,)), wrap(np.zeros((), np.int64))
    values = np.take_along_axis(a, indices, over)
    if keepdim:
        return record(_ops(name, _chosen), values, (input, indices, over)), wrap(indices)
    return (record(_ops(name, _chosen_one), np.squeeze(values, over), (input, indices, over)),
            wrap(np.squeeze(indices, over)))


_made: dict[Any, Op] = {}


def _ops(name: str, like: Op) -> Op:
    """An operation of another name with the same rule."""
    key = name, like
    if key not in _made:
        _made[key] = Op(name, like.primal, rule=lambda: like.rule)
    return _made[key]


def _check_ordered(name: str, a: np.ndarray, refused: str) -> None:
    if a.dtype.kind in refused:
        kind = "complex" if a.dtype.kind == "c" else "bool"
        raise RuntimeError(f"{name}(): does not support {kind} input")


def _extremum(name: str, ufunc: Any, argfunction: Any, pairwise: str) -> None:
    kind = name.capitalize()
    whole = Op(f"{kind}Backward1", getattr(np, name))
    result = result_of(name)

    @numpy_names
    def extremum(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            return FUNCTIONS[pairwise](input, dim if other is None else other)
        a = input._a
        _check_ordered(name, a, "c")
        if dim is None:
            if not a.size:
                raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                                   "the reduction dim with the 'dim' argument.")
            return record(whole, ufunc.reduce(a, axis=None), (input, None, False))
        over = axis(dim, a.ndim)
        indices = np.expand_dims(argfunction(a, over), over) if a.ndim else None
        return result(*take_chosen(input, f"{kind}Backward0", indices, over, keepdim))
    function(extremum, name)

    amount = Op(f"A{name}Backward0", getattr(np, name))

    @numpy_names
    def several(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        over = axes(dim if dim != () else None, input._a.ndim)
        return record(amount, ufunc.reduce(input._a, axis=over, keepdims=keepdim), (input, over, keepdim))
    function(several, f"a{name}")


_extremum("max", np.maximum, np.argmax, "maximum")
_extremum("min", np.minimum, np.argmin, "minimum")


@function
@numpy_names
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element."""
    found = [FUNCTIONS[f](input, () if dim is None else dim, keepdim) for f in ("amin", "amax")]
    return result_of("aminmax", "min", "max")(*found)


def _index(argfunction: Any) -> Any:
    @numpy_names
    def found(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        a = input._a
        _check_ordered(argfunction.__name__, a, "bc")
        if dim is None:
            if not a.size:
                raise IndexError(f"{argfunction.__name__}(): Expected reduction dim to be specified for input.numel() "
                                 "== 0. Specify the reduction dim with the 'dim' argument.")
            out = argfunction(a)
            return wrap(np.reshape(out, (1,) * a.ndim) if keepdim else out)
        return wrap(argfunction(a, axis(dim, a.ndim), keepdims=keepdim))
    return found


argmax = function(_index(np.argmax), "argmax")
argmin = function(_index(np.argmin), "argmin")


# ---------------------------------------------------------------- in order

_sorted = result_of("sort")
_topk = result_of("topk")


def order_of(a: np.ndarray, over: int, descending: bool) -> np.ndarray:
    """Indices that sort along a dimension, equal elements in their order."""
    if not descending:
        return np.argsort(a, over, kind="stable")
    turned = np.flip(np.argsort(np.flip(a, over), over, kind="stable"), over)
    return a.shape[over] - 1 - turned


@function
@numpy_names
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The elements in order along a dimension, and where they stood."""
    a = input._a
    over = axis(dim, a.ndim)
    indices = order_of(a, over, descending) if a.ndim else None
    return _sorted(*take_chosen(input, "SortBackward0", indices, over, True))


@function
@numpy_names
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Indices that sort along a dimension."""
    return wrap(order_of(input._a, axis(dim, input._a.ndim), descending))


@function
@numpy_names
def msort(input: Tensor) -> Tensor:
    """The rows in order."""
    found: Tensor = sort(input, 0).values
    return found


@function
@numpy_names
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest elements along a dimension, and where they stand."""
    a = input._a
    over = axis(dim, a.ndim)
    if not 0 <= k <= (a.shape[over] if a.ndim else 1):
        raise RuntimeError("selected index k out of range")
    indices = np.take(order_of(a, over, largest), range(k), over)
    return _topk(*take_chosen(input, "TopkBackward0", indices, over, True))


@function
@numpy_names
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along a dimension, and where it stands."""
    over = axis(dim, input._a.ndim)
    if not 1 <= k <= (input._a.shape[over] if input._a.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {over}")
    indices = np.take(order_of(input._a, over, False), [k - 1], over)
    return result_of("kthvalue")(*take_chosen(input, "KthvalueBackward0", indices, over, keepdim))


@function
@numpy_names
def median(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The middle element, the lower one of two; along a dimension also where it stands."""
    a = input._a
    if dim is None:
        return record(_median, np.sort(a, None)[(a.size - 1) // 2], (input,))
    over = axis(dim, a.ndim)
    indices = np.take(order_of(a, over, False), [(a.shape[over] - 1) // 2], over)
    return result_of("median")(*take_chosen(input, "MedianBackward0", indices, over, keepdim))


@operation("MedianBackward0")
def _median(out_bar: Any, out: Any, a: Any) -> Any:
    hits = np.equal(a, out)
    a_bar = out_bar * hits / np.sum(hits)
    return a_bar


@function
@numpy_names
def cummax(input: Tensor, dim: int) -> Any:
    """The largest element up to each, and where it stands."""
    return _cumulated("cummax", np.maximum, np.greater_equal, input, dim)


@function
@numpy_names
def cummin(input: Tensor, dim: int) -> Any:
    """The smallest element up to each, and where it stands."""
    return _cumulated("cummin", np.minimum, np.less_equal, input, dim)


def _cumulated(name: str, ufunc: Any, reached: Any, input: Tensor, dim: int) -> Any:
    a = input._a
    over = axis(dim, a.ndim)
    best = ufunc.accumulate(a, over)
    steps = np.arange(a.shape[over]).reshape([-1 if i == over else 1 for i in range(a.ndim)])
    indices = np.maximum.accumulate(np.where(reached(a, best), steps, 0), over)
    return result_of(name)(*take_chosen(input, f"{name.capitalize()}Backward0", indices, over, True))


@function
def unique(input: Tensor, sorted: bool = True, return_inverse: Any = False, return_counts: Any = False,
           dim: Any = None) -> Any:
    """The distinct elements, in order."""
    found: Any = np.unique(input._a, return_inverse=return_inverse, return_counts=return_counts, axis=dim)
    return tuple(map(wrap, found)) if isinstance(found, tuple) else wrap(found)


@function
def searchsorted(input: Tensor, values: Any, *, right: bool = False) -> Tensor:
    """Where values would stand in an ordered sequence."""
    return wrap(np.searchsorted(input._a, getattr(values, "_a", values), "right" if right else "left"))


@function
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that aren't zero, one in a row."""
    found = np.nonzero(np.atleast_1d(input._a))
    if as_tuple:
        return tuple(map(wrap, found))
    return wrap(np.stack(found, 1) if input._a.ndim else np.zeros((len(found[0]), 0), np.int64))


@function
def quantile(input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *,
             interpolation: str = "linear") -> Tensor:
    """Quantiles, interpolated between the two nearest elements; of several, along a first dimension."""
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
                           f"got {interpolation}")
    if isinstance(q, Tensor) and q._a.ndim:
        return FUNCTIONS["stack"]([quantile(input, part, dim, keepdim, interpolation=interpolation)
                                   for part in q.tolist()])
    if not 0 <= float(q) <= 1:
        raise RuntimeError("quantile() q must be in the range [0, 1] but got " + str(float(q)))
    x = input.flatten() if dim is None else input
    over = 0 if dim is None else axis(dim, input._a.ndim)
    values = sort(x, over).values
    position = float(q) * (x._a.shape[over] - 1)
    low = int(np.floor(position))
    part = position - low
    part = {"lower": 0.0, "higher": float(part > 0), "midpoint": 0.5 * (part > 0),
            "nearest": np.round(position) - low}.get(interpolation, part)
    first, second = (values.narrow(over, min(i, x._a.shape[over] - 1), 1) for i in (low, low + 1))
    found = first + (second - first) * part
    return found if keepdim else found.squeeze(over)


def _numpy_extremum(name: str) -> Any:
    return lambda a, axis=None, keepdims=False: FUNCTIONS[name](a, () if axis is None else axis, keepdims)


TORCH[np.max], TORCH[np.min] = _numpy_extremum("amax"), _numpy_extremum("amin")
TORCH[np.amax], TORCH[np.amin] = TORCH[np.max], TORCH[np.min]

__all__ = ["argmax", "argmin", "order_of", "result_of", "sort", "take_chosen"]
