"""The reverse of writing in place: take, clear, (put back,) add.

`passes.place` puts the old content back before these statements, if the backward pass reads it.
"""
from __future__ import annotations

import numpy as np

from srcgrad.analysis.interpret import operations
from srcgrad.analysis.interpret.expressions import Refused, basic_index
from srcgrad.analysis.reality import reality
from srcgrad.analysis.values import Array, Known, ListOf, TupleOf, Value
from srcgrad.lang.core import Attr, Bind, Call, Const, Effect, Expr, Item, Name, Statement, Store, Unary
from srcgrad.passes.reverse.adjoints import OWN, State
from srcgrad.passes.reverse.conjugates import Conjugates
from srcgrad.passes.reverse.context import Context, is_number, same_shape
from srcgrad.passes.reverse.contribute import Contributor, Out, as_value
from srcgrad.passes.reverse.steps import Step
from srcgrad.runtime import structure
from srcgrad.runtime.arrays import cast_adjoint, unbroadcast
from srcgrad.runtime.writes import last_written


def added_at(context: Context, stmt: Statement) -> tuple[Expr, Expr, Expr] | None:
    """a, index and v, if the statement is np.add.at(a, index, v)."""
    match stmt:
        case Effect(Call(func, (array, index, value), ())):
            known = context.kind(stmt, func).value
            if isinstance(known, Known) and isinstance(known.obj, type(np.add.at)) and known.obj == np.add.at:
                return array, index, value
    return None


