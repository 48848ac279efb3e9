"""Assignments to items and fields of what the user's classes, lists and dicts are: what they mean, spelled out.

        v += w          ->      v = v.__iadd__(w)       of an object
        items += more   ->      items.extend(more)      of a list
        v[k] = w        ->      v.__setitem__(k, w)     of an object
        v.area = w      ->      the setter of a property is called
"""
from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import fields, operators
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make, Replace
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import Array, DictOf, ListOf, ObjectOf, OneOf, Value
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    If,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Store,
    Unpack,
)

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

IN_PLACE = {(ListOf, "+"): "extend", (DictOf, "|"): "update"}


def augmented(stmt: Store, old: Value) -> Replace | None:
    """What `place op= value` stands for where the old value is a list, a dict or an object; None for numbers and
    arrays."""
    if isinstance(old, ListOf) and old.cls is tuple:
        return lambda make: _anew(stmt)
    cls = operators.class_of(old)
    method = IN_PLACE.get((type(old), stmt.op or ""))
    if method is None and isinstance(old, ListOf) and stmt.op == "*":
        return lambda make: _times(stmt, make)
    if method is None and cls is not None:
        method = operators.augmented(cls, stmt.op or "")
        return None if method is None else lambda make: _by_method(stmt, method, make, rebinds=True)
    return None if method is None else lambda make: _by_method(stmt, method, make, rebinds=False)


def _by_method(stmt: Store, method: str, make: Make, rebinds: bool) -> list[Statement]:
    place = stmt.place if isinstance(stmt.place, Name) else make.bind(stmt.place)
    call = Call(Attr(place, method, at=stmt.place.at), (stmt.value,), at=stmt.at)
    if not rebinds:
        return [Effect(call, at=stmt.at)]
    if isinstance(stmt.place, Name):
        return [Bind((stmt.place.id,), (call,), at=stmt.at)]
    return [Store(stmt.place, None, call, at=stmt.at)]


def _anew(stmt: Store) -> list[Statement]:
    """t += more   ->   t = t + more, of a tuple"""
    value = Bin(stmt.op or "", stmt.place, stmt.value, at=stmt.at)
    if isinstance(stmt.place, Name):
        return [Bind((stmt.place.id,), (value,), at=stmt.at)]
    return [Store(stmt.place, None, value, at=stmt.at)]


def _times(stmt: Store, make: Make) -> list[Statement]:
    """items *= n   ->   items[:] = items * n"""
    place = stmt.place if isinstance(stmt.place, Name) else make.bind(stmt.place)
    return [Store(Item(place, Slice(), at=stmt.place.at), None, Bin("*", place, stmt.value, at=stmt.at), at=stmt.at)]


def of_object(ev: Evaluator, stmt: Store, cls: type | None) -> Replace | None:
    """What an assignment to an item or an attribute of an object stands for, where its class has code for that."""
    if cls is None:
        return None
    if isinstance(stmt.place, Item):
        if operators.method(cls, "__setitem__") is None:
            raise Refused(f"assigning to an item of a {cls.__name__} isn't supported", "use a list or a dict", stmt.at)
        return lambda make: _set(stmt, make, "__setitem__")
    if not isinstance(stmt.place, Attr):
        return None
    found = inspect.getattr_static(cls, stmt.place.name, None)
    if isinstance(found, property):
        if found.fset is None:
            raise Refused(f"the property `{stmt.place.name}` can't be assigned to", "set the field itself", stmt.at)
        fields.guard_class(ev, cls, stmt.place.name)
        return lambda make: _set(stmt, make, found)
    fields.refuse_descriptor(found, cls, stmt.place)
    if fields.method_of(cls, "__setattr__") is not None and not _is_frozen(cls):
        return lambda make: _set(stmt, make, "__setattr__")
    return None


