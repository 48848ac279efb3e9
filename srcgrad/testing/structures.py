"""Numbers inside of values: taken out as a list of leaves, and put back."""
from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.runtime.structure import fields

__all__ = ["Leaf", "copied", "floating", "inner_product", "leaves", "parts", "replaced", "step_for"]

# the path that leads to it, and its value
Leaf = tuple[str, Any]


def parts(x: Any) -> list[tuple[str, Any, Any]]:
    """(path, key, member) of each member of a container or an object; nothing for a leaf."""
    if isinstance(x, (tuple, list)):
        return [(f"[{i}]", i, item) for i, item in enumerate(x)]
    if isinstance(x, dict):
        return [(f"[{key!r}]", key, item) for key, item in x.items()]
    if isinstance(x, (int, float, complex, str, bytes, np.generic, np.ndarray)):
        return []
    return [(f".{name}", name, item) for name, item in (fields(x) or {}).items()]


def leaves(x: Any, path: str = "") -> Iterator[Leaf]:
    """All numbers and arrays of numbers, in a fixed order.

    >>> list(leaves({"w": [1.0, 2], "name": "net"}))
    [("['w'][0]", 1.0), ("['w'][1]", 2)]
    """
    if isinstance(x, (int, float, complex, np.generic, np.ndarray)):
        if np.asarray(x).dtype.kind in "fciu":
            yield path, x
        return
    for step, _, item in parts(x):
        yield from leaves(item, path + step)


def floating(leaf: Any) -> bool:
    """Whether differences can move it."""
    return np.asarray(leaf).dtype.kind in "fc" and not isinstance(leaf, bool)


def replaced(x: Any, values: Iterator[Any]) -> Any:
    """A copy of `x` whose floating leaves are the next ones of `values`, with the classes that they had."""
    if isinstance(x, (int, float, complex, np.generic, np.ndarray)):
        if not floating(x):
            return x.copy() if isinstance(x, np.ndarray) else x
        value = next(values)
        return np.array(value, x.dtype, order="K") if isinstance(x, np.ndarray) else type(x)(value)
    members = {key: replaced(item, values) for _, key, item in parts(x)}
    if isinstance(x, tuple):
        return tuple.__new__(type(x), members.values())
    if isinstance(x, list):
        return list(members.values())
    if isinstance(x, dict):
        return members
    return _with_fields(x, members) if members else x


def _with_fields(x: Any, values: dict[str, Any]) -> Any:
    new = copy.copy(x)
    for name, value in values.items():
        object.__setattr__(new, name, value)
    return new


def copied(x: Any) -> Any:
    """A copy that shares no array with `x`."""
    return replaced(x, iter([leaf for _, leaf in leaves(x) if floating(leaf)]))


def step_for(x: Any) -> float:
    """Where the errors of rounding and of the difference are about equal, for the coarsest number in x."""
    dtypes = (np.asarray(leaf).dtype for _, leaf in leaves(x) if floating(leaf))
    return max((float(np.finfo(dtype).eps) ** (1 / 3) for dtype in dtypes), default=1e-5)


def inner_product(a: Any, b: Any) -> float:
    """The real inner product of two structures."""
    pairs = zip(leaves(a), leaves(b), strict=True)
    return sum(float(np.real(np.vdot(np.asarray(p), np.asarray(q)))) for (_, p), (_, q) in pairs)
