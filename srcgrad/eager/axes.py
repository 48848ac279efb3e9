"""Dimensions as users give them: checked, counted from 0; NumPy's names for the arguments of reductions."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["axis", "axes", "numpy_names"]

F = TypeVar("F", bound=Callable[..., Any])


def axis(dim: Any, ndim: int, extra: int = 0) -> int:
    """One dimension, counted from 0; `extra` more are allowed behind the last."""
    n = max(ndim + extra, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return int(dim) % n


def axes(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Several dimensions counted from 0, each once; None for all."""
    if dim is None:
        return None
    found = tuple(axis(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    for d in found:
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found or None


def numpy_names(f: F) -> F:
    """Lets callers write `axis` and `keepdims` for `dim` and `keepdim`."""
    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if "axis" in kwargs:
                kwargs["dim"] = kwargs.pop("axis")
            if "keepdims" in kwargs:
                kwargs["keepdim"] = kwargs.pop("keepdims")
            kwargs.pop("out", None) if kwargs.get("out", 1) is None else None
        return f(*args, **kwargs)
    return called       # type: ignore[return-value]
