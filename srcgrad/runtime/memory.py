"""Where arrays lie: the storage behind a view, and the view that mirrors it in another buffer."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np


class _Interface(ctypes.Structure):
    """The array interface that NumPy documents for C (`__array_struct__`)."""
    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("data", ctypes.c_void_p), ("descr", ctypes.py_object)]


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_interface_at = _Interface.from_address


def address(a: np.ndarray) -> int:
    """The address of the first element.  (`a.ctypes.data` gives the same and takes three times as long.)"""
    capsule = a.__array_struct__
    return _interface_at(_pointer(capsule, None)).data or 0


def root(a: np.ndarray) -> np.ndarray:
    """The array that holds the memory that `a` is a view of: `a` itself where it owns it.

    >>> a = np.zeros((3, 4))
    >>> root(a[1:, ::2].T) is a
    True
    """
    found = a
    base = a.base
    while base is not None:
        if isinstance(base, np.ndarray):
            found = base
        # as_strided puts an object of its own between a view and its array
        base = getattr(base, "base", None)
    return found


def bounds(a: np.ndarray) -> tuple[int, int]:
    """The first address of the array's memory and the one behind its last."""
    return np.lib.array_utils.byte_bounds(a)


def mirror(a: np.ndarray, buffer: Any, low: int, dtype: np.dtype) -> np.ndarray:
    """The view of `buffer` that lies in it as `a` lies in the memory from address `low` on."""
    return np.ndarray(a.shape, dtype, buffer, address(a) - low, a.strides)


def whole_bytes(a: np.ndarray) -> np.ndarray:
    """All memory of an array that leaves no gaps in it, or that is itself a view of bytes, as one vector of bytes."""
    if isinstance(a.base, np.ndarray):
        return a.base
    slowest_first = sorted(range(a.ndim), key=lambda axis: (a.strides[axis], a.shape[axis]), reverse=True)
    return a.transpose(slowest_first).reshape(-1).view(np.uint8)


def copy_layout(a: np.ndarray) -> np.ndarray:
    """A copy with the same strides and flags, so that reshaping it gives a view exactly where it does for `a`.

    >>> a = np.zeros((3, 4))[:, :3]
    >>> copy_layout(a).strides == a.strides
    True
    """
    if type(a) is not np.ndarray or a.dtype.hasobject:
        return a.copy(order="K")
    new = np.copy(a, order="K")
    if new.strides != a.strides and a.size:
        low, high = bounds(a)
        new = mirror(a, np.empty(high - low, np.uint8), low, a.dtype)
        new[...] = a
    if not a.flags.writeable:
        new.flags.writeable = False
    return new


def cells_are_distinct(a: np.ndarray) -> bool:
    """True only if no two elements share a cell (sorted by stride, each step jumps over all smaller ones)."""
    reach = a.itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True)):
        if n > 1:
            if stride < reach:
                return False
            reach += stride * (n - 1)
    return True
