"""Adds a contribution to the adjoint of an operand: a variable, or a part of a buffer, a container or the shadow."""
from __future__ import annotations

from srcgrad.analysis.interpret.expressions import basic_index
from srcgrad.analysis.interpret.state import Abstract, Ref, reach
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    TupleOf,
    Value,
    same_dtype,
)
from srcgrad.errors import InternalError
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
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
    Unary,
)
from srcgrad.lang.names import root_name
from srcgrad.passes.reverse.adjoints import LAZY, OWN, SHARED, State
from srcgrad.passes.reverse.context import Context, are_numbers, is_number
from srcgrad.passes.reverse.masks import joined
from srcgrad.runtime import structure
from srcgrad.runtime.shadow import Shadow

Out = list[Statement]

KEYS_ARE_USED = ("the keys of this dict depend on what is differentiated, and are used here",
                 "keep the numbers in a list, or as the values of a dict")
FRESH_FUNCTIONS = ("zeros_like", "zeros", "outer", "array", "full", "ones_like", "where", "cos", "sin", "exp", "sum")


class Contributor:
    """Emits accumulations in the state before a statement."""

    def __init__(self, context: Context) -> None:
        self.c = context

    # ------------------------------------------------------------ entry

    def add(self, stmt: Statement, operand: Expr, g: Expr, state: State, out: Out,
            lazy: bool = False, mask: str | None = None) -> None:
        """operand's adjoint += g; `lazy`: it broadcasts to the operand's shape.

        `mask` names what g is zero outside of.
        """
        if not self.c.active(stmt, operand):
            return
        if lazy and not self._spreads(stmt, operand):
            g, lazy = self.c.numpy("broadcast_to", g, self.c.numpy("shape", operand)), False
        if isinstance(operand, (List, Tuple)):
            self._display(stmt, operand, g, state, out)
        elif isinstance(operand, Name):
            self._name(stmt, operand, g, state, out, lazy, mask)
        else:
            self._part(stmt, operand, g, state, out)

    def _spreads(self, stmt: Statement, operand: Expr) -> bool:
        """Whether a lazy adjoint may go to the operand: a name notes it, a buffer spreads it, a slot does neither."""
        item = self.c.kind(stmt, operand)
        if self.c.either(item):
            return False
        in_array = isinstance(operand, Item) and isinstance(self.c.value(stmt, operand.value), Array)
        return isinstance(operand, Name) or in_array or self.c.in_place(item)

    def add_elements(self, stmt: Statement, operand: Expr, g: Expr, state: State, out: Out) -> None:
        """The adjoint of a list or tuple += g, the adjoints of its elements, some of which may be None for zero."""
        item = self.c.kind(stmt, operand)
        if self.c.active(stmt, operand) and not self.c.in_place(item) and not self._holds_buffers(item):
            g = Call(self.c.helper("or_zeros_each", structure.or_zeros_each), (g, operand))
        self.add(stmt, operand, g, state, out)

    def _display(self, stmt: Statement, operand: List | Tuple, g: Expr, state: State, out: Out) -> None:
        if not isinstance(g, Name):
            name = self.c.temporary("parts")
            out.append(Bind((name,), (g,)))
            g = Name(name)
        for k, item in enumerate(operand.items):
            self.add(stmt, item, Item(g, Const(k)), state, out)

    # ------------------------------------------------------------ whole names

    def _name(self, stmt: Statement, operand: Name, g: Expr, state: State, out: Out, lazy: bool,
              mask: str | None) -> None:
        item = self.c.kind(stmt, operand)
        bar = self.c.bar(operand.id)
        if self.c.either(item):
            self.add_either(bar, operand, item, g, state, out)
            return
        if self._holds_buffers(item):
            self._each(stmt, operand, item, g, state, out)
            return
        if self.c.in_place(item):
            self._buffer(stmt, operand, item, g, state, out)
            return
        value = self.c.value(stmt, operand)
        mask = joined(self.c, state, bar, mask, out)
        if not state.has(bar):
            if g != Name(bar):
                out.append(Bind((bar,), (g,)))
            own = _is_fresh(g) and isinstance(value, Array) and value.dims
            state.set(bar, LAZY if lazy else OWN if own else SHARED, self._lazy_kind(stmt, g, state) if lazy else None)
        elif isinstance(value, (Array, Number)):
            self._accumulate(stmt, bar, value, g, state, out, lazy)
        else:
            out.append(Bind((bar,), (Call(self.c.helper("add", structure.add), (Name(bar), g)),)))
            state.set(bar, SHARED)
        state.masked(bar, mask)

    def add_either(self, bar: str, operand: Expr, item: Abstract, g: Expr, state: State, out: Out) -> None:
        """Only running tells whether the adjoint of the operand is `bar`, or lies in the shadow."""
        self.c.settle_in_shadow(item)
        old = Name(bar) if state.has(bar) else Const(None if self.c.is_tuple(item) else 0.0)
        out.append(Bind((bar,), (Call(Attr(self.shadow_name(), "accumulate"), (operand, old, g)),)))
        state.set(bar, SHARED)

    def _holds_buffers(self, item: Abstract) -> bool:
        """Whether a container holds arrays that are written in place: their adjoints can't wait in its slots."""
        parts = item.items if item.items is not None else [
            p for ref in item.refs if ref.storage.kind != "array" for p in ref.storage.fields.values()]
        return any(self.c.in_place(Abstract(refs=frozenset((Ref(s),)))) for s in reach(parts))

    def _each(self, stmt: Statement, operand: Name, item: Abstract, g: Expr, state: State, out: Out) -> None:
        if item.items is None and isinstance(self.c.value(stmt, operand), (ListOf, DictOf, ObjectOf)) \
                and not self.c.is_tuple(item):
            self.c.settle_in_shadow(item)
            out.append(Effect(Call(Attr(self.shadow_name(), "add_each"), (operand, g))))
            return
        if item.items is None:
            self.add_either(self.c.bar(operand.id), operand, item, g, state, out)
            return
        for k, part in enumerate(item.items):
            index = self.c.annotate(stmt, Const(k), Abstract(Number("int")))
            place = self.c.annotate(stmt, Item(operand, index), part)
            self.add(stmt, place, Item(g, Const(k)), state, out)

    def _lazy_kind(self, stmt: Statement, g: Expr, state: State) -> Value:
        """What a lazy adjoint itself is: a number, or an array that broadcasts to the primal's shape."""
        return self.c.evaluate(stmt, g, self.kinds(stmt, state))

    def _accumulate(self, stmt: Statement, bar: str, value: Value, g: Expr, state: State, out: Out, lazy: bool) -> None:
        how = state.have[bar]
        if how == OWN and isinstance(value, Array) and value.dims:
            out.append(Store(Name(bar), "+", g))
            return
        total = Bin("+", Name(bar), g)
        out.append(Bind((bar,), (total,)))
        if how == LAZY and lazy:
            state.set(bar, LAZY, self._lazy_kind(stmt, total, state))
        else:
            state.set(bar, OWN if isinstance(value, Array) and value.dims else SHARED)

    def _buffer(self, stmt: Statement, operand: Expr, item: Abstract, g: Expr, state: State, out: Out) -> None:
        ref = self.c.static(item)
        if ref is None:
            self._in_shadow(stmt, operand, item, g, state, out)
            return
        bar = self.c.buffer_name(ref.storage)
        if ref.path == () and not state.has(bar) and _is_fresh(g) and self._full(stmt, operand, g, state):
            out.append(Bind((bar,), (g,)))
            state.set(bar, OWN)
            return
        self.ensure_buffer(stmt, bar, self.c.holders[ref.storage], state, out)
        place = self.c.path(Name(bar), ref)
        if isinstance(place, Attr):
            place = Item(place, Const(...))
        out.append(Store(place, "+", g))

    def _in_shadow(self, stmt: Statement, operand: Expr, item: Abstract, g: Expr, state: State, out: Out) -> None:
        if isinstance(self.c.value(stmt, operand), Array):
            if any(ref.path is None for ref in item.refs):
                # cells of an unknown view may overlap one another
                out.append(Effect(Call(Attr(self.shadow_name(), "add"), (operand, g))))
                return
            target = self.shadow(stmt, operand, state, out)
            out.append(Store(Item(target, Const(...)), "+", g))
            return
        if self._holds_buffers(item):
            self.c.settle_in_shadow(item)
            out.append(Effect(Call(Attr(self.shadow_name(), "add_each"), (operand, g))))
            return
        target = self.shadow(stmt, operand, state, out)
        out.append(Effect(Call(self.c.helper("add_each", structure.add_each), (target, g))))

    def _full(self, stmt: Statement, operand: Expr, g: Expr, state: State) -> bool:
        """Whether g certainly is an array with the operand's shape."""
        want = self.c.value(stmt, operand)
        got = self.c.evaluate(stmt, g, self.kinds(stmt, state))
        return isinstance(want, Array) and isinstance(got, Array) and want.dims is not None \
            and got.dims == want.dims and None not in want.dims and same_dtype(got.dtype, want.dtype)

    # ------------------------------------------------------------ parts

    def _part(self, stmt: Statement, operand: Expr, g: Expr, state: State, out: Out) -> None:
        item = self.c.kind(stmt, operand)
        either = self.c.either(item)
        if item.refs and self.c.in_place(item) and not either and not self._gathers(stmt, operand) \
                and not self._through_owner(stmt, operand, item):
            self._buffer(stmt, operand, item, g, state, out)
            return
        if not isinstance(operand, (Item, Attr)):
            raise InternalError(f"the adjoint of {operand!r} has no place")
        base = self.mutable(stmt, operand.value, state, out)
        if (either or self._holds_buffers(item) and not self.c.in_place(item)) \
                and not isinstance(self.c.value(stmt, operand.value), Array):
            self.c.settle_in_shadow(item)
            key = as_value(operand.index) if isinstance(operand, Item) else self._field_key(stmt, operand)
            out.append(Effect(Call(Attr(self.shadow_name(), "add_part"), (operand, base, key, g))))
        elif isinstance(operand, Item):
            self._add_at(stmt, operand, base, operand.index, g, out)
        else:
            key = self._field_key(stmt, operand)
            out.append(Effect(Call(self.c.helper("add_at", structure.add_at), (base, key, g))))

    def _through_owner(self, stmt: Statement, operand: Expr, item: Abstract) -> bool:
        """Whether the adjoint of `a[i]` is written as a part of a's, which the shadow has."""
        if not isinstance(operand, Item) or self.c.static(item) is not None:
            return False
        owner = self.c.kind(stmt, operand.value)
        return isinstance(self.c.value(stmt, operand.value), Array) and all(r.path is not None for r in owner.refs)

    def _gathers(self, stmt: Statement, operand: Expr) -> bool:
        """Whether an item of an array may be a copy; a slice of a list is one."""
        if isinstance(operand, Item) and isinstance(operand.index, Slice) \
                and isinstance(self.c.value(stmt, operand.value), ListOf):
            return True
        return isinstance(operand, Item) and isinstance(self.c.value(stmt, operand.value), Array) \
            and basic_index(self.c.value(stmt, operand.index)) is not True

    def _field_key(self, stmt: Statement, operand: Attr) -> Expr:
        value = self.c.value(stmt, operand.value)
        if isinstance(value, TupleOf):
            return Const(value.fields.index(operand.name))
        name = Const(operand.name)
        if value == UNKNOWN or isinstance(value, OneOf) and any(isinstance(kind, TupleOf) for kind in value.kinds):
            return Call(self.c.helper("field_key", structure.field_key), (operand.value, name))
        return name

    def _add_at(self, stmt: Statement, operand: Item, base: Expr, index: Expr, g: Expr, out: Out) -> None:
        owner = self.c.value(stmt, operand.value)
        kind = self.c.kind(stmt, operand.value)
        # cells of an unknown view may overlap one another
        unknown = self.c.in_place(kind) and any(ref.path is None for ref in kind.refs) \
            and not is_number(self.c.value(stmt, operand))
        if isinstance(owner, Array) and basic_index(self.c.value(stmt, index)) is True and not unknown:
            out.append(Store(Item(base, index), "+", g))
        elif isinstance(owner, Array) and owner.dims and are_numbers(self.c.value(stmt, index)):
            out.append(Effect(Call(Attr(self.c.numpy("add").func, "at"), (base, index, g))))
        else:
            out.append(Effect(Call(self.c.helper("add_at", structure.add_at), (base, as_value(index), g))))

    def mutable(self, stmt: Statement, owner: Expr, state: State, out: Out) -> Expr:
        """An expression for the adjoint of a place, which can be written into."""
        item = self.c.kind(stmt, owner)
        if self.c.in_place(item):
            ref = self.c.static(item)
            if ref is None:
                return self.shadow(stmt, owner, state, out)
            bar = self.c.buffer_name(ref.storage)
            self.ensure_buffer(stmt, bar, self.c.holders[ref.storage], state, out)
            return self.c.path(Name(bar), ref)
        if isinstance(owner, Name):
            bar = self.c.bar(owner.id)
            self.ensure_buffer(stmt, bar, owner.id, state, out)
            return Name(bar)
        assert isinstance(owner, (Item, Attr))
        base = self.mutable(stmt, owner.value, state, out)
        key = owner.index if isinstance(owner, Item) else self._field_key(stmt, owner)
        if self.c.in_place(self.c.kind(stmt, owner.value)) and not isinstance(self.c.value(stmt, owner.value), Array):
            # nobody may have contributed to this slot of the shadow yet
            return Call(self.c.helper("opened", structure.opened), (base, key, owner))
        return Item(base, key)

    def ensure_buffer(self, stmt: Statement, bar: str, name: str, state: State, out: Out) -> None:
        """`bar` exists, is as large as the primal `name`, and may be written into."""
        if not state.has(bar):
            out.append(Bind((bar,), (self.zeros(stmt, name),)))
        elif state.have[bar] == SHARED:
            value = self.value_of(stmt, name)
            own: Expr = self.c.numpy("array", Name(bar)) if isinstance(value, Array) and value.dims else \
                Call(self.c.helper("add", structure.add), (self.zeros(stmt, name), Name(bar)))
            out.append(Bind((bar,), (own,)))
        elif state.have[bar] == LAZY:
            zeros: Expr = self.zeros(stmt, name)
            own = Bin("+", zeros, Name(bar))
            if not isinstance(self.value_of(stmt, name), (Array, Number)):
                given = Call(self.c.helper("full", structure.full), (Name(bar), Name(name)))
                own = Call(self.c.helper("add", structure.add), (zeros, given))
            out.append(Bind((bar,), (own,)))
        state.set(bar, OWN)

    def value_of(self, stmt: Statement, name: str, after: bool = False) -> Value:
        """What a name is before a statement, or after it; on the other side where it isn't there."""
        return self.c.facts.value_of(self._item(stmt, name, after))

    def _item(self, stmt: Statement, name: str, after: bool) -> Abstract:
        first, second = (f.get(stmt, {}) for f in (self.c.facts.before, self.c.facts.after))
        if after:
            first, second = second, first
        return first.get(name) or second.get(name) or Abstract()

    def is_either(self, stmt: Statement, name: str) -> bool:
        """Whether `Context.either` holds of a name around a statement."""
        envs = self.c.facts.before.get(stmt, {}), self.c.facts.after.get(stmt, {})
        return any(name in env and self.c.either(env[name]) for env in envs)

    def zeros(self, stmt: Statement, name: str, after: bool = False) -> Expr:
        """The zero adjoint of a primal name, as it is before the statement, or after it."""
        value = self.value_of(stmt, name, after)
        if is_number(value) or self.is_either(stmt, name):
            return Const(0.0)
        if isinstance(value, Array) and value.dims and value.dtype is not None and value.dtype.kind in "fc":
            donor = self._zeros_donor(stmt, name, after)
            return self.c.numpy("zeros_like", donor)
        return Call(self.c.helper("zeros_like", structure.zeros_like), (Name(name),))

    def _zeros_donor(self, stmt: Statement, name: str, after: bool) -> Expr:
        """A name of the same shape and dtype that is there anyway; a buffer's layout is its own."""
        if self.c.plain or name in self.c.steady:
            return Name(name)
        probe = self.c.annotate(stmt, Name(name), self._item(stmt, name, after))
        return self.c.shape_donor(stmt, probe)

    def shadow(self, stmt: Statement, place: Expr, state: State, out: Out) -> Expr:
        """The adjoint of a place whose storage isn't known, looked up when the program runs."""
        look_up = Call(self.shadow_name(), (place,))
        for earlier in reversed(out):
            if isinstance(earlier, Bind) and earlier.values == (look_up,):
                return Name(earlier.names[0])
            if not isinstance(earlier, (Bind, Store)):
                break
        name = self.c.fresh.name(root_name(place) + "_bar")
        out.append(Bind((name,), (look_up,)))
        return Name(name)

    def shadow_name(self) -> Name:
        self.c.helper("Shadow", Shadow)
        return Name(self.c.shadow_name())

    # ------------------------------------------------------------ kinds of adjoints

    def kinds(self, stmt: Statement, state: State) -> dict[str, Value]:
        """What adjoints are: like their primals, unless they are lazy."""
        out: dict[str, Value] = {}
        envs = {**self.c.facts.before.get(stmt, {}), **self.c.facts.after.get(stmt, {})}
        for name, item in envs.items():
            bar = self.c.bar(name)
            if bar in state.have:
                out[bar] = state.kinds.get(bar, UNKNOWN) if state.have[bar] == LAZY else self.c.facts.value_of(item)
        out.update(state.kinds)
        return out


def as_value(index: Expr) -> Expr:
    """A subscript as an expression of its own: `1:, k` becomes `(slice(1, None), k)`."""
    match index:
        case Slice(lower, upper, step):
            bounds = [Const(None) if e is None else e for e in (lower, upper, step)]
            return Call(Name("slice"), tuple(bounds[:2] if step is None else bounds))
        case Tuple(items):
            return Tuple(tuple(as_value(e) for e in items))
    return index


def _is_fresh(g: Expr) -> bool:
    """Whether evaluating the expression certainly makes a new array (if it makes an array)."""
    return isinstance(g, (Bin, Unary)) or isinstance(g, Call) and isinstance(g.func, Attr) \
        and g.func.name in FRESH_FUNCTIONS
