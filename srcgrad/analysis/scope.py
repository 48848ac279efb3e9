"""Names that a function doesn't bind: its module's globals, the cells of its closure, the builtins.

What the compiler learns of them is recorded as guards: a rebound global or a changed cell gives a new variant at
the next call.
"""
from __future__ import annotations

import builtins
import types
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.guards import Guard

MISSING = object()


@dataclass(frozen=True)
class Outer:
    """A name that means something outside of the function: `name` in these globals and cells."""
    name: str
    globals: dict
    cells: tuple[tuple[str, types.CellType], ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, id(self.globals)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outer) and self.name == other.name and self.globals is other.globals \
            and self.cell is other.cell

    @property
    def cell(self) -> types.CellType | None:
        return dict(self.cells).get(self.name)

    def value(self) -> Any:
        """What the name means now, or MISSING."""
        if self.cell is not None:
            try:
                return self.cell.cell_contents
            except ValueError:
                return MISSING
        return self.globals.get(self.name, getattr(builtins, self.name, MISSING))

    def _read(self) -> tuple[str, tuple[tuple[str, object], ...]]:
        """The text that reads it in a guard, and the objects in that text."""
        if self.cell is not None:
            key = f"cell_{self.name}_{id(self.cell):x}"
            return f"{key}.cell_contents", ((key, self.cell),)
        key = f"globals_{id(self.globals):x}"
        if self.name in self.globals:
            return f"{key}[{self.name!r}]", ((key, self.globals),)
        return f"{key}.get({self.name!r}, builtin_{self.name})", (
            (key, self.globals), (f"builtin_{self.name}", self.value()))

    def guard_identity(self) -> Guard:
        """It still is the same object, and if a Python function, with the same code and defaults."""
        obj = self.value()
        text, objects = self._read()
        key = f"known_{id(obj):x}"
        objects += ((key, obj),)
        text = f"{text} is {key}"
        if isinstance(obj, types.FunctionType):
            for part in ("code", "defaults", "kwdefaults"):
                held = getattr(obj, f"__{part}__")
                name = f"{part}_{id(held):x}"
                text, objects = f"{text} and {key}.__{part}__ is {name}", (*objects, (name, held))
        return Guard(text, objects)

    def guard_kind(self) -> Guard:
        """It still has the class (and, an array, the dtype and rank) that it has now."""
        obj = self.value()
        text, objects = self._read()
        key = f"class_{type(obj).__name__}_{id(type(obj)):x}"
        objects += ((key, type(obj)),)
        check = f"type({text}) is {key}"
        if hasattr(obj, "ndim") and hasattr(obj, "dtype"):
            check += f" and {text}.ndim == {obj.ndim} and {text}.dtype.str == {obj.dtype.str!r}"
        return Guard(check, objects)

    def guard_value(self) -> Guard:
        """It still has the value that it has now (None, a string, a bool)."""
        text, objects = self._read()
        return Guard(f"{text} == {self.value()!r} and type({text}).__name__ == {type(self.value()).__name__!r}", objects)
