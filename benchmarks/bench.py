#!/usr/bin/env python3
"""Gradient benchmark: every tool in its own single-threaded process, timed in interleaved rounds.

    python benchmarks/bench.py --tools primal,hand,autograd,jax_jit,srcgrad --kernels jacobi_2d,lstm --size S

The reported figure is the median time of one value-and-gradient call divided by the median time of the plain NumPy
loss measured in the same rounds. Compile or first-call time and extra peak memory are reported apart.
"""
from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tables
from clean import environment

HERE = Path(__file__).resolve().parent
DEFAULT_TOOLS = ("primal,hand,numba_primal,numba_hand,autograd,jax_jit,jax_naive,torch,mygrad,advect,"
                 "srcgrad,srcgrad_numba")
# order of preference for the gradient everything else is compared with
REFERENCE = ("hand", "jax_jit", "torch", "autograd", "mygrad", "advect", "srcgrad")
DIRECTIONS = 3
SEED = 100
SAMPLE_SECONDS = 0.002


def all_kernels():
    return sorted(p.stem for p in HERE.joinpath("kernels").glob("*.py") if not p.name.startswith("_"))


def worker_environment():
    env = environment()
    # glibc's default thresholds adapt to the largest block freed so far, so timings of mid-sized arrays depend on what
    # the process did before (up to 8x on some kernels); pin them, BENCH_MALLOC=default keeps the adaptive ones
    if os.environ.get("BENCH_MALLOC") != "default":
        env["MALLOC_MMAP_THRESHOLD_"] = str(32 * 2 ** 20)
        env["MALLOC_TRIM_THRESHOLD_"] = str(4 * 2 ** 30)
    env["JAX_PLATFORMS"] = "cpu"
    env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    env["PYTHONWARNINGS"] = "ignore"
    return env


class Worker:
    """The process that holds one tool; started when first asked, and again after it died."""

    def __init__(self, tool, python, log):
        self.tool, self.python, self.log = tool, python, log
        self.proc = None

    def start(self):
        command = [self.python, str(HERE / "worker.py"), self.tool]
        self.proc = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                     env=worker_environment(), bufsize=1)

    def ask(self, timeout, **command):
        if self.proc is None or self.proc.poll() is not None:
            self.start()
        ready, line = True, ""
        with contextlib.suppress(BrokenPipeError):
            self.proc.stdin.write(json.dumps(command) + "\n")
            self.proc.stdin.flush()
            ready, _, _ = select.select([self.proc.stdout], [], [], timeout)
            line = self.proc.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.kill()
        return {"ok": False, "error": "process died" if ready else f"timeout after {timeout:.0f} s"}

    def kill(self):
        if self.proc is not None:
            self.proc.kill()
            self.proc.wait()
            self.proc = None

    def stop(self):
        if self.proc is None or self.proc.poll() is not None:
            return
        try:
            self.proc.stdin.write('{"do": "quit"}\n')
            self.proc.stdin.flush()
            self.proc.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.kill()


# ---------------------------------------------------------------- are the gradients right?

def difference(gradients, reference):
    """The largest difference, relative to the reference's largest entry; infinite where shapes can't match."""
    scale = max(max(np.max(np.abs(x)) for x in reference), 1e-300)
    return max(np.max(np.abs(np.broadcast_to(a, b.shape) - b)) for a, b in zip(gradients, reference)) / scale


def slopes(gradients, shapes):
    """The gradient's inner products with the random directions that worker.directional differentiates along."""
    out = []
    for s in range(DIRECTIONS):
        r = np.random.default_rng(SEED + s)
        out.append(sum(float(np.sum(r.standard_normal(shape) * x)) for shape, x in zip(shapes, gradients)))
    return out


def verdict(tool, grads, ref, fd, shapes):
    """'ok', or what is wrong with this tool's gradient."""
    notes = []
    if ref and tool != ref:
        err = difference(grads[tool], grads[ref])
        if not err < 1e-6:
            notes.append(f"differs from {ref} by {err:.1e}")
    if fd:
        err = max(abs(a - b) for a, b in zip(slopes(grads[tool], shapes), fd)) / max(max(map(abs, fd)), 1e-300)
        if not err < 2e-4:
            notes.append(f"finite differences off by {err:.1e}")
    return "; ".join(notes) or "ok"


def check(kernel, size, grads, fd):
    mod = importlib.import_module("kernels." + kernel)
    args = mod.make_args(size)
    shapes = [np.shape(args[i]) for i in mod.ACTIVE]
    ref = next((t for t in REFERENCE if t in grads), None)
    return {tool: verdict(tool, grads, ref, fd, shapes) for tool in grads}, ref


# ---------------------------------------------------------------- one kernel

