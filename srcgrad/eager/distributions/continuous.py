"""Distributions of real numbers."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.distributions.base import Distribution, broadcast_all, drawn
from srcgrad.eager.gamma import digamma, lgamma
from srcgrad.eager.linalg import cholesky, inv
from srcgrad.eager.table import FUNCTIONS

_LOG_ROOT = 0.5 * math.log(2 * math.pi)


class _Located(Distribution):
    limits = {"loc": "real", "scale": "positive"}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    def _standard(self, shape: tuple[int, ...]) -> Any:
        raise NotImplementedError

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + self._standard(self._extended(sample_shape)) * self.scale

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc


class Normal(_Located):
    """The normal distribution of mean `loc` and standard deviation `scale`."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return drawn(lambda rng, s: rng.standard_normal(s), shape, self.loc)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -((value - self.loc) ** 2) / (2 * self.scale ** 2) - self.scale.log() - _LOG_ROOT

    def entropy(self) -> Any:
        return 0.5 + _LOG_ROOT + self.scale.log()

    def cdf(self, value: Any) -> Any:
        return 0.5 * (1 + ((value - self.loc) / self.scale / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        """The inverse of the distribution function."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    @property
    def variance(self) -> Any:
        return self.scale ** 2

    @property
    def stddev(self) -> Any:
        return self.scale


class LogNormal(Distribution):
    """Numbers whose logarithms are normally distributed."""
    limits = {"loc": "real", "scale": "positive"}
    support = "positive"
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)
        self.base_dist = Normal(self.loc, self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape).exp()

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        log = value.log()
        return self.base_dist.log_prob(log) - log

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc

    def cdf(self, value: Any) -> Any:
        return self.base_dist.cdf(value.log())

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale ** 2 / 2).exp()

    @property
    def variance(self) -> Any:
        square = self.scale ** 2
        return square.expm1() * (2 * self.loc + square).exp()


class Laplace(_Located):
    """The distribution whose density falls exponentially on both sides of `loc`."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return drawn(lambda rng, s: rng.laplace(size=s), shape, self.loc)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()

    @property
    def variance(self) -> Any:
        return 2 * self.scale ** 2


class Cauchy(_Located):
    """Cauchy's distribution, which has no mean."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return drawn(lambda rng, s: rng.standard_cauchy(s), shape, self.loc)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()

    @property
    def mean(self) -> Any:
        return self.loc.detach() * math.nan


class Uniform(Distribution):
    """Numbers from `low` up to `high`, all alike."""
    limits = {"low": "real", "high": "real"}
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validate and not np.all(self.low._a < self.high._a):
            raise ValueError("Uniform is not defined when low>= high")

    def rsample(self, sample_shape: Any = ()) -> Any:
        part = drawn(lambda rng, s: rng.random(s), self._extended(sample_shape), self.low)
        return self.low + part * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        inside = ((value >= self.low) & (value < self.high)).to(self.low.dtype)
        return inside.log() - (self.high - self.low).log()

    def entropy(self) -> Any:
        return (self.high - self.low).log()

    def cdf(self, value: Any) -> Any:
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Any:
        return (self.high - self.low) ** 2 / 12


class Exponential(Distribution):
    """Waiting times of events that come at a rate."""
    limits = {"rate": "positive"}
    support = "not negative"
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self.rate, = broadcast_all(rate)
        super().__init__(self.rate.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return drawn(lambda rng, s: rng.standard_exponential(s), self._extended(sample_shape), self.rate) / self.rate

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def entropy(self) -> Any:
        return 1 - self.rate.log()

    def cdf(self, value: Any) -> Any:
        return 1 - (-self.rate * value).exp()

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate ** -2


class Gamma(Distribution):
    """The gamma distribution; its samples can't be differentiated here."""
    limits = {"concentration": "positive", "rate": "positive"}
    support = "not negative"

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        return drawn(lambda rng, s: rng.gamma(self.concentration._a, 1 / self.rate._a, s),
                     self._extended(sample_shape), self.rate)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        xlogy = FUNCTIONS["xlogy"]
        return (xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value) - self.rate * value
                - lgamma(self.concentration))

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + lgamma(a) + (1 - a) * digamma(a)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate ** 2


class Beta(Distribution):
    """The beta distribution; its samples can't be differentiated here."""
    limits = {"concentration1": "positive", "concentration0": "positive"}
    support = "unit"

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        return drawn(lambda rng, s: rng.beta(self.concentration1._a, self.concentration0._a, s),
                     self._extended(sample_shape), self.concentration1)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        a, b, xlogy = self.concentration1, self.concentration0, FUNCTIONS["xlogy"]
        return xlogy(a - 1, value) + xlogy(b - 1, 1 - value) + lgamma(a + b) - lgamma(a) - lgamma(b)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        return (lgamma(a) + lgamma(b) - lgamma(a + b) - (a - 1) * digamma(a) - (b - 1) * digamma(b)
                + (a + b - 2) * digamma(a + b))

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total ** 2 * (total + 1))


class MultivariateNormal(Distribution):
    """Vectors that are normally distributed, given by the covariance, its inverse or its triangular factor."""
    limits = {"loc": "real"}
    has_rsample = True

    def __init__(self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
                 validate_args: bool | None = None) -> None:
        if sum(m is not None for m in (covariance_matrix, precision_matrix, scale_tril)) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if precision_matrix is not None:
            covariance_matrix = inv(precision_matrix)
        self.loc = loc
        self.scale_tril = cholesky(covariance_matrix) if scale_tril is None else scale_tril
        shape = np.broadcast_shapes(loc._a.shape[:-1], self.scale_tril._a.shape[:-2])
        super().__init__(shape, loc._a.shape[-1:], validate_args)

    @property
    def covariance_matrix(self) -> Any:
        return self.scale_tril @ self.scale_tril.mT

    def rsample(self, sample_shape: Any = ()) -> Any:
        standard = drawn(lambda rng, s: rng.standard_normal(s), self._extended(sample_shape), self.loc)
        return self.loc + (self.scale_tril @ standard.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        away = (inv(self.scale_tril) @ (value - self.loc).unsqueeze(-1)).squeeze(-1)
        return -0.5 * (away ** 2).sum(-1) - self._half_log_det() - len_of(self.loc) * _LOG_ROOT

    def _half_log_det(self) -> Any:
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Any:
        return len_of(self.loc) * (0.5 + _LOG_ROOT) + self._half_log_det()

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return (self.scale_tril ** 2).sum(-1)


def len_of(vector: Any) -> int:
    """The size of the last dimension."""
    return int(vector._a.shape[-1])

