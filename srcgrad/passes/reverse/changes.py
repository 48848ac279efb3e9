"""Changes of lists, dicts and objects: what kind of change a statement is, and its reverse.

A container that something changes has its adjoint in the shadow, and each change moves that the other way round:

        items.append(v)         ->      v_bar += items_bar.pop()
        v = items.pop()         ->      items_bar.append(v_bar)
        p.x = v                 ->      v_bar += p_bar.pop("x", 0.0)
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.interpret.indexing import SliceOf
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import DictOf, Known, ListOf, Number, ObjectOf, Value
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Effect,
    Expr,
    Item,
    List,
    Name,
    Slice,
    Star,
    Statement,
    Store,
    Tuple,
    Unary,
)
from srcgrad.passes.reverse.adjoints import LAZY, State
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.contribute import Contributor, Out, as_value
from srcgrad.passes.reverse.steps import Step
from srcgrad.runtime import containers, structure

LIST_METHODS = {"append": 1, "extend": 1, "insert": 2, "reverse": 0, "__delitem__": 1}
Settle = Callable[[Statement, str, State, Out], None]


@dataclass(frozen=True)
class Change:
    """kind: append, extend, insert, reverse, permute, pop, delete, element, slice (of lists), key, remove, clear (of
    dicts), field, unset (of objects).  key: an index, key or name.  value: what is put in."""
    kind: str
    owner: Expr
    key: Expr | None = None
    value: Expr | None = None
    name: str | None = None


def change_of(context: Context, stmt: Statement) -> Change | None:
    """The change of a container that the statement makes, if it is one."""
    match stmt:
        case Effect(Call(Attr(owner, method), args, ()) as call):
            found = _by_method(context.owner_value(stmt, owner), owner, method, args)
            return found or _by_function(context, stmt, call)
        case Effect(Call() as call):
            return _by_function(context, stmt, call)
        case Bind((name,), (Call(Attr(owner, "pop"), args, ()),)) \
                if isinstance(context.owner_value(stmt, owner), ListOf):
            return Change("pop", owner, args[0] if args else Const(-1), name=name)
        case Store(Item(owner, index), _, value):
            return _of_item(context, stmt, owner, index, value)
        case Store(Attr(owner, name), _, value) if isinstance(context.owner_value(stmt, owner), ObjectOf):
            return Change("field", owner, Const(name), value)
    return None


def _by_method(value: Value, owner: Expr, method: str, args: tuple[Expr, ...]) -> Change | None:
    if isinstance(value, DictOf) and method in ("__delitem__", "clear"):
        return Change("remove" if args else "clear", owner, args[0] if args else None)
    if not isinstance(value, ListOf):
        return None
    if method == "pop":
        return Change("pop", owner, args[0] if args else Const(-1))
    if LIST_METHODS.get(method) != len(args):
        return None
    if method == "__delitem__":
        return Change("delete", owner, args[0])
    return Change(method, owner, args[0] if len(args) == 2 else None, args[-1] if args else None)


def _by_function(context: Context, stmt: Statement, call: Call) -> Change | None:
    known = context.kind(stmt, call.func).value
    match known, call.args:
        case Known(obj), (owner, order) if obj is containers.permute:
            return Change("permute", owner, order)
        case Known(obj), (owner, name, value) if obj is object.__setattr__:
            return Change("field", owner, name, value)
        case Known(obj), (owner, name) if obj is delattr:
            return Change("unset", owner, name)
    return None


def _of_item(context: Context, stmt: Statement, owner: Expr, index: Expr, value: Expr) -> Change | None:
    kind = context.owner_value(stmt, owner)
    if isinstance(kind, ListOf):
        sliced = isinstance(context.value(stmt, index), SliceOf) or isinstance(index, Slice)
        return Change("slice" if sliced else "element", owner, index, value)
    return Change("key", owner, index, value) if isinstance(kind, DictOf) else None


class Changes:
    """Reverses changes."""

    def __init__(self, context: Context, contributor: Contributor, settle: Settle) -> None:
        self.c, self.contributor, self.settle = context, contributor, settle

    def _is_active(self, stmt: Statement, change: Change) -> bool:
        """Whether what is changed may have an adjoint; of an object, just the field."""
        if change.kind != "field" or not isinstance(change.key, Const):
            return self.c.active(stmt, change.owner)
        item = self.c.kind(stmt, change.owner)
        fields = [ref.storage.fields for ref in item.refs]
        known = all(change.key.value in held for held in fields)
        parts = [part for held in fields for key, part in held.items() if key in (change.key.value, "*")]
        return any(part.active for part in parts) if known and fields else self.c.active(stmt, change.owner)

    def reverse(self, stmt: Statement, change: Change, state: State) -> Step:
        out: Out = []
        first: Out = []
        if self._is_active(stmt, change) or change.value is not None and self.c.active(stmt, change.value):
            if change.kind == "slice":
                # an assignment is undone before its adjoint, which needs the list's as long as it is after it
                self._bars(stmt, change, state, first)
            out.extend(first)
            getattr(self, "_" + change.kind)(stmt, change, state, out)
        elif change.name is not None:
            state.drop(self.c.bar(change.name))
        return Step(stmt, out[len(first):], first=first)

    def _bars(self, stmt: Statement, change: Change, state: State, out: Out) -> Expr:
        return self.contributor.shadow(stmt, change.owner, state, out)

    # ------------------------------------------------------------ what goes in

    def _append(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        self._taken(stmt, change, Call(Attr(self._bars(stmt, change, state, out), "pop")), state, out)

    def _insert(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.key is not None
        bars = self._bars(stmt, change, state, out)
        self._taken(stmt, change, uninserted(self.c, bars, change.key), state, out)

    def _key(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.value is not None and change.key is not None
        number = isinstance(self.c.value(stmt, change.value), Number)
        taken = Call(Attr(self._bars(stmt, change, state, out), "pop"),
                     (change.key, Const(0.0) if number else Const(None)))
        self._taken(stmt, change, taken, state, out, sure=number)

    _field = _key

    def _element(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.value is not None and change.key is not None
        bars = self._bars(stmt, change, state, out)
        slot = Item(bars, change.key)
        zero = Call(self.c.helper("zeros_like", structure.zeros_like), (Item(change.owner, change.key),))
        cleared = Store(slot, None, zero)
        if not self._is_value(stmt, change.value):
            out.append(cleared)
            return
        name = self.c.temporary("g")
        out.extend((Bind((name,), (slot,)), cleared))
        self._give(stmt, change.value, Name(name), state, out)

    def _taken(self, stmt: Statement, change: Change, taken: Expr, state: State, out: Out, sure: bool = False) -> None:
        """The adjoint that is taken out goes to the value, unless that has it elsewhere."""
        assert change.value is not None
        if not self._is_value(stmt, change.value):
            out.append(Effect(taken))
            return
        name = self.c.temporary("g")
        out.append(Bind((name,), (taken,)))
        if sure:
            self.contributor.add(stmt, change.value, Name(name), state, out)
        else:
            self._give(stmt, change.value, Name(name), state, out)

    def _is_value(self, stmt: Statement, value: Expr) -> bool:
        """Whether the adjoint of what goes into a container lies, or may lie, in the container's adjoint."""
        item = self.c.kind(stmt, value)
        return self.c.active(stmt, value) and (not self.c.in_place(item) or self.c.either(item))

    def _give(self, stmt: Statement, value: Expr, g: Expr, state: State, out: Out) -> None:
        if not (isinstance(value, Name) and self.c.either(self.c.kind(stmt, value))):
            # a slot that nobody contributed to may hold None
            g = Call(self.c.helper("or_zeros", structure.or_zeros), (g, value))
        self.contributor.add(stmt, value, g, state, out)

    # ------------------------------------------------------------ several at once

    def _extend(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.value is not None
        bars = self._bars(stmt, change, state, out)
        taken = Call(self.c.helper("cut", containers.cut), (bars, length(self.c, change.value)))
        self._give_all(stmt, change.value, taken, state, out)

    def _slice(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.value is not None and change.key is not None
        bars = self._bars(stmt, change, state, out)
        taken = Call(self.c.helper("reopen", containers.reopen), (
            bars, as_value(change.key), Name(self.c.unit.lengths[stmt]), length(self.c, change.value)))
        self._give_all(stmt, change.value, taken, state, out)

    def _give_all(self, stmt: Statement, value: Expr, taken: Expr, state: State, out: Out) -> None:
        """The adjoints of the elements of a list go to the elements."""
        if not self.c.active(stmt, value):
            out.append(Effect(taken))
            return
        name = self.c.temporary("g")
        out.append(Bind((name,), (taken,)))
        parts: list[Expr] | None = None
        if isinstance(value, (List, Tuple)) and not any(isinstance(e, Star) for e in value.items):
            parts = list(value.items)
        elif (items := self.c.kind(stmt, value).items) is not None:
            parts = [self.c.annotate(stmt, Item(value, self._index(stmt, k)), item) for k, item in enumerate(items)]
        if parts is None:
            self.contributor.add_elements(stmt, value, Name(name), state, out)
            return
        for k, part in enumerate(parts):
            if self._is_value(stmt, part):
                self._give(stmt, part, Item(Name(name), Const(k)), state, out)

    def _index(self, stmt: Statement, k: int) -> Expr:
        return self.c.annotate(stmt, Const(k), Abstract(Number("int")))

    # ------------------------------------------------------------ what comes out

    def _pop(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.key is not None
        g: Expr = Const(None)
        if change.name is not None:
            g = self._popped(stmt, change.name, state, out)
        out.append(Effect(inserted_back(self.c, self._bars(stmt, change, state, out), change.key, g)))

    def _popped(self, stmt: Statement, name: str, state: State, out: Out) -> Expr:
        item, bar = self.c.facts.name_after(stmt, name), self.c.bar(name)
        number = is_number(self.c.facts.value_of(item))
        if self.c.in_place(item) and not self.c.either(item):
            if self.c.static(item) is None:
                state.drop(bar)
            return Const(None)
        if not state.has(bar):
            return Const(0.0) if number else Const(None)
        if state.have[bar] == LAZY:
            self.settle(stmt, name, state, out)
        state.drop(bar)
        return Name(bar)

    def _delete(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.key is not None
        bars = self._bars(stmt, change, state, out)
        if isinstance(change.key, Slice):
            out.append(Effect(Call(self.c.helper("reopen", containers.reopen), (
                bars, as_value(change.key), Name(self.c.unit.lengths[stmt])))))
        else:
            out.append(Effect(inserted_back(self.c, bars, change.key, Const(None))))

    # ------------------------------------------------------------ what moves, or goes for good

    def _reverse(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        out.append(Effect(Call(Attr(self._bars(stmt, change, state, out), "reverse"))))

    def _permute(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        assert change.key is not None
        bars = self._bars(stmt, change, state, out)
        out.append(Effect(Call(self.c.helper("permute_back", containers.permute_back), (bars, change.key))))

    def _remove(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        """What is taken out of a dict has the adjoint zero, which nobody need say; what a `defaultdict` is asked for
        afterwards it makes itself."""
        if any(ref.storage.cls is defaultdict for ref in self.c.kind(stmt, change.owner).refs):
            self._unset(stmt, change, state, out)

    _clear = _remove

    def _unset(self, stmt: Statement, change: Change, state: State, out: Out) -> None:
        """What was read later under the name was the class's."""
        bars = self._bars(stmt, change, state, out)
        out.append(Effect(Call(Attr(bars, "clear")) if change.key is None else
                          Call(Attr(bars, "pop"), (change.key, Const(None)))))


def length(context: Context, value: Expr) -> Expr:
    """How many elements a list, or a display, has."""
    if isinstance(value, (List, Tuple)) and not any(isinstance(e, Star) for e in value.items):
        return Const(len(value.items))
    return Call(context.helper("len", len), (value,))


def uninserted(context: Context, items: Expr, key: Expr) -> Expr:
    """The call that undoes items.insert(key, ...)."""
    if key == Const(0):
        return Call(Attr(items, "pop"), (key,))
    return Call(context.helper("uninsert", containers.uninsert), (items, key))


def inserted_back(context: Context, items: Expr, key: Expr, value: Expr) -> Expr:
    """The call that undoes items.pop(key)."""
    if key in (Const(-1), _MINUS_ONE):
        return Call(Attr(items, "append"), (value,))
    if key == Const(0):
        return Call(Attr(items, "insert"), (key, value))
    return Call(context.helper("insert_back", containers.insert_back), (items, key, value))


def held_before(context: Context, change: Change) -> tuple[Expr, Any]:
    """An expression for what a dict or an object has before an assignment, and what puts it back."""
    assert change.key is not None
    old = Call(context.helper("held", containers.held), (change.owner, change.key))
    back = containers.put_back if change.kind == "key" else containers.put_field_back
    return old, lambda value: Effect(Call(context.helper(back.__name__, back), (change.owner, change.key, value)))


_MINUS_ONE = Unary("-", Const(1))
__all__ = ["Change", "Changes", "change_of", "length", "uninserted", "inserted_back", "held_before"]
