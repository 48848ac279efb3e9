"""scipy.stats: distributions that are made with their parameters, `norm(0.3, 1.2)`, and asked later."""
from __future__ import annotations

from scipy import stats

from srcgrad.library.registry import equivalent, equivalent_method


class Frozen:
    """What SciPy's frozen distributions are, as far as likelihoods use them."""

    def __init__(self, dist, parameters):
        self.dist = dist
        self.parameters = parameters

    def logpdf(self, x):
        return self.dist.logpdf(x, *self.parameters)

    def pdf(self, x):
        return self.dist.pdf(x, *self.parameters)

    def logpmf(self, k):
        return self.dist.logpmf(k, *self.parameters)

    def pmf(self, k):
        return self.dist.pmf(k, *self.parameters)

    def cdf(self, x):
        return self.dist.cdf(x, *self.parameters)

    def logcdf(self, x):
        return self.dist.logcdf(x, *self.parameters)

    def sf(self, x):
        return self.dist.sf(x, *self.parameters)

    def logsf(self, x):
        return self.dist.logsf(x, *self.parameters)

    def ppf(self, q):
        return self.dist.ppf(q, *self.parameters)

    def isf(self, q):
        return self.dist.isf(q, *self.parameters)

    def mean(self):
        return self.dist.mean(*self.parameters)

    def var(self):
        return self.dist.var(*self.parameters)

    def std(self):
        return self.dist.std(*self.parameters)

    def median(self):
        return self.dist.median(*self.parameters)

    def entropy(self):
        return self.dist.entropy(*self.parameters)

    def support(self):
        return self.dist.support(*self.parameters)

    def interval(self, confidence):
        return self.dist.interval(confidence, *self.parameters)

    def rvs(self, size=None, random_state=None):
        return self.dist.rvs(*self.parameters, size=size, random_state=random_state)


# Where several are in one list, what they have is known if those of one class have as many parameters.

class FrozenTwo(Frozen):
    pass


class FrozenThree(Frozen):
    pass


class FrozenFour(Frozen):
    pass


def by_scale(dist):
    def freeze(loc=0, scale=1):
        return FrozenTwo(dist, (loc, scale))
    return freeze


def by_a(dist):
    def freeze(a, loc=0, scale=1):
        return FrozenThree(dist, (a, loc, scale))
    return freeze


def by_b(dist):
    def freeze(b, loc=0, scale=1):
        return FrozenThree(dist, (b, loc, scale))
    return freeze


def by_c(dist):
    def freeze(c, loc=0, scale=1):
        return FrozenThree(dist, (c, loc, scale))
    return freeze


def by_df(dist):
    def freeze(df, loc=0, scale=1):
        return FrozenThree(dist, (df, loc, scale))
    return freeze


def by_s(dist):
    def freeze(s, loc=0, scale=1):
        return FrozenThree(dist, (s, loc, scale))
    return freeze


def by_a_and_b(dist):
    def freeze(a, b, loc=0, scale=1):
        return FrozenFour(dist, (a, b, loc, scale))
    return freeze


def by_mu(dist):
    def freeze(mu, loc=0):
        return FrozenTwo(dist, (mu, loc))
    return freeze


def by_p(dist):
    def freeze(p, loc=0):
        return FrozenTwo(dist, (p, loc))
    return freeze


def by_n_and_p(dist):
    def freeze(n, p, loc=0):
        return FrozenThree(dist, (n, p, loc))
    return freeze


_FORMS = {
    by_scale: (stats.norm, stats.halfnorm, stats.cauchy, stats.laplace, stats.logistic, stats.gumbel_r, stats.gumbel_l,
               stats.expon, stats.halfcauchy, stats.rayleigh, stats.uniform),
    by_a: (stats.gamma, stats.invgamma), by_b: (stats.pareto,), by_c: (stats.weibull_min,),
    by_df: (stats.t, stats.chi2), by_s: (stats.lognorm,),
    by_a_and_b: (stats.beta,), by_mu: (stats.poisson,), by_p: (stats.bernoulli, stats.geom),
    by_n_and_p: (stats.binom, stats.nbinom)}
for _form, _dists in _FORMS.items():
    for _dist in _dists:
        equivalent(_dist, writes=True)(_form(_dist))


# ---------------------------------------------------------------- those that were made outside

_CONTINUOUS, _DISCRETE = type(stats.norm()), type(stats.poisson(1.0))


@equivalent_method(_CONTINUOUS, "logpdf")
def frozen_logpdf(self, x):
    return self.dist.logpdf(x, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "pdf")
def frozen_pdf(self, x):
    return self.dist.pdf(x, *self.args, **self.kwds)


@equivalent_method(_DISCRETE, "logpmf")
def frozen_logpmf(self, k):
    return self.dist.logpmf(k, *self.args, **self.kwds)


@equivalent_method(_DISCRETE, "pmf")
def frozen_pmf(self, k):
    return self.dist.pmf(k, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "cdf")
@equivalent_method(_DISCRETE, "cdf")
def frozen_cdf(self, x):
    return self.dist.cdf(x, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "logcdf")
@equivalent_method(_DISCRETE, "logcdf")
def frozen_logcdf(self, x):
    return self.dist.logcdf(x, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "sf")
@equivalent_method(_DISCRETE, "sf")
def frozen_sf(self, x):
    return self.dist.sf(x, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "logsf")
@equivalent_method(_DISCRETE, "logsf")
def frozen_logsf(self, x):
    return self.dist.logsf(x, *self.args, **self.kwds)


@equivalent_method(_CONTINUOUS, "ppf")
@equivalent_method(_DISCRETE, "ppf")
def frozen_ppf(self, q):
    return self.dist.ppf(q, *self.args, **self.kwds)
