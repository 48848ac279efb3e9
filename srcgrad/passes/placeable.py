"""Which functions are put in place where they are called: those that aren't recursive, nor large."""
from __future__ import annotations

import types
from typing import Any

from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import Closure
from srcgrad.errors import SrcgradError
from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Code,
    Return,
    statements,
    suspends,
)
from srcgrad.lang.source import find, is_user_function
from srcgrad.passes.arguments import Callee, callee_from
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.unit import lowered

LARGEST = 120       # statements of a callee that is put in place


class Kept:
    """Functions that turned out to call themselves, by their code.

    `circular` are those that are put in place only where they go down a structure; those in `calls` stay calls.
    `wrong_guesses`: see `passes.guesses`.
    """

    def __init__(self) -> None:
        self.circular: set[Any] = set()
        self.calls: set[Any] = set()
        self.wrong_guesses: set[At] = set()
        self.lifted: dict[Any, Any] = {}        # functions of their own that functions made inside have become

    def add(self, code: Any) -> bool:
        """Notes that a function can't be put in place as it was tried; False if that was known."""
        if isinstance(code, types.CodeType) and code not in self.circular | self.calls:
            self.circular.add(code)
            return True
        new = code not in self.calls
        self.calls.add(code)
        return new

    def __contains__(self, code: Any) -> bool:
        return code in self.calls


def can_inline(function: Any, receiver: bool, kept: Kept) -> bool:
    """Whether calls of the function are put in place; those of `kept` aren't."""
    return callee_of(function, receiver, kept) is not None


def callee_of(function: Any, receiver: bool, kept: Kept, descends: bool = False) -> Callee | None:
    """The function as one that is put in place, None for one that isn't; a recursive one only if it `descends`."""
    if isinstance(function, Closure):
        code = function.function.code
        if suspends(code.body):
            return None
        code = single_exit(code)
        if function.function in kept or code.at in kept or not _placeable(code):
            return None
        return Callee(code, lambda name: None, key=function.function)
    try:
        found = find(function)
    except SrcgradError:
        return None
    if found.function.__code__ in kept:
        return None
    code = lowered(found)
    circular = found.function.__code__ in kept.circular or is_recursive(found)
    if suspends(code.body) or not _placeable(code) or circular and not descends:
        return None
    return callee_from(found, code, receiver)


def _placeable(code: Code) -> bool:
    body = list(statements(code.body))
    returns = [s for s in body if isinstance(s, Return)]
    return len(body) <= LARGEST and all(r is code.body[-1] for r in returns)


def is_recursive(found: Any) -> bool:
    """Whether the function may call itself, directly or through others that its globals and cells name."""
    seen: set[Any] = set()
    todo = [found]
    while todo:
        current = todo.pop()
        for name in names.free(lowered(current)):
            value = Outer(name, current.globals, tuple(current.cells.items())).value()
            if not isinstance(value, types.FunctionType):
                continue
            if value.__code__ is found.function.__code__:
                return True
            if value.__code__ not in seen:
                seen.add(value.__code__)
                todo.extend(_try_find(value))
    return False


def _try_find(function: Any) -> list:
    try:
        return [find(function)] if is_user_function(function) else []
    except SrcgradError:
        return []
