"""What all distributions have in common: parameters of one shape, checks, drawing."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.creation import tensor
from srcgrad.eager.drawing import numbers
from srcgrad.eager.dtypes import Size, get_default_dtype
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.runtime.modes import no_grad

__all__ = ["Distribution", "Independent", "broadcast_all", "drawn"]

# what values must satisfy: torch's name for it, and the test
CONSTRAINTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "real": ("Real()", lambda a: a == a), "positive": ("GreaterThan(lower_bound=0.0)", lambda a: a > 0),
    "not negative": ("GreaterThanEq(lower_bound=0.0)", lambda a: a >= 0),
    "unit": ("Interval(lower_bound=0.0, upper_bound=1.0)", lambda a: (a >= 0) & (a <= 1)),
    "boolean": ("Boolean()", lambda a: (a == 0) | (a == 1)),
    "count": ("IntegerGreaterThan(lower_bound=0)", lambda a: (a >= 0) & (a == np.floor(a))),
    "simplex": ("Simplex()", lambda a: np.all(a >= 0, -1) & (np.abs(np.sum(a, -1) - 1) < 1e-6))}


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """Numbers and tensors as tensors of one shape."""
    kind = next((v.dtype for v in values if isinstance(v, Tensor)), get_default_dtype())
    found = [v if isinstance(v, Tensor) else tensor(float(v), dtype=kind) for v in values]
    shape = np.broadcast_shapes(*(t._a.shape for t in found))
    return tuple(t if t._a.shape == shape else t.expand(shape) for t in found)


def drawn(draw: Callable[[np.random.Generator, tuple[int, ...]], Any], shape: Any, like: Tensor) -> Any:
    """A tensor of numbers that NumPy's generator draws, of the type of another."""
    return wrap(np.asarray(draw(numbers(None), tuple(shape))).astype(like._a.dtype))


class Distribution:
    """A distribution, or a batch of them.

    `limits` names what each parameter must satisfy, `support` what values must.
    """
    limits: dict[str, str] = {}
    support = "real"
    has_rsample = False

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        self._validate = validate_args is not False
        if self._validate:
            for name, limit in self.limits.items():
                if name in self.__dict__:
                    self._check_parameter(name, self.__dict__[name], *CONSTRAINTS[limit])

    def _check_parameter(self, name: str, value: Any, title: str, test: Callable[[Any], Any]) -> None:
        if not np.all(test(value._a)):
            raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                             f"distribution {self!r} to satisfy the constraint {title}, but found invalid values:\n"
                             f"{value}")

    def _check_value(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        title, test = CONSTRAINTS[self.support]
        if self._validate and not np.all(test(value._a)):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                             f"within the support ({title}) of the distribution {self!r}, but found invalid values:\n"
                             f"{value}")

    @property
    def batch_shape(self) -> Size:
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        return self._event_shape

    def _extended(self, sample_shape: Any) -> tuple[int, ...]:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """A sample through which gradients reach the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no samples that can be differentiated: use sample()")

    def sample(self, sample_shape: Any = ()) -> Any:
        """A sample; it has no derivative."""
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, at a value."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The entropy."""
        raise NotImplementedError(f"the entropy of {type(self).__name__} isn't there")

    def cdf(self, value: Any) -> Any:
        """The distribution function."""
        raise NotImplementedError(f"the distribution function of {type(self).__name__} isn't there")

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return self.entropy().exp()

    @property
    def mean(self) -> Any:
        raise NotImplementedError(f"the mean of {type(self).__name__} isn't there")

    @property
    def variance(self) -> Any:
        raise NotImplementedError(f"the variance of {type(self).__name__} isn't there")

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def __repr__(self) -> str:
        given = [(name, self.__dict__[name]) for name in self.limits if name in self.__dict__]
        texts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given]
        return f"{type(self).__name__}({', '.join(texts)})"


class Independent(Distribution):
    """A distribution whose last batch dimensions belong to the event: their logarithms are added."""

    def __init__(self, base_distribution: Distribution, reinterpreted_batch_ndims: int,
                 validate_args: bool | None = None) -> None:
        shape = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {len(shape)}")
        cut = len(shape) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], (*shape[cut:], *base_distribution.event_shape), validate_args)

    def _summed(self, x: Any) -> Any:
        n = self.reinterpreted_batch_ndims
        return x.sum(tuple(range(-n, 0))) if n else x

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        return self._summed(self.base_dist.entropy())

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
