"""From a compiled derivative to what its module is made of."""
from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from srcgrad.backends.standalone.module import Subject
from srcgrad.compiler import Artifact
from srcgrad.errors import UnsupportedError

__all__ = ["made_from", "subject_of"]


def subject_of(artifacts: Sequence[Artifact], function: types.FunctionType, whole: bool, bound: tuple[Any, ...],
               title: str) -> Subject:
    """What a module says of the first artifact; the others are those of the functions that it was made from.

    whole: the compiled function returns just what was asked for.  bound: the arguments that `function` gets beside
    the caller's.
    """
    if bound:
        raise UnsupportedError(f"`{function.__qualname__}` has arguments bound to it, which no module can hold", None,
                               _unbound(function, bound))
    if not whole:
        raise UnsupportedError("a standalone module gives the gradient of one argument, or a tuple of several", None,
                               "Name one argument without a tuple, and *args as a whole.")
    first = artifacts[0]
    guards = tuple(guard for artifact in artifacts for guard in artifact.guards)
    generated: Any = first.forward
    return Subject(generated, inspect.signature(function), first.arguments, guards, title.partition("\n")[0])


def _unbound(function: types.FunctionType, bound: tuple[Any, ...]) -> str:
    """How to get at the function without what is bound to it."""
    if len(bound) == 1 and inspect.getattr_static(type(bound[0]), function.__name__, None) is function:
        return f"Name the plain function, `{function.__qualname__}`, and give the object as its first argument."
    return f"Write a function of the other arguments that calls `{function.__qualname__}`, and name that."


def made_from(function: types.FunctionType, command: str | None = None) -> str:
    """How the module came to be, for its header."""
    version = getattr(sys.modules.get("srcgrad"), "__version__", "")
    file = Path(function.__code__.co_filename).name
    said = f"Made by srcgrad {version} from `{function.__qualname__}` in {file}; what it captured is as it was then."
    return said if command is None else f"{said}\nTo make it anew:\n\n    {command}"
