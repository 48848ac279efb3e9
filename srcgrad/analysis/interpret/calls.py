"""What a call gives: known functions by rule and table, methods of arrays and lists, the user's own functions."""
from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.interpret import operations
from srcgrad.analysis.interpret.expressions import HOLE, Evaluator, Refused, numeric
from srcgrad.analysis.interpret.sharing import gives_view, viewed
from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.analysis.scope import guard_attribute
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    Known,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    TupleOf,
    Value,
    number_of,
)
from srcgrad.lang.core import Attr, Call, Expr, Star
from srcgrad.lang.source import is_user_function
from srcgrad.rules.nondifferentiable import is_nondifferentiable, is_pure, leaves_the_program
from srcgrad.rules.registry import has_rule
from srcgrad.rules.spellings import METHODS, SYNONYMS

SEVERAL_RESULTS = frozenset((np.linalg.slogdet, np.linalg.eigh, np.linalg.svd, np.linalg.qr, np.meshgrid, np.split,
                             np.array_split, np.hsplit, np.vsplit, np.dsplit, np.gradient, np.modf, np.frexp, np.divmod,
                             np.broadcast_arrays, np.linalg.lstsq, np.linalg.eig, divmod))
# Functions that give an array or a number, whatever their arguments are.
SURELY_NUMERIC: frozenset[Any] = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.eye,
    np.identity, np.tri, np.arange, np.linspace, np.array, np.asarray, np.argmax, np.argmin, np.argsort, np.argwhere,
    np.searchsorted, np.digitize, np.round, np.isclose, np.any, np.all, np.count_nonzero, np.flatnonzero, np.isin))
PLAIN_BUILTINS = (len, int, bool, str, abs, round, min, max, sum, isinstance, print, repr, type, id, hasattr, format,
                  float, complex, all, any, divmod, pow, callable)
# Methods that share memory where the function of that name doesn't.
_AS_METHODS = {"conj": np.ndarray.conj, "conjugate": np.ndarray.conj}
# Keywords whose value decides what is computed: an int argument that is passed here is specialised on.
STRUCTURAL = frozenset(("axis", "axes", "ord", "ddof", "k", "offset", "axis1", "axis2", "keepdims", "order", "n"))


