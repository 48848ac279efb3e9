"""Losses, each with its reduction as one operation."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.nn.ops.activations import logistic
from srcgrad.eager.nn.ops.places import picked, placed
from srcgrad.eager.op import operation

Array = Any


def reduced(loss: Array, reduction: str) -> Array:
    """The losses themselves, their mean or their sum."""
    if reduction == "mean":
        return np.mean(loss, dtype=loss.dtype) if loss.size else np.full((), np.nan, loss.dtype)
    return np.sum(loss) if reduction == "sum" else loss


def count(shape: tuple[int, ...], reduction: str) -> int:
    """What a reduction divides the sum by."""
    return math.prod(shape) if reduction == "mean" else 1


def _mse(input: Array, target: Array, reduction: str) -> Array:
    distance = input - target
    return reduced(distance * distance, reduction)


@operation("MseLossBackward0", _mse)
def mse(out_bar, out, input, target, reduction):
    scale = 2.0 / count(np.shape(input), reduction)
    input_bar = (input - target) * scale * out_bar
    target_bar = (target - input) * scale * out_bar
    return input_bar, target_bar


def _smooth_l1(input: Array, target: Array, reduction: str, beta: float) -> Array:
    distance = np.abs(input - target)
    return reduced(np.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta), reduction)


@operation("SmoothL1LossBackward0", _smooth_l1)
def smooth_l1(out_bar, out, input, target, reduction, beta):
    distance = input - target
    slope = np.where(np.abs(distance) < beta, distance / beta, np.sign(distance))
    input_bar = slope * out_bar / count(np.shape(input), reduction)
    target_bar = -slope * out_bar / count(np.shape(input), reduction)
    return input_bar, target_bar


def _huber(input: Array, target: Array, reduction: str, delta: float) -> Array:
    distance = np.abs(input - target)
    return reduced(np.where(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


@operation("HuberLossBackward0", _huber)
def huber(out_bar, out, input, target, reduction, delta):
    distance = input - target
    slope = np.where(np.abs(distance) <= delta, distance, delta * np.sign(distance))
    input_bar = slope * out_bar / count(np.shape(input), reduction)
    target_bar = -slope * out_bar / count(np.shape(input), reduction)
    return input_bar, target_bar


def _soft_margin(input: Array, target: Array, reduction: str) -> Array:
    return reduced(np.log1p(np.exp(-target * input)), reduction)


@operation("SoftMarginLossBackward0", _soft_margin, inactive=("target",))
def soft_margin(out_bar, out, input, target, reduction):
    input_bar = -target * logistic(-target * input) * out_bar / count(np.shape(input), reduction)
    return input_bar


# ---------------------------------------------------------------- binary cross entropy

def _bce(input: Array, target: Array, weight: Array | None, reduction: str) -> Array:
    positive, negative = np.maximum(np.log(input), -100), np.maximum(np.log1p(-input), -100)
    loss = (target - 1.0) * negative - target * positive
    return reduced(loss if weight is None else loss * weight, reduction)


def weighted(x: Any, weight: Any) -> Any:
    """The product, or `x` where there is no weight."""
    return x if weight is None else x * weight


@operation("BinaryCrossEntropyBackward0", _bce, inactive=("weight",))
def bce(out_bar, out, input, target, weight, reduction):
    share = weighted(out_bar / count(np.shape(input), reduction), weight)
    spread = (1.0 - input) * input
    input_bar = share * (input - target) / np.where(spread > 1e-12, spread, 1e-12)
    target_bar = share * (np.log1p(-input) - np.log(input))
    return input_bar, target_bar


def _bce_logits(input: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: str) -> Array:
    loss = (1.0 - target) * input
    shortfall = np.maximum(-input, 0) + np.log1p(np.exp(-np.abs(input)))
    loss = loss + shortfall * (1.0 if pos_weight is None else 1.0 + (pos_weight - 1.0) * target)
    return reduced(loss if weight is None else loss * weight, reduction)


@operation("BinaryCrossEntropyWithLogitsBackward0", _bce_logits, inactive=("weight", "pos_weight"))
def bce_logits(out_bar, out, input, target, weight, pos_weight, reduction):
    share = weighted(out_bar / count(np.shape(input), reduction), weight)
    positive = weighted(target, pos_weight)
    input_bar = share * ((1.0 - target + positive) * logistic(input) - positive)
    shortfall = np.logaddexp(0.0, -input)
    target_bar = share * (weighted(shortfall, pos_weight) - shortfall - input)
    return input_bar, target_bar


# ---------------------------------------------------------------- classes

def _nll(input: Array, target: Array, weights: Array, axis: int, total: Any) -> Array:
    losses = np.where(weights == 0, np.zeros((), input.dtype), -weights * picked(input, target, axis))
    return losses if total is None else np.sum(losses) / total


def _nll_rule(out_bar, out, input, target, weights, axis, total):
    share = -weights * out_bar / (1 if total is None else total)
    input_bar = placed(share, np.shape(input), target, axis)
    return input_bar


nll = operation("NllLossBackward0", _nll, inactive=("weights",))(_nll_rule)
nll_2d = operation("NllLoss2DBackward0", _nll, inactive=("weights",))(_nll_rule)
