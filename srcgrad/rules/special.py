"""scipy.special: gamma, error, Bessel and information functions.

Formulas: NIST Digital Library of Mathematical Functions, chapters 5 (gamma), 6 (exponential integrals), 7 (error
functions), 8 (incomplete gamma and beta), 10 (Bessel), 19 (elliptic integrals).
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.rules import arithmetic, elementwise
from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import cast
from srcgrad.runtime.special import (
    bessel_quotient,
    logsumexp_a,
    logsumexp_b,
    scale_to_zero,
)

# ---------------------------------------------------------------- what NumPy or `math` has as well

for _same, _rule in ((special.erf, elementwise.erf), (special.erfc, elementwise.erfc), (special.exp2, elementwise.exp2),
                     (special.expm1, elementwise.expm1), (special.log1p, elementwise.log1p),
                     (special.cbrt, arithmetic.cbrt)):
    rule(_same, elementwise=True)(_rule)


# ---------------------------------------------------------------- gamma functions


@rule(special.gammaln, special.loggamma, elementwise=True)
def gammaln(out_bar, out, x):
    x_bar = out_bar * special.digamma(x)
    return x_bar


@rule(special.gamma, elementwise=True)
def gamma(out_bar, out, x):
    x_bar = out_bar * out * special.digamma(x)
    return x_bar


@rule(special.rgamma, elementwise=True)
def rgamma(out_bar, out, x):
    x_bar = -out_bar * out * special.digamma(x)
    return x_bar


@rule(special.digamma, elementwise=True)
def digamma(out_bar, out, x):
    x_bar = out_bar * special.zeta(2.0, x)
    return x_bar


@rule(special.polygamma, elementwise=True, inactive=("n",))
def polygamma(out_bar, out, n, x):
    x_bar = out_bar * special.polygamma(n + 1, x)
    return x_bar


@rule(special.beta, elementwise=True)
def beta(out_bar, out, a, b):
    a_bar = out_bar * out * (special.digamma(a) - special.digamma(a + b))
    b_bar = out_bar * out * (special.digamma(b) - special.digamma(a + b))
    return a_bar, b_bar


@rule(special.betaln, elementwise=True)
def betaln(out_bar, out, a, b):
    a_bar = out_bar * (special.digamma(a) - special.digamma(a + b))
    b_bar = out_bar * (special.digamma(b) - special.digamma(a + b))
    return a_bar, b_bar


@rule(special.gammainc, elementwise=True, inactive=("a",))
def gammainc(out_bar, out, a, x):
    x_bar = out_bar * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))
    return x_bar


@rule(special.gammaincc, elementwise=True, inactive=("a",))
def gammaincc(out_bar, out, a, x):
    x_bar = -out_bar * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))
    return x_bar


@rule(special.betainc, elementwise=True, inactive=("a", "b"))
def betainc(out_bar, out, a, b, x):
    partial = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    x_bar = out_bar * cast(partial, np.result_type(out_bar))
    return x_bar


# ---------------------------------------------------------------- error functions and the normal distribution


@rule(special.erfcx, elementwise=True)
def erfcx(out_bar, out, x):
    x_bar = out_bar * (2.0 * x * out - 2.0 / math.sqrt(math.pi))
    return x_bar


@rule(special.erfi, elementwise=True)
def erfi(out_bar, out, x):
    x_bar = out_bar * (2.0 / math.sqrt(math.pi)) * np.exp(x * x)
    return x_bar


@rule(special.erfinv, elementwise=True)
def erfinv(out_bar, out, x):
    x_bar = out_bar * (0.5 * math.sqrt(math.pi)) * np.exp(out * out)
    return x_bar


@rule(special.erfcinv, elementwise=True)
def erfcinv(out_bar, out, x):
    x_bar = -out_bar * (0.5 * math.sqrt(math.pi)) * np.exp(out * out)
    return x_bar


@rule(special.ndtr, elementwise=True)
def ndtr(out_bar, out, x):
    x_bar = out_bar * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    return x_bar


@rule(special.log_ndtr, elementwise=True)
def log_ndtr(out_bar, out, x):
    x_bar = out_bar * np.exp(-0.5 * x * x - out) / math.sqrt(2.0 * math.pi)
    return x_bar


@rule(special.ndtri, elementwise=True)
def ndtri(out_bar, out, y):
    y_bar = out_bar * math.sqrt(2.0 * math.pi) * np.exp(0.5 * out * out)
    return y_bar


@rule(special.dawsn, elementwise=True)
def dawsn(out_bar, out, x):
    x_bar = out_bar * (1.0 - 2.0 * x * out)
    return x_bar


# ---------------------------------------------------------------- exponentials and logarithms


@rule(special.expit, elementwise=True)
def expit(out_bar, out, x):
    x_bar = out_bar * out * (1.0 - out)
    return x_bar


@rule(special.log_expit, elementwise=True)
def log_expit(out_bar, out, x):
    x_bar = out_bar * special.expit(-x)
    return x_bar


@rule(special.logit, elementwise=True, harmless=0.5)
def logit(out_bar, out, x):
    x_bar = out_bar / (x * (1.0 - x))
    return x_bar


@rule(special.exp10, elementwise=True)
def exp10(out_bar, out, x):
    x_bar = out_bar * out * math.log(10.0)
    return x_bar


@rule(special.xlogy, elementwise=True)
def xlogy(out_bar, out, x, y):
    x_bar = out_bar * np.log(y)
    y_bar = out_bar * scale_to_zero(x, y)
    return x_bar, y_bar


@rule(special.xlog1py, elementwise=True)
def xlog1py(out_bar, out, x, y):
    x_bar = out_bar * np.log1p(y)
    y_bar = out_bar * scale_to_zero(x, 1.0 + y)
    return x_bar, y_bar


@rule(special.entr, elementwise=True)
def entr(out_bar, out, x):
    x_bar = -out_bar * (1.0 + np.log(x))
    return x_bar


@rule(special.rel_entr, elementwise=True)
def rel_entr(out_bar, out, x, y):
    x_bar = out_bar * (1.0 + np.log(x / y))
    y_bar = -out_bar * x / y
    return x_bar, y_bar


@rule(special.kl_div, elementwise=True)
def kl_div(out_bar, out, x, y):
    x_bar = out_bar * np.log(x / y)
    y_bar = out_bar * (1.0 - x / y)
    return x_bar, y_bar


@rule(special.exp1, elementwise=True)
def exp1(out_bar, out, x):
    x_bar = -out_bar * np.exp(-x) / x
    return x_bar


@rule(special.expi, elementwise=True)
def expi(out_bar, out, x):
    x_bar = out_bar * np.exp(x) / x
    return x_bar


@rule(special.logsumexp, inactive=("return_sign",), only={"return_sign": (False,)})
def logsumexp(out_bar, out, a, axis=None, b=None, keepdims=False, return_sign=False):
    a_bar = logsumexp_a(out_bar, out, a, axis, b, keepdims)
    b_bar = logsumexp_b(out_bar, out, a, axis, b, keepdims)
    return a_bar, b_bar


@rule(special.softmax)
def softmax(out_bar, out, x, axis=None):
    x_bar = out * (out_bar - np.sum(out_bar * out, axis=axis, keepdims=True))
    return x_bar


@rule(special.log_softmax)
def log_softmax(out_bar, out, x, axis=None):
    x_bar = out_bar - np.exp(out) * np.sum(out_bar, axis=axis, keepdims=True)
    return x_bar


# ---------------------------------------------------------------- Bessel functions and elliptic integrals


@rule(special.j0, elementwise=True)
def j0(out_bar, out, x):
    x_bar = -out_bar * special.j1(x)
    return x_bar


@rule(special.j1, elementwise=True)
def j1(out_bar, out, x):
    x_bar = out_bar * (special.j0(x) - bessel_quotient(out, x))
    return x_bar


@rule(special.y0, elementwise=True)
def y0(out_bar, out, x):
    x_bar = -out_bar * special.y1(x)
    return x_bar


@rule(special.y1, elementwise=True)
def y1(out_bar, out, x):
    x_bar = out_bar * (special.y0(x) - out / x)
    return x_bar


@rule(special.i0, elementwise=True)
def i0(out_bar, out, x):
    x_bar = out_bar * special.i1(x)
    return x_bar


@rule(special.i0e, elementwise=True)
def i0e(out_bar, out, x):
    x_bar = out_bar * (special.i1e(x) - np.sign(x) * out)
    return x_bar


@rule(special.i1, elementwise=True)
def i1(out_bar, out, x):
    x_bar = out_bar * (special.i0(x) - bessel_quotient(out, x))
    return x_bar


@rule(special.k0, elementwise=True)
def k0(out_bar, out, x):
    x_bar = -out_bar * special.k1(x)
    return x_bar


@rule(special.k1, elementwise=True)
def k1(out_bar, out, x):
    x_bar = -out_bar * (special.k0(x) + out / x)
    return x_bar


@rule(special.jv, elementwise=True, inactive=("v",))
def jv(out_bar, out, v, z):
    z_bar = out_bar * 0.5 * (special.jv(v - 1.0, z) - special.jv(v + 1.0, z))
    return z_bar


@rule(special.yv, elementwise=True, inactive=("v",))
def yv(out_bar, out, v, z):
    z_bar = out_bar * 0.5 * (special.yv(v - 1.0, z) - special.yv(v + 1.0, z))
    return z_bar


@rule(special.iv, elementwise=True, inactive=("v",))
def iv(out_bar, out, v, z):
    z_bar = out_bar * 0.5 * (special.iv(v - 1.0, z) + special.iv(v + 1.0, z))
    return z_bar


@rule(special.kv, elementwise=True, inactive=("v",))
def kv(out_bar, out, v, z):
    z_bar = -out_bar * 0.5 * (special.kv(v - 1.0, z) + special.kv(v + 1.0, z))
    return z_bar


@rule(special.ellipk, elementwise=True, harmless=0.5)
def ellipk(out_bar, out, m):
    m_bar = out_bar * (special.ellipe(m) / (1.0 - m) - out) / (2.0 * m)
    return m_bar


@rule(special.ellipe, elementwise=True, harmless=0.5)
def ellipe(out_bar, out, m):
    m_bar = out_bar * (out - special.ellipk(m)) / (2.0 * m)
    return m_bar
