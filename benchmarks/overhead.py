#!/usr/bin/env python3
"""What srcgrad costs beside the gradient's own arithmetic.

    python benchmarks/overhead.py

Prints the time that a call of a compiled gradient spends before and after the generated function, the import time of
srcgrad beyond NumPy's, and the time until the first gradient of a function of 30 lines.
"""
from __future__ import annotations

import statistics
import subprocess
import sys
import time

from clean import ROOT, environment, find_package, restart_clean

if __name__ == "__main__":
    restart_clean()
find_package()

import numpy as np  # noqa: E402  (after the restart)

CALLS = 2000
ROUNDS = 25

FIRST_GRADIENT = """
import time
import numpy as np
from thirty_lines import model
from srcgrad import grad
args = np.linspace(0.1, 1.0, 20), np.linspace(0.5, 1.5, 20), np.eye(20)
start = time.perf_counter()
grad(model, argnums=(0, 1))(*args)
print(time.perf_counter() - start)
"""


def one(x):
    return x * x


def three(x, y, z):
    return np.sum(x * y * z)


def per_call(function, args) -> float:
    """The median time of a call, in microseconds."""
    samples = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            function(*args)
        samples.append((time.perf_counter() - start) / CALLS)
    return 1e6 * statistics.median(samples)


def call_overhead() -> None:
    from srcgrad import grad
    vector = np.linspace(0.1, 1.0, 8)
    for function, args in ((one, (1.5,)), (three, (vector, vector + 1.0, vector - 1.0))):
        gradient = grad(function)
        gradient(*args)
        variant, _ = gradient.select(args, {})
        inside = per_call(variant.artifact.forward, args)
        outside = per_call(gradient, args)
        print(f"call of the gradient of {function.__name__}{tuple(type(a).__name__ for a in args)}: {outside:.2f} us, "
              f"generated function alone {inside:.2f} us, overhead {outside - inside:.2f} us")


def in_process(code: str) -> float:
    """The figure that `code` prints, least of five fresh processes."""
    path = f"{ROOT}:{ROOT / 'benchmarks'}"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                           env={**environment(), "PYTHONPATH": path}) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def import_time() -> None:
    code = ("import time, numpy; start = time.perf_counter(); {}; print(time.perf_counter() - start)")
    names = in_process(code.format("import srcgrad; srcgrad.grad"))
    package = in_process(code.format("import srcgrad"))
    print(f"import beyond NumPy: srcgrad {1e3 * package:.1f} ms, with grad {1e3 * names:.1f} ms")


def first_gradient() -> None:
    print(f"first gradient of a function of 30 lines: {1e3 * in_process(FIRST_GRADIENT):.0f} ms")


def main() -> int:
    failed = False
    for measure in (import_time, call_overhead, first_gradient):
        try:
            measure()
        except Exception as error:
            detail = getattr(error, "stderr", "") or str(error)
            print(f"{measure.__name__}: failed: {type(error).__name__}: {detail.strip().splitlines()[-1]}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
