"""NumPy functions that call a function for each element, row or piece."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent, equivalent_method


@equivalent(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args):
    moved = np.moveaxis(arr, axis, -1)
    rows = np.array([func1d(row, *args) if args else func1d(row) for row in np.reshape(moved, (-1, moved.shape[-1]))])
    if np.ndim(rows) == 1:
        return np.reshape(rows, moved.shape[:-1])
    return np.moveaxis(np.reshape(rows, moved.shape[:-1] + rows.shape[1:]), -1, axis)


@equivalent(np.vectorize, writes=True, count=1, keywords=True)
def vectorize(pyfunc, otypes=None, cache=False):
    def of_all(*args):
        return of_elements(pyfunc, args, otypes, cache)
    return of_all


@equivalent_method(np.vectorize, "__call__")
def vectorized(self, *args):
    if self.signature is not None or self.excluded:
        raise NotImplementedError("np.vectorize with a signature or excluded arguments has no derivative")
    return of_elements(self.pyfunc, args, self.otypes, self.cache)


def of_elements(function, args, otypes, cache):
    """The function of each element, of arrays that are broadcast against each other.

    As in NumPy it's called once more, for the first ones, where it isn't said what it gives and that isn't kept.
    """
    asks = otypes is None and not cache
    if len(args) == 1:
        x = args[0]
        if asks:
            function(np.ravel(x)[0])
        values = np.array([function(v) for v in np.ravel(x)])
    elif len(args) == 2:
        x, y = np.broadcast_arrays(args[0], args[1])
        a, b = np.ravel(x), np.ravel(y)
        if asks:
            function(a[0], b[0])
        values = np.array([function(a[k], b[k]) for k in range(len(a))])
    elif len(args) == 3:
        x, y, z = np.broadcast_arrays(args[0], args[1], args[2])
        a, b, c = np.ravel(x), np.ravel(y), np.ravel(z)
        if asks:
            function(a[0], b[0], c[0])
        values = np.array([function(a[k], b[k], c[k]) for k in range(len(a))])
    else:
        raise NotImplementedError("np.vectorize is differentiated for up to three arguments: write a loop")
    if otypes is not None:
        values = values.astype(otypes[0])
    return np.reshape(values, np.shape(x))


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
