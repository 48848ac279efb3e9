"""Every rule against differences, in single precision, as spliced text, and in what it says of its own structure."""
from __future__ import annotations

import numpy as np
import pytest

from rules.checking import (
    Case,
    active,
    adjoints,
    bound,
    call,
    inner,
    moved,
    random_like,
    run,
    seeded,
    sloped,
    spliced,
    wanted_in,
)
from rules.table import ROWS
from srcgrad.rules.registry import registered

RULES = registered()
CASES = [pytest.param(f, c, id=f"{RULES[f].function.__name__}-{i}")
         for f, row in ROWS.items() for i, c in enumerate(row)]
LINEAR = [p for p in CASES if RULES[p.values[0]].linear_in or RULES[p.values[0]].jointly_linear]


def test_each_function_that_has_a_rule_has_a_row():
    assert set(ROWS) == set(RULES)


@pytest.mark.parametrize("function, case_", CASES)
def test_the_adjoint_agrees_with_differences(function, case_):
    rule, rng = RULES[function], np.random.default_rng(1)
    values = bound(rule, case_)
    out = call(function, rule, values, case_)
    out_bar = seeded(out, case_, rng)
    bars = adjoints(rule, out_bar, out, values, wanted_in(rule, case_))
    for name, bar in bars.items():
        _same_shape(bar, values[name])
    for _ in range(2):
        directions = {name: random_like(values[name], rng) for name in bars}
        want = sloped(function, rule, case_, out_bar, directions)
        got = sum(inner(bars[name], directions[name]) for name in bars)
        assert got == pytest.approx(want, rel=1e-7, abs=1e-8)


def _same_shape(bar, value):
    if isinstance(value, (list, tuple)):
        assert len(bar) == len(value)
        for b, v in zip(bar, value):
            _same_shape(b, v)
    else:
        assert np.shape(bar) == np.shape(value)


@pytest.mark.parametrize("function, case_", CASES)
def test_single_precision_is_kept(function, case_):
    rule = RULES[function]
    single = Case(tuple(map(_single, case_.args)), {k: _single(v) for k, v in case_.kwargs.items()}, case_.outputs)
    values = bound(rule, single)
    out = call(function, rule, values, single)
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float32, np.complex64):
        pytest.skip("the result is no array of single precision")
    out_bar = np.ones_like(out)
    for name, bar in spliced(rule, out_bar, out, values, wanted_in(rule, single)).items():
        if isinstance(values[name], np.ndarray):
            assert bar.dtype in (np.float32, np.complex64), name


def _single(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(_single, value))
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    return value.astype(np.complex64 if value.dtype.kind == "c" else np.float32)


@pytest.mark.parametrize("function, case_", CASES)
def test_the_spliced_text_gives_what_the_function_gives(function, case_):
    rule = RULES[function]
    values = bound(rule, case_)
    out = call(function, rule, values, case_)
    out_bar = seeded(out, case_, np.random.default_rng(2))
    if wanted_in(rule, case_) != list(rule.returned):
        pytest.skip("some arguments are inactive: the whole rule doesn't apply")
    whole = run(rule, out_bar, out, values)
    for name, bar in spliced(rule, out_bar, out, values, list(rule.returned)).items():
        _equal(bar, whole[name])


def _equal(a, b):
    if isinstance(a, list):
        for left, right in zip(a, b, strict=True):
            _equal(left, right)
    else:
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("function, case_", LINEAR)
def test_the_function_is_linear_in_what_the_rule_says(function, case_):
    """f(2 v) = 2 f(v) and f(v + d) = f(v) + f(d), for each alone or for all together."""
    rule, rng = RULES[function], np.random.default_rng(3)
    values = bound(rule, case_)
    given = [p for p in wanted_in(rule, case_) if _whole(values[p])]
    assert set(rule.returned) == set(rule.linear_in) or not rule.jointly_linear
    for names in ([given] if rule.jointly_linear else [[p] for p in given if p in rule.linear_in]):
        other = {p: random_like(values[p], rng) for p in names}
        at_zero = {**values, **{p: moved(values[p], values[p], -1.0) for p in names}}
        at_other = {**values, **{p: moved(at_zero[p], other[p], 1.0) for p in names}}
        at_sum = {**values, **{p: moved(values[p], other[p], 1.0) for p in names}}
        results = [call(function, rule, v, case_) for v in (values, at_other, at_zero, at_sum)]
        probe = random_like(results[0], rng)
        first, second, zero, both = (inner(probe, r) for r in results)
        # what other arguments add (a constant choice, say) is in each of the four
        assert first + second - zero == pytest.approx(both, rel=1e-9, abs=1e-9)


def _whole(value) -> bool:
    return not isinstance(value, (list, tuple)) or all(active(v) and _whole(v) for v in value)
