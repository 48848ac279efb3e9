"""Boxes hold all cells that subscripts reach, and what is called disjoint or covered is so, whatever the sizes are."""
from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from srcgrad.analysis.boxes import Box, Order, Span, counting
from srcgrad.analysis.interpret.expressions import HOLE
from srcgrad.analysis.lengths import Iteration
from srcgrad.analysis.values import UNKNOWN, Known, Linear, Number, number_of
from srcgrad.lang.core import Bin, Const, Expr, Item, Name, Slice, Tuple
from srcgrad.lang.printing import text
from srcgrad.passes.parts import _View

N, K, I = Linear.symbol(("x", 0)), Linear.symbol(Iteration(0)), Linear.symbol(Iteration(1))
LOOPS = [(Linear(0), N, 1), (Linear(1), N - Linear(1), 1), (Linear(1), N, 2), (N - Linear(1), Linear(-1), -1),
         (N - Linear(2), Linear(0), -1), (Linear(0), N, 3)]
INNER = [*LOOPS, (K + Linear(1), N, 1), (Linear(0), K, 1), (K, Linear(-1), -1), (K, N, 2)]


def at(form: Linear | None, sizes: dict) -> int:
    assert form is not None
    return form.const + sum(c * sizes[token] for token, c in form.terms)


def values(loop: tuple, sizes: dict) -> range:
    start, stop, step = loop
    return range(at(start, sizes), at(stop, sizes), step)


def cells(box: Box, shape: tuple[int, ...], sizes: dict) -> set[tuple[int, ...]]:
    """The cells of an array of this shape that lie in the box."""
    axes = []
    for span, length in itertools.zip_longest(box.spans, shape, fillvalue=Span()):
        low = 0 if span.lower is None else at(span.lower, sizes)
        high = length if span.upper is None else at(span.upper, sizes)
        axes.append([c for c in range(length) if low <= c < high and (span.step <= 1 or (c - low) % span.step == 0)])
    return set(itertools.product(*axes))


def states(outer: tuple, inner: tuple, n: int) -> Iterator[dict]:
    for k in values(outer, {("x", 0): n}):
        for i in values(inner, {("x", 0): n, Iteration(0): k}):
            yield {("x", 0): n, Iteration(0): k, Iteration(1): i}


def order(outer: tuple, inner: tuple) -> Order:
    return Order({0: counting(*outer), 1: counting(*inner)}.get)


# ---------------------------------------------------------------- subscripts

