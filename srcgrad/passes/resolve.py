"""Settles what only the kinds of values can tell, so that later passes meet one spelling of each thing.

        if x is None: ...           the branch that is taken, where that is certain
        for v in x: ...             for k in range(len(x)): v = x[k]         where x is active
        s += v                      s = s + v                                where s is a number
        a *= v                      a[...] = a * v                           where a is an array
        what can't be differentiated        a Refuse in its place
"""
from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Array, ListOf, RangeOf, TupleOf, number_of
from srcgrad.lang.core import (
    Bin, Bind, Call, Const, Expr, For, If, Item, Name, Refuse, Statement, Store, blocks, names_read, with_blocks,
)
from srcgrad.lang.names import Fresh
from srcgrad.passes.unit import Unit

LINEAR = ("+", "-")


def resolve(unit: Unit, facts: Facts) -> Unit:
    """The function with its spellings settled."""
    return unit.with_body(_Resolver(facts, unit.fresh).block(unit.code.body))


class _Resolver:
    def __init__(self, facts: Facts, fresh: Fresh) -> None:
        self.facts, self.fresh = facts, fresh

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
        if stmt in self.facts.taken:
            return list(self.block(stmt.body if self.facts.taken[stmt] else stmt.orelse))
        if isinstance(stmt, Store):
            return self._store(stmt)
        if blocks(stmt):
            stmt_blocks = tuple(self.block(b) for b in blocks(stmt))
            whole = with_blocks(stmt, stmt_blocks)
            return self._for(stmt, whole) if isinstance(stmt, For) else [whole]
        return [stmt]

    def _store(self, stmt: Store) -> list[Statement]:
        if isinstance(stmt.place, Name):
            return self._augmented_name(stmt, stmt.place)
        active = self.facts.kind(stmt, stmt.place).active or self.facts.kind(stmt, stmt.value).active
        if stmt.op is None or not active:
            return [stmt]
        if stmt.op in LINEAR and self._in_place(stmt):
            return [stmt]
        return self._spelled_out(stmt, stmt.place)

    def _in_place(self, stmt: Store) -> bool:
        """Whether `place op= v` adds to cells of an array each once."""
        from srcgrad.analysis.interpret.expressions import basic_index
        owner = self.facts.value(stmt, stmt.place.value)
        return isinstance(owner, Array) and basic_index(self.facts.value(stmt, stmt.place.index)) is True

    def _spelled_out(self, stmt: Store, place: Expr) -> list[Statement]:
        """place op= v   ->   t = place op v; place = t"""
        name = self.fresh.name("t")
        return [Bind((name,), (Bin(stmt.op, place, stmt.value, at=stmt.at),), at=stmt.at),
                Store(place, None, Name(name), at=stmt.at)]

    def _augmented_name(self, stmt: Store, name: Name) -> list[Statement]:
        kind = self.facts.value(stmt, name)
        whole = Item(name, Const(...), at=name.at)
        if number_of(kind) is not None or isinstance(kind, TupleOf):
            return [Bind((name.id,), (Bin(stmt.op, name, stmt.value, at=stmt.at),), at=stmt.at)]
        if isinstance(kind, Array) and kind.dims is None and not self._aliased(stmt, name):
            return [Bind((name.id,), (Bin(stmt.op, name, stmt.value, at=stmt.at),), at=stmt.at)]
        if not isinstance(kind, Array) or kind.dims is None:
            return [stmt]
        active = self.facts.kind(stmt, name).active or self.facts.kind(stmt, stmt.value).active
        if not active or stmt.op in LINEAR:
            return [replace(stmt, place=whole)] if active else [stmt]
        return self._spelled_out(stmt, whole)

    def _aliased(self, stmt: Store, name: Name) -> bool:
        """Whether another name may mean the same array, so that it matters if `s += v` writes or rebinds."""
        env = self.facts.before[stmt]
        own = {ref.storage for ref in self.facts.kind(stmt, name).refs}
        return any(other != name.id and own & {ref.storage for ref in item.refs} for other, item in env.items())

    def _for(self, stmt: For, whole: For) -> list[Statement]:
        item, value = self.facts.kind(stmt, stmt.iter), self.facts.value(stmt, stmt.iter)
        if isinstance(value, RangeOf) and isinstance(stmt.iter, Call):
            return [whole]
        before: list[Statement] = []
        source = stmt.iter
        if not isinstance(source, Name) or source.id in _bound(whole):
            name = self.fresh.name("items")
            known = isinstance(value, (Array, ListOf, TupleOf, RangeOf))
            before.append(Bind((name,), (source if known else Call(Name("list"), (source,)),), at=stmt.at))
            source = Name(name, at=stmt.iter.at)
        needs_index = item.active or any(ref.storage.written for ref in item.refs)
        if not needs_index or not isinstance(value, (Array, ListOf, TupleOf)):
            return [*before, replace(whole, iter=source)]
        index = self.fresh.name("k")
        element = Bind((stmt.target,), (Item(source, Name(index), at=stmt.iter.at),), at=stmt.at)
        count = Call(Name("range"), (Call(Name("len"), (source,)),), at=stmt.iter.at)
        return [*before, For(index, count, (element, *whole.body), at=stmt.at)]


def _bound(stmt: For) -> frozenset[str]:
    from srcgrad.lang.names import bound
    return bound(stmt.body) | names_read(Const(None))


__all__ = ["resolve", "If"]
