"""Sums, means, extrema, norms, cumulated sums and differences."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import expand_reduced, one_if_zero, reduced_size
from srcgrad.runtime.reductions import (
    average_a,
    average_weights,
    count_valid,
    cumprod_adjoint,
    cumsum_adjoint,
    diff_adjoint,
    extremum_adjoint,
    median_adjoint,
    norm_adjoint,
    prod_adjoint,
    ptp_adjoint,
    trapezoid_dx,
    trapezoid_x,
    trapezoid_y,
)


@rule(np.sum, jointly_linear=True, linear_in=("a",))
def sum_(out_bar, out, a, axis=None, keepdims=False):
    a_bar = expand_reduced(out_bar, np.shape(a), axis, keepdims)
    return a_bar


@rule(np.mean, jointly_linear=True, linear_in=("a",))
def mean(out_bar, out, a, axis=None, keepdims=False):
    a_bar = expand_reduced(out_bar / reduced_size(np.shape(a), axis), np.shape(a), axis, keepdims)
    return a_bar


@rule(np.var, real_linear=True)
def var(out_bar, out, a, axis=None, ddof=0, keepdims=False):
    scale = out_bar * 2.0 / (reduced_size(np.shape(a), axis) - ddof)
    a_bar = expand_reduced(scale, np.shape(a), axis, keepdims) * (a - np.mean(a, axis=axis, keepdims=True))
    return a_bar


@rule(np.std, real_linear=True)
def std(out_bar, out, a, axis=None, ddof=0, keepdims=False):
    scale = out_bar / (one_if_zero(out) * (reduced_size(np.shape(a), axis) - ddof))
    a_bar = expand_reduced(scale, np.shape(a), axis, keepdims) * (a - np.mean(a, axis=axis, keepdims=True))
    return a_bar


@rule(np.prod)
def prod(out_bar, out, a, axis=None, keepdims=False):
    a_bar = prod_adjoint(out_bar, out, a, axis, keepdims)
    return a_bar


@rule(np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin)
def extremum(out_bar, out, a, axis=None, keepdims=False):
    a_bar = extremum_adjoint(out_bar, out, a, axis, keepdims)
    return a_bar


@rule(np.ptp)
def ptp(out_bar, out, a, axis=None, keepdims=False):
    a_bar = ptp_adjoint(out_bar, a, axis, keepdims)
    return a_bar


@rule(np.median)
def median(out_bar, out, a, axis=None, keepdims=False):
    a_bar = median_adjoint(out_bar, a, axis, keepdims)
    return a_bar


@rule(np.average, only={"returned": (False,)})
def average(out_bar, out, a, axis=None, weights=None, returned=False, keepdims=False):
    a_bar = average_a(out_bar, np.shape(a), axis, weights, keepdims)
    weights_bar = average_weights(out_bar, out, a, axis, weights, keepdims)
    return a_bar, weights_bar


@rule(np.nansum, jointly_linear=True, linear_in=("a",))
def nansum(out_bar, out, a, axis=None, keepdims=False):
    a_bar = np.where(np.isnan(a), 0.0, expand_reduced(out_bar, np.shape(a), axis, keepdims))
    return a_bar


@rule(np.nanmean, jointly_linear=True, linear_in=("a",))
def nanmean(out_bar, out, a, axis=None, keepdims=False):
    scale = out_bar / count_valid(a, axis, keepdims)
    a_bar = np.where(np.isnan(a), 0.0, expand_reduced(scale, np.shape(a), axis, keepdims))
    return a_bar


@rule(np.cumsum, jointly_linear=True, linear_in=("a",))
def cumsum(out_bar, out, a, axis=None):
    a_bar = cumsum_adjoint(out_bar, np.shape(a), axis)
    return a_bar


@rule(np.cumprod)
def cumprod(out_bar, out, a, axis=None):
    a_bar = cumprod_adjoint(out_bar, a, axis)
    return a_bar


@rule(np.diff, jointly_linear=True, linear_in=("a",))
def diff(out_bar, out, a, n=1, axis=-1):
    a_bar = diff_adjoint(out_bar, np.shape(a), n, axis)
    return a_bar


@rule(np.trapezoid, linear_in=("y", "x", "dx"))
def trapezoid(out_bar, out, y, x=None, dx=1.0, axis=-1):
    y_bar = trapezoid_y(out_bar, np.shape(y), x, dx, axis)
    x_bar = trapezoid_x(out_bar, y, np.shape(x), axis)
    dx_bar = trapezoid_dx(out_bar, y, axis)
    return y_bar, x_bar, dx_bar


@rule(np.linalg.norm, real_linear=True, inactive=("ord",))
def norm(out_bar, out, x, ord=None, axis=None, keepdims=False):
    x_bar = norm_adjoint(out_bar, out, x, ord, axis, keepdims)
    return x_bar
