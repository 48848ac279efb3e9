"""Random numbers whose parameters are differentiated: standard ones, moved and scaled, from the same draws."""
from __future__ import annotations

import math
from typing import Any

import numpy as np


def normal(rng, loc=0.0, scale=1.0, size=None):
    return loc + scale * rng.standard_normal(np.shape(loc + scale) if size is None else size)


def uniform(rng, low=0.0, high=1.0, size=None):
    if size is None and np.ndim(high - low) == 0:
        return low + (high - low) * rng.random()            # as Python's own generators do
    return low + (high - low) * rng.random(np.shape(high - low) if size is None else size)


def exponential(rng, scale=1.0, size=None):
    return scale * rng.standard_exponential(np.shape(scale) if size is None else size)


def lognormal(rng, mean=0.0, sigma=1.0, size=None):
    return np.exp(normal(rng, mean, sigma, size))


# ---------------------------------------------------------------- Python's own, which draw one number

def uniform_number(rng, a, b):
    return a + (b - a) * rng.random()


def gauss(rng, mu=0.0, sigma=1.0):
    return mu + sigma * rng.gauss(0.0, 1.0)


def normalvariate(rng, mu=0.0, sigma=1.0):
    return mu + sigma * rng.normalvariate(0.0, 1.0)


def lognormvariate(rng, mu, sigma):
    return math.exp(mu + sigma * rng.normalvariate(0.0, 1.0))


def expovariate(rng, lambd=1.0):
    return rng.expovariate(1.0) / lambd


# ---------------------------------------------------------------- draws from what there is

def shuffle(rng: Any, x: np.ndarray) -> None:
    """random.shuffle(x), which shuffles positions with the same draws"""
    order = list(range(len(x)))
    rng.shuffle(order)
    x[...] = np.take(x, order, 0)
