"""Makes the whole function of the placed parts: what happens to arguments at its start, and what it returns."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.interpret.state import NOTHING, Abstract, Ref
from srcgrad.analysis.liveness import Liveness
from srcgrad.analysis.values import Array, DictOf, ListOf, Number, TupleOf, Value, number_of
from srcgrad.errors import ArgumentError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Comment,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    Item,
    List,
    Name,
    Return,
    Statement,
    Store,
    Try,
    Tuple,
    Unpack,
    expressions,
    names_read,
    statements,
)
from srcgrad.lang.printing import text
from srcgrad.passes.place import Placed
from srcgrad.passes.reverse.adjoints import LAZY, OWN, SHARED, State
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.contribute import Contributor
from srcgrad.runtime import outside, structure
from srcgrad.runtime.shadow import Shadow

Block = list[Statement]


@dataclass(frozen=True)
class Parts:
    """The statements of one generated function, or of two: the forward part returns (value, record)."""
    joint: tuple[Statement, ...] = ()
    forward: tuple[Statement, ...] = ()
    backward: tuple[Statement, ...] = ()
    record: tuple[str, ...] = ()
    copies: bool = False


class Assembler:
    def __init__(self, context: Context, contributor: Contributor, wrt: tuple[int, ...], has_aux: bool) -> None:
        self.c, self.contributor, self.has_aux = context, contributor, has_aux
        self.params = [p.name for p in context.unit.code.params]
        self.wrt = [self.params[k] for k in wrt]
        self.result = self._result()
        # names that keep arguments whose own names are bound anew
        self.given: dict[str, str] = {}

    def _result(self) -> Return:
        last = self.c.unit.code.body[-1] if self.c.unit.code.body else None
        result = last if isinstance(last, Return) else Return(Const(None))
        if self.has_aux and result in self.c.facts.before:
            self._refuse_other_than_pairs(result)
        return result

    def _refuse_other_than_pairs(self, result: Return) -> None:
        value = self.c.facts.value(result, result.value)
        what = None
        if isinstance(value, TupleOf):
            what = None if len(value.items) == 2 else f"a tuple of {len(value.items)}"
        elif isinstance(value, (ListOf, DictOf)):
            what = "a list" if isinstance(value, ListOf) else "a dict"
        elif isinstance(value, Array) and value.dims is not None or number_of(value) is not None:
            what = "a number or an array"
        if what is not None:
            raise ArgumentError(f"with has_aux the function returns a pair, and here it is {what}", result.at,
                                "Return the number and the rest as a tuple of two.")

    # ------------------------------------------------------------ the seed

    @property
    def value(self) -> Expr:
        """What is differentiated."""
        returned = self.result.value
        if not self.has_aux:
            return returned
        return returned.items[0] if isinstance(returned, Tuple) else Item(returned, Const(0))

    @property
    def aux(self) -> Expr:
        returned = self.result.value
        return returned.items[1] if isinstance(returned, Tuple) else Item(returned, Const(1))

    @property
    def gives_either(self) -> bool:
        """Whether a part of the result's adjoint may not be in the shadow: that of a number."""
        item = self.c.kind(self.result, self.result.value)
        return item.items is not None or self.c.either(item)

    def seed(self, g: Expr, state: State) -> Block:
        """The adjoint of the result."""
        out: Block = []
        target = self.value
        if self.has_aux and not isinstance(self.result.value, Tuple):
            item = self.c.kind(self.result, self.result.value)
            part = item.items[0] if item.items else Abstract(varied=True)
            self.c.annotate(self.result, target, part)
        if self.result in self.c.facts.before:
            self.contributor.add(self.result, target, g, state, out)
        return out

    # ------------------------------------------------------------ arguments

    def entry(self) -> Block:
        """Arguments that the function writes are copied; if others are used beside them, they must not overlap."""
        written = [p for p in self.params if self._written(p)]
        out: Block = []
        others: dict[str, Expr] = {p: Name(p) for p in self.params if self._holds_storage(p)}
        outer = self._outer_values()
        others |= outer
        inside = [p for p in written if self._holds_written_arrays(p)]
        if (written or outer) and (len(others) > 1 or inside):
            pairs = Dict(tuple(map(Const, others)), tuple(others.values()))
            check = self.c.helper("check_separate", structure.check_separate)
            parts = tuple(Tuple(tuple(map(Const, group))) for group in ([*written, *outer], inside) if group)
            out.append(Effect(Call(check, (pairs, *parts))))
        for p in written:
            out.append(Bind((p,), (Call(self.c.helper("copy_argument", structure.copy_argument), (Name(p),)),)))
        return [*out, *self._kept_arguments()]

    def _kept_arguments(self) -> Block:
        return [Bind((name,), (Name(param),)) for param, name in self.given.items()]

    def _argument(self, param: str) -> Expr:
        """The argument itself, at the end of the program."""
        if param not in names.bound(self.c.unit.code.body):
            return Name(param)
        if param not in self.given:
            self.given[param] = self.c.fresh.name(f"{param}_given")
        return Name(self.given[param])

    def _item(self, param: str) -> Abstract:
        first = self.c.unit.code.body[0] if self.c.unit.code.body else None
        return self.c.facts.entry.get(param, NOTHING) if first is not None else NOTHING

    def _holds_written_arrays(self, param: str) -> bool:
        """Whether it is a container with arrays that something writes in place."""
        storages = _reachable(self._item(param))
        several = self._item(param).items is not None or any(s.kind != "array" for s in storages)
        return several and any(s.kind == "array" and self.c.facts.written(s) for s in storages)

    def _written(self, param: str) -> bool:
        return any(s.written for s in _reachable(self._item(param)))

    def _holds_storage(self, param: str) -> bool:
        return bool(_reachable(self._item(param)))

    # ------------------------------------------------------------ results

    def gradients(self, state: State) -> tuple[Block, Expr]:
        """The gradients of the arguments that are asked for, in their order."""
        out: Block = []
        parts = [self._gradient(p, state, out) for p in self.wrt]
        return out, parts[0] if len(parts) == 1 else Tuple(tuple(parts))

    def _gradient(self, param: str, state: State, out: Block) -> Expr:
        item = self._item(param)
        value = self.c.facts.value_of(item)
        if self._holds_buffers(item):
            bar = self.c.bar(param)
            got = Name(bar) if state.has(bar) else Const(None)
            return self._finish(param, self._total(self._argument(param), item, got, state))
        if self.c.in_place(item) and self.c.static(item) is None:
            adjoint: Expr = Call(self.contributor.shadow_name(), (self._argument(param),))
            if self.c.either(item):
                bar = self.c.bar(param)
                number = Name(bar) if state.has(bar) else Const(0.0)
                adjoint = Call(Attr(self.contributor.shadow_name(), "take"), (self._argument(param), number))
            return self._finish(param, adjoint)
        ref = self.c.static(item) if self.c.in_place(item) else None
        bar = self.c.bar(param) if ref is None else self.c.buffer_name(ref.storage)
        how = state.have.get(bar)
        if how is None:
            return self._nothing(param, value)
        if how == OWN and isinstance(value, Array) and value.dims and value.dtype is not None and value.dtype == "f8" \
                and not self.c.plain:
            return Name(bar)
        if isinstance(value, Number) and value.dtype is None and value.kind in ("int", "float") and how == SHARED:
            return Call(Name("float"), (Name(bar),))
        return self._finish(param, Name(bar))

    def _holds_buffers(self, item: Abstract) -> bool:
        """Whether it is a container, and the adjoint of something in it is a buffer."""
        if any(self.c.in_place(part) or self._holds_buffers(part) for part in item.items or ()):
            return True
        return any(s.kind != "array" for s in _reachable(item)) and any(
            self.c.in_place(Abstract(refs=frozenset((Ref(s),)))) for s in _reachable(item))

    def _total(self, place: Expr, item: Abstract, bar: Expr, state: State) -> Expr:
        """The adjoint of a container whose parts may have buffers of their own; `bar` is that of the others."""
        if item.items is not None:
            part_of = self.c.helper("part_of", structure.part_of)
            return List(tuple(self._total(Item(place, Const(k)), part, Call(part_of, (bar, Const(k))), state)
                              for k, part in enumerate(item.items)))
        ref = self.c.static(item) if self.c.in_place(item) else None
        if ref is not None:
            own = self.c.buffer_name(ref.storage)
            return Name(own) if state.has(own) else Const(None)
        if not self.c.in_place(item) and not self._holds_buffers(item):
            return bar
        return Call(Attr(self.contributor.shadow_name(), "total"), (place, bar))

    def contents_of_containers(self) -> frozenset[Any]:
        """What is in the containers among the arguments, by which their adjoints are found in the end."""
        return frozenset(("content", s.group) for p in self.wrt for s in _reachable(self._item(p)) if s.kind != "array")

    def _nothing(self, param: str, value: Value) -> Expr:
        if isinstance(value, Array) and value.dims and value.dtype is not None and value.dtype == "f8":
            return self.c.numpy("zeros_like", self._argument(param))
        return self._finish(param, Const(None))

    def _finish(self, param: str, adjoint: Expr) -> Expr:
        return Call(self.c.helper("gradient", structure.gradient), (self._argument(param), adjoint))

    # ------------------------------------------------------------ whole functions

    def shadow_birth(self) -> Block:
        if self.c.shadow is None or self.c.takes_shadow:
            return []
        return [Bind((self.c.shadow,), (Call(self.c.helper("Shadow", Shadow)),))]

    def joint(self, placed: Placed, seed: Block, state: State, with_value: bool) -> Parts:
        """One function: the gradient, with the value if that is asked for."""
        finish, gradients = self.gradients(state)
        kept: Block = []
        result = self._joint_result(gradients, with_value, kept)
        if placed.outer_undone:
            finish = [*finish, *self._outer_contents(kept)]
        body = [*self.entry(), Comment("forward"), *placed.before, *placed.forward, *kept, Comment("backward"),
                *self.shadow_birth(), *seed, *placed.backward, *finish, Return(result)]
        return Parts(joint=tuple(s for s in body if s is not self.result))

    def _outer_values(self) -> dict[str, Expr]:
        """What isn't local and is written, by the name that the user knows it by."""
        return {text(expr): expr for expr in self.c.unit.outside.values()}

    def _outer_contents(self, kept: Block) -> Block:
        """What they hold at the end of the forward part is kept, and put back when the backward part is done."""
        out: Block = []
        for name in self.c.unit.outside:
            held = self.c.temporary(f"{name}_left")
            first = next(s for s in self.c.unit.code.body if isinstance(s, Bind) and s.names == (name,))
            storages = _reachable(self.c.facts.name_after(first, name))
            if len(storages) == 1 and storages[0].kind == "array":
                kept.append(Bind((held,), (Call(Attr(Name(name), "copy")),)))
                out.append(Store(Item(Name(name), Const(...)), None, Name(held)))
            else:
                kept.append(Bind((held,), (Call(self.c.helper("contents", outside.contents), (Name(name),)),)))
                out.append(Effect(Call(self.c.helper("give_back", outside.give_back), (Name(held),))))
        return out

    def _joint_result(self, gradients: Expr, with_value: bool, kept: Block) -> Expr:
        """Value and aux are fixed before the backward part puts old contents back."""
        self._check_pair(kept)
        self._check_scalar(kept)
        value = self._fixed("value", self.value, kept) if with_value else None
        aux = self._fixed("aux", self.aux, kept) if self.has_aux else None
        if value is None:
            return gradients if aux is None else Tuple((gradients, aux))
        return Tuple((value if aux is None else Tuple((value, aux)), gradients))

    def _check_pair(self, kept: Block) -> None:
        """With aux the result is a pair; where that isn't certain, it is checked when the program runs."""
        if self.has_aux and not isinstance(self.result.value, Tuple) and self.result in self.c.facts.before:
            kept.append(Effect(Call(self.c.helper("check_pair", structure.check_pair), (self.result.value,))))

    def _check_scalar(self, kept: Block) -> None:
        """Where it isn't certain that the result is one real number, that is checked when the program runs."""
        item = self.c.kind(self.result, self.value)
        value = self.c.facts.value_of(item)
        if isinstance(value, (TupleOf, ListOf, DictOf)):
            what = {TupleOf: "a tuple", ListOf: "a list"}.get(type(value), "a dict")
            raise ArgumentError(f"the function returned {what}, which has no gradient", self.result.at,
                                "Return a real number, or use vjp for other results.")
        number = number_of(value)
        if isinstance(value, Number) and value.kind in ("bool", "int") and not item.active and not item.partial:
            # an error of the function itself comes first
            what = "a bool" if value.kind == "bool" else "an integer"
            kept.append(Effect(Call(self.c.helper("refuse_result", structure.refuse_result), (Const(what),))))
            return
        scalar = number is not None and number.kind != "complex" or isinstance(value, Array) and value.dims == () \
            and value.dtype is not None and value.dtype.kind != "c"
        if not scalar and self.result in self.c.facts.before:
            kept.append(Effect(Call(self.c.helper("check_scalar", structure.check_scalar), (self.value,))))

    def _fixed(self, hint: str, expr: Expr, kept: Block) -> Expr:
        if isinstance(expr, Const):
            return expr
        item = self.c.kind(self.result, expr)
        copied = expr
        if hint == "aux" or item.refs and not is_number(self.c.facts.value_of(item)):
            copied = Call(self.c.helper("copy_argument", structure.copy_argument), (expr,))
        if copied is expr and isinstance(expr, Name) and expr.id in self.c.steady:
            return expr
        name = self.c.temporary(hint)
        kept.append(Bind((name,), (copied,)))
        return Name(name)

    def split(self, placed: Placed, seed: Block, state: State) -> Parts:
        """Two functions: forward gives (value, record), backward takes (record, the adjoint of the value)."""
        finish, gradients = self.gradients(state)
        backward: Block = [*self.shadow_birth(), *seed, *placed.backward, *finish, Return(gradients)]
        body = [s for s in (*placed.before, *placed.forward) if s is not self.result]
        record = self._record(body, backward)
        forward: Block = [*self.entry(), *body]
        kept: Block = []
        self._check_pair(kept)
        value = self._fixed("value", self.value, kept)
        held = Tuple(tuple(Name(n) for n in record))
        copied: Expr = Call(self.c.helper("copy_record", structure.copy_record), (held,)) if record else held
        result = Tuple((value, self._fixed("aux", self.aux, kept))) if self.has_aux else value
        forward = [*forward, *kept, Return(Tuple((result, copied)))]
        opening = self._opening(record, backward)
        return Parts(forward=tuple(forward), backward=(*opening, *backward), record=record)

    def contents_of_arguments(self, which: list[int]) -> frozenset[Any]:
        """What is in the storages of these arguments: the backward part leaves it as it was."""
        return frozenset(("content", s.group) for k in which for s in _reachable(self._item(self.params[k])))

    def callee(self, placed: Placed, seed: Block, state: State, wanted: Sequence[int]) -> Parts:
        """Two functions for a callee: arguments aren't copied, and the record is used once."""
        bars = [self._raw_adjoint(self.params[k], state) for k in wanted]
        result = bars[0] if len(bars) == 1 else Tuple(tuple(bars))
        finish: Block = [Return(result)]
        backward: Block = [*self.shadow_birth(), *seed, *placed.backward, *finish]
        forward = [*self._kept_arguments(), *(s for s in (*placed.before, *placed.forward) if s is not self.result)]
        record = self._record(forward, backward)
        forward.append(Return(Tuple((self.result.value, Tuple(tuple(Name(n) for n in record))))))
        opening: Block = []
        if len(record) == 1:
            opening.append(Bind((record[0],), (Item(Name(self.c.takes[0]), Const(0)),)))
        elif record:
            opening.append(Unpack(record, Name(self.c.takes[0])))
        return Parts(forward=tuple(forward), backward=(*opening, *backward), record=record)

    def _raw_adjoint(self, param: str, state: State) -> Expr:
        bar = self.c.bar(param)
        how = state.have.get(bar)
        if how is None and self.c.either(self._item(param)):
            return Const(0.0)
        if how is None:
            return Call(self.c.helper("zeros_like", structure.zeros_like), (self._argument(param),))
        value = self.c.facts.value_of(self._item(param))
        if how == LAZY and not is_number(value):
            return self.c.numpy("broadcast_to", Name(bar), self.c.numpy("shape", self._argument(param)))
        return Name(bar)

    def _record(self, forward: Block, backward: Block) -> tuple[str, ...]:
        """Names of the forward part that the backward part reads."""
        live = Liveness(tuple(backward)).entry
        made = _bound_everywhere(backward)
        known = set(self.params) | _bound_everywhere(forward) | set(self.given.values())
        record = tuple(sorted(n for n in live | (self._read(backward) & known - made) if n in known))
        certain = {*self.params, *self.given.values(),
                   *(n for s in forward for n in names.bound_by(s) if not isinstance(s, (For, Try)))}
        forward[:0] = [Bind((n,), (Const(None),)) for n in record if n not in certain]
        return record

    def _read(self, block: Block) -> set[str]:
        return {n for s in statements(tuple(block)) for e in expressions(s) for n in names_read(e)}

    def _opening(self, record: tuple[str, ...], backward: Block) -> Block:
        if not record:
            return []
        copied = Call(self.c.helper("copy_record", structure.copy_record), (Name(self.c.takes[0]),))
        if len(record) == 1:
            return [Bind((record[0],), (Item(copied, Const(0)),))]
        return [Unpack(record, copied)]


def _reachable(item: Abstract) -> list[Any]:
    out: list[Any] = []
    todo = [*item.refs, *(r for part in item.items or () for r in _refs(part))]
    while todo:
        storage = todo.pop().storage
        if storage not in out:
            out.append(storage)
            todo.extend(r for part in storage.fields.values() for r in _refs(part))
    return out


def _refs(item: Abstract) -> list[Any]:
    return [*item.refs, *(r for part in item.items or () for r in _refs(part))]


def _bound_everywhere(block: Block) -> set[str]:
    return set(names.bound(tuple(block)))
