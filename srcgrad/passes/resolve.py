"""Settles what only the kinds of values can tell, so that later passes meet one spelling of each thing.

        if x is None: ...           the branch that is taken, where that is certain
        for v in x: ...             for k in range(len(x)): v = x[k]         where x is active
        s += v                      s = s + v                                where s is a number
        a *= v                      a[...] = a * v                           where a is an array
        v = a[o.k:]                 i = o.k; v = a[i:]                       where a is written in place
        what can't be differentiated        a Refuse in its place
"""
from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.expressions import basic_index
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract, Ref, Storage
from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import UNKNOWN, Array, ListOf, RangeOf, TupleOf, Value, number_of
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Bool,
    Call,
    Const,
    Expr,
    For,
    If,
    Item,
    Jump,
    List,
    Name,
    Refuse,
    Statement,
    Store,
    Tuple,
    Unary,
    blocks,
    with_blocks,
)
from srcgrad.lang.names import bound
from srcgrad.passes.unit import Unit
from srcgrad.passes.views import Views

LINEAR = ("+", "-")


def resolve(unit: Unit, facts: Facts) -> Unit:
    """The function with its spellings settled."""
    return unit.with_body(_Resolver(facts, unit).block(unit.code.body))


class _Resolver:
    def __init__(self, facts: Facts, unit: Unit) -> None:
        self.facts, self.unit, self.fresh = facts, unit, unit.fresh
        self.views = Views(unit.code, facts, self._made)

    def _made(self, hint: str) -> str:
        name = self.fresh.name(hint)
        self.unit.made.add(name)
        return name

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for stmt in block:
            if stmt not in self.facts.before:
                break
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        refusal = self.facts.refused.get(stmt)
        if refusal is not None:
            return [Refuse(refusal.what, refusal.remedy, at=refusal.at or stmt.at)]
        if isinstance(stmt, If) and stmt in self.facts.taken:
            return list(self.block(stmt.body if self.facts.taken[stmt] else stmt.orelse))
        if isinstance(stmt, Store):
            return self._store(stmt)
        if isinstance(stmt, Bind) and stmt.values == tuple(map(Name, stmt.names)):
            return []
        if isinstance(stmt, Bind):
            return self.views.settled(stmt, stmt)
        if blocks(stmt):
            stmt_blocks = tuple(self.block(b) for b in blocks(stmt))
            whole = with_blocks(stmt, stmt_blocks)
            return self._for(stmt, whole) if isinstance(stmt, For) and isinstance(whole, For) else [whole]
        return [stmt]

    def _store(self, stmt: Store) -> list[Statement]:
        if isinstance(stmt.place, Name):
            return self._augmented_name(stmt, stmt.place)
        active = self._differentiated(stmt, stmt.place)
        if stmt.op is not None and self._holds_array(stmt):
            return self._element(stmt, active)
        if stmt.op is not None and not active and self._unknown(stmt, stmt.place):
            return self._unknown_place(stmt)
        if stmt.op is None or not active:
            return [stmt]
        if stmt.op in LINEAR and self._in_place(stmt):
            return [stmt]
        return self._spelled_out(stmt, stmt.place, self._owner_kind(stmt))

    def _holds_array(self, stmt: Store) -> bool:
        """Whether `owner[k] op= v` writes into an array that a list, a dict or an object holds."""
        return isinstance(stmt.place, (Item, Attr)) \
            and not isinstance(self.facts.value(stmt, stmt.place.value), Array) \
            and isinstance(self.facts.value(stmt, stmt.place), Array)

    def _element(self, stmt: Store, active: bool) -> list[Statement]:
        """owner[k] op= v   ->   t = owner[k]; t[...] op= v"""
        name = self._made("t")
        whole = Item(Name(name), Const(...), at=stmt.place.at)
        first = Bind((name,), (stmt.place,), at=stmt.at)
        held = self.facts.value(stmt, stmt.place)
        if isinstance(held, Array) and held.dims is None:
            back = Store(stmt.place, None, Name(name), at=stmt.at)
            return [first, *self._either_way(stmt, Name(name, at=stmt.place.at), (back,))]
        if not active or stmt.op in LINEAR:
            return [first, replace(stmt, place=whole)]
        return [first, *self._spelled_out(stmt, whole, held)]

    def _unknown(self, stmt: Store, expr: Expr) -> bool:
        """Whether it comes from code that isn't followed, so that it may be an array."""
        return self.facts.value(stmt, expr) == UNKNOWN and bool(self.facts.kind(stmt, expr).refs)

    def _unknown_place(self, stmt: Store) -> list[Statement]:
        """owner[k] op= v, where the owner may be an array or hold one"""
        assert isinstance(stmt.place, (Item, Attr))
        name = self._made("t")
        element = [Bind((name,), (stmt.place,), at=stmt.at),
                   *self._either_way(stmt, Name(name), (Store(stmt.place, None, Name(name), at=stmt.at),))]
        if not self._unknown(stmt, stmt.place.value):
            return element
        return [If(self._is_array(stmt, stmt.place.value), (stmt,), tuple(element), at=stmt.at)]

    def _is_array(self, stmt: Statement, expr: Expr) -> Expr:
        return Call(self._outside("isinstance", isinstance), (expr, self._outside("ndarray", np.ndarray)), at=stmt.at)

    def _in_place(self, stmt: Store) -> bool:
        """Whether `place op= v` adds to cells of an array each once."""
        return isinstance(stmt.place, Item) and isinstance(self.facts.value(stmt, stmt.place.value), Array) \
            and basic_index(self.facts.value(stmt, stmt.place.index)) is True

    def _spelled_out(self, stmt: Store, place: Expr, kind: Value) -> list[Statement]:
        """place op= v   ->   t = place op v; place = t, where NumPy would do that, too"""
        name = self._made("t")
        first = Bind((name,), (_operation(stmt, place, stmt.value),), at=stmt.at)
        return [first, *self._unless_it_fits(stmt, place, kind, Name(name)), Store(place, None, Name(name), at=stmt.at)]

    def _unless_it_fits(self, stmt: Store, place: Expr, kind: Value, value: Name) -> list[Statement]:
        """An array of unknown type may be one of integers, which `op=` doesn't write others into."""
        if not isinstance(kind, Array) or kind.dtype is not None or not isinstance(place, Item):
            return []
        array = place.value
        numpy = self._outside("np", np)
        fits = Call(Attr(numpy, "can_cast"), (Call(Attr(numpy, "result_type"), (value,)), Attr(array, "dtype"),
                                              Const("same_kind")), at=stmt.at)
        error = Call(Name("TypeError"), (Const(f"`{stmt.op}=` doesn't write floats into an array of integers"),))
        # one cell takes what there is
        test = Bool("and", (self._is_array(stmt, value), Unary("not", fits))) if place.index != Const(...) else \
            Unary("not", fits)
        return [If(test, (Jump("raise", error, at=stmt.at),), at=stmt.at)]

    def _augmented_name(self, stmt: Store, name: Name) -> list[Statement]:
        kind = self.facts.value(stmt, name)
        whole = Item(name, Const(...), at=name.at)
        if number_of(kind) is not None or isinstance(kind, TupleOf):
            return [Bind((name.id,), (_operation(stmt, name, stmt.value),), at=stmt.at)]
        if isinstance(kind, Array) and kind.dims is None and self.facts.kind(stmt, name).varied \
                and not self._aliased(stmt, name):
            return [Bind((name.id,), (_operation(stmt, name, stmt.value),), at=stmt.at)]
        if isinstance(kind, Array) and kind.dims is None:
            return self._either_way(stmt, name)
        if kind == UNKNOWN and self.facts.kind(stmt, name).refs and not isinstance(stmt.value, (List, Tuple)):
            return self._either_way(stmt, name)
        if not isinstance(kind, Array):
            return [stmt]
        if not self._differentiated(stmt, name) or stmt.op in LINEAR:
            return [replace(stmt, place=whole)]
        return self._spelled_out(stmt, whole, kind)

    def _owner_kind(self, stmt: Store) -> Value:
        return self.facts.value(stmt, stmt.place.value if isinstance(stmt.place, (Item, Attr)) else stmt.place)

    def _differentiated(self, stmt: Store, place: Expr) -> bool:
        """Whether what is written has a derivative; an array of integers has none, and NumPy says what it takes."""
        of = [self.facts.value(stmt, e) for e in (place, *([place.value] if isinstance(place, (Item, Attr)) else []))]
        if any(isinstance(kind, Array) and kind.dtype is not None and kind.dtype.kind in "biu" for kind in of):
            return False
        return self.facts.kind(stmt, place).active or self.facts.kind(stmt, stmt.value).active

    def _either_way(self, stmt: Store, name: Name, back: tuple[Statement, ...] = ()) -> list[Statement]:
        """s op= v   ->   if isinstance(s, np.ndarray): s[...] op= v; else: s = s op v, and back"""
        before: list[Statement] = []
        value = stmt.value
        if not isinstance(value, (Name, Const)):
            held = self._made("t")
            before.append(Bind((held,), (value,), at=stmt.at))
            value = Name(held, at=value.at)
        whole = replace(stmt, place=Item(name, Const(...), at=name.at), value=value)
        plain = stmt.op in LINEAR or not self._differentiated(stmt, stmt.place)
        written = [whole] if plain else self._spelled_out(whole, whole.place, self.facts.value(stmt, stmt.place))
        rebound = Bind((name.id,), (_operation(stmt, name, value),), at=stmt.at)
        return [*before, If(self._is_array(stmt, name), tuple(written), (rebound, *back), at=stmt.at)]

    def _outside(self, name: str, obj: Any) -> Expr:
        """A name, or an attribute of the user's NumPy, that means this object."""
        numpy = self.unit.outer("np")
        if name == "ndarray" and numpy is not None and numpy.value() is np:
            return Attr(Name("np"), name)
        known = self.unit.outer(name)
        if known is not None and known.value() is obj:
            return Name(name)
        for other, outer in self.unit.scopes.items():
            if outer.value() is obj:
                return Name(other)
        new = self.fresh.name(name)
        self.unit.scopes[new] = Outer(new, {new: obj})
        return Name(new)

    def _aliased(self, stmt: Store, name: Name) -> bool:
        """Whether something else may ever mean the same array, so that it matters if `s += v` writes or rebinds."""
        own = {ref.storage for ref in self.facts.kind(stmt, name).refs}
        if any(storage.origin == "outer" or storage.written for storage in own):
            return True
        held = {ref.storage for storage in self.facts.heap.storages() for part in storage.fields.values()
                for ref in _all_refs(part)}
        if own & held:
            return True
        return any(self._names_of.get(storage, set()) - {name.id} for storage in own)

    @functools.cached_property
    def _names_of(self) -> dict[Storage, set[str]]:
        """The names that mean a storage, or a view of it, anywhere in the function."""
        out: dict[Storage, set[str]] = {}
        for env in (*self.facts.before.values(), *self.facts.after.values()):
            for name, item in env.items():
                for ref in _all_refs(item):
                    out.setdefault(ref.storage, set()).add(name)
        return out

    def _for(self, stmt: For, whole: For) -> list[Statement]:
        item, value = self.facts.kind(stmt, stmt.iter), self.facts.value(stmt, stmt.iter)
        if isinstance(value, RangeOf) and isinstance(stmt.iter, Call):
            return [whole]
        before: list[Statement] = []
        source = stmt.iter
        if not isinstance(source, Name) or source.id in bound((whole,)):
            name = self._made("items")
            before += self.views.settled(Bind((name,), (source,), at=stmt.at), stmt)
            source = Name(name, at=stmt.iter.at)
        needs_index = item.active or any(ref.storage.written for ref in item.refs)
        if not needs_index or not isinstance(value, (Array, ListOf, TupleOf)):
            return [*before, replace(whole, iter=source)]
        index = self.fresh.name("k")
        element = Bind((stmt.target,), (Item(source, Name(index), at=stmt.iter.at),), at=stmt.at)
        count = Call(Name("range"), (Call(Name("len"), (source,)),), at=stmt.iter.at)
        return [*before, For(index, count, (element, *whole.body), at=stmt.at)]


def _all_refs(item: Abstract) -> Iterator[Ref]:
    yield from item.refs
    for part in item.items or ():
        yield from _all_refs(part)


def _operation(stmt: Store, place: Expr, value: Expr) -> Bin:
    """place op value, of `place op= value`"""
    assert stmt.op is not None
    return Bin(stmt.op, place, value, at=stmt.at)
