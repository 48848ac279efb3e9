"""Convolution.  It is linear in the input and in the weight; three maps are each other's transposes.

With `<g, convolve(x, w)>` linear in all three of g, x and w, `convolve` is its derivative by g, `convolve_input` by x
and `convolve_weight` by w; so each one's rule consists of the other two.  `sizes` is (stride, padding, dilation,
groups), the padding being (before, after) per axis.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.nn.ops.windows import at, inner, margined, sliding
from srcgrad.eager.op import operation
from srcgrad.eager.protocols import helper

Array = Any
Shape = tuple[int, ...]
Sizes = tuple[Any, Any, Any, int]


def places(size: Shape, kernel: Shape, sizes: Sizes) -> Shape:
    """How many windows there are along each axis."""
    stride, padding, dilation, _ = sizes
    return tuple((n + sum(p) - d * (k - 1) - 1) // s + 1
                 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation))


def _columns(x: Array, kernel: Shape, sizes: Sizes) -> Array:
    """All windows as a matrix per group: (groups, channels * kernel, batch * places)."""
    stride, padding, dilation, groups = sizes
    axes = len(kernel)
    found = sliding(margined(x, padding), kernel, stride, dilation, places(x.shape[2:], kernel, sizes))
    batch, channels = x.shape[:2]
    found = found.reshape(batch, groups, channels // groups, *found.shape[2:])
    order = (1, 2, *range(3 + axes, 3 + 2 * axes), 0, *range(3, 3 + axes))
    spots = batch * math.prod(found.shape[3:3 + axes])
    return found.transpose(order).reshape(groups, channels // groups * math.prod(kernel), spots)


def _by_group(g: Array, groups: int) -> Array:
    """(batch, channels, places) as (groups, channels of a group, batch * places)"""
    channels, spots = g.shape[1] // groups, math.prod(g.shape[2:])
    split = g.reshape(g.shape[0], groups, channels, spots)
    return split.transpose(1, 2, 0, 3).reshape(groups, channels, g.shape[0] * spots)


def convolve(x: Array, w: Array, sizes: Sizes) -> Array:
    """The cross-correlation of (batch, channels, ...) with (out channels, channels of a group, kernel)."""
    groups, kernel = sizes[3], w.shape[2:]
    out = w.reshape(groups, w.shape[0] // groups, -1) @ _columns(x, kernel, sizes)
    spots = places(x.shape[2:], kernel, sizes)
    out = out.reshape(groups, w.shape[0] // groups, x.shape[0], math.prod(spots)).transpose(2, 0, 1, 3)
    return out.reshape(x.shape[0], w.shape[0], *spots)


def convolve_input(g: Array, w: Array, shape: Shape, sizes: Sizes) -> Array:
    """The transpose by the input, which has that shape."""
    stride, padding, dilation, groups = sizes
    kernel, spots = w.shape[2:], g.shape[2:]
    columns = np.swapaxes(w.reshape(groups, w.shape[0] // groups, -1), 1, 2) @ _by_group(g, groups)
    columns = columns.reshape(groups, w.shape[1], *kernel, g.shape[0], *spots)
    size = tuple(n + sum(p) for n, p in zip(shape[2:], padding))
    wide = np.zeros((groups, w.shape[1], shape[0], *size), columns.dtype)
    for element in np.ndindex(*kernel):
        wide[at(element, stride, dilation, spots)] += columns[(slice(None), slice(None), *element)]
    moved = np.moveaxis(wide, 2, 0).reshape(shape[0], shape[1], *size)
    return inner(moved, padding)


def convolve_weight(g: Array, x: Array, shape: Shape, sizes: Sizes) -> Array:
    """The transpose by the weight, which has that shape."""
    groups = sizes[3]
    columns = _columns(x, shape[2:], sizes)
    return (_by_group(g, groups) @ np.swapaxes(columns, 1, 2)).reshape(shape)


def _convolution(input: Array, weight: Array, bias: Array | None, sizes: Sizes) -> Array:
    out = convolve(input, weight, sizes)
    return out if bias is None else out + bias.reshape(-1, *(1,) * (out.ndim - 2))


@operation("ConvolutionBackward0", _convolution)
def convolution(out_bar, out, input, weight, bias, sizes):
    input_bar = convolve_input(out_bar, weight, np.shape(input), sizes)
    weight_bar = convolve_weight(out_bar, input, np.shape(weight), sizes)
    bias_bar = np.sum(out_bar, axis=(0, *range(2, np.ndim(out))))
    return input_bar, weight_bar, bias_bar


def _transposed(input: Array, weight: Array, bias: Array | None, shape: Shape, sizes: Sizes) -> Array:
    out = convolve_input(input, weight, shape, sizes)
    return out if bias is None else out + bias.reshape(-1, *(1,) * (out.ndim - 2))


@operation("ConvolutionBackward0", _transposed)
def transposed_convolution(out_bar, out, input, weight, bias, shape, sizes):
    input_bar = convolve(out_bar, weight, sizes)
    weight_bar = convolve_weight(input, out_bar, np.shape(weight), sizes)
    bias_bar = np.sum(out_bar, axis=(0, *range(2, np.ndim(out))))
    return input_bar, weight_bar, bias_bar


@operation("ConvolutionBackward0", convolve)
def _convolve(out_bar, out, x, w, sizes):
    x_bar = convolve_input(out_bar, w, np.shape(x), sizes)
    w_bar = convolve_weight(out_bar, x, np.shape(w), sizes)
    return x_bar, w_bar


@operation("ConvolutionBackwardBackward0", convolve_input)
def _convolve_input(out_bar, out, g, w, shape, sizes):
    g_bar = convolve(out_bar, w, sizes)
    w_bar = convolve_weight(g, out_bar, np.shape(w), sizes)
    return g_bar, w_bar


@operation("ConvolutionBackwardBackward0", convolve_weight)
def _convolve_weight(out_bar, out, g, x, shape, sizes):
    g_bar = convolve(x, out_bar, sizes)
    x_bar = convolve_input(g, out_bar, np.shape(x), sizes)
    return g_bar, x_bar


helper(convolve, _convolve)
helper(convolve_input, _convolve_input)
helper(convolve_weight, _convolve_weight)
