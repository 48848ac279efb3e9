"""Elementwise functions.  Where a branch ends, derivatives are those of torch's kernels."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.kernels import erf
from srcgrad.eager.kernels import sigmoid as logistic
from srcgrad.eager.op import operation
from srcgrad.eager.protocols import helper

Array = Any

ROOT_2_PI = math.sqrt(2.0 / math.pi)


@operation("SigmoidBackward0", logistic, elementwise=True)
def sigmoid(out_bar, out, x):
    x_bar = out_bar * out * (1.0 - out)
    return x_bar


@operation("ErfBackward0", erf, elementwise=True)
def _erf(out_bar, out, x):
    x_bar = out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(-x * x)
    return x_bar


helper(logistic, sigmoid)
helper(erf, _erf)


def _leaky_relu(x: Array, slope: float) -> Array:
    return np.where(x > 0, x, x * slope)


@operation("LeakyReluBackward0", _leaky_relu, elementwise=True)
def leaky_relu(out_bar, out, x, slope):
    x_bar = np.where(x > 0, out_bar, out_bar * slope)
    return x_bar


def _elu(x: Array, alpha: float, scale: float, inner: float) -> Array:
    return np.where(x > 0, x * scale, np.expm1(x * inner) * (alpha * scale))


@operation("EluBackward0", _elu, elementwise=True)
def elu(out_bar, out, x, alpha, scale, inner):
    slope = np.exp(np.where(x <= 0, x, 0.0) * inner) * (alpha * scale * inner)
    x_bar = out_bar * np.where(x <= 0, slope, scale)
    return x_bar


def _celu(x: Array, alpha: float) -> Array:
    return _elu(x, alpha, 1.0, 1.0 / alpha)


@operation("CeluBackward0", _celu, elementwise=True)
def celu(out_bar, out, x, alpha):
    x_bar = out_bar * np.where(x <= 0, np.exp(np.where(x <= 0, x, 0.0) / alpha), 1.0)
    return x_bar


def _silu(x: Array) -> Array:
    return x * logistic(x)


@operation("SiluBackward0", _silu, elementwise=True)
def silu(out_bar, out, x):
    share = logistic(x)
    x_bar = out_bar * share * (1.0 + x * (1.0 - share))
    return x_bar


def _softplus(x: Array, beta: float, threshold: float) -> Array:
    scaled = x * beta
    return np.where(scaled > threshold, x, np.log1p(np.exp(scaled)) / beta)


@operation("SoftplusBackward0", _softplus, elementwise=True)
def softplus(out_bar, out, x, beta, threshold):
    x_bar = np.where(x * beta > threshold, out_bar, out_bar * logistic(x * beta))
    return x_bar


def smooth_step(x: Array) -> Array:
    """`tanh(log(1 + exp(x)))`"""
    return np.tanh(np.logaddexp(x, 0.0))


def _mish(x: Array) -> Array:
    return x * smooth_step(x)


@operation("MishBackward0", _mish, elementwise=True)
def mish(out_bar, out, x):
    step = np.tanh(np.logaddexp(x, 0.0))
    x_bar = out_bar * (step + x * logistic(x) * (1.0 - step * step))
    return x_bar


def _log_sigmoid(x: Array) -> Array:
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@operation("LogSigmoidBackward0", _log_sigmoid, elementwise=True)
def log_sigmoid(out_bar, out, x):
    x_bar = out_bar * logistic(-x)
    return x_bar


def _hardtanh(x: Array, low: float, high: float) -> Array:
    return np.clip(x, low, high).astype(x.dtype, copy=False)


@operation("HardtanhBackward0", _hardtanh, elementwise=True)
def hardtanh(out_bar, out, x, low, high):
    x_bar = np.where((x <= low) | (x >= high), 0.0, out_bar)
    return x_bar


def _hardsigmoid(x: Array) -> Array:
    return np.clip(x / 6.0 + 0.5, 0.0, 1.0)


@operation("HardsigmoidBackward0", _hardsigmoid, elementwise=True)
def hardsigmoid(out_bar, out, x):
    x_bar = np.where((x > -3.0) & (x < 3.0), out_bar / 6.0, 0.0)
    return x_bar


def _hardswish(x: Array) -> Array:
    return x * np.clip(x + 3.0, 0.0, 6.0) / 6.0


@operation("HardswishBackward0", _hardswish, elementwise=True)
def hardswish(out_bar, out, x):
    between = out_bar * (x / 3.0 + 0.5)
    x_bar = np.where(x <= -3.0, 0.0, np.where(x < 3.0, between, out_bar))
    return x_bar


def _threshold(x: Array, threshold: float, value: float) -> Array:
    return np.where(x <= threshold, np.asarray(value, x.dtype), x)


@operation("ThresholdBackward0", _threshold, elementwise=True)
def threshold(out_bar, out, x, threshold, value):
    x_bar = np.where(x <= threshold, 0.0, out_bar)
    return x_bar


def _softshrink(x: Array, width: float) -> Array:
    return np.sign(x) * np.maximum(np.abs(x) - width, 0)


@operation("SoftshrinkBackward0", _softshrink, elementwise=True)
def softshrink(out_bar, out, x, width):
    x_bar = np.where((x >= -width) & (x <= width), 0.0, out_bar)
    return x_bar


def _hardshrink(x: Array, width: float) -> Array:
    return np.where((x >= -width) & (x <= width), np.zeros((), x.dtype), x)


@operation("HardshrinkBackward0", _hardshrink, elementwise=True)
def hardshrink(out_bar, out, x, width):
    x_bar = np.where((x >= -width) & (x <= width), 0.0, out_bar)
    return x_bar


def _prelu(x: Array, slope: Array) -> Array:
    return np.where(x > 0, x, x * slope)


@operation("PreluKernelBackward0", _prelu, elementwise=True)
def prelu(out_bar, out, x, slope):
    x_bar = np.where(x > 0, out_bar, out_bar * slope)
    slope_bar = np.where(x > 0, 0.0, out_bar * x)
    return x_bar, slope_bar


def _gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1.0 + np.tanh(ROOT_2_PI * (x + 0.044715 * x * x * x)))


@operation("GeluBackward0", _gelu_tanh, elementwise=True)
def gelu_tanh(out_bar, out, x):
    inner = np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x))
    slope = math.sqrt(2.0 / math.pi) * (1.0 + 3.0 * 0.044715 * x * x)
    x_bar = out_bar * 0.5 * (1.0 + inner + x * (1.0 - inner * inner) * slope)
    return x_bar


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))


@operation("GeluBackward0", _gelu, elementwise=True)
def gelu(out_bar, out, x):
    below = 0.5 * (1.0 + erf(x * math.sqrt(0.5)))
    x_bar = out_bar * (below + x * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi))
    return x_bar
