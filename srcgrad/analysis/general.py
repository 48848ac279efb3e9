"""Forgets of abstract values what one call in particular tells of them."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.analysis.values import UNKNOWN, Array, DictOf, ListOf, Number, ObjectOf, OneOf, TupleOf, Value, join


def generalise(value: Value, sample: Any = None) -> Value:
    """The value with everything forgotten of its numbers and arrays but that they are such; `sample` is one such value.

    >>> generalise(TupleOf((Number("float"), Number("int"))))
    TupleOf(items=(Array(dtype=None, dims=None), Number(kind='int', dtype=None, linear=None)), cls=<class 'tuple'>)
    """
    match value:
        case Array() | Number("float"):
            return Array(None, None)
        case Number(kind):
            return Number(kind)
        case TupleOf(items, cls):
            return TupleOf(tuple(map(generalise, items)), cls)
        case ListOf(item, cls) if item is not None and item != UNKNOWN:
            return ListOf(generalise(item), cls)
        case DictOf(items, other):
            return DictOf(tuple((k, generalise(v)) for k, v in items), None if other is None else generalise(other))
        case ObjectOf(cls, fields):
            return ObjectOf(cls, tuple((k, generalise(v)) for k, v in fields))
        case OneOf(kinds):
            return functools.reduce(join, map(generalise, kinds))
    return _by_sample(value, sample)


def _by_sample(value: Value, sample: Any) -> Value:
    """What only a sample tells of: a number or an array, or a list of them."""
    if value == UNKNOWN and isinstance(sample, (int, float, complex, np.ndarray, np.generic)):
        return Array(None, None)
    if type(sample) is list and sample and all(_by_sample(UNKNOWN, item) == Array(None, None) for item in sample):
        return ListOf(Array(None, None))
    return value
