"""`vars(p)` and `p.__dict__`: what is read of them at once, and what they are updated with.

        vars(p).values()        ->      {"a": p.a, "b": p.b}.values()
        p.__dict__["a"]         ->      p.a
        p.__dict__.update(d)    ->      p.a = d["a"]; p.b = d["b"]
"""
from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env
from srcgrad.analysis.values import PENDING, Known, ObjectOf
from srcgrad.lang.core import (
    Attr,
    Call,
    Const,
    Dict,
    Effect,
    Expr,
    If,
    Item,
    Name,
    Refuse,
    Statement,
    Store,
    Tuple,
    Unary,
    rebuild,
)
from srcgrad.runtime.containers import has_fields

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

_READS = ("items", "values", "keys", "get", "copy")


def owner_of(ev: Evaluator, expr: Expr, env: Env) -> Expr | None:
    """What the expression is the dict of attributes of."""
    match expr:
        case Attr(owner, "__dict__"):
            return owner
        case Call(Name("vars") as func, (owner,), ()) if ev(func, env).value == Known(vars):
            return owner
    return None


def call(ev: Evaluator, expr: Call, func: Attr, env: Env) -> Abstract | None:
    """A method of such a dict; None where it is the dict of something else than an object."""
    owner = owner_of(ev, func.value, env)
    item = None if owner is None else ev(owner, env)
    if owner is None or item is None or not isinstance(ev.value(item), ObjectOf):
        return NOT_YET if item is not None and item.value == PENDING else None
    cls = ev.value(item)
    assert isinstance(cls, ObjectOf)
    if func.name == "update":
        return _update(ev, expr, owner, cls.cls, env)
    if func.name not in _READS:
        return None
    for arg in expr.args:
        ev(arg, env)
    names = [key for key in containers.keys(item) if key != containers.ANY]
    _check_plain(cls.cls, names, expr)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        new = rebuild(expr, parts)
        assert isinstance(new, Call) and isinstance(new.func, Attr)
        held = make.bind(_owner(new.func.value))
        known = Call(make.outside("has_fields", has_fields), (held, Tuple(tuple(map(Const, names)))), at=expr.at)
        stop = Refuse("this object has other attributes than it was known to have", "Name them one by one.", at=expr.at)
        make.add(If(Unary("not", known), (stop,), at=expr.at))
        made = Dict(tuple(map(Const, names)), tuple(Attr(held, name, at=expr.at) for name in names), at=expr.at)
        return Call(Attr(made, func.name, at=expr.at), new.args, new.kwargs, at=expr.at)
    if not containers.is_settled(ev, item):
        return NOT_YET
    return ev.rewrite(expr, build, item)


def _owner(expr: Expr) -> Expr:
    return expr.value if isinstance(expr, Attr) else expr.args[0] if isinstance(expr, Call) else expr


def _check_plain(cls: type, names: Iterable[str], expr: Expr) -> None:
    """The class does nothing of its own when the attributes are read and set, which the dict goes round."""
    special = [name for name in names if hasattr(type(inspect.getattr_static(cls, name, None)), "__set__")]
    if special or cls.__setattr__ is not object.__setattr__:
        raise Refused(f"a {cls.__name__} does something of its own when attributes are set, and this goes round it",
                      "set and read the attributes one by one", expr.at)


def _update(ev: Evaluator, expr: Call, owner: Expr, cls: type, env: Env) -> Abstract:
    more = [ev(arg, env) for arg in expr.args]
    keys = containers.sure_keys(ev, more[0]) if len(more) == 1 else []
    statement = isinstance(ev.site, Effect) and ev.site.value is expr and isinstance(owner, Name)
    if any(item.value == PENDING for item in more) or keys is None and not ev.optimistic and ev.pending:
        return NOT_YET
    if len(more) > 1 or keys is None or not statement or any(name is None for name, _ in expr.kwargs):
        raise Refused("it isn't known which attributes are set here", "set them one by one", expr.at)

    _check_plain(cls, [*keys, *(name for name, _ in expr.kwargs if name is not None)], expr)

    def replace(make: Make) -> list[Statement]:
        held = make.bind(expr.args[0]) if expr.args else Const(None)
        values: list[tuple[str, Expr]] = [(key, Item(held, Const(key), at=expr.at)) for key in keys]
        values += [(name, value) for name, value in expr.kwargs if name is not None]
        return [Store(Attr(owner, name, at=expr.at), None, value, at=expr.at) for name, value in values]
    ev.replacements[ev.site] = replace
    return Abstract(Known(None))


def item(ev: Evaluator, expr: Item, env: Env) -> Abstract | None:
    """vars(p)["a"]   ->   p.a"""
    owner = owner_of(ev, expr.value, env)
    value = None if owner is None else ev.value(ev(owner, env))
    if not isinstance(value, ObjectOf) or not isinstance(expr.index, Const):
        return None
    name = str(expr.index.value)
    _check_plain(value.cls, (name,), expr)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        return Attr(_owner(parts[0]), name, at=expr.at)
    return ev.rewrite(expr, build)
