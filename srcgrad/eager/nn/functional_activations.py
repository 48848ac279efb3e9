"""Elementwise functions, softmax and its kin."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.inplace import inplace as in_place
from srcgrad.eager.nn.ops import activations as ops
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.pointwise import unary

# Klambauer et al., 2017: with these, mean 0 and variance 1 are a fixed point
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805

_silu, _mish, _log_sigmoid, _hardsigmoid, _hardswish, _gelu, _gelu_tanh = (
    unary(op, op.primal) for op in (ops.silu, ops.mish, ops.log_sigmoid, ops.hardsigmoid, ops.hardswish, ops.gelu,
                                    ops.gelu_tanh))


def floating(input: Tensor, kernel: str) -> Tensor:
    """The input, refused if its elements aren't floats: the function has no meaning for integers."""
    if input._a.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.legacy}'")
    return input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`, with derivative 0 at 0."""
    return input.relu_() if inplace else input.relu()


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return input.relu_()


def placed(input: Tensor, f: Callable[[Tensor], Tensor], inplace: bool) -> Tensor:
    """What `f` makes of the input; in place, it is written into the input, of which `f` then saves a copy."""
    return in_place(input, f) if inplace else f(input)


def _always(f: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`f`, which overwrites its input."""
    def called(input: Tensor, *options: Any, **words: Any) -> Tensor:
        return f(input, *options, inplace=True, **words)
    called.__name__, called.__doc__ = f"{f.__name__}_", f"`{f.__name__}`, written into the input."
    return called


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The input clipped; the derivative at the bounds is 0."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return placed(input, lambda x: apply(ops.hardtanh, x, min_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input clipped to [0, 6]."""
    return hardtanh(input, 0.0, 6.0, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`input` where positive, `negative_slope * input` elsewhere."""
    return placed(input, lambda x: apply(ops.leaky_relu, floating(x, "leaky_relu_cpu"), negative_slope), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where positive, `alpha * (exp(input) - 1)` elsewhere."""
    return placed(input, lambda x: apply(ops.elu, floating(x, "elu_cpu"), alpha, 1.0, 1.0), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """An ELU, scaled, whose two constants keep mean 0 and variance 1."""
    return placed(input, lambda x: apply(ops.elu, floating(x, "elu_cpu"), SELU_ALPHA, SELU_SCALE, 1.0), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where positive, `alpha * (exp(input / alpha) - 1)` elsewhere."""
    return placed(input, lambda x: apply(ops.celu, floating(x, "elu_cpu"), alpha), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * sigmoid(input)`"""
    return placed(input, lambda x: _silu(floating(x, "silu_cpu")), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * tanh(softplus(input))`"""
    return placed(input, lambda x: _mish(floating(x, "mish_cpu")), inplace)


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`"""
    return input.sigmoid()


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return _log_sigmoid(floating(input, "log_sigmoid_cpu"))


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def tanhshrink(input: Tensor) -> Tensor:
    """`input - tanh(input)`"""
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """`input / (1 + |input|)`"""
    return input / (input.abs() + 1)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta * input)) / beta`, and `input` where `beta * input` exceeds the threshold."""
    return apply(ops.softplus, floating(input, "softplus_cpu"), beta, threshold)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """The input moved towards 0 by `lambd`."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be in range [0, {np.finfo(input._a.dtype).max:g}] for input dtype "
                           f"{input.dtype.legacy}, but found {lambd:g}")
    return apply(ops.softshrink, floating(input, "softshrink_cpu"), lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """The input, and 0 within `lambd` of 0."""
    return apply(ops.hardshrink, floating(input, "hardshrink_cpu"), lambd)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`(input + 3) / 6` clipped to [0, 1]."""
    return placed(input, lambda x: _hardsigmoid(floating(x, "hardsigmoid_cpu")), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input` times the hard sigmoid."""
    return placed(input, lambda x: _hardswish(floating(x, "hardswish_cpu")), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where it exceeds the threshold, `value` elsewhere."""
    return placed(input, lambda x: apply(ops.threshold, x, threshold, value), inplace)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`input` times the normal distribution function at `input`, or (`"tanh"`) an approximation of it."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (_gelu if approximate == "none" else _gelu_tanh)(floating(input, "GeluKernelImpl"))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of the input times the sigmoid of the second."""
    size = input.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.dim()} is size {size}")
    return input.narrow(dim, 0, size // 2) * input.narrow(dim, size // 2, size // 2).sigmoid()


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`input` where positive, `weight * input` elsewhere; a weight per channel, or one for all."""
    if weight.numel() > 1 and (input.dim() < 2 or weight.numel() != input.shape[1]):
        channels = input.shape[1] if input.dim() > 1 else 1
        raise RuntimeError(f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{weight.numel()} and channel size = {channels}.")
    lined = weight.reshape(-1, *(1,) * max(input.dim() - 2, 0)) if weight.numel() > 1 else weight.reshape(())
    if weight._a.dtype != input._a.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.legacy} and {weight.dtype.legacy}")
    return apply(ops.prelu, input, lined)


def _along(name: str, dim: int | None, ndim: int) -> int:
    """The axis that is meant when none is given, as torch once chose it."""
    if dim is not None:
        return dim
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
                  "argument.", stacklevel=3)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Exponentials that sum to 1 along `dim`."""
    return _cast(input, dtype).softmax(_along("softmax", dim, input.dim()))


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """The logarithm of the softmax."""
    return _cast(input, dtype).log_softmax(_along("log_softmax", dim, input.dim()))


def softmin(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """The softmax of the negated input."""
    return (-_cast(input, dtype)).softmax(_along("softmin", dim, input.dim()))


def _cast(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


hardtanh_, leaky_relu_, elu_ = _always(hardtanh), _always(leaky_relu), _always(elu)
selu_, celu_, threshold_ = _always(selu), _always(celu), _always(threshold)
