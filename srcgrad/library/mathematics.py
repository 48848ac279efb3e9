"""math, where NumPy has no function of the kind."""
from __future__ import annotations

import cmath
import math

import numpy as np

from srcgrad.library.registry import equivalent


@equivalent(math.hypot, count=1)
def hypot_of_one(x, /):
    return abs(x)


@equivalent(math.hypot, count=(3, 4, 5, 6, 7, 8))
def hypot(*coordinates):
    total = 0.0
    for x in coordinates:
        total = np.hypot(total, x)
    return total


@equivalent(math.dist)
def dist(p, q, /):
    total = 0.0
    for a, b in zip(p, q, strict=True):
        total = np.hypot(total, a - b)
    return total


@equivalent(math.fsum)
def fsum(seq, /):
    total = 0.0
    for item in seq:
        total = total + item
    return total


@equivalent(math.prod)
def prod(iterable, /, *, start=1):
    total = start
    for item in iterable:
        total = total * item
    return total


@equivalent(math.modf)
def modf(x, /):
    whole = float(math.trunc(x))
    return x - whole, whole


@equivalent(cmath.polar)
def polar(z, /):
    return abs(z), cmath.phase(z)


@equivalent(cmath.rect)
def rect(r, phi, /):
    return complex(r * math.cos(phi), r * math.sin(phi))


@equivalent(math.remainder)
def remainder(x, y, /):
    return x - round(x / y) * y


if hasattr(math, "sumprod"):                # Python 3.12 and later
    @equivalent(math.sumprod)
    def sumprod(p, q, /):
        total = 0
        for a, b in zip(p, q, strict=True):
            total = total + a * b
        return total
