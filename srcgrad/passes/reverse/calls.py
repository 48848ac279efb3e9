"""The reverse of a call of the user's own function that wasn't put in place.

        y = f(a, n)     ->      y, f_record = f_forward(a, n)       ...     a_bar = f_backward(f_record, y_bar)
"""
from __future__ import annotations

from typing import Any

from srcgrad.analysis.interpret.state import NOTHING, Abstract, Ref, reach
from srcgrad.analysis.values import Array, Lazy
from srcgrad.lang.core import Attr, Bind, Call, Const, Effect, Expr, Name, Statement, Unpack
from srcgrad.lang.names import root_name
from srcgrad.lang.source import find
from srcgrad.passes.callees import Compiled, Default, bind_parameters
from srcgrad.passes.reverse.adjoints import LAZY, State
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.contribute import Contributor, Out
from srcgrad.passes.reverse.steps import Step
from srcgrad.passes.unit import lowered


class Calls:
    def __init__(self, context: Context, contributor: Contributor) -> None:
        self.c, self.contributor = context, contributor

    def applied(self, stmt: Statement, value: Expr) -> Call | None:
        """The expression, if it is a call of a function with a derivative of its own; making a generator isn't."""
        if not isinstance(value, Call) or (stmt, id(value)) not in self.c.facts.callees:
            return None
        return None if isinstance(self.c.kind(stmt, value).value, Lazy) else value

    def reverse(self, stmt: Statement, name: str | None, value: Call, state: State) -> Step:
        """The call as a pair of calls; plain where nothing that is differentiated takes part."""
        args = self._arguments(stmt, value)
        items = [self._item(stmt, arg) for arg in args]
        result = NOTHING if name is None else self.c.facts.name_after(stmt, name)
        in_place = tuple(self._in_place(item) for item in items)
        if not any(item.active for item in items) and not result.active and not any(in_place):
            return Step(stmt)
        compiled = self._compiled(stmt, value, items, in_place, self._in_place(result))
        record = self.c.fresh.name(f"{compiled.name}_record")
        forward = Unpack((name or "_", record), Call(self._function(compiled, "forward"), tuple(args)), at=stmt.at)
        out: Out = []
        g = self._seed(stmt, name, result, state, out)
        self._backward(stmt, compiled, record, g, args, items, in_place, state, out)
        return Step(stmt, out, forward=forward, also_reads=[a for a in args if isinstance(a, Name)])

    def _in_place(self, item: Abstract) -> bool:
        return any(self.c.in_place(Abstract(refs=frozenset((Ref(s),)))) for s in reach([item]))

    def _arguments(self, stmt: Statement, value: Call) -> list[Expr]:
        function, receiver = self.c.facts.callees[(stmt, id(value))]
        found = find(function)
        first = [value.func.value] if receiver and isinstance(value.func, Attr) else []
        given = bind_parameters(lowered(found), found, value, [*first, *value.args], dict(value.kwargs))
        return [self._default(v.obj) if isinstance(v, Default) else v for v in given]

    def _default(self, obj: Any) -> Expr:
        if obj is None or type(obj) in (bool, int, float, complex, str):
            return Const(obj)
        return self.c.helper("default", obj)

    def _item(self, stmt: Statement, arg: Expr) -> Abstract:
        known = (stmt, id(arg)) in self.c.facts.kinds
        if known:
            return self.c.kind(stmt, arg)
        return self.c.facts.evaluator(arg, {}) if isinstance(arg, Const) else NOTHING

    def _compiled(self, stmt: Statement, value: Call, items: list[Abstract], in_place: tuple[bool, ...],
                  result_in_place: bool) -> Compiled:
        function, _ = self.c.facts.callees[(stmt, id(value))]
        found = find(function)
        key = self.c.callees.key(self.c.facts, found, items)
        return self.c.callees.code_for(key, found, in_place, result_in_place)

    def _function(self, compiled: Compiled, part: str) -> Name:
        return self.c.helper(f"{compiled.name}_{part}", getattr(compiled, part))

    def _seed(self, stmt: Statement, name: str | None, result: Abstract, state: State, out: Out) -> Expr:
        """The adjoint of the result: None where the shadow has it."""
        if name is None or not result.active:
            return Const(None)
        bar = self.c.bar(name)
        if self._in_place(result) and not self.c.either(result) and result.items is None:
            state.drop(bar)
            return Const(None)
        if not state.has(bar):
            return self.contributor.zeros(stmt, name)
        if state.have[bar] == LAZY and isinstance(self.contributor.value_of(stmt, name), Array):
            out.append(Bind((bar,), (self.c.numpy("broadcast_to", Name(bar), self.c.numpy("shape", Name(name))),)))
        state.drop(bar)
        return Name(bar)

    def _backward(self, stmt: Statement, compiled: Compiled, record: str, g: Expr, args: list[Expr],
                  items: list[Abstract], in_place: tuple[bool, ...], state: State, out: Out) -> None:
        shadow = (self.contributor.shadow_name(),) if compiled.takes_shadow else ()
        call = Call(self._function(compiled, "backward"), (Name(record), g, *shadow))
        names = [self.c.temporary(root_name(args[k]) + "_bar") for k in compiled.gives]
        if not names:
            out.append(Effect(call))
        elif len(names) == 1:
            out.append(Bind((names[0],), (call,)))
        else:
            out.append(Unpack(tuple(names), call))
        for k, name in zip(compiled.gives, names):
            if items[k].active:
                self.contributor.add(stmt, args[k], Name(name), state, out)
