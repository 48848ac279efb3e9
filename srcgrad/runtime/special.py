"""Parts of the derivatives of scipy.special's functions that need a choice; NumPy alone."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.arrays import expand_reduced, unbroadcast

__all__ = ["bessel_quotient", "digamma", "logsumexp_a", "logsumexp_b", "scale_to_zero"]


def digamma(x: Any) -> Any:
    """The derivative of the logarithm of the gamma function at a number.

    >>> [round(float(digamma(x)), 12) for x in (1.0, 0.5, -1.5)]
    [-0.577215664902, -1.963510026021, 0.703156640645]
    """
    if x < 0.0:
        return digamma(1.0 - x) - np.pi / np.tan(np.pi * x)
    total = 0.0
    while x < 10.0:
        total -= 1.0 / x
        x = x + 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return total + np.log(x) - 0.5 / x - series


def scale_to_zero(x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0.

    >>> scale_to_zero(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    array([0. , 0.5])
    """
    zero = np.equal(x, 0)
    return np.where(zero, 0.0, x / np.where(zero, 1.0, y))[()]


def bessel_quotient(out: Any, x: Any) -> Any:
    """J1(x) / x or I1(x) / x, which is 1/2 at 0."""
    zero = np.equal(x, 0)
    return np.where(zero, 0.5, out / np.where(zero, 1.0, x))[()]


def logsumexp_a(g: Any, out: Any, a: Any, axis: Any, b: Any, keepdims: bool) -> Any:
    """The adjoint of `a` in out = log(sum(b * exp(a))): each term's share of the sum."""
    weights = _shares(g, out, a, axis, b, keepdims)
    return unbroadcast(weights if b is None else weights * b, np.shape(a))


def logsumexp_b(g: Any, out: Any, a: Any, axis: Any, b: Any, keepdims: bool) -> Any:
    """The adjoint of `b` in out = log(sum(b * exp(a))); None where there is none."""
    return None if b is None else unbroadcast(_shares(g, out, a, axis, b, keepdims), np.shape(b))


def _shares(g: Any, out: Any, a: Any, axis: Any, b: Any, keepdims: bool) -> Any:
    shape = np.shape(a) if b is None else np.broadcast_shapes(np.shape(a), np.shape(b))
    total = expand_reduced(out, shape, axis, keepdims)
    # where the sum is 0 or infinite no term has a share
    partial = np.where(np.isfinite(total), np.exp(a - np.where(np.isfinite(total), total, 0.0)), 0.0)
    return expand_reduced(g, shape, axis, keepdims) * partial
