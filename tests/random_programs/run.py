"""Judge a range of random programs and print how many are right, refused, wrong, crashed.

    python tests/random_programs/run.py --kind 1 --seeds 0:1000 [--plain | --general | --checked] [--basic] [--jobs 2]
"""
from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections import Counter
from pathlib import Path

if __name__ == "__main__":  # as a script, the tests' folder and the checkout aren't on the path
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from random_programs.generate import KINDS, generate
from random_programs.judge import Verdict, judge

OPTIONS = ("plain", "general", "checked")
Job = tuple[int, int, bool, dict[str, bool]]


def options_of(arguments: argparse.Namespace) -> dict[str, bool]:
    return {name: True for name in OPTIONS if getattr(arguments, name)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `run` and `reduce` have in common."""
    for name in (*OPTIONS, "basic"):
        parser.add_argument(f"--{name}", action="store_true")


def one(job: Job) -> tuple[int, Verdict]:
    kind, seed, basic, options = job
    return seed, judge(*generate(kind, seed, basic), **options)


def run(jobs: list[Job], processes: int = 1) -> dict[int, Verdict]:
    """The verdict on each seed, told on the way where it is bad."""
    verdicts: dict[int, Verdict] = {}
    with multiprocessing.Pool(processes) as pool:
        for seed, verdict in pool.imap(one, jobs, chunksize=4) if processes > 1 else map(one, jobs):
            verdicts[seed] = verdict
            if verdict.bad:
                print(f"seed {seed}: {verdict.outcome}, {verdict.kind}: {verdict.detail.splitlines()[0][:100]}"
                      if verdict.detail else f"seed {seed}: {verdict.outcome}, {verdict.kind}", flush=True)
    return verdicts


def summary(verdicts: dict[int, Verdict]) -> str:
    """Counts, reasons of refusals, failing seeds."""
    counts = Counter(v.outcome for v in verdicts.values())
    lines = ["  ".join(f"{name} {counts[name]}" for name in ("right", "refused", "wrong", "crashed", "slow"))]
    refused = [v for v in verdicts.values() if v.outcome == "refused"]
    reasons = Counter(next(iter(v.detail.splitlines()), v.kind)[:110] for v in refused)
    lines += [f"  refused {n}: {reason}" for reason, n in reasons.most_common(10)]
    for outcome in ("wrong", "crashed", "slow"):
        kinds = sorted({v.kind for v in verdicts.values() if v.outcome == outcome})
        lines += [f"  {outcome}, {kind}: {[s for s, v in verdicts.items() if (v.outcome, v.kind) == (outcome, kind)]}"
                  for kind in kinds]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", type=int, choices=sorted(KINDS), required=True)
    parser.add_argument("--seeds", default="0:100", help="first:end, or one seed")
    parser.add_argument("--jobs", type=int, default=1)
    add_options(parser)
    arguments = parser.parse_args()
    first, _, end = arguments.seeds.partition(":")
    seeds = range(int(first), int(end) if end else int(first) + 1)
    verdicts = run([(arguments.kind, s, arguments.basic, options_of(arguments)) for s in seeds], arguments.jobs)
    print(summary(verdicts))
    return int(any(v.bad for v in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main())
