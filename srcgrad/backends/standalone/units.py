"""The pieces of a standalone module: each a definition, with what the names in it mean.

A piece is found by the object that it gives; it gets its name in the module only when all pieces are known.
"""
from __future__ import annotations

import builtins
import functools
import linecache
import logging
import math
import operator
import sys
import types
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from srcgrad.backends.standalone.functions import capture, user_function
from srcgrad.backends.standalone.helpers import Place, definition
from srcgrad.backends.standalone.literals import NotPlain, literal
from srcgrad.backends.standalone.texts import calls_itself, free_names
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.lang.source import Found, find, is_user_function

__all__ = ["Unit", "Units"]

PACKAGE = "srcgrad"
_LIBRARIES = (np, math, np.linalg, np.random, np.fft, operator)


@dataclass(eq=False)
class Unit:
    """kind: 'import', 'constant', 'function', 'helper'.  `own` is the name that the text itself defines; an import's
    text is made when its name is known."""
    kind: str
    own: str
    text: str = ""
    reads: dict[str, Hashable] = field(default_factory=dict)
    imports: tuple[str, str | None] = ("", None)


class Units:
    """All pieces that a module needs, in the order in which they were met; `title` names the function in errors."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.all: dict[Hashable, Unit] = {}
        self.undefined: set[str] = set()
        # ids stay their objects' own as long as these live
        self._alive: list[Any] = []

    # ------------------------------------------------------------ by object

    def add(self, obj: Any, name: str) -> Hashable:
        """The key of the piece that gives this object; `name` is how the text that needs it calls it."""
        key = self._key(obj, name)
        if key not in self.all:
            self._alive.append(obj)
            self._make(key, obj, name)
        return key

    def _key(self, obj: Any, name: str) -> Hashable:
        if isinstance(obj, types.ModuleType):
            return "module", obj.__name__
        if _is_own(obj):
            return Place(obj.__module__, obj.__name__)
        if isinstance(obj, (bool, int, float, complex, str, bytes, type(None))):
            return "constant", name, repr(obj)
        return "object", id(obj)

    def _make(self, key: Hashable, obj: Any, name: str) -> None:
        if isinstance(obj, types.ModuleType):
            self._import_module(key, obj, name)
        elif isinstance(obj, types.FunctionType) and is_generated(obj):
            self._generated(key, obj)
        elif isinstance(obj, functools.partial) and obj.func.__module__ == f"{PACKAGE}.passes.finish":
            self._refusal(key, obj, name)
        elif _is_own(obj):
            self.helper(Place(obj.__module__, obj.__name__))
        elif (home := _home(obj)) is not None:
            self.all[key] = Unit("import", name, imports=home)
        elif isinstance(obj, functools.partial):
            self._partial(key, obj, name)
        elif isinstance(obj, logging.Logger):
            named = f"{name} = logging.getLogger({obj.name!r})"
            self.all[key] = Unit("constant", name, named, {"logging": self.add(logging, "logging")})
        elif is_user_function(obj) and not isinstance(obj, types.MethodType):
            self._user(key, obj, name)
        else:
            self._constant(key, obj, name)

    def _import_module(self, key: Hashable, module: types.ModuleType, name: str) -> None:
        if module.__name__.partition(".")[0] == PACKAGE:
            raise self.refused(name, f"{PACKAGE} itself")
        if getattr(module, "__spec__", None) is None:
            raise self.refused(name, f"the module {module.__name__}, which can't be imported")
        self.all[key] = Unit("import", name, imports=(module.__name__, None))

    def _constant(self, key: Hashable, obj: Any, name: str) -> None:
        reads: dict[str, Hashable] = {}

        def other(part: Any) -> str | None:
            """Functions, classes and modules that a container holds are pieces of their own."""
            if not isinstance(part, types.ModuleType) and not callable(part):
                return None
            label = f"{name}_{len(reads)}"
            reads[label] = self.add(part, label)
            return label

        try:
            text = literal(obj, other)
        except NotPlain as error:
            raise self.refused(name, str(error)) from None
        if "np" in free_names(text):
            reads["np"] = self.add(np, "np")
        self.all[key] = Unit("constant", name, f"{name} = {text}", reads)

    def refused(self, name: str, what: str) -> UnsupportedError:
        return UnsupportedError(f"a standalone module can't hold `{name}`, which {self.title} reads: it is {what}",
                                remedy="Pass it as an argument.")

    # ------------------------------------------------------------ functions

    def _generated(self, key: Hashable, function: types.FunctionType) -> None:
        text = generated_text(function)
        unit = self.all[key] = Unit("function", function.__name__, text)
        self._resolve(unit, function)

    def _user(self, key: Hashable, obj: Any, name: str) -> None:
        try:
            found = find(obj)
        except SrcgradError as error:
            raise self.refused(name, f"a function whose source is unknown ({error.what})") from None
        if found.bound or found.bound_kwargs:
            raise self.refused(name, "a callable with arguments bound to it")
        if isinstance(found.tree, gast.FunctionDef) and capture(found.tree):
            raise self.refused(name, "a function that changes names around it (`nonlocal`)")
        text, defaults = user_function(found, name)
        own = name if isinstance(found.tree, gast.Lambda) else found.tree.name
        unit = self.all[key] = Unit("function", own, text)
        if calls_itself(text, own) and not self._is_itself(found, own):
            raise self.refused(name, "a function whose own name means something else")
        self._resolve(unit, found.function)
        unit.reads.update({n: self.add(value, n) for n, value in defaults.items()})

    def _is_itself(self, found: Found, own: str) -> bool:
        """Whether the function's name, where its body reads it, means this function, decorated or not."""
        cell = found.cells.get(own)
        meant: Any = found.globals.get(own) if cell is None else cell.cell_contents
        return is_user_function(meant) and find(meant).function is found.function

    def _resolve(self, unit: Unit, function: types.FunctionType) -> None:
        """What the free names of a function's text mean."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name in sorted(free_names(unit.text) - unit.reads.keys()):
            if name in cells:
                self._read_cell(unit, name, cells[name])
            elif name in function.__globals__:
                self._read(unit, name, function.__globals__[name])
            elif not hasattr(builtins, name):
                self.undefined.add(name)

    def _read_cell(self, unit: Unit, name: str, cell: types.CellType) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            self.undefined.add(name)
        else:
            self._read(unit, name, value)

    def _read(self, unit: Unit, name: str, value: Any) -> None:
        if getattr(builtins, name, self) is not value:
            unit.reads[name] = self.add(value, name)

    def _partial(self, key: Hashable, obj: functools.partial, name: str) -> None:
        parts = {f"{name}_function": obj.func, f"{name}_partial": functools.partial}
        parts.update({f"{name}_argument_{k}": v for k, v in enumerate(obj.args)})
        words = {f"{name}_{word}": v for word, v in obj.keywords.items()}
        given = [n for n in parts if "_argument_" in n] + [f"{word}={name}_{word}" for word in obj.keywords]
        call = f"{name}_partial({', '.join((f'{name}_function', *given))})"
        unit = self.all[key] = Unit("constant", name, f"{name} = {call}")
        unit.reads = {n: self.add(value, n) for n, value in {**parts, **words}.items()}

    def _refusal(self, key: Hashable, obj: functools.partial, name: str) -> None:
        """`raise refuse_line_7("a set")`: the error says the place, and what to do instead."""
        at, remedy = obj.args
        place = "" if at is None else f" ({at.file.rpartition('/')[2]}, line {at.line})"
        body = f"    return UnsupportedError(what + {place!r}, None, {remedy!r})"
        error = self.helper(Place(f"{PACKAGE}.errors", "UnsupportedError"))
        self.all[key] = Unit("function", name, f"def {name}(what):\n{body}", {"UnsupportedError": error})

    # ------------------------------------------------------------ the package's helpers

    def helper(self, place: Place) -> Hashable:
        """The key of one of the package's own definitions."""
        found = definition(place)
        place = found.place
        if found.imports is not None:
            return self._imported(place.name, found.imports)
        if place not in self.all:
            unit = self.all[place] = Unit("helper", place.name, found.text)
            unit.reads[place.name] = place
            unit.reads.update({name: self.helper(read) for name, read in found.reads.items()})
        return place

    def _imported(self, name: str, imports: tuple[str, str | None]) -> Hashable:
        module, attribute = imports
        if attribute is None:
            return self.add(sys.modules[module], name)
        key = "from", module, attribute
        self.all.setdefault(key, Unit("import", name, imports=imports))
        return key


