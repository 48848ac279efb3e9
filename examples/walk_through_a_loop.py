"""The gradient of a loop, line by line: what each line of the generated source does, on four numbers.

Exponential smoothing forecasts next year's flow of the Nile by a level that moves by a share `alpha` of each error.
The program prints its function and its gradient, and then walks through the gradient as a debugger would: each
line that runs, and what has changed after it.  Read the forward half first: it is the function itself, and it puts on
a list what the backward half will read.  The backward half runs the loop in reverse and takes its end each time.
At the end it finds the `alpha` with the least error over all hundred years, where the gradient is zero; R's
`HoltWinters(Nile, gamma=FALSE, beta=FALSE)` gives 0.2466.

    python examples/walk_through_a_loop.py
"""
import inspect
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from scipy.optimize import brentq

from srcgrad import grad

DATA = Path(__file__).parent / "data" / "nile.csv"


def forecast_error(alpha, flow):
    """Mean square of the errors of forecasting each year by what was seen before."""
    level = flow[0]
    total = 0.0
    for t in range(1, len(flow)):
        error = flow[t] - level
        total += error * error
        level += alpha * error
    return total / (len(flow) - 1)


def walk(function: Callable[..., Any], name: str, *args: Any) -> Any:
    """Calls the function, and prints each line that runs in functions called `name`, with what it has changed."""
    seen: dict[str, str] = {}
    line = ""

    def report(frame: FrameType) -> None:
        nonlocal seen
        now = {key: shown(value) for key, value in frame.f_locals.items()}
        changes = ", ".join(f"{key} = {text}" for key, text in now.items() if seen.get(key) != text)
        if line:
            print(f"{line:<46} {changes}".rstrip())
        seen = now

    def tracer(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal line
        if frame.f_code.co_name != name:
            return None
        if event in ("line", "return"):
            report(frame)
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).rstrip()
        return tracer

    sys.settrace(tracer)
    try:
        return function(*args)
    finally:
        sys.settrace(None)


def shown(value: Any) -> str:
    """A value in few letters."""
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def main() -> None:
    flow = np.loadtxt(DATA, delimiter=",", skiprows=1)[:, 1]
    gradient = grad(forecast_error)
    print(inspect.getsource(forecast_error))
    print(gradient.source(0.5, flow))
    print("The same for the first four years, line by line:\n")
    slope = walk(gradient, gradient.__name__, 0.5, flow[:4])
    ahead, behind = (forecast_error(0.5 + step, flow[:4]) for step in (1e-6, -1e-6))
    print(f"\n      gradient: {slope:.6f}")
    print(f"by differences: {(ahead - behind) / 2e-6:.6f}")
    print(f"    best alpha: {brentq(gradient, 0.01, 1.0, args=(flow,), xtol=1e-12):.7f}")


if __name__ == "__main__":
    main()
