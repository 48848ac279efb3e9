"""Random numbers whose parameters are differentiated, and draws from what is: followed or refused, never constant."""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import Options, UnsupportedError, grad

X = np.array([0.5, 1.5, 2.5])
RNG = np.random.default_rng(3)


def shuffled(x):
    y = x * x
    random.shuffle(y)
    return y[0] + 3.0 * y[2]


def inside(x):
    rng = np.random.default_rng(0)
    total = 0.0
    for _ in range(3):
        total = total + rng.normal(x[0], x[1]) * rng.uniform(x[1], x[2])
    return total


def own_generator(x):
    rng = random.Random(5)
    return rng.gauss(x[0], x[1]) * rng.choice(x) + rng.uniform(x[0], x[2])


FOLLOWED: dict[str, Callable[[Any], Any]] = {
    "choice of a list": lambda x: random.choice([x[0], x[1] ** 2]),
    "choice of an array": lambda x: random.choice(x) * 2.0 + np.random.choice(x * x, 2).sum(),
    "gauss": lambda x: random.gauss(x[0], x[1]) + random.normalvariate(x[1], x[2]),
    "uniform": lambda x: random.uniform(x[0], x[1]) ** 2,
    "exponential": lambda x: random.expovariate(x[0]) + np.random.exponential(x[1]),
    "lognormal": lambda x: random.lognormvariate(x[0], x[1]) + np.random.lognormal(x[0], x[1]),
    "normal": lambda x: np.random.normal(x[0], 1.0) * np.random.normal(scale=x[1]),
    "normal, many": lambda x: np.sum(np.random.normal(x) ** 2) + np.sum(np.random.normal(x[0], x[1], size=4) ** 3),
    "normal, broadcast": lambda x: np.sum(np.random.normal(x[:, None], x[:2]) ** 2),
    "uniform, many": lambda x: np.sum(np.random.uniform(x, 5.0) ** 2) + np.sum(np.random.uniform(0.0, x[0], (2, 2))),
    "permutation": lambda x: np.random.permutation(x)[0] * 2.0,
    "whole numbers": lambda x: np.random.poisson(x[0]) * x[0] + np.random.binomial(3, 0.2 * x[0]) * x[1],
    "parameters of a choice": lambda x: x[np.random.choice(3, p=x / np.sum(x))],
    "shuffled": shuffled, "inside": inside, "own generator": own_generator}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "choices": lambda x: sum(random.choices([x[0], x[1]], k=3)),
    "sample": lambda x: sum(random.sample([x[0], x[1]], k=2)),
    "tuple": lambda x: random.choice((x[0], x[1])),
    "list of numpy": lambda x: np.random.choice([x[0], x[1]]),
    "permuted list": lambda x: np.random.permutation([x[0], x[1]])[0],
    "several": lambda x: np.random.multivariate_normal(x, np.eye(3)).sum(),
    "gamma": lambda x: np.random.gamma(x[0]) + RNG.gamma(x[1]),
    "of a generator": lambda x: RNG.beta(x[0], x[1])}


def started(f: Callable[[Any], Any], x: np.ndarray) -> Any:
    random.seed(1)
    np.random.seed(2)
    return f(x)


@pytest.mark.parametrize("options", [Options(), Options(plain=True), Options(general=True)], ids=str)
@pytest.mark.parametrize("name", FOLLOWED)
def test_the_same_draws_are_scaled_and_shifted(name: str, options: Options) -> None:
    f = FOLLOWED[name]
    want = [(started(f, X + step) - started(f, X - step)) / 2e-6 for step in np.eye(3) * 1e-6]
    np.testing.assert_allclose(started(grad(f, options=options), X), want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", REFUSED)
def test_other_draws_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedError, match="draw") as caught:
        started(grad(REFUSED[name]), X)
    assert "raw" in caught.value.remedy or "rule" in caught.value.what
