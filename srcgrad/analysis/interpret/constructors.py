"""Making objects: calls of classes.

        Point(a, b)     a record, where the class only keeps what it is given (dataclasses, named tuples)
        Model(n)        ->      model = object.__new__(Model); model.__init__(n)
"""
from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from enum import Enum
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers, fields
from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, Ref
from srcgrad.analysis.values import Known, ObjectOf
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Dict,
    Effect,
    Expr,
    Item,
    List,
    Name,
    Star,
    Statement,
    Store,
    names_read,
    rebuild,
)
from srcgrad.lang.source import is_user_function
from srcgrad.runtime.classes import ClassVariable
from srcgrad.runtime.closures import Captured

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls

PLAIN = (bool, int, float, complex, str, type(None))


def construct(calls: Calls, ev: Evaluator, expr: Call, cls: type, env: Env) -> Abstract | None:
    """What `cls(...)` gives; None for classes of other kinds (of the standard library, say)."""
    if cls is types.SimpleNamespace or issubclass(cls, Captured):
        return _namespace(ev, expr, cls, env)
    if record_fields(cls) is not None:
        return _record(calls, ev, expr, cls, env)
    if issubclass(cls, Enum) and len(expr.args) == 1 and not expr.kwargs:
        return _member(ev, expr, cls, env)
    if not _is_plain(cls):
        return None
    for name in ("__init__", "__post_init__", "__new__"):
        fields.guard_class(ev, cls, name)
    args, kwargs = calls.arguments(ev, expr, env, inlined=True)
    if isinstance(ev.site, Bind) and ev.site.values == (expr,) and ev.site.names[0] not in names_read(expr):
        bind = ev.site
        ev.replacements[bind] = lambda make: _made(make, expr, cls, bind.names[0], bind)
        return NOT_YET
    return ev.rewrite(expr, lambda parts, make: _temporary(make, _rebuilt(expr, parts), cls))


def _member(ev: Evaluator, expr: Call, cls: type[Enum], env: Env) -> Abstract | None:
    """Kind("quad"), of an enumeration"""
    value = ev(expr.args[0], env).value
    if not isinstance(value, Known) or is_user_function(getattr(cls, "_missing_", None)):
        return None
    try:
        return Abstract(Known(cls(value.obj)))
    except ValueError:
        return None


def _rebuilt(expr: Call, parts: tuple[Expr, ...]) -> Call:
    """The call over what its parts have become."""
    new = rebuild(expr, parts)
    assert isinstance(new, Call)
    return new


# ---------------------------------------------------------------- classes

