"""What an attribute of an array, a number, a named tuple or an object is."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.objects import of_object
from srcgrad.analysis.interpret.standins import number_like
from srcgrad.analysis.values import UNKNOWN, Array, Known, Linear, Number, ObjectOf, ShapeOf, TupleOf, Value


def attribute(value: Value, name: str) -> Value:
    """The abstract value of `value.name`.

    >>> attribute(Array(np.dtype("f8"), (Linear(4), Linear(3))), "ndim")
    Number(kind='int', dtype=None, linear=Linear(const=2, terms=()))
    """
    match value:
        case Array(dtype, dims):
            return _array_attribute(dtype, dims, name)
        case Number(kind, dtype) if dtype is None:
            part = {"real": kind, "imag": kind, "numerator": kind}.get(name)
            return UNKNOWN if part is None else Number({"complex": "float", "bool": "int"}.get(part, part))
        case Number(_, np.dtype() as dtype):
            return _scalar_attribute(dtype, name)
        case TupleOf(items, cls):
            return dict(zip(getattr(cls, "_fields", ()), items)).get(name, UNKNOWN)
        case ObjectOf(_, fields):
            return dict(fields).get(name, UNKNOWN)
        case Known(np.ndarray() | np.generic as obj):
            return attribute(_constant_array(obj), name)
    return UNKNOWN


def _constant_array(obj: Any) -> Value:
    return Array(obj.dtype, tuple(map(Linear, obj.shape))) if isinstance(obj, np.ndarray) else of_object(obj)


def _array_attribute(dtype: np.dtype | None, dims: tuple[Linear | None, ...] | None, name: str) -> Value:
    if name == "dtype" and dtype is not None:
        return Known(dtype)
    if name in ("real", "imag"):
        return Array(None if dtype is None else getattr(np.zeros(0, dtype), name).dtype, dims)
    if name == "itemsize" and dtype is not None:
        return Number("int", None, Linear(dtype.itemsize))
    if name == "nbytes":
        return Number("int")
    if name in ("T", "mT"):
        return _transposed(dtype, dims, name)
    if dims is None:
        return Number("int") if name in ("ndim", "size") else ShapeOf() if name == "shape" else UNKNOWN
    whole = {"ndim": Linear(len(dims)), "size": _product(dims)}
    if name == "shape":
        return TupleOf(tuple(Number("int", None, d) for d in dims))
    return Number("int", None, whole[name]) if name in whole else UNKNOWN


def _transposed(dtype: np.dtype | None, dims: tuple[Linear | None, ...] | None, name: str) -> Value:
    if dims is None or name == "T":
        return Array(dtype, dims and dims[::-1])
    return Array(dtype, (*dims[:-2], dims[-1], dims[-2])) if len(dims) > 1 else UNKNOWN


def _product(dims: tuple[Linear | None, ...]) -> Linear | None:
    constant = math.prod(d.const for d in dims if d is not None and not d.terms)
    symbolic = [d for d in dims if d is None or d.terms]
    if not symbolic or constant == 0:
        return Linear(constant)
    return symbolic[0] * constant if len(symbolic) == 1 and symbolic[0] is not None else None


def _scalar_attribute(dtype: np.dtype, name: str) -> Value:
    if name in ("real", "imag"):
        return number_like(getattr(np.zeros(0, dtype), name).dtype)
    if name == "T":
        return number_like(dtype)
    found = _array_attribute(dtype, (), name)
    return UNKNOWN if isinstance(found, Array) else found
