"""What is no rule is refused when it is registered, with the reason."""
from __future__ import annotations

import collections

import numpy as np
import pytest

from srcgrad.rules import registry
from srcgrad.rules.registry import registered, rule_for
from srcgrad.rules.rule import RuleError, rule
from srcgrad.rules.slicing import reads, slice_for


@pytest.fixture(autouse=True)
def own_rules(monkeypatch):
    registry.load()
    monkeypatch.setattr(registry, "_rules", dict(registry._rules))


def target(x):
    """Stands for a function that has no rule yet."""
    return x


def test_a_rule_is_registered_and_stays_a_function():
    @rule(target, elementwise=True)
    def twice(out_bar, out, x, *, n=2):
        """Docstrings are fine."""
        t = np.exp(
            out_bar
        )
        x_bar = t * n
        return x_bar
    found = rule_for(target)
    assert twice(0.0, None, 1.0) == 2.0
    assert found.params == ("x", "n") and dict(found.defaults) == {"n": 2} and dict(found.returned) == {"x": "x_bar"}
    assert [line.names for line in found.body] == [("t",), ("x_bar",)] and found.globals == {"np": np}
    assert found.elementwise and not found.jointly_linear


def test_a_function_has_one_rule():
    with pytest.raises(ValueError, match="has a rule already"):
        @rule(np.multiply)
        def again(out_bar, out, x1, x2):
            x1_bar = out_bar * x2
            return x1_bar
    assert "again" not in repr(rule_for(np.multiply))


def test_the_first_parameters_are_given():
    with pytest.raises(RuleError, match="first parameters must be out_bar and out"):
        @rule(target)
        def wrong(g, x):
            x_bar = g
            return x_bar


def test_only_straight_lines():
    with pytest.raises(RuleError, match=r"line \d+ is not an assignment to one name"):
        @rule(target)
        def wrong(out_bar, out, x):
            if x > 0:
                x_bar = out_bar
            return x_bar


def test_it_ends_in_a_return():
    with pytest.raises(RuleError, match="must return the adjoints"):
        @rule(target)
        def wrong(out_bar, out, x):
            x_bar = out_bar                                     # noqa: F841


def test_it_returns_adjoints_of_its_parameters():
    with pytest.raises(RuleError, match="no parameter 'y'"):
        @rule(target)
        def wrong(out_bar, out, x):
            y_bar = out_bar
            return y_bar
    with pytest.raises(RuleError, match="names that end in _bar"):
        @rule(target)
        def also_wrong(out_bar, out, x):
            x_bar = out_bar
            return x_bar * 2.0


def test_it_assigns_what_it_returns():
    with pytest.raises(RuleError, match="which it doesn't assign"):
        @rule(target)
        def wrong(out_bar, out, x, x_bar):
            t = out_bar                                         # noqa: F841
            return x_bar


def test_its_words_name_parameters():
    with pytest.raises(RuleError, match="no parameter 'z'"):
        @rule(target, linear_in=("z",))
        def wrong(out_bar, out, x):
            x_bar = out_bar
            return x_bar


def test_names_must_mean_something():
    with pytest.raises(RuleError, match="'later' is neither"):
        @rule(target)
        def wrong(out_bar, out, x):
            x_bar = out_bar * later                             # noqa: F821
            return x_bar
    with pytest.raises(RuleError, match="numpy has no 'cosine'"):
        @rule(target)
        def also_wrong(out_bar, out, x):
            x_bar = out_bar * np.cosine(x)
            return x_bar


def test_generated_code_may_not_use_everything():
    with pytest.raises(RuleError, match="may not use 'collections'"):
        @rule(target)
        def wrong(out_bar, out, x):
            x_bar = collections.deque(out_bar)
            return x_bar


def test_the_packages_own_rules_are_well_formed():
    assert len({id(found) for found in registered().values()}) > 120


def test_a_slice_has_what_its_adjoints_need():
    solve = rule_for(np.linalg.solve)
    assert [line.names[0] for line in slice_for(solve, ["b"])] == ["solved", "b_bar"]
    assert reads(solve, ["b"]) == {"out_bar", "a", "b"}
    assert reads(solve, ["a"]) == {"out_bar", "out", "a", "b"}
    assert reads(rule_for(np.sin), []) == set()