def of_several(stmt: Store, kind: Value) -> Replace | None:
    """p.area = v, where p is of one of several classes of which some do something of their own for that:

        if type(p) is Square: p.area = v
        else: p.area = v
    """
    place = stmt.place
    if not isinstance(place, Attr) or not isinstance(kind, OneOf) \
            or not all(isinstance(m, ObjectOf) for m in kind.kinds):
        return None
    kinds = [m.cls for m in kind.kinds if isinstance(m, ObjectOf)]
    special = any(isinstance(inspect.getattr_static(cls, place.name, None), property)
                  or fields.method_of(cls, "__setattr__") is not None for cls in kinds)
    if not special or len(set(kinds)) < 2:
        return None

    def replace_(make: Make) -> list[Statement]:
        owner = make.bind(place.value)
        value = stmt.value if isinstance(stmt.value, (Name, Const)) else make.bind(stmt.value)

        def one() -> Statement:
            return Store(Attr(owner, place.name, at=place.at), stmt.op, value, at=stmt.at)
        *first, _ = kinds
        rest: Statement = one()
        for cls in reversed(first):
            known = Call(make.outside("type", type), (owner,), at=stmt.at)
            rest = If(Compare(known, ("is",), (make.outside(cls.__name__, cls),), at=stmt.at), (one(),), (rest,),
                      at=stmt.at)
        return [rest]
    return replace_


def check_takes_numbers(owner: Value, at: Any) -> None:
    """What is differentiated may go into an array of numbers."""
    if isinstance(owner, Array) and owner.dtype is not None and owner.dtype.kind in "OVSU":
        raise Refused(f"an array of dtype {owner.dtype} takes here what is differentiated, and has no derivative",
                      "use arrays of floating or complex numbers, or a list", at)


def _is_frozen(cls: type) -> bool:
    return getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)


def _set(stmt: Store, make: Make, how: str | property) -> list[Statement]:
    place = stmt.place
    assert isinstance(place, (Item, Attr))
    if stmt.op is not None:
        return [Store(place, None, Bin(stmt.op, place, stmt.value, at=stmt.at), at=stmt.at)]
    value: Expr = stmt.value if isinstance(stmt.value, (Name, Const)) else make.bind(stmt.value)
    key = operators.as_argument(place.index, make) if isinstance(place, Item) else Const(place.name)
    if isinstance(how, property):
        assert isinstance(place, Attr)
        call = Call(make.outside(f"set_{place.name}", how.fset), (place.value, value), at=stmt.at)
    else:
        call = Call(Attr(place.value, how, at=place.at), (key, value), at=stmt.at)
    return [Effect(call, at=stmt.at)]


# ---------------------------------------------------------------- unpacking

def starred(stmt: Unpack, star: int, item: Abstract, value: Value) -> Replace:
    """a, *b, c = v   ->   a = v[0]; b = v[1:len(v) - 1]; c = v[-1]"""
    if item.items is None and not isinstance(value, (ListOf, Array)):
        raise Refused("it isn't known what a starred name takes of this", "make it a list first", stmt.at)
    after = len(stmt.names) - 1 - star

    def replace(make: Make) -> list[Statement]:
        source = make.bind(stmt.value)
        n = None if item.items is None else len(item.items)
        places: list[Expr] = [Item(source, Const(k)) for k in range(star)]
        places.append(_middle(make, source, star, after, n, isinstance(value, Array)))
        places += [Item(source, Const(k - after if n is None else n - after + k)) for k in range(after)]
        return [Bind((name,), (place,), at=stmt.at) for name, place in zip(stmt.names, places)]
    return replace


def _middle(make: Make, source: Expr, star: int, after: int, n: int | None, array: bool) -> Expr:
    if n is not None:
        return List(tuple(Item(source, Const(k)) for k in range(star, n - after)))
    end = Bin("-", Call(make.outside("len", len), (source,)), Const(after)) if after else None
    part = Item(source, Slice(Const(star) if star else None, end))
    return Call(make.outside("list", list), (part,)) if array else part
