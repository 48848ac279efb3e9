"""Lengths of slices and of what depends on loops, against Python's own."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad.analysis.interpret.equalities import Equalities
from srcgrad.analysis.lengths import Iteration, SliceLength, forget, slice_length, value_of, varies
from srcgrad.analysis.sizes import text_of
from srcgrad.analysis.values import Array, Linear, ListOf, Number, TupleOf

N, M, K = Linear.symbol(("x", 0)), Linear.symbol(("y", 0)), Linear.symbol("k")
I, J = Linear.symbol(Iteration(0)), Linear.symbol(Iteration(1))
BOUNDS = [None, *map(Linear, (-5, -1, 0, 1, 3)), K, N, N - Linear(1), K + Linear(1)]


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_a_slice_is_as_long_as_pythons(step):
    for lower, upper, n, k in itertools.product(BOUNDS, BOUNDS, (0, 1, 4), (-2, 0, 3)):
        sizes = {("x", 0): n, "k": k}
        form = slice_length(lower, upper, step, N)
        bounds = [None if b is None else value_of(b, sizes.get) for b in (lower, upper)]
        want = len(range(n)[bounds[0]:bounds[1]:step])
        assert value_of(form, sizes.get) == want
        assert eval(text_of(form), {"x": np.zeros(n), "k": k}) == want


def test_one_form_for_one_slice():
    assert slice_length(I, None, 1, N) == slice_length(I, N, 1, N)
    assert slice_length(None, I, 1, N) == slice_length(Linear(0), I, 1, N)
    assert slice_length(I, I, 1, N) == Linear(0)
    assert slice_length(None, I, 1, N) != slice_length(None, J, 1, N) != slice_length(None, J, 1, M)


def test_what_varies_has_no_value():
    form = slice_length(None, I + Linear(1), 1, N)
    assert varies(form) and varies(form, 0) and not varies(form, 1) and not varies(N)
    assert value_of(form, {("x", 0): 3}.get) is None


def test_forgetting_reaches_inside():
    part = Array(None, (slice_length(None, I, 1, slice_length(J, None, 1, N)), N))
    value = TupleOf((ListOf(part), Number("int", None, J)))
    assert forget(value) == TupleOf((ListOf(Array(None, (None, N))), Number("int")))
    assert forget(value, 0) == TupleOf((ListOf(Array(None, (None, N))), Number("int", None, J)))
    assert forget(value, 2) is not None and forget(value, 2) == value


def equalities(n: int, m: int) -> Equalities:
    return Equalities({}, {("x", 0): n, ("y", 0): m, "k": 2})


def test_slices_of_equal_dimensions_are_equal():
    p, q = (slice_length(None, I + Linear(1), 1, d) for d in (N, M))
    known = equalities(3, 3)
    assert known.unify(p, q) == known.root(q) == p
    assert known.guards == {("same", N, M): (N, M)}
    assert Equalities(known.guards, {}).root(q) == p


def test_nothing_is_assumed_in_vain():
    for p, q, known in ((slice_length(None, I, 1, N), slice_length(None, I, 1, M), equalities(3, 4)),
                        (slice_length(None, I, 1, N), slice_length(None, J, 1, M), equalities(3, 3)),
                        (slice_length(I, None, 1, N), slice_length(I, K, 1, M), equalities(3, 3)),
                        (slice_length(None, I, 1, N), slice_length(None, I, 2, N), equalities(3, 3)),
                        (slice_length(None, I, 1, N), Linear(1), equalities(3, 3)),
                        (slice_length(None, I, 1, N), N, equalities(1, 1))):
        assert known.unify(p, q) is None
        assert known.guards == {}


def test_a_form_doesnt_come_to_be_inside_itself():
    known = equalities(2, 2)
    part = slice_length(None, K, 1, N)
    assert known.unify(part, N) == N
    assert known.root(part) == known.root(known.root(part)) == N
    assert known.root(Linear.symbol(SliceLength(Linear(0), K, 1, part))) == N
