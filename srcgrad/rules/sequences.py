"""Python's own functions of numbers and sequences."""
from __future__ import annotations

import builtins
import math

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import shapes, unbroadcast
from srcgrad.runtime.layout import choice_adjoint, repeat_for


@rule(builtins.max, builtins.min)
def largest(out_bar, out, *values):
    values_bar = choice_adjoint(out_bar, out, values)
    return values_bar


@rule(builtins.sum, jointly_linear=True, linear_in=("iterable", "start"))
def total(out_bar, out, iterable, start=0):
    iterable_bar = repeat_for(out_bar, shapes(iterable))
    start_bar = unbroadcast(out_bar, np.shape(start))
    return iterable_bar, start_bar


@rule(math.log)
def log(out_bar, out, x, base):
    x_bar = out_bar / (x * np.log(base))
    base_bar = -out_bar * out / (base * np.log(base))
    return x_bar, base_bar
