"""Polynomials by their coefficients, the highest power first."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent
from srcgrad.runtime.tensors import stop_gradient


@equivalent(np.polyval)
def polyval(p, x):
    value = np.zeros_like(x)
    for coefficient in p:
        value = value * x + coefficient
    return value


@equivalent(np.polyfit)
def polyfit(x, y, deg, rcond=None, *, w=None):
    powers = np.vander(x, deg + 1)
    if w is not None:
        powers = powers * np.reshape(w, (-1, 1))
        y = y * (w if np.ndim(y) == 1 else np.reshape(w, (-1, 1)))
    if rcond is None:
        rcond = len(x) * np.finfo(float).eps
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    return (np.linalg.lstsq(powers / scale, y, rcond)[0].T / scale).T


@equivalent(np.polyadd)
def polyadd(a1, a2):
    if len(a1) < len(a2):
        return np.concatenate((a2[:len(a2) - len(a1)], a2[len(a2) - len(a1):] + a1))
    return np.concatenate((a1[:len(a1) - len(a2)], a1[len(a1) - len(a2):] + a2))


@equivalent(np.polysub)
def polysub(a1, a2):
    return polyadd(a1, -np.asarray(a2))


@equivalent(np.polymul)
def polymul(a1, a2):
    return np.convolve(np.trim_zeros(a1, "f"), np.trim_zeros(a2, "f"))


@equivalent(np.trim_zeros, count=2, last="f")
def without_leading_zeros(filt, trim):
    places = np.flatnonzero(filt)
    return filt[places[0] if np.size(places) else len(filt):]


@equivalent(np.polyder)
def polyder(p, m=1):
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@equivalent(np.polyint)
def polyint(p, m=1):
    for _ in range(m):
        p = np.append(p / np.arange(len(p), 0, -1), 0.0)
    return p


# ---------------------------------------------------------------- differences and filters

@equivalent(np.ediff1d, count=1)
def ediff1d(ary):
    return np.diff(np.ravel(ary))


@equivalent(np.correlate)
def correlate(a, v, mode="valid"):
    return np.convolve(a, np.conj(v[::-1]), mode)


@equivalent(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    fixed = stop_gradient(p)
    return p + (np.unwrap(fixed, discont, axis, period=period) - fixed)


@equivalent(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    if axis is not None or np.ndim(f) == 1:
        return slope(f, varargs[0] if varargs else 1.0, 0 if axis is None else axis, edge_order)
    if np.ndim(f) == 2:
        return (slope(f, varargs[0] if varargs else 1.0, 0, edge_order),
                slope(f, varargs[-1] if varargs else 1.0, 1, edge_order))
    return (slope(f, varargs[0] if varargs else 1.0, 0, edge_order),
            slope(f, varargs[len(varargs) // 2] if varargs else 1.0, 1, edge_order),
            slope(f, varargs[-1] if varargs else 1.0, 2, edge_order))


def slope(f, spacing, axis, edge_order):
    """The derivative along an axis by differences, from what lies on both sides."""
    f = np.moveaxis(f, axis, 0)
    if np.ndim(spacing) == 0:
        inner = (f[2:] - f[:-2]) / (2.0 * spacing)
        first, last = (f[1:2] - f[:1]) / spacing, (f[-1:] - f[-2:-1]) / spacing
        if edge_order == 2:
            first = (-1.5 * f[:1] + 2.0 * f[1:2] - 0.5 * f[2:3]) / spacing
            last = (1.5 * f[-1:] - 2.0 * f[-2:-1] + 0.5 * f[-3:-2]) / spacing
    else:
        h = np.reshape(np.diff(spacing), (-1,) + (1,) * (np.ndim(f) - 1))
        left, right = (f[1:] - f[:-1])[:-1] / h[:-1], (f[1:] - f[:-1])[1:] / h[1:]
        inner = (left * h[1:] + right * h[:-1]) / (h[1:] + h[:-1])
        first, last = (f[1:2] - f[:1]) / h[:1], (f[-1:] - f[-2:-1]) / h[-1:]
        if edge_order == 2:
            first = left[:1] + (left[:1] - right[:1]) * h[:1] / (h[:1] + h[1:2])
            last = right[-1:] + (right[-1:] - left[-1:]) * h[-1:] / (h[-1:] + h[-2:-1])
    return np.moveaxis(np.concatenate((first, inner, last)), 0, axis)
