"""The reverse of binding names: the adjoint of the name goes to what it was made of."""
from __future__ import annotations

from srcgrad.analysis.interpret.expressions import Refused
from srcgrad.analysis.interpret.sharing import viewed
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    ListOf,
    Number,
    TupleOf,
    number_of,
)
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Const,
    Expr,
    If,
    Item,
    List,
    Name,
    Slice,
    Statement,
    Tuple,
    Unary,
    Unpack,
    children,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.reverse.adjoints import LAZY, SHARED, State, meet
from srcgrad.passes.reverse.branches import zero_before
from srcgrad.passes.reverse.calls import Calls
from srcgrad.passes.reverse.changes import length
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.contribute import KEYS_ARE_USED, Contributor, Out
from srcgrad.passes.reverse.records import as_tuple, parts_of
from srcgrad.passes.reverse.rules import RuleApplier
from srcgrad.passes.reverse.steps import Step
from srcgrad.runtime import containers, structure


class Bindings:
    def __init__(self, context: Context, contributor: Contributor, rules: RuleApplier) -> None:
        self.c, self.contributor, self.rules = context, contributor, rules
        self.calls = Calls(context, contributor)

    def bind(self, stmt: Bind, state: State) -> Step:
        out: Out = []
        if self.c.moves(stmt):
            self._move(stmt, state, out)
            return Step(stmt, out)
        call = self.calls.applied(stmt, stmt.values[0]) if len(stmt.names) == 1 else None
        if call is not None:
            return self.calls.reverse(stmt, stmt.names[0], call, state)
        if len(stmt.names) == 1:
            self._one(stmt, stmt.names[0], stmt.values[0], state, out)
        else:
            self._parallel(stmt, state, out)
        return Step(stmt, out)

    def _move(self, stmt: Bind, state: State, out: Out) -> None:
        """u, v = v, u: the adjoints move back, all at once; that of an array which nobody has any more is zero."""
        pairs = [(self.c.bar(target), self.c.bar(source)) for target, source in self.c.moves(stmt)]
        given = sorted((source, target, state.have[target]) for target, source in pairs if state.has(target))
        for target, source in pairs:
            state.drop(target)
            state.drop(source)
        if given:
            out.append(Bind(tuple(source for source, _, _ in given), tuple(Name(target) for _, target, _ in given)))
        for source, _, how in given:
            state.set(source, how)

    def _parallel(self, stmt: Bind, state: State, out: Out) -> None:
        """a, b = b, a: all adjoints are taken before any is given."""
        taken: list[tuple[Expr, str, Name, str | None]] = []
        for name, value in zip(stmt.names, stmt.values):
            item = self.c.facts.name_after(stmt, name)
            kept = self.c.in_place(item) and not self.c.either(item)
            if kept or not self.c.active(stmt, value):
                self._forget(name, item, state)
                continue
            bar = self.c.bar(name)
            if state.has(bar):
                mask = state.masks.get(bar)
                self.settle(stmt, name, state, out)
                moved = self.c.temporary("t_bar")
                out.append(Bind((moved,), (Name(bar),)))
                taken.append((value, name, Name(moved), mask))
                state.drop(bar)
        for value, name, g, mask in taken:
            if not self.c.is_place(stmt, value):
                raise Refused("this kind of parallel assignment isn't supported", "assign one name at a time", stmt.at)
            kind = self.c.kind(stmt, value)
            if isinstance(value, Name) and self.c.either(kind):
                # the value itself is looked at, which has its new name here
                self.contributor.add_either(self.c.bar(value.id), Name(name), kind, g, state, out)
                continue
            self.contributor.add(stmt, value, g, state, out, mask=mask)

    def _forget(self, name: str, item: Abstract, state: State) -> None:
        if not self.c.in_place(item) or self.c.static(item) is None:
            state.drop(self.c.bar(name))

    def settle(self, stmt: Statement, name: str, state: State, out: Out) -> None:
        """A lazy adjoint becomes a full one."""
        bar = self.c.bar(name)
        if state.have.get(bar) == LAZY:
            value = self.contributor.value_of(stmt, name)
            if isinstance(value, Array):
                out.append(Bind((bar,), (self.c.numpy("broadcast_to", Name(bar), self.c.numpy("shape", Name(name))),)))
            elif not isinstance(value, Number):
                out.append(Bind((bar,), (Call(self.c.helper("full", structure.full), (Name(bar), Name(name))),)))
            state.set(bar, SHARED)

    # ------------------------------------------------------------ one name

    def _one(self, stmt: Bind, name: str, value: Expr, state: State, out: Out) -> None:
        item = self.c.facts.name_after(stmt, name)
        bar = self.c.bar(name)
        if self.c.either(item):
            self._either(stmt, name, value, item, state, out)
            return
        if self.c.in_place(item):
            if self.c.static(item) is None:
                state.drop(bar)
            self._storage(stmt, name, value, item, state, out)
            return
        if not state.has(bar):
            return
        how, kind = state.have[bar], state.kinds.get(bar)
        if not self.c.active(stmt, value):
            state.drop(bar)
            return
        lazy = how == LAZY
        value = as_tuple(self.c.facts, stmt, value)
        parts = parts_of(self.c.facts, stmt, value)
        if self.c.is_place(stmt, value) or isinstance(value, Tuple) or parts is not None:
            if lazy and not isinstance(value, Name):
                self.settle(stmt, name, state, out)
            state.drop(bar)
            self._give(stmt, value, Name(bar), state, out, lazy and isinstance(value, Name))
            return
        state.drop(bar)
        own = UNKNOWN if lazy else self.c.facts.value_of(item)
        state.kinds[bar] = own if kind is None else kind
        self.operation(stmt, name, value, Name(bar), state, out, lazy)
        state.kinds.pop(bar, None) if bar not in state.have else None

    def _give(self, stmt: Statement, value: Expr, g: Expr, state: State, out: Out, lazy: bool) -> None:
        parts = None if isinstance(value, List) else parts_of(self.c.facts, stmt, value)
        if parts is not None:
            for key, part in parts:
                if not self.c.in_place(self.c.kind(stmt, part)) or self.c.either(self.c.kind(stmt, part)):
                    self.contributor.add(stmt, part, Item(g, key), state, out)
            return
        mask = state.masks.get(g.id) if isinstance(g, Name) else None
        self.contributor.add(stmt, value, g, state, out, lazy=lazy, mask=mask)

    def operation(self, stmt: Statement, name: str, value: Expr, g: Expr, state: State, out: Out, lazy: bool) -> None:
        """name = operation(operands), whose adjoint is g."""
        if self.c.is_place(stmt, value):
            self.contributor.add(stmt, value, g, state, out)
            return
        if isinstance(value, Bin) and isinstance(self.c.value(stmt, value), (ListOf, TupleOf)):
            self._joined(stmt, value, g, state, out)
            return
        if isinstance(value, Call) and isinstance(self.c.value(stmt, value), ListOf) \
                and self.c.known(stmt, value.func) is tuple:
            self.contributor.add_elements(stmt, value.args[0], g, state, out)
            return
        if isinstance(value, Call) and isinstance(value.func, Attr) and value.func.name == "__new__":
            return                              # a new object holds nothing yet
        spelled = self.rules.spell(stmt, value)
        if spelled is None and self.rules.has_no_derivative(stmt, value):
            return
        if spelled is None and isinstance(value, Call) and value.args \
                and isinstance(self.c.value(stmt, value.args[0]), DictOf):
            raise Refused(*KEYS_ARE_USED, value.at or stmt.at)
        if spelled is None:
            raise Refused("there is no derivative rule for this operation", "write it with supported NumPy functions",
                          value.at or stmt.at)
        rule, bound = spelled
        out_value = self.c.facts.value_of(self.c.facts.name_after(stmt, name))
        self.rules.apply(stmt, rule, bound, Name(name), g, state, out, out_value, lazy)

    def _joined(self, stmt: Statement, value: Bin, g: Expr, state: State, out: Out) -> None:
        """a + b of two lists or tuples: each takes its part of the adjoint."""
        if value.op == "*":
            self._repeated(stmt, value, g, state, out)
            return
        left = value.left
        count = Const(len(left.items)) if isinstance(left, (List, Tuple)) else \
            Call(self.c.helper("len", len), (left,))
        for part, piece in ((left, Slice(None, count)), (value.right, Slice(count, None))):
            if isinstance(part, List):
                self._to_parts(stmt, {Item(Item(g, piece), Const(k)): e for k, e in enumerate(part.items)}, state, out)
            elif self.c.active(stmt, part):
                self.contributor.add_elements(stmt, part, Item(g, piece), state, out)

    def _repeated(self, stmt: Statement, value: Bin, g: Expr, state: State, out: Out) -> None:
        """items * n: each element takes the adjoints of all its copies."""
        items = value.right if number_of(self.c.value(stmt, value.left)) is not None else value.left
        if isinstance(self.c.value(stmt, items), TupleOf):
            raise Refused("repeating a tuple isn't supported where it is differentiated", "use a list", stmt.at)
        name = self.c.temporary("g")
        summed = Call(self.c.helper("add_repeats", containers.add_repeats), (g, length(self.c, items)))
        if isinstance(items, List):         # repeated zero times, they get nothing
            summed = Call(self.c.helper("or_zeros_each", structure.or_zeros_each), (summed, items))
        out.append(Bind((name,), (summed,)))
        if isinstance(items, List):
            self._to_parts(stmt, {Item(Name(name), Const(k)): e for k, e in enumerate(items.items)}, state, out)
        else:
            self.contributor.add_elements(stmt, items, Name(name), state, out)

    # ------------------------------------------------------------ numbers, or arrays that are written in place

    def _either(self, stmt: Bind, name: str, value: Expr, item: Abstract, state: State, out: Out) -> None:
        """What the shadow has of an array that is born here, or the adjoint of a number, goes to the operands."""
        bar = self.c.bar(name)
        g: Expr = Name(bar) if state.has(bar) else Const(0.0)
        state.drop(bar)
        if not self.c.active(stmt, value):
            return
        born = any(ref.storage.born_at(stmt) for ref in item.refs)
        if self.c.is_place(stmt, value):
            if born or not isinstance(g, Const):
                owner = (value.value,) if isinstance(value, (Item, Attr)) else ()
                self.contributor.add(stmt, value, self._taken(name, g, owner, out) if born else g, state, out)
        elif all(ref.storage.born_at(stmt) for ref in item.refs):
            self.operation(stmt, name, value, self._taken(name, g, (), out), state, out, False)
        else:
            self._unless_view(stmt, name, value, g, state, out)

    def _taken(self, name: str, g: Expr, owner: tuple[Expr, ...], out: Out) -> Name:
        bar = self.c.temporary(name + "_bar")
        out.append(Bind((bar,), (Call(Attr(self.contributor.shadow_name(), "take"), (Name(name), g, *owner)),)))
        return Name(bar)

    def _unless_view(self, stmt: Bind, name: str, value: Expr, g: Expr, state: State, out: Out) -> None:
        """As `operation`, but not where the result shares memory with an operand, and so its adjoint."""
        inner: Out = []
        after = state.copy()
        self.operation(stmt, name, value, self._taken(name, g, (), inner), after, inner, False)
        for bar in after.have:
            if not state.has(bar):
                zero, how = zero_before(self.c, self.contributor, stmt, bar)
                out.append(Bind((bar,), (zero,)))
                state.set(bar, how)
            state.set(bar, meet(state.have[bar], after.have[bar]))
        test = Unary("not", self.c.numpy("may_share_memory", Name(name), self._viewed(stmt, value)))
        out.append(If(test, tuple(inner)))

    # ------------------------------------------------------------ storages

    def _storage(self, stmt: Bind, name: str, value: Expr, item: Abstract, state: State, out: Out) -> None:
        """The name means a storage that is written in place: aliases and views share its buffer; a birth ends it."""
        born = {ref.storage for ref in item.refs if ref.storage.born_at(stmt)}
        if not born or isinstance(value, (Const, Name)):
            return
        parts = parts_of(self.c.facts, stmt, value)
        if parts is not None:
            self._display(stmt, name, parts, state, out)
            return
        maybe_view = len(born) < len({ref.storage for ref in item.refs})
        ref = self.c.static(item)
        if ref is not None:
            self._static_birth(stmt, name, value, self.c.buffer_name(ref.storage), state, out)
        elif self.c.active(stmt, value):
            self._shadow_birth(stmt, name, value, maybe_view, state, out)

    def _static_birth(self, stmt: Bind, name: str, value: Expr, bar: str, state: State, out: Out) -> None:
        if not state.has(bar):
            return
        lazy = state.have[bar] == LAZY              # zero, in all iterations of a loop but the last
        state.drop(bar)
        if self._operands_active(stmt, value):
            self.operation(stmt, name, value, Name(bar), state, out, lazy)

    def _shadow_birth(self, stmt: Bind, name: str, value: Expr, maybe_view: bool, state: State, out: Out) -> None:
        if not self._operands_active(stmt, value):
            return
        if maybe_view:
            self._unless_view(stmt, name, value, Const(0.0), state, out)
            return
        bar = self.c.temporary(name + "_bar")
        out.append(Bind((bar,), (Call(Attr(self.contributor.shadow_name(), "pop"), (Name(name),)),)))
        self.operation(stmt, name, value, Name(bar), state, out, False)

    def _viewed(self, stmt: Statement, value: Expr) -> Expr:
        """What a call may give a view of."""
        if isinstance(value, Call) and isinstance(value.func, Attr) \
                and isinstance(self.c.value(stmt, value.func.value), (Array, Number)):
            return value.func.value
        if isinstance(value, Call):
            called = self.c.kind(stmt, value.func).value
            return value.args[viewed(called.obj) if isinstance(called, Known) else 0]
        return value.value if isinstance(value, Attr) else value

    def _operands_active(self, stmt: Statement, value: Expr) -> bool:
        if not isinstance(value, Call):
            return any(self.c.active(stmt, e) for e in children(value))
        owner = (value.func.value,) if isinstance(value.func, Attr) else ()
        return any(self.c.active(stmt, e) for e in (*owner, *value.args, *(v for _, v in value.kwargs)))

    def _display(self, stmt: Bind, name: str, parts: list[tuple[Expr, Expr]], state: State, out: Out) -> None:
        """l = [a, b], where l is changed later."""
        if not any(self.c.active(stmt, e) for _, e in parts):
            return
        bar = self.c.temporary(name + "_bar")
        out.append(Bind((bar,), (Call(self.contributor.shadow_name(), (Name(name),)),)))
        self._to_parts(stmt, {Item(Name(bar), key): part for key, part in parts}, state, out)

    def _to_parts(self, stmt: Statement, parts: dict[Item, Expr], state: State, out: Out) -> None:
        """The adjoints of a display's slots go to what was put there; arrays that are written have theirs elsewhere."""
        made = [self.c.facts.name_after(stmt, name) for name in bound_by(stmt)]
        shrinks = any(ref.storage.shrinks for item in made for ref in item.refs)
        for slot, part in parts.items():
            if not self.c.active(stmt, part):
                continue
            item = self.c.kind(stmt, part)
            g: Expr = slot
            if self.c.in_place(item) and not self.c.either(item):
                continue
            if not self.c.either(item) and (shrinks or not isinstance(self.c.value(stmt, part), Number)):
                # what nobody contributed to, or what was taken out, is None in the shadow
                g = Call(self.c.helper("or_zeros", structure.or_zeros), (g, part))
            self.contributor.add(stmt, part, g, state, out)

    # ------------------------------------------------------------ unpacking

    def unpack(self, stmt: Unpack, state: State) -> Step:
        """a, b = v: each adjoint goes to its place in v."""
        out: Out = []
        taken: list[tuple[int, str, Name]] = []
        for k, name in enumerate(stmt.names):
            item = self.c.facts.name_after(stmt, name)
            bar = self.c.bar(name)
            if self.c.in_place(item) and not self.c.either(item) or not state.has(bar):
                continue
            self.settle(stmt, name, state, out)
            state.drop(bar)
            if item.active:
                taken.append((k, name, Name(bar)))
        if taken and not self.c.is_place(stmt, stmt.value) and not isinstance(stmt.value, Tuple):
            raise Refused("this kind of unpacking isn't supported", "give the value a name first", stmt.at)
        for k, name, g in taken:
            if isinstance(stmt.value, Tuple):
                self.contributor.add(stmt, stmt.value.items[k], g, state, out)
                continue
            index = self.c.annotate(stmt, Const(k), Abstract(Number("int")))
            part = self.c.annotate(stmt, Item(stmt.value, index), self.c.facts.name_after(stmt, name))
            self.contributor.add(stmt, part, g, state, out)
        return Step(stmt, out)
