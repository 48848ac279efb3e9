"""Registration of corpus programs, and the deterministic inputs that they run on."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

__all__ = ["PROGRAMS", "Program", "program", "vec", "mat", "spd"]


@dataclass(frozen=True, eq=False)
class Program:
    """A function, argument tuples to call it with, and the positions of its active arguments."""
    name: str
    function: Callable[..., Any]
    inputs: tuple[tuple[Any, ...], ...]
    wrt: tuple[int, ...]

    @property
    def argnums(self) -> int | tuple[int, ...]:
        """What `grad` takes as `argnums`: a number where one argument is active."""
        return self.wrt[0] if len(self.wrt) == 1 else self.wrt


PROGRAMS: dict[str, Program] = {}


def program(inputs: list[tuple[Any, ...]], wrt: tuple[int, ...] = (0,)) -> Callable[[Callable], Callable]:
    """Register a function under its own name.

    >>> @program(inputs=[(vec(3),), (vec(1),)])
    ... def squares(x):
    ...     return np.sum(x * x)
    >>> PROGRAMS.pop("squares").wrt
    (0,)
    """
    def register(function: Callable) -> Callable:
        name = function.__name__
        if name in PROGRAMS:
            raise ValueError(f"two programs are called {name}")
        PROGRAMS[name] = Program(name, function, tuple(inputs), wrt)
        return function
    return register


def vec(n: int, seed: int = 0, low: float = 0.3, high: float = 1.7) -> np.ndarray:
    """n reproducible numbers between low and high."""
    return np.random.default_rng(seed).uniform(low, high, n)


def mat(m: int, n: int, seed: int = 0, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    """A reproducible m by n matrix."""
    return np.random.default_rng(seed).uniform(low, high, (m, n))


def spd(n: int, seed: int = 0) -> np.ndarray:
    """A well-conditioned symmetric positive definite matrix."""
    a = mat(n, n, seed)
    return a @ a.T + n * np.eye(n)
