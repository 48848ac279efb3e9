"""`no_grad` and `detach` cut the derivative where they stand: what they give is a constant to all that follows.

        with no_grad():             s = stop_gradient(np.sum(y))
            s = np.sum(y)
        d = x.detach()              d = stop_gradient(x)
        size(x)                     stop_gradient(size.__wrapped__(x))      where `size` is decorated with no_grad
"""
from __future__ import annotations

from dataclasses import fields, replace
from types import FunctionType
from typing import Any

from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Effect,
    Expr,
    Function,
    Item,
    Name,
    Refuse,
    Statement,
    Store,
    Unpack,
    With,
    blocks,
    map_expr,
    statements,
    with_blocks,
)
from srcgrad.passes.unit import Unit
from srcgrad.runtime import modes
from srcgrad.runtime.tensors import stop_gradient

_OFF = (modes.no_grad, modes.inference_mode)


def cut(unit: Unit) -> Unit:
    """The function with constants in place of what it computes where gradients are off."""
    code = unit.found.function.__code__
    outer = [unit.outer(name) for name in (*code.co_names, *code.co_freevars)]
    called = "detach" in code.co_names or any(o is not None and _is_cut(o.value()) for o in outer)
    if not called and not any(isinstance(s, With) for s in statements(unit.code.body)):
        return unit
    cutter = _Cutter(unit)
    body = tuple(cutter.calls(s) for s in unit.code.body) if called else unit.code.body
    return unit.with_body(cutter.block(body, False))


def _is_cut(function: Any) -> bool:
    """Whether it is a function that was decorated with `no_grad`."""
    return isinstance(function, FunctionType) and getattr(function, "__no_gradient__", False) is True


def root(place: Expr) -> str | None:
    """The name that a place is part of."""
    while isinstance(place, (Attr, Item)):
        place = place.value
    return place.id if isinstance(place, Name) else None


class _Cutter:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.helper: str | None = None
        self.written = {root(s.place) for s in statements(unit.code.body) if isinstance(s, Store)}

    def calls(self, stmt: Statement) -> Statement:
        """The statement with constants in place of calls that detach, or that run without gradients."""
        changed: dict[str, Any] = {}
        for field in fields(stmt):
            old = getattr(stmt, field.name)
            if isinstance(old, Expr):
                changed[field.name] = map_expr(self._call, old)
            elif isinstance(old, tuple) and old and all(isinstance(e, Expr) for e in old):
                changed[field.name] = tuple(map_expr(self._call, e) for e in old)
        new = replace(stmt, **changed) if changed else stmt
        inner = blocks(new)
        return with_blocks(new, tuple(tuple(map(self.calls, b)) for b in inner)) if inner else new

    def _call(self, expr: Expr) -> Expr:
        match expr:
            case Call(Attr(owner, "detach"), (), ()):
                return self._stopped(owner, expr)
            case Call(Name(name) as func, args, kwargs) if _is_cut(self._value(func)):
                function = self._value(func).__wrapped__
                inner = self.unit.fresh.name(name)
                self.unit.scopes[inner] = Outer(inner, {inner: function})
                return self._stopped(Call(Name(inner, at=func.at), args, kwargs, at=expr.at), expr)
        return expr

    def block(self, body: tuple[Statement, ...], off: bool) -> tuple[Statement, ...]:
        return tuple(new for stmt in body for new in self.statement(stmt, off))

    def statement(self, stmt: Statement, off: bool) -> tuple[Statement, ...]:
        if isinstance(stmt, With):
            switch = self._switch(stmt)
            if switch is not None:
                return self.block(stmt.body, switch)
        inner = blocks(stmt)
        if inner:
            return (with_blocks(stmt, tuple(self.block(b, off) for b in inner)),)
        return (self._constant(stmt) if off else stmt,)

    def _switch(self, stmt: With) -> bool | None:
        """Whether the manager turns gradients off (True) or on (False); None for any other."""
        if len(stmt.items) != 1 or stmt.items[0][1] is not None:
            return None
        manager = stmt.items[0][0]
        if not isinstance(manager, Call) or manager.kwargs:
            return None
        made = self._value(manager.func)
        if made in _OFF and not manager.args:
            return True
        if made is modes.enable_grad and not manager.args:
            return False
        if made is modes.set_grad_enabled and len(manager.args) == 1 and isinstance(manager.args[0], Const):
            return not manager.args[0].value
        return None

    def _value(self, expr: Expr) -> Any:
        """What an outer name, or an attribute of a module, means."""
        if isinstance(expr, Name):
            outer = self.unit.outer(expr.id)
            return MISSING if outer is None else outer.value()
        return getattr(self._value(expr.value), expr.name, MISSING) if isinstance(expr, Attr) else MISSING

    def _constant(self, stmt: Statement) -> Statement:
        match stmt:
            case Bind(names, values):
                if any(isinstance(v, Item) and n in self.written for n, v in zip(names, values)):
                    return Refuse("a part of an array that is taken inside of `no_grad` and written isn't supported",
                                  "Write into the array itself: x[i] = ... for v = x[i]; v[...] = ...", at=stmt.at)
                return replace(stmt, values=tuple(map(self._cut, values)))
            case Unpack(_, value):
                return replace(stmt, value=self._cut(value))
            case Store(_, op, value):
                if op in (None, "+", "-"):
                    return replace(stmt, value=self._cut(value))
                return Refuse(f"`{op}=` inside of `no_grad` isn't supported where something is differentiated",
                              "Write a new value behind the block, or use += there.", at=stmt.at)
            case Effect(Call(func, args, kwargs) as call):
                return replace(stmt, value=Call(func, tuple(map(self._cut, args)), kwargs, at=call.at))
        return stmt

    def _cut(self, value: Expr) -> Expr:
        """The value as a constant; names and attributes stay what they are."""
        if isinstance(value, (Name, Const, Attr, Function)):
            return value
        return self._stopped(value, value)

    def _stopped(self, value: Expr, origin: Expr) -> Expr:
        if self.helper is None:
            self.helper = self.unit.fresh.name("stop_gradient")
            self.unit.scopes[self.helper] = Outer(self.helper, {self.helper: stop_gradient})
        return Call(Name(self.helper, at=origin.at), (value,), at=origin.at)
