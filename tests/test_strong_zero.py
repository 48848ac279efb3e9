"""Where a choice cuts a path, its adjoint stays zero against an infinite partial, and nothing warns."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from srcgrad import grad, vjp
from srcgrad.options import Options
from srcgrad.passes.reverse.masks import BOUNDED
from srcgrad.rules import registry


class Case(NamedTuple):
    function: Callable
    args: tuple
    wanted: Any


CASES: list[Case] = []


def case(*args: Any, wanted: Any) -> Callable[[Callable], Callable]:
    """Registers a program with its arguments and the gradient by the first of them."""
    def register(function: Callable) -> Callable:
        CASES.append(Case(function, args, np.asarray(wanted)))
        return function
    return register


SIGNED = np.array([-1.0, 0.0, 1.0, 4.0])
EYE = np.eye(3) > 0.5
POINTS = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 8.0]])


# ---------------------------------------------------------------- one choice

@case(SIGNED, wanted=[0.0, 0.0, 0.5, 0.25])
def root_where_positive(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@case(SIGNED, wanted=[1.0, 1.0, 0.5, 0.25])
def root_in_the_other_branch(x):
    return np.sum(np.where(x <= 0, x, np.sqrt(x)))


@case(np.array([0.0, 1.0, np.e]), wanted=[0.0, 1.0, 2.0])
def x_log_x(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


@case(np.array([0.0, 0.0, 2.0]), np.array([0.0, 3.0, 4.0]), wanted=[0.0, np.log(3.0), np.log(4.0)])
def x_log_y(x, y):
    return np.sum(np.where(y == 0, 0.0, x * np.log(y)))


@case(np.array([0.0, 2.0, 0.0]), np.array([5.0, 6.0, 0.0]), wanted=[0.0, -1.5, 0.0])
def safe_division(b, a):
    return np.sum(np.where(b != 0, a / b, 1.0))


@case(np.array([-1000.0, 0.0, 1000.0]), wanted=[0.0, 0.25, 0.0])
def stable_sigmoid(x):
    e, f = np.exp(x), np.exp(-x)
    return np.sum(np.where(x >= 0, 1.0 / (1.0 + f), e / (1.0 + e)))


@case(np.array([-1.0, 2.0, 800.0]), wanted=[np.exp(-1.0), 1.0, 1.0])
def exponential_linear_unit(x):
    return np.sum(np.where(x > 0, x, np.exp(x) - 1.0))


@case(np.array([0.0, 1.0]), wanted=[0.0, -2.0])
def negative_power(x):
    return np.sum(np.where(x > 0, x ** -2, 0.0))


@case(np.array([0.0, 4.0]), 0.5, wanted=[0.0, 0.25])
def power_by_an_argument(x, p):
    return np.sum(np.where(x > 0, x ** p, 0.0))


@case(np.array([-1.0, 0.0, 1.0, 2.0]), wanted=[1.0, 1.0, 1.0, 1.0])
def arcsine_within(x):
    inside = np.abs(x) < 1.0
    return np.sum(np.where(inside, np.arcsin(x), x))


@case(0.0, wanted=0.0)
def of_a_number(x):
    return np.where(x > 0, np.sqrt(x), 0.0) * 3.0


# ---------------------------------------------------------------- along the chain

@case(SIGNED, wanted=[0.0, 0.0, 0.5 * np.cos(1.0), 0.25 * np.cos(2.0)])
def chain_of_names(x):
    inside = x > 0
    root = np.sqrt(x)
    wave = np.sin(root)
    return np.sum(np.where(inside, wave, 7.0))


@case(POINTS, wanted=[[-0.6, -1.8], [1.2, 0.0], [-0.6, 1.8]])
def pairwise_distances(p):
    d = p[:, None] - p[None]
    r = np.where(np.eye(len(p)) > 0.5, 0.0, np.sqrt(np.sum(d ** 2, axis=-1)))
    return np.sum(r) / 2.0


@case(POINTS, wanted=[[0.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
def row_norms(p):
    squares = np.sum(p * p, axis=1)
    return np.sum(np.where(squares > 0, np.sqrt(squares), 0.0))


@case(POINTS[:2], wanted=[[0.0, 0.0], [0.2 - 0.168, 0.2 - 0.224]])
def normalised_rows(p):
    n = np.sqrt(np.sum(p * p, axis=1, keepdims=True))
    return np.sum(np.where(n > 0, p / n, 0.0))


@case(np.array([[0.0, 1.0], [2.0, 4.0]]), np.array([False, True]), wanted=[[0.0, 0.0], [0.5, 0.25]])
def rows_of_logarithms(x, valid):
    return np.sum(np.where(valid, np.sum(np.log(x), axis=1), 0.0))


@case(np.array([[0.0, 1.0], [2.0, 4.0]]), wanted=[[0.0, 0.0], [0.25, 0.125]])
def means_that_keep_dimensions(x):
    means = np.mean(np.log(x), axis=1, keepdims=True)
    return np.sum(np.where(np.min(x, axis=1, keepdims=True) > 0, means, 0.0))


@case(np.array([0.0, 4.0]), np.array([[1.0, 2.0], [3.0, 4.0]]), wanted=[0.0, 1.5])
def broadcast_over_rows(x, a):
    y = np.sqrt(x) * a
    return np.sum(np.where(x > 0, y, 0.0))


@case(np.array([[0.0, 4.0, 1.0], [9.0, 0.0, 16.0]]), wanted=[[0.0, 0.25, 0.5], [1 / 6, 0.0, 0.125]])
def transposed(x):
    y = np.sqrt(x).T
    return np.sum(np.where(x.T > 0, y, 0.0))


# ---------------------------------------------------------------- several choices

@case(np.array([-1.0, 0.0, 1.0, 9.0]), wanted=[0.0, 0.0, 0.5, 0.0])
def nested(x):
    inner = np.where(x > 0, np.sqrt(x), 0.0)
    return np.sum(np.where(x < 4, inner, 2.0))


@case(np.array([0.0, 0.0, 4.0]), np.array([True, False, True]), wanted=[0.0, 0.0, 0.75])
def two_uses_both_cut(x, c):
    r = np.sqrt(x)
    inside = x > 0
    both = np.logical_and(c, inside)
    return np.sum(np.where(inside, r, 0.0)) + 2.0 * np.sum(np.where(both, r, 0.0))


@case(np.array([-1.0, 0.0, 0.25, 4.0]), wanted=[0.0, 0.0, 1.0, 0.25])
def select_between_roots(x):
    return np.sum(np.select([x <= 0, x < 2], [0.0 * x, np.sqrt(x)], np.sqrt(x)))


@case(np.array([0.0, 1.0, 4.0]), wanted=[0.0, 0.5, 0.25])
def select_with_cut_default(x):
    return np.sum(np.select([x <= 0], [x * x], np.sqrt(x)))


@case(np.array([-1.0, 0.0, 0.5]), wanted=[-2.0, 0.0, 16.0])
def clip_of_a_reciprocal(x):
    x = x * x
    return -np.sum(np.clip(1.0 / x, 0.0, 1e3))


@case(np.array([0.0, 0.0, 4.0]), wanted=[0.0, 0.0, 0.25])
def mask_overwritten(x):
    c = x > 0
    r = np.sqrt(x)
    y = np.where(c, r, 0.0)
    c[:] = True
    c = x > 7
    return np.sum(y) + np.sum(c)


@case(np.array([0.0, 1.0, 4.0]), wanted=[0.0, 0.0, 0.25])
def mask_changed_between(x):
    c = x > -1
    r = np.sqrt(x)
    c &= x > 2
    y = np.where(c, r, 0.0)
    c[:] = True
    return np.sum(y)


# ---------------------------------------------------------------- control flow

@case(np.array([0.0, 1.0, 4.0]), 3, wanted=[0.0, 1.5, 0.75])
def in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(np.where(x > 0, np.sqrt(x), 0.0))
    return total


@case(np.array([0.0, 1.0, 4.0]), 2, wanted=[0.0, 1.0, 0.5])
def past_a_loop(x, n):
    inside = x > 0
    r = np.sqrt(x)
    scale = 0.0
    for _ in range(n):
        scale = scale + 1.0
    return np.sum(np.where(inside, r, 0.0)) * scale


@case(np.array([0.0, 1.0, 4.0]), True, wanted=[0.0, 1.0, 0.5])
def past_an_if(x, twice):
    inside = x > 0
    r = np.sqrt(x)
    if twice:
        r = r * 2.0
    return np.sum(np.where(inside, r, 0.0))


def guarded_root(x):
    return np.where(x > 0, np.sqrt(x), 0.0)


@case(np.array([0.0, 1.0, 4.0]), wanted=[0.0, 0.5, 0.25])
def in_a_callee(x):
    y = guarded_root(x)
    return np.sum(y)


# ---------------------------------------------------------------- data that isn't finite

@case(2.0, np.array([1.0, np.nan, 3.0]), wanted=4.0)
def missing_data(w, x):
    return np.sum(np.where(np.isnan(x), 0.0, x * w))


@case(2.0, np.array([1.0, np.inf, 3.0]), np.array([True, False, True]), wanted=16.0)
def masked_data(w, x, valid):
    return np.sum(np.where(valid, w * w * x, 0.0))


@case(np.array([np.inf, 2.0]), wanted=[0.0, 1.0])
def number_from_nan(x):
    return np.sum(np.nan_to_num(x, posinf=9.0))


# ---------------------------------------------------------------- the tests

OPTIONS = {"default": Options(), "plain": Options(plain=True), "general": Options(general=True)}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("case", CASES, ids=[c.function.__name__ for c in CASES])
def test_cut_paths_stay_zero(case: Case, options: Options) -> None:
    with np.errstate(all="ignore"):
        got = grad(case.function, options=options)(*case.args)
        _, pullback = vjp(case.function, *case.args, options=options)
    np.testing.assert_allclose(got, case.wanted, rtol=1e-12, atol=1e-14)
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(_first(pullback(1.0)), case.wanted, rtol=1e-12, atol=1e-14)


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


QUIET = [c for c in CASES if c.function.__name__ in (
    "root_where_positive row_norms pairwise_distances chain_of_names broadcast_over_rows two_uses_both_cut "
    "mask_overwritten in_a_loop past_a_loop past_an_if missing_data").split()]


@pytest.mark.parametrize("case", [c for c in QUIET if np.min(c.args[0]) >= 0], ids=lambda c: c.function.__name__)
def test_whole_gradients_warn_of_nothing(case: Case) -> None:
    """Programs that warn of nothing have gradients that warn of nothing."""
    with np.errstate(all="raise"):
        case.function(*case.args)
        np.testing.assert_allclose(grad(case.function)(*case.args), case.wanted, rtol=1e-12, atol=1e-14)


def used_twice(x):
    r = np.sqrt(x)
    return np.sum(np.where(x > 0, r, 0.0)) + r[0]


def used_whole(x):
    r = np.sqrt(x)
    return np.sum(np.where(x > 0, r, 0.0)) + np.sum(r)


def boundary_not_cut(x):
    return np.sum(np.where(x >= 0, np.sqrt(x), 0.0))


def used_again_by_an_iteration(x, n):
    r = np.sqrt(x)
    total = 0.0
    for _ in range(n):
        total = total + np.sum(r)
        r = np.sqrt(x)
    return total + np.sum(np.where(x > 0, r, 0.0))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("function, args", [
    (used_twice, ()), (used_whole, ()), (boundary_not_cut, ()), (used_again_by_an_iteration, (2,))])
def test_what_no_choice_cuts_stays_infinite(function: Callable, args: tuple, options: Options) -> None:
    """It goes by the masks of all uses, never by a test for zero."""
    with np.errstate(all="ignore"):
        got = grad(function, options=options)(np.array([0.0, 4.0]), *args)
    assert not np.isfinite(got[0]) and np.isfinite(got[1])


def limited(flux, h):
    step = flux[1:] - flux[:-1]
    return np.sum(np.where(step * flux[1:] > 0, 0.0, step * step * 0.5 / h - np.sin(step)))


def test_finite_partials_are_not_guarded() -> None:
    text = grad(limited).source(np.array([1.0, 2.0, 0.5]), 0.1)
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert "\n".join(code).count("where") == 1, text


def test_partials_are_finite_at_the_harmless_operand() -> None:
    """Each elementwise rule, taken at the value that stands in for its operands and its result."""
    pytest.importorskip("scipy.special")        # its rules are registered once it is imported
    for rule in _elementwise_rules():
        harmless = np.array([rule.harmless])
        operands = {p: harmless for p in rule.params if p not in rule.defaults}
        with np.errstate(all="raise"):
            bars = rule.function(np.zeros(1), harmless, *operands.values())
        assert np.all(np.asarray(bars) == 0.0), rule


def _elementwise_rules() -> list:
    found = {r for r in registry.registered().values()
             if r.elementwise and not r.jointly_linear and r.primal not in BOUNDED}
    assert len(found) > 30
    return sorted(found, key=repr)
