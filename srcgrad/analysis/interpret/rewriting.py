"""Statements that write into arrays by calls and attributes, as plain assignments, where the kinds of values tell that.

        np.add(x, y, out=z)         ->      z[...] = np.add(x, y)
        z = np.add(x, y, out=z)     ->      z = write_into(np.add(x, y), z)         by the library
        z.imag = x                  ->      z.imag[...] = x
        np.put(a, ind, v)           ->      put(a, ind, v)                          by the library
        a.shape = m, n              ->      a = reshaped(a, (m, n))                 by the library
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.expressions import Evaluator, Refused
from srcgrad.analysis.interpret.iteration import rewritten_loop, rewritten_unpack
from srcgrad.analysis.interpret.narrowing import for_other_kinds
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.interpret.typed_calls import function_of
from srcgrad.analysis.interpret.writing_calls import check_apart, is_candidate, rewritten_call
from srcgrad.analysis.values import Array, number_of
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Bool,
    Call,
    Cond,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Statement,
    Store,
    Unpack,
    children,
    expressions,
    rebuild,
    statements,
    walk,
)
from srcgrad.library import writers

Block = tuple[Statement, ...]
PARTS = ("real", "imag")
CONSUMERS = (list, tuple, sum, max, min, sorted, any, all, len)


def rewrite(ev: Evaluator, stmt: Statement, env: Env) -> Block | None:
    """The statements that do the same as this one, or None where it stays as it is."""
    if isinstance(stmt, If) and (new := for_other_kinds(ev, stmt, env)) is not None:
        return new
    if isinstance(stmt, Store) and (new := _store(ev, stmt, env)) is not None:
        return new
    if isinstance(stmt, For) and (new := rewritten_loop(ev, stmt, env)) is not None:
        return new
    if _has_candidates(stmt):
        whole = _with_expressions(stmt, lambda e: _reached(ev, e, env))
        if whole is not stmt:
            return _settled(whole)
    return rewritten_unpack(ev, stmt, env) if isinstance(stmt, Unpack) else None


def _has_candidates(stmt: Statement) -> bool:
    # kept with the statement, which never changes and is met in every round of every loop
    known: bool | None = stmt.__dict__.get("_has_candidates")
    if known is None:
        known = stmt.__dict__["_has_candidates"] = any(
            is_candidate(e) or _is_flat(e) for top in expressions(stmt) for e in walk(top))
    return known


def same_text(a: Block, b: Block) -> bool:
    """Whether two blocks are written alike."""
    mine, theirs = list(statements(a)), list(statements(b))
    return list(map(type, mine)) == list(map(type, theirs)) and all(
        expressions(s) == expressions(t) for s, t in zip(mine, theirs))


def _settled(stmt: Statement) -> Block:
    """f(..., out=z) on a line of its own is an assignment to z."""
    match stmt:
        case Effect(Call(Const(written), (value, (Name() | Item() | Attr()) as out), ())) \
                if written is writers.write_into and not any(isinstance(e, Call) for e in walk(out)):
            return (Store(Item(out, Const(...), at=out.at), None, value, at=stmt.at),)
    return (stmt,)


def _with_expressions(stmt: Statement, function: Callable[[Expr], Expr]) -> Statement:
    changed = False

    def one(expr: Expr) -> Expr:
        nonlocal changed
        new = function(expr)
        changed |= new is not expr
        return new
    fields: dict[str, Any] = {}
    for name, value in vars(stmt).items():
        if isinstance(value, Expr):
            fields[name] = one(value)
        elif isinstance(value, tuple) and value and all(isinstance(v, Expr) for v in value):
            fields[name] = tuple(map(one, value))
    return replace(stmt, **fields) if changed else stmt


def _reached(ev: Evaluator, expr: Expr, env: Env) -> Expr:
    """The expression with all that it evaluates rewritten: nothing is known of the rest."""
    parts = list(children(expr))
    for k in _evaluated(ev, expr, env, len(parts)):
        parts[k] = _reached(ev, parts[k], env)
    new = expr if all(map(operator.is_, parts, children(expr))) else rebuild(expr, tuple(parts))
    return _expression(ev, new, env)


def _evaluated(ev: Evaluator, expr: Expr, env: Env, count: int) -> Iterable[int]:
    """Which of its parts the expression evaluates, for all that is known."""
    if isinstance(expr, Cond) and (test := ev.truth(ev(expr.test, env))) is not None:
        return [k for k, part in enumerate(children(expr)) if part is not (expr.orelse if test else expr.body)]
    if isinstance(expr, Bool) and ev.truth(ev(expr.values[0], env)) is (expr.op == "or"):
        return (0,)
    return range(count)


def _expression(ev: Evaluator, expr: Expr, env: Env) -> Expr:
    if isinstance(expr, Call):
        expr = _of_copies(ev, expr, env)
        assert isinstance(expr, Call)
        new = rewritten_call(ev, expr, env)
        return expr if new is None else new
    if isinstance(expr, Item) and _is_flat(expr.value) and _owns_array(ev, expr.value, env):
        assert isinstance(expr.value, Attr)
        return _get_flat(ev, expr.value.value, expr.index, env, expr.at)
    return expr


def _of_copies(ev: Evaluator, call: Call, env: Env) -> Expr:
    """f(a.flat)   ->   f(np.ravel(a)), where f is done with it when it returns"""
    if not any(_is_flat(a) for a in call.args):
        return call
    function = function_of(ev, call.func, env)
    if function not in CONSUMERS and not str(getattr(function, "__module__", "")).startswith("numpy"):
        return call
    args = tuple(Call(Const(writers.all_flat), (a.value,), at=a.at)
                 if isinstance(a, Attr) and _is_flat(a) and _owns_array(ev, a, env) else a for a in call.args)
    return replace(call, args=args)


# ---------------------------------------------------------------- attributes

def _is_flat(expr: Expr) -> bool:
    return isinstance(expr, Attr) and expr.name == "flat"


def _owns_array(ev: Evaluator, expr: Expr, env: Env) -> bool:
    return isinstance(expr, Attr) and isinstance(ev.value(ev(expr.value, env)), Array)


def _store(ev: Evaluator, stmt: Store, env: Env) -> Block | None:
    place = stmt.place
    if isinstance(place, Attr) and place.name in (*PARTS, "shape", "flat") and _owns_array(ev, place, env):
        if place.name in PARTS:
            return (replace(stmt, place=Item(place, Const(...), at=place.at)),)
        # a view of another object, which nobody else can tell from the same one
        return _shape(ev, stmt, place, env) if place.name == "shape" else (_all_flat(ev, stmt, place.value, env),)
    if isinstance(place, Item) and _is_flat(place.value) and _owns_array(ev, place.value, env):
        assert isinstance(place.value, Attr)
        return (_set_flat(ev, stmt, place.value.value, place.index, env),)
    return None


def _shape(ev: Evaluator, stmt: Store, place: Attr, env: Env) -> Block:
    owner = place.value
    if not isinstance(owner, Name):
        raise Refused("setting the shape of an array that isn't a name of its own isn't supported",
                      "use `reshape`", stmt.at)
    own = env[owner.id].refs if owner.id in env else frozenset()
    for name, item in env.items():
        if name != owner.id and item.refs & own:
            raise Refused(f"setting the shape of `{owner.id}`, which is also called `{name}`, isn't supported",
                          "use `reshape`", stmt.at)
    call = Call(Const(writers.reshape_in_place), (owner, stmt.value), at=stmt.at)
    return (Bind((owner.id,), (call,), at=stmt.at),)


def _all_flat(ev: Evaluator, stmt: Store, owner: Expr, env: Env) -> Statement:
    if number_of(ev.value(ev(stmt.value, env))) is not None:
        return replace(stmt, place=Item(owner, Const(...), at=stmt.at))
    check_apart(ev, owner, stmt.value, env, stmt.at)
    return Effect(Call(Const(writers.set_all_flat), (owner, stmt.value), at=stmt.at), at=stmt.at)


def _cells(ev: Evaluator, owner: Expr, index: Expr, env: Env, at: Any) -> tuple[Expr, bool]:
    """The numbers of the cells `owner.flat[index]`, and whether it is a single one."""
    if number_of(ev.value(ev(index, env))) is not None:
        return Item(Call(Name("range"), (Attr(owner, "size", at=at),), at=at), index, at=at), True
    return Item(Call(Const(writers.numbers), (owner,), at=at), index, at=at), False


def _get_flat(ev: Evaluator, owner: Expr, index: Expr, env: Env, at: Any) -> Expr:
    cells, single = _cells(ev, owner, index, env, at)
    return Call(Const(writers.get_flat if single else writers.get_flat_several), (owner, cells), at=at)


def _set_flat(ev: Evaluator, stmt: Store, owner: Expr, index: Expr, env: Env) -> Statement:
    cells, single = _cells(ev, owner, index, env, stmt.at)
    value = stmt.value
    if stmt.op is None and not (isinstance(value, Item) and _is_flat(value.value)):
        # what `flat` gives is a copy
        check_apart(ev, owner, value, env, stmt.at)
    elif stmt.op is not None:
        value = Bin(stmt.op, _get_flat(ev, owner, index, env, stmt.at), value, at=stmt.at)
    plain = number_of(ev.value(ev(stmt.value, env))) is not None and stmt.op is None
    function = writers.set_flat if single else writers.set_flat_number if plain else writers.set_flat_several
    return Effect(Call(Const(function), (owner, cells, value), at=stmt.at), at=stmt.at)
