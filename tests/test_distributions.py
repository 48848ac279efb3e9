"""scipy.stats: the plain forms agree with SciPy, and their gradients with differences of SciPy's own values."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from srcgrad import SrcgradError, grad
from srcgrad.library.registry import Equivalent, equivalent_of, registered
from srcgrad.testing import check_grads

stats = pytest.importorskip("scipy.stats")

LINE, HALF, SCALES, COUNTS = [-1.0, 0.5, 2.0], [-1.0, 0.5, 2.0], (0.1, 1.3), [0.0, 1.0, 3.0, -1.0, 0.5, 9.0]
# the numbers at which each distribution is asked, and its parameters
PARAMETERS: dict[str, tuple[list[float], tuple[float, ...]]] = {
    **dict.fromkeys(("norm", "cauchy", "laplace", "logistic", "gumbel_r", "gumbel_l"), (LINE, SCALES)),
    "norm_ppf": ([0.2, 0.7], SCALES), "t": (LINE, (3.5, *SCALES)), "lognorm": (HALF, (0.7, *SCALES)),
    **dict.fromkeys(("halfnorm", "expon", "halfcauchy", "rayleigh", "uniform"), (HALF, SCALES)),
    **dict.fromkeys(("gamma", "invgamma", "chi2"), (HALF, (2.5, *SCALES))),
    **dict.fromkeys(("weibull_min", "pareto"), (HALF, (1.7, *SCALES))), "beta": (HALF, (1.7, 2.5, *SCALES)),
    "poisson": (COUNTS, (2.3,)), "binom": (COUNTS, (5, 0.3)), "bernoulli": (COUNTS, (0.3,)), "geom": (COUNTS, (0.3,)),
    "nbinom": (COUNTS, (2.5, 0.3))}


def forms() -> Iterator[Any]:
    for original, plain in registered():
        if plain.function.__module__.endswith(".distributions"):
            yield pytest.param(original, plain, id=plain.function.__name__)


def arguments(name: str) -> tuple[np.ndarray, tuple[float, ...]]:
    numbers, parameters = PARAMETERS.get(name) or PARAMETERS[name.rpartition("_")[0]]
    return np.array(numbers), parameters


ONE_BY_ONE = [p for p in forms() if not p.id.startswith("multivariate")]


@pytest.mark.parametrize(("original", "plain"), ONE_BY_ONE)
def test_the_values_are_scipys(original: Callable, plain: Equivalent) -> None:
    x, parameters = arguments(plain.function.__name__)
    for at in (x, list(x), x.reshape(-1, 1), *map(float, x)):
        got, want = plain.function(at, *parameters), original(at, *parameters)
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-10)


@pytest.mark.parametrize(("original", "plain"), ONE_BY_ONE)
def test_the_gradients_are_those_of_scipys_values(original: Callable, plain: Equivalent) -> None:
    """Where the density is none, its logarithm is -inf and doesn't count."""
    x, parameters = arguments(plain.function.__name__)
    finite = np.isfinite(original(x, *parameters))

    def total(x, *parameters):
        return np.sum(np.where(finite, original(x, *parameters), 0.0))

    def one(x, *parameters):
        return original(x, *parameters)

    smooth = tuple(k for k, v in enumerate((x, *parameters), 0) if isinstance(v, float)
                   or k == 0 and not plain.function.__name__.endswith("pmf"))
    _compare(total, (x, *parameters), smooth)
    for at in x[finite]:
        _compare(one, (float(at), *parameters), smooth)


