"""Types of elements, shapes, and which type an operation on several types has."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from srcgrad.eager.tensor import Tensor

__all__ = ["DTYPES", "Size", "as_dtype", "default_complex", "dtype", "finfo", "get_default_dtype", "iinfo",
           "numpy_dtype", "promote", "promote_types", "result_dtype", "set_default_dtype"]

# bool < integers < floats < complex numbers
_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


class dtype:
    """A type of elements.

    >>> as_dtype(np.float32)
    torch.float32
    """
    __slots__ = ("name", "numpy", "is_floating_point", "is_complex", "is_signed", "itemsize", "legacy")

    def __init__(self, name: str, numpy: Any, legacy: str) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.is_floating_point = self.numpy.kind == "f"
        self.is_complex = self.numpy.kind == "c"
        self.is_signed = self.numpy.kind in "ifc"
        self.itemsize = self.numpy.itemsize
        self.legacy = legacy

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type, which NumPy finds here: `np.zeros(3, torch.float32)` works."""
        return self.numpy

    @property
    def type(self) -> Any:
        """NumPy's class of such numbers."""
        return self.numpy.type

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def to_complex(self) -> Any:
        """The complex type of the same precision."""
        return as_dtype(np.result_type(self.numpy, np.complex64))

    def to_real(self) -> Any:
        """The real type of the same precision."""
        return as_dtype(np.empty(0, self.numpy).real.dtype)


# name, NumPy's type, what errors call it, other names
_TABLE = (
    ("float32", np.float32, "Float", ("float",)), ("float64", np.float64, "Double", ("double",)),
    ("float16", np.float16, "Half", ("half",)), ("complex64", np.complex64, "ComplexFloat", ("cfloat",)),
    ("complex128", np.complex128, "ComplexDouble", ("cdouble",)), ("int64", np.int64, "Long", ("long",)),
    ("int32", np.int32, "Int", ("int",)), ("int16", np.int16, "Short", ("short",)), ("int8", np.int8, "Char", ()),
    ("uint8", np.uint8, "Byte", ()), ("uint16", np.uint16, "UInt16", ()), ("uint32", np.uint32, "UInt32", ()),
    ("uint64", np.uint64, "UInt64", ()), ("bool", np.bool_, "Bool", ()))

DTYPES: dict[str, dtype] = {}
_of_numpy: dict[np.dtype, dtype] = {}
for _name, _numpy, _legacy, _others in _TABLE:
    _made = dtype(_name, _numpy, _legacy)
    _of_numpy[_made.numpy] = _made
    DTYPES.update(dict.fromkeys((_name, *_others), _made))

_default = [DTYPES["float32"]]


def get_default_dtype() -> dtype:
    """The type that floats get: float32, unless it was changed."""
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Changes the type that floats get."""
    if not as_dtype(d).is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = as_dtype(d)


def default_complex() -> dtype:
    """The type that complex numbers get."""
    return _default[0].to_complex()


_PYTHON = {bool: "bool", int: "int64"}


def as_dtype(d: Any) -> dtype:
    """Our type for one of ours, of NumPy's or of Python's, or for a name."""
    if isinstance(d, dtype):
        return d
    if isinstance(d, str) and d in DTYPES:
        return DTYPES[d]
    if isinstance(d, type) and d in _PYTHON:
        return DTYPES[_PYTHON[d]]
    if d is float:
        return _default[0]
    if d is complex:
        return default_complex()
    try:
        return _of_numpy[np.dtype(d)]
    except (KeyError, TypeError):
        raise TypeError(f"can't convert np.ndarray of type {d}. The only supported types are: float64, float32, "
                        "float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
                        "and bool.") from None


def numpy_dtype(d: Any) -> np.dtype:
    """NumPy's type for one of ours, of NumPy's or of Python's."""
    return as_dtype(d).numpy


