"""Sums, products, powers and their kin."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import one_if_zero, power_base_partial, power_exponent_partial


@rule(np.add, elementwise=True, jointly_linear=True, linear_in=("x1", "x2"))
def add(out_bar, out, x1, x2):
    x1_bar = out_bar
    x2_bar = out_bar
    return x1_bar, x2_bar


@rule(np.subtract, elementwise=True, jointly_linear=True, linear_in=("x1", "x2"))
def subtract(out_bar, out, x1, x2):
    x1_bar = out_bar
    x2_bar = -out_bar
    return x1_bar, x2_bar


@rule(np.multiply, elementwise=True, linear_in=("x1", "x2"))
def multiply(out_bar, out, x1, x2):
    x1_bar = out_bar * x2
    x2_bar = out_bar * x1
    return x1_bar, x2_bar


@rule(np.divide, elementwise=True, linear_in=("x1",))
def divide(out_bar, out, x1, x2):
    x1_bar = out_bar / x2
    x2_bar = -out_bar * out / x2
    return x1_bar, x2_bar


@rule(np.power, np.float_power, elementwise=True)
def power(out_bar, out, x1, x2):
    x1_bar = out_bar * power_base_partial(x1, x2)
    x2_bar = out_bar * power_exponent_partial(out, x1)
    return x1_bar, x2_bar


@rule(np.remainder, elementwise=True)
def remainder(out_bar, out, x1, x2):
    x1_bar = out_bar
    x2_bar = -out_bar * (x1 // x2)
    return x1_bar, x2_bar


@rule(np.fmod, elementwise=True)
def fmod(out_bar, out, x1, x2):
    x1_bar = out_bar
    x2_bar = -out_bar * np.trunc(x1 / x2)
    return x1_bar, x2_bar


@rule(np.negative, elementwise=True, jointly_linear=True, linear_in=("x",))
def negative(out_bar, out, x):
    x_bar = -out_bar
    return x_bar


@rule(np.positive, elementwise=True, jointly_linear=True, linear_in=("x",))
def positive(out_bar, out, x):
    x_bar = out_bar
    return x_bar


@rule(np.absolute, np.fabs, elementwise=True, real_linear=True)
def absolute(out_bar, out, x):
    x_bar = out_bar * np.sign(x)
    return x_bar


@rule(np.square, elementwise=True)
def square(out_bar, out, x):
    x_bar = out_bar * 2.0 * x
    return x_bar


@rule(np.sqrt, elementwise=True)
def sqrt(out_bar, out, x):
    x_bar = out_bar * 0.5 / out
    return x_bar


@rule(np.cbrt, elementwise=True)
def cbrt(out_bar, out, x):
    x_bar = out_bar / (3.0 * out * out)
    return x_bar


@rule(np.reciprocal, elementwise=True)
def reciprocal(out_bar, out, x):
    x_bar = -out_bar * out * out
    return x_bar


@rule(np.hypot, elementwise=True)
def hypot(out_bar, out, x1, x2):
    x1_bar = out_bar * x1 / one_if_zero(out)
    x2_bar = out_bar * x2 / one_if_zero(out)
    return x1_bar, x2_bar


@rule(np.copysign, elementwise=True)
def copysign(out_bar, out, x1, x2):
    x1_bar = out_bar * np.sign(x1) * np.copysign(np.sign(x1), x2)
    return x1_bar


@rule(np.ldexp, elementwise=True, linear_in=("x1",))
def ldexp(out_bar, out, x1, x2):
    x1_bar = np.ldexp(out_bar, x2)
    return x1_bar
