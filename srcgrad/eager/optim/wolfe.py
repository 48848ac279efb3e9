"""How far to go along a direction: steps that satisfy the strong Wolfe conditions, found by cubic interpolation."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any
Evaluate = Callable[[float], tuple[float, Array]]
_C1, _C2, _CHANGE, _MOST = 1e-4, 0.9, 1e-9, 25


class Point(NamedTuple):
    """A step, and there the loss, the gradient and the slope along the direction."""
    t: float
    f: float
    g: Array
    slope: float


def strong_wolfe(evaluate: Evaluate, t: float, along: Array, f: float, g: Array,
                 slope: float) -> tuple[float, Array, float, int]:
    """The loss and the gradient at the step that was found, the step, and how often the loss was computed."""
    start = Point(0.0, f, g, slope)
    counted = [0]

    def at(t: float) -> Point:
        counted[0] += 1
        f, g = evaluate(t)
        return Point(t, f, g, float(g @ along))
    bracket, rounds = _bracket(at, t, start)
    if len(bracket) == 2:
        bracket = _zoom(at, bracket, start, rounds, float(np.max(np.abs(along))))
    best = bracket[0] if bracket[0].f <= bracket[-1].f else bracket[-1]
    return best.f, best.g, best.t, counted[0]


def _bracket(at: Callable[[float], Point], t: float, start: Point) -> tuple[list[Point], int]:
    """A point that will do, or two between which one lies."""
    before, here = start, at(t)
    for rounds in range(_MOST):
        if here.f > start.f + _C1 * here.t * start.slope or (rounds > 1 and here.f >= before.f):
            return [before, here], rounds
        if abs(here.slope) <= -_C2 * start.slope:
            return [here], rounds
        if here.slope >= 0:
            return [before, here], rounds
        bounds = here.t + 0.01 * (here.t - before.t), here.t * 10
        before, here = here, at(cubic(before, here, bounds))
    return [start, here], _MOST


def _zoom(at: Callable[[float], Point], bracket: list[Point], start: Point, rounds: int, size: float) -> list[Point]:
    """Shortens the bracket until its better end will do, which is the first then."""
    low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
    stuck = False
    for _ in range(rounds, _MOST):
        left, right = sorted((bracket[0].t, bracket[1].t))
        if (right - left) * size < _CHANGE:
            break
        t = cubic(bracket[0], bracket[1])
        near = 0.1 * (right - left)
        if min(right - t, t - left) < near:
            if stuck or t >= right or t <= left:
                t = right - near if abs(t - right) < abs(t - left) else left + near
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = at(t)
        if here.f > start.f + _C1 * t * start.slope or here.f >= bracket[low].f:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        done = abs(here.slope) <= -_C2 * start.slope
        if not done and here.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = here
        if done:
            break
    return [bracket[low]]


def cubic(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points with their slopes is least, within bounds."""
    low, high = bounds or (min(a.t, b.t), max(a.t, b.t))
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    d2 = square ** 0.5
    first, last = (a, b) if a.t <= b.t else (b, a)
    least = last.t - (last.t - first.t) * ((last.slope + d2 - d1) / (last.slope - first.slope + 2 * d2))
    return min(max(least, low), high)
