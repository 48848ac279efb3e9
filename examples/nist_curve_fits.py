"""Six curves of the NIST Statistical Reference Datasets, fitted with generated gradients.

NIST certifies the least-squares parameters of each to eleven digits.  Each curve is a plain function of its parameters
and of x.  `value_and_grad` of the sum of squares takes SciPy's BFGS from NIST's second start to the neighbourhood
of the answer; Gauss-Newton steps, with a Jacobian whose rows are pullbacks of the residuals, do the rest.

    python examples/nist_curve_fits.py
"""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares, minimize

from srcgrad import value_and_grad, vjp

FILES = Path(__file__).parent / "data" / "nist"


def misra1a(b, x):
    """Adsorption of a gas against pressure."""
    return b[0] * (1.0 - np.exp(-b[1] * x))


def mgh17(b, x):
    """Two decays that nearly cancel."""
    return b[0] + b[1] * np.exp(-x * b[3]) + b[2] * np.exp(-x * b[4])


def hahn1(b, x):
    """Thermal expansion of copper against temperature: a cubic over a cubic."""
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6])))


def thurber(b, x):
    """Mobility of electrons against the logarithm of their density: the same curve, a harder problem."""
    return hahn1(b, x)


def rat43(b, x):
    """Weight of onion bulbs against time of growth."""
    return b[0] / (1.0 + np.exp(b[1] - b[2] * x)) ** (1.0 / b[3])


def eckerle4(b, x):
    """Transmittance against wavelength: a bell."""
    return b[0] / b[1] * np.exp(-0.5 * ((x - b[2]) / b[1]) ** 2)


CURVES = {"Misra1a": misra1a, "MGH17": mgh17, "Hahn1": hahn1, "Thurber": thurber, "Rat43": rat43, "Eckerle4": eckerle4}


@dataclass(frozen=True)
class Problem:
    """A curve, its data, where to start, and what NIST certifies."""
    curve: Callable[[np.ndarray, np.ndarray], np.ndarray]
    x: np.ndarray
    y: np.ndarray
    start: np.ndarray
    certified: np.ndarray
    certified_squares: float


def sum_of_squares(scaled, scale, x, y, curve):
    """Misfit of the curve whose parameters are `scaled * scale`, so that all that is sought is about 1."""
    residuals = curve(scaled * scale, x) - y
    return np.sum(residuals * residuals)


def read(name: str) -> Problem:
    """The problem in NIST's own file: a line `b1 = start1 start2 certified deviation` for each parameter."""
    text = (FILES / f"{name}.dat").read_text()
    table = np.array([line.split() for line in re.findall(r"^ *b\d+ = +(.+)$", text, re.MULTILINE)], dtype=float)
    squares = re.search(r"Residual Sum of Squares: +(\S+)", text)
    assert squares is not None
    y, x = np.array([line.split() for line in text.split("Data:")[-1].splitlines()[1:] if line.strip()], dtype=float).T
    return Problem(CURVES[name], x, y, table[:, 1], table[:, 2], float(squares[1]))


def fit(problem: Problem) -> np.ndarray:
    """The parameters of least squares."""
    scale = problem.start
    rough = minimize(value_and_grad(sum_of_squares), np.ones_like(scale), jac=True, method="BFGS",
                     args=(scale, problem.x, problem.y, problem.curve), options={"maxiter": 5000})
    return polish(problem, rough.x * scale)


def polish(problem: Problem, b: np.ndarray) -> np.ndarray:
    """From parameters near the best to the best, as far as rounding lets one go."""
    def residuals(b):
        return problem.curve(b, problem.x) - problem.y

    def jacobian(b: np.ndarray) -> np.ndarray:
        _, pullback = vjp(residuals, b)
        return np.array([pullback(row)[0] for row in np.eye(len(problem.x))])

    return least_squares(residuals, b, jac=jacobian, method="lm", x_scale=np.abs(b),
                         xtol=1e-15, ftol=1e-15, gtol=1e-15).x


def main() -> None:
    problem = read("Misra1a")
    gradient = value_and_grad(sum_of_squares)
    print(gradient.source(np.ones(2), problem.start, problem.x, problem.y, problem.curve))
    for name in CURVES:
        problem = read(name)
        b = fit(problem)
        squares = np.sum((problem.curve(b, problem.x) - problem.y) ** 2)
        error = np.max(np.abs(b / problem.certified - 1.0))
        print(f"{name:>9}: {len(b)} parameters, {len(problem.x):3} points, sum of squares {squares:.10e}, "
              f"largest relative error of a parameter {error:.1e}")


if __name__ == "__main__":
    main()
