"""Names that a function doesn't bind: its module's globals, the cells of its closure, the builtins.

What the compiler learns of them is recorded as guards: a rebound global or a changed cell gives a new variant at
the next call.
"""
from __future__ import annotations

import builtins
import types
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.guards import Guard, function_terms, of_value
from srcgrad.analysis.values import Array, Value

MISSING = object()


@dataclass(frozen=True)
class Touched:
    """Names outside that code reads, and that it binds."""
    read: frozenset[Outer] = frozenset()
    bound: frozenset[Outer] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(self.read | other.read, self.bound | other.bound)

    def clash(self, other: Touched) -> str | None:
        """A name that one of the two binds and the other one reads or binds."""
        shared = (self.bound & (other.read | other.bound)) | (other.bound & self.read)
        return min((outer.name for outer in shared), default=None)


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

    def guard_missing(self) -> Guard:
        """It still means nothing."""
        if self.cell is not None:
            key = f"cell_{self.name}_{id(self.cell):x}"
            return Guard(f"not has_content({key})", ((key, self.cell), ("has_content", _has_content)))
        key = f"globals_{id(self.globals):x}"
        return Guard(f"{self.name!r} not in {key}", ((key, self.globals),))

    def means_only(self, obj: Any) -> bool:
        """Whether it is a name that was made for this very object, so that it never means another one."""
        return len(self.globals) == 1 and not self.cells and self.globals.get(self.name) is obj

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
        terms, held = function_terms(key, obj)
        text, objects = " and ".join((text, *terms)), (*objects, *held)
        return Guard(text, objects)

    def guard_kind(self, value: Value) -> Guard:
        """It still is of this kind: class, dtype, shape, and so on inside."""
        text, objects = self._read()
        check = of_value(text, value)
        terms = [check.text] if check is not None else []
        objects += check.objects if check is not None else ()
        if isinstance(value, Array) and value.dims is not None and all(d is not None for d in value.dims):
            terms.append(f"{text}.shape == {tuple(d.constant for d in value.dims if d is not None)!r}")
        return Guard(" and ".join(terms) or "True", objects)

    def guard_value(self) -> Guard:
        """It still has the value that it has now (None, a string, a bool)."""
        text, objects = self._read()
        value = self.value()
        return Guard(f"{text} == {value!r} and type({text}).__name__ == {type(value).__name__!r}", objects)


def _has_content(cell: types.CellType) -> bool:
    try:
        return bool(cell.cell_contents) or True
    except ValueError:
        return False


def guard_attribute(obj: object, name: str, value: Value) -> Guard | None:
    """The attribute of this very object still is `value`; None where that says nothing."""
    key = f"owner_{id(obj):x}"
    return _with_objects(of_value(f"{key}.{name}", value), ((key, obj),))


def _with_objects(guard: Guard | None, objects: tuple[tuple[str, object], ...]) -> Guard | None:
    return None if guard is None else Guard(guard.text, (*objects, *guard.objects))
