"""What code that isn't followed yet may do: which attributes it may set, and which containers it may make.

    class Spring:                           k is data of the class as long as no call waits to be put in place that may
        k = 2.0                             lead to `stiffen`: what an object doesn't have now it may have then
        def stiffen(self, k): self.k = k
"""
from __future__ import annotations

import contextlib
import dataclasses
import dis
import functools
import types
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.state import Abstract, Heap
from srcgrad.analysis.values import DictOf, Known, ListOf, ObjectOf, members
from srcgrad.lang.core import At
from srcgrad.lang.source import in_library
from srcgrad.library.deques import BoundedDeque

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

PACKAGE = __name__.partition(".")[0]
ANY = "*"                           # an attribute whose name isn't known
STAND_INS = (deque, OrderedDict)    # what others are followed in place of


@dataclass(frozen=True)
class Code:
    """sets: the attributes that code sets.  makes: the classes of `STAND_INS` that it mentions."""
    sets: frozenset[str]
    makes: frozenset[type]


class InPlay:
    """All code that the function may lead to, as far as names say."""

    def __init__(self, function: Any = None) -> None:
        self.function = function
        self._known: dict[frozenset[Any], Code] = {}

    def code(self, heap: Heap) -> Code:
        """By the function, and by the classes and functions of what it is given and makes."""
        roots: dict[int, Any] = {}
        for storage in heap.storages():
            held = (part.value.obj for part in storage.fields.values() if isinstance(part.value, Known))
            roots.update((id(o), o) for o in (storage.cls, *held) if isinstance(o, type) or callable(o))
        key = frozenset(roots)
        if key not in self._known:
            self._known[key] = _reached((self.function, *roots.values()))
        return self._known[key]


def may_be_set(ev: Evaluator, owner: Abstract, name: str) -> bool:
    """Whether an object which has no attribute of this name so far may be found to have it."""
    if containers.is_settled(ev, owner) and not ev.generators:
        return False
    sets = ev.in_play.code(ev.heap).sets
    return name in sets or ANY in sets


def check_class(ev: Evaluator, items: Iterable[Abstract], asked: Any, at: At | None) -> None:
    """Refuses to tell a deque from a list, or an ordered dict from a dict: they are followed as one."""
    kinds = [kind for item in items for kind in members(ev.whole(item))]
    lists = any(isinstance(k, ListOf) and k.cls is list or isinstance(k, ObjectOf) and k.cls is BoundedDeque
                for k in kinds)
    dicts = any(isinstance(k, DictOf) for k in kinds) and asked is not dict
    if lists or dicts:
        makes = ev.in_play.code(ev.heap).makes
        for yes, cls, other in ((lists, deque, "list"), (dicts, OrderedDict, "dict")):
            if yes and cls in makes:
                raise Refused(f"a `{cls.__name__}` isn't told from a {other} here", "keep them in different names, or "
                              "compare what they hold", at)


# ---------------------------------------------------------------- what is reached by name

def _reached(roots: Iterable[Any]) -> Code:
    sets: set[str] = set()
    makes: set[type] = set()
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        obj = todo.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        makes.update(cls for cls in STAND_INS if obj is cls)
        if isinstance(obj, type):
            todo += _parts(obj)
            sets.update(f.name for f in dataclasses.fields(obj)) if dataclasses.is_dataclass(obj) else None
        elif isinstance(obj, (list, tuple, set, frozenset)) and len(obj) < 100:
            todo += obj
        elif isinstance(obj, dict) and len(obj) < 100:
            todo += obj.values()
        elif isinstance(obj, types.FunctionType):
            if not _is_known(obj):
                sets |= _stored(obj.__code__)
                todo += _meant(obj)
        elif not isinstance(obj, types.ModuleType):
            todo += _held(obj)
    return Code(frozenset(sets), frozenset(makes))


def _held(obj: Any) -> Iterator[Any]:
    """What an object that is called may lead to; none of its own code is run."""
    match obj:
        case types.MethodType() | staticmethod() | classmethod():
            yield obj.__func__
        case functools.partial():
            yield from (obj.func, *obj.args, *obj.keywords.values())
        case property():
            yield from (obj.fget, obj.fset, obj.fdel)
        case functools.cached_property():
            yield obj.func
    with contextlib.suppress(AttributeError):
        yield from object.__getattribute__(obj, "__dict__").values()
    yield type(getattr(obj, "__self__", obj) if isinstance(obj, types.MethodType) else obj)


def _parts(cls: type) -> Iterator[Any]:
    """What a class and those that it inherits from have, unless they are of a library."""
    for base in cls.__mro__:
        own = list(vars(base).values())
        if any(not _is_known(f) for part in own for f in (part, getattr(part, "__func__", None),
               getattr(part, "fget", None)) if isinstance(f, types.FunctionType)):
            yield from own


def _is_known(function: types.FunctionType) -> bool:
    """Whether it sets nothing on the user's objects: what this package makes of them is followed."""
    return in_library(function) or function.__globals__.get("__name__", "").startswith(f"{PACKAGE}.")


def _meant(function: types.FunctionType) -> Iterator[Any]:
    """What the names in a function mean, those of functions inside as well."""
    named = _named(function.__code__)
    for name in named:
        obj = function.__globals__.get(name)
        yield obj
        if isinstance(obj, types.ModuleType):
            yield from (vars(obj).get(other) for other in named)
    yield from (cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell))
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield getattr(function, "__wrapped__", None)


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


@functools.lru_cache(maxsize=4096)
def _stored(code: types.CodeType) -> frozenset[str]:
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
    if {"setattr", "__setattr__", "__dict__"} & set(code.co_names) and code.co_filename != "<string>":
        own.add(ANY)                # data classes' own code names its fields
    return frozenset(own.union(*(_stored(c) for c in code.co_consts if isinstance(c, types.CodeType))))


@functools.lru_cache(maxsize=4096)
def _named(code: types.CodeType) -> frozenset[str]:
    return frozenset(code.co_names).union(*(_named(c) for c in code.co_consts if isinstance(c, types.CodeType)))