class Stores:
    def __init__(self, context: Context, contributor: Contributor) -> None:
        self.c, self.contributor, self.conjugates = context, contributor, Conjugates(context)

    def store(self, stmt: Store, state: State) -> Step:
        out: Out = []
        owner = stmt.place.value if isinstance(stmt.place, (Item, Attr)) else stmt.place
        value = self.c.value(stmt, owner)
        if isinstance(stmt.place, Name) and not isinstance(value, Array) \
                and self.c.facts.name_after(stmt, stmt.place.id).active:
            raise Refused("it isn't known whether this changes an array or gives the name a new value",
                          "write `x = x + ...`", stmt.at)
        if not self.c.active(stmt, owner):
            return Step(stmt)
        if isinstance(value, Array) and isinstance(stmt.place, Item):
            self._array(stmt, stmt.place, state, out)
        elif isinstance(value, ListOf) and isinstance(stmt.place, Item) and stmt.op is None:
            self._element(stmt, stmt.place, state, out)
        else:
            raise Refused("writing to this isn't supported yet where the values are differentiated",
                          "use a local array, or a list", stmt.at)
        return Step(stmt, out)

    # ------------------------------------------------------------ arrays

    def _array(self, stmt: Store, place: Item, state: State, out: Out) -> None:
        target = self._target(stmt, place, state, out)
        if target is None:
            return
        active = self.c.active(stmt, stmt.value)
        if stmt.op is None:
            if active:
                g = self._take(stmt, place, target, out)
            out.append(Store(target, None, Const(0.0)))
        elif active:
            g = self._take(stmt, place, target, out)
        if active:
            self._give(stmt, place, g, state, out)

    def _target(self, stmt: Store, place: Item, state: State, out: Out) -> Item | None:
        """The part of the adjoint buffer that mirrors the place; None where the buffer is zero."""
        ref = self.c.static(self.c.kind(stmt, place.value))
        if ref is None:
            return Item(self.contributor.shadow(stmt, place.value, state, out), place.index)
        bar = self.c.buffer_name(ref.storage)
        if not state.has(bar):
            return None
        if state.have[bar] != OWN:
            self.contributor.ensure_buffer(stmt, bar, self.c.holders[ref.storage], state, out)
        return Item(self.c.path(Name(bar), ref), place.index)

    def _take(self, stmt: Store, place: Item, target: Item, out: Out) -> Name:
        """The adjoint of what was written, as a value of its own."""
        name = self.c.temporary("g")
        index = self.c.value(stmt, place.index)
        basic = basic_index(index)
        owner = self.c.value(stmt, place.value)
        if self._is_item(stmt, place):
            taken: Expr = target
        elif basic is True:
            taken = Call(Attr(target, "copy"))
        else:
            taken = Call(self.c.helper("last_written", last_written), (target.value, as_value(target.index)))
        if isinstance(owner, Array) and owner.dtype is None:
            taken = Call(self.c.helper("cast_adjoint", cast_adjoint), (taken, Attr(place.value, "dtype")))
        out.append(Bind((name,), (taken,)))
        return Name(name)

    def _is_item(self, stmt: Store, place: Item) -> bool:
        return is_number(self._cell_kind(stmt, place))

    def _cell_kind(self, stmt: Store, place: Item) -> Value:
        index = self.c.value(stmt, place.index)
        entries = index.items if isinstance(index, TupleOf) else (index,)
        return self.c.facts.evaluator.canonical(operations.getitem(self.c.value(stmt, place.value), entries))

    def _give(self, stmt: Store, place: Item, g: Name, state: State, out: Out) -> None:
        """To the value that was written: summed to its shape, its sign turned for -=."""
        kind, cell = self.c.value(stmt, stmt.value), self._cell_kind(stmt, place)
        value: Expr = Unary("-", g) if stmt.op == "-" else g
        if not same_shape(kind, cell):
            if is_number(kind) and isinstance(cell, Array) and cell.dims:
                value = self.c.numpy("sum", value)
            else:
                value = Call(self.c.helper("unbroadcast", unbroadcast), (value, self.c.numpy("shape", stmt.value)))
        self.contributor.add(stmt, stmt.value, self._fitted(stmt, place.value, stmt.value, value), state, out)

    def _fitted(self, stmt: Statement, array: Expr, value: Expr, g: Expr) -> Expr:
        """What goes to a value that is written into an array: of a real value in a complex array, the real part."""
        if not self.c.complex or reality(self.c.value(stmt, array)) is False:
            return g
        return self.conjugates.fitted(stmt, value, g)

    # ------------------------------------------------------------ lists

    def _element(self, stmt: Store, place: Item, state: State, out: Out) -> None:
        bars = self.contributor.shadow(stmt, place.value, state, out)
        if self._is_value(stmt, stmt.value):
            name = self.c.temporary("g")
            out.append(Bind((name,), (Item(bars, place.index),)))
            self._clear(place, bars, out)
            self._if_there(stmt, stmt.value, name, state, out)
        else:
            self._clear(place, bars, out)

    def _clear(self, place: Item, bars: Expr, out: Out) -> None:
        zero = Call(self.c.helper("zeros_like", structure.zeros_like), (place,))
        out.append(Store(Item(bars, place.index), None, zero))

    def _is_value(self, stmt: Statement, value: Expr) -> bool:
        """Whether the adjoint of what goes into a container lies, or may lie, in the container's adjoint."""
        item = self.c.kind(stmt, value)
        return self.c.active(stmt, value) and (not self.c.in_place(item) or self.c.either(item))

    def _if_there(self, stmt: Statement, value: Expr, name: str, state: State, out: Out) -> None:
        unsure = isinstance(value, Name) and self.c.either(self.c.kind(stmt, value))
        g = Name(name) if unsure else self._or_zero(stmt, Name(name), value)
        self.contributor.add(stmt, value, g, state, out)

    def _or_zero(self, stmt: Statement, g: Expr, value: Expr) -> Expr:
        """A slot that nobody contributed to may hold None."""
        return Call(self.c.helper("or_zeros", structure.or_zeros), (g, value))

    def effect(self, stmt: Effect, state: State) -> Step:
        out: Out = []
        added = added_at(self.c, stmt)
        if added is not None:
            self._add_at(stmt, *added, state, out)
            return Step(stmt, out)
        match stmt.value:
            case Call(Attr(owner, "append"), (value,)) if isinstance(self.c.value(stmt, owner), ListOf):
                self._append(stmt, owner, value, state, out)
        return Step(stmt, out)

    def _add_at(self, stmt: Effect, array: Expr, index: Expr, value: Expr, state: State, out: Out) -> None:
        """np.add.at(a, index, v): every entry of v gets the adjoint of the cell that it was added to."""
        if not self.c.active(stmt, value):
            return
        base = self.contributor.mutable(stmt, array, state, out)
        taken = self.c.numpy("array", Item(base, index))
        kind = self.c.value(stmt, value)
        if is_number(kind):
            taken = self.c.numpy("sum", taken)
        else:
            taken = Call(self.c.helper("unbroadcast", unbroadcast), (taken, self.c.numpy("shape", value)))
        name = self.c.temporary("g")
        out.append(Bind((name,), (self._fitted(stmt, array, value, taken),)))
        self.contributor.add(stmt, value, Name(name), state, out)

    def _append(self, stmt: Effect, owner: Expr, value: Expr, state: State, out: Out) -> None:
        if not self.c.active(stmt, owner) and not self.c.active(stmt, value):
            return
        bars = self.contributor.shadow(stmt, owner, state, out)
        popped = Call(Attr(bars, "pop"))
        if self._is_value(stmt, value):
            name = self.c.temporary("g")
            out.append(Bind((name,), (popped,)))
            self._if_there(stmt, value, name, state, out)
        else:
            out.append(Effect(popped))
