"""What layers compute: affine maps, dropout, attention."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.drawing import numbers
from srcgrad.eager.nn.ops import linear as linear_ops
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`, for an input of one dimension or more.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.linear(torch.ones(2), torch.ones(1, 2), torch.tensor([0.5]))
    tensor([2.5000])
    """
    if bias is None or weight.dim() != 2 or input.dim() < 2:
        product = input @ weight.t()
        return product if bias is None else product + bias
    _check_linear(input, weight, bias)
    if input.dim() == 2:
        return apply(linear_ops.affine, bias, input, weight)
    rows = apply(linear_ops.affine, bias, input.reshape(-1, input.shape[-1]), weight)
    return rows.reshape(*input.shape[:-1], weight.shape[0])


def _check_linear(input: Tensor, weight: Tensor, bias: Tensor) -> None:
    rows, wide = math.prod(input.shape[:-1]), input.shape[-1]
    out, features = weight.shape
    if wide != features:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{wide} and {features}x{out})")
    if bias._a.dtype != weight._a.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {bias.dtype.legacy} and "
                           f"{weight.dtype.legacy}")
    if input._a.dtype != weight._a.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {input.dtype.legacy} and "
                           f"{weight.dtype.legacy}")
    if bias._a.shape not in ((out,), (1,), ()):
        raise RuntimeError(f"The expanded size of the tensor ({out}) must match the existing size ({bias.shape[-1]}) "
                           f"at non-singleton dimension 1.  Target sizes: {[rows, out]}.  Tensor sizes: "
                           f"{list(bias.shape)}")


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1^T weight[k] input2 + bias[k]` for each output k."""
    left = input1.unsqueeze(-2).unsqueeze(-2) @ weight
    out = (left.squeeze(-2) * input2.unsqueeze(-2)).sum(-1)
    return out if bias is None else out + bias


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability `p` and scales the rest by `1 / (1 - p)`; in training only."""
    check_probability(p)
    if not training or p == 0 or input.numel() == 0:
        return input
    kept = (numbers(None).random(input._a.shape) >= p) / input._a.dtype.type(1 - p if p < 1 else 1)
    mask = wrap(kept.astype(input._a.dtype))
    return input.mul_(mask) if inplace else input * mask


def check_probability(p: float) -> None:
    """Refuses what is no probability."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None) -> Tensor:
    """`softmax(query @ key^T * scale + mask) @ value`; the scale is one over the root of the last axis's size.

    A boolean mask says what may be looked at; `is_causal` forbids looking ahead.
    """
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                               "is_causal=True")
        attn_mask = wrap(np.tri(*scores.shape[-2:], dtype=bool))
    if attn_mask is not None:
        boolean = attn_mask._a.dtype == bool
        scores = scores.masked_fill(~attn_mask, -math.inf) if boolean else scores + attn_mask
    weights: Any = scores.softmax(-1)
    return dropout(weights, dropout_p) @ value if dropout_p else weights @ value
