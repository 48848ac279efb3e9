"""Tuples that are made and taken apart again, as plain assignments."""
from __future__ import annotations

from collections.abc import Callable

from srcgrad.lang.core import (
    Bind,
    Name,
    Statement,
    Tuple,
    Unpack,
    expressions,
    names_read,
    statements,
)


def taken_apart(body: list[Statement], only_here: Callable[[str], bool]) -> list[Statement]:
    """`t = (a, (b, c))` followed by `i, u = t` as plain assignments, where nobody else reads t."""
    out: list[Statement] = []
    todo = list(body)
    while todo:
        stmt = todo.pop(0)
        at = None if not isinstance(stmt, Bind) else _where_unpacked(stmt, todo)
        if at is None or not isinstance(stmt, Bind) or not only_here(stmt.names[0]):
            out.append(stmt)
            if not isinstance(stmt, (Bind, Unpack)):
                break
            continue
        unpack, value = todo[at], stmt.values[0]
        assert isinstance(unpack, Unpack) and isinstance(value, Tuple)
        binds = [Bind((n,), (v,), at=unpack.at) for n, v in zip(unpack.names, value.items)]
        todo[at:at + 1] = binds
    return [*out, *todo]


def _where_unpacked(stmt: Bind, rest: list[Statement]) -> int | None:
    """Where the tuple is taken apart, if that is the only use of it."""
    name, value = stmt.names[0], stmt.values[0]
    if not isinstance(value, Tuple) or len(stmt.names) > 1:
        return None
    readers = [s for s in statements(tuple(rest)) if any(name in names_read(e) for e in expressions(s))]
    for i, other in enumerate(rest):
        match other:
            case Unpack(targets, Name(read), None) if read == name and len(targets) == len(value.items):
                return i if readers == [other] else None
            case Bind() | Unpack():
                continue
        break
    return None
