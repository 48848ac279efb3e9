"""Gives names to what views of arrays depend on, where that may change while the view lives.

        v = y[o.k:]             i = o.k
        o.k += 1        ->      v = y[i:]               the adjoint of v is y_bar[i:], whatever o.k is by then
                                o.k += 1
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Array, Known, ShapeOf, TupleOf
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Const,
    Effect,
    Expr,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Store,
    Tuple,
    rebuild,
    replace,
    statements,
    walk,
)


class Views:
    """Works on one function; `made` gives names."""

    def __init__(self, code: Code, facts: Facts, made: Callable[[str], str]) -> None:
        self.code, self.facts, self.made = code, facts, made

    def settled(self, bind: Bind, stmt: Statement) -> list[Statement]:
        """The binding, of what stands in the statement, after those of what its views depend on; all that is called
        is so in its order."""
        work = _Settler(self, stmt)
        if not any(map(work.moves, bind.values)):
            return [bind]
        values = tuple(map(work.value, bind.values))
        return [*work.before, replace(bind, values=values)]

    @cached_property
    def fields(self) -> frozenset[str] | None:
        """The fields that objects get new values in; None: it may be any."""
        if self.facts.callees:
            return None
        out = {s.place.name for s in statements(self.code.body) if isinstance(s, Store) and isinstance(s.place, Attr)}
        effects = [s.value for s in statements(self.code.body) if isinstance(s, Effect)]
        return frozenset(out | {e.value for call in effects for e in walk(call)
                                if isinstance(e, Const) and isinstance(e.value, str)})


class _Settler:
    def __init__(self, views: Views, stmt: Statement) -> None:
        self.views, self.facts, self.stmt, self.made = views, views.facts, stmt, views.made
        self.before: list[Statement] = []

    def moves(self, value: Expr) -> bool:
        """Whether the value is, or holds, a view whose place depends on what may change."""
        if isinstance(value, (Tuple, List)):
            return any(map(self.moves, value.items))
        return isinstance(value, Item) and self._is_written(value) \
            and (self._depends(value.index) or self.moves(value.value))

    def _is_written(self, view: Expr) -> bool:
        """Whether it is a part of an array that is written in place, or may be."""
        item = self.facts.kind(self.stmt, view)
        return isinstance(self.facts.value_of(item), Array) and any(self.facts.written(r.storage) for r in item.refs)

    def _depends(self, index: Expr) -> bool:
        """Whether an index reads what a list, a dict, an object or a written array holds."""
        return any(self._may_change(e) for e in walk(index) if isinstance(e, (Item, Attr)))

    def _may_change(self, part: Item | Attr) -> bool:
        item = self.facts.kind(self.stmt, part.value)
        value = self.facts.value_of(item)
        if isinstance(value, (Known, TupleOf, ShapeOf)) or isinstance(part, Attr) and isinstance(value, Array):
            return False
        if isinstance(part, Attr) and self.views.fields is not None and part.name not in self.views.fields:
            return False
        return any(ref.storage.kind != "array" or self.facts.written(ref.storage) for ref in item.refs)

    def value(self, value: Expr) -> Expr:
        if isinstance(value, (Tuple, List)):
            return rebuild(value, tuple(map(self.value, value.items)))
        if isinstance(value, Item) and self.moves(value):
            return Item(self.value(value.value), self._index(value.index), at=value.at)
        return self._named("t", value) if any(isinstance(e, Call) for e in walk(value)) else value

    def _index(self, index: Expr) -> Expr:
        if isinstance(index, (Tuple, Slice)):
            parts = (index.items if isinstance(index, Tuple)
                     else tuple(e for e in (index.lower, index.upper, index.step) if e is not None))
            return rebuild(index, tuple(map(self._index, parts)))
        return self._named("i", index) if self._depends(index) else index

    def _named(self, hint: str, value: Expr) -> Name:
        name = self.made(hint)
        self.before.append(Bind((name,), (value,), at=self.stmt.at))
        return Name(name, at=value.at)
