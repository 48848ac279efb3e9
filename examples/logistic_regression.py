"""Which iris is it?  Logistic regression by maximum likelihood, with a generated gradient.

Anderson's 100 flowers of the two species that are hard to tell apart, versicolor (0) and virginica (1), by the lengths
and widths of their sepals and petals.  The maximum-likelihood estimates, as R's `glm` prints them, are -42.638, -2.465,
-6.681, 9.429 and 18.286, with a residual deviance of 11.899.

    python examples/logistic_regression.py
"""
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from srcgrad import grad, value_and_grad

DATA = Path(__file__).parent / "data" / "iris.csv"
NAMES = ("constant", "sepal length", "sepal width", "petal length", "petal width")


def loss(w, X, y):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The start of the search, the measurements with a column of ones, and the species."""
    table = np.loadtxt(DATA, delimiter=",", skiprows=1)
    table = table[table[:, 4] > 0]
    X = np.column_stack([np.ones(len(table)), table[:, :4]])
    return np.zeros(X.shape[1]), X, table[:, 4] - 1.0


def fit(start: np.ndarray, X: np.ndarray, y: np.ndarray) -> OptimizeResult:
    """The maximum-likelihood estimate: SciPy minimises, srcgrad supplies value and gradient."""
    return minimize(value_and_grad(loss), start, args=(X, y), jac=True, method="BFGS", options={"gtol": 1e-7})


def main() -> None:
    start, X, y = problem()
    result = fit(start, X, y)
    gradient = grad(loss)
    print(gradient.source(start, X, y))
    print(f"{len(y)} flowers, {result.nit} iterations: {result.message}")
    for name, coefficient in zip(NAMES, result.x, strict=True):
        print(f"{name:>14}: {coefficient:8.3f}")
    print(f"      deviance: {2 * len(y) * result.fun:8.3f}")
    print(f" gradient norm: {np.linalg.norm(gradient(result.x, X, y)):8.1e}")


if __name__ == "__main__":
    main()