def record_fields(cls: type) -> tuple[str, ...] | None:
    """The parameters of a class whose instances keep what they are given, and do nothing else."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return None if is_user_function(cls.__new__) else cls._fields
    if not dataclasses.is_dataclass(cls) or not _is_plain(cls) or is_user_function(cls.__init__) \
            or hasattr(cls, "__post_init__") or fields.method_of(cls, "__setattr__") and not is_frozen(cls):
        return None
    made = dataclasses.fields(cls)
    if any(isinstance(inspect.getattr_static(cls, f.name, None), property) for f in made):
        return None
    init = inspect.signature(cls.__init__).parameters
    return tuple(f.name for f in made if f.init) if len(init) - 1 == sum(f.init for f in made) else None


def is_frozen(cls: type) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and params.frozen


def _is_plain(cls: type) -> bool:
    """Whether making an instance is `object.__new__` and then `__init__`."""
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__ and not issubclass(cls, Enum) \
        and cls.__module__.partition(".")[0] not in (*sys.stdlib_module_names - {"__main__"}, "numpy", "scipy")


# ---------------------------------------------------------------- records

def _record(calls: Calls, ev: Evaluator, expr: Call, cls: type, env: Env) -> Abstract:
    """A dataclass or a named tuple is a display of its fields."""
    if any(isinstance(a, Star) for a in expr.args) or any(k is None for k, _ in expr.kwargs):
        return _spread_out(ev, expr, env)
    given = record_arguments(cls, expr)
    if given is None:
        raise Refused(f"`{cls.__name__}` is called with arguments that it doesn't take", "check the call", expr.at)
    missing = _left_out(cls, given)
    if missing:
        args, kwargs = calls.arguments(ev, expr, env)
        return ev.rewrite(expr, lambda parts, make: _completed(make, _rebuilt(expr, parts), missing))
    items = {name: ev(value, env) for name, value in given.items()}
    for name, default in plain_defaults(cls).items():
        items.setdefault(name, Abstract(Known(default)))
    if issubclass(cls, tuple):
        return containers.of_items(ev, [items[name] for name in record_fields(cls) or ()], cls)
    storage = containers.born(ev, expr, "object", items.items(), env, cls)
    return Abstract(ObjectOf(cls, ()), frozenset((Ref(storage),)))


def _spread_out(ev: Evaluator, expr: Call, env: Env) -> Abstract:
    """Point(*a, **d)   ->   Point(a[0], a[1], z=d["z"])"""
    lengths: list[int | None] = []
    for arg in expr.args:
        item = ev(arg.value if isinstance(arg, Star) else arg, env)
        if isinstance(arg, Star) and item.items is None:
            raise Refused("the length of what is spread here isn't known", "name the elements one by one", expr.at)
        lengths.append(len(item.items or ()) if isinstance(arg, Star) else None)
    keys: list[list[Any] | None] = []
    open_ends = False
    for name, value in expr.kwargs:
        found = containers.sure_keys(ev, spread := ev(value, env))
        open_ends |= name is None and not containers.is_settled(ev, spread)
        if name is None and found is None:
            raise Refused("the keywords that `**` spreads here aren't known", "name them one by one", expr.at)
        keys.append(found if name is None else None)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        call = _rebuilt(expr, parts)
        args: list[Expr] = []
        for arg, n in zip(call.args, lengths):
            held = make.bind(arg.value) if isinstance(arg, Star) else arg
            args += [held] if n is None else [Item(held, Const(k)) for k in range(n)]
        kwargs: list[tuple[str | None, Expr]] = []
        for (name, value), found in zip(call.kwargs, keys):
            held = value if name is not None else make.bind(value)
            if name is None and open_ends:
                make.add(containers.no_more_keys(held, found or (), expr.at))
            kwargs += [(name, held)] if name is not None else [(k, Item(held, Const(k))) for k in found or ()]
        return Call(call.func, tuple(args), tuple(kwargs), at=expr.at)
    return ev.rewrite(expr, build)


def record_arguments(cls: type, call: Call) -> dict[str, Expr] | None:
    """Field -> argument, in the order of the call's text; None where the call doesn't fit."""
    if cls is types.SimpleNamespace or issubclass(cls, Captured):
        return {name: value for name, value in call.kwargs if name is not None}
    params = [p for p in inspect.signature(cls).parameters.values()]
    positional = [p.name for p in params if p.kind is not p.KEYWORD_ONLY]
    if len(call.args) > len(positional):
        return None
    given = dict(zip(positional, call.args))
    for name, value in call.kwargs:
        if name in given or name not in {p.name for p in params}:
            return None
        given[name] = value
    return given


def _defaults(cls: type) -> dict[str, Any]:
    if issubclass(cls, tuple):
        return dict(cls._field_defaults)                        # type: ignore[attr-defined]
    return {f.name: f.default for f in dataclasses.fields(cls)  # type: ignore[arg-type]
            if f.default is not dataclasses.MISSING}


def plain_defaults(cls: type) -> dict[str, Any]:
    """Field -> what a call of a record leaves out, where that is a number, a text, or None."""
    return {name: v for name, v in _defaults(cls).items() if type(v) in PLAIN}


def _left_out(cls: type, given: dict[str, Expr]) -> dict[str, tuple[str, Any]]:
    """Fields that the call leaves out and whose default is an object, or is made by a function."""
    out: dict[str, tuple[str, Any]] = {name: ("object", v) for name, v in _defaults(cls).items()
                                       if name not in given and type(v) not in PLAIN}
    if not issubclass(cls, tuple):
        out.update((f.name, ("factory", f.default_factory)) for f in dataclasses.fields(cls)  # type: ignore[arg-type]
                   if f.name not in given and f.default_factory is not dataclasses.MISSING)
    return out


def _completed(make: Make, call: Call, missing: dict[str, tuple[str, Any]]) -> Expr:
    more = tuple((name, _default(make, name, *how)) for name, how in missing.items())
    return Call(call.func, call.args, (*call.kwargs, *more), at=call.at)


def _default(make: Make, name: str, how: str, obj: Any) -> Expr:
    if isinstance(obj, ClassVariable):
        return Name(obj.name)
    if how == "factory" and obj is list:
        return List(())
    if how == "factory" and obj is dict:
        return Dict((), ())
    hint = getattr(obj, "__name__", name) if how == "factory" else name
    outside = make.outside(hint if hint.isidentifier() and hint != "<lambda>" else name, obj)
    return Call(outside) if how == "factory" else outside


def _namespace(ev: Evaluator, expr: Call, cls: type, env: Env) -> Abstract | None:
    if expr.args or any(k is None for k, _ in expr.kwargs):
        return None
    items = [(name, ev(value, env)) for name, value in expr.kwargs]
    storage = containers.born(ev, expr, "object", items, env, cls)
    return Abstract(ObjectOf(cls, ()), frozenset((Ref(storage),)))


# ---------------------------------------------------------------- objects with an __init__ of their own

def _temporary(make: Make, expr: Call, cls: type) -> Expr:
    name = make.name(cls.__name__.lower())
    for stmt in _made(make, expr, cls, name, expr):
        make.add(stmt)
    return Name(name, at=expr.at)


def _made(make: Make, expr: Call, cls: type, name: str, at: Any) -> list[Statement]:
    if make.guarded:                    # where making it fails, the name keeps what it means
        held = make.name(cls.__name__.lower())
        return [*_filled_object(make, expr, cls, held, at), Bind((name,), (Name(held, at=expr.at),), at=at.at)]
    return _filled_object(make, expr, cls, name, at)


def _filled_object(make: Make, expr: Call, cls: type, name: str, at: Any) -> list[Statement]:
    new = Call(Attr(make.outside("object", object), "__new__"), (expr.func,), at=expr.at)
    out: list[Statement] = [Bind((name,), (new,), at=at.at)]
    target = Name(name, at=expr.at)
    if dataclasses.is_dataclass(cls) and not is_user_function(cls.__init__):
        return [*out, *_filled(make, expr, cls, target)]
    if cls.__init__ is not object.__init__:                       # type: ignore[misc]
        out.append(Effect(Call(Attr(target, "__init__"), expr.args, expr.kwargs, at=expr.at), at=expr.at))
    return out


def _filled(make: Make, expr: Call, cls: type, target: Name) -> list[Statement]:
    """A dataclass with a `__post_init__`: its fields, and then that."""
    given = record_arguments(cls, expr)
    if given is None or any(isinstance(a, Star) for a in expr.args):
        raise Refused(f"this call of `{cls.__name__}` isn't supported", "name the arguments one by one", expr.at)
    known = getattr(cls, "__dataclass_fields__")  # noqa: B009
    init_only = [p for p in inspect.signature(getattr(cls, "__init__")).parameters if p not in known]  # noqa: B009
    missing = _left_out(cls, given)
    out: list[Statement] = []
    for f in cls.__dataclass_fields__.values():                   # type: ignore[attr-defined]
        if f._field_type is dataclasses._FIELD_CLASSVAR:          # type: ignore[attr-defined]
            continue
        value = given.get(f.name) or (_default(make, f.name, *missing[f.name]) if f.name in missing else
                                      Const(f.default) if type(f.default) in PLAIN else None)
        if value is None:
            continue
        if f._field_type is dataclasses._FIELD_INITVAR:           # type: ignore[attr-defined]
            init_only.append(f.name)
            given[f.name] = value
            continue
        out.append(_set(make, cls, target, f.name, value, expr))
    passed = tuple(given[name] for name in init_only if name in given)
    out.append(Effect(Call(Attr(target, "__post_init__"), passed, at=expr.at), at=expr.at))
    return out


def _set(make: Make, cls: type, target: Name, name: str, value: Expr, expr: Call) -> Statement:
    if not is_frozen(cls):
        return Store(Attr(target, name), None, value, at=expr.at)
    setter = Attr(make.outside("object", object), "__setattr__")
    return Effect(Call(setter, (target, Const(name), value), at=expr.at), at=expr.at)


def allocate(ev: Evaluator, expr: Call, cls: type, env: Env) -> Abstract:
    """object.__new__(cls)"""
    storage = containers.born(ev, expr, "object", [], env, cls)
    return Abstract(ObjectOf(cls, ()), frozenset((Ref(storage),)))
