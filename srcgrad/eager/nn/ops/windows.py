"""Windows that slide over the last axes of an array, and what is made of them.

Sizes are tuples with one entry per axis that the windows slide over; `places` is how many windows there are.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.op import operation
from srcgrad.eager.protocols import helper

Array = Any
Sizes = tuple[int, ...]
Margins = tuple[tuple[int, int], ...]


def margined(x: Array, margins: Margins, value: float = 0.0) -> Array:
    """The array with margins around its last axes; negative margins cut."""
    lead = x.ndim - len(margins)
    wide = np.pad(x, ((0, 0),) * lead + tuple((max(a, 0), max(b, 0)) for a, b in margins), constant_values=value)
    kept: Any = (..., *(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(margins, wide.shape[lead:])))
    return wide[kept]


def sliding(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes, places: Sizes) -> Array:
    """A view of all windows: the leading axes of `x`, the places, and the elements of a window."""
    lead = x.ndim - len(kernel)
    last = x.strides[lead:]
    return np.lib.stride_tricks.as_strided(
        x, (*x.shape[:lead], *places, *kernel),
        (*x.strides[:lead], *(s * n for s, n in zip(last, stride)), *(s * n for s, n in zip(last, dilation))),
        writeable=False)


def at(element: Sizes, stride: Sizes, dilation: Sizes, places: Sizes) -> Any:
    """The index of one element of all windows."""
    starts = [e * d for e, d in zip(element, dilation)]
    return (..., *(slice(a, a + s * (n - 1) + 1 if n else a, s) for a, s, n in zip(starts, stride, places)))


def inner(x: Array, margins: Margins) -> Array:
    """Without its margins: the transpose of `margined`."""
    return margined(x, tuple((-a, -b) for a, b in margins))


# ---------------------------------------------------------------- means

def mean_of_windows(x: Array, kernel: Sizes, stride: Sizes, margins: Margins, places: Sizes, shares: Array) -> Array:
    """The sums of windows times their shares."""
    wide = margined(x, margins)
    ones = (1,) * len(kernel)
    total = sum(wide[at(element, stride, ones, places)] for element in np.ndindex(*kernel))
    return total * shares


def mean_of_windows_adjoint(g: Array, kernel: Sizes, stride: Sizes, margins: Margins, size: Sizes,
                            shares: Array) -> Array:
    """The transpose: every element gets its shares of the windows that it lies in."""
    axes, ones = len(kernel), (1,) * len(kernel)
    wide = np.zeros((*g.shape[:-axes], *(n + a + b for n, (a, b) in zip(size, margins))), g.dtype)
    share = g * shares
    for element in np.ndindex(*kernel):
        wide[at(element, stride, ones, g.shape[-axes:])] += share
    return inner(wide, margins)


@operation("AvgPool2DBackward0", mean_of_windows)
def avg_pool(out_bar, out, x, kernel, stride, margins, places, shares):
    x_bar = mean_of_windows_adjoint(out_bar, kernel, stride, margins, np.shape(x)[-len(kernel):], shares)
    return x_bar


@operation("AvgPool2DBackwardBackward0", mean_of_windows_adjoint)
def _avg_pool_adjoint(out_bar, out, g, kernel, stride, margins, size, shares):
    g_bar = mean_of_windows(out_bar, kernel, stride, margins, np.shape(g)[-len(kernel):], shares)
    return g_bar


# ---------------------------------------------------------------- margins

def _padded(x: Array, margins: Margins, value: float) -> Array:
    return margined(x, margins, value)


@operation("ConstantPadNdBackward0", _padded)
def pad(out_bar, out, x, margins, value):
    x_bar = inner(out_bar, margins)
    return x_bar


@operation("ConstantPadNdBackward0", inner)
def _inner_rule(out_bar, out, x, margins):
    x_bar = margined(out_bar, margins)
    return x_bar


@operation("ConstantPadNdBackward0", margined)
def _margined_rule(out_bar, out, x, margins, value=0.0):
    x_bar = inner(out_bar, margins)
    return x_bar


helper(mean_of_windows, avg_pool)
helper(mean_of_windows_adjoint, _avg_pool_adjoint)
helper(inner, _inner_rule)
helper(margined, _margined_rule)


# ---------------------------------------------------------------- windows as columns

def columns(x: Array, kernel: Sizes, sizes: Any) -> Array:
    """All windows of (batch, channels, ...) as (batch, channels * kernel, places)."""
    stride, margins, dilation, _ = sizes
    wide = margined(x, margins)
    places = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(wide.shape[2:], kernel, stride, dilation))
    seen = sliding(wide, kernel, stride, dilation, places)
    axes = len(kernel)
    order = (0, 1, *range(2 + axes, 2 + 2 * axes), *range(2, 2 + axes))
    return seen.transpose(order).reshape(x.shape[0], x.shape[1] * math.prod(kernel), math.prod(places))


def columns_adjoint(g: Array, kernel: Sizes, sizes: Any, shape: Sizes) -> Array:
    """The transpose: what lies in several windows is added up in an array of that shape."""
    stride, margins, dilation, _ = sizes
    size = tuple(n + a + b for n, (a, b) in zip(shape[2:], margins))
    places = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation))
    split = g.reshape(*shape[:2], *kernel, *places)
    wide = np.zeros((*shape[:2], *size), g.dtype)
    for element in np.ndindex(*kernel):
        wide[at(element, stride, dilation, places)] += split[(slice(None), slice(None), *element)]
    return inner(wide, margins)


@operation("Im2ColBackward0", columns)
def unfold(out_bar, out, x, kernel, sizes):
    x_bar = columns_adjoint(out_bar, kernel, sizes, np.shape(x))
    return x_bar


@operation("Col2ImBackward0", columns_adjoint)
def fold(out_bar, out, g, kernel, sizes, shape):
    g_bar = columns(out_bar, kernel, sizes)
    return g_bar


helper(columns, unfold)
helper(columns_adjoint, fold)
