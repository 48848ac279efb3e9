"""What lies outside of a function and is changed by it: arrays, whose contents are put back, and names."""
from __future__ import annotations

from types import CellType
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


class Setter:
    """Binds one name of a module, or of a closure, anew.

    >>> scope = {"calls": 1}
    >>> Setter("calls", scope)(2)
    >>> scope
    {'calls': 2}
    """

    def __init__(self, name: str, globals: dict[str, Any], cell: CellType | None = None) -> None:
        self.name, self.globals, self.cell = name, globals, cell

    def __call__(self, value: Any) -> None:
        if self.cell is not None:
            self.cell.cell_contents = value
        else:
            self.globals[self.name] = value

    def sets(self, name: str, globals: dict[str, Any], cell: CellType | None) -> bool:
        """Whether this is the name that it binds."""
        same = self.cell is cell if cell is not None or self.cell is not None else self.globals is globals
        return same and self.name == name
