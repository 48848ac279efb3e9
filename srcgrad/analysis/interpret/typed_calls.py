"""Calls of NumPy's functions: what is known of them, and their `dtype=` as casts."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.expressions import Evaluator, Refused
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.values import Array, Known, Value, number_of, same_dtype
from srcgrad.lang.core import Attr, Call, Const, Expr, Name
from srcgrad.library import places, writers

# what their `dtype` says is what a cast of the result does, or of the argument
MAKERS = {np.array: 1, np.asarray: 1, np.asanyarray: 1, np.ascontiguousarray: 1, np.asfortranarray: 1, np.full: 2}
AT_LEAST: dict[Any, Any] = {0: None, 1: places.at_least_1d, 2: places.at_least_2d}        # np.array's ndmin
SUMMERS = (np.sum, np.mean, np.prod, np.cumsum, np.cumprod, np.trace, np.var, np.std)


class TypedCall:
    """One call: what it calls, and its arguments."""

    def __init__(self, ev: Evaluator, call: Call, env: Env) -> None:
        self.ev, self.call, self.env, self.at = ev, call, env, call.at
        self.args, self.kwargs = list(call.args), {k: v for k, v in call.kwargs if k is not None}
        self.function = function_of(ev, call.func, env)
        func = call.func
        self.owner = func.value if self.function is None and isinstance(func, Attr) and self.is_array(func.value) \
            else None

    # ------------------------------------------------------------ what is known

    def value(self, expr: Expr) -> Value:
        return self.ev.value(self.ev(expr, self.env))

    def is_array(self, expr: Expr) -> bool:
        return isinstance(self.value(expr), Array)

    def is_number(self, expr: Expr) -> bool:
        return number_of(self.value(expr)) is not None

    def active(self) -> bool:
        parts = [*self.args, *self.kwargs.values(), *([] if self.owner is None else [self.owner])]
        return any(self.ev(e, self.env).active for e in parts)

    def use(self, function: Callable, *args: Expr, **kwargs: Expr) -> Call:
        """A call of the library."""
        self.ev(self.call.func, self.env)       # so that what it means is guarded
        return Call(Const(function), args, tuple(kwargs.items()), at=self.at)

    def refuse(self, what: str, remedy: str) -> None:
        raise Refused(what, remedy, self.at)

    # ------------------------------------------------------------ dtype=

    def cast(self, function: Any) -> Expr | None:
        """np.asarray(x, dtype=t)   ->   np.asarray(x).astype(t, copy=False)"""
        least = self.kwargs.get("ndmin") if function is np.array and self.active() else None
        if isinstance(least, Const) and least.value in AT_LEAST:
            del self.kwargs["ndmin"]
            made = self.plain_call(function, self.args)
            return made if least.value == 0 else self.use(AT_LEAST[least.value], made)
        position = MAKERS.get(function) if hashable(function) else None
        if position is not None and (dtype := self.cast_to(position)) is not None:
            return self.with_type(self.plain_call(function, self.args), dtype, self.args[position - 1])
        if hashable(function) and function in SUMMERS and self.args and (dtype := self.cast_to()) is not None:
            first, *others = self.args
            cast = self.with_type(first, dtype, first) if self.is_array(first) else self.use(writers.cast, first, dtype)
            return self.plain_call(function, [cast, *others])
        if function is np.full_like and len(self.args) == 2 and (dtype := self.cast_to()) is not None:
            return self.use(writers.full_of_type, *self.args, dtype)
        return None

    def with_type(self, array: Expr, dtype: Expr, origin: Expr) -> Expr:
        """The array itself where what it is made of has the type."""
        if self.same_dtype(dtype, [origin]):
            return array
        return Call(Attr(array, "astype", at=self.at), (dtype,), (("copy", Const(False)),), at=self.at)

    def cast_to(self, position: int | None = None) -> Expr | None:
        """The type that `dtype` names, taken out of the arguments of a call that is differentiated; else None."""
        by_position = position is not None and len(self.args) == position + 1
        dtype = self.args[-1] if by_position else self.kwargs.get("dtype")
        if dtype is None or not self.active() or not self.is_numeric(dtype):
            return None
        if by_position:
            self.args = self.args[:-1]
        else:
            del self.kwargs["dtype"]
        return dtype

    def is_numeric(self, dtype: Expr) -> bool:
        """Whether an expression names a type of numbers."""
        if isinstance(dtype, Attr) and dtype.name == "dtype" and self.is_array(dtype.value):
            return True
        known = self.value(dtype)
        try:
            return isinstance(known, Known) and np.dtype(known.obj).kind in "fciub"
        except TypeError:
            return False

    def same_dtype(self, dtype: Expr, args: list[Expr]) -> bool:
        known = self.value(dtype)
        if known == Known(None):
            return True
        values = [self.value(a) for a in args if not self.is_number(a)]
        try:
            wanted = np.dtype(known.obj) if isinstance(known, Known) else None
        except TypeError:
            return False
        return wanted is not None and any(True for _ in values) and all(
            isinstance(v, Array) and same_dtype(v.dtype, wanted) for v in values)

    def plain_call(self, function: Any, args: list[Expr]) -> Expr:
        """The call with these arguments."""
        raise NotImplementedError


def function_of(ev: Evaluator, func: Expr, env: Env) -> Any:
    """What a name, or an attribute of a module or of a ufunc, means; None for all else."""
    if isinstance(func, Const):
        return None
    if isinstance(func, Name):
        if func.id in env:
            held = env[func.id].value
            return held.obj if isinstance(held, Known) and callable(held.obj) else None
        outer = ev.outer(func.id)
        return None if outer is None else outer.value()
    if isinstance(func, Attr):
        owner = function_of(ev, func.value, env)
        if inspect.ismodule(owner) or isinstance(owner, np.ufunc) or owner is np.ndarray:
            return getattr(owner, func.name, None)
    return None


def hashable(function: Any) -> bool:
    try:
        hash(function)
    except TypeError:
        return False
    return True
