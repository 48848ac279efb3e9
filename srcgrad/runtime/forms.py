"""What an adjoint must look like: containers of shapes, as those of the value that it belongs to."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError

__all__ = ["check_form", "form_of"]


@dataclass(frozen=True)
class Shape:
    """The form of a number or an array."""
    shape: tuple[int, ...]


def form_of(value: Any) -> Any:
    """Lists and dicts of shapes, and None where an adjoint may be anything.

    >>> form_of((1.0, {"n": np.ones(2)}, None))
    [Shape(shape=()), {'n': Shape(shape=(2,))}, None]
    """
    if isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        return Shape(np.shape(value))
    if isinstance(value, dict):
        return {key: form_of(item) for key, item in value.items()}
    return [form_of(item) for item in value] if isinstance(value, (tuple, list)) else None


def check_form(form: Any, adjoint: Any, path: str = "") -> None:
    """Raise ArgumentError unless the adjoint has this form; `path` leads to the part that is checked.

    >>> check_form(form_of((1.0, np.ones(2))), [1.0, np.zeros(2)])
    """
    match form:
        case Shape(shape):
            _check_shape(shape, adjoint, path)
        case list():
            if not isinstance(adjoint, (tuple, list)) or len(adjoint) != len(form):
                raise _wrong(path, f"no sequence of {len(form)}", "Pass one adjoint for each part.")
            for k, part in enumerate(form):
                check_form(part, adjoint[k], f"{path}[{k}]")
        case dict():
            if not isinstance(adjoint, dict) or adjoint.keys() != form.keys():
                raise _wrong(path, "no dict with the same keys", "Pass one adjoint for each key.")
            for key, part in form.items():
                check_form(part, adjoint[key], f"{path}[{key!r}]")


def _check_shape(shape: tuple[int, ...], adjoint: Any, path: str) -> None:
    if np.shape(adjoint) != shape:
        where = f" at {path}" if path else ""
        raise ArgumentError(f"the value{where} has shape {shape}, and its adjoint {np.shape(adjoint)}",
                            remedy="Pass an adjoint of the shape of the value.")
    if np.asarray(adjoint).dtype.kind not in "biufc":
        raise _wrong(path, f"of type {type(adjoint).__name__}", "Pass a number or an array.")


def _wrong(path: str, what: str, remedy: str) -> ArgumentError:
    where = f"the value's {path}" if path else "the value"
    return ArgumentError(f"the adjoint of {where} is {what}", remedy=remedy)
