"""What only standalone modules hold: errors of their own, and the check of their arguments.

Like the helpers in `srcgrad.runtime` these definitions are copied, as text, into the modules that need them.
"""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

__all__ = ["AliasError", "ArgumentError", "InternalError", "UnsupportedError", "require", "refuse", "describe",
           "NUMERIC"]

NUMERIC = (np.ndarray, float, int, np.number)


class ArgumentError(TypeError):
    """An argument or a result of a kind that the gradient isn't for."""

    def __init__(self, what: str, at: Any = None, remedy: str = "") -> None:
        super().__init__(f"{what}. {remedy}".rstrip())


class AliasError(ArgumentError, ValueError):
    """Arguments share memory where one of them is written."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An operation that has no derivative here."""


class InternalError(ArgumentError):
    """A fault of the program that made this module."""


def require(holds: bool, what: str, *given: Any) -> None:
    """Raise TypeError unless the arguments are as the module was made for.

    >>> require(False, "x must be a number", np.zeros(3))
    Traceback (most recent call last):
    TypeError: x must be a number, and got a float64 array of shape (3,)
    """
    if not holds:
        raise TypeError(f"{what}, and got {' and '.join(map(describe, given))}")


def describe(x: Any) -> str:
    """A few words about a value."""
    if isinstance(x, np.ndarray):
        kind = "array" if type(x) is np.ndarray else type(x).__name__
        return f"{'an' if x.dtype.name[0] in 'io' else 'a'} {x.dtype} {kind} of shape {x.shape}"
    if isinstance(x, (list, tuple, dict)):
        return f"a {type(x).__name__} of length {len(x)}"
    shown = f"{x!r:.60} of type" if isinstance(x, (bool, int, float, complex, str, type(None))) else "a value of type"
    return f"{shown} {type(x).__name__}"


def refuse(what: str, remedy: str = "") -> NoReturn:
    """Raise the error of a statement that has no derivative here."""
    raise UnsupportedError(what, None, remedy)