def _compare(f: Callable, args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    got = grad(f, argnums=wrt)(*args)
    for k, bar in zip(wrt, got):
        want = []
        for step in np.eye(np.size(args[k])) * 1e-6:
            up, down = ([*args[:k], _moved(args[k], sign * step), *args[k + 1:]] for sign in (1, -1))
            want.append((f(*up) - f(*down)) / 2e-6)
        np.testing.assert_allclose(np.ravel(bar), want, rtol=2e-5, atol=1e-7)


def _moved(value: Any, step: np.ndarray) -> Any:
    return value + step if np.ndim(value) else value + float(step[0])


@pytest.mark.parametrize("x", [np.array([0.4, -0.3]), np.array([[0.4, -0.3], [1.0, 2.0], [0.1, 0.0]])])
def test_several_dimensions(x: np.ndarray) -> None:
    mean, factor = np.array([0.1, 0.2]), np.array([[1.3, 0.0], [0.4, 0.9]])

    def loss(x, mean, factor):
        return np.sum(stats.multivariate_normal.logpdf(x, mean, factor @ factor.T))

    check_grads(loss, (x, mean, factor))


def test_the_text_is_that_of_the_formula() -> None:
    def loss(p, x):
        return -np.sum(stats.norm.logpdf(x, loc=p[0], scale=np.exp(p[1])))

    text = grad(loss).source(np.ones(2), np.ones(3))
    assert "asarray" not in text.replace("np.asarray(x) if isinstance", "") and "broadcast_to" not in text


# ---------------------------------------------------------------- as objects

WIDE, COUNTED = stats.norm(0.3, scale=1.2), stats.poisson(2.3)
PRIORS = {"mean": stats.norm(0.0, 10.0), "rate": stats.gamma(2.0, 0.0, 0.5)}


def by_the_name_of_a_distribution(x):
    norm = stats.norm
    return np.sum(norm.logpdf(x, 0.3, 1.2))


def given(x, dist=stats.norm):
    return np.sum(dist.logpdf(x, 0.3, 1.2))


def frozen_inside(x):
    d = stats.norm(loc=x[0], scale=1.2)
    return d.logpdf(x[0] * x[1]) + np.sum(d.pdf(x)) + d.cdf(0.2)


def frozen_in_a_list(x):
    total = 0.0
    for d in [stats.norm(0.3, 1.2), stats.norm(x[0], scale=2.0), stats.gamma(x[1])]:
        total += d.logpdf(x[1] ** 2)
    return total


def frozen_outside(x):
    return np.sum(WIDE.logpdf(x)) * WIDE.std() + sum(PRIORS[k].logpdf(v) for k, v in zip(PRIORS, x))


class Prior:
    def __init__(self, dist, *args):
        self.dist, self.args = dist, args

    def log_density(self, x):
        return self.dist.logpdf(x, *self.args)


MIXED = [Prior(stats.norm, 0.3, 1.2), Prior(stats.gamma, 2.0)]


def parameters_of_several_lengths(x):
    return sum(prior.log_density(x[1]) for prior in MIXED)


def counts_with_parameters(x):
    return stats.poisson(x[0] + 1.0).logpmf(3) + stats.binom(5, 0.5 * x[1]).logpmf(2) + x[0] * COUNTED.pmf(2)


@pytest.mark.parametrize("f", [by_the_name_of_a_distribution, given, frozen_inside, frozen_in_a_list, frozen_outside,
                               counts_with_parameters, parameters_of_several_lengths])
def test_distributions_are_objects(f: Callable) -> None:
    x = np.array([0.4, 0.9])
    check_grads(f, (x,))
    _compare(f, (x,), (0,))


def test_a_distribution_that_is_changed_is_another() -> None:
    half = type(stats.norm)(a=0.0, b=np.inf, name="half")

    def loss(x):
        return half.logpdf(x, 0.3, 1.2)

    with pytest.raises(SrcgradError):
        grad(loss)(0.5)


@pytest.mark.parametrize("dist", [stats.norm, stats.t, stats.gamma, stats.beta, stats.binom, stats.poisson],
                         ids=lambda dist: dist.name)
def test_frozen_forms_take_scipys_parameters(dist: Any) -> None:
    shapes = dist.shapes.split(", ") if dist.shapes else []
    names = [*shapes, "loc", *(["scale"] if hasattr(dist, "pdf") else [])]
    form = equivalent_of(dist)
    assert form is not None and list(inspect.signature(form.function).parameters) == names


def test_the_branch_of_an_expression_that_is_certain_is_taken() -> None:
    def loss(x):
        y = np.asarray(x) if isinstance(x, (list, tuple)) else x
        return np.sum(y * y)

    assert " if " not in (text := grad(loss).source(np.ones(2)).split("# line")[0]), text