def is_generated(function: types.FunctionType) -> bool:
    """Whether srcgrad made the function."""
    return function.__code__.co_filename.startswith("<generated ")


def generated_text(function: types.FunctionType) -> str:
    """The text of one generated function."""
    lines = linecache.getlines(function.__code__.co_filename)
    tree = gast.parse("".join(lines))
    node = next(n for n in tree.body if isinstance(n, gast.FunctionDef) and n.name == function.__name__)
    return "".join(lines[node.lineno - 1:node.end_lineno]).rstrip() + "\n"


def _is_own(obj: Any) -> bool:
    """Whether it is a function or class that this package defines at the top of a module."""
    return isinstance(obj, (types.FunctionType, type)) and str(obj.__module__).partition(".")[0] == PACKAGE \
        and getattr(sys.modules.get(obj.__module__), obj.__name__, None) is obj


def _home(obj: Any) -> tuple[str, str | None] | None:
    """(module, name) by which a function or class of a library, or a class of the user's, is imported."""
    name = getattr(obj, "__name__", None)
    if not isinstance(name, str) or not isinstance(obj, type) and (not callable(obj) or is_user_function(obj)):
        return None
    if name in ("__main__", "<lambda>"):
        return None
    module = sys.modules.get(str(getattr(obj, "__module__", "")))
    # ufuncs don't say where they come from
    for place in (module, *_LIBRARIES, sys.modules.get("scipy.special")):
        if place is not None and place.__name__ != "__main__" and getattr(place, name, None) is obj \
                and getattr(place, "__spec__", None) is not None:
            return place.__name__, name
    return None
