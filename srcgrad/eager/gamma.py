"""The gamma function's logarithm and its derivatives; the other functions of `torch.special`."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.op import operation, record
from srcgrad.eager.pointwise import unary
from srcgrad.eager.protocols import helper
from srcgrad.eager.quiet import quiet
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor

__all__ = ["digamma", "lgamma", "polygamma"]

# Bernoulli's numbers of even index, as they stand in the asymptotic series
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_FAR = 16.0


def _gamma_log(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):         # poles, infinities
        return math.inf


_lgamma_one = np.frompyfunc(_gamma_log, 1, 1)


def lgamma_array(a: np.ndarray) -> Any:
    """The logarithm of the size of the gamma function."""
    found = np.asarray(_lgamma_one(a), np.float64)
    return np.where(np.isnan(a), np.nan, found).astype(a.dtype)


def psi_array(n: Any, a: np.ndarray) -> Any:
    """The derivative of order `n` of the digamma function: recurrence to where the asymptotic series holds.

    >>> round(float(psi_array(0, np.array(1.0))), 12)
    -0.577215664902
    """
    x = np.asarray(a, np.float64)
    if np.any(x < 0):
        left, right = np.where(x < 0, x, -0.5), np.where(x < 0, 1.0, x)
        return np.where(x < 0, _reflected(n, left), psi_array(n, right)).astype(a.dtype)
    sign, order = (-1.0) ** (n + 1), math.factorial(n)
    total = np.zeros(x.shape)
    while np.any(x < _FAR):
        near = x < _FAR
        total = total + np.where(near, sign * order / x ** (n + 1), 0.0)
        x = np.where(near, x + 1, x)
    return np.asarray(total + _series(n, sign, order, x)).astype(a.dtype)


def _series(n: int, sign: float, order: int, x: Any) -> Any:
    """The asymptotic series of the derivative of order n, for large x."""
    if n == 0:
        first = np.log(x) - 0.5 / x
        return first - sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, start=1))
    first = math.factorial(n - 1) / x ** n + order / (2 * x ** (n + 1))
    rest = sum(b * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
               for k, b in enumerate(_BERNOULLI, start=1))
    return sign * (first + rest)


def _reflected(n: int, x: Any) -> Any:
    """Left of zero: psi(1 - x) - psi(x) = pi / tan(pi x), and the derivatives of that."""
    if n > 1:
        raise NotImplementedError("polygamma(): orders above 1 are there for positive numbers only")
    other = psi_array(n, 1 - x)
    angle = np.pi * x
    whole = x == np.floor(x)
    found = other - np.pi / np.tan(angle) if n == 0 else (np.pi / np.sin(angle)) ** 2 - other
    return np.where(whole, np.nan if n == 0 else np.inf, found)


# ---------------------------------------------------------------- as operations

@operation("LgammaBackward0", lgamma_array, elementwise=True)
def _lgamma(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar * psi_array(0, x)
    return x_bar


@operation("PolygammaBackward0", psi_array, elementwise=True)
def _polygamma(out_bar: Any, out: Any, n: Any, x: Any) -> Any:
    x_bar = out_bar * psi_array(n + 1, x)
    return x_bar


@operation("DigammaBackward0", elementwise=True)
def _digamma(out_bar: Any, out: Any, x: Any) -> Any:
    x_bar = out_bar * psi_array(1, x)
    return x_bar


helper(psi_array, _polygamma)
lgamma = function(unary(_lgamma, lgamma_array), "lgamma")
digamma = function(unary(_digamma, lambda a: psi_array(0, a)), "digamma")


def polygamma(n: int, input: Any) -> Tensor:
    """The derivative of order `n` of the digamma function."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(input)
    x = input if input._a.dtype.kind == "f" else input.float()
    with quiet:
        return record(_polygamma, psi_array(n, x._a), (n, x))


function(polygamma, methods=False)
setattr(Tensor, "polygamma", lambda self, n: polygamma(n, self))           # noqa: B010 (as all chapters do)


@function
def mvlgamma(input: Any, p: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = p * (p - 1) / 4 * math.log(math.pi)
    for k in range(p):
        total = total + lgamma(input - k / 2)
    return total
