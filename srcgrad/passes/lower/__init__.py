"""Lowering: a function as Python wrote it -> core form, one construct a file.

The core form of a function gives the same results as the function, for every program that it accepts; what it
doesn't accept becomes a `core.Refuse` in its place, which raises only when it is reached.
"""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, parse
from srcgrad.passes.lower import assign, branches, classes, comprehensions, functions, loops, managers, match, simple
from srcgrad.passes.lower.context import CONSTRUCTS, Lowering

__all__ = ["CONSTRUCTS", "lower", "assign", "branches", "classes", "comprehensions", "functions", "loops", "managers",
           "match", "simple"]


def lower(tree: Any, file: str) -> core.Code:
    """The core form of a gast FunctionDef or Lambda whose positions are those in `file`.

    >>> import gast
    >>> from srcgrad.lang import printing
    >>> print(printing.function(lower(gast.parse("def f(a, b):\\n    a = b = a + b").body[0], "<doc>")), end="")
    def f(a, b):
        a = a + b
        b = a
        return None
    """
    low = Lowering(file, parse.names_in(tree), parse.declared_in(tree), classes.set_on_classes(tree))
    return functions.anonymous(tree, low) if parse.kind(tree) == "Lambda" else functions.function(tree, low)
