"""Which rule differentiates which function.  The chapters are loaded on the first look-up."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.rules.rule import Rule

CHAPTERS = ("arithmetic", "elementwise", "selection", "reductions", "products", "linalg", "shaping", "joining",
            "indexing", "casts", "sequences", "factorisations", "windows")

# Chapters of modules that not everybody has loaded: nobody can call what is in a module that isn't.
LATER = {"numpy.fft": "fourier", "scipy.special": "special", "scipy.linalg": "scipy_linalg",
         "scipy.sparse.linalg": "scipy_sparse"}

_rules: dict[Any, Callable[[], Rule]] = {}
_loaded: set[str] = set()
_loading = False


def add(made: Callable[[], Rule], *functions: Callable) -> None:
    """Makes what `made` gives the rule of the functions; it is called at once, and so checked, unless it is our own."""
    for function in functions:
        if function in _rules:
            raise ValueError(f"{function!r} has a rule already: {_rules[function]()!r}")
    if not _loading:
        made()
    _rules.update(dict.fromkeys(functions, made))


def rule_for(function: Any) -> Rule | None:
    """The rule of a function object, or None.

    >>> import numpy as np
    >>> rule_for(np.multiply).linear_in
    ('x1', 'x2')
    >>> rule_for(print) is None
    True
    """
    load()
    try:
        made = _rules.get(function)
    except TypeError:                       # unhashable: surely not a function of NumPy
        return None
    return None if made is None else made()


def has_rule(function: Any) -> bool:
    """Whether there is a rule, without reading it."""
    load()
    try:
        return function in _rules
    except TypeError:
        return False


def registered() -> dict[Any, Rule]:
    """All functions that have a rule, each with its rule."""
    load()
    return {function: made() for function, made in _rules.items()}


def load() -> None:
    """Imports all chapters that there is a use for, each once."""
    global _loading
    wanted = [*CHAPTERS, *(chapter for module, chapter in LATER.items() if module in sys.modules)]
    if len(wanted) == len(_loaded):
        return
    _loading = True
    try:
        for chapter in wanted:
            importlib.import_module(f"srcgrad.rules.{chapter}")
            _loaded.add(chapter)
    finally:
        _loading = False
