"""scipy.sparse: products and systems with constant matrices; scipy.integrate: integrals of samples."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import check_program
from srcgrad import grad

sparse = pytest.importorskip("scipy.sparse")
integrate = pytest.importorskip("scipy.integrate")
solvers = pytest.importorskip("scipy.sparse.linalg")

X = np.array([0.5, 1.5, 2.5])
DENSE = np.array([[4.0, 1.0, 0.0], [2.0, 5.0, 1.0]])
ROWS, SQUARE = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE.T @ DENSE + np.eye(3))


class Heat:
    def __init__(self):
        self.laplacian = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3)).tocsr()

    def step(self, u):
        return u + 0.1 * (self.laplacian @ u) - 0.01 * u ** 3


HEAT = Heat()


def products(x):
    return np.sum((ROWS @ x) ** 2) + np.sum(ROWS.dot(x) ** 3) + np.sum((x @ SQUARE) ** 2) + np.sum((ROWS * x) ** 2)


def with_several_columns(x):
    return np.sum((ROWS @ np.outer(x, x)) ** 2)


def systems(x):
    return np.sum(solvers.spsolve(SQUARE, x * x) ** 2)


def in_a_loop(x):
    u = x
    for _ in range(3):
        u = HEAT.step(u)
    return np.sum(u ** 2)


def made_inside(x):
    matrix = sparse.csr_matrix(2.0 * np.eye(3))
    return np.sum((matrix @ x) ** 2)


@pytest.mark.parametrize("f", [products, with_several_columns, systems, in_a_loop, made_inside])
def test_gradients(f: Callable[[Any], Any]) -> None:
    for options in ({}, {"plain": True}):
        check_program(f, (X,), (0,), **options)


def test_the_text_is_that_of_the_product() -> None:
    text = grad(with_several_columns).source(X)
    assert ".T @" in text and "isinstance" not in text


INTEGRALS: dict[str, Callable[[Any], Any]] = {
    "trapezoid": lambda x: integrate.trapezoid(x ** 2, dx=0.1) + integrate.trapezoid(x, x ** 2),
    "cumulative": lambda x: integrate.cumulative_trapezoid(x ** 2)[-1]
    + np.sum(integrate.cumulative_trapezoid(x ** 2, x=np.arange(3.0) ** 2, initial=0) ** 2)
    + np.sum(integrate.cumulative_trapezoid(np.outer(x, x), axis=0) ** 2),
    "simpson": lambda x: integrate.simpson(x ** 2, dx=0.1) + integrate.simpson(x[:2]) + integrate.simpson(x, x=x),
    "simpson, even": lambda x: integrate.simpson(np.concatenate([x, x ** 2]), x=np.arange(6.0) ** 2)
    + np.sum(integrate.simpson(np.outer(np.append(x, 1.0), x), axis=0) ** 2)}


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals(name: str) -> None:
    for options in ({}, {"plain": True}, {"general": True}):
        check_program(INTEGRALS[name], (X,), (0,), **options)
