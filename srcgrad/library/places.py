"""NumPy functions that put elements into other places: which ones is asked of the function itself, on their numbers."""
from __future__ import annotations

import numpy as np

from srcgrad.library.registry import equivalent
from srcgrad.runtime.tensors import stop_gradient


@equivalent(np.insert)
def insert(arr, obj, values, axis=None):
    n = np.size(arr)
    numbers = np.arange(n, n + np.size(values)).reshape(np.shape(values))
    places = np.insert(np.arange(n).reshape(np.shape(arr)), obj, numbers, axis)
    return np.concatenate((np.ravel(arr), np.ravel(values).astype(np.asarray(arr).dtype)))[places]


@equivalent(np.delete)
def delete(arr, obj, axis=None):
    return np.ravel(arr)[np.delete(np.arange(np.size(arr)).reshape(np.shape(arr)), obj, axis)]


@equivalent(np.rollaxis)
def rollaxis(a, axis, start=0):
    rank = np.ndim(a)
    before = start + rank if start < 0 else start
    return np.moveaxis(a, axis, before - 1 if axis % rank < before else before)


@equivalent(np.resize)
def resize(a, new_shape):
    return np.ravel(a)[np.resize(np.arange(np.size(a)), new_shape)]


@equivalent(np.extract)
def extract(condition, arr):
    return np.ravel(arr)[np.flatnonzero(condition)]


@equivalent(np.trim_zeros, count=1)
def trim_zeros(filt):
    places = np.flatnonzero(filt)
    if np.size(places) == 0:
        return filt[:0]
    return filt[places[0]:places[-1] + 1]


@equivalent(np.unique, count=1)
def unique(ar):
    return np.ravel(ar)[np.unique(stop_gradient(ar), return_index=True)[1]]


@equivalent(np.diagflat)
def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


@equivalent(np.choose, count=2)
def choose(a, choices):
    chosen = choices[0]
    for k in range(1, len(choices)):
        chosen = np.where(np.equal(a, k), choices[k], chosen)
    return chosen


@equivalent(np.block)
def block(arrays):
    if isinstance(arrays[0], list):
        return np.concatenate([np.concatenate([np.atleast_2d(a) for a in row], axis=-1) for row in arrays], axis=-2)
    return np.concatenate([np.atleast_1d(a) for a in arrays], axis=-1)


# ---------------------------------------------------------------- grids

@equivalent(np.broadcast_arrays, count=2)
def broadcast_two(a, b):
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape)


@equivalent(np.broadcast_arrays, count=3)
def broadcast_three(a, b, c):
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c))
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape), np.broadcast_to(c, shape)


@equivalent(np.meshgrid, count=2, keywords=True)
def meshgrid_of_two(x, y, *, copy=True, sparse=False, indexing="xy"):
    if indexing == "ij":
        x, y = np.reshape(x, (-1, 1)), np.reshape(y, (1, -1))
    else:
        x, y = np.reshape(x, (1, -1)), np.reshape(y, (-1, 1))
    if sparse:
        return x, y
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    return np.array(np.broadcast_to(x, shape)), np.array(np.broadcast_to(y, shape))


@equivalent(np.meshgrid, count=3, keywords=True)
def meshgrid_of_three(x, y, z, *, copy=True, sparse=False, indexing="xy"):
    if indexing == "ij":
        x, y, z = np.reshape(x, (-1, 1, 1)), np.reshape(y, (1, -1, 1)), np.reshape(z, (1, 1, -1))
    else:
        x, y, z = np.reshape(x, (1, -1, 1)), np.reshape(y, (-1, 1, 1)), np.reshape(z, (1, 1, -1))
    if sparse:
        return x, y, z
    shape = np.broadcast_shapes(np.shape(x), np.shape(y), np.shape(z))
    return (np.array(np.broadcast_to(x, shape)), np.array(np.broadcast_to(y, shape)),
            np.array(np.broadcast_to(z, shape)))


@equivalent(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.power(base, np.linspace(start, stop, num, endpoint))


@equivalent(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True):
    exponents = np.linspace(np.log10(np.abs(start)), np.log10(np.abs(stop)), num, endpoint)
    return np.sign(start) * np.power(10.0, exponents)


@equivalent(np.vander)
def vander(x, N=None, increasing=False):
    powers = np.arange(len(x) if N is None else N)
    if not increasing:
        powers = powers[::-1]
    return np.power(np.reshape(x, (-1, 1)), powers)


# ---------------------------------------------------------------- np.array(x, ndmin=n)

def at_least_1d(x):
    return np.atleast_1d(x)


def at_least_2d(x):
    return np.atleast_2d(x)
