"""A function on its way through the passes: its code, and what its outer names mean."""
from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.analysis.scope import Outer
from srcgrad.lang import names
from srcgrad.lang.core import Code, Expr, Statement
from srcgrad.lang.source import Found, find
from srcgrad.passes.lower import lower
from srcgrad.passes.lower.jumps import is_flag, single_exit


@dataclass
class Unit:
    """code: what runs.  scopes: what names that it doesn't bind mean, where that isn't the root's own scope.
    made: temporaries that passes have made so far.  chains: statements that were put in place, with the functions that
    they come from.  spliced: local names of these functions, with the functions that their own comes from, and it.
    lengths: changes of lists, with the name of what the list's length was before."""
    code: Code
    found: Found
    fresh: names.Fresh
    scopes: dict[str, Outer] = field(default_factory=dict)
    bound_here: frozenset[str] = frozenset()
    made: set[str] = field(default_factory=set)
    chains: dict[Statement, tuple[Any, ...]] = field(default_factory=dict)
    lengths: dict[Statement, str] = field(default_factory=dict)
    spliced: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    own_names: dict[str, str] = field(default_factory=dict)   # names outside that are bound: see `passes.outer_names`
    missing: list[Outer] = field(default_factory=list)        # those of them that mean nothing yet
    outside: dict[str, Expr] = field(default_factory=dict)    # names that `passes.outside` gave to what isn't local
    steps: frozenset[Statement] = frozenset()   # branches that are always taken, unless an exception came before them

    def outer(self, name: str) -> Outer | None:
        """What a name that isn't local means."""
        if name in self.scopes:
            return self.scopes[name]
        if name in self.bound_here:
            return None
        return Outer(name, self.found.globals, tuple(self.found.cells.items()))

    def keep_chain(self, new: Iterable[Statement], old: Statement) -> None:
        """These statements take the place of one: the same calls have put them there."""
        chain = self.chains.get(old)
        if chain:
            self.chains.update((stmt, chain) for stmt in new if stmt not in self.chains)

    def with_body(self, body: tuple[Statement, ...]) -> Unit:
        code = replace(self.code, body=body)
        return replace(self, code=code, bound_here=names.local(code))


def lowered(found: Found) -> Code:
    """The function in core form, with one return at its end."""
    key = found.function.__code__, found.file
    if key not in _keyed:
        _keyed[key] = single_exit(lower(found.tree, found.file))
    return _keyed[key]


def remember_lowered(function: types.FunctionType, file: str, code: Code) -> None:
    """The function, whose text says the same, means this code, which knows its places in the user's file."""
    _keyed[function.__code__, file] = code


_keyed: dict[Any, Code] = {}


def unit_of(function: Callable | Found) -> Unit:
    """The unit that a function starts as."""
    found = function if isinstance(function, Found) else find(function)
    code = lowered(found)
    fresh = names.Fresh(names.used(code) | set(found.globals) | set(found.cells))
    made = {n for n in names.local(code) - own_names(found) if not is_flag(n)}
    return Unit(code, found, fresh, {}, names.local(code), made)


def own_names(found: Found) -> frozenset[str]:
    """The local variables that the user wrote."""
    code = found.function.__code__
    return frozenset((*code.co_varnames, *code.co_cellvars))

