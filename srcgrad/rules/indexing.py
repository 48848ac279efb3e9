"""Taking elements: by index, along axes, from diagonals, in order, from tables."""
from __future__ import annotations

import operator

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.layout import (
    compress_adjoint,
    diag_adjoint,
    diagonal_adjoint,
    getitem_adjoint,
    interp_fp,
    interp_x,
    interp_xp,
    sort_adjoint,
    take_adjoint,
    take_along_axis_adjoint,
    trace_adjoint,
)


@rule(operator.getitem, jointly_linear=True, linear_in=("a",))
def getitem(out_bar, out, a, index):
    a_bar = getitem_adjoint(out_bar, np.shape(a), index)
    return a_bar


@rule(np.take, jointly_linear=True, linear_in=("a",))
def take(out_bar, out, a, indices, axis=None):
    a_bar = take_adjoint(out_bar, np.shape(a), indices, axis)
    return a_bar


@rule(np.take_along_axis, jointly_linear=True, linear_in=("arr",))
def take_along_axis(out_bar, out, arr, indices, axis=-1):
    arr_bar = take_along_axis_adjoint(out_bar, np.shape(arr), indices, axis)
    return arr_bar


@rule(np.compress, jointly_linear=True, linear_in=("a",))
def compress(out_bar, out, condition, a, axis=None):
    a_bar = compress_adjoint(out_bar, np.shape(a), condition, axis)
    return a_bar


@rule(np.sort)
def sort(out_bar, out, a, axis=-1, kind=None):
    a_bar = sort_adjoint(out_bar, a, axis)
    return a_bar


@rule(np.diagonal, jointly_linear=True, linear_in=("a",))
def diagonal(out_bar, out, a, offset=0, axis1=0, axis2=1):
    a_bar = diagonal_adjoint(out_bar, np.shape(a), offset, axis1, axis2)
    return a_bar


@rule(np.diag, jointly_linear=True, linear_in=("v",))
def diag(out_bar, out, v, k=0):
    v_bar = diag_adjoint(out_bar, np.shape(v), k)
    return v_bar


@rule(np.trace, jointly_linear=True, linear_in=("a",))
def trace(out_bar, out, a, offset=0, axis1=0, axis2=1):
    a_bar = trace_adjoint(out_bar, np.shape(a), offset, axis1, axis2)
    return a_bar


@rule(np.bincount, jointly_linear=True, linear_in=("weights",))
def bincount(out_bar, out, x, weights=None, minlength=0):
    weights_bar = np.take(out_bar, x)
    return weights_bar


@rule(np.interp, linear_in=("fp",), inactive=("left", "right"), only={"left": (None,), "right": (None,)})
def interp(out_bar, out, x, xp, fp, left=None, right=None):
    x_bar = interp_x(out_bar, x, xp, fp)
    xp_bar = interp_xp(out_bar, x, xp, fp)
    fp_bar = interp_fp(out_bar, x, xp, np.shape(fp))
    return x_bar, xp_bar, fp_bar
