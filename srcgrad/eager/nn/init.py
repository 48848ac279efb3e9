"""Starting values of parameters, written in place."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.drawing import numbers
from srcgrad.eager.kernels import erfinv
from srcgrad.eager.tensor import Tensor, bump

_GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3,
          "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much a nonlinearity shrinks what passes it, to be made up for in the weights before it.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def write(tensor: Tensor, values: Any) -> Tensor:
    """The tensor with other elements; nothing is recorded, but the version counter learns of it."""
    tensor._a[...] = values
    bump(tensor)
    return tensor


def write_row(tensor: Tensor, row: int, values: Any) -> None:
    """As `write`, for one row."""
    tensor._a[row] = values
    bump(tensor)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Draws from the uniform distribution over [a, b)."""
    return write(tensor, numbers(None).uniform(a, b, tensor._a.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Draws from the normal distribution."""
    return write(tensor, numbers(None).normal(mean, std, tensor._a.shape))


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0) -> Tensor:
    """Draws from the normal distribution between a and b."""
    low, high = (math.erf((bound - mean) / std / math.sqrt(2.0)) for bound in (a, b))
    drawn = erfinv(numbers(None).uniform(low, high, tensor._a.shape))
    return write(tensor, np.clip(mean + std * math.sqrt(2.0) * drawn, a, b))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same value everywhere."""
    return write(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """One everywhere."""
    return write(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zero everywhere."""
    return write(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """The identity, also for a matrix that isn't square."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return write(tensor, np.eye(*tensor._a.shape))


def orthogonal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Orthonormal rows or columns, whichever are fewer (Saxe, McClelland and Ganguli, 2013)."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = len(tensor), math.prod(tensor.shape[1:])
    drawn = numbers(None).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diag(r))
    return write(tensor, gain * (q if rows >= columns else q.T).reshape(tensor._a.shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01) -> Tensor:
    """Normal, with a share of zeros in each column (Martens, 2010)."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._a.shape
    drawn = numbers(None).normal(0.0, std, (rows, columns))
    for k in range(columns):
        drawn[numbers(None).permutation(rows)[:math.ceil(sparsity * rows)], k] = 0.0
    return write(tensor, drawn)


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution that gives its input back, as far as there are channels."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, channels, *kernel = tensor._a.shape
    if out % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(tensor._a.shape)
    for group in range(groups):
        for k in range(min(out // groups, channels)):
            values[(group * (out // groups) + k, k, *(n // 2 for n in kernel))] = 1.0
    return write(tensor, values)


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output of the weight has, and how many outputs an input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    modes = ("fan_in", "fan_out")
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {list(modes)}")
    return fans(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform, with variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Normal, with variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))))


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    """Uniform, with variance gain^2 / fan (He et al., 2015)."""
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Tensor:
    """Normal, with variance gain^2 / fan (He et al., 2015)."""
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))


def uniform_within_fan_in_(bias: Tensor | None, weight: Tensor) -> None:
    """The start of a layer's bias: uniform within one over the root of its weight's fan_in."""
    fan_in, _ = fans(weight)
    if bias is not None and fan_in > 0:
        uniform_(bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))
