"""An array or a list that is spread over the parameters of a function some of which have defaults."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import Options, SrcgradError, grad


def product(a, b=2.0, c=3.0, d=4):
    return a * b * c * d


class Box:
    def __init__(self, a, b, c=3.0):
        self.volume = a * b * c

    @classmethod
    def cube(cls, a, b=2.0, c=3.0):
        return cls(a, b, c)


def spread_computed(x):
    return product(*np.exp(x))


def spread_rest(x):
    return product(x[0], *x[1:])


def spread_by_keyword(x):
    return product(*x, d=x[0])


def spread_to_a_class(x):
    return Box(*x).volume + Box.cube(*x[:2]).volume


def spread_list(x):
    sides = []
    for side in x:
        sides.append(side * side)
    return product(*sides)


def blend(first, second=0.5, *rest, scale=1.0):
    total = first * scale + second * second
    for k, part in enumerate(rest):
        total = total + (k + 2) * part
    return total


def spread_list_over_more(x):
    parts = []
    for v in x:
        parts.append(v * v)
    return blend(*parts, scale=x[0]) + blend(x[1], *parts[1:])


def spread_array_over_more(x):
    return blend(*np.exp(x)) * blend(*x[:1])


@pytest.mark.parametrize("options", [Options(), Options(general=True), Options(plain=True)], ids=str)
@pytest.mark.parametrize("f", [spread_computed, spread_rest, spread_by_keyword, spread_to_a_class, spread_list])
def test_what_is_spread_leaves_defaults(f: Callable[[np.ndarray], float], options: Options) -> None:
    gradient = grad(f, options=options)
    for n in (2, 3):
        x = np.linspace(0.5, 1.0, n)
        steps = 1e-6 * np.eye(n)
        want = [(f(x + step) - f(x - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(gradient(x), want, rtol=1e-7)
    with pytest.raises((TypeError, SrcgradError)):
        gradient(np.ones(6))


@pytest.mark.parametrize("options", [Options(), Options(general=True), Options(plain=True)], ids=str)
@pytest.mark.parametrize("f", [spread_list_over_more, spread_array_over_more])
def test_what_is_left_of_a_spread_sequence_is_the_rest(f: Callable[[np.ndarray], float], options: Options) -> None:
    gradient = grad(f, options=options)
    for n in (2, 3, 5):
        x = np.linspace(0.5, 1.0, n)
        want = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(n)]
        np.testing.assert_allclose(gradient(x), want, rtol=1e-7)


def test_too_few_for_the_parameters_before_the_rest() -> None:
    def f(x):
        parts = []
        for v in x:
            parts.append(v)
        return blend(*parts)

    with pytest.raises((TypeError, SrcgradError)):
        grad(f)(np.ones(0))
