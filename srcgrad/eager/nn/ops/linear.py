"""Affine maps."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.op import operation

Array = Any


def _affine(bias: Array, input: Array, weight: Array) -> Array:
    out = input @ weight.T
    out += bias
    return out


@operation("AddmmBackward0", _affine)
def affine(out_bar, out, bias, input, weight):
    input_bar = out_bar @ weight
    weight_bar = np.transpose(out_bar) @ input
    bias_bar = np.sum(out_bar, axis=0)
    return bias_bar, input_bar, weight_bar
