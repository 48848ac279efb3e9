"""scipy.integrate: integrals of samples."""
from __future__ import annotations

import numpy as np
from scipy import integrate

from srcgrad.library.registry import equivalent


@equivalent(integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@equivalent(integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    y = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        steps = dx
    else:
        steps = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    sums = np.cumsum(0.5 * steps * (y[..., 1:] + y[..., :-1]), axis=-1)
    if initial is not None:
        sums = np.concatenate((np.full(y.shape[:-1] + (1,), float(initial)), sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


@equivalent(integrate.simpson)
def simpson(y, x=None, dx=1.0, axis=-1):
    """Pairs of intervals by parabolas; where the last interval has no partner, by the parabola through three points."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    n = y.shape[-1]
    if x is None:
        h = np.ones(n - 1) * dx
    else:
        h = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    last = n - 1 if n % 2 else n - 2
    h0, h1 = h[..., 0:last:2], h[..., 1:last:2]
    a, b, c = y[..., 0:last - 1:2], y[..., 1:last:2], y[..., 2:last + 1:2]
    both = h0 + h1
    total = np.sum(both / 6.0 * (a * (2.0 - h1 / h0) + b * both ** 2 / (h0 * h1) + c * (2.0 - h0 / h1)), axis=-1)
    if n == 2:
        return 0.5 * h[..., 0] * (y[..., 0] + y[..., 1])
    if n % 2 == 0:
        g, f = h[..., -2], h[..., -1]
        total = total + y[..., -1] * (2.0 * f ** 2 + 3.0 * g * f) / (6.0 * (g + f)) \
            + y[..., -2] * (f ** 2 + 3.0 * g * f) / (6.0 * g) - y[..., -3] * f ** 3 / (6.0 * g * (g + f))
    return total
