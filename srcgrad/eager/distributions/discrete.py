"""Distributions of classes and counts."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.distributions.base import Distribution, broadcast_all, drawn
from srcgrad.eager.gamma import lgamma
from srcgrad.eager.nn.functional_losses import binary_cross_entropy_with_logits
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor


class _Logits(Distribution):
    """Given by probabilities or by their logarithms (of odds, where there are two classes)."""
    limits = {"probs": "unit", "logits": "real"}

    def _take(self, probs: Any, logits: Any) -> Any:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name = "logits" if probs is None else "probs"
        self.__dict__[name], = broadcast_all(logits if probs is None else probs)
        return self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        if name == "logits" and "probs" in self.__dict__:
            return self._logits_of(_inside(self.probs))
        if name == "probs" and "logits" in self.__dict__:
            return self._probs_of(self.logits)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _logits_of(self, probs: Any) -> Any:
        return probs.log() - (-probs).log1p()

    def _probs_of(self, logits: Any) -> Any:
        return logits.sigmoid()


def _inside(probs: Any) -> Any:
    """Kept from 0 and 1 by as much as the type can tell."""
    eps = float(np.finfo(probs._a.dtype).eps)
    return probs.clamp(eps, 1 - eps)


class Bernoulli(_Logits):
    """1 with probability `probs`, else 0."""
    support = "boolean"

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._take(probs, logits).shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        probs = self.probs.detach()
        return drawn(lambda rng, s: rng.random(s) < probs._a, self._extended(sample_shape), probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value.to(logits.dtype), reduction="none")

    def entropy(self) -> Any:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)


class Geometric(_Logits):
    """How often a trial fails before it succeeds."""
    support = "count"

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._take(probs, logits).shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        probs = self.probs.detach()
        return drawn(lambda rng, s: rng.geometric(probs._a, s) - 1, self._extended(sample_shape), probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return value * (-self.probs).log1p() + self.probs.log()

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs


class Binomial(_Logits):
    """How many of `total_count` trials succeed."""
    support = "count"

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None,
                 validate_args: bool | None = None) -> None:
        given = self._take(probs, logits)
        self.total_count = broadcast_all(total_count, given)[0]
        super().__init__(self.total_count.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        probs = self.probs.detach()
        return drawn(lambda rng, s: rng.binomial(self.total_count._a.astype(np.int64), probs._a, s),
                     self._extended(sample_shape), probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        n = self.total_count
        choose = lgamma(n + 1) - lgamma(value + 1) - lgamma(n - value + 1)
        return choose + value * self.probs.log() + (n - value) * (-self.probs).log1p()

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)


class Categorical(_Logits):
    """The number of a class; probabilities needn't add up to 1."""
    limits = {"probs": "simplex", "logits": "real"}
    support = "count"

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        given = self._take(probs, logits)
        if given.dim() < 1:
            raise ValueError(f"`{'logits' if probs is None else 'probs'}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.__dict__["probs"] = given / given.sum(-1, keepdim=True)
        else:
            self.__dict__["logits"] = given - given.logsumexp(-1, keepdim=True)
        super().__init__(given.shape[:-1], (), validate_args)

    def _logits_of(self, probs: Any) -> Any:
        return probs.log()

    def _probs_of(self, logits: Any) -> Any:
        return logits.softmax(-1)

    def _classes(self) -> int:
        return int(self.param_shape[-1])

    def sample(self, sample_shape: Any = ()) -> Any:
        count = math.prod(sample_shape)
        rows = self.probs.detach().reshape(-1, self._classes())
        found = FUNCTIONS["multinomial"](rows, count, True)
        return found.t().reshape((*sample_shape, *self._batch_shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        if self._validate and value.numel() and int(value._a.max()) >= self._classes():
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                             f"within the support (IntegerInterval(lower_bound=0, upper_bound={self._classes() - 1})) "
                             f"of the distribution {self!r}, but found invalid values:\n{value}")
        logits = self.logits
        shape = np.broadcast_shapes(value._a.shape, logits._a.shape[:-1])
        index = value.long().expand(shape).unsqueeze(-1)
        return logits.expand(*shape, logits.shape[-1]).gather(-1, index).squeeze(-1)

    def entropy(self) -> Any:
        least = float(np.finfo(self.logits._a.dtype).min)
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)

    @property
    def param_shape(self) -> Any:
        given: Any = self.__dict__.get("probs", self.__dict__.get("logits"))
        return given.shape

    @property
    def mode(self) -> Any:
        return self.probs.argmax(-1)


class OneHotCategorical(Distribution):
    """A class as zeros and a one."""
    support = "boolean"

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits, validate_args)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    @property
    def probs(self) -> Any:
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        return self._categorical.logits

    def sample(self, sample_shape: Any = ()) -> Any:
        numbers = self._categorical.sample(sample_shape)
        probs: Tensor = self.probs
        return drawn(lambda rng, s: numbers._a[..., None] == np.arange(probs.shape[-1]), (), probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        return self._categorical.entropy()

    @property
    def mean(self) -> Any:
        return self.probs

    def __repr__(self) -> str:
        return f"OneHotCategorical{repr(self._categorical).removeprefix('Categorical')}"


class Poisson(Distribution):
    """How many events there are, which come at a rate."""
    limits = {"rate": "not negative"}
    support = "count"

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self.rate, = broadcast_all(rate)
        super().__init__(self.rate.shape, (), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        return drawn(lambda rng, s: rng.poisson(self.rate._a, s), self._extended(sample_shape), self.rate)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return FUNCTIONS["xlogy"](value, self.rate) - self.rate - lgamma(value + 1)

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def variance(self) -> Any:
        return self.rate
