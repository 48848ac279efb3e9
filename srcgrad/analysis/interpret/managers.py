"""`with` over managers that the compiler looks into: `contextlib.suppress` and `nullcontext`, and the user's classes.

        with Timer(x) as t:                 timer = Timer(x)
            ...                     ->      t = timer.__enter__()
                                            try: ...
                                            finally: timer.__exit__(None, None, None)

All others only do something once on the way in and once on the way out, and what they manage isn't differentiated.
"""
from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret import fields
from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.values import Closure, Known, Lazy, ObjectOf
from srcgrad.errors import SrcgradError
from srcgrad.lang import parse
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Effect,
    Expr,
    For,
    If,
    Jump,
    Name,
    Statement,
    Try,
    Tuple,
    Unary,
    With,
    suspends,
)
from srcgrad.lang.source import find, is_user_function

Block = tuple[Statement, ...]
Replacement = Callable[[Any], list[Statement]]
NONES = (Const(None), Const(None), Const(None))


def expansion(ev: Evaluator, stmt: With, env: Env) -> Replacement | None:
    """How the statement is written with what its first manager that isn't plain does, or None if all are plain."""
    for k, (manager, name) in enumerate(stmt.items):
        how = _expansion_of(ev, manager, env)
        if how is not None:
            body = stmt.body if k + 1 == len(stmt.items) else (replace(stmt, items=stmt.items[k + 1:]),)
            if k > 0:
                inner = With(((manager, name), *stmt.items[k + 1:]), stmt.body, at=stmt.at)
                return lambda maker: [With(stmt.items[:k], (inner,), at=stmt.at)]
            return lambda maker, how=how: how(maker, stmt, manager, name, body)     # type: ignore[misc]
    return None


def _expansion_of(ev: Evaluator, manager: Expr, env: Env) -> Callable | None:
    if isinstance(manager, Call):
        if isinstance(manager.func, Attr) and (how := _method(ev, manager.func, env)) is not None:
            return how
        called = ev(manager.func, env).value
        if isinstance(called, Known):
            if called.obj is contextlib.suppress:
                return _suppress
            if called.obj is contextlib.nullcontext:
                return _nothing
            if isinstance(called.obj, type):
                return _object(called.obj)
            return _generator(called.obj)
        if isinstance(called, Closure) and suspends(called.function.code.body):
            return _made_inside
    value = ev.value(ev(manager, env))
    if isinstance(value, Lazy):
        return _made_inside
    if isinstance(value, ObjectOf):
        return _object(value.cls)
    return _object(type(value.obj)) if isinstance(value, Known) else None


def _plain(function: Any) -> types.FunctionType | None:
    """The user's generator under `contextlib.contextmanager`."""
    plain = getattr(function, "__wrapped__", None)
    made = getattr(getattr(function, "__code__", None), "co_filename", "")
    if made != contextlib.contextmanager.__code__.co_filename or not inspect.isgeneratorfunction(plain):
        return None
    return plain if isinstance(plain, types.FunctionType) and is_user_function(plain) else None


def _generator(function: Any) -> Callable | None:
    """Of such a generator: the body runs in the place of its `yield`, like a loop's."""
    plain = _plain(function)
    if plain is None:
        return None

    def written_out(maker: Any, stmt: With, manager: Call, name: str | None, body: Block) -> list[Statement]:
        call = replace(manager, func=maker.outside(plain.__name__, plain))
        return _made_inside(maker, stmt, call, name, body)
    return written_out


def _method(ev: Evaluator, func: Attr, env: Env) -> Callable | None:
    """Of such a method of the user's class: the generator is called with the object."""
    value = ev.value(ev(func.value, env))
    if not isinstance(value, ObjectOf) or (plain := _plain(inspect.getattr_static(value.cls, func.name, None))) is None:
        return None
    fields.guard_class(ev, value.cls, func.name)

    def written_out(maker: Any, stmt: With, manager: Call, name: str | None, body: Block) -> list[Statement]:
        call = replace(manager, func=maker.outside(func.name, plain), args=(func.value, *manager.args))
        return _made_inside(maker, stmt, call, name, body)
    return written_out


def _made_inside(maker: Any, stmt: With, manager: Expr, name: str | None, body: Block) -> list[Statement]:
    """Of a generator itself: `contextlib.contextmanager` of a function made inside is that function."""
    return [For(name or maker.name("given"), manager, body, at=stmt.at, managed=True)]


def _suppress(maker: Any, stmt: With, manager: Call, name: str | None, body: Block) -> list[Statement]:
    caught = manager.args[0] if len(manager.args) == 1 else Tuple(manager.args)
    before = [] if name is None else [Bind((name,), (Const(None),), at=stmt.at)]
    return [*before, Try(body, ((caught, None, ()),), at=stmt.at)]


def _nothing(maker: Any, stmt: With, manager: Call, name: str | None, body: Block) -> list[Statement]:
    given = [*manager.args, *(v for _, v in manager.kwargs)] or [Const(None)]
    if name is None:
        return [*([] if isinstance(given[0], (Name, Const)) else [Effect(given[0], at=stmt.at)]), *body]
    return [Bind((name,), (given[0],), at=stmt.at), *body]


def _object(cls: type) -> Callable | None:
    """The protocol written out for a class that the user wrote."""
    leave = getattr(cls, "__exit__", None)
    if not isinstance(leave, types.FunctionType) or not is_user_function(leave):
        return None
    try:
        swallows = _may_swallow(find(leave).tree)
    except SrcgradError:
        return None

    def written_out(maker: Any, stmt: With, manager: Expr, name: str | None, body: Block) -> list[Statement]:
        held = maker.bind(manager, cls.__name__.lower())
        enter = Call(Attr(held, "__enter__"), (), at=manager.at)
        first: Statement = Effect(enter, at=stmt.at) if name is None else Bind((name,), (enter,), at=stmt.at)
        left = Effect(Call(Attr(held, "__exit__"), NONES, at=manager.at), at=stmt.at)
        if not swallows:
            return [first, Try(body, (), (), (left,), at=stmt.at)]
        error = maker.name("error")
        known: tuple[Expr, ...] = (Call(maker.outside("type", type), (Name(error),)), Name(error),
                                   Attr(Name(error), "__traceback__"))
        done = Call(Attr(held, "__exit__"), known, at=manager.at)
        caught = (If(Unary("not", done), (Jump("raise", at=stmt.at),), at=stmt.at),)
        everything = maker.outside("BaseException", BaseException)
        return [first, Try(body, ((everything, error, caught),), (left,), at=stmt.at)]
    return written_out


def _may_swallow(tree: Any) -> bool:
    """Whether what `__exit__` does depends on the exception, or may end it."""
    _, *params = [p.name for p in parse.parameters(tree.args, "")]
    nodes = list(parse.nodes(tree))
    read = {n.id for n in nodes if parse.kind(n) == "Name" and parse.kind(n.ctx) == "Load"}
    returned = [n.value for n in nodes if parse.kind(n) == "Return" and n.value is not None]
    falsy = all(parse.kind(v) == "Constant" and not v.value for v in returned)
    return bool(read & set(params)) or not falsy