class Indices:
    """Random subscripts over n, k and i."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def number(self) -> Expr:
        name: Expr = Name(self.rng.choice("kin"))
        return self.rng.choice([Const(self.rng.randint(0, 2)), Const(self.rng.randint(-2, -1)), name, name,
                                Bin("+", name, Const(1)), Bin("-", name, Const(1)), Bin("-", Name("n"), Const(2))])

    def slice(self) -> Expr:
        bounds = [self.number() if self.rng.random() < 0.6 else None for _ in range(2)]
        step = self.rng.choice([None, None, None, Const(2), Const(-1), Const(3), Const(-2)])
        if step is not None and self.rng.random() < 0.5:
            bounds = [None, None]
        return Slice(*bounds, step)

    def index(self) -> Expr:
        entries = [self.rng.choice([self.number, self.slice])() for _ in range(self.rng.randint(1, 2))]
        if self.rng.random() < 0.15:
            entries.insert(self.rng.randrange(len(entries) + 1), Const(Ellipsis))
        if self.rng.random() < 0.1:
            entries.insert(self.rng.randrange(len(entries) + 1), Const(None))
        if self.rng.random() < 0.1:
            entries[self.rng.randrange(len(entries))] = Name("idx")
        return entries[0] if len(entries) == 1 else Tuple(tuple(entries))


def probe(expr: Expr, env: dict):
    """As `Context.probe`, for integers."""
    forms = {"n": N, "k": K, "i": I}
    match expr:
        case Const(value):
            return Known(value)
        case Name("idx"):
            return env["idx"]
        case Name(id):
            return Number("int", None, forms[id])
        case Bin(op, left, right):
            a, b = (number_of(probe(e, env)).linear for e in (left, right))
            return Number("int", None, a + b if op == "+" else a - b)
    return UNKNOWN


def form(value) -> Linear | None:
    number = number_of(value)
    return number.linear if number is not None and number.kind == "int" else None


@pytest.mark.parametrize("seed", range(150))
def test_a_box_holds_what_a_subscript_reaches(seed):
    rng = random.Random(seed)
    outer, inner = rng.choice(LOOPS), rng.choice(INNER)
    path, index = Indices(rng).index(), Indices(rng).index()
    env = {"idx": Known(np.array([0, 1, 0]))}
    parts = SimpleNamespace(order=order(outer, inner), c=SimpleNamespace(probe=probe), form=form)
    steps = [path, index] if rng.random() < 0.5 else [index]
    box = _View(parts, env, (), (N, N + Linear(1))).follow([Item(HOLE, s) for s in steps[:-1]], steps[-1:])
    assert box is not None
    for n in (1, 2, 3, 5):
        shape = n, n + 1
        numbers = np.arange(n * (n + 1)).reshape(shape)
        for state in states(outer, inner, n):
            names = {"k": state[Iteration(0)], "i": state[Iteration(1)], "n": n, "idx": np.array([0, 1, 0])}
            try:
                reached = eval(text(functools.reduce(Item, steps, Name("a"))), {**names, "a": numbers})
            except IndexError:
                continue
            found = {tuple(map(int, np.unravel_index(c, shape))) for c in np.ravel(reached)}
            assert found <= cells(box, shape, state), (text(path), text(index), box, state)


# ---------------------------------------------------------------- boxes

def random_box(rng: random.Random, forms: list[Linear]) -> Box:
    spans = []
    for _ in range(2):
        low = rng.choice(forms) + Linear(rng.randint(-1, 2))
        spans.append(rng.choice([Span(low, low + Linear(1), 0), Span(low, low + Linear(1), 0), Span(low, None),
                                 Span(Linear(0), low), Span(low, rng.choice(forms), rng.choice([1, 2, 3])), Span()]))
    return Box(tuple(spans))


@pytest.mark.parametrize("seed", range(150))
def test_disjoint_and_covered_boxes(seed):
    rng = random.Random(seed)
    outer, inner = rng.choice(LOOPS), rng.choice(INNER)
    a, b = (random_box(rng, [Linear(0), N, K, I, I * 2, K - I]) for _ in range(2))
    known = order(outer, inner)
    disjoint, covers = known.disjoint(a, b), known.covers(a, b)
    for n in (1, 2, 3, 5):
        for state in states(outer, inner, n):
            p, q = (cells(box, (n + 2, n + 2), state) for box in (a, b))
            assert not disjoint or not p & q
            assert not covers or q <= p


@pytest.mark.parametrize("seed", range(150))
def test_all_iterations_in_one(seed):
    rng = random.Random(seed)
    outer, inner = rng.choice(LOOPS), rng.choice(INNER)
    box = random_box(rng, [Linear(0), N, K, I, I * 2, K - I, K + I])
    known = order(outer, inner)
    earlier, ever = known.earlier(box, 1), known.ever(box, 1)
    for n in (1, 3, 5):
        shape = 2 * n + 2, 2 * n + 2
        for k in values(outer, {("x", 0): n}):
            seen: set[tuple[int, ...]] = set()
            state = {("x", 0): n, Iteration(0): k}
            for i in values(inner, state):
                assert seen <= cells(earlier, shape, {**state, Iteration(1): i})
                seen |= cells(box, shape, {**state, Iteration(1): i})
            assert seen <= cells(ever, shape, state)
