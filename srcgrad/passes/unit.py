"""A function on its way through the passes: its code, and what its outer names mean."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.analysis.scope import Outer
from srcgrad.lang import names
from srcgrad.lang.core import Bind, Code, If, Name, Return, Statement, blocks, statements, with_blocks
from srcgrad.lang.source import Found, find
from srcgrad.passes.lower import lower


@dataclass
class Unit:
    """code: what runs.  scopes: what names that it doesn't bind mean, where that isn't the root's own scope.
    made: temporaries that passes have made so far."""
    code: Code
    found: Found
    fresh: names.Fresh
    scopes: dict[str, Outer] = field(default_factory=dict)
    bound_here: frozenset[str] = frozenset()
    made: set[str] = field(default_factory=set)

    def outer(self, name: str) -> Outer | None:
        """What a name that isn't local means."""
        if name in self.scopes:
            return self.scopes[name]
        if name in self.bound_here:
            return None
        return Outer(name, self.found.globals, tuple(self.found.cells.items()))

    def with_body(self, body: tuple[Statement, ...]) -> Unit:
        code = replace(self.code, body=body)
        return Unit(code, self.found, self.fresh, self.scopes, names.local(code), self.made)


def lowered(found: Found) -> Code:
    """The function in core form, with one return at its end."""
    key = found.function.__code__, found.file
    if key not in _keyed:
        _keyed[key] = single_exit(lower(found.tree, found.file))
    return _keyed[key]


_keyed: dict[Any, Code] = {}


def unit_of(function: Callable | Found) -> Unit:
    """The unit that a function starts as."""
    found = function if isinstance(function, Found) else find(function)
    code = lowered(found)
    fresh = names.Fresh(names.used(code) | set(found.globals) | set(found.cells))
    return Unit(code, found, fresh, {}, names.local(code), set(names.local(code) - own_names(found)))


def own_names(found: Found) -> frozenset[str]:
    """The local variables that the user wrote."""
    code = found.function.__code__
    return frozenset((*code.co_varnames, *code.co_cellvars))


def single_exit(code: Code) -> Code:
    """One return, at the end: returns at the ends of branches bind the result instead.

        if c:                       if c:
            return a                    result = a
        else:               ->      else:
            return b                    result = b
                                    return result
    """
    returns = [s for s in statements(code.body) if isinstance(s, Return)]
    if len(returns) == 1 and code.body and code.body[-1] is returns[0]:
        return code
    fresh = names.Fresh(names.used(code))
    result = fresh.name("result")
    body = _bind_returns(code.body, result)
    return replace(code, body=(*body, Return(Name(result), at=returns[-1].at if returns else code.at)))


def _bind_returns(block: tuple[Statement, ...], result: str) -> tuple[Statement, ...]:
    """Returns in tail position become assignments; others (in loops) stay, and are refused when they are reached."""
    if not block:
        return block
    *rest, last = block
    if isinstance(last, Return):
        last = Bind((result,), (last.value,), at=last.at)
    elif isinstance(last, If):
        last = with_blocks(last, tuple(_bind_returns(b, result) for b in blocks(last)))
    return (*rest, last)
