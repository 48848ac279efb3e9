"""What a derivative is where it is a matter of choice: ties, corners, zeros.  Warnings are errors here."""
from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

from rules.checking import adjoints, bound, call, case, wanted_in
from srcgrad.rules.registry import rule_for


def partials(function: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """The adjoints of all active arguments for an adjoint of ones."""
    rule, case_ = rule_for(function), case(*args, **kwargs)
    values = bound(rule, case_)
    out = call(function, rule, values, case_)
    return list(adjoints(rule, np.ones_like(out)[()], out, values, wanted_in(rule, case_)).values())


CHOICES = [
    # ties are shared
    (np.maximum, (np.array([1.0, 2.0, 3.0]), 2.0), [[0.0, 0.5, 1.0], 1.5]),
    (np.minimum, (np.array([1.0, 2.0, 3.0]), 2.0), [[1.0, 0.5, 0.0], 1.5]),
    (np.maximum, (0.0, 0.0), [0.5, 0.5]),
    (np.maximum, (np.array([-np.inf, np.inf]), np.array([-np.inf, 1.0])), [[0.5, 1.0], [0.5, 0.0]]),
    (np.fmax, (np.array([np.nan, 1.0, 2.0]), np.array([1.0, np.nan, 2.0])), [[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]]),
    (np.max, (np.array([3.0, 1.0, 3.0]),), [[0.5, 0.0, 0.5]]),
    (np.min, (np.ones((2, 2)),), [np.full((2, 2), 0.25)]),
    (builtins.max, (1.0, 1.0), [[0.5, 0.5]]),
    (np.ptp, (np.ones(2),), [[0.0, 0.0]]),
    # corners and norms
    (np.absolute, (np.array([-2.0, 0.0, 2.0]),), [[-1.0, 0.0, 1.0]]),
    (np.absolute, (0.0,), [0.0]),
    (np.absolute, (np.array([0j, 3j]),), [[0.0, 1j]]),
    (np.hypot, (0.0, 0.0), [0.0, 0.0]),
    (np.linalg.norm, (np.zeros(3),), [np.zeros(3)]),
    (np.linalg.norm, (np.zeros((2, 2)),), [np.zeros((2, 2))]),
    (np.linalg.norm, (np.zeros(2), 1), [np.zeros(2)]),
    (np.linalg.norm, (np.array([0.0, 2.0]), 3), [[0.0, 1.0]]),
    (np.std, (np.full(4, 0.5),), [np.zeros(4)]),
    (np.angle, (np.array([0j, 1j]),), [[0.0, -1.0]]),
    # clip is open to both sides at its bounds
    (np.clip, (np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), [[0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0]),
    (np.clip, (np.array([0.0, 2.0]), 3.0, 1.0), [[0.0, 0.0], 0.0, 2.0]),
    # powers
    (np.power, (0.0, 0), [0.0]),
    (np.power, (np.array([0.0, 2.0]), np.array([0, 1])), [[0.0, 1.0]]),
    (np.power, (0.0, 1.0), [1.0, 0.0]),
    (np.power, (0.0, 2.0), [0.0, 0.0]),
    (np.power, (np.array([0.0]), 0.0), [[0.0], 0.0]),
    # products with zeros
    (np.prod, (np.array([0.0, 2.0, 3.0]),), [[6.0, 0.0, 0.0]]),
    (np.prod, (np.array([0.0, 0.0, 3.0]),), [[0.0, 0.0, 0.0]]),
    (np.cumprod, (np.array([0.0, 2.0]),), [[3.0, 0.0]]),
    (np.linalg.det, (np.zeros((2, 2)),), [np.zeros((2, 2))]),
    (np.sinc, (np.array([0.0]),), [[0.0]]),
    # what is cut is zero
    (np.where, (np.array([True, False]), np.array([1.0, 2.0]), 0.0), [[1.0, 0.0], 1.0]),
    (np.nan_to_num, (np.array([np.nan, np.inf, 1.0]),), [[0.0, 0.0, 1.0]]),
    (np.nansum, (np.array([np.nan, 1.0]),), [[0.0, 1.0]]),
    (np.nanmean, (np.array([np.nan, 1.0, 2.0]),), [[0.0, 0.5, 0.5]]),
    (np.heaviside, (np.array([-1.0, 0.0]), 0.5), [[0.0, 0.0], 1.0]),
    (np.imag, (np.array([1.0, 2.0]),), [[0.0, 0.0]]),
    # a negative part of a triangle that isn't read
    (np.linalg.cholesky, (np.array([[4.0, 99.0], [0.0, 9.0]]),), [[[0.25, 0.0], [0.5, 1 / 6]]]),
]


@pytest.mark.parametrize("function, args, want", [c for c in CHOICES if c[0] is not np.heaviside])
def test_the_choice(function, args, want):
    got = partials(function, *args)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-15)


def test_the_step_depends_on_its_value_at_zero_only():
    assert partials(np.heaviside, np.array([-1.0, 0.0]), 0.5) == [1.0]


def test_where_cuts_off_infinite_adjoints():
    rule = rule_for(np.where)
    x_bar, y_bar = rule.function(np.array([np.inf, np.nan]), None, np.array([False, True]), 0.0, 0.0)
    assert x_bar[0] == 0 and y_bar[1] == 0


def test_equal_eigenvalues_give_a_finite_derivative():
    (bar,) = (rule_for(np.linalg.eigh).function((np.ones(2), np.ones((2, 2))), np.linalg.eigh(np.eye(2)), np.eye(2)),)
    np.testing.assert_allclose(bar, np.eye(2))


@pytest.mark.parametrize("ord", ["nuc", 0, -2])
def test_a_norm_without_a_derivative_is_refused(ord):
    with pytest.raises(ValueError, match="no derivative here for ord"):
        rule_for(np.linalg.norm).function(1.0, 2.0, np.eye(2), ord)


@pytest.mark.parametrize("target, want", [(np.int64, 0.0), (bool, 0.0), (np.float32, 1.0), (complex, 1.0)])
def test_casts(target, want):
    assert rule_for(np.ndarray.astype).function(np.ones(1), None, np.ones(1), target)[0] == want


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64, np.complex64])
def test_a_number_type_passes_the_adjoint_on(kind):
    bars = rule_for(kind).function(2.0, kind(1.0), 1.0)
    assert (bars[0] if isinstance(bars, tuple) else bars) == 2.0
