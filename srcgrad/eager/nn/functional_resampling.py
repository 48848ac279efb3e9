"""Images of another size: interpolation, and pixels traded for channels."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.nn.functional_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap

_AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
                antialias: bool = False) -> Tensor:
    """(batch, channels, ...) in another size: each axis by a matrix of its own, or by picking elements.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.interpolate(torch.arange(4.0).view(1, 1, 4), scale_factor=2)
    tensor([[[0., 0., 1., 1., 2., 2., 3., 3.]]])
    """
    axes = input.dim() - 2
    _check(axes, mode, align_corners, antialias)
    old = tuple(input.shape[2:])
    new, scales = _sizes(old, size, scale_factor)
    if recompute_scale_factor:
        scales = [None] * axes
    if mode == "area":
        return adaptive_avg_pool1d(input, new[0]) if axes == 1 else adaptive_avg_pool2d(input, new)
    for axis, (n, m, scale) in enumerate(zip(old, new, scales), start=2):
        ratio = n / m if scale is None else 1 / scale
        if mode in ("nearest", "nearest-exact"):
            shift = 0.5 if mode == "nearest-exact" else 0.0
            places = np.minimum(((np.arange(m) + shift) * ratio).astype(np.int64), n - 1)
            input = input.index_select(axis, wrap(places))
        else:
            matrix = wrap(_matrix(n, m, ratio, mode == "bicubic", bool(align_corners)).astype(input._a.dtype))
            moved = input.movedim(axis, -1) @ matrix.t()
            input = moved.movedim(-1, axis)
    return input


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:
    """The same as `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def _check(axes: int, mode: str, align_corners: bool | None, antialias: bool) -> None:
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    elif mode not in _AXES:
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {axes + 2}D) for the "
                                  "modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got"
                                  f" {mode})")
    elif _AXES[mode] != axes:
        raise NotImplementedError(f"Got {axes + 2}D input, but {mode} mode needs {_AXES[mode] + 2}D input")
    if antialias:
        raise NotImplementedError("interpolate(): antialias=True isn't there: smooth with avg_pool2d before")


def _sizes(old: tuple[int, ...], size: Any, scale_factor: Any) -> tuple[tuple[int, ...], list[float | None]]:
    """The new size, and the factors where they were given."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    given = scale_factor if size is None else size
    if given is None:
        raise ValueError("either size or scale_factor should be defined")
    parts = list(given) if isinstance(given, Sequence) else [given] * len(old)
    if len(parts) != len(old):
        raise ValueError("Input and output must have the same number of spatial dimensions, but got input with spatial "
                         f"dimensions of {list(old)} and output size of {given}.")
    if size is not None:
        return tuple(int(n) for n in parts), [None] * len(old)
    return tuple(math.floor(n * s) for n, s in zip(old, parts)), [float(s) for s in parts]


def _matrix(n: int, m: int, ratio: float, cubic: bool, align: bool) -> np.ndarray:
    """What each of the m new elements takes of the n old ones."""
    k = np.arange(m)
    places = k * ((n - 1) / (m - 1) if m > 1 else 0.0) if align else (k + 0.5) * ratio - 0.5
    if not cubic:
        places = np.maximum(places, 0.0)
    first = np.floor(places).astype(int)
    part = places - first
    found = np.zeros((m, n))
    shares = {0: 1 - part, 1: part} if not cubic else {
        d: _cubic(np.abs(part - d)) for d in (-1, 0, 1, 2)}
    for d, share in shares.items():
        np.add.at(found, (k, np.clip(first + d, 0, n - 1)), share)
    return found


def _cubic(x: np.ndarray) -> np.ndarray:
    """The convolution kernel of cubic interpolation, with slope -0.75."""
    a = -0.75
    near = (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1
    far = a * (x ** 3 - 5 * x ** 2 + 8 * x - 4)
    return np.where(x <= 1, near, far)


# ---------------------------------------------------------------- pixels and channels

def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(..., channels * r * r, height, width) as (..., channels, height * r, width * r)."""
    r = upscale_factor
    *lead, channels, height, width = input.shape
    if channels % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}")
    split = input.reshape(*lead, channels // (r * r), r, r, height, width)
    n = len(lead)
    turned = split.permute(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return turned.reshape(*lead, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(..., channels, height * r, width * r) as (..., channels * r * r, height, width)."""
    r = downscale_factor
    *lead, channels, height, width = input.shape
    split = input.reshape(*lead, channels, height // r, r, width // r, r)
    n = len(lead)
    turned = split.permute(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return turned.reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of several groups, one of each group in turn."""
    batch, channels, *rest = input.shape
    split = input.reshape(batch, groups, channels // groups, *rest)
    return split.transpose(1, 2).reshape(batch, channels, *rest)
