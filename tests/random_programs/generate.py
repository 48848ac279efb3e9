"""Reproducible random programs: a kind and a seed give a text and arguments in several memory layouts."""
from __future__ import annotations

import functools
import itertools
import linecache
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from harness import clone, compare, differences
from random_programs import aliasing, calling, containing, jumping, triangular, writing

__all__ = ["KINDS", "WRT", "OutOfTime", "arguments", "generate", "load", "reference", "time_limit"]

KINDS: dict[int, tuple[Callable[[random.Random, bool], str], int]] = {
    1: (aliasing.write, 4), 2: (calling.write, 4), 3: (triangular.write, 3),
    4: (jumping.write, 4), 5: (containing.write, 4), 6: (writing.write, 4),
}
WRT = (0, 1, 2)
LARGEST = 1e3
_numbers = itertools.count()


class OutOfTime(BaseException):
    """A program ran longer than it may; no `except Exception` swallows it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block after so many seconds of processor time (main thread only)."""
    def stop(*_: Any) -> None:
        raise OutOfTime(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def load(source: str) -> Callable[..., Any]:
    """The function f of a text, which `inspect` finds under a file name of its own."""
    file = f"<random program {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "__name__": "random_program"}
    exec(compile(source, file, "exec"), names)
    return names["f"]


@functools.lru_cache(maxsize=4096)
def _accepted(kind: int, seed: int, basic: bool) -> tuple[str, tuple[np.ndarray, ...]]:
    write, size = KINDS[kind]
    for attempt in itertools.count():
        rng = random.Random(f"{kind} {seed} {basic} {attempt}")
        source = write(rng, basic)
        args = arguments(rng, size)
        if reference(source, args) is not None:
            return source, args
    raise AssertionError("unreachable")


def generate(kind: int, seed: int, basic: bool = False) -> tuple[str, tuple[np.ndarray, ...]]:
    """The text of a function f(x, y, A) of moderate, smooth values, and arguments for it.

    basic: only the core language (no writes to arguments, masks, lists of arrays, reshapes).

    >>> generate(1, 7)[0] == generate(1, 7)[0]
    True
    """
    source, args = _accepted(kind, seed, basic)
    return source, clone(args)


def arguments(rng: random.Random, size: int) -> tuple[np.ndarray, ...]:
    x, y = (_vector(rng, size) for _ in range(2))
    return x, y, _matrix(rng, 2 if size == 4 else size)


def _values(rng: random.Random, *shape: int) -> np.ndarray:
    flat = np.array([rng.uniform(-1.1, 1.3) for _ in range(int(np.prod(shape)))])
    return flat.reshape(shape).copy()


def _vector(rng: random.Random, n: int) -> np.ndarray:
    return rng.choice([lambda: _values(rng, n), lambda: _values(rng, n)[::-1], lambda: _values(rng, 2 * n)[::2],
                       lambda: _values(rng, n, 2)[:, 1], lambda: _values(rng, 2 * n)[::-2]])()


def _matrix(rng: random.Random, n: int) -> np.ndarray:
    return rng.choice([lambda: _values(rng, n, n), lambda: np.asfortranarray(_values(rng, n, n)),
                       lambda: _values(rng, n, n).T, lambda: _values(rng, n, n)[::-1],
                       lambda: _values(rng, n + 1, 2 * n)[1:, ::2]])()


def reference(source: str, args: tuple[np.ndarray, ...]) -> tuple[Any, ...] | None:
    """The derivative by differences, or None where it can't be trusted or says nothing."""
    try:
        with warnings.catch_warnings(), time_limit(2.0):
            warnings.simplefilter("error")
            f = load(source)
            value = f(*clone(args))
            if not (np.ndim(value) == 0 and np.isfinite(value) and abs(value) < LARGEST):
                return None
            coarse = differences(f, args, WRT)
            compare(differences(f, args, WRT, step=5e-7), coarse, rtol=2e-6, atol=2e-7)
    except (Exception, OutOfTime):
        return None
    sizes = [np.max(np.abs(d)) for d in coarse]
    return coarse if max(sizes) < LARGEST and min(sizes) > 1e-6 else None
