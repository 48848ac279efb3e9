"""Functions of `scipy.linalg` that are short formulas of NumPy's."""
from __future__ import annotations

import numpy as np
import scipy.linalg

from srcgrad.library.registry import equivalent


@equivalent(scipy.linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return np.linalg.norm(a, ord, axis, keepdims)


@equivalent(scipy.linalg.circulant)
def circulant(c):
    c = np.ravel(np.asarray(c))
    places = np.arange(len(c))
    return c[np.reshape(places, (-1, 1)) - places]


@equivalent(scipy.linalg.companion)
def companion(a):
    a = np.atleast_1d(np.asarray(a))
    n = len(a) - 1
    return np.concatenate((np.reshape(-a[1:] / a[0], (1, n)), np.eye(n - 1, n)))
