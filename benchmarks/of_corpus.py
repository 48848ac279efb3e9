#!/usr/bin/env python3
"""Gradient over primal for programs of the tests' corpus, on their first inputs.

    python benchmarks/of_corpus.py [NAME ...]          # the kernels that write in place, where no name is given

As `small.py`, which measures, but without hand-written gradients: ratios of medians, and what the gradient call adds to
the function of such small arrays counts.
"""
from __future__ import annotations

import copy
import statistics
import sys

from clean import ROOT, find_package, restart_clean

if __name__ == "__main__":
    restart_clean()
find_package()
sys.path.append(str(ROOT / "tests"))

from corpus import PROGRAMS  # noqa: E402  (after the restart)
from small import medians  # noqa: E402


def ratio(name: str) -> tuple[float, float]:
    """(microseconds of the primal, gradient over primal)"""
    from srcgrad import grad
    program = PROGRAMS[name]
    args = copy.deepcopy(program.inputs[0])
    gradient = grad(program.function, argnums=program.argnums)
    gradient(*args)
    # both take copies, as the function may write into its arguments
    primal, ours, copies = medians([lambda: program.function(*copy.deepcopy(args)),
                                    lambda: gradient(*copy.deepcopy(args)), lambda: copy.deepcopy(args)])
    return 1e6 * (primal - copies), (ours - copies) / (primal - copies)


def main(names: list[str]) -> int:
    names = names or [n for n, p in PROGRAMS.items() if p.function.__module__ == "corpus.inplace_kernels"]
    if unknown := [n for n in names if n not in PROGRAMS]:
        print(f"no such program: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(f"{'program':28}{'primal us':>10}{'srcgrad':>9}")
    ratios = []
    for name in names:
        primal, times = ratio(name)
        ratios.append(times)
        print(f"{name:28}{primal:10.1f}{times:9.2f}", flush=True)
    print(f"{'geometric mean':38}{statistics.geometric_mean(ratios):9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
