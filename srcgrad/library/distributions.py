"""scipy.stats: densities and distribution functions, as likelihoods use them.

The densities are those of SciPy's manual, written in y = (x - loc) / scale.  Outside of the support the logarithm of a
density is -inf, whatever the parameters, and so has the derivative zero.
"""
from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from srcgrad.library.registry import equivalent

LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)


def standard(x, loc, scale):
    """(x - loc) / scale, where x may be a list."""
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    return (x - loc) / scale


def within(inside, value):
    """The logarithm of a density in its support, and -inf elsewhere."""
    if np.ndim(value) == 0:
        return value if inside else -math.inf
    return np.where(inside, value, -math.inf)


def chosen(inside, y):
    """y in the support, and elsewhere a place in it, where the density is smooth."""
    if np.ndim(y) == 0:
        return y if inside else 0.5
    return np.where(inside, y, 0.5)


# ---------------------------------------------------------------- normal, and what is made of it

@equivalent(stats.norm.logpdf)
def norm_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return -y * y / 2.0 - LOG_SQRT_2_PI - np.log(scale)


@equivalent(stats.norm.pdf)
def norm_pdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return np.exp(-y * y / 2.0) / (math.sqrt(2.0 * math.pi) * scale)


@equivalent(stats.norm.cdf)
def norm_cdf(x, loc=0, scale=1):
    return special.ndtr(standard(x, loc, scale))


@equivalent(stats.norm.sf)
def norm_sf(x, loc=0, scale=1):
    return special.ndtr(-standard(x, loc, scale))


@equivalent(stats.norm.logcdf)
def norm_logcdf(x, loc=0, scale=1):
    return special.log_ndtr(standard(x, loc, scale))


@equivalent(stats.norm.logsf)
def norm_logsf(x, loc=0, scale=1):
    return special.log_ndtr(-standard(x, loc, scale))


@equivalent(stats.norm.ppf)
def norm_ppf(q, loc=0, scale=1):
    return loc + scale * special.ndtri(q)


@equivalent(stats.lognorm.logpdf)
def lognorm_logpdf(x, s, loc=0, scale=1):
    y = standard(x, loc, scale)
    z = np.log(chosen(y > 0, y))
    return within(y > 0, -z * z / (2.0 * s * s) - z - LOG_SQRT_2_PI - np.log(s) - np.log(scale))


@equivalent(stats.lognorm.pdf)
def lognorm_pdf(x, s, loc=0, scale=1):
    return np.exp(lognorm_logpdf(x, s, loc, scale))


@equivalent(stats.halfnorm.logpdf)
def halfnorm_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y >= 0, 0.5 * math.log(2.0 / math.pi) - y * y / 2.0 - np.log(scale))


@equivalent(stats.halfnorm.pdf)
def halfnorm_pdf(x, loc=0, scale=1):
    return np.exp(halfnorm_logpdf(x, loc, scale))


@equivalent(stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean, cov):
    deviation = standard(x, mean, 1)
    d = deviation.shape[-1]
    half = np.linalg.solve(np.linalg.cholesky(cov), np.reshape(deviation, (-1, d)).T)
    logdet = np.linalg.slogdet(cov)[1]
    logs = -(d * math.log(2.0 * math.pi) + logdet + np.sum(half * half, axis=0)) / 2.0
    return logs[0] if deviation.ndim == 1 else np.reshape(logs, deviation.shape[:-1])


# ---------------------------------------------------------------- on the whole line

@equivalent(stats.t.logpdf)
def t_logpdf(x, df, loc=0, scale=1):
    y = standard(x, loc, scale)
    constant = special.gammaln((df + 1.0) / 2.0) - special.gammaln(df / 2.0) - 0.5 * np.log(df * math.pi)
    return constant - (df + 1.0) / 2.0 * np.log1p(y * y / df) - np.log(scale)


@equivalent(stats.t.pdf)
def t_pdf(x, df, loc=0, scale=1):
    return np.exp(t_logpdf(x, df, loc, scale))


@equivalent(stats.cauchy.logpdf)
def cauchy_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return -math.log(math.pi) - np.log1p(y * y) - np.log(scale)


