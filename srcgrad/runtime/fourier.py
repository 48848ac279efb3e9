"""Transposes of discrete Fourier transforms along one axis, whose input is cut or padded with zeros to n."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["dft_transpose", "irfft_adjoint", "rfft_transpose"]


def dft_transpose(transform: Callable[..., Any], g: Any, shape: Sequence[int], axis: int, norm: Any) -> Any:
    """The transpose of `transform` (np.fft.fft or ifft): its matrix is symmetric, and what was cut off gets zero.

    >>> dft_transpose(np.fft.fft, np.array([1.0, 0.0]), (3,), -1, None).real.tolist()
    [1.0, 1.0, 0.0]
    """
    return _fitted(transform(g, None, axis, norm), shape[axis], axis)


def rfft_transpose(g: Any, shape: Sequence[int], n: int | None, axis: int, norm: Any) -> Any:
    """The transpose of np.fft.rfft as a map to complex numbers: the first half of the rows of the full transform."""
    length = shape[axis] if n is None else n
    return _fitted(np.fft.fft(_fitted(np.asarray(g), length, axis), None, axis, norm), shape[axis], axis)


def irfft_adjoint(g: Any, shape: Sequence[int], axis: int, norm: Any) -> Any:
    """dL/dRe + i dL/dIm of the input of np.fft.irfft: each entry between the first and the middle one stands for two,
    and the imaginary parts of these two aren't read.

    >>> irfft_adjoint(np.array([1.0, 0.0, 0.0, 0.0]), (3,), -1, None).real.tolist()
    [0.25, 0.5, 0.25]
    """
    n = np.shape(g)[axis]
    scale = {None: 1.0 / n, "backward": 1.0 / n, "ortho": 1.0 / np.sqrt(n), "forward": 1.0}[norm]
    half = np.fft.rfft(g, None, axis)
    weights = np.full(n // 2 + 1, 2.0 * scale, half.real.dtype)
    weights[0] = scale
    if n % 2 == 0:
        weights[-1] = scale
    along = [1] * half.ndim
    along[axis] = -1
    return _fitted(half * weights.reshape(along), shape[axis], axis)


def _fitted(g: Any, n: int, axis: int) -> Any:
    """Cut or padded with zeros to n along the axis."""
    length = g.shape[axis]
    if length == n:
        return g
    if length > n:
        return np.take(g, np.arange(n), axis)
    widths = [(0, 0)] * g.ndim
    widths[axis] = (0, n - length)
    return np.pad(g, widths)
