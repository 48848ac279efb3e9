"""What is known of a generator: which function makes it, and whether it may be made a list."""
from __future__ import annotations

from functools import partial
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.quiet import is_quiet_code, is_quiet_value
from srcgrad.analysis.interpret.state import reach
from srcgrad.analysis.scope import MISSING
from srcgrad.analysis.values import (
    Array,
    Closure,
    Known,
    Lazy,
    ListOf,
    ObjectOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
)
from srcgrad.errors import SrcgradError
from srcgrad.lang.core import (
    Bind,
    Call,
    Code,
    Effect,
    Expr,
    Jump,
    Statement,
    Store,
    While,
    Yield,
    expressions,
    names_read,
    statements,
)
from srcgrad.lang.source import find
from srcgrad.passes.arguments import Callee, callee_from
from srcgrad.passes.lower import lower

Block = tuple[Statement, ...]

_keyed: dict[Any, Code] = {}


def matters(facts: Facts, stmt: Statement) -> bool:
    """Whether anything that is differentiated takes part in the statement; else it stays as the user wrote it."""
    env = facts.before.get(stmt, {})
    read = {n for s in statements((stmt,)) for e in expressions(s) for n in names_read(e)}
    return any(env[n].active for n in read if n in env)


def generator_of(facts: Facts, stmt: Statement, expr: Expr) -> tuple[Any, bool] | None:
    """The function whose generator an expression makes, and whether it is called on an instance."""
    found = facts.callees.get((stmt, id(expr)))
    return found if isinstance(facts.kind(stmt, expr).value, Lazy) and isinstance(expr, Call) else None


def source_of(facts: Facts, stmt: Statement, call: Call) -> Expr | None:
    """What the iterator runs over: a sequence, or the call itself, which may be made a list unless what it reads
    changes meanwhile; or None."""
    func = facts.kind(stmt, call.func).value
    known = func.obj if isinstance(func, Known) else None
    if known is iter and len(call.args) == 1 and is_sequence(facts.value(stmt, call.args[0])):
        return call.args[0]
    if known in (zip, enumerate, reversed, map, iter) and does_nothing_else(facts, stmt, call) and not any(
            isinstance(facts.value(stmt, a), (Lazy, ObjectOf)) for a in call.args):
        return call
    return call if is_finite(facts, stmt, call) else None


def is_sequence(value: Value) -> bool:
    """Whether it has a length, and elements by their numbers."""
    return isinstance(value, (Array, ListOf, RangeOf, ShapeOf, TupleOf)) \
        or isinstance(value, Known) and isinstance(value.obj, (str, tuple, range))


def may_grow(facts: Facts, stmt: Statement, expr: Expr) -> bool:
    """Whether a sequence may be longer later on."""
    item = facts.kind(stmt, expr)
    return isinstance(facts.value_of(item), ListOf) and any(facts.written(ref.storage) for ref in item.refs)


def is_finite(facts: Facts, stmt: Statement, call: Call) -> bool:
    """Whether making all elements at once gives the same: it ends, and does nothing else."""
    found = generator_of(facts, stmt, call)
    callee = None if found is None else callee_of_generator(*found)
    if callee is None or not all(_is_finite_argument(facts, stmt, e) for e in call.args):
        return False
    body = list(statements(callee.code.body))
    quiet = not any(isinstance(s, (While, Store)) or isinstance(s, Effect) and not isinstance(s.value, Yield)
                    or isinstance(s, Jump) and s.kind == "raise" for s in body)
    written = any(map(facts.written, reach([facts.kind(stmt, a) for a in call.args])))
    return quiet and not written and does_nothing_else(facts, stmt, call) and (
        callee.library or is_quiet_code(callee.code, partial(_meaning, facts, stmt, callee))) \
        and not any(isinstance(s, Bind) and isinstance(s.values[0], Yield) for s in body)


def _is_finite_argument(facts: Facts, stmt: Statement, expr: Expr) -> bool:
    """Whether what it is given isn't an iterator that may not end, or that others advance, too."""
    value = facts.value(stmt, expr)
    if isinstance(value, Lazy):
        return isinstance(expr, Call) and is_finite(facts, stmt, expr)
    return not (isinstance(value, ObjectOf) and hasattr(value.cls, "__next__"))


def does_nothing_else(facts: Facts, stmt: Statement, call: Call) -> bool:
    """Whether the functions that an iterator is given change nothing."""
    env = facts.before[stmt]
    return all(is_quiet_value(facts.evaluator, facts.kind(stmt, a), env) for a in call.args)


def _meaning(facts: Facts, stmt: Statement, callee: Callee, name: str) -> Any:
    outer = callee.outer(name)
    if outer is not None:
        return outer.value()
    env = facts.before[stmt]
    item = env[name] if name in env else facts.evaluator.outer_value(name)
    return item.value.obj if isinstance(item.value, Known) else MISSING


def callee_of_generator(function: Any, receiver: bool) -> Callee | None:
    if isinstance(function, Closure):
        return Callee(function.function.code, lambda name: None, key=function.function)
    try:
        found = find(function)
    except SrcgradError:
        return None
    return callee_from(found, code_of(found), receiver)


def code_of(found: Any) -> Code:
    """The function in core form, its jumps as they are."""
    key = found.function.__code__, found.file
    if key not in _keyed:
        _keyed[key] = lower(found.tree, found.file)
    return _keyed[key]
