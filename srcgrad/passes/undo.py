"""Undoes changes of lists, dicts and objects, for what the backward pass reads of them: what is saved for that, and
what puts it back."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from srcgrad.lang.core import Attr, Call, Const, Effect, Expr, Item, Name, Slice, Statement, Store
from srcgrad.lang.names import root_name
from srcgrad.passes.reverse.changes import Change, change_of, held_before, inserted_back, length, uninserted
from srcgrad.passes.reverse.context import Context
from srcgrad.runtime import containers

Block = list[Statement]


@dataclass
class Undone:
    """saved: what must be kept, as it is before the change (with a name for it), or None.  back: the statements that
    undo it, given that.  reads: the names of the program that these read."""
    back: Callable[[Expr], Block]
    saved: Expr | None = None
    hint: str = "t"
    reads: tuple[Expr, ...] = field(default_factory=tuple)


def undone(context: Context, stmt: Statement, first: bool = False) -> tuple[Change, Undone] | None:
    """How a change is undone; `first`: it sets a field that a new object doesn't have yet, which may stay."""
    change = change_of(context, stmt)
    if change is None:
        return None
    if first:
        return change, Undone(lambda saved: [])
    made = _UNDO[change.kind](context, stmt, change)
    made.hint = root_name(change.owner)
    return change, made


def _effect(call: Expr) -> Block:
    return [Effect(call)]


def _append(c: Context, stmt: Statement, change: Change) -> Undone:
    return Undone(lambda saved: _effect(Call(Attr(change.owner, "pop"))))


def _extend(c: Context, stmt: Statement, change: Change) -> Undone:
    assert change.value is not None
    n = length(c, change.value)
    call = Call(c.helper("cut", containers.cut), (change.owner, n))
    return Undone(lambda saved: _effect(call), reads=() if isinstance(n, Const) else (change.value,))


def _insert(c: Context, stmt: Statement, change: Change) -> Undone:
    key = change.key
    assert key is not None
    return Undone(lambda saved: _effect(uninserted(c, change.owner, key)), reads=(key,))


def _pop(c: Context, stmt: Statement, change: Change) -> Undone:
    key = change.key
    assert key is not None
    if change.name is not None:
        popped = Name(change.name)
        return Undone(lambda saved: _effect(inserted_back(c, change.owner, key, popped)), reads=(key, popped))
    return Undone(lambda saved: _effect(inserted_back(c, change.owner, key, saved)), Item(change.owner, key),
                  reads=(key,))


def _reverse(c: Context, stmt: Statement, change: Change) -> Undone:
    return Undone(lambda saved: _effect(Call(Attr(change.owner, "reverse"))))


def _permute(c: Context, stmt: Statement, change: Change) -> Undone:
    assert change.key is not None
    call = Call(c.helper("permute_back", containers.permute_back), (change.owner, change.key))
    return Undone(lambda saved: _effect(call), reads=(change.key,))


def _whole(c: Context, stmt: Statement, change: Change) -> Undone:
    whole = Item(change.owner, Slice())
    return Undone(lambda saved: [Store(whole, None, saved)], whole)


def _delete(c: Context, stmt: Statement, change: Change) -> Undone:
    key = change.key
    assert key is not None
    if isinstance(key, Slice):
        return _whole(c, stmt, change)
    return Undone(lambda saved: _effect(inserted_back(c, change.owner, key, saved)), Item(change.owner, key),
                  reads=(key,))


def _slot(c: Context, stmt: Statement, change: Change) -> Undone:
    """What was at an index, under a key or in a field."""
    assert change.key is not None
    place: Item | Attr = Item(change.owner, change.key)
    if change.kind in ("field", "unset"):
        assert isinstance(change.key, Const)
        place = Attr(change.owner, change.key.value)
    plain = isinstance(stmt, Store) or change.kind != "field"
    if plain and (change.kind in ("element", "remove", "unset") or _certain(c, stmt, change)):
        return Undone(lambda saved: [Store(place, None, saved)], place, reads=(change.key,))
    old, back = held_before(c, change)
    return Undone(lambda saved: [back(saved)], old, reads=(change.key,))


def _certain(c: Context, stmt: Statement, change: Change) -> bool:
    """Whether there certainly was something before."""
    item = c.kind(stmt, change.owner)
    assert change.key is not None
    return isinstance(change.key, Const) and bool(item.refs) and all(
        ref.storage.has(change.key.value) for ref in item.refs)


def _clear(c: Context, stmt: Statement, change: Change) -> Undone:
    return Undone(lambda saved: _effect(Call(Attr(change.owner, "update"), (saved,))),
                  Call(Attr(change.owner, "copy")))


_UNDO: dict[str, Callable[[Context, Statement, Change], Undone]] = {
    "append": _append, "extend": _extend, "insert": _insert, "pop": _pop, "reverse": _reverse, "permute": _permute,
    "slice": _whole, "delete": _delete, "element": _slot, "key": _slot, "field": _slot, "remove": _slot,
    "unset": _slot, "clear": _clear,
}
