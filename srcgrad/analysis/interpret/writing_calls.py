"""Calls that write into an array, or only take part of one, as calls of the library's equivalents."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.analysis.interpret import draws
from srcgrad.analysis.interpret.draws import drawn
from srcgrad.analysis.interpret.expressions import Evaluator, Refused
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.interpret.typed_calls import SUMMERS, TypedCall, hashable
from srcgrad.analysis.values import Array, Known, Number, TupleOf
from srcgrad.lang.core import Attr, Bin, Call, Const, Expr, Item, Name, Star, Tuple
from srcgrad.lang.source import is_user_function
from srcgrad.library import order_statistics, writers
from srcgrad.library.registry import equivalent_of, method_of
from srcgrad.rules.spellings import METHODS

Arguments = tuple[tuple[Expr, ...], dict[str, Expr]]

# Where what is written is one number, the text needs no repetition.
OF_NUMBERS: dict[Any, Any] = {writers.put: writers.put_number, writers.place: writers.place_number,
              writers.fill_diagonal: writers.fill_diagonal_number}
REDUCTIONS: dict[Any, tuple[Callable, str | Callable]] = {
    np.sum: (writers.sum_where, "+"), np.prod: (writers.prod_where, "*"), np.mean: (writers.mean_where, ""),
    np.max: (writers.max_where, writers.larger), np.min: (writers.min_where, writers.smaller),
    np.amax: (writers.max_where, writers.larger), np.amin: (writers.min_where, writers.smaller)}
UFUNC_METHODS = ("reduce", "accumulate", "outer", "reduceat", "at")
REDUCE: dict[Any, Any] = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
ACCUMULATE: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
KEYWORDS = frozenset(("out", "where", "initial", "dtype", "casting", "copy", "ndmin"))
REFUSED = {"nditer": "np.ndindex", "as_strided": "slices, or sliding_window_view", "nested_iters": "np.ndindex"}
_NAMES = frozenset((*UFUNC_METHODS, *draws.NAMES, *REFUSED, *"""copyto put place putmask fill_diagonal
    put_along_axis fill
    sort partition resize nan_to_num memoryview view setfield byteswap setflags hsplit""".split()))


def is_candidate(expr: Expr) -> bool:
    """Whether a call may have to be rewritten, as far as its text tells."""
    if not isinstance(expr, Call):
        return False
    name = expr.func.name if isinstance(expr.func, Attr) else expr.func.id if isinstance(expr.func, Name) else ""
    return name in _NAMES or any(k in KEYWORDS for k, _ in expr.kwargs) or len(expr.args) > 1


def rewritten_call(ev: Evaluator, call: Call, env: Env) -> Expr | None:
    """The call in the terms of the library, or None where it stays."""
    if not is_candidate(call) or any(isinstance(a, Star) for a in call.args) or any(k is None for k, _ in call.kwargs):
        return None
    work = Rewriter(ev, call, env)
    return work.method() if work.owner is not None else work.known()


class Rewriter(TypedCall):
    """What a call stands for."""

    # ------------------------------------------------------------ methods of arrays and generators

    def method(self) -> Expr | None:
        assert isinstance(self.call.func, Attr) and self.owner is not None
        name = self.call.func.name
        plain = method_of(np.ndarray, name)
        if plain is not None and plain.writes:
            return self.writer(plain.function, self.owner, *self.args)
        if name in ("resize", "setfield", "setflags", "byteswap") and (name != "byteswap" or self.args or self.kwargs):
            self.refuse(f"the method `{name}`, which changes what an array is, isn't supported",
                        "make a new array" if name != "resize" else "make a new array with np.resize")
        if name == "view" and not self.args and not self.kwargs:
            return Item(self.owner, Const(...), at=self.at)
        function = METHODS.get(name)
        if function in SUMMERS and (dtype := self.cast_to()) is not None:
            owner = self.with_type(self.owner, dtype, self.owner)
            return Call(Attr(owner, name, at=self.at), tuple(self.args), tuple(self.kwargs.items()), at=self.at)
        return None if function is None else self.reduced(function, [self.owner, *self.args]) or self.into(
            function, [self.owner, *self.args], 1)

    def writer(self, function: Callable, *args: Expr) -> Call:
        held = 1 if function is writers.fill_diagonal else 2
        given = (*args, *self.kwargs.values())
        if function in (writers.place, writers.fill_diagonal) and len(given) > held:
            check_apart(self.ev, given[0], given[held], self.env, self.at)
        if function in OF_NUMBERS and len(args) > held and self.is_number(args[held]):
            function = OF_NUMBERS[function]
        if function is writers.fill_diagonal and "val" in self.kwargs and self.is_number(self.kwargs["val"]):
            function = writers.fill_diagonal_number
        return self.use(function, *args, **self.kwargs)

    # ------------------------------------------------------------ functions

    def known(self) -> Expr | None:
        function = self.function
        if function is None:
            return drawn(self)
        if isinstance(self.call.func, Attr) and self.call.func.name in UFUNC_METHODS \
                and isinstance(getattr(function, "__self__", None), np.ufunc):
            return self.of_ufunc(function.__self__, self.call.func.name)
        if isinstance(function, FunctionType) and is_user_function(function):
            return None                 # its `out` means what it says itself
        plain = equivalent_of(function)
        if plain is not None and plain.writes and self.args and self.is_array(self.args[0]):
            return self.writer(plain.function, *self.args)
        self.refuse_by_name(function)
        if function is np.nan_to_num and self.kwargs.get("copy") == Const(False):
            return self.use(writers.nan_to_num, *self.args, **self.kwargs)
        if function is np.hsplit and len(self.args) == 2 and not self.kwargs and self.is_array(self.args[0]):
            return self.hsplit(*self.args)
        return drawn(self) or self.cast(function) or self.reduced(function, self.args) \
            or self.into(function, self.args)

    def hsplit(self, a: Expr, sections: Expr) -> Expr:
        """np.hsplit(a, n)   ->   np.split(a, n, axis=1)"""
        value = self.value(a)
        if not isinstance(value, Array) or value.dims is None or not isinstance(self.call.func, Attr):
            return self.use(writers.split_columns, a, sections)
        split = Attr(self.call.func.value, "split", at=self.at)
        return Call(split, (a, sections), (("axis", Const(0 if len(value.dims) == 1 else 1)),), at=self.at)

    def refuse_by_name(self, function: Any) -> None:
        name = getattr(function, "__name__", "")
        if name in REFUSED and str(getattr(function, "__module__", "")).startswith("numpy"):
            self.refuse(f"`{name}` reaches arrays by ways that aren't followed", f"use {REFUSED[name]}")
        if function is memoryview and any(map(self.is_array, self.args)):
            self.refuse("a memoryview of an array isn't followed", "use slices")

    # ------------------------------------------------------------ out= and where=

    def into(self, function: Any, args: list[Expr], owner: int = 0) -> Expr | None:
        """f(x, out=z), also with where=."""
        position = out_position(function)
        out = self.kwargs.pop("out", None)
        if out is None and position is not None and len(args) > position:
            args, out = args[:position], args[position]
        if isinstance(out, Tuple) and len(out.items) == 1:
            out = out.items[0]
        if out is None or out == Const(None) or self.value(out) == Known(None):
            return self.without_out(function, args, out is not None)
        if isinstance(self.value(out), TupleOf):
            self.refuse("`out=` with several arrays isn't supported", "assign the results to names")
        where = self.kwargs.pop("where", None)
        self.check_casts(function, args)
        fits = not isinstance(function, np.ufunc) or self.value(self.kwargs.get("casting", Const(None))) != Known(None)
        value = self.plain_call(function, args[owner:])
        fits = fits or self.fits(value, out)
        if not fits and where is None:
            return self.use(writers.write_same_kind_into, value, out)
        if where is None or self.value(where) == Known(True):
            return self.use(writers.write_into, value, out)
        if not isinstance(function, np.ufunc) or function.nout > 1 or function.signature or len(args) > 2:
            self.refuse("`where=` with `out=` isn't supported for this function", "write to `z[mask]`")
        masked = writers.write_masked if len(args) == 1 else writers.write_masked_pair
        return self.use(masked, self.call.func, *args, out, where)

    def fits(self, value: Expr, out: Expr) -> bool:
        """Whether the array certainly takes what is written into it."""
        kinds = self.value(value), self.value(out)
        given, taken = (kind.dtype if isinstance(kind, (Array, Number)) else None for kind in kinds)
        return given is not None and taken is not None and np.can_cast(given, taken, "same_kind")

    def plain_call(self, function: Any, args: list[Expr]) -> Expr:
        """The call without `out`, and without what says nothing then."""
        kwargs = {k: v for k, v in self.kwargs.items() if k not in ("casting", "subok", "order")}
        whole = Call(self.call.func, tuple(args), tuple(kwargs.items()), at=self.at)
        return self.ev.made.in_place_of(self.call, rewritten_call(self.ev, whole, self.env) or whole)

    def check_casts(self, function: Any, args: list[Expr]) -> None:
        dtype = self.kwargs.get("dtype")
        if dtype is not None and self.active() and not self.same_dtype(dtype, args):
            self.refuse("`dtype=` with another type isn't supported here", "use `astype`")
        elif dtype is not None and self.active():
            del self.kwargs["dtype"]

    def without_out(self, function: Any, args: list[Expr], given: bool) -> Expr | None:
        if not isinstance(function, np.ufunc) or not self.active():
            return self.plain_call(function, args) if given and self.owner is None else None
        where = self.kwargs.get("where")
        if where is not None and self.value(where) != Known(True):
            self.refuse("`where=` without `out=` leaves cells that nothing is written to",
                        "give `out=`, or use np.where")
        before = dict(self.kwargs)
        self.kwargs.pop("where", None)
        self.check_casts(function, args)
        if before == self.kwargs and not given and not {"casting", "subok", "order"} & before.keys():
            return None
        return self.plain_call(function, args)

    # ------------------------------------------------------------ reductions

    def reduced(self, function: Any, args: list[Expr]) -> Expr | None:
        """Reductions of a part, or from a start, where they are differentiated."""
        known = REDUCTIONS.get(function) if hashable(function) else None
        if known is None or not {"where", "initial"} & self.kwargs.keys() or not self.active():
            return None
        if "out" in self.kwargs or len(args) > 2 or self.kwargs.get("dtype", Const(None)) != Const(None):
            return None
        function_where, combine = known
        where, initial = self.kwargs.pop("where", Const(True)), self.kwargs.pop("initial", None)
        named = {k: v for k, v in self.kwargs.items() if k in ("axis", "keepdims")}
        if len(args) > 1:
            named["axis"] = args[1]
        if self.value(where) == Known(True):
            total: Expr = self.plain_call(function, args[1 if self.owner is not None else 0:])
        else:
            total = self.use(function_where, args[0], where, **named)
        if initial is None or self.value(initial) == Known(None):
            return total
        return Bin(combine, total, initial, at=self.at) if isinstance(combine, str) else self.use(
            combine, total, initial)

    # ------------------------------------------------------------ methods of ufuncs

    def of_ufunc(self, ufunc: np.ufunc, name: str) -> Expr | None:
        assert isinstance(self.call.func, Attr)
        if name == "at":
            return self.ufunc_at(ufunc, self.call.func.value)
        if not self.active() or "out" in self.kwargs:
            return self.into(getattr(ufunc, name), self.args)
        if name == "outer" and len(self.args) == 2 and not self.kwargs:
            return self.outer(self.call.func.value)
        if name in ("reduce", "accumulate"):
            return self.along(ufunc, name)
        if name == "reduceat" and ufunc is np.add and len(self.args) == 2 and not self.kwargs:
            return self.use(writers.add_reduceat, *self.args)
        self.refuse(f"`np.{ufunc.__name__}.{name}` isn't supported in this form", "write it as a loop")
        return None

    def ufunc_at(self, ufunc: np.ufunc, function: Expr) -> Expr | None:
        if ufunc is np.add:
            return None
        if ufunc is np.subtract:
            return self.use(writers.subtract_at, *self.args)
        if ufunc.nin != len(self.args) - 1 or ufunc.nout > 1:
            self.refuse(f"`np.{ufunc.__name__}.at` isn't supported in this form", "write it as a loop")
        return self.use(writers.apply_at if ufunc.nin == 1 else writers.apply_pair_at, function, *self.args)

    def outer(self, function: Expr) -> Expr:
        """f.outer(a, b)   ->   f(a[..., None], b)"""
        a, b = self.args
        second = self.value(b)
        if not self.is_number(b) and (not isinstance(second, Array) or second.dims is None):
            return self.use(writers.trailing_outer, function, a, b)
        rank = len(second.dims or ()) if isinstance(second, Array) else 0
        if rank and not self.is_number(a):
            a = Item(a, Tuple((Const(...), *(Const(None) for _ in range(rank)))), at=self.at)
        return Call(function, (a, b), at=self.at)

    def along(self, ufunc: np.ufunc, name: str) -> Expr | None:
        """np.add.reduce(a)   ->   np.sum(a, axis=0)"""
        args, kwargs = list(self.args), dict(self.kwargs)
        axis = kwargs.pop("axis", args[1] if len(args) > 1 else Const(0))
        if len(args) > 2:
            self.refuse("this many arguments by position aren't supported here", "name them")
        if name == "accumulate" and ufunc in (np.maximum, np.minimum) and not kwargs:
            assert isinstance(self.call.func, Attr)
            return self.use(writers.running, self.call.func.value, args[0], axis)
        if name == "reduce" and ufunc is np.logaddexp and kwargs.keys() <= {"keepdims"}:
            return self.use(order_statistics.log_sum_exp, args[0], axis, **kwargs)
        found = (REDUCE if name == "reduce" else ACCUMULATE).get(ufunc)
        if found is None:
            self.refuse(f"`np.{ufunc.__name__}.{name}` isn't supported", "write it as a loop")
        assert isinstance(self.call.func, Attr) and isinstance(self.call.func.value, Attr)
        spelled = Attr(self.call.func.value.value, getattr(found, "__name__", ""), at=self.at)
        whole = Call(spelled, (args[0],), (("axis", axis), *kwargs.items()), at=self.at)
        return self.ev.made.in_place_of(self.call, rewritten_call(self.ev, whole, self.env) or whole)


def check_apart(ev: Evaluator, array: Expr, values: Expr, env: Env, at: Any) -> None:
    """NumPy reads these values while it writes, so that a view of the array itself would change under it: here where
    that is certain, else when it runs."""
    mine, theirs = (ev(e, env).refs for e in (array, values))
    kind = ev.value(ev(values, env))
    whole = len(mine) == 1 and all(ref.path == () and not ev.heap.is_many(ref.storage) for ref in mine)
    if whole and theirs and {r.storage for r in theirs} == {r.storage for r in mine} \
            and isinstance(kind, Array) and kind.dims:
        raise Refused("the values that are written lie in the array itself, and change while they are read",
                      "pass a copy of them", at)


@functools.cache
def out_position(function: Any) -> int | None:
    """The position of a function's parameter `out`."""
    if isinstance(function, np.ufunc):
        return function.nin
    try:
        found = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return None
    plain = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return plain.index("out") if "out" in plain and all(p.kind != p.VAR_POSITIONAL for p in found) else None
