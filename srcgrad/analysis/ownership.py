"""Arrays that always have just one name: buffers that a loop swaps or rotates.

        for _ in range(steps):
            new = np.zeros_like(u)
            new[1:-1] = ...
            old, u = u, new

References to `old`, `u` and `new` can't be told apart by where their arrays were made.  But every array among them is
known by one name at a time, and an assignment of one name to another moves it.  Such a name *owns* its array: here its
references are rewritten to a storage that belongs to the name, so that its adjoint is a variable, `u_bar`, which moves
when the array does.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract, Path, Ref, Storage
from srcgrad.analysis.values import Array, Known
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Expr,
    Item,
    Name,
    Statement,
    Store,
    Try,
    With,
    blocks,
    expressions,
    statements,
    walk,
)
from srcgrad.lang.names import bound_by, captured
from srcgrad.rules.nondifferentiable import is_pure
from srcgrad.rules.registry import has_rule
from srcgrad.rules.spellings import METHODS


@dataclass(eq=False, repr=False)
class OwnStorage(Storage):
    """The array that a name means at a time; `births`: the statements that give it a new one."""
    births: frozenset[Statement] = field(default_factory=frozenset)

    def born_at(self, stmt: object) -> bool:
        return stmt in self.births


def own_by_name(code: Code, facts: Facts) -> dict[str, OwnStorage]:
    """Name -> its storage, for names that own their arrays; the facts then refer to these storages."""
    out: dict[str, OwnStorage] = {}
    for group in _candidates(facts):
        names = _Group(code, facts, group).owners()
        storages = {name: _own(name, births, group, facts) for name, births in names.items()}
        out.update(storages)
    if out:
        _rewrite(facts, out)
    return out


def _candidates(facts: Facts) -> list[Storage]:
    """Written groups of local arrays of which some reference isn't exact."""
    groups: dict[Storage, list[Storage]] = {}
    for storage in facts.heap.storages():
        groups.setdefault(storage.group, []).append(storage)
    held = {ref.storage.group for s in facts.heap.storages() for ref in _refs_in(s.fields.values())}
    held |= {ref.storage.group for ref in _refs_in([facts.result])}
    return [group for group, members in groups.items() if facts.written(group) and group not in held
            and any(s.loose or s.many for s in members)
            and all(s.kind == "array" and s.origin == "fresh" for s in members)]


def _refs_in(items: Any) -> Iterator[Ref]:
    for item in items:
        yield from item.refs
        yield from _refs_in(item.items or ())


def _own(name: str, births: frozenset[Statement], group: Storage, facts: Facts) -> OwnStorage:
    members = [s for s in facts.heap.storages() if s.group is group]
    storage = OwnStorage(("own", name), "array", "fresh", name, written=True, active=any(s.active for s in members),
                         births=births)
    facts.note_written(storage)
    return storage


