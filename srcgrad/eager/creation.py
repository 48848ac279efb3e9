"""Making tensors: of data, of one number, of ranges."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.eager.dtypes import DTYPES, Size, as_dtype, default_complex, get_default_dtype, numpy_dtype
from srcgrad.eager.quiet import quiet
from srcgrad.eager.shaping import given_sizes, sizes_of
from srcgrad.eager.table import plain
from srcgrad.eager.tensor import Tensor, method, wrap
from srcgrad.eager.tensor import device as Device

_GRAD = "Only Tensors of floating point and complex dtype can require gradients"


def made(a: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A leaf over an array."""
    if device is not None:
        Device(device)
    t = wrap(a)
    if requires_grad:
        if t._a.dtype.kind not in "fc":
            raise RuntimeError(_GRAD)
        t._rg = True
    return t


# ---------------------------------------------------------------- of data

def _array_of(data: Any, dtype: Any) -> np.ndarray:
    """A new array of numbers, nested sequences, arrays or tensors, with torch's types."""
    if isinstance(data, Tensor):
        return data._a.astype(numpy_dtype(dtype)) if dtype is not None else data._a.copy()
    if isinstance(data, (np.ndarray, np.generic)):
        a = np.array(data)
        return a.astype(numpy_dtype(dtype if dtype is not None else a.dtype), copy=False)
    try:
        a = np.array(_opened(data))
    except ValueError:
        raise _ragged(data) from None
    if a.dtype.kind in "OUSmMV":
        raise _not_numbers(data)
    if dtype is not None:
        with quiet:
            return _fits(a, numpy_dtype(dtype))
    return a.astype(_inferred(a, data), copy=False)


def _ragged(data: Any) -> ValueError:
    """What is said of sequences of unequal lengths."""
    dim, level = 1, [data]
    while all(isinstance(x, (list, tuple)) for x in level):
        level = [item for x in level for item in x]
        lengths = [len(x) if isinstance(x, (list, tuple)) else -1 for x in level]
        odd = next((n for n in lengths if n != lengths[0]), None)
        if odd is not None:
            return ValueError(f"expected sequence of length {lengths[0]} at dim {dim} (got {odd})")
        dim += 1
    return ValueError("expected sequences of equal length")


