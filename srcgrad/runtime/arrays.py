"""Helpers that generated code may call: shapes, broadcasting, casts and partial derivatives of elementwise functions.

They take Python numbers, NumPy scalars and arrays alike and keep single precision.  What only a shape is needed of is
passed as a shape, so that generated code need not keep the array.  Results may be read-only or share memory with an
argument; whoever writes into them copies first.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError

Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None


# ---------------------------------------------------------------- shapes and broadcasting

def unbroadcast(g: Any, shape: Shape) -> Any:
    """`g` summed over the dimensions along which an array of `shape` was repeated; a scalar for shape ().

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), (2, 1)).shape
    (2, 1)

    Of what is written into an array, NumPy drops leading dimensions of length 1:

    >>> unbroadcast(np.ones(3), (1, 3))
    array([[1., 1., 1.]])
    """
    given = np.shape(g)
    if given == shape:
        return g if shape or not isinstance(g, np.ndarray) else g[()]
    lead = len(given) - len(shape)
    if lead < 0:
        return np.reshape(unbroadcast(g, shape[-lead:]), shape)
    repeated = (i + lead for i, n in enumerate(shape) if n == 1 and given[i + lead] != 1)
    total = np.sum(g, axis=(*range(lead), *repeated))
    try:
        return np.reshape(total, shape) if shape else total
    except ValueError:
        raise ValueError(f"operands could not be broadcast together: one of shape {shape}, where the result has shape "
                         f"{given}") from None


def unbroadcast_like(g: Any, x: Any) -> Any:
    """`g` summed to the shape of `x`, of which only running tells that it's a number or an array.

    >>> unbroadcast_like(np.ones(3), 2.0)
    np.float64(3.0)
    """
    if isinstance(x, (list, tuple)):
        raise UnsupportedError(f"a {type(x).__name__} is joined or repeated where it isn't known to be one",
                               remedy="Call the function that makes it where its text can be read, or loop and append.")
    return unbroadcast(g, np.shape(x))


def expand_reduced(g: Any, shape: Shape, axis: Axis, keepdims: bool) -> Any:
    """The result of a reduction of an array of `shape` repeated over that array (a read-only view).

    >>> expand_reduced(np.array([1.0, 2.0]), (2, 3), 1, False)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    if shape == ():
        return g
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, shape)


def reduced_size(shape: Shape, axis: Axis) -> int:
    """How many elements of an array of `shape` a reduction over `axis` takes together, and at least 1.

    >>> reduced_size((2, 3, 4), (0, -1))
    8
    """
    return max(1, math.prod(shape[i] for i in axes_of(axis, len(shape))))


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """The axes that NumPy's `axis` argument means, counted from 0; all for None, and none for a scalar."""
    if axis is None or ndim == 0:
        return tuple(range(ndim))
    return tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))


def shapes(arrays: Sequence[Any]) -> list[Shape]:
    """The shapes of the members of a sequence (of an array: of its items)."""
    return [np.shape(a) for a in arrays]


# ---------------------------------------------------------------- types

