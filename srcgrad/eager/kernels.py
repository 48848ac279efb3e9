"""Functions of arrays that torch has and NumPy hasn't."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["erf", "erfinv", "sigmoid"]


def sigmoid(a: np.ndarray) -> Any:
    """1 / (1 + exp(-a)), without overflow on either side."""
    if a.dtype.kind == "c":
        return 1 / (1 + np.exp(-a))
    small = np.exp(-np.abs(a))
    return np.where(a >= 0, 1, small) / (1 + small)


def erf(a: np.ndarray) -> Any:
    """The error function.

    >>> float(erf(np.array(1.0)))
    0.8427007929497149
    """
    return np.asarray(_erf(a)).astype(a.dtype)


_erf = np.frompyfunc(math.erf, 1, 1)


def erfinv(a: np.ndarray) -> Any:
    """The inverse of the error function, by Newton's method from Winitzki's approximation."""
    x = a.astype(np.float64)
    log = np.log(np.maximum(1 - x * x, np.finfo(float).tiny))
    first = 2 / (np.pi * 0.147) + log / 2
    y = np.sign(x) * np.sqrt(np.sqrt(first * first - log / 0.147) - first)
    for _ in range(3):
        y = y - (erf(y) - x) / (2 / np.sqrt(np.pi) * np.exp(-y * y))
    y = np.where(np.abs(x) == 1, np.inf * x, np.where(np.abs(x) > 1, np.nan, y))
    return y.astype(a.dtype)
