"""`is` between objects of which only the kind is known: decided when the program runs, never by guessing."""
from __future__ import annotations

import enum

import numpy as np
import pytest

from srcgrad import UnsupportedError, grad


class Kind(enum.Enum):
    SQUARE = 1
    LINE = 2


MODE = Kind.SQUARE
ACTIVATIONS = {"tanh": np.tanh, "relu": lambda z: np.maximum(z, 0.0)}


def by_mode(x):
    return x * x if MODE is Kind.SQUARE else x


def by_name(x, kind):
    return np.sum(ACTIVATIONS[kind](x))


def test_members_of_enumerations_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(by_mode)
    assert g(2.0) == 4.0
    monkeypatch.setitem(globals(), "MODE", Kind.LINE)
    assert g(2.0) == 1.0


def test_one_of_several_functions_has_a_derivative_or_is_refused() -> None:
    """What can't be told apart must not count as a constant."""
    try:
        text = grad(by_name).source()
    except UnsupportedError:
        return
    assert text.count("x_bar") > 2 and "1.0 - " in text
