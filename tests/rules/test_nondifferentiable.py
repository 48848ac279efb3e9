"""The table of what has no derivative, and that nothing of NumPy is forgotten."""
from __future__ import annotations

import random
import time
import types

import numpy as np
import pytest

from srcgrad.rules.nondifferentiable import (
    EFFECTS,
    UNSUPPORTED,
    draws,
    is_nondifferentiable,
    is_pure,
)
from srcgrad.rules.registry import has_rule, registered


@pytest.mark.parametrize("function, zero, pure", [
    (np.argmax, True, True), (np.floor, True, True), (np.zeros_like, True, True), (len, True, True),
    (int, True, True), (isinstance, True, True), (np.sum, False, True), (zip, False, True), (sorted, False, True),
    (ValueError, False, True), (print, True, False), (time.time, True, False), (np.random.rand, True, False),
    (np.random.default_rng(0).normal, True, False), (random.random, True, False), (np.random.default_rng, True, False),
    (map, False, False), (np.unique, False, True), (lambda: 0, False, False), ([], False, False),
    (np.arange, False, True), (np.linspace, False, True), (np.full, False, True)])
def test_the_table(function, zero, pure):
    assert is_nondifferentiable(function) is zero
    assert is_pure(function) is pure


def test_no_function_has_both_a_rule_and_derivative_zero():
    assert not [f for f in registered() if is_nondifferentiable(f)]


def test_drawing_goes_by_the_generator():
    assert draws(np.random.RandomState(0).rand) and not draws(np.sum) and not draws([].append)


_DEPRECATED = ("row_stack", "trapz", "in1d", "disp", "safe_eval")


def _public() -> list[str]:
    """The functions of NumPy's public namespaces (the deprecated among them left out)."""
    found = [(prefix, module) for prefix, module in (("", np), ("linalg.", np.linalg), ("fft.", np.fft))]
    return [prefix + name for prefix, module in found for name in module.__all__
            if name not in _DEPRECATED and callable(getattr(module, name))
            and not isinstance(getattr(module, name), type)]


@pytest.mark.parametrize("name", sorted(_public()))
def test_each_function_of_numpy_is_accounted_for(name):
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    accounted = has_rule(function) or is_pure(function) or is_nondifferentiable(function) or name in UNSUPPORTED
    assert accounted, f"np.{name} has no rule, is in no table, and has no reason in UNSUPPORTED"


def test_what_is_unsupported_has_no_rule():
    for name, reason in UNSUPPORTED.items():
        function = getattr(np, name, None)
        assert reason and (function is None or not has_rule(function) and not is_pure(function))


def test_effects_are_functions():
    assert all(callable(f) and not isinstance(f, types.ModuleType) for f in EFFECTS)
