"""Does a new way of teaching help?  Logistic regression by maximum likelihood, with a generated gradient.

The 32 students of Spector and Mazzeo (1980): did the grade improve (GRADE), given the grade point average (GPA),
the score of an entrance test (TUCE), and whether the new method was used (PSI)?  Greene, Econometric Analysis,
prints the maximum-likelihood estimates: -13.021, 2.826, 0.095 and 2.379.

    python examples/logistic_regression.py
"""
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from srcgrad import grad, value_and_grad

DATA = Path(__file__).parent / "data" / "spector.csv"
NAMES = ("constant", "GPA", "TUCE", "PSI")


def loss(w, X, y):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The start of the search, the regressors with a column of ones, and the outcome."""
    table = np.loadtxt(DATA, delimiter=",", skiprows=1)
    X = np.column_stack([np.ones(len(table)), table[:, :3]])
    return np.zeros(X.shape[1]), X, table[:, 3]


def fit(start: np.ndarray, X: np.ndarray, y: np.ndarray) -> OptimizeResult:
    """The maximum-likelihood estimate: SciPy minimises, srcgrad supplies value and gradient."""
    return minimize(value_and_grad(loss), start, args=(X, y), jac=True, method="BFGS", options={"gtol": 1e-9})


def main() -> None:
    start, X, y = problem()
    result = fit(start, X, y)
    gradient = grad(loss)
    print(gradient.source(start, X, y))
    print(f"{len(y)} students, {result.nit} iterations: {result.message}")
    for name, coefficient in zip(NAMES, result.x, strict=True):
        print(f"{name:>14}: {coefficient:8.3f}")
    print(f"log-likelihood: {-len(y) * result.fun:8.3f}")
    print(f" gradient norm: {np.linalg.norm(gradient(result.x, X, y)):8.1e}")


if __name__ == "__main__":
    main()