def cast(g: Any, dtype: Any) -> Any:
    """`g` as an adjoint of something of type `dtype`: floating, with the real part taken for a real type.

    >>> cast(np.array([1.0 + 2.0j]), np.float32)
    array([1.], dtype=float32)
    >>> cast(1, np.int64)
    np.float64(1.0)
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
    if dtype.kind == "f" and np.iscomplexobj(g):
        g = np.real(g)
    return g.astype(dtype, copy=False) if isinstance(g, np.ndarray) else dtype.type(g)


def as_kind_of(g: Any, x: Any) -> Any:
    """`g` as an adjoint of `x`: its real part where `x` is real.  Of sequences: each of its own.

    >>> as_kind_of(1.0 + 2.0j, 3.0), as_kind_of(1.0 + 2.0j, 3.0j)
    (1.0, (1+2j))
    """
    if isinstance(x, (list, tuple)):
        return [as_kind_of(bar, item) for bar, item in zip(g, x, strict=True)]
    return np.real(g) if np.iscomplexobj(g) and not np.iscomplexobj(x) else g


def conjugated(g: Any) -> Any:
    """The conjugate of a number, an array, or each member of a list of them; None stays None."""
    if isinstance(g, (list, tuple)):
        return [conjugated(bar) for bar in g]
    return None if g is None else np.conj(g)


def cast_adjoint(g: Any, dtype: Any) -> Any:
    """The adjoint of what was cast to `dtype`: zero where that is a type of integers or bools."""
    return g if np.dtype(dtype).kind in "fc" else np.zeros(np.shape(g))[()]


def floating(*values: Any) -> np.dtype:
    """The type of a result of all these, and at least floating.

    >>> floating(np.float32(1.0), 2.0), floating(1, 2)
    (dtype('float32'), dtype('float64'))
    """
    dtype = np.result_type(*values)
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


# ---------------------------------------------------------------- partial derivatives, elementwise

def one_if_zero(x: Any) -> Any:
    """`x` with 1 where it is 0: a denominator for a numerator that is 0 there as well."""
    return np.where(x == 0, 1, x)


def power_base_partial(x1: Any, x2: Any) -> Any:
    """d(x1 ** x2) / dx1, which is 0 for x2 == 0 whatever x1.

    >>> power_base_partial(3.0, 2)
    np.float64(6.0)
    """
    if np.ndim(x2) == 0:
        return x2 * np.power(x1, x2 - 1.0) if x2 != 0 else 0.0
    return x2 * np.power(x1, np.where(x2 == 0, 0.0, x2 - 1.0))


def power_exponent_partial(out: Any, x1: Any) -> Any:
    """d(x1 ** x2) / dx2 where out = x1 ** x2; 0 where x1 is 0 and out finite, which is the limit."""
    return out * np.log(np.where((x1 == 0) & np.isfinite(out), 1, x1)).astype(floating(out))


def sinc_partial(out: Any, x: Any) -> Any:
    """d sinc(x) / dx where out = sinc(x); by its series near 0, where the closed form cancels."""
    near = np.abs(x) < 0.01
    far = (np.cos(math.pi * x) - out) / np.where(near, 1, x)
    p = math.pi * math.pi
    return np.where(near, p * x * (-1 / 3 + p * x * x * (1 / 30 - p * x * x / 840)), far)


def larger_share(x1: Any, x2: Any) -> Any:
    """How much of maximum(x1, x2) is x1: 1 where it is larger, 0.5 where both are equal, 0 elsewhere.

    >>> larger_share(np.array([1.0, 2.0, 3.0]), 2.0)
    array([0. , 0.5, 1. ])
    """
    share = np.where(x1 == x2, 0.5, np.greater(x1, x2))
    return share.astype(floating(x1, x2))


def chosen_share(x1: Any, x2: Any, out: Any) -> Any:
    """How much of `out`, which is x1 or x2 and never a NaN if one of them isn't, is x1."""
    share = np.where(x1 == x2, 0.5, np.equal(x1, out))
    return share.astype(floating(x1, x2))


def angle_adjoint(g: Any, z: Any, deg: bool) -> Any:
    """The adjoint of `z` in np.angle(z, deg), as a derivative by real and imaginary part; 0 at 0."""
    unit = 180.0 / math.pi if deg else 1.0
    return g * (1j * unit) * z / one_if_zero(np.real(z * np.conj(z)))


# ---------------------------------------------------------------- clip

def within(a: Any, a_min: Any, a_max: Any) -> Any:
    """Where clip(a, a_min, a_max) is `a` itself, bounds included; a bound of None doesn't bound."""
    above = True if a_min is None else np.greater_equal(a, a_min)
    below = True if a_max is None else np.less_equal(a, a_max)
    return above & below


def clipped_below(a: Any, a_min: Any, a_max: Any) -> Any:
    """Where clip(a, a_min, a_max) is a_min, and `a` is not."""
    return np.less(a, a_min) & (True if a_max is None else np.less_equal(a_min, a_max))


def clipped_above(a: Any, a_min: Any, a_max: Any) -> Any:
    """Where clip(a, a_min, a_max) is a_max, and `a` is not; an upper bound below the lower one wins."""
    return np.greater(a if a_min is None else np.maximum(a, a_min), a_max)
