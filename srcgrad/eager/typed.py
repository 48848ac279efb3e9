"""The constructors of old: one for each type of elements."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.creation import tensor
from srcgrad.eager.dtypes import DTYPES
from srcgrad.eager.shaping import sizes_of
from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["typed"]


class _Typed(type):
    """Tensors of one type of elements are instances."""
    wanted: Any

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Tensor) and x.dtype is cls.wanted

    def __call__(cls, *data: Any) -> Tensor:
        if data and not isinstance(data[0], int):
            return tensor(data[0], dtype=cls.wanted)
        return wrap(np.empty(sizes_of(data) if data else (0,), cls.wanted.numpy))


def typed(name: str) -> Any:
    """The class whose calls make tensors of this type, uninitialised ones of sizes.

    >>> typed("int64")([1, 2])
    tensor([1, 2])
    """
    wanted = DTYPES[name]
    return _Typed(f"{wanted.legacy}Tensor", (), {"wanted": wanted, "dtype": wanted})
