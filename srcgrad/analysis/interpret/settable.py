"""Which attributes code may set that isn't followed yet: what an object doesn't have now it may have then.

    class Spring:                           k is data of the class, until `stiffen`, which is still to be put in place,
        k = 2.0                             has been followed
        def stiffen(self, k): self.k = k
"""
from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.analysis.values import Closure, Known, Value
from srcgrad.lang.core import Attr, Store, statements

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

ANY = "*"


def may_be_set(ev: Evaluator, owner: Abstract, cls: type, name: str, rarely: bool = False) -> bool:
    """Whether an object of the class, which has no attribute of this name so far, may be found to have it; `rarely`:
    it is a method, say, so that only code which names it is thought of."""
    if containers.is_settled(ev, owner):
        return False
    return name in _set_by_class(cls) or name in ev.awaited or not rarely and ANY in ev.awaited


def await_call(ev: Evaluator, function: Any, env: Env) -> None:
    """Notes what a call of the function, which is still to be put in place, may set."""
    seen: set[Any] = set()
    todo = [function]
    while todo:
        f = todo.pop()
        if not isinstance(f, Closure):
            ev.awaited |= _set_by(f)
        elif f not in seen:
            seen.add(f)
            for stmt in statements(f.function.code.body):
                if isinstance(stmt, Store) and isinstance(stmt.place, Attr):
                    ev.awaited.add(stmt.place.name)
            todo += [v.obj if isinstance(v, Known) else v for name in f.function.free
                     if isinstance(v := _meaning(ev, name, env), (Closure, Known))]


def _meaning(ev: Evaluator, name: str, env: Env) -> Value | None:
    if name in env:
        return env[name].value
    outer = ev.outer(name)
    return None if outer is None else Known(outer.value())


@functools.lru_cache(maxsize=1024)
def _set_by_class(cls: type) -> frozenset[str]:
    """The attributes that a method of the class, or of one that it inherits from, sets."""
    parts = [part for base in cls.__mro__ if base is not object for part in vars(base).values()]
    functions = [f for part in parts for f in _functions(part)]
    return frozenset(name for f in functions for name in _stored(f.__code__))


def _functions(part: Any) -> Iterator[types.FunctionType]:
    for candidate in (part, getattr(part, "__func__", None), getattr(part, "func", None), getattr(part, "fget", None),
                      getattr(part, "fset", None)):
        if isinstance(candidate, types.FunctionType):
            yield candidate


def _set_by(function: Any) -> frozenset[str]:
    """The attributes that a function sets, or that those do which it calls by name."""
    found: set[str] = set()
    seen: set[types.CodeType] = set()
    todo = list(_functions(function))
    while todo:
        f = todo.pop()
        if f.__code__ in seen:
            continue
        seen.add(f.__code__)
        found |= _stored(f.__code__)
        todo += [g for name in _named(f.__code__) for g in _functions(f.__globals__.get(name))]
    return frozenset(found)


@functools.lru_cache(maxsize=4096)
def _stored(code: types.CodeType) -> frozenset[str]:
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
    if "setattr" in code.co_names or "__setattr__" in code.co_names or "__dict__" in code.co_names:
        own.add(ANY)
    return frozenset(own.union(*(_stored(c) for c in code.co_consts if isinstance(c, types.CodeType))))


@functools.lru_cache(maxsize=4096)
def _named(code: types.CodeType) -> frozenset[str]:
    return frozenset(code.co_names).union(*(_named(c) for c in code.co_consts if isinstance(c, types.CodeType)))
