"""Functions of Python itself that make, copy or look into objects and containers: what each means, by a handler."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib
import itertools
import math
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import (
    class_statements,
    constructors,
    containers,
    copying,
    fields,
    iterators,
    operators,
    quiet,
    settable,
)
from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.refused import NeverReturns, Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, Ref
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    Known,
    ListOf,
    Number,
    ObjectOf,
    Super,
    TupleOf,
    number_of,
)
from srcgrad.lang.core import (
    Attr,
    Call,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    Item,
    List,
    Name,
    Return,
    Slice,
    Star,
    Store,
    Tuple,
    Unpack,
    suspends,
)
from srcgrad.library.cursors import cursor_of
from srcgrad.library.deques import BoundedDeque
from srcgrad.runtime import containers as changes
from srcgrad.runtime.classes import made_anew, new_class
from srcgrad.runtime.closures import carry

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls

Handler = Callable[["Calls", Evaluator, Call, list[Abstract], dict[str, Abstract], Env], Abstract | None]
NONE = Abstract(Known(None))


def _import(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """The module that an `import` inside the function gives, which it would load when it is called."""
    name = args[0].value.obj if args and isinstance(args[0].value, Known) else None
    if not isinstance(name, str) or len(args) > 1:
        return None
    try:
        importlib.import_module(name)
    except ImportError:
        raise NeverReturns from None
    except Exception:                       # as the program itself will find when it gets there
        return None
    name = name if kwargs else name.partition(".")[0]
    return ev.rewrite(expr, lambda parts, make: make.outside(name.rpartition(".")[2], sys.modules[name]))


# ---------------------------------------------------------------- objects

def _new(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    known = args[0].value if len(args) == 1 else None
    if isinstance(known, Known) and isinstance(known.obj, type):
        return constructors.allocate(ev, expr, known.obj, env)
    return None


def _object_init(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract:
    return NONE


def _super(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    cls = args[0].value if len(args) == 2 else None
    if isinstance(cls, Known) and isinstance(cls.obj, type):
        return Abstract(Super(cls.obj), items=(args[1],))
    raise Refused("`super()` isn't supported here", "call the method of the class by name", expr.at)


def _getattr(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    if len(args) not in (2, 3) or not _is_text(args[1]):
        return _unless_active(expr, args, "getattr")
    there = _has(ev, args[0], _text(args[1]), env) if len(args) == 3 else True
    if there is False and _may_have(ev, args[0], _text(args[1])):
        return NOT_YET
    if there is None:
        return _unless_active(expr, args, "getattr")
    name = _text(args[1])
    return ev.rewrite(expr, lambda parts, make: Attr(parts[1], name, at=expr.at) if there else parts[3], *args)


def _hasattr(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    there = _has(ev, args[0], _text(args[1]), env) if len(args) == 2 and _is_text(args[1]) else None
    if there is False and _may_have(ev, args[0], _text(args[1])):
        return NOT_YET
    return None if there is None else Abstract(Known(there))


def _has_field(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
               env: Env) -> Abstract | None:
    """Whether the object itself has the field, whatever its class has."""
    return Abstract(Number("bool"))


def _has(ev: Evaluator, owner: Abstract, name: str, env: Env) -> bool | None:
    """Whether an object certainly has the attribute, or certainly not."""
    value = ev.value(owner)
    if isinstance(value, Known):
        return hasattr(value.obj, name)
    if not isinstance(value, ObjectOf):
        cls = type_of(value)
        return None if cls is None else hasattr(cls, name)
    if hasattr(value.cls, name) or all(containers.surely(ref.storage, name, env) for ref in owner.refs):
        return True
    return False if containers.read(ev, owner, name, env) is None else None


def _may_have(ev: Evaluator, owner: Abstract, name: str) -> bool:
    return isinstance(ev.value(owner), ObjectOf) and settable.may_be_set(ev, owner, name)


def type_of(value: Any) -> type | None:
    import numpy as np
    if isinstance(value, Array):
        return np.ndarray if value.dims is not None else None
    return value.cls if isinstance(value, ListOf) else {DictOf: dict, TupleOf: tuple}.get(type(value))


def _setattr(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """setattr(p, "x", v)   ->   p.x = v"""
    if len(args) != 3 or not _is_text(args[1]) or not _is_statement(ev, expr):
        return _unless_active(expr, args, "setattr")
    name = _text(args[1])
    ev.replacements[ev.site] = lambda make: [Store(Attr(expr.args[0], name), None, expr.args[2], at=expr.at)]
    return NONE


def _plain_setattr(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
                   env: Env) -> Abstract | None:
    """object.__setattr__(p, "x", v), which no class can forbid"""
    if len(args) != 3 or not _is_text(args[1]) or not _is_statement(ev, expr):
        return _unless_active(expr, args, "object.__setattr__")
    containers.write(ev, args[0], _text(args[1]), args[2], env)
    return NONE


def _delattr(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    if len(args) == 2 and _is_text(args[1]) and isinstance(ev.value(args[0]), ObjectOf):
        containers.remove(ev, args[0], _text(args[1]), env)
        return NONE
    return _unless_active(expr, args, "delattr")


def _text(item: Abstract) -> str:
    assert isinstance(item.value, Known)
    return str(item.value.obj)


def _is_text(item: Abstract) -> bool:
    return isinstance(item.value, Known) and isinstance(item.value.obj, str)


def _is_statement(ev: Evaluator, expr: Call) -> bool:
    return isinstance(ev.site, Effect) and ev.site.value is expr


def _unless_active(expr: Call, args: list[Abstract], name: str,
                   remedy: str = "write the attribute by name") -> Abstract | None:
    if any(a.active for a in args):
        raise Refused(f"this call of `{name}` isn't supported where something is differentiated", remedy, expr.at)
    return None


def _by_loud_method(*names: str) -> Handler:
    """str(v)   ->   v.__str__(), of an object whose class has that, and where it changes something"""
    def handle(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
               env: Env) -> Abstract | None:
        cls = operators.class_of(ev.value(args[0])) if args and not kwargs else None
        name = next((name for name in names if operators.method(cls, name) is not None), None)
        if name is None or quiet.loud_method(cls, (name,)) is None:
            return None
        return _by_method(name)(calls, ev, expr, args, kwargs, env)
    return handle


def _by_method(name: str) -> Handler:
    """abs(v)   ->   v.__abs__(), of an object whose class has that"""
    def handle(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
               env: Env) -> Abstract | None:
        cls = operators.class_of(ev.value(args[0])) if args and not kwargs else None
        if operators.method(cls, name) is None:
            return None
        fields.guard_class(ev, cls, name)                                           # type: ignore[arg-type]
        return ev.rewrite(expr, lambda parts, make: Call(Attr(parts[1], name), parts[2:], at=expr.at), *args)
    return handle


# ---------------------------------------------------------------- functions

def _partial(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """partial(f, a, k=b)   ->   lambda *args, **kwargs: f(a, *args, k=b, **kwargs), of the values at this time"""
    if not args or any(isinstance(a, Star) for a in expr.args) or any(k is None for k, _ in expr.kwargs):
        return None

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        held: list[Expr] = [e if isinstance(e, Const) else fields.kept(make, e) for e in parts[1:]]
        n = len(expr.args)
        named = {name: value for (name, _), value in zip(expr.kwargs, held[n:]) if name is not None}
        return fields.forwarding(held[0], tuple(held[1:n]), named, expr.at)
    return ev.rewrite(expr, build, *args, *kwargs.values())


def same(function: Any) -> Any:
    return function


def _wraps(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """functools.wraps(f), which only says how the wrapper is called"""
    return Abstract(Known(same))


def _same(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    return ev.rewrite(expr, lambda parts, make: parts[1], *args)


def _context_manager(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
                     env: Env) -> Abstract | None:
    """contextmanager(f)   ->   f, of a generator made inside: `with` runs its body in the place of the `yield`"""
    value = ev.value(args[0]) if len(args) == 1 else None
    if not isinstance(value, Closure) or not suspends(value.function.code.body):
        return None
    return ev.rewrite(expr, lambda parts, make: parts[1], *args)


# ---------------------------------------------------------------- containers

def _list(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """list(v)   ->   v[:] of a list, [*v] of a tuple"""
    if kwargs or len(args) > 1:
        return None
    if not args:
        return ev.rewrite(expr, lambda parts, make: List((), at=expr.at))
    value = ev.value(args[0])
    if isinstance(value, ListOf) and value.cls is list:
        return ev.rewrite(expr, lambda parts, make: Item(parts[1], Slice(), at=expr.at), *args)
    if args[0].items is not None or isinstance(value, ListOf):
        return ev.rewrite(expr, lambda parts, make: List((Star(parts[1]),), at=expr.at), *args)
    return None                             # the library has it


def _tuple(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """tuple(v)   ->   (*v,) where the length of v is known; a tuple of what else there is is made of a list."""
    if kwargs or len(args) != 1 or not args[0].active:
        return None
    if args[0].items is not None:
        return ev.rewrite(expr, lambda parts, make: Tuple((Star(parts[1]),), at=expr.at), *args)
    value = ev.value(args[0])
    if not isinstance(value, ListOf):
        return ev.rewrite(expr, lambda parts, make: Call(parts[0], (
            Call(make.outside("list", list), parts[1:], at=expr.at),), at=expr.at), *args)
    return args[0] if value.cls is tuple else containers.list_of(ev, expr, args, tuple)


def _dict(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """dict(d, a=v)   ->   {**d, "a": v}         dict(pairs, a=v)   ->   d = {}; d.update(pairs, a=v); d"""
    pairs = bool(args) and not isinstance(ev.value(args[0]), DictOf)
    if len(args) > 1 or pairs and not any(a.active for a in (*args, *kwargs.values())):
        return None

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        if pairs:
            made = make.bind(Dict((), (), at=expr.at), "d")
            others = tuple((k, v) for (k, _), v in zip(expr.kwargs, parts[2:]))
            make.add(Effect(Call(Attr(made, "update"), (parts[1],), others, at=expr.at), at=expr.at))
            return made
        named = [(None if k is None else Const(k), v) for (k, _), v in zip(expr.kwargs, parts[1 + len(args):])]
        items = [*((None, e) for e in parts[1:1 + len(args)]), *named]
        return Dict(tuple(k for k, _ in items), tuple(v for _, v in items), at=expr.at)
    return ev.rewrite(expr, build, *args, *kwargs.values())


def _deque(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """A deque without a longest length does what a list does."""
    given: dict[str, Abstract] = dict(zip(("iterable", "maxlen"), args), **kwargs)
    if len(args) > 2 or any(isinstance(a, Star) for a in expr.args) or not given.keys() <= {"iterable", "maxlen"}:
        return _unless_active(expr, [*args, *kwargs.values()], "deque", "give it its items and its longest length")
    bounded = "maxlen" in given and given["maxlen"].value != Known(None)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        n = 1 + len(expr.args)
        named: dict[str | None, Expr] = dict(zip(("iterable", "maxlen"), parts[1:n]))
        named.update((k, v) for (k, _), v in zip(expr.kwargs, parts[n:]))
        items = named.get("iterable")
        if bounded:
            made = make.bind(Call(make.outside("BoundedDeque", BoundedDeque), (named["maxlen"],), at=expr.at), "deque")
            if items is not None:
                make.add(Effect(Call(Attr(made, "extend"), (items,), at=expr.at), at=expr.at))
            return made
        return Call(make.outside("list", list), () if items is None else (items,), at=expr.at)
    return ev.rewrite(expr, build, *args, *kwargs.values())


def _default_dict(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
                  env: Env) -> Abstract | None:
    """What isn't there yet is made when it is asked for."""
    factory = args[0].value if len(args) == 1 and not kwargs else None
    if isinstance(factory, Closure) and isinstance(body := factory.function.code.body[0], Return) \
            and isinstance(body.value, (Const, List)):
        made = ev(body.value, env)
    elif isinstance(factory, Known) and factory.obj in (float, int):
        made = Abstract(Number(factory.obj.__name__))
    elif isinstance(factory, Known) and factory.obj in (list, dict):
        inner = ev.storage(expr, factory.obj.__name__, "default")
        ev.heap.mark(inner, many=True)
        made = Abstract(ListOf(None) if factory.obj is list else DictOf(()), frozenset((Ref(inner),)))
    else:
        return _unless_active(expr, args, "defaultdict", "use float, int, list or dict as the factory")
    storage = containers.born(ev, expr, "dict", [], env, defaultdict)
    ev.heap.put(storage, containers.ANY, made, None)
    return Abstract(DictOf(()), frozenset((Ref(storage),)))


