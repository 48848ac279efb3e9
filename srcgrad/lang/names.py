"""Names: fresh ones that collide with nothing, names of adjoints, and what a block binds or a function leaves free."""
from __future__ import annotations

import builtins
import keyword
import re
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.lang import core

_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


class Fresh:
    """Makes names that nobody has yet, and never a keyword or a builtin.

    >>> fresh = Fresh({"x"})
    >>> fresh.name("x"), fresh.name("x"), fresh.name("t"), fresh.name("lambda")
    ('x_1', 'x_2', 't', 'lambda_1')
    """

    def __init__(self, taken: Iterable[str] = ()):
        self.taken = set(taken)
        self._next: dict[str, int] = {}

    def name(self, hint: str) -> str:
        """`hint` itself if it is free, else hint_1, hint_2 ...; the name is taken from then on."""
        hint = identifier(hint)
        candidate, number = hint, self._next.get(hint, 1)
        while not self.free(candidate):
            candidate, number = f"{hint}_{number}", number + 1
        self._next[hint] = number
        self.taken.add(candidate)
        return candidate

    def free(self, name: str) -> bool:
        """Whether nobody has this name."""
        return name not in self.taken and name not in _RESERVED

    def reserve(self, names: Iterable[str]) -> None:
        """From now on these names are taken."""
        self.taken.update(names)

    def copy(self) -> Fresh:
        """One that makes the same names from here on."""
        other = Fresh(self.taken)
        other._next = dict(self._next)
        return other

    def go_back(self, earlier: Fresh) -> None:
        """Forgets the names that were made since `earlier` was copied."""
        self.taken, self._next = earlier.taken, earlier._next


def identifier(hint: str) -> str:
    """The hint with everything that can't stand in a name replaced: `"u[0]"` becomes `u_0`."""
    name = hint if hint.isidentifier() else re.sub(r"\W+", "_", hint).strip("_")
    return name if name.isidentifier() else f"t_{name}" if name else "t"


def root_name(place: core.Expr, otherwise: str = "t") -> str:
    """The name that items and fields are taken of: `a` of `a.b[0].c`."""
    while isinstance(place, (core.Item, core.Attr)):
        place = place.value
    return place.id if isinstance(place, core.Name) else otherwise


def is_target(name: object) -> bool:
    """Whether Python allows to assign to this name."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def adjoint(name: str) -> str:
    """The name of the adjoint of `name`: `x_bar`."""
    return f"{name}_bar"


def bound_by(stmt: core.Statement) -> tuple[str, ...]:
    """The names that the statement itself may bind (not those bound in the blocks inside)."""
    binds = _BINDS.get(type(stmt))
    return () if binds is None else binds(stmt)


# A table by class, since few things are asked as often.
_BINDS: dict[type, Callable[[Any], tuple[str, ...]]] = {
    core.Bind: lambda s: s.names,
    core.Unpack: lambda s: s.names,
    core.Store: lambda s: (s.place.id,) if isinstance(s.place, core.Name) else (),
    core.For: lambda s: (s.target,) if s.result is None else (s.target, s.result),
    core.Try: lambda s: tuple(name for _, name, _ in s.handlers if name is not None),
    core.With: lambda s: tuple(name for _, name in s.items if name is not None),
}


def bound(block: tuple[core.Statement, ...]) -> frozenset[str]:
    """All names that running the block may bind in its own scope."""
    return frozenset(name for stmt in core.statements(block) for name in bound_by(stmt))


def local(code: core.Code) -> frozenset[str]:
    """The local variables of a function: its parameters and what its body binds."""
    known = _locals.get(code)
    if known is None:
        known = _locals[code] = (bound(code.body) | {p.name for p in code.params}) - code.nonlocals
    return known


_locals: weakref.WeakKeyDictionary[core.Code, frozenset[str]] = weakref.WeakKeyDictionary()


def captured(block: tuple[core.Statement, ...]) -> frozenset[str]:
    """Names that a function which is made in the block and still used reads when it is called, whatever they mean then.

        k = 1.0
        g = lambda v: v * k         reads k, and means 2.0 by it if `k = 2.0` comes before a call of g
    """
    tops = [(stmt, top) for stmt in core.statements(block) for top in core.expressions(stmt)]
    made = [(stmt, e) for stmt, top in tops for e in core.walk(top) if isinstance(e, core.Function)]
    if not made:
        return frozenset()
    read = frozenset().union(*(core.names_read(top) for _, top in tops))
    return frozenset(name for stmt, e in made for name in e.free
                     if not (isinstance(stmt, core.Bind) and stmt.values == (e,) and stmt.names[0] not in read))


def functions_in(stmt: core.Statement) -> list[core.Function]:
    """The functions that the statement's own expressions make."""
    return [e for top in core.expressions(stmt) for e in core.walk(top) if isinstance(e, core.Function)]


def free(code: core.Code) -> tuple[str, ...]:
    """The names that a function takes from outside, in the order of the text (builtins and globals too)."""
    return tuple(dict.fromkeys((*_defaults(code), *_reads(code, local(code)), *sorted(code.nonlocals))))


def _defaults(code: core.Code) -> list[str]:
    return [n for p in code.params if p.default is not None for n in sorted(core.names_read(p.default))]


def _reads(code: core.Code, own: frozenset[str]) -> list[str]:
    return [name for stmt in core.statements(code.body) for expr in core.expressions(stmt)
            for name in sorted(core.names_read(expr)) if name not in own]


def used(code: core.Code) -> frozenset[str]:
    """Every name that stands anywhere in the function, in nested functions too."""
    out = set(free(code)) | local(code)
    for stmt in core.statements(code.body):
        for expr in core.expressions(stmt):
            out |= core.names_read(expr)
            for node in core.walk(expr):
                if isinstance(node, core.Function):
                    out |= used(node.code)
    return frozenset(out)