class Calls:
    """Says what a call gives; user functions that are met are noted in `callees`."""

    def __init__(self, callees: dict, user_result: Callable | None = None) -> None:
        self.callees = callees
        self.user_result = user_result

    def __call__(self, ev: Evaluator, expr: Call, env: Env) -> Abstract:
        if isinstance(expr.func, Attr):
            owner = ev(expr.func.value, env)
            if not isinstance(ev.value(owner), Known):
                return self._method(ev, expr, expr.func, owner, env)
        callee = ev(expr.func, env)
        function = callee.value
        args, kwargs = self._arguments(ev, expr, env)
        if isinstance(function, Closure):
            return self._user(ev, expr, function, args, kwargs)
        if not isinstance(function, Known):
            return self._opaque(ev, expr, None, [callee, *args], kwargs)
        return self.known(ev, expr, function.obj, args, kwargs)

    def _arguments(self, ev: Evaluator, expr: Call, env: Env) -> tuple[list[Abstract], dict[str, Abstract]]:
        args: list[Abstract] = []
        for arg in expr.args:
            args.extend(ev.spread(arg, env) if isinstance(arg, Star) else [ev(arg, env)])
        kwargs = {}
        for name, value in expr.kwargs:
            item = ev(value, env)
            if name is None:
                kwargs.update(self._spread_keywords(ev, value, item))
            else:
                kwargs[name] = self._specialise(ev, name, item)
        return args, kwargs

    def _spread_keywords(self, ev: Evaluator, expr: Expr, item: Abstract) -> dict[str, Abstract]:
        for ref in item.refs:
            if ref.storage.kind == "dict" and "*" not in ref.storage.fields:
                return dict(ref.storage.fields)
        raise Refused("the keywords that `**` spreads here aren't known", "name them one by one", expr.at)

    def _specialise(self, ev: Evaluator, name: str, item: Abstract) -> Abstract:
        number = number_of(item.value)
        if name not in STRUCTURAL or isinstance(item.value, Known):
            return item
        if number is not None and number.linear is not None:
            size = ev.size(number.linear)
            if size is not None:
                ev.guards[("is", number.linear, size)] = (number.linear, size)
                return Abstract(Known(size))
        return item

    # ------------------------------------------------------------ known functions

    def known(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract],
              kwargs: dict[str, Abstract]) -> Abstract:
        if function is range:
            return Abstract(RangeOf())
        if function in (float, int, complex) and ev.heap.text and any(ev.value(a) == UNKNOWN for a in args):
            raise Refused(f"`{function.__name__}` may read here what a differentiated value was written to as text",
                          "pass the number itself", expr.at)
        if function in (eval, exec, locals) or function in (vars, dir) and not args:
            raise Refused(f"`{function.__name__}` reaches names that no one can follow", "use the names themselves",
                          expr.at)
        if _hashable(function) and function == np.add.at and len(args) == 3:
            for ref in args[0].refs:
                ev.heap.mark(ref.storage, written=True, active=args[2].active)
            return Abstract(Known(None))
        spelled = SYNONYMS.get(function, function) if _hashable(function) else function
        if has_rule(spelled):
            return self._operation(ev, expr, function, spelled, args, kwargs)
        if _hashable(function) and is_nondifferentiable(spelled) or function in PLAIN_BUILTINS:
            return self._inactive(ev, expr, function, args, kwargs)
        if _user_code(function):
            return self._user(ev, expr, function, args, kwargs)
        return self._opaque(ev, expr, function, args, kwargs)

    def _operation(self, ev: Evaluator, expr: Call, function: Any, spelled: Any, args: list[Abstract],
                   kwargs: dict[str, Abstract]) -> Abstract:
        active = any(item.active for item in [*args, *kwargs.values()])
        for name in ("out", "where", "casting", "dtype"):
            if active and name in kwargs and kwargs[name].value != Known(None):
                raise Refused(f"`{name}=` isn't supported yet where the arguments are differentiated",
                              "write the result to a name, and what it is for on a line of its own", expr.at)
        plain = len(args) == len(expr.args)
        values = [ev.argument_value(e, a) for e, a in zip(expr.args, args)] if plain else [ev.value(a) for a in args]
        value = ev.result(function, values, {k: ev.value(v) for k, v in kwargs.items()})
        if spelled in SURELY_NUMERIC and value == UNKNOWN:
            value = Array(None, None)
        if spelled not in SEVERAL_RESULTS:
            value = numeric(value, *(ev.value(a) for a in args))
        active = any(a.active for a in [*args, *kwargs.values()])
        named = {k: ev.value(v) for k, v in kwargs.items()}
        shares = gives_view(spelled, [ev.value(a) for a in args], named)
        owner = viewed(spelled)
        if shares is not None and len(args) > owner and isinstance(ev.value(args[owner]), Array) \
                and isinstance(value, Array):
            return self._view(ev, expr, spelled, shares, value, args[owner], active, len(args) + len(kwargs) == 1)
        result = ev.fresh(expr, value, active)
        return self._elements_views(ev, result, args) if shares else result

    def _elements_views(self, ev: Evaluator, result: Abstract, owners: list[Abstract]) -> Abstract:
        """np.split and its like: the elements of the list, or tuple, are views."""
        refs = frozenset(ref for owner in owners for ref in ev.view(owner, None))
        if result.items is not None:
            items = tuple(Abstract(part.value, refs | part.refs if isinstance(part.value, Array) else part.refs,
                                   part.varied) for part in result.items)
            ev.heap.unite(ref for part in items for ref in part.refs)
            for ref in (ref for part in items for ref in part.refs):
                ev.heap.mark(ref.storage, loose=True)
            return Abstract(result.value, result.refs, result.varied, items)
        for ref in result.refs:
            for part in list(ref.storage.fields.values()):
                ev.heap.put(ref.storage, "*", Abstract(part.value, refs, part.varied))
        return result

    def _view(self, ev: Evaluator, expr: Expr, function: Any, shares: bool, value: Value, owner: Abstract, active: bool,
              alone: bool) -> Abstract:
        """A view, or what may be one; `alone`: the owner is all that the function is given."""
        transposed = function is np.transpose and alone
        refs = ev.view(owner, Attr(HOLE, "T") if transposed else None)
        if shares:
            return Abstract(value, refs, owner.varied)
        return Abstract(value, ev.perhaps_copy(expr, refs, value, active), owner.varied)

    def _inactive(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict) -> Abstract:
        if function in (sum, min, max, abs, pow, round, divmod) and any(a.active for a in args):
            raise Refused(f"the builtin `{function.__name__}` isn't supported yet where its arguments are "
                          "differentiated",
                          f"use `np.{function.__name__}`, or a loop", expr.at)
        if leaves_the_program(function) and any(a.active for a in [*args, *kwargs.values()]):
            raise Refused(f"a value that is differentiated is sent out of the program by `{function.__name__}`",
                          "call it outside of the function", expr.at)
        if function in (print, isinstance, type, hasattr, id, repr, str, format, callable):
            return self._introspection(ev, function, args)
        if any(isinstance(a.value, Closure) and a.active for a in [*args, *kwargs.values()]):
            raise Refused(f"a function that reads what is differentiated is passed to `{function.__name__}`",
                          "write it as a loop", expr.at)
        if not _hashable(function) or not (is_pure(function) or function in PLAIN_BUILTINS):
            return Abstract(UNKNOWN)
        value = ev.result(function, [ev.value(a) for a in args], {k: ev.value(v) for k, v in kwargs.items()})
        surely = function in SURELY_NUMERIC or isinstance(function, np.ufunc) and function.nout == 1
        result = ev.fresh(expr, Array(None, None) if surely and value == UNKNOWN else value, False)
        return self._elements_views(ev, result, args) if gives_view(function, (), {}) else result

    def _introspection(self, ev: Evaluator, function: Any, args: list[Abstract]) -> Abstract:
        if function is isinstance and len(args) == 2 and isinstance(args[1].value, Known):
            known = _class_of(ev.value(args[0]))
            if known is not None:
                try:
                    return Abstract(Known(issubclass(known, args[1].value.obj)))
                except TypeError:
                    pass
        if function in (str, repr, format) and any(a.active for a in args):
            ev.heap.note_text()
        return Abstract(Known(None) if function is print else UNKNOWN)

    def _user(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict,
              receiver: bool = False) -> Abstract:
        self.callees[(ev.site, id(expr))] = (function, receiver)
        if self.user_result is not None:
            result = self.user_result(ev, expr, function, receiver, args, kwargs)
            if result is not None:
                return result
        return Abstract(UNKNOWN, varied=any(a.active for a in [*args, *kwargs.values()]))

    def _opaque(self, ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict) -> Abstract:
        """Code that can't be looked into: fine as long as nothing that is differentiated gets there."""
        if any(a.active for a in [*args, *kwargs.values()]):
            if function is None:
                raise Refused("it isn't known which function this calls, so it can't be differentiated",
                              "call a function by its name, or pass it as an argument", expr.at)
            name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) \
                or type(function).__name__
            module = getattr(function, "__module__", None)
            full = f"{module}.{name}" if module and module not in ("builtins", "__main__") else name
            raise Refused(f"there is no derivative rule for `{full}`",
                          "write it with supported NumPy functions, or pass its result as an argument", expr.at)
        for item in [*args, *kwargs.values()]:
            for ref in item.refs:
                ev.heap.mark(ref.storage, loose=True)
        return Abstract(UNKNOWN)

    # ------------------------------------------------------------ methods

    def _method(self, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, env: Env) -> Abstract:
        name = func.name
        value = ev.value(owner)
        args, kwargs = self._arguments(ev, expr, env)
        if isinstance(value, (Array, Number)):
            return self._array_method(ev, expr, func, owner, value, args, kwargs)
        if isinstance(value, ListOf):
            return self._list_method(ev, expr, owner, name, args)
        if isinstance(value, DictOf) and name == "get":
            return ev.element(owner, args[0].value.obj if isinstance(args[0].value, Known) else None)
        if isinstance(value, ObjectOf):
            return self._object_method(ev, expr, owner, value, name, args, kwargs, env)
        return self._opaque(ev, expr, None, [owner, *args], kwargs)

    def _object_method(self, ev: Evaluator, expr: Call, owner: Abstract, value: ObjectOf, name: str,
                       args: list[Abstract], kwargs: dict, env: Env) -> Abstract:
        if name in dict(value.fields):
            function = ev(expr.func, env).value
            return self._opaque(ev, expr, None, args, kwargs) if not isinstance(function, Known) \
                else self.known(ev, expr, function.obj, args, kwargs)
        found = getattr(value.cls, name, None)
        if found is not None:
            ev.guards[("attribute", id(value.cls), name)] = guard_attribute(value.cls, name, Known(found))
        if isinstance(inspect.getattr_static(value.cls, name, None), (staticmethod, classmethod)):
            return self.known(ev, expr, found, args, kwargs)
        if isinstance(found, types.FunctionType):
            return self._user(ev, expr, found, [owner, *args], kwargs, receiver=True)
        return self._opaque(ev, expr, found, [owner, *args], kwargs)

    def _array_method(self, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, value: Value,
                      args: list[Abstract], kwargs: dict) -> Abstract:
        name = func.name
        active = owner.active or any(a.active for a in [*args, *kwargs.values()])
        function = METHODS.get(name)
        if name in ("fill", "sort", "partition", "put", "resize", "itemset", "setflags", "setfield", "byteswap"):
            raise Refused(f"the method `{name}`, which changes the array in place, isn't supported yet",
                          "assign to items or slices", expr.at)
        if function is None and active and (name in ("tolist", "item") or not _inactive_method(name)):
            raise Refused(f"the array method `{name}` isn't supported", "use a supported NumPy function", expr.at)
        values, named = tuple(ev.value(a) for a in args), {k: ev.value(v) for k, v in kwargs.items()}
        result = operations.method(value, name, values, named)
        active = active and not _inactive_method(name)
        result = numeric(result, value)
        shares = gives_view(_AS_METHODS.get(name, function), (value, *values), named)
        if shares is not None and isinstance(value, Array) and isinstance(result, Array):
            return self._view(ev, expr, function, shares, result, owner, active, not args and not kwargs)
        return ev.fresh(expr, result, active)

    def _list_method(self, ev: Evaluator, expr: Call, owner: Abstract, name: str, args: list[Abstract]) -> Abstract:
        if name == "append" and len(args) == 1:
            for ref in owner.refs:
                ev.heap.mark(ref.storage, written=True)
                ev.heap.put(ref.storage, "*", args[0])
            return Abstract(Known(None))
        if name in ("index", "count"):
            return Abstract(Number("int"))
        if name == "copy":
            return ev.container_item(expr, owner, Abstract(operations.SliceOf(None, None, None)))
        raise Refused(f"the list method `{name}` isn't supported yet", "use `append` and items", expr.at)


def _inactive_method(name: str) -> bool:
    function = METHODS.get(name)
    return function is not None and not has_rule(function)


def _user_code(function: Any) -> bool:
    return is_user_function(function)


def _hashable(function: Any) -> bool:
    try:
        hash(function)
    except TypeError:
        return False
    return True


def _class_of(value: Value) -> type | None:
    match value:
        case Known(obj):
            return type(obj)
        case Number(kind, dtype):
            return dtype.type if dtype is not None else getattr(builtins, kind)
        case Array(_, dims):
            return None if dims is None else np.ndarray
        case TupleOf(_, cls) | ObjectOf(cls, _):
            return cls
        case ListOf():
            return list
        case DictOf():
            return dict
    return None
