"""The package's own helpers as source: a definition, and all that it stands on."""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
from dataclasses import dataclass, field

from srcgrad.backends.standalone.texts import free_names, without_examples

__all__ = ["Definition", "Place", "definition"]

# what stands in for the package's errors, which show places in sources
_ERRORS, _STANDINS = "srcgrad.errors", "srcgrad.backends.standalone.inside"


@dataclass(frozen=True)
class Place:
    """A name of a module."""
    module: str
    name: str


@dataclass(frozen=True)
class Definition:
    """The text that gives a name its meaning, where that is really defined; what the names in it mean is in `reads`.

    An import is (module, attribute or None).
    """
    place: Place
    text: str = ""
    reads: dict[str, Place] = field(default_factory=dict)
    imports: tuple[str, str | None] | None = None


def definition(place: Place) -> Definition:
    """What defines a name of one of the package's modules.

    >>> definition(Place("srcgrad.runtime.arrays", "unbroadcast")).reads["np"]
    Place(module='srcgrad.runtime.arrays', name='np')
    """
    if place.module == _ERRORS:
        place = Place(_STANDINS, place.name)
    source, found = _module(place.module)
    stmt = found[place.name]
    if isinstance(stmt, (ast.Import, ast.ImportFrom)):
        return _imported(stmt, place)
    text = without_examples(_segment(source, stmt))
    reads = {n: Place(place.module, n) for n in free_names(text) - {place.name} if n in found or not _builtin(n)}
    return Definition(place, text, reads)


def _builtin(name: str) -> bool:
    return hasattr(builtins, name)


@functools.cache
def _module(name: str) -> tuple[str, dict[str, ast.stmt]]:
    """The module's source, and the statement that defines each of its names."""
    __import__(name)
    source = inspect.getsource(sys.modules[name])
    found: dict[str, ast.stmt] = {}
    for stmt in ast.parse(source).body:
        found.update(dict.fromkeys(_defines(stmt), stmt))
    return source, found


def _defines(stmt: ast.stmt) -> list[str]:
    match stmt:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
        case ast.Assign(targets=targets):
            return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _imported(stmt: ast.Import | ast.ImportFrom, place: Place) -> Definition:
    alias = next(a for a in stmt.names if (a.asname or a.name) == place.name)
    if isinstance(stmt, ast.Import):
        return Definition(place, imports=(alias.name, None))
    module = stmt.module or ""
    if module.startswith("srcgrad."):
        return definition(Place(module, alias.name))
    return Definition(place, imports=(module, alias.name))


def _segment(source: str, stmt: ast.stmt) -> str:
    first = min([stmt.lineno, *(d.lineno for d in getattr(stmt, "decorator_list", []))])
    return "\n".join(source.splitlines()[first - 1:stmt.end_lineno])
