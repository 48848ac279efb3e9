"""Code that is said to be in a file `<string>`: of `python -c`, and what `dataclass` makes."""
from __future__ import annotations

import linecache
from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad import grad


@dataclass
class Point:
    x: float
    y: float


def product(v):
    p = Point(v[0], v[1] * 2.0)
    return p.x * p.y


def test_methods_of_data_classes_are_not_looked_for_in_the_text_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import sys\nprint(sys.argv)\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, text.splitlines(True), "<string>"))
    np.testing.assert_allclose(grad(product)(np.array([2.0, 3.0])), [6.0, 4.0])


def test_functions_of_a_command_have_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def square(x):\n    return x * x\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, text.splitlines(True), "<string>"))
    made: dict = {}
    exec(compile(text, "<string>", "exec"), made)
    assert grad(made["square"])(3.0) == 6.0