def _permute(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract:
    for ref in args[0].refs:
        ev.heap.mark(ref.storage, written=True)
    return NONE


def _sort_order(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract:
    """With a key that changes something, the keys are made by statements."""
    quiet.check_inside(ev, args, quiet.ORDER, expr.at)
    key = kwargs.get("key")
    if key is None or quiet.is_quiet_value(ev, key, env) and not isinstance(ev.value(key), ObjectOf):
        return Abstract(UNKNOWN)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        how = dict(zip((k for k, _ in expr.kwargs), parts[2:]))
        keys, item = make.bind(List(()), "keys"), make.name("item")
        made = Call(how.pop("key"), (Name(item),), at=expr.at)
        append = Effect(Call(Attr(keys, "append"), (made,), at=expr.at), at=expr.at)
        make.add(For(item, parts[1], (append,), at=expr.at))
        return Call(parts[0], (keys,), tuple(how.items()), at=expr.at)
    return ev.rewrite(expr, build, *args, *kwargs.values())


def _replace(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """replace(p, x=v)   ->   Point(v, p.y)"""
    value = ev.value(args[0]) if len(args) == 1 else None
    if not isinstance(value, ObjectOf) or any(k is None for k, _ in expr.kwargs):
        return _unless_active(expr, args, "replace")
    cls = value.cls

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        given = {k: v for (k, _), v in zip(expr.kwargs, parts[2:])}
        owner = make.bind(parts[1])
        names = [f.name for f in dataclasses.fields(cls) if f.init]
        filled = tuple((n, given.get(n, Attr(owner, n))) for n in names)
        return Call(make.outside(cls.__name__, cls), (), filled, at=expr.at)
    return ev.rewrite(expr, build, *args, *kwargs.values())


def _as_dict(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    value = ev.value(args[0]) if len(args) == 1 and not kwargs else None
    if not isinstance(value, ObjectOf) or not args[0].active:
        return _unless_active(expr, args, "asdict")
    return ev.rewrite(expr, lambda parts, make: copying.as_dict(make, parts[1], value, False), *args)


def _as_tuple(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
              env: Env) -> Abstract | None:
    value = ev.value(args[0]) if len(args) == 1 and not kwargs else None
    if not isinstance(value, ObjectOf) or not args[0].active:
        return _unless_active(expr, args, "astuple")
    return ev.rewrite(expr, lambda parts, make: copying.as_dict(make, parts[1], value, True), *args)


def _copy(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    value = ev.value(args[0]) if len(args) == 1 and not kwargs else UNKNOWN
    if number_of(value) is not None:
        return ev.rewrite(expr, lambda parts, make: parts[1], *args)
    build = copying.shallow(ev, args[0], value)
    return _unless_active(expr, args, "copy") if build is None else ev.rewrite(
        expr, lambda parts, make: build(make, parts[1]), *args)


def _deepcopy(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict,
              env: Env) -> Abstract | None:
    build = copying.deep(ev, args[0]) if len(args) == 1 and not kwargs else None
    return _unless_active(expr, args, "deepcopy") if build is None else ev.rewrite(
        expr, lambda parts, make: build(make, parts[1]), *args)


def _carry(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """carry(f, (1,), x, k)   ->   t, k = f(x, k); t"""
    places = [part.value for part in expr.args[1].items if isinstance(part, Const)] \
        if isinstance(expr.args[1], Tuple) else []
    given = [arg.id for arg in expr.args[2:] if isinstance(arg, Name)]

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        n = 1 + len(expr.args)
        call = Call(parts[1], parts[3:n], tuple((k, v) for (k, _), v in zip(expr.kwargs, parts[n:])), at=expr.at)
        result = make.name("t")
        make.add(Unpack((result, *(given[k] for k in places)), call, at=expr.at))
        return Name(result, at=expr.at)
    return ev.rewrite(expr, build)


SPECIAL: dict[Any, Handler] = {
    carry: _carry, __import__: _import, new_class: class_statements.new, made_anew: class_statements.again,
    object.__new__: _new, object.__init__: _object_init, super: _super, getattr: _getattr, hasattr: _hasattr,
    setattr: _setattr, object.__setattr__: _plain_setattr, delattr: _delattr,
    abs: _by_method("__abs__"), round: _by_method("__round__"), float: _by_method("__float__"),
    math.floor: _by_method("__floor__"), math.ceil: _by_method("__ceil__"), math.trunc: _by_method("__trunc__"),
    complex: _by_method("__complex__"), len: _by_method("__len__"), iter: _by_method("__iter__"),
    next: iterators.following,
    str: _by_loud_method("__str__", "__repr__"), repr: _by_loud_method("__repr__"), bool: _by_loud_method("__bool__"),
    hash: _by_loud_method("__hash__"), int: _by_loud_method("__int__", "__index__"),
    reversed: _by_method("__reversed__"), divmod: _by_method("__divmod__"), pow: _by_method("__pow__"),
    functools.partial: _partial, functools.wraps: _wraps, same: _same,
    cursor_of: iterators.cursor, itertools.tee: iterators.teed,
    contextlib.contextmanager: _context_manager,
    list: _list, tuple: _tuple, dict: _dict, OrderedDict: _dict, deque: _deque,
    defaultdict: _default_dict,
    changes.has_field: _has_field, changes.has_fields: _has_field,
    changes.permute: _permute, changes.sort_order: _sort_order,
    dataclasses.replace: _replace, dataclasses.asdict: _as_dict, dataclasses.astuple: _as_tuple,
    copy.copy: _copy, copy.deepcopy: _deepcopy,
}
