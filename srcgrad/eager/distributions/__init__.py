"""Distributions: what is drawn from them, and how likely that is; with torch's names and printing.

>>> import srcgrad.eager as torch
>>> d = torch.distributions.Normal(0.0, 2.0)
>>> d, d.log_prob(torch.tensor(1.0))
(Normal(loc: 0.0, scale: 2.0), tensor(-1.7371))
"""
from srcgrad.eager.distributions.base import Distribution, Independent
from srcgrad.eager.distributions.continuous import (
    Beta,
    Cauchy,
    Exponential,
    Gamma,
    Laplace,
    LogNormal,
    MultivariateNormal,
    Normal,
    Uniform,
)
from srcgrad.eager.distributions.discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    OneHotCategorical,
    Poisson,
)
from srcgrad.eager.distributions.divergence import kl_divergence

__all__ = ["Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma",
           "Geometric", "Independent", "Laplace", "LogNormal", "MultivariateNormal", "Normal", "OneHotCategorical",
           "Poisson", "Uniform", "kl_divergence"]