def _not_numbers(data: Any) -> Exception:
    """What is said of data that isn't made of numbers."""
    while isinstance(data, (list, tuple)) and len(data):
        data = data[0]
    if isinstance(data, str):
        return TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, int):
        return ValueError("Overflow when unpacking long long")
    return RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def _fits(a: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The numbers as that type, if it can hold them."""
    if a.dtype.kind in "iu" and dtype.kind in "iu" and a.size:
        limits = np.iinfo(dtype)
        if int(a.max()) > limits.max or (int(a.min()) < limits.min and dtype.kind == "i"):
            raise RuntimeError(f"value cannot be converted to type {as_dtype(dtype).name} without overflow")
    return a.astype(dtype)


def _inferred(a: np.ndarray, data: Any) -> np.dtype:
    if a.size == 0 or a.dtype.kind == "f":
        own = _own_type(data)
        return own if own is not None else get_default_dtype().numpy
    if a.dtype.kind == "c":
        return default_complex().numpy
    if a.dtype.kind in "ui":
        return np.dtype(np.int64)
    return as_dtype(a.dtype).numpy


def _own_type(data: Any) -> np.dtype | None:
    """The type of a list of arrays, NumPy scalars or tensors."""
    while isinstance(data, (list, tuple)) and len(data):
        data = data[0]
    data = data._a if isinstance(data, Tensor) else data
    return data.dtype if isinstance(data, (np.ndarray, np.generic)) else None


def _opened(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return [_opened(item) for item in data]
    return data._a if isinstance(data, Tensor) else data


@plain
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Tensor:
    """A leaf with a copy of the data.

    >>> tensor([1.0, 2.5], requires_grad=True)
    tensor([1.0000, 2.5000], requires_grad=True)
    """
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=3)
    return made(_array_of(data, dtype), requires_grad, device)


@plain
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor over the data, copied only if that is needed."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        return wrap(data.astype(numpy_dtype(dtype if dtype is not None else data.dtype), copy=False))
    return tensor(data, dtype=dtype, device=device)


@plain
def from_numpy(a: np.ndarray) -> Tensor:
    """A tensor over the array itself."""
    if not isinstance(a, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(a).__name__})")
    as_dtype(a.dtype)
    if any(s < 0 for s in a.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides "
                         "are not currently supported. (You can probably work around this by making a copy of your "
                         "array with array.copy().)")
    return wrap(a)


@plain
def is_tensor(x: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(x, Tensor)


# ---------------------------------------------------------------- of sizes

def type_of(dtype: Any) -> np.dtype:
    return get_default_dtype().numpy if dtype is None else numpy_dtype(dtype)


def _sizes(name: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    given = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    for n in given:
        if not hasattr(n, "__index__"):
            raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {type(n).__name__}")
    return sizes_of(size)


def _sized(name: str, make: Any) -> Any:
    def create(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **words: Any) -> Tensor:
        shape = _sizes(name, given_sizes(name, size, words))
        if any(n < 0 for n in shape):
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
        return made(make(shape, type_of(dtype)), requires_grad, device)
    create.__name__ = name
    create.__doc__ = f"A leaf made by np.{name}."
    return plain(create)


def _like(name: str, make: Any) -> Any:
    def create(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               **words: Any) -> Tensor:
        a = input._a
        return made(make(a.shape, a.dtype if dtype is None else numpy_dtype(dtype)), requires_grad, device)
    create.__name__ = f"{name}_like"
    plain(create)

    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
            **words: Any) -> Tensor:
        shape = sizes_of(given_sizes(f"new_{name}", size, words))
        return made(make(shape, self._a.dtype if dtype is None else numpy_dtype(dtype)), requires_grad, device)
    setattr(Tensor, f"new_{name}", new)


for _name in ("ones", "zeros", "empty"):
    _sized(_name, getattr(np, _name))
    _like(_name, getattr(np, _name))


@plain
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf of one number."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = _array_of(value, None).dtype if dtype is None else numpy_dtype(dtype)
    return made(np.full(sizes_of((size,)), value, kind), requires_grad, device)


@plain
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              ) -> Tensor:
    """A leaf of one number, with another tensor's shape and type."""
    kind = input._a.dtype if dtype is None else numpy_dtype(dtype)
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return made(np.full(input._a.shape, value, kind), requires_grad, device)


@method()
def new_full(self: Tensor, size: Any, fill_value: Any, **words: Any) -> Tensor:
    """A tensor of one number, of this one's type."""
    return full(size, fill_value, **{"dtype": self.dtype, **words})


@method()
def new_tensor(self: Tensor, data: Any, **words: Any) -> Tensor:
    """A tensor with a copy of the data, of this one's type."""
    return tensor(data, **{"dtype": self.dtype, **words})


@plain
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf with ones on the diagonal."""
    return made(np.eye(n, m, dtype=type_of(dtype)), requires_grad, device)


@plain
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
           requires_grad: bool = False) -> Tensor:
    """A leaf with numbers from `start` up to `end`."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    whole = all(isinstance(v, (int, np.integer)) for v in (start, end, step))
    kind = np.dtype(np.int64) if whole and dtype is None else type_of(dtype)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((end - start) / step)
    return made((start + step * np.arange(count)).astype(kind), requires_grad, device)


@plain
def range(start: Any, end: Any = None, step: Any = 1, **words: Any) -> Tensor:
    """As `arange`, with the end included, in floats."""
    return arange(start, end + step / 2, step, **{"dtype": get_default_dtype(), **words})


@plain
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """A leaf with `steps` numbers from `start` to `end`."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    return made(np.linspace(start, end, steps).astype(type_of(dtype)), requires_grad, device)


@plain
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:
    """A leaf with powers of `base`, their exponents from `start` to `end`."""
    return made(np.power(base, np.linspace(start, end, steps)).astype(type_of(dtype)), requires_grad, device)


@plain
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers of two parts."""
    return real + imag * 1j


@plain
def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The indices of a lower triangle, in two rows."""
    return wrap(np.stack(np.tril_indices(row, offset, col)))


@plain
def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The indices of an upper triangle, in two rows."""
    return wrap(np.stack(np.triu_indices(row, offset, col)))


__all__ = ["DTYPES", "Size", "made", "tensor"]
