"""Displays: expressions that make a container of parts, also calls of classes that only keep what they are given."""
from __future__ import annotations

import types

from srcgrad.analysis.interpret.constructors import record_arguments, record_fields
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Known
from srcgrad.lang.core import Call, Const, Dict, Expr, List, Statement, Tuple
from srcgrad.runtime.closures import Captured


def record_class(facts: Facts, stmt: Statement, value: Expr) -> type | None:
    """The class that a call makes a record of."""
    if not isinstance(value, Call):
        return None
    known = facts.kind(stmt, value.func).value
    cls = known.obj if isinstance(known, Known) else None
    if not isinstance(cls, type):
        return None
    plain = cls is types.SimpleNamespace or issubclass(cls, Captured)
    return cls if plain or record_fields(cls) is not None else None


def as_tuple(facts: Facts, stmt: Statement, value: Expr) -> Expr:
    """A named tuple that is made here as a tuple of its items; other expressions as they are."""
    cls = record_class(facts, stmt, value)
    if cls is None or not issubclass(cls, tuple):
        return value
    assert isinstance(value, Call)
    given = record_arguments(cls, value) or {}
    return Tuple(tuple(given.get(name, Const(None)) for name in record_fields(cls) or ()))


def parts_of(facts: Facts, stmt: Statement, value: Expr) -> list[tuple[Expr, Expr]] | None:
    """Key and part of everything that a display of a list, a dict or an object holds; None for other expressions."""
    match value:
        case List(items):
            return [(Const(k), part) for k, part in enumerate(items)]
        case Dict(keys, values):
            return [(key, part) for key, part in zip(keys, values) if key is not None]
    cls = record_class(facts, stmt, value)
    if cls is None or issubclass(cls, tuple):
        return None
    assert isinstance(value, Call)
    return [(Const(name), part) for name, part in (record_arguments(cls, value) or {}).items()]
