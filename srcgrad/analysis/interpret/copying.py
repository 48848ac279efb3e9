"""Copies of containers and objects, spelled out as displays."""
from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret import constructors, containers
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import Abstract, reach
from srcgrad.analysis.values import PENDING, UNKNOWN, Array, DictOf, Known, ListOf, ObjectOf, TupleOf, Value, number_of
from srcgrad.lang.core import Attr, Call, Cond, Const, Dict, Effect, Expr, For, Item, List, Name, Slice, Store, Tuple
from srcgrad.runtime.copies import check_unshared

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

Build = Callable[[Make, Expr], Expr]


def shallow(ev: Evaluator, item: Abstract, value: Value) -> Build | None:
    """A copy of the container itself: of a list, a dict, an array or an object; None where that isn't known."""
    if isinstance(value, ListOf):
        return lambda make, e: Item(e, Slice()) if value.cls is list else e
    if isinstance(value, DictOf):
        return lambda make, e: Dict((None,), (e,))
    if isinstance(value, Array) and value.dims is not None:
        return lambda make, e: Call(Attr(e, "copy"))
    if isinstance(value, TupleOf):
        return lambda make, e: e
    if isinstance(value, ObjectOf):
        names = _field_names(item)
        return lambda make, e: _object(make, e, value.cls, {name: _same for name in names})
    return None


def _same(make: Make, e: Expr) -> Expr:
    return e


def _field_names(item: Abstract) -> list[str]:
    return list(dict.fromkeys(name for ref in item.refs for name in ref.storage.fields))


def _object(make: Make, e: Expr, cls: type, parts: dict[str, Build]) -> Expr:
    owner = e if isinstance(e, Name) else make.bind(e)
    if cls is SimpleNamespace or constructors.record_fields(cls) == tuple(parts):
        made = tuple((name, build(make, Attr(owner, name))) for name, build in parts.items())
        return Call(make.outside(cls.__name__, cls), (), made)
    new = make.bind(Call(Attr(make.outside("object", object), "__new__"), (make.outside(cls.__name__, cls),)),
                    cls.__name__.lower())
    for name, build in parts.items():
        value = build(make, Attr(owner, name))
        if constructors.is_frozen(cls):
            setter = Attr(make.outside("object", object), "__setattr__")
            make.add(Effect(Call(setter, (new, Const(name), value))))
        else:
            make.add(Store(Attr(new, name), None, value))
    return new


def deep(ev: Evaluator, item: Abstract) -> Build | None:
    """A copy down to the arrays; None where what is inside isn't known, or is shared inside.

    Parts that aren't known yet are copied by a call, which is spelled out when they are; that nothing is shared is
    checked by the program then.
    """
    storages = reach([item])
    held = [ref.storage for s in storages for part in s.fields.values() for ref in part.refs]
    if len(held) != len(set(held)):
        return None
    known = _deep(ev, item, 0)
    if known is None or not any(_waits(ev, part) for s in storages for part in s.fields.values()):
        return known

    def build(make: Make, e: Expr) -> Expr:
        owner = make.bind(e)
        make.add(Effect(Call(make.outside("check_unshared", check_unshared), (owner,))))
        return known(make, owner)
    return build


def _waits(ev: Evaluator, item: Abstract) -> bool:
    return item.value == PENDING or ev.value(item) == UNKNOWN


def _inside(ev: Evaluator, item: Abstract, depth: int) -> Build | None:
    """As `_deep`, for a part."""
    if _waits(ev, item):
        return lambda make, e: Call(make.outside("deepcopy", copy.deepcopy), (e,))
    return _deep(ev, item, depth)


def _deep(ev: Evaluator, item: Abstract, depth: int) -> Build | None:
    value = ev.value(item)
    if number_of(value) is not None or isinstance(value, Known):
        return _same
    if isinstance(value, Array):
        return _array if value.dims is not None else _array_or_number
    if depth > 5:
        return None
    if isinstance(value, ListOf):
        return _deep_list(ev, item, depth)
    if item.items is not None and isinstance(value, TupleOf):
        return _deep_tuple(ev, item, value, depth)
    fields = {name: part for ref in item.refs for name, part in ref.storage.fields.items()}
    builds = {name: _inside(ev, part, depth + 1) for name, part in fields.items()}
    known = {name: build for name, build in builds.items() if build is not None}
    if len(item.refs) != 1 or len(known) != len(builds) or "*" in builds:
        return None
    if isinstance(value, DictOf) and all(ref.storage.has(k) for ref in item.refs for k in known):
        settled = containers.is_settled(ev, item)
        return lambda make, e: _keyed(make, e, known, settled)
    return (lambda make, e: _object(make, e, value.cls, known)) if isinstance(value, ObjectOf) else None


def _array(make: Make, e: Expr) -> Expr:
    return Call(Attr(e, "copy"))


def _array_or_number(make: Make, e: Expr) -> Expr:
    owner = make.bind(e)
    is_array = Call(make.outside("isinstance", isinstance), (owner, make.outside("ndarray", np.ndarray)))
    return Cond(is_array, _array(make, owner), owner)


def _keyed(make: Make, e: Expr, parts: dict[Any, Build], settled: bool) -> Expr:
    owner = e if isinstance(e, Name) else make.bind(e)
    if not settled:
        make.add(containers.no_more_keys(owner, list(parts), e.at))
    return Dict(tuple(map(Const, parts)), tuple(build(make, Item(owner, Const(k))) for k, build in parts.items()))


def _deep_list(ev: Evaluator, item: Abstract, depth: int) -> Build | None:
    value = ev.value(item)
    assert isinstance(value, ListOf)
    element = _inside(ev, ev.element(item), depth + 1) if value.item is not None else _same
    if element is None:
        return None

    def build(make: Make, e: Expr) -> Expr:
        items, target = make.bind(List(()), "items"), make.name("item")
        body: list[Any] = []
        with make.into(body):
            copied = element(make, Name(target))
        body.append(Effect(Call(Attr(items, "append"), (copied,))))
        make.add(For(target, e, tuple(body)))
        return items if value.cls is list else Call(make.outside("tuple", tuple), (items,))
    return build


def _deep_tuple(ev: Evaluator, item: Abstract, value: TupleOf, depth: int) -> Build | None:
    builds = [_inside(ev, part, depth + 1) for part in item.items or ()]
    known = [build for build in builds if build is not None]
    if len(known) != len(builds):
        return None

    def build(make: Make, e: Expr) -> Expr:
        owner = e if isinstance(e, Name) else make.bind(e)
        parts = tuple(b(make, Item(owner, Const(k))) for k, b in enumerate(known))
        return Tuple(parts) if value.cls is tuple else Call(make.outside(value.cls.__name__, value.cls), parts)
    return build


def as_dict(make: Make, e: Expr, value: Value, as_tuple: bool) -> Expr:
    """asdict(p) or astuple(p): what is inside is copied as well."""
    if isinstance(value, Array):
        return Call(Attr(e, "copy"))
    if not isinstance(value, ObjectOf):
        return e
    owner = e if isinstance(e, Name) else make.bind(e)
    parts = {name: as_dict(make, Attr(owner, name), part, as_tuple) for name, part in value.fields}
    if as_tuple:
        return Tuple(tuple(parts.values()))
    return Dict(tuple(map(Const, parts)), tuple(parts.values()))