def prepare(kernel, size, workers, opt, tmp):
    """Each worker's report of its first calls, and the gradients that they left in files."""
    reports, grads = {}, {}
    for tool, worker in workers.items():
        path = Path(tmp, f"{kernel}-{tool}.npz")
        reports[tool] = worker.ask(opt.timeout, do="prep", kernel=kernel, size=size, grads=str(path))
        if path.exists():
            if reports[tool]["ok"]:
                with np.load(path) as z:
                    grads[tool] = [z[k] for k in z.files]
            path.unlink()
    return reports, grads


def schedule(second, opt):
    """(calls in a sample, rounds): samples of at least 2 ms, and no more than --budget seconds in all."""
    inner = max(1, math.ceil(SAMPLE_SECONDS / max(second, 1e-7)))
    return inner, max(1, min(opt.rounds, int(opt.budget / max(second * inner, 1e-9))))


def measure(reports, workers, opt):
    """Times of each tool, taken in interleaved rounds; a tool that fails on the way keeps its error instead."""
    plan = {tool: schedule(r["second"], opt) for tool, r in reports.items() if r["ok"]}
    samples = {tool: [] for tool in plan}
    for i in range(opt.rounds):
        for tool, (inner, rounds) in plan.items():
            if i < rounds and reports[tool]["ok"]:
                r = workers[tool].ask(opt.timeout, do="time", inner=inner)
                if r["ok"]:
                    samples[tool].append(r["time"])
                else:
                    reports[tool] = r
    return samples


def summarise(reports, samples):
    base = statistics.median(samples["primal"]) if samples.get("primal") else None
    for tool, s in samples.items():
        if s and reports[tool]["ok"]:
            median = statistics.median(s)
            reports[tool].update(median=median, samples=len(s), spread=(max(s) - min(s)) / median)
            if base:
                reports[tool]["ratio"] = median / base


def bench_kernel(kernel, size, workers, opt, tmp):
    reports, grads = prepare(kernel, size, workers, opt, tmp)
    fd = None
    if reports.get("primal", {}).get("ok"):
        fd = workers["primal"].ask(opt.timeout, do="fd", seed=SEED, directions=DIRECTIONS).get("fd")
    checks, ref = check(kernel, size, grads, fd)
    del grads
    summarise(reports, measure(reports, workers, opt))
    return {"kernel": kernel, "size": size, "tools": reports, "check": checks, "reference": ref}


# ---------------------------------------------------------------- the whole run

def run(tools, opt):
    """Yield one record a kernel."""
    kernels = all_kernels() if opt.kernels == "all" else opt.kernels.split(",")
    pythons = dict(x.split("=", 1) for x in opt.python)
    with tempfile.TemporaryDirectory() as tmp, open(Path(tmp, "workers.log"), "w+") as log:
        workers = {t: Worker(t, pythons.get(t, sys.executable), log) for t in tools}
        for kernel in kernels:
            start = time.time()
            record = bench_kernel(kernel, opt.size, workers, opt, tmp)
            print(f"{tables.one_line(record, tools)} [{time.time() - start:.0f} s]", file=sys.stderr, flush=True)
            yield record
        for worker in workers.values():
            worker.stop()
        if opt.log:
            log.seek(0)
            Path(opt.log).write_text(log.read())


def saved(paths):
    """The records of earlier runs, the latest of each kernel."""
    lines = [line for path in paths for line in Path(path).read_text().splitlines()]
    by_kernel = {record["kernel"]: record for record in map(json.loads, lines)}
    return [by_kernel[k] for k in sorted(by_kernel)]


def parse_options():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--tools", default=DEFAULT_TOOLS)
    ap.add_argument("--kernels", default="all")
    ap.add_argument("--size", default="S", choices=("S", "M", "L"))
    ap.add_argument("--rounds", type=int, default=7)
    ap.add_argument("--budget", type=float, default=6.0, help="seconds of timed calls per tool and kernel")
    ap.add_argument("--timeout", type=float, default=120.0, help="seconds for one answer of a worker")
    ap.add_argument("--python", action="append", default=[], metavar="TOOL=PATH",
                    help="interpreter for one tool (e.g. advect needs Python 3.12)")
    ap.add_argument("--json", help="append one JSON record per kernel to this file")
    ap.add_argument("--log", help="write what the workers print to this file")
    ap.add_argument("--render", nargs="+", help="only print the tables of these JSON files")
    return ap.parse_args()


def main():
    opt = parse_options()
    tools = opt.tools.split(",")
    records = saved(opt.render) if opt.render else []
    for record in () if opt.render else run(tools, opt):
        records.append(record)
        if opt.json:
            with open(opt.json, "a") as f:
                f.write(json.dumps(record) + "\n")
    print(tables.report(records, tools))


if __name__ == "__main__":
    main()
