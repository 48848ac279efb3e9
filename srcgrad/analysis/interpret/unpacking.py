"""Tuples that are made and taken apart again, as plain assignments."""
from __future__ import annotations

import itertools
from collections.abc import Callable

from srcgrad.lang.core import (
    Bind,
    Const,
    Expr,
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
        todo[at:at + 1] = _assignments(unpack, value)
    return [*out, *todo]


def _assignments(unpack: Unpack, value: Tuple) -> list[Statement]:
    """One for each name, or one for all of them where a value reads a name that comes before it."""
    before = itertools.accumulate(unpack.names, lambda names, name: names | {name}, initial=frozenset[str]())
    if any(not names.isdisjoint(names_read(v)) for names, v in zip(before, value.items)):
        return [Bind(unpack.names, value.items, at=unpack.at)]
    return [Bind((n,), (v,), at=unpack.at) for n, v in zip(unpack.names, value.items)]


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
            case Bind(names, values) if names_read(value).isdisjoint(names) and all(map(_moves, values)):
                continue
        break
    return None


def _moves(value: Expr) -> bool:
    """Whether the value is there already, so that it may be taken before or after others are made."""
    return isinstance(value, (Name, Const)) or isinstance(value, Tuple) and all(map(_moves, value.items))
