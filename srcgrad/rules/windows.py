"""Views of an array in another shape, or as overlapping windows."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.writes import reshaped, windows_adjoint


@rule(reshaped, jointly_linear=True, linear_in=("a",))
def reshaped_(out_bar, out, a, shape):
    a_bar = np.reshape(out_bar, np.shape(a))
    return a_bar


@rule(np.lib.stride_tricks.sliding_window_view, jointly_linear=True, linear_in=("x",))
def sliding_window_view(out_bar, out, x, window_shape, axis=None):
    x_bar = windows_adjoint(out_bar, np.shape(x), window_shape, axis)
    return x_bar
