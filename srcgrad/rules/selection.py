"""Choices between values: extrema of two, clip, where."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import chosen_share, clipped_above, clipped_below, larger_share, shapes, within
from srcgrad.runtime.layout import default_adjoint, select_adjoint


@rule(np.maximum, elementwise=True)
def maximum(out_bar, out, x1, x2):
    x1_bar = out_bar * larger_share(x1, x2)
    x2_bar = out_bar * larger_share(x2, x1)
    return x1_bar, x2_bar


@rule(np.minimum, elementwise=True)
def minimum(out_bar, out, x1, x2):
    x1_bar = out_bar * larger_share(x2, x1)
    x2_bar = out_bar * larger_share(x1, x2)
    return x1_bar, x2_bar


@rule(np.fmax, np.fmin, elementwise=True)
def fmax(out_bar, out, x1, x2):
    x1_bar = out_bar * chosen_share(x1, x2, out)
    x2_bar = out_bar * chosen_share(x2, x1, out)
    return x1_bar, x2_bar


@rule(np.clip, elementwise=True)
def clip(out_bar, out, a, a_min=None, a_max=None):
    a_bar = np.where(within(a, a_min, a_max), out_bar, 0.0)
    a_min_bar = np.where(clipped_below(a, a_min, a_max), out_bar, 0.0)
    a_max_bar = np.where(clipped_above(a, a_min, a_max), out_bar, 0.0)
    return a_bar, a_min_bar, a_max_bar


@rule(np.where, elementwise=True, jointly_linear=True, linear_in=("x", "y"))
def where(out_bar, out, condition, x, y):
    x_bar = np.where(condition, out_bar, 0.0)
    y_bar = np.where(condition, 0.0, out_bar)
    return x_bar, y_bar


@rule(np.heaviside, elementwise=True, linear_in=("x2",))
def heaviside(out_bar, out, x1, x2):
    x2_bar = np.where(x1 == 0, out_bar, 0.0)
    return x2_bar


@rule(np.nan_to_num, elementwise=True, inactive=("nan", "posinf", "neginf"))
def nan_to_num(out_bar, out, x, copy=True, nan=0.0, posinf=None, neginf=None):
    x_bar = np.where(np.isfinite(x), out_bar, 0.0)
    return x_bar


@rule(np.select, jointly_linear=True, linear_in=("choicelist", "default"))
def select(out_bar, out, condlist, choicelist, default=0):
    choicelist_bar = select_adjoint(out_bar, condlist, shapes(choicelist))
    default_bar = default_adjoint(out_bar, condlist, np.shape(default))
    return choicelist_bar, default_bar
