"""Copies and changes of type."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.dtypes import DTYPES, dtype, numpy_dtype
from srcgrad.eager.op import Op, record
from srcgrad.eager.table import function, plain
from srcgrad.eager.tensor import Tensor, device, method

_clone, _contiguous = Op("CloneBackward0", np.positive), Op("CloneBackward0", np.positive)
_cast = Op("ToCopyBackward0", np.ndarray.astype)


@function
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients go through."""
    return record(_clone, input._a.copy(order="K"), (input,))


@method()
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in order, else a copy in which they do."""
    if self._a.flags.c_contiguous:
        return self
    return record(_contiguous, np.ascontiguousarray(self._a), (self,))


@method()
def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **words: Any) -> Tensor:
    """As another type; the tensor itself where it has that type already."""
    for x in args:
        if isinstance(x, Tensor):
            dtype = x.dtype
        elif isinstance(x, str) and x not in DTYPES or not isinstance(x, (str, bool, *_TYPES)):
            _check_device(x)
        elif not isinstance(x, bool):
            dtype = x
    if device is not None:
        _check_device(device)
    wanted = self._a.dtype if dtype is None else numpy_dtype(dtype)
    if wanted == self._a.dtype and not copy:
        return self
    a = self._a
    if a.dtype.kind == "c" and wanted.kind != "c":
        a = a.real
    return record(_cast, a.astype(wanted), (self, wanted, "K", "unsafe", True, True))


_TYPES = (dtype, np.dtype, type)


def _check_device(x: Any) -> None:
    if x is not None:
        device(x)


for _name in ("float", "double", "half", "int", "long", "short", "bool", "cfloat", "cdouble"):
    def _as(self: Tensor, memory_format: Any = None, _wanted: Any = DTYPES[_name]) -> Tensor:
        return to(self, _wanted)
    setattr(Tensor, _name, _as)
setattr(Tensor, "byte", lambda self: to(self, DTYPES["uint8"]))     # noqa: B010 (as all methods)
setattr(Tensor, "char", lambda self: to(self, DTYPES["int8"]))      # noqa: B010 (as all methods)


@method()
def type(self: Tensor, dtype: Any = None) -> Any:
    """The name of the type, or the tensor as another type."""
    if dtype is None:
        return f"torch.{self.dtype.legacy}Tensor"
    return to(self, getattr(dtype, "wanted", dtype))


@method()
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """As the type of another tensor."""
    return to(self, other.dtype)


def _same(self: Tensor, *args: Any, **words: Any) -> Tensor:
    return self


for _name in ("cpu", "pin_memory", "resolve_conj", "resolve_neg", "coalesce", "to_dense"):
    setattr(Tensor, _name, _same)


@method()
def cuda(self: Tensor, *args: Any, **words: Any) -> Tensor:
    """Refuses: tensors lie on the CPU."""
    raise AssertionError("Torch not compiled with CUDA enabled")


@plain
def can_cast(source: Any, target: Any) -> bool:
    """Whether an in-place operation may put one type into the other."""
    order = "buifc"
    a, b = numpy_dtype(source).kind, numpy_dtype(target).kind
    return order.index(a) <= order.index(b) or {a, b} <= {"u", "i"}


@plain
def is_floating_point(input: Tensor) -> bool:
    """Whether elements are floats."""
    return input._a.dtype.kind == "f"


@plain
def is_complex(input: Tensor) -> bool:
    """Whether elements are complex numbers."""
    return input._a.dtype.kind == "c"


@plain
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input._a.size


__all__ = ["clone", "to"]
