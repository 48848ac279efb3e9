"""The test functions of `scipy.optimize`."""
from __future__ import annotations

import numpy as np
import scipy.optimize

from srcgrad.library.registry import equivalent


@equivalent(scipy.optimize.rosen)
def rosen(x):
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1.0 - x[:-1]) ** 2.0, axis=0)


@equivalent(scipy.optimize.rosen_der)
def rosen_der(x):
    x = np.asarray(x)
    inner = x[1:-1]
    return np.concatenate((
        -400.0 * x[:1] * (x[1:2] - x[:1] ** 2) - 2.0 * (1.0 - x[:1]),
        200.0 * (inner - x[:-2] ** 2) - 400.0 * (x[2:] - inner ** 2) * inner - 2.0 * (1.0 - inner),
        200.0 * (x[-1:] - x[-2:-1] ** 2)))
