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


def subject_of(artifacts: Sequence[Artifact], function: types.FunctionType, whole: bool, bound: bool,
               title: str) -> Subject:
    """What a module says of the first artifact; the others are those of the functions that it was made from.

    whole: the compiled function returns just what was asked for.  bound: `function` gets arguments beside the caller's.
    """
    if bound:
        raise UnsupportedError(f"`{function.__qualname__}` has arguments bound to it, which no module can hold", None,
                               "Differentiate the plain function.")
    if not whole:
        raise UnsupportedError("a standalone module gives the gradient of one argument, or a tuple of several", None,
                               "Name one argument without a tuple, and *args as a whole.")
    first = artifacts[0]
    guards = tuple(guard for artifact in artifacts for guard in artifact.guards)
    generated: Any = first.forward
    return Subject(generated, inspect.signature(function), first.arguments, guards, title.partition("\n")[0])


def made_from(function: types.FunctionType, command: str | None = None) -> str:
    """How the module came to be, for its header."""
    version = getattr(sys.modules.get("srcgrad"), "__version__", "")
    file = Path(function.__code__.co_filename).name
    said = f"Made by srcgrad {version} from `{function.__qualname__}` in {file}; what it captured is as it was then."
    return said if command is None else f"{said}\nTo make it anew:\n\n    {command}"
