"""What an operation of the eager tensor costs beside its NumPy: a chain of `y = y * b + a`, forward and backward.

    python benchmarks/eager_overhead.py [LENGTH]

Where torch and MyGrad are installed, they run the same chain in the same process, on one thread.
"""
from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402 (the number of threads comes first)

ROUNDS = 300


def chain(y: Any, a: Any, b: Any, length: int) -> Any:
    for _ in range(length):
        y = y * b + a
    return y


def tensors(make: Callable[[list[float]], Any]) -> tuple[Any, Any, Any]:
    return make([1.0, 2.0, 3.0]), make([0.5, 0.25, 0.1]), make([1.0, 0.9, 1.1])


def best(make: Callable[[list[float]], Any], length: int, total: Callable[[Any], Any]) -> tuple[float, float]:
    """The best times of the forward and of the backward pass, in microseconds an operation."""
    forward = backward = float("inf")
    for _ in range(ROUNDS):
        y, a, b = tensors(make)
        start = time.perf_counter()
        out = total(chain(y, a, b, length))
        middle = time.perf_counter()
        out.backward()
        end = time.perf_counter()
        forward, backward = min(forward, middle - start), min(backward, end - middle)
    return forward / (2 * length) * 1e6, backward / (2 * length) * 1e6


def plain(length: int) -> float:
    """The same arithmetic in NumPy, without gradients."""
    y, a, b = tensors(lambda data: np.array(data, np.float32))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        chain(y, a, b, length)
        times.append(time.perf_counter() - start)
    return min(times) / (2 * length) * 1e6


def peers(length: int) -> dict[str, tuple[float, float]]:
    """Times by name, of those that are installed."""
    found = {}
    for name in ("srcgrad.eager", "torch"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if name == "torch":
            module.set_num_threads(1)
        found[name] = best(lambda data, m=module: m.tensor(data, requires_grad=True), length, lambda y: y.sum())
    try:
        mygrad = importlib.import_module("mygrad")
    except ImportError:
        return found
    found["mygrad"] = best(lambda data: mygrad.tensor(np.array(data, np.float32)), length, lambda y: y.sum())
    return found


def main() -> None:
    length = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"chain of {length} y = y * b + a, shape (3,), float32: microseconds an operation")
    print(f"{'':14}{'forward':>9}{'backward':>10}{'sum':>7}")
    print(f"{'NumPy':14}{plain(length):9.2f}{'':>10}")
    for name, (forward, backward) in peers(length).items():
        print(f"{name:14}{forward:9.2f}{backward:10.2f}{forward + backward:7.2f}")


if __name__ == "__main__":
    main()
