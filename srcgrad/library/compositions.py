"""NumPy functions that are compositions of others: statistics, norms and products."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent


@equivalent(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    x = np.atleast_2d(m)
    if not rowvar and np.ndim(m) != 1:
        x = x.T
    if y is not None:
        other = np.atleast_2d(y)
        if not rowvar and np.ndim(y) != 1:
            other = other.T
        x = np.concatenate((x, other))
    if ddof is None:
        ddof = 0 if bias else 1
    centred = x - np.mean(x, axis=1, keepdims=True)
    return np.squeeze(centred @ np.conj(centred.T) / (x.shape[1] - ddof))


@equivalent(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    covariance = np.atleast_2d(np.cov(x, y, rowvar))
    scale = np.sqrt(np.diag(covariance))
    return np.squeeze(covariance / scale[:, None] / scale[None, :])


# ---------------------------------------------------------------- arrays with NaN

@equivalent(np.nanprod)
def nanprod(a, axis=None):
    return np.prod(np.where(np.isnan(a), 1.0, a), axis)


@equivalent(np.nancumsum)
def nancumsum(a, axis=None):
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis)


@equivalent(np.nancumprod)
def nancumprod(a, axis=None):
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis)


@equivalent(np.nanvar)
def nanvar(a, axis=None, *, ddof=0):
    missing = np.isnan(a)
    count = np.sum(~missing, axis)
    distance = np.where(missing, 0.0, a - np.nanmean(a, axis=axis, keepdims=True))
    return np.sum(distance * distance, axis) / (count - ddof)


@equivalent(np.nanstd)
def nanstd(a, axis=None, *, ddof=0):
    if axis is None:
        return np.std(np.ravel(a)[~np.isnan(np.ravel(a))], ddof=ddof)
    return np.sqrt(nanvar(a, axis, ddof=ddof))


# ---------------------------------------------------------------- linear algebra

@equivalent(np.linalg.multi_dot)
def multi_dot(arrays):
    product = arrays[0]
    for factor in arrays[1:]:
        product = product @ factor
    return product


@equivalent(np.linalg.svdvals)
def svdvals(x, /):
    return np.linalg.svd(x, compute_uv=False)


@equivalent(np.linalg.cond)
def cond(x, p=None):
    if p is None:
        s = np.linalg.svd(x, compute_uv=False)
        return s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p) * np.linalg.norm(np.linalg.inv(x), p)


@equivalent(np.linalg.matrix_norm)
def matrix_norm(x, /, *, ord="fro"):
    return np.linalg.norm(x, ord, (-2, -1))


@equivalent(np.linalg.vector_norm)
def vector_norm(x, /, *, axis=None, ord=2):
    if axis is None:
        return np.linalg.norm(np.ravel(x), ord)
    return np.linalg.norm(x, ord, axis)


@equivalent(np.linalg.diagonal)
def diagonal(x, /, *, offset=0):
    return np.diagonal(x, offset, -2, -1)


@equivalent(np.linalg.trace)
def trace(x, /, *, offset=0):
    return np.trace(x, offset, -2, -1)


@equivalent(np.linalg.cross)
def cross(x1, x2, /, *, axis=-1):
    return np.cross(x1, x2, axis=axis)


@equivalent(np.linalg.vecdot)
def vecdot(x1, x2, /, *, axis=-1):
    return np.sum(np.conj(x1) * x2, axis)


# ---------------------------------------------------------------- functions with two results

@equivalent(np.divmod)
def divmod_(x1, x2, /):
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


@equivalent(np.modf)
def modf(x, /):
    whole = np.trunc(x)
    return x - whole, whole


# ---------------------------------------------------------------- tables

@equivalent(np.interp)
@equivalent(np.interp, count=(4, 5, 6), keywords=True)
def interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        order = np.argsort(np.mod(xp, period))
        xp, fp = np.mod(np.asarray(xp), period)[order], np.asarray(fp)[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
        return np.interp(np.mod(x, period), xp, fp)
    y = np.interp(x, xp, fp)
    if left is not None:
        y = np.where(x < xp[0], left, y)
    if right is not None:
        y = np.where(x > xp[-1], right, y)
    return y
