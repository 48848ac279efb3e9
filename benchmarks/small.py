#!/usr/bin/env python3
"""Gradient over primal, for the generated gradient and for the hand-written one, on small programs.

    python benchmarks/small.py [NAME ...]

Samples of primal, hand-written and generated gradient are taken in turns; the figures are ratios of medians. The last
column says whether generated and hand-written gradient agree; if one doesn't, or can't be made, the exit code is 1.
"""
from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from clean import find_package, restart_clean

if __name__ == "__main__":
    restart_clean()
find_package()

import numpy as np  # noqa: E402  (after the restart)

from programs import Program, programs  # noqa: E402

ROUNDS = 31
SAMPLE_SECONDS = 0.003


def sample(call: Callable[[], Any], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - start) / repeat


def medians(calls: list[Callable[[], Any]]) -> list[float]:
    """The median time of each call, in seconds, all sampled in turns."""
    repeats = [max(1, int(SAMPLE_SECONDS / max(sample(call, 3), 1e-8))) for call in calls]
    rounds = [[sample(call, repeat) for call, repeat in zip(calls, repeats)] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds)]


def relative_difference(got: Any, want: Any) -> float:
    """The largest difference of two gradients over the largest entry of `want`; infinite if their shapes differ."""
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    if [np.shape(g) for g in got] != [np.shape(w) for w in want]:
        return float("inf")
    scale = max(np.max(np.abs(w)) for w in want)
    return float(max(np.max(np.abs(g - w)) for g, w in zip(got, want)) / scale)


def measure(program: Program) -> tuple[str, bool]:
    """A line of the table, and whether the generated gradient is right."""
    from srcgrad import grad
    gradient = grad(program.primal, argnums=program.argnums)
    args = program.args
    error = relative_difference(gradient(*args), program.hand(*args))
    primal, hand, ours = medians([lambda: program.primal(*args), lambda: program.hand(*args), lambda: gradient(*args)])
    right = error < 1e-10
    verdict = "equal" if right else "DIFFERENT"
    return (f"{program.name:16}{1e6 * primal:10.1f}{hand / primal:8.2f}{ours / primal:8.2f}{ours / hand:12.2f}"
            f"   {verdict} ({error:.0e})"), right


def table(known: list[Program], names: list[str]) -> int:
    """Prints a line for each of these programs, or for those that are named; gives the exit code."""
    chosen = [p for p in known if not names or p.name in names]
    unknown = set(names) - {p.name for p in chosen}
    if unknown:
        print(f"no such program: {', '.join(sorted(unknown))}; there are: {', '.join(p.name for p in known)}",
              file=sys.stderr)
        return 2
    print(f"{'program':16}{'primal us':>10}{'hand':>8}{'srcgrad':>8}{'ours / hand':>12}   gradients")
    failed = False
    for program in chosen:
        try:
            line, right = measure(program)
        except Exception as error:
            line, right = f"{program.name:16}failed: {type(error).__name__}: {error}", False
        print(line, flush=True)
        failed |= not right
    return int(failed)


if __name__ == "__main__":
    sys.exit(table(programs(), sys.argv[1:]))
