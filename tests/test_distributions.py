"""scipy.stats: the plain forms agree with SciPy, and their gradients with differences of SciPy's own values."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.library.registry import Equivalent, registered
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
