"""Methods of arrays, lists, dicts and objects."""
from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret import containers, fields, narrowing, operations, settable
from srcgrad.analysis.interpret.expressions import Evaluator, numeric
from srcgrad.analysis.interpret.refused import NeverReturns, Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.sharing import gives_view
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Lazy,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    TupleOf,
    Value,
    members,
)
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Compare,
    Cond,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    If,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Store,
    Tuple,
    Unpack,
    children,
    rebuild,
)
from srcgrad.rules.nondifferentiable import is_logger
from srcgrad.rules.registry import has_rule
from srcgrad.rules.spellings import METHODS
from srcgrad.runtime import containers as changes

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls


def call(calls: Calls, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, env: Env) -> Abstract:
    """What `owner.name(...)` gives, where the owner isn't a module, a class or the like."""
    own = any(isinstance(m, ObjectOf) or isinstance(m, TupleOf) and m.cls is not tuple
              for m in members(ev.value(owner)))
    if owner.partial and own and (wait := narrowing.unsure(ev, expr, 0, owner)) is not None:
        calls.arguments(ev, expr, env, inlined=True)
        return wait
    owner, value = ev.able_method(func.value, owner, func.name)
    if isinstance(value, OneOf) and (split := narrowing.by_kind(ev, expr, 0, owner)) is not None:
        return split
    if isinstance(value, ObjectOf) or isinstance(value, TupleOf) and value.cls is not tuple:
        return _of_object(calls, ev, expr, func, owner, value, env)
    args, kwargs = calls.arguments(ev, expr, env)
    if isinstance(value, Lazy) and func.name == "send" and any(a.active for a in (owner, *args)):
        return NOT_YET                      # a step of a generator
    plain = calls.method_in_library(ev, expr, func.name, owner, args, kwargs)
    if plain is not None:
        return plain
    if isinstance(value, (Array, Number)):
        return _of_array(calls, ev, expr, func, owner, value, args, kwargs)
    found = None
    if isinstance(value, ListOf):
        found = _of_list(ev, expr, func, owner, args, kwargs, env)
    elif all(isinstance(m, DictOf) for m in members(value)):
        found = _of_dict(ev, expr, func, owner, args, kwargs, env)
    elif isinstance(value, TupleOf) and func.name in ("index", "count"):
        found = Abstract(Number("int"))
    return calls.opaque(ev, expr, None, [owner, *args], kwargs) if found is None else found


# ---------------------------------------------------------------- objects

def _of_object(calls: Calls, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, value: ObjectOf | TupleOf,
               env: Env) -> Abstract:
    name, cls = func.name, value.cls
    if is_logger(cls):
        calls.arguments(ev, expr, env)
        return Abstract()
    if isinstance(value, ObjectOf) and containers.read(ev, owner, name, env) is not None:
        callee = ev(func, env)
        return calls.called(ev, expr, callee, env)
    found = inspect.getattr_static(cls, name, None)
    if isinstance(value, ObjectOf) and settable.may_be_set(ev, owner, name):
        calls.arguments(ev, expr, env, inlined=found)
        return NOT_YET
    if isinstance(value, TupleOf) and name in ("_replace", "_asdict"):
        return _of_named_tuple(ev, expr, owner, value)
    if isinstance(found, (property, type)):
        return calls.called(ev, expr, ev(func, env), env)
    known = fields.guard_class(ev, cls, name)
    if isinstance(found, (staticmethod, classmethod)):
        return calls.known(ev, expr, known, *calls.arguments(ev, expr, env), env)
    args, kwargs = calls.arguments(ev, expr, env, inlined=found)
    plain = calls.method_in_library(ev, expr, name, owner, args, kwargs)
    if plain is not None:
        return plain
    if isinstance(found, types.FunctionType) and not _is_numpys(found):
        return calls.user(ev, expr, found, [owner, *args], kwargs, receiver=True)
    return calls.opaque(ev, expr, found, [owner, *args], kwargs)


def _is_numpys(function: types.FunctionType) -> bool:
    """Whether it is a method of NumPy or SciPy, whose ways are no programs to differentiate."""
    return str(function.__globals__.get("__name__", "")).partition(".")[0] in ("numpy", "scipy")


def _of_named_tuple(ev: Evaluator, expr: Call, owner: Abstract, value: TupleOf) -> Abstract:
    """t._replace(a=v)   ->   Point(v, t.b)         t._asdict()   ->   {"a": t.a, "b": t.b}"""
    assert isinstance(expr.func, Attr)
    given = dict(expr.kwargs)
    if None in given or not set(given) <= set(value.fields):
        raise Refused("it isn't known which fields are replaced here", "name them one by one", expr.at)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        call = rebuild(expr, parts)
        assert isinstance(call, Call) and isinstance(call.func, Attr)
        t, given = make.bind(call.func.value), dict(call.kwargs)
        values = [given.get(name, Attr(t, name)) for name in value.fields]
        if call.func.name == "_replace":
            return Call(make.outside(value.cls.__name__, value.cls), tuple(values), at=expr.at)
        return Dict(tuple(map(Const, value.fields)), tuple(values), at=expr.at)
    return ev.rewrite(expr, build, owner)


