"""The page of functions lists exactly those that have a derivative, and those whose derivative is zero.

    python -m pytest tests/docs --regenerate

writes the lists anew.  What only newer versions of Python and NumPy have stays in the lists where these are older.
"""
from __future__ import annotations

import builtins
import cmath
import functools
import itertools
import math
import operator
import pkgutil
import re
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from docblocks import ROOT
from srcgrad.library.registry import equivalent_of
from srcgrad.rules.nondifferentiable import is_nondifferentiable, is_pure
from srcgrad.rules.registry import has_rule
from srcgrad.rules.spellings import SYNONYMS

PAGE = ROOT / "docs" / "reference" / "functions.md"
DENSITIES = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf")
PYTHON = (builtins, math, cmath, operator, functools, itertools)


def public(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """What a module offers by name, but for exceptions and NumPy's types."""
    for name in dir(module):
        value = getattr(module, name)
        if not name.startswith("_") and callable(value) and not _left_out(value):
            yield name, value


def _left_out(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, (BaseException, np.generic))


def has_derivative(value: Any) -> bool:
    return has_rule(SYNONYMS.get(value, value)) or equivalent_of(value) is not None


def is_zero(value: Any) -> bool:
    return not has_derivative(value) and is_nondifferentiable(value) and is_pure(value)


def names(wanted: Callable[[Any], bool], *modules: types.ModuleType) -> list[str]:
    return [_prefix(module) + name for module in modules for name, value in public(module) if _hashable(value)
            and wanted(value)]


def _hashable(value: Any) -> bool:
    return type(value).__hash__ is not None


def _prefix(module: types.ModuleType) -> str:
    short = module.__name__.removeprefix("numpy.").removeprefix("numpy")
    return "" if module is builtins or module.__name__.startswith("numpy") else f"{short}."


def lists() -> dict[str, list[str]]:
    special = pytest.importorskip("scipy.special")
    linear = pytest.importorskip("scipy.linalg")
    stats = pytest.importorskip("scipy.stats")
    return {
        "python": names(has_derivative, *PYTHON),
        "numpy": names(has_derivative, np),
        "numpy.linalg": names(has_derivative, np.linalg),
        "numpy.fft": names(has_derivative, np.fft),
        "scipy": names(has_derivative, special, linear),
        "scipy.stats": [f"{name}.{method}" for name, value in public(stats) for method in DENSITIES
                        if equivalent_of(getattr(value, method, None)) is not None],
        "python, zero": names(is_zero, *PYTHON),
        "numpy, zero": names(is_zero, np),
    }


def block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- functions: {re.escape(name)} -->\n```text\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)


def test_lists_are_complete_and_true(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, wanted in lists().items():
        assert wanted
        found = block(name).search(text)
        assert found, f"no list of {name}"
        kept = [entry for entry in found[2].split() if not exists(name, entry)]
        if request.config.getoption("--regenerate"):
            text = text.replace(found[0], found[1] + _wrapped(sorted({*wanted, *kept})) + found[3])
            PAGE.write_text(text, encoding="utf-8")
        else:
            assert sorted(set(found[2].split()) - set(kept)) == sorted(wanted)


def exists(group: str, entry: str) -> bool:
    """Whether this version has what is listed."""
    module = group.removesuffix(", zero")
    if module in ("python", "scipy"):
        return _found(entry) if "." in entry else hasattr(builtins, entry)
    return _found(f"{module}.{entry}")


def _found(path: str) -> bool:
    try:
        pkgutil.resolve_name(path)
    except (ImportError, AttributeError, ValueError):
        return False
    return True


def _wrapped(entries: list[str]) -> str:
    return textwrap.fill(" ".join(entries), 116, break_long_words=False, break_on_hyphens=False) + "\n"