class finfo:
    """The limits of a type of floats.

    >>> finfo(as_dtype("float32")).bits
    32
    """

    def __init__(self, type: Any = None) -> None:
        self._numpy: Any = np.finfo(_default[0].numpy if type is None else numpy_dtype(type))
        self.bits = self._numpy.bits
        self.dtype = as_dtype(self._numpy.dtype).name

    def __getattr__(self, name: str) -> float:
        known = {"max": "max", "min": "min", "eps": "eps", "tiny": "tiny", "resolution": "resolution",
                 "smallest_normal": "tiny"}
        if name not in known:
            raise AttributeError(f"'finfo' object has no attribute {name!r}")
        return float(getattr(self._numpy, known[name]))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name):g}"
                          for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny"))
        return f"finfo({shown}, dtype={self.dtype})"


class iinfo:
    """The limits of a type of integers.

    >>> iinfo(as_dtype("int8")).max
    127
    """

    def __init__(self, type: Any) -> None:
        found = np.iinfo(numpy_dtype(type))
        self.bits, self.max, self.min, self.dtype = found.bits, found.max, found.min, as_dtype(type).name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class Size(tuple):
    """A shape: a tuple that prints as torch's.

    >>> Size((2, 3)), Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    """
    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """How many elements such an array has."""
        total = 1
        for n in self:
            total *= n
        return total

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))


# ---------------------------------------------------------------- promotion

def promote_types(a: Any, b: Any) -> dtype:
    """The type that holds both, as torch has it: an integer never widens a float.

    >>> promote_types("int64", "float32")
    torch.float32
    """
    return as_dtype(_promote(numpy_dtype(a), numpy_dtype(b)))


def _promote(a: np.dtype, b: np.dtype) -> np.dtype:
    if a is b:
        return a
    low, high = sorted((a, b), key=lambda d: _CATEGORY[d.kind])
    if _CATEGORY[low.kind] < 2 and _CATEGORY[high.kind] >= 2:
        return high
    return np.promote_types(a, b)


def result_dtype(*operands: Any) -> np.dtype:
    """NumPy's type of the result of an operation: category first, and within one only dimensioned tensors count."""
    dimensioned: np.dtype | None = None
    single: np.dtype | None = None
    plain: np.dtype | None = None
    for operand in operands:
        a = getattr(operand, "_a", operand)
        if isinstance(a, np.ndarray):
            if a.ndim:
                dimensioned = a.dtype if dimensioned is None else _promote(dimensioned, a.dtype)
            else:
                single = a.dtype if single is None else _promote(single, a.dtype)
        elif a is not None:
            own = scalar_dtype(a)
            plain = own if plain is None else _promote(plain, own)
    found = _combine(dimensioned, _combine(single, plain))
    assert found is not None
    return found


def _combine(higher: np.dtype | None, lower: np.dtype | None) -> np.dtype | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.kind == "c":
        return higher
    if higher.kind == "f":
        return as_dtype(higher).to_complex().numpy if lower.kind == "c" else higher
    if higher.kind == "b" or lower.kind in "fc":
        return _promote(higher, lower)
    return higher


def scalar_dtype(x: Any) -> np.dtype:
    """The type that a number of Python's or NumPy's counts as."""
    if isinstance(x, np.generic):
        return x.dtype
    if isinstance(x, bool):
        return DTYPES["bool"].numpy
    if isinstance(x, int):
        return DTYPES["int64"].numpy
    if isinstance(x, float):
        return _default[0].numpy
    if isinstance(x, complex):
        return default_complex().numpy
    raise TypeError(f"unsupported operand of type {type(x).__name__}")


def promote(dtype: np.dtype, *arrays: Any) -> list[Any]:
    """The arrays as that type; Python's numbers stay, since they take the type of the others."""
    return [a.astype(dtype, copy=False) if isinstance(a, np.ndarray) else a for a in arrays]


def floating(t: Tensor) -> np.ndarray:
    """The tensor's array, as floats where it holds integers or bools."""
    a: np.ndarray = t._a
    return a if a.dtype.kind in "fc" else a.astype(_default[0].numpy)