# ---------------------------------------------------------------- arrays

def _of_array(calls: Calls, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, value: Value,
              args: list[Abstract], kwargs: dict) -> Abstract:
    name = func.name
    active = owner.active or any(a.active for a in [*args, *kwargs.values()])
    function = METHODS.get(name)
    if name in ("fill", "sort", "partition", "put", "resize", "itemset", "setflags", "setfield", "byteswap"):
        raise Refused(f"the method `{name}`, which changes the array in place, isn't supported yet",
                      "assign to items or slices", expr.at)
    if function is None and active and (name in ("tolist", "item") or not inactive_method(name)):
        raise Refused(f"the array method `{name}` isn't supported", "use a supported NumPy function", expr.at)
    values, named = tuple(ev.value(a) for a in args), {k: ev.value(v) for k, v in kwargs.items()}
    result = operations.method(value, name, values, named)
    active = active and not inactive_method(name)
    result = numeric(result, value)
    shares = gives_view(_AS_METHODS.get(name, function), (value, *values), named)
    if shares is not None and isinstance(value, Array) and isinstance(result, Array):
        return calls.view(ev, expr, function, shares, result, owner, active, not args and not kwargs)
    return ev.fresh(expr, result, active)


# Methods that share memory where the function of that name doesn't.
_AS_METHODS = {"conj": np.ndarray.conj, "conjugate": np.ndarray.conj}


def inactive_method(name: str) -> bool:
    function = METHODS.get(name)
    return function is not None and not has_rule(function)


# ---------------------------------------------------------------- lists

NONE = Abstract(Known(None))


RESIZING = frozenset("append extend insert pop remove clear appendleft popleft extendleft __delitem__ __iadd__".split())


def _of_list(ev: Evaluator, expr: Call, func: Attr, owner: Abstract, args: list[Abstract], kwargs: dict,
             env: Env) -> Abstract | None:
    name = func.name
    value = ev.value(owner)
    if isinstance(value, ListOf) and value.cls is tuple and not hasattr(tuple, name):
        raise NeverReturns
    if name in ("index", "count", "__len__", "__contains__"):
        return Abstract(Number("int"))
    if name == "copy" and not args:
        return ev.rewrite(expr, lambda parts, make: Item(_owner_of(parts[0]), Slice(), at=expr.at), owner)
    handler = _LISTS.get(name)
    if handler is None or kwargs and name != "sort":
        if owner.active or any(a.active for a in args):
            raise Refused(f"the list method `{name}` isn't supported", "use items, slices and `append`", expr.at)
        return None
    if name in RESIZING:
        ev.heap.note_resized(owner.refs, ev.loops)
    return handler(ev, expr, owner, args, env)


def _written(ev: Evaluator, owner: Abstract, shrinks: bool = False) -> None:
    for ref in owner.refs:
        ev.heap.mark(ref.storage, written=True, shrinks=shrinks)


def _put(ev: Evaluator, owner: Abstract, items: list[Abstract]) -> Abstract:
    for ref in owner.refs:
        ev.heap.mark(ref.storage, written=True)
        for item in items:
            ev.heap.put(ref.storage, containers.ANY, item)
    return NONE


