"""Maxima and means of windows."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.nn.ops import places as place_ops
from srcgrad.eager.nn.ops import windows as ops
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.sizes import Size, per_axis
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap

Sizes = tuple[int, ...]


def _places(shape: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> Sizes:
    """How many windows fit; with `ceil_mode` also those that begin inside and end outside."""
    found: list[int] = []
    axes = len(kernel)
    for n, k, s, p, d in zip(shape[-axes:], kernel, stride, padding, dilation):
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        found.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    if min(found) <= 0:
        given = (*shape[-axes - 1:-axes], *((1,) if axes == 1 else ()))
        raise RuntimeError(f"Given input size: ({_by((*given, *shape[-axes:]))}). Calculated output size: "
                           f"({_by((*given, *found))}). Output size is too small")
    return tuple(found)


def _by(sizes: Sizes) -> str:
    return "x".join(map(str, sizes))


def _check(what: str, shape: Sizes, kernel: Sizes, padding: Sizes, dilation: int = 1) -> None:
    axes = len(kernel)
    if len(shape) - axes not in (1, 2):
        raise RuntimeError(f"{what}: Expected {axes + 1}D or {axes + 2}D (batch mode) tensor with optional 0 dim batch "
                           f"size for input, but got:{list(shape)}")
    if any(p < 0 or 2 * p > k for k, p in zip(kernel, padding)):
        raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={padding[0]}, "
                           f"kernel_size={kernel[0]} and dilation={dilation}")


def _reach(kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, size: Sizes, places: Sizes) -> Any:
    """Margins that let all windows lie inside."""
    ends = [s * (n - 1) + d * (k - 1) + 1 for n, s, d, k in zip(places, stride, dilation, kernel)]
    return tuple((p, max(0, end - n - p)) for p, n, end in zip(padding, size, ends))


# ---------------------------------------------------------------- maxima

def max_pool1d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The greatest of each window along the last axis; of equals, the first gets the gradient."""
    return _max_pool(input, 1, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The greatest of each window over the last two axes; of equals, the first gets the gradient."""
    return _max_pool(input, 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _max_pool(input: Tensor, axes: int, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size,
              ceil_mode: bool, return_indices: bool) -> Any:
    kernel, margins, wide = per_axis(kernel_size, axes), per_axis(padding, axes), per_axis(dilation, axes)
    steps = kernel if stride is None or stride == [] else per_axis(stride, axes)
    _check(f"max_pool{axes}d", input._a.shape, kernel, margins, wide[0])
    size = input._a.shape[-axes:]
    places = _places(input._a.shape, kernel, steps, margins, wide, ceil_mode)
    around = _reach(kernel, steps, margins, wide, size, places)
    indices = _greatest(input._a, kernel, steps, wide, places, around)
    out = apply(place_ops.max_pool, input, indices, size)
    return (out, wrap(indices)) if return_indices else out


def _greatest(x: np.ndarray, kernel: Sizes, stride: Sizes, dilation: Sizes, places: Sizes, margins: Any) -> np.ndarray:
    """Where the greatest of each window lies, counted along the last axes of `x`: the first, and of NaNs the last."""
    size = x.shape[-len(kernel):]
    numbers = ops.margined(np.arange(math.prod(size)).reshape(size), margins, -1)
    origins = _windows(numbers, kernel, stride, dilation, places)
    seen = _windows(ops.margined(x, margins), kernel, stride, dilation, places)
    lowest = -math.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    seen = np.where(origins < 0, lowest, seen)
    first = np.argmax(seen, axis=-1)
    # a window of nothing but -inf may have found the margin
    first = np.where(np.max(seen, axis=-1) == lowest, np.argmax(origins >= 0, axis=-1), first)
    if x.dtype.kind == "f" and np.isnan(x).any():
        missing = np.isnan(seen)
        last = seen.shape[-1] - 1 - np.argmax(missing[..., ::-1], axis=-1)
        first = np.where(missing.any(axis=-1), last, first)
    grid = np.ogrid[tuple(map(slice, places))]
    return origins[(*grid, first)]


def _windows(x: np.ndarray, kernel: Sizes, stride: Sizes, dilation: Sizes, places: Sizes) -> np.ndarray:
    """All windows, each as a row."""
    seen = ops.sliding(x, kernel, stride, dilation, places)
    return seen.reshape(*seen.shape[:-len(kernel)], math.prod(kernel))


# ---------------------------------------------------------------- means

def avg_pool1d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
               ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """The mean of each window along the last axis."""
    return _avg_pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(input: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
               ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """The mean of each window over the last two axes."""
    return _avg_pool(input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _avg_pool(input: Tensor, axes: int, kernel_size: Size, stride: Size | None, padding: Size, ceil_mode: bool,
              count_include_pad: bool, divisor: int | None) -> Tensor:
    kernel, margins = per_axis(kernel_size, axes), per_axis(padding, axes)
    steps = kernel if stride is None or stride == [] else per_axis(stride, axes)
    _check(f"avg_pool{axes}d", input._a.shape, kernel, margins)
    size = input._a.shape[-axes:]
    places = _places(input._a.shape, kernel, steps, margins, (1,) * axes, ceil_mode)
    around = _reach(kernel, steps, margins, (1,) * axes, size, places)
    counts = np.ones(())
    for n, k, s, p, count in zip(size, kernel, steps, margins, places):
        counts = np.multiply.outer(counts, _counted(n, k, s, p, count, count_include_pad))
    shares = (1.0 / (counts if divisor is None else np.full(counts.shape, divisor))).astype(input._a.dtype)
    return apply(ops.avg_pool, input, kernel, steps, around, places, shares)


def _counted(size: int, kernel: int, stride: int, padding: int, places: int, with_margins: bool) -> np.ndarray:
    """By how many elements each window's sum is divided, along one axis."""
    starts = np.arange(places) * stride - padding
    ends = np.minimum(starts + kernel, size + padding)
    if with_margins:
        return ends - starts
    return np.minimum(ends, size) - np.maximum(starts, 0)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means over as many windows along the last axis as are asked for."""
    return _adaptive(input, per_axis(output_size, 1))


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Means over as many windows in the last two axes as are asked for; None keeps an axis."""
    asked = (output_size,) * 2 if output_size is None or isinstance(output_size, int) else tuple(output_size)
    return _adaptive(input, tuple(n if a is None else a for n, a in zip(input.shape[-2:], asked)))


def _adaptive(input: Tensor, places: Sizes) -> Tensor:
    """A product with one matrix of shares per axis."""
    for back, count in enumerate(reversed(places), start=1):
        size = input.shape[-back]
        starts = np.arange(count) * size // count
        ends = -(-(np.arange(1, count + 1) * size) // count)
        inside = (np.arange(size) >= starts[:, None]) & (np.arange(size) < ends[:, None])
        shares = wrap((inside / (ends - starts)[:, None]).T.astype(input._a.dtype))
        input = (input.transpose(-1, -back) @ shares).transpose(-1, -back) if back > 1 else input @ shares
    return input
