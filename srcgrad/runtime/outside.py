"""Arrays from outside of a function that the function writes: what they hold is kept, and put back."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.structure import arrays_in

Contents = list[tuple[np.ndarray, np.ndarray]]


def contents(x: Any) -> Contents:
    """All arrays in a container or an object, each with a copy of what it holds.

    >>> a = np.zeros(2)
    >>> held = contents({"a": a})
    >>> a[0] = 1.0
    >>> give_back(held)
    >>> a
    array([0., 0.])
    """
    return [(a, a.copy()) for a in arrays_in(x)]


def give_back(held: Contents) -> None:
    """The arrays hold again what they held."""
    for a, content in held:
        a[...] = content
