"""Quantiles by the elements in order, histograms, sums of exponentials."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent
from srcgrad.runtime.tensors import stop_gradient


@equivalent(np.quantile)
def quantile(a, q, axis=None):
    if axis is None:
        items = np.sort(np.ravel(a))
    else:
        items = np.moveaxis(np.sort(a, axis), axis, 0)
    place = np.asarray(q) * (len(items) - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, len(items) - 1)
    part = np.reshape(place - below, np.shape(q) + (1,) * (np.ndim(items) - 1))
    return items[below] * (1.0 - part) + items[above] * part


@equivalent(np.percentile)
def percentile(a, q, axis=None):
    return quantile(a, np.true_divide(q, 100.0), axis)


@equivalent(np.nanquantile, count=2)
def nanquantile(a, q):
    return quantile(np.ravel(a)[~np.isnan(np.ravel(a))], q)


@equivalent(np.nanpercentile, count=2)
def nanpercentile(a, q):
    return quantile(np.ravel(a)[~np.isnan(np.ravel(a))], np.true_divide(q, 100.0))


@equivalent(np.nanmedian, count=1)
def nanmedian(a):
    return np.median(np.ravel(a)[~np.isnan(np.ravel(a))])


@equivalent(np.histogram)
def histogram(a, bins=10, range=None):
    counts = np.histogram(stop_gradient(a), bins, range)[0]
    if np.ndim(bins) == 1:
        return counts, np.asarray(bins)
    low, high = (np.min(a), np.max(a)) if range is None else range
    if low == high:
        low, high = low - 0.5, high + 0.5
    return counts, np.linspace(low, high, bins + 1)


def log_sum_exp(array, axis=0, keepdims=False):
    """np.logaddexp.reduce(array, axis, keepdims=keepdims)"""
    highest = np.max(array, axis=axis, keepdims=True)
    highest = stop_gradient(np.where(np.isfinite(highest), highest, 0.0))
    total = np.log(np.sum(np.exp(array - highest), axis=axis, keepdims=True)) + highest
    return total if keepdims else np.squeeze(total, axis)
