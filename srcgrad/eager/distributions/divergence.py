"""The Kullback-Leibler divergence of two distributions of a kind."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from srcgrad.eager.distributions.base import Distribution, Independent
from srcgrad.eager.distributions.continuous import Exponential, Laplace, LogNormal, Normal, Uniform
from srcgrad.eager.distributions.discrete import Bernoulli, Categorical, Poisson
from srcgrad.eager.nn.functional_activations import softplus
from srcgrad.eager.table import FUNCTIONS


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """How far `q` is from `p`, in natural units."""
    if isinstance(p, Independent) and isinstance(q, Independent):
        return p._summed(kl_divergence(p.base_dist, q.base_dist))
    if type(p) is type(q):
        for kind in type(p).__mro__:
            if kind in _FORMULAS:
                return _FORMULAS[kind](p, q)
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
                              f"{type(q).__name__}")


def _normal(p: Any, q: Any) -> Any:
    ratio, away = (p.scale / q.scale) ** 2, ((p.loc - q.loc) / q.scale) ** 2
    return 0.5 * (ratio + away - 1 - ratio.log())


def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    where = FUNCTIONS["where"]
    return where(p.probs == 0, 0.0, where(q.probs == 0, math.inf, terms)).sum(-1)


def _bernoulli(p: Any, q: Any) -> Any:
    yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return yes + no


def _uniform(p: Any, q: Any) -> Any:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return FUNCTIONS["where"]((q.low > p.low) | (q.high < p.high), math.inf, found)


def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


def _laplace(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * (-away / p.scale).exp() - 1


def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


_FORMULAS: dict[type, Callable[[Any, Any], Any]] = {
    Normal: _normal, LogNormal: _normal, Categorical: _categorical, Bernoulli: _bernoulli, Uniform: _uniform,
    Exponential: _exponential, Laplace: _laplace, Poisson: _poisson}
