"""How much of the Nile's changes is noise?  Maximum likelihood of a state-space model, through a Kalman filter.

The local level model: the river's level does a random walk, and each year's flow is the level and noise.  Durbin and
Koopman (Time Series Analysis by State Space Methods, 2001, section 2.10) estimate the two variances from the
flows of 1871-1970: 15099 for the noise and 1469.1 for the level's steps.  The first year only tells where the level is.

    python examples/nile_local_level.py
"""
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from srcgrad import grad, value_and_grad

DATA = Path(__file__).parent / "data" / "nile.csv"


def deviance(log_variances, flow):
    """Minus twice the log-likelihood, a sum over the filter's errors of prediction."""
    noise = np.exp(log_variances[0])
    walk = np.exp(log_variances[1])
    level, variance = flow[0], noise
    total = 0.0
    for t in range(1, len(flow)):
        variance = variance + walk
        error = flow[t] - level
        spread = variance + noise
        total += np.log(2.0 * np.pi * spread) + error * error / spread
        gain = variance / spread
        level = level + gain * error
        variance = gain * noise
    return total


def problem() -> tuple[np.ndarray, np.ndarray]:
    """The start of the search, both variances a half of the flow's, and the flow of each year."""
    flow = np.loadtxt(DATA, delimiter=",", skiprows=1)[:, 1]
    return np.log(np.full(2, 0.5 * np.var(flow))), flow


def fit(start: np.ndarray, flow: np.ndarray) -> OptimizeResult:
    """The logarithms of the two variances, by maximum likelihood."""
    return minimize(value_and_grad(deviance), start, args=(flow,), jac=True, method="BFGS", options={"gtol": 1e-7})


def main() -> None:
    start, flow = problem()
    result = fit(start, flow)
    noise, walk = np.exp(result.x)
    print(grad(deviance).source(start, flow))
    print(f"{len(flow)} years, {result.nit} iterations")
    print(f"variance of the noise: {noise:.0f}")
    print(f"variance of the steps: {walk:.1f}")
    print(f"       log-likelihood: {-0.5 * result.fun:.2f}")


if __name__ == "__main__":
    main()