def _append(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    return _put(ev, owner, args) if len(args) == 1 else None


def _insert(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    return _put(ev, owner, args[1:]) if len(args) == 2 else None


def _append_left(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    return _respelled(ev, expr, owner, args, "insert", (Const(0),))


def _pop_left(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    return _respelled(ev, expr, owner, args, "pop", (Const(0),))


def _respelled(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], name: str,
               first: tuple[Expr, ...]) -> Abstract:
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(parts[0], Attr)
        return Call(Attr(parts[0].value, name), (*first, *parts[1:]), at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


def _pop(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    _written(ev, owner, shrinks=True)
    return ev.element(owner)


def _reverse(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    _written(ev, owner)
    return NONE


def _extend(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """A list or a tuple goes in as a whole; what else there is to loop over, one by one."""
    if args[0].items is not None:
        return _put(ev, owner, list(args[0].items))
    value = ev.value(args[0])
    if isinstance(value, ListOf):
        return _put(ev, owner, [] if value.item is None else [ev.element(args[0])])

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(parts[0], Attr)
        items, target = make.bind(parts[0].value), make.name("item")
        append = Effect(Call(Attr(items, "append"), (Name(target),), at=expr.at), at=expr.at)
        make.add(For(target, parts[1], (append,), at=expr.at))
        return Const(None)
    return ev.rewrite(expr, build, owner, *args)


def _remove(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """items.remove(v)   ->   del items[items.index(v)]"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(parts[0], Attr)
        items = make.bind(parts[0].value)
        k = make.bind(Call(Attr(items, "index"), parts[1:], at=expr.at), "k")
        return Call(Attr(items, "__delitem__"), (k,), at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


def _clear(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    return _respelled(ev, expr, owner, args, "__delitem__", (Slice(),))


def _delete(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    _written(ev, owner, shrinks=True)
    return NONE


def _sort(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """items.sort(key=f)   ->   order = sort_order(items, key=f); permute(items, order)"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(parts[0], Attr)
        items = make.bind(parts[0].value)
        how = tuple((k, v) for (k, _), v in zip(expr.kwargs, parts[1:]))
        order = make.bind(Call(make.outside("sort_order", changes.sort_order), (items,), how, at=expr.at), "order")
        return Call(make.outside("permute", changes.permute), (items, order), at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


_LISTS = {"append": _append, "insert": _insert, "pop": _pop, "reverse": _reverse, "extend": _extend,
          "remove": _remove, "clear": _clear, "sort": _sort, "__delitem__": _delete, "appendleft": _append_left,
          "popleft": _pop_left}


# ---------------------------------------------------------------- dicts

def _of_dict(ev: Evaluator, expr: Call, func: Attr, owner: Abstract, args: list[Abstract],
             kwargs: dict, env: Env) -> Abstract | None:
    name = func.name
    active = owner.active or any(a.active for a in [*args, *kwargs.values()])
    if name in ("__contains__", "__len__", "keys"):
        return Abstract(UNKNOWN)
    if name in ("__delitem__", "clear"):
        key = containers.constant_key(args[0].value) if args else containers.ANY
        containers.remove(ev, owner, key, env)
        return NONE
    handler = _DICTS.get(name)
    if handler is not None and (active or name in _CHANGING):
        return handler(ev, expr, owner, args, env)
    if name == "get" and args:
        found = containers.read(ev, owner, containers.constant_key(args[0].value), env)
        default = args[1] if len(args) > 1 else NONE
        return default if found is None else ev.heap.join(found, default)
    if active:
        raise Refused(f"the dict method `{name}` isn't supported", "use items", expr.at)
    return None


def _there(d: Expr, key: Expr) -> Expr:
    return Compare(key, ("in",), (d,))


def _settled(make: Make, parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The dict and the arguments as what can be read twice."""
    assert isinstance(parts[0], Attr)
    return tuple(e if isinstance(e, (Name, Const)) else make.bind(e) for e in (parts[0].value, *parts[1:]))


def _get(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.get(k, v)   ->   d[k] if k in d else v"""
    key = containers.constant_key(args[0].value)
    sure = key is not containers.ANY and all(containers.surely(ref.storage, key, env) for ref in owner.refs)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        d, k, *default = _settled(make, parts)
        item = Item(d, k, at=expr.at)
        return item if sure else Cond(_there(d, k), item, default[0] if default else Const(None), at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


def _set_default(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.setdefault(k, v)   ->   if k not in d: d[k] = v"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        d, k, *default = _settled(make, parts)
        item = Item(d, k, at=expr.at)
        store = Store(item, None, default[0] if default else Const(None), at=expr.at)
        make.add(If(Compare(k, ("not in",), (d,)), (store,), at=expr.at))
        return item
    return ev.rewrite(expr, build, owner, *args)


def _take_out(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.pop(k)   ->   v = d[k]; del d[k]"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        d, k, *default = _settled(make, parts)
        name = make.name("value")
        taken: tuple[Statement, ...] = (
            Bind((name,), (Item(d, k),), at=expr.at),
            Effect(Call(Attr(d, "__delitem__"), (k,), at=expr.at), at=expr.at))
        if default:
            make.add(If(_there(d, k), taken, (Bind((name,), (default[0],), at=expr.at),), at=expr.at))
        else:
            for stmt in taken:
                make.add(stmt)
        return Name(name, at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


def _pop_item(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.popitem()   ->   k = list(d)[-1]; v = d[k]; del d[k]         the first one with last=False"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        d, *last = _settled(make, parts)
        at: Expr = Const(-1)
        if last:
            at = Cond(last[0], at, Const(0)) if not isinstance(last[0], Const) else Const(-1 if last[0].value else 0)
        k = make.bind(Item(Call(make.outside("list", list), (d,)), at), "key")
        value = make.bind(Item(d, k), "value")
        make.add(Effect(Call(Attr(d, "__delitem__"), (k,), at=expr.at), at=expr.at))
        return Tuple((k, value), at=expr.at)
    return ev.rewrite(expr, build, owner, *args)


def _move_to_end(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.move_to_end(k)   ->   v = d[k]; del d[k]; d[k] = v"""
    if len(expr.args) != 1 or expr.kwargs:
        raise Refused("a key is moved only to the end of a dict", "make a new dict", expr.at)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        d, k = _settled(make, parts)
        value = make.bind(Item(d, k, at=expr.at), "value")
        make.add(Effect(Call(Attr(d, "__delitem__"), (k,), at=expr.at), at=expr.at))
        make.add(Store(Item(d, k, at=expr.at), None, value, at=expr.at))
        return Const(None)
    return ev.rewrite(expr, build, owner, *args)


def _update(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    """d.update(e, a=v)   ->   for k in list(e): d[k] = e[k]; d["a"] = v"""
    keys = containers.keys(args[0]) if args else []
    sure = bool(args) and containers.sure_keys(ev, args[0]) is not None and containers.is_settled(ev, args[0])
    pairs = bool(args) and not isinstance(ev.value(args[0]), DictOf)
    if pairs and ev.value(args[0]) == UNKNOWN:
        raise Refused("it isn't known whether this is a dict, or gives pairs", "make it a dict first", expr.at)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        given = _settled(make, (parts[0], *parts[2:])) if pairs else _settled(make, parts)
        d, *rest = (given[0], parts[1], *given[1:]) if pairs else given
        if args and sure and not pairs:
            for key in keys:
                make.add(Store(Item(d, Const(key)), None, Item(rest[0], Const(key)), at=expr.at))
        elif args:
            make.add(_loop_of_updates(make, d, rest[0], pairs, expr))
        for (name, _), value in zip(expr.kwargs, rest[len(args):]):
            make.add(Store(Item(d, Const(name)), None, value, at=expr.at))
        return Const(None)
    return ev.rewrite(expr, build, owner, *args)


def _loop_of_updates(make: Make, d: Expr, other: Expr, pairs: bool, expr: Call) -> Statement:
    name = make.name("pair" if pairs else "key")
    if pairs:
        key, value = make.name("key"), make.name("value")
        store = Store(Item(d, Name(key)), None, Name(value), at=expr.at)
        return For(name, other, (Unpack((key, value), Name(name), at=expr.at), store), at=expr.at)
    store = Store(Item(d, Name(name)), None, Item(other, Name(name)), at=expr.at)
    return For(name, Call(make.outside("list", list), (other,)), (store,), at=expr.at)


def _views(pairs: bool) -> Any:
    """d.values(), d.items()   ->   a list that a loop over the keys fills"""
    def handle(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
        if _is_kept(ev.site, expr) and any(ev.heap.is_written(ref.storage) for ref in owner.refs):
            raise Refused("a view of a dict that changes is kept",
                          "keep `list(...)` of it, where it is meant as it is now", expr.at)

        def build(parts: tuple[Expr, ...], make: Make) -> Expr:
            (d,) = _settled(make, parts)
            items, key = make.bind(List((), at=expr.at), "items"), make.name("key")
            held = Item(d, Name(key), at=expr.at)
            what = Tuple((Name(key), held)) if pairs else held
            append = Effect(Call(Attr(items, "append"), (what,), at=expr.at), at=expr.at)
            make.add(For(key, Call(make.outside("list", list), (d,)), (append,), at=expr.at))
            return items
        return ev.rewrite(expr, build, owner)
    return handle


def _is_kept(stmt: Any, expr: Call) -> bool:
    """Whether the statement gives the value a name, or puts it into a place or a container, as it is."""
    left = [stmt.value] if isinstance(stmt, Store) else list(stmt.values) if isinstance(stmt, Bind) else []
    while left:
        value = left.pop()
        if value is expr:
            return True
        if isinstance(value, (List, Tuple, Dict)):
            left.extend(children(value))
    return False


def _copy(ev: Evaluator, expr: Call, owner: Abstract, args: list[Abstract], env: Env) -> Abstract | None:
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(parts[0], Attr)
        return Dict((None,), (parts[0].value,), at=expr.at)
    return ev.rewrite(expr, build, owner)


_CHANGING = ("setdefault", "pop", "popitem", "update", "move_to_end")
_DICTS = {"get": _get, "setdefault": _set_default, "pop": _take_out, "popitem": _pop_item, "update": _update,
          "move_to_end": _move_to_end,
          "values": _views(False), "items": _views(True), "copy": _copy}


def _owner_of(func: Expr) -> Expr:
    assert isinstance(func, Attr)
    return func.value