@equivalent(stats.cauchy.pdf)
def cauchy_pdf(x, loc=0, scale=1):
    return np.exp(cauchy_logpdf(x, loc, scale))


@equivalent(stats.cauchy.cdf)
def cauchy_cdf(x, loc=0, scale=1):
    return 0.5 + np.arctan(standard(x, loc, scale)) / math.pi


@equivalent(stats.laplace.logpdf)
def laplace_logpdf(x, loc=0, scale=1):
    return -math.log(2.0) - np.abs(standard(x, loc, scale)) - np.log(scale)


@equivalent(stats.laplace.pdf)
def laplace_pdf(x, loc=0, scale=1):
    return np.exp(laplace_logpdf(x, loc, scale))


@equivalent(stats.logistic.logpdf)
def logistic_logpdf(x, loc=0, scale=1):
    y = -np.abs(standard(x, loc, scale))
    return y - 2.0 * np.log1p(np.exp(y)) - np.log(scale)


@equivalent(stats.logistic.pdf)
def logistic_pdf(x, loc=0, scale=1):
    return np.exp(logistic_logpdf(x, loc, scale))


@equivalent(stats.logistic.cdf)
def logistic_cdf(x, loc=0, scale=1):
    return special.expit(standard(x, loc, scale))


@equivalent(stats.logistic.logcdf)
def logistic_logcdf(x, loc=0, scale=1):
    return special.log_expit(standard(x, loc, scale))


@equivalent(stats.gumbel_r.logpdf)
def gumbel_r_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return -y - np.exp(-y) - np.log(scale)


@equivalent(stats.gumbel_l.logpdf)
def gumbel_l_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return y - np.exp(y) - np.log(scale)


# ---------------------------------------------------------------- on half a line, and between two ends

@equivalent(stats.expon.logpdf)
def expon_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y >= 0, -y - np.log(scale))


@equivalent(stats.expon.pdf)
def expon_pdf(x, loc=0, scale=1):
    return np.exp(expon_logpdf(x, loc, scale))


@equivalent(stats.expon.logsf)
def expon_logsf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return -np.maximum(y, 0.0)


@equivalent(stats.expon.cdf)
def expon_cdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return -np.expm1(-np.maximum(y, 0.0))


@equivalent(stats.gamma.logpdf)
def gamma_logpdf(x, a, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y >= 0, special.xlogy(a - 1.0, chosen(y >= 0, y)) - y - special.gammaln(a) - np.log(scale))


@equivalent(stats.gamma.pdf)
def gamma_pdf(x, a, loc=0, scale=1):
    return np.exp(gamma_logpdf(x, a, loc, scale))


@equivalent(stats.invgamma.logpdf)
def invgamma_logpdf(x, a, loc=0, scale=1):
    y = standard(x, loc, scale)
    z = chosen(y > 0, y)
    return within(y > 0, -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z - np.log(scale))


@equivalent(stats.invgamma.pdf)
def invgamma_pdf(x, a, loc=0, scale=1):
    return np.exp(invgamma_logpdf(x, a, loc, scale))


@equivalent(stats.chi2.logpdf)
def chi2_logpdf(x, df, loc=0, scale=1):
    y = standard(x, loc, scale)
    density = special.xlogy(df / 2.0 - 1.0, chosen(y >= 0, y)) - y / 2.0 - special.gammaln(df / 2.0)
    return within(y >= 0, density - math.log(2.0) * df / 2.0 - np.log(scale))


@equivalent(stats.chi2.pdf)
def chi2_pdf(x, df, loc=0, scale=1):
    return np.exp(chi2_logpdf(x, df, loc, scale))


@equivalent(stats.weibull_min.logpdf)
def weibull_min_logpdf(x, c, loc=0, scale=1):
    y = standard(x, loc, scale)
    z = chosen(y > 0, y)
    return within(y > 0, np.log(c) + (c - 1.0) * np.log(z) - z**c - np.log(scale))


@equivalent(stats.weibull_min.pdf)
def weibull_min_pdf(x, c, loc=0, scale=1):
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


@equivalent(stats.weibull_min.logsf)
def weibull_min_logsf(x, c, loc=0, scale=1):
    y = standard(x, loc, scale)
    z = chosen(y > 0, y)
    if np.ndim(y) == 0:
        return -z**c if y > 0 else 0.0
    return np.where(y > 0, -z**c, 0.0)


