"""Rate constants of a chemical reaction, from measured concentrations and a simulation that overwrites its state.

Heated alpha-pinene turns into dipentene and into alloocimene; alloocimene into pyronene, and forth and back into a
dimer.  Fuguitt and Hawkins measured the five concentrations at eight times in 1947.  The simulation advances an array
of concentrations in place, by the midpoint rule; the misfit's gradient in the rate constants runs the same
loops backwards.  The published estimates (Box, Hunter, MacGregor and Erjavec 1973; the COPS collection) are
5.93e-5, 2.96e-5, 2.05e-5, 2.75e-4 and 4.00e-5 per minute, with a sum of squares of 19.872.

    python examples/chemical_kinetics.py
"""
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from srcgrad import value_and_grad

DATA = Path(__file__).parent / "data" / "pinene.csv"
STEP = 30.0     # minutes; all times of measurement are multiples of it
# what each of the five reactions uses up, and what it makes
USED = np.array([0, 0, 2, 2, 4])
MADE = np.array([1, 2, 3, 4, 2])
# how a unit of each reaction (a column) changes each concentration (a row)
CHANGE = np.eye(5)[:, MADE] - np.eye(5)[:, USED]


def misfit(log_rates, start, steps, measured, step):
    """Sum of squares between the measured and the simulated concentrations."""
    rates = np.exp(log_rates)
    y = start.copy()
    squares = 0.0
    for i in range(len(steps)):
        for _ in range(steps[i]):
            middle = y + 0.5 * step * (CHANGE @ (rates * y[USED]))
            y += step * (CHANGE @ (rates * middle[USED]))
        squares += np.sum((y - measured[i]) ** 2)
    return squares


def problem(step: float = STEP) -> tuple[np.ndarray, np.ndarray, list[int], np.ndarray, float]:
    """The arguments of `misfit`: a poor guess of the rates, pure pinene, the steps between the measurements, these."""
    table = np.loadtxt(DATA, delimiter=",", skiprows=1)
    steps = np.rint(np.diff(table[:, 0], prepend=0.0) / step).astype(int)
    return np.log(np.full(5, 1e-4)), np.array([100.0, 0.0, 0.0, 0.0, 0.0]), steps.tolist(), table[:, 1:], step


def fit() -> OptimizeResult:
    """The logarithms of the rate constants of least squares."""
    guess, *rest = problem()
    return minimize(value_and_grad(misfit), guess, args=tuple(rest), jac=True, method="BFGS", options={"gtol": 1e-5})


def main() -> None:
    print(value_and_grad(misfit).source(*problem()))
    result = fit()
    print(f"{result.nit} iterations, {result.nfev} simulations with their gradients")
    for i, rate in enumerate(np.exp(result.x), start=1):
        print(f"        rate {i}: {rate:.3e} per minute")
    print(f"sum of squares: {result.fun:.3f}")


if __name__ == "__main__":
    main()
