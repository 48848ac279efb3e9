"""Exponentials, logarithms, circular and hyperbolic functions."""
from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import sinc_partial
from srcgrad.runtime.special import digamma


@rule(np.exp, elementwise=True)
def exp(out_bar, out, x):
    x_bar = out_bar * out
    return x_bar


@rule(np.exp2, elementwise=True)
def exp2(out_bar, out, x):
    x_bar = out_bar * out * math.log(2.0)
    return x_bar


@rule(np.expm1, elementwise=True)
def expm1(out_bar, out, x):
    x_bar = out_bar * np.exp(x)
    return x_bar


@rule(np.log, elementwise=True)
def log(out_bar, out, x):
    x_bar = out_bar / x
    return x_bar


@rule(np.log2, elementwise=True)
def log2(out_bar, out, x):
    x_bar = out_bar / (x * math.log(2.0))
    return x_bar


@rule(np.log10, elementwise=True)
def log10(out_bar, out, x):
    x_bar = out_bar / (x * math.log(10.0))
    return x_bar


@rule(np.log1p, elementwise=True)
def log1p(out_bar, out, x):
    x_bar = out_bar / (1.0 + x)
    return x_bar


@rule(np.logaddexp, elementwise=True)
def logaddexp(out_bar, out, x1, x2):
    x1_bar = out_bar * np.exp(x1 - out)
    x2_bar = out_bar * np.exp(x2 - out)
    return x1_bar, x2_bar


@rule(np.logaddexp2, elementwise=True)
def logaddexp2(out_bar, out, x1, x2):
    x1_bar = out_bar * np.exp2(x1 - out)
    x2_bar = out_bar * np.exp2(x2 - out)
    return x1_bar, x2_bar


@rule(np.sin, elementwise=True)
def sin(out_bar, out, x):
    x_bar = out_bar * np.cos(x)
    return x_bar


@rule(np.cos, elementwise=True)
def cos(out_bar, out, x):
    x_bar = -out_bar * np.sin(x)
    return x_bar


@rule(np.tan, elementwise=True)
def tan(out_bar, out, x):
    x_bar = out_bar * (1.0 + out * out)
    return x_bar


@rule(np.arcsin, elementwise=True, harmless=0.0)
def arcsin(out_bar, out, x):
    x_bar = out_bar / np.sqrt(1.0 - x * x)
    return x_bar


@rule(np.arccos, elementwise=True, harmless=0.0)
def arccos(out_bar, out, x):
    x_bar = -out_bar / np.sqrt(1.0 - x * x)
    return x_bar


@rule(np.arctan, elementwise=True)
def arctan(out_bar, out, x):
    x_bar = out_bar / (1.0 + x * x)
    return x_bar


@rule(np.arctan2, elementwise=True)
def arctan2(out_bar, out, x1, x2):
    x1_bar = out_bar * x2 / (x1 * x1 + x2 * x2)
    x2_bar = -out_bar * x1 / (x1 * x1 + x2 * x2)
    return x1_bar, x2_bar


@rule(np.sinh, elementwise=True)
def sinh(out_bar, out, x):
    x_bar = out_bar * np.cosh(x)
    return x_bar


@rule(np.cosh, elementwise=True)
def cosh(out_bar, out, x):
    x_bar = out_bar * np.sinh(x)
    return x_bar


@rule(np.tanh, elementwise=True)
def tanh(out_bar, out, x):
    x_bar = out_bar * (1.0 - out * out)
    return x_bar


@rule(np.arcsinh, elementwise=True)
def arcsinh(out_bar, out, x):
    x_bar = out_bar / np.sqrt(x * x + 1.0)
    return x_bar


@rule(np.arccosh, elementwise=True)
def arccosh(out_bar, out, x):
    # not 1 / sqrt(x * x - 1): that has the wrong sign for complex x left of the imaginary axis
    x_bar = out_bar / np.sinh(out)
    return x_bar


@rule(np.arctanh, elementwise=True, harmless=0.0)
def arctanh(out_bar, out, x):
    x_bar = out_bar / (1.0 - x * x)
    return x_bar


@rule(np.deg2rad, np.radians, elementwise=True, jointly_linear=True, linear_in=("x",))
def deg2rad(out_bar, out, x):
    x_bar = out_bar * (math.pi / 180.0)
    return x_bar


@rule(np.rad2deg, np.degrees, elementwise=True, jointly_linear=True, linear_in=("x",))
def rad2deg(out_bar, out, x):
    x_bar = out_bar * (180.0 / math.pi)
    return x_bar


@rule(np.sinc, elementwise=True)
def sinc(out_bar, out, x):
    x_bar = out_bar * sinc_partial(out, x)
    return x_bar


@rule(math.erf, elementwise=True)
def erf(out_bar, out, x):
    x_bar = out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(-x * x)
    return x_bar


@rule(math.erfc, elementwise=True)
def erfc(out_bar, out, x):
    x_bar = -out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(-x * x)
    return x_bar


@rule(math.lgamma, elementwise=True)
def lgamma(out_bar, out, x):
    x_bar = out_bar * digamma(x)
    return x_bar


@rule(math.gamma, elementwise=True)
def gamma(out_bar, out, x):
    x_bar = out_bar * out * digamma(x)
    return x_bar