@equivalent(stats.pareto.logpdf)
def pareto_logpdf(x, b, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y >= 1, np.log(b) - (b + 1.0) * np.log(chosen(y >= 1, y)) - np.log(scale))


@equivalent(stats.pareto.pdf)
def pareto_pdf(x, b, loc=0, scale=1):
    return np.exp(pareto_logpdf(x, b, loc, scale))


@equivalent(stats.halfcauchy.logpdf)
def halfcauchy_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y >= 0, math.log(2.0 / math.pi) - np.log1p(y * y) - np.log(scale))


@equivalent(stats.rayleigh.logpdf)
def rayleigh_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within(y > 0, np.log(chosen(y > 0, y)) - y * y / 2.0 - np.log(scale))


@equivalent(stats.rayleigh.pdf)
def rayleigh_pdf(x, loc=0, scale=1):
    return np.exp(rayleigh_logpdf(x, loc, scale))


@equivalent(stats.beta.logpdf)
def beta_logpdf(x, a, b, loc=0, scale=1):
    y = standard(x, loc, scale)
    inside = (y >= 0) & (y <= 1)
    z = chosen(inside, y)
    return within(inside, special.xlog1py(b - 1.0, -z) + special.xlogy(a - 1.0, z) - special.betaln(a, b)
                  - np.log(scale))


@equivalent(stats.beta.pdf)
def beta_pdf(x, a, b, loc=0, scale=1):
    return np.exp(beta_logpdf(x, a, b, loc, scale))


@equivalent(stats.uniform.logpdf)
def uniform_logpdf(x, loc=0, scale=1):
    y = standard(x, loc, scale)
    return within((y >= 0) & (y <= 1), 0.0 * y - np.log(scale))


@equivalent(stats.uniform.pdf)
def uniform_pdf(x, loc=0, scale=1):
    return np.exp(uniform_logpdf(x, loc, scale))


# ---------------------------------------------------------------- counts

def count(k, loc):
    """k - loc, where k may be a list."""
    if isinstance(k, (list, tuple)):
        k = np.asarray(k)
    return k - loc


@equivalent(stats.poisson.logpmf)
def poisson_logpmf(k, mu, loc=0):
    n = count(k, loc)
    inside = (n >= 0) & (n == np.floor(n))
    m = chosen(inside, n)
    return within(inside, special.xlogy(m, mu) - special.gammaln(m + 1) - mu)


@equivalent(stats.poisson.pmf)
def poisson_pmf(k, mu, loc=0):
    return np.exp(poisson_logpmf(k, mu, loc))


@equivalent(stats.binom.logpmf)
def binom_logpmf(k, n, p, loc=0):
    m = count(k, loc)
    inside = (m >= 0) & (m <= n) & (m == np.floor(m))
    m = chosen(inside, m)
    ways = special.gammaln(n + 1) - special.gammaln(m + 1) - special.gammaln(n - m + 1)
    return within(inside, ways + special.xlogy(m, p) + special.xlog1py(n - m, -p))


@equivalent(stats.bernoulli.logpmf)
def bernoulli_logpmf(k, p, loc=0):
    m = count(k, loc)
    inside = (m == 0) | (m == 1)
    m = chosen(inside, m)
    return within(inside, special.xlogy(m, p) + special.xlog1py(1 - m, -p))


@equivalent(stats.geom.logpmf)
def geom_logpmf(k, p, loc=0):
    m = count(k, loc)
    inside = (m >= 1) & (m == np.floor(m))
    return within(inside, special.xlog1py(chosen(inside, m) - 1, -p) + np.log(p))


@equivalent(stats.nbinom.logpmf)
def nbinom_logpmf(k, n, p, loc=0):
    m = count(k, loc)
    inside = (m >= 0) & (m == np.floor(m))
    m = chosen(inside, m)
    ways = special.gammaln(n + m) - special.gammaln(m + 1) - special.gammaln(n)
    return within(inside, ways + n * np.log(p) + special.xlog1py(m, -p))


@equivalent(stats.binom.pmf)
def binom_pmf(k, n, p, loc=0):
    return np.exp(binom_logpmf(k, n, p, loc))
