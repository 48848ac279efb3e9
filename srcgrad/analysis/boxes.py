"""Parts of arrays as boxes: which cells a subscript may reach, and whether two of them certainly don't meet.

A span is a range of cells of one dimension whose bounds are linear forms in lengths and loop variables; a box has one
span a dimension, and stands for all its cells.  Whatever isn't certain makes a box larger.

        A[i, k + 1:]        (i .. i + 1, k + 1 ..)
        A[:, -1]            (0 .., n - 1 .. n)
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from srcgrad.analysis.lengths import Iteration, is_length, varies
from srcgrad.analysis.values import Linear

ONE = Linear(1)


@dataclass(frozen=True)
class Span:
    """Cells from `lower` on and below `upper` (None: not known), each `step`-th of them; 0: there is one at most."""
    lower: Linear | None = Linear(0)
    upper: Linear | None = None
    step: int = 1


def cell(at: Linear) -> Span:
    return Span(at, at + ONE, 0)


@dataclass(frozen=True)
class Box:
    """The cells that lie in all these spans, of the leading dimensions if there are more."""
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Trips:
    """What values a loop's variable has: from `first` on by `step`, none below `least` or above `most`."""
    first: Linear | None
    least: Linear | None
    most: Linear | None
    step: int


def counting(start: Linear | None, stop: Linear | None, step: int) -> Trips:
    """Those of range(start, stop, step)."""
    if step > 0:
        return Trips(start, start, stop and stop - ONE, step)
    return Trips(start, stop and stop + ONE, start, step)


class Order:
    """Answers whether one form is at most another, in all iterations of the loops around; `trips`: by loop."""

    def __init__(self, trips: Callable[[int], Trips | None]) -> None:
        self.trips = trips

    def at_most(self, p: Linear | None, q: Linear | None) -> bool:
        """Whether certainly p <= q.

        >>> k, n = Linear.symbol(Iteration(0)), Linear.symbol(("x", 0))
        >>> order = Order(lambda loop: counting(Linear(1), n, 1))
        >>> order.at_most(Linear(1), k), order.at_most(k + Linear(1), n), order.at_most(k, n - Linear(2))
        (True, True, False)
        """
        return p is not None and q is not None and self._never_negative(q - p)

    def _never_negative(self, form: Linear) -> bool:
        """Loop variables give way to their worst values, those of inner loops first: their bounds have outer ones."""
        while loops := [token.loop for token, _ in form.terms if isinstance(token, Iteration)]:
            inner = max(loops)
            worst = _extreme(form, inner, self.trips(inner), largest=False)
            if worst is None:
                return False
            form = worst
        return form.const >= 0 and all(c >= 0 and is_length(token) for token, c in form.terms)

    # ------------------------------------------------------------ boxes

    def disjoint(self, a: Box, b: Box) -> bool:
        """Whether the boxes certainly have no cell in common."""
        return any(self._apart(p, q) for p, q in zip(a.spans, b.spans))

    def _apart(self, a: Span, b: Span) -> bool:
        if self.at_most(a.upper, b.lower) or self.at_most(b.upper, a.lower):
            return True
        common = math.gcd(a.step, b.step)
        offset = None if a.lower is None or b.lower is None else (a.lower - b.lower).constant
        return offset is not None and common > 1 and offset % common != 0

    def covers(self, a: Box, b: Box) -> bool:
        """Whether all cells of b certainly are cells of a."""
        return len(a.spans) <= len(b.spans) and all(map(self._holds, a.spans, b.spans))

    def _holds(self, a: Span, b: Span) -> bool:
        if a.lower is not None and not self.at_most(a.lower, b.lower) \
                or a.upper is not None and not self.at_most(b.upper, a.upper):
            return False
        if a.step <= 1:
            return True
        offset = None if a.lower is None or b.lower is None else (b.lower - a.lower).constant
        return offset is not None and offset % a.step == 0 and b.step % a.step == 0

    # ------------------------------------------------------------ iterations

    def earlier(self, box: Box, loop: int) -> Box:
        """What the box was in the iterations before this one, all in one."""
        return self._over(box, loop, earlier_ones(self.trips(loop), loop))

    def ever(self, box: Box, loop: int) -> Box:
        """What the box was in all iterations."""
        return self._over(box, loop, self.trips(loop))

    def _over(self, box: Box, loop: int, trips: Trips | None) -> Box:
        return Box(tuple(_over(span, loop, trips) for span in box.spans))


def earlier_ones(trips: Trips | None, loop: int) -> Trips | None:
    if trips is None:
        return None
    last = Linear.symbol(Iteration(loop)) - Linear(trips.step)
    return Trips(trips.first, trips.least, last, trips.step) if trips.step > 0 \
        else Trips(trips.first, last, trips.most, trips.step)


def _over(span: Span, loop: int, trips: Trips | None) -> Span:
    lower = None if span.lower is None else _extreme(span.lower, loop, trips, largest=False)
    upper = None if span.upper is None else _extreme(span.upper, loop, trips, largest=True)
    return Span(lower, upper, _stride(span, lower, loop, trips))


def _stride(span: Span, lower: Linear | None, loop: int, trips: Trips | None) -> int:
    """How far the cells are apart: those of all iterations are whole strides from those of the first one, if the lower
    bound is that of the first."""
    moved = 0 if span.lower is None else _coefficient(span.lower, loop)
    if not moved or span.lower is None:
        return span.step if lower is not None else 1
    if lower is None or trips is None or trips.first is None:
        return 1
    first = span.lower + (trips.first - _variable(loop)) * moved
    return math.gcd(span.step, moved * trips.step) if lower == first else 1


def _extreme(form: Linear, loop: int, trips: Trips | None, largest: bool) -> Linear | None:
    """The largest or smallest value of a form in all iterations, None where it isn't known."""
    c = _coefficient(form, loop)
    rest = form - _variable(loop) * c
    if varies(rest, loop):
        return None
    if c == 0:
        return form
    bound = None if trips is None else trips.most if (c > 0) == largest else trips.least
    return None if bound is None else rest + bound * c


def _coefficient(form: Linear, loop: int) -> int:
    return next((c for token, c in form.terms if token == Iteration(loop)), 0)


def _variable(loop: int) -> Linear:
    return Linear.symbol(Iteration(loop))
