"""NumPy functions that call a function for each element, row or piece."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent


@equivalent(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args):
    moved = np.moveaxis(arr, axis, -1)
    rows = np.array([func1d(row, *args) if args else func1d(row) for row in np.reshape(moved, (-1, moved.shape[-1]))])
    if np.ndim(rows) == 1:
        return np.reshape(rows, moved.shape[:-1])
    return np.moveaxis(np.reshape(rows, moved.shape[:-1] + rows.shape[1:]), -1, axis)


@equivalent(np.vectorize, writes=True, count=1)
def vectorize(pyfunc):
    return lambda x, y=None: of_each(pyfunc, x) if y is None else of_pairs(pyfunc, x, y)


def of_each(function, x):
    """The function of each element, in an array of the same shape."""
    return np.reshape(np.array([function(v) for v in np.ravel(x)]), np.shape(x))


def of_pairs(function, x, y):
    """The function of each pair of elements, of arrays that are broadcast against each other."""
    x, y = np.broadcast_arrays(x, y)
    return np.reshape(np.array([function(a, b) for a, b in zip(np.ravel(x), np.ravel(y))]), np.shape(x))


@equivalent(np.piecewise, count=3)
def piecewise(x, condlist, funclist):
    y = np.zeros_like(x)
    covered = np.zeros(np.shape(x), bool)
    for condition, function in zip(condlist, funclist):
        y[condition] = function(x[condition]) if callable(function) else function
        covered = covered | condition
    if len(funclist) == len(condlist) + 1:
        otherwise = funclist[-1]
        y[~covered] = otherwise(x[~covered]) if callable(otherwise) else otherwise
    return y


@equivalent(np.fromfunction, count=2)
def fromfunction(function, shape):
    return function(*np.indices(shape, dtype=float))
