"""Mean 0 and variance 1 over some axes, then scaled and shifted."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.op import operation
from srcgrad.runtime.arrays import unbroadcast

Array = Any


def _normalized(input: Array, weight: Array | None, bias: Array | None, axes: tuple[int, ...], eps: float) -> Array:
    centred = input - np.mean(input, axis=axes, keepdims=True)
    out = centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def scaled(g: Any, weight: Any) -> Any:
    """The product, or `g` where there is no weight."""
    return g if weight is None else g * weight


def _normalization(out_bar, out, input, weight, bias, axes, eps):
    centred = input - np.mean(input, axis=axes, keepdims=True)
    rate = 1.0 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)
    unit = centred * rate
    unit_bar = scaled(out_bar, weight)
    along = np.mean(unit_bar * unit, axis=axes, keepdims=True)
    input_bar = rate * (unit_bar - np.mean(unit_bar, axis=axes, keepdims=True) - unit * along)
    weight_bar = unbroadcast(out_bar * unit, np.shape(weight))
    bias_bar = unbroadcast(out_bar, np.shape(bias))
    return input_bar, weight_bar, bias_bar


layer_norm = operation("NativeLayerNormBackward0", _normalized)(_normalization)
batch_norm = operation("NativeBatchNormBackward0", _normalized)(_normalization)
group_norm = operation("NativeGroupNormBackward0", _normalized)(_normalization)