class _Group:
    """One group of arrays that references may confuse."""

    def __init__(self, code: Code, facts: Facts, group: Storage) -> None:
        self.code, self.facts, self.group = code, facts, group
        self.names = {name for env in self._envs() for name, item in env.items() if self._concerns(item)}

    def _envs(self) -> Iterator[dict[str, Abstract]]:
        yield self.facts.entry
        yield from self.facts.before.values()
        yield from self.facts.after.values()

    def _concerns(self, item: Abstract) -> bool:
        return any(ref.storage.group is self.group for ref in _refs_in([item]))

    def owners(self) -> dict[str, frozenset[Statement]]:
        """Each name with the statements that give it a new array; nothing if some array may have two names."""
        if not all(self._is_whole(env[name]) for env in self._envs() for name in self.names & env.keys()):
            return {}
        if self.names & captured(self.code.body) or not self._expressions_are_plain():
            return {}
        births: dict[str, set[Statement]] = {name: set() for name in self.names}
        for stmt, guarded in _with_guards(self.code.body, False):
            bound = self.names.intersection(_bound_by(stmt))
            if not bound or stmt not in self.facts.after:
                continue
            if guarded or not isinstance(stmt, Bind) or not self._binds(stmt, births):
                return {}
        return {name: frozenset(found) for name, found in births.items()}

    def _is_whole(self, item: Abstract) -> bool:
        value = self.facts.value_of(item)
        return isinstance(value, Array) and bool(value.dims) and item.items is None and bool(item.refs) \
            and all(ref.storage.group is self.group and ref.path == () for ref in item.refs)

    def _binds(self, stmt: Bind, births: dict[str, set[Statement]]) -> bool:
        """Whether the statement moves arrays between names that own them, or gives one name a new array."""
        if all(isinstance(value, Name) and value.id in self.names for value in stmt.values):
            sources = [value.id for value in stmt.values if isinstance(value, Name)]
            left = self.facts.live.after[stmt] - set(stmt.names)
            return set(stmt.names) <= self.names and len(set(sources)) == len(sources) and left.isdisjoint(sources)
        (name, *more), (value, *_) = stmt.names, stmt.values
        if more or name not in self.names:
            return False
        item = self.facts.name_after(stmt, name)
        births[name].add(stmt)
        return not isinstance(value, Name) and all(ref.storage.born_at(stmt) for ref in item.refs)

    def _expressions_are_plain(self) -> bool:
        """Whether all other expressions only read or write parts, or are given to functions that keep nothing."""
        return all(self._is_plain(stmt, e) for stmt in statements(self.code.body) for top in expressions(stmt)
                   for e in walk(top))

    def _is_plain(self, stmt: Statement, expr: Expr) -> bool:
        if (stmt, id(expr)) not in self.facts.kinds:
            return True
        if isinstance(expr, Call) and not self._keeps_nothing(stmt, expr):
            return False
        item = self.facts.kind(stmt, expr)
        if not self._concerns(item):
            return True
        root, paths = _root(expr), {ref.path for ref in item.refs}
        if root in self.names:
            return len(paths) == 1 and paths != {None} and all(r.storage.group is self.group for r in item.refs)
        return all(ref.storage.born_at(stmt) and ref.path == () for ref in item.refs)

    def _keeps_nothing(self, stmt: Statement, call: Call) -> bool:
        given = [*call.args, *(v for _, v in call.kwargs)]
        owner = [call.func.value] if isinstance(call.func, Attr) else []
        if not any(self._concerns(self.facts.kind(stmt, e)) for e in (*given, *owner)):
            return True
        if (stmt, id(call)) in self.facts.callees:
            return False
        known = self.facts.kind(stmt, call.func).value
        if isinstance(known, Known):
            return has_rule(known.obj) or is_pure(known.obj)
        return isinstance(call.func, Attr) and call.func.name in (*METHODS, "fill") \
            and not any(self._concerns(self.facts.kind(stmt, e)) for e in given if call.func.name == "fill")


def _bound_by(stmt: Statement) -> tuple[str, ...]:
    """As `bound_by`; adding to an array in place gives its name no other one."""
    return () if isinstance(stmt, Store) else bound_by(stmt)


def _with_guards(block: tuple[Statement, ...], guarded: bool) -> Iterator[tuple[Statement, bool]]:
    """All statements, and whether an exception may be caught around them."""
    for stmt in block:
        yield stmt, guarded
        for inner in blocks(stmt):
            yield from _with_guards(inner, guarded or isinstance(stmt, (Try, With)))


def _root(expr: Expr) -> str | None:
    while isinstance(expr, (Item, Attr)):
        expr = expr.value
    return expr.id if isinstance(expr, Name) else None


# ---------------------------------------------------------------- the facts in terms of names

def _rewrite(facts: Facts, owners: dict[str, OwnStorage]) -> None:
    for states in (facts.before, facts.after):
        for stmt, env in states.items():
            states[stmt] = {name: _owned(item, owners[name], ()) if name in owners else item
                            for name, item in env.items()}
    exprs = {(stmt, id(e)): e for stmt in facts.before for top in expressions(stmt) for e in walk(top)}
    for key, expr in exprs.items():
        item, root = facts.kinds.get(key), _root(expr)
        if item is None or not item.refs:
            continue
        if root in owners:
            (path,) = {ref.path for ref in item.refs}
            facts.kinds[key] = _owned(item, owners[root], path)
        else:
            facts.kinds[key] = _born(key[0], expr, item, owners)


def _owned(item: Abstract, storage: OwnStorage, path: Path) -> Abstract:
    return replace(item, refs=frozenset((Ref(storage, path),)))


def _born(stmt: Statement, expr: Expr, item: Abstract, owners: dict[str, OwnStorage]) -> Abstract:
    """The value of a statement that gives a name a new array."""
    if isinstance(stmt, Bind) and len(stmt.names) == 1 and stmt.values[0] is expr and stmt.names[0] in owners:
        return _owned(item, owners[stmt.names[0]], ())
    return item


def moves(stmt: Statement, owned: dict[str, OwnStorage]) -> list[tuple[str, str]]:
    """The pairs (target, source) of a statement that moves arrays from name to name."""
    if not isinstance(stmt, Bind) or not set(stmt.names) & owned.keys():
        return []
    return [(name, value.id) for name, value in zip(stmt.names, stmt.values)
            if isinstance(value, Name) and name in owned]

