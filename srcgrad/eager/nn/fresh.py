"""Tensors for new parameters."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.dtypes import get_default_dtype, numpy_dtype
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.tensor import device as Device


def full(shape: tuple[int, ...], value: float, dtype: Any = None, device: Any = None) -> Tensor:
    """The same number everywhere, in the default type unless another is asked for; the device can only be the CPU."""
    if device is not None:
        Device(device)
    return wrap(np.full(shape, value, numpy_dtype(get_default_dtype() if dtype is None else dtype)))


def zeros(*shape: int, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros, to be overwritten as a rule."""
    return full(shape, 0.0, dtype, device)
