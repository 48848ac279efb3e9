"""A gradient, entry by entry, beside central differences."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.testing.report import Entry, Report
from srcgrad.testing.structures import copied, floating, leaves, replaced, step_for

__all__ = ["MOST_ENTRIES", "compare_entries"]

MOST_ENTRIES = 200


def compare_entries(f: Callable[..., float], title: str, args: Sequence[Any], gradients: dict[int, Any],
                    names: Sequence[str], rtol: float, atol: float, eps: float | None = None,
                    seed: int = 0) -> Report:
    """Compares gradients (by the position of the argument) of a function that returns a real number.

    Of more than MOST_ENTRIES entries a random choice is compared, as each costs two calls of the function.
    """
    places = [(k, n, index) for k in gradients for n, leaf in enumerate(_floating(args[k]))
              for index in np.ndindex(np.shape(leaf[1]))]
    rng = np.random.default_rng(seed)
    chosen = places if len(places) <= MOST_ENTRIES else [
        places[i] for i in sorted(rng.choice(len(places), MOST_ENTRIES, replace=False))]
    work = _Differences(f, tuple(args), eps)
    entries = [_entry(work, names[k], k, n, index, gradients[k], rtol, atol) for k, n, index in chosen]
    return Report(title, tuple(_with_scale(entries, rtol)), len(chosen) < len(places))


def _floating(x: Any) -> list[tuple[str, Any]]:
    return [(path, leaf) for path, leaf in leaves(x) if floating(leaf)]


def _entry(work: _Differences, name: str, k: int, n: int, index: tuple[int, ...], gradient: Any, rtol: float,
           atol: float) -> Entry:
    path, leaf = _floating(work.args[k])[n]
    got = dict(leaves(gradient)).get(path)
    found = complex("nan") if got is None or np.shape(got) != np.shape(leaf) else np.asarray(got)[index].item()
    expected, error = work.slope(k, n, index)
    at = f"[{', '.join(map(str, index))}]" if index else ""
    return Entry(name, f"{name}{path}{at}", found, expected, max(atol, error) + rtol * abs(expected))


def _with_scale(entries: list[Entry], rtol: float) -> Iterator[Entry]:
    """What is lost by cancellation is relative to the largest entry of the same argument."""
    largest: dict[str, float] = {}
    for e in entries:
        size = abs(e.expected)
        largest[e.argument] = max(largest.get(e.argument, 0.0), size if np.isfinite(size) else 0.0)
    for e in entries:
        yield Entry(e.argument, e.place, e.gradient, e.expected, max(e.allowed, rtol * largest[e.argument]))


class _Differences:
    """Central differences of a function at fixed arguments."""

    def __init__(self, f: Callable[..., float], args: tuple[Any, ...], eps: float | None) -> None:
        self.f, self.args, self.eps = f, args, eps

    def slope(self, k: int, n: int, index: tuple[int, ...]) -> tuple[complex, float]:
        """The derivative by one entry, and how far off the difference may be."""
        x = np.asarray(_floating(self.args[k])[n][1])[index].item()
        step = (self.eps or step_for(self.args[k])) * max(1.0, abs(x))
        real, error = self._quotient(k, n, index, x, step)
        if not isinstance(x, complex):
            return real, error
        imaginary, other = self._quotient(k, n, index, x, 1j * step)
        return real + 1j * imaginary, max(error, other)

    def _quotient(self, k: int, n: int, index: tuple[int, ...], x: complex, h: complex) -> tuple[float, float]:
        ahead, behind = (self._value(k, n, index, x + s * h) for s in (1, -1))
        slope = (ahead - behind) / abs((x + h) - (x - h))
        precision = step_for(self.args[k]) ** 3
        # rounding of the values, and the difference's own error, which is of the order of the step's square
        return slope, 10 * (precision * max(abs(ahead), abs(behind)) / abs(h) + abs(h) ** 2)

    def _value(self, k: int, n: int, index: tuple[int, ...], x: complex) -> float:
        moved = [np.array(leaf) for _, leaf in _floating(self.args[k])]
        moved[n][index] = x
        args = [replaced(arg, iter([m[()] for m in moved])) if i == k else copied(arg)
                for i, arg in enumerate(self.args)]
        return float(np.real(self.f(*args)))
