"""What a pure function gives: the abstract value of a call, of an attribute and of a method call.

Nothing here raises: what can't be known is UNKNOWN, or has unknown lengths.
"""
from __future__ import annotations

import functools
import itertools
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.agreement import agree
from srcgrad.analysis.interpret.attributes import attribute
from srcgrad.analysis.interpret.exact import exact_result
from srcgrad.analysis.interpret.indexing import Index, SliceOf, getitem
from srcgrad.analysis.interpret.objects import of_object
from srcgrad.analysis.interpret.standins import (
    LITERALS,
    Lengths,
    NoStandin,
    Run,
    Unify,
    all_runs,
    broadcast,
    build,
    forms_of,
    map_inside,
    number_like,
    prepare,
    read,
)
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    TupleOf,
    Value,
    join,
    number_of,
)

__all__ = ["Index", "SliceOf", "attribute", "getitem", "method", "of_object", "result"]

Args = tuple[Value, ...]
Kwargs = dict[str, Value]

_ELEMENTWISE = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.pos, operator.abs, operator.invert, operator.and_, operator.or_, operator.xor,
    operator.lshift, operator.rshift, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    abs, pow, divmod, np.where, np.clip, np.isclose}
# how many dimensions these have is known, but not how long they are
_DATA_DEPENDENT = {
    np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress, np.extract, np.bincount, np.repeat, np.where,
    np.trim_zeros, np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d, np.delete, np.insert, np.roots, np.poly,
    np.polymul, np.polyadd, np.polysub, np.polydiv, np.arange, np.histogram_bin_edges, np.linalg.lstsq}
_SHAPES = {np.shape, np.ndim, np.size}
_HEAVY = {math.factorial, math.comb, math.perm, operator.pow, operator.lshift, pow}
_FOLDED = 32                                # larger constants might take long to run with
_MEMO_SIZE = 20_000
_Asked = tuple[tuple[Linear, Linear, "Linear | None"], ...]      # (one length, the other, what both are)
_memo: dict[Any, tuple[_Asked, Value]] = {}                      # a result, and the answers on which it rests


def result(function: Any, args: Args, kwargs: Kwargs, unify: Unify | None = None) -> Value:
    """What calling the pure `function` gives.

    `unify(p, q)` is asked where two different lengths must be equal for the call to succeed; it returns the length
    that both are, or None.

    >>> x = Array(np.dtype("f4"), (Linear.symbol(("x", 0)), Linear(3)))
    >>> result(np.sum, (x,), {"axis": Known(0)})
    Array(dtype=dtype('float32'), dims=(Linear(const=3, terms=()),))
    """
    try:
        key = (function, args, tuple(kwargs.items()))
        found = _memo.get(key)
    except TypeError:
        return UNKNOWN
    unify = unify or _never
    if found is not None and all(unify(p, q) == answer for p, q, answer in found[0]):
        return found[1]
    return _first_result(key, kwargs, unify)


def _never(p: Linear, q: Linear) -> None:
    return None


def _first_result(key: tuple[Any, Args, Any], kwargs: Kwargs, unify: Unify) -> Value:
    asked: list[tuple[Linear, Linear, Linear | None]] = []

    def ask(p: Linear, q: Linear) -> Linear | None:
        asked.append((p, q, unify(p, q)))
        return asked[-1][2]

    function, args, _ = key
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = _compute(function, args, kwargs, ask)
    if all(map(_lasting, (*args, *kwargs.values()))):
        if len(_memo) > _MEMO_SIZE:
            _memo.clear()
        _memo[key] = tuple(asked), value
    return value


def _lasting(value: Value) -> bool:
    """Whether nothing in the value can change in place."""
    match value:
        case Known(obj):
            return isinstance(obj, (*LITERALS, type, np.dtype, np.generic)) or callable(obj)
        case TupleOf(items):
            return all(map(_lasting, items))
        case ListOf(item):
            return item is None or _lasting(item)
        case DictOf(items, other):
            return all(_lasting(v) for _, v in items) and (other is None or _lasting(other))
    return True


def _compute(function: Any, args: Args, kwargs: Kwargs, unify: Unify) -> Value:
    if function is operator.getitem and len(args) == 2:
        return getitem(args[0], args[1], unify)
    if function is getattr and len(args) == 2 and isinstance(args[1], Known):
        return attribute(args[0], args[1].obj)
    if function is sum and not kwargs:
        return _added(args, unify)
    for attempt in (_folded, exact_result):
        found = attempt(function, args, kwargs)
        if found is not None:
            return found
    found = _elementwise(function, args, kwargs, unify)
    return _by_standins(function, args, kwargs, unify) if found is None else found


# ---------------------------------------------------------------- constants

def _folded(function: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """The result on constants, by calling the function."""
    try:
        objs = [_constant(v, _is_cheap(function, args)) for v in args]
        keywords = {k: _constant(v, False) for k, v in kwargs.items()}
    except NoStandin:
        return None
    try:
        obj = function(*objs, **keywords)
    except Exception:
        return UNKNOWN
    return Known(obj) if type(obj) in LITERALS else read([obj], Lengths((), ()), True)


def _is_cheap(function: Any, args: Args) -> bool:
    """Whether the function is quick and its result small, however large its arguments."""
    home = getattr(function, "__module__", None)
    return home in ("_operator", "math", "builtins") and function not in _HEAVY and all(map(number_of, args))


def _constant(value: Value, any_size: bool) -> Any:
    match value:
        case Known(obj) if isinstance(obj, (*LITERALS, type, np.dtype)):
            out = obj
        case Number("int", None, linear) if linear is not None and not linear.terms:
            out = linear.const
        case TupleOf(items, cls) if cls in (tuple, list):
            return cls(_constant(v, any_size) for v in items)
        case _:
            raise NoStandin("no constant")
    if type(out) is int and abs(out) > _FOLDED and not any_size:
        raise NoStandin("large")
    return out


# ---------------------------------------------------------------- elementwise

def _elementwise(function: Any, args: Args, kwargs: Kwargs, unify: Unify) -> Value | None:
    """The result of an operation that broadcasts; None where it isn't one, on these arguments."""
    if not _broadcasts(function, args, kwargs):
        return None
    parts = _with_arrays(function, (*args, *kwargs.values()))
    shapes = [_dims_of(v) for v in parts]
    if any(s is _NOT_NUMERIC for s in shapes):
        return None
    known = [s for s in shapes if s is not None]
    dims = broadcast(known, unify) if len(known) == len(shapes) else None
    if dims is None and not any(known):
        return UNKNOWN
    small = tuple(map(_one_element, parts))
    call = TupleOf((TupleOf(small[:len(args)]), DictOf(tuple(zip(kwargs, small[len(args):])))))
    count = 3 if any(isinstance(v, Array) and v.dtype is None for v in parts) else 1
    try:
        objs = [_built_call(function, call, Run(i, {})) for i in range(count)]
    except Exception:
        return UNKNOWN
    return _with_dims(read(objs, Lengths((), ()), False), dims)


def _broadcasts(function: Any, args: Args, kwargs: Kwargs) -> bool:
    if isinstance(function, np.ufunc):
        return function.signature is None and not kwargs
    return function in _ELEMENTWISE and not (function is np.where and len(args) != 3)


def _with_arrays(function: Any, parts: Args) -> Args:
    """Lists and tuples as the arrays that NumPy makes of them."""
    numpy = isinstance(function, np.ufunc) or function in (np.where, np.clip, np.isclose)
    if numpy or any(isinstance(v, Array) or getattr(v, "dtype", None) is not None for v in parts):
        return tuple(result(np.asarray, (v,), {}) if isinstance(v, (TupleOf, ListOf)) else v for v in parts)
    return parts


_NOT_NUMERIC: Any = object()


def _dims_of(value: Value) -> tuple[Linear | None, ...] | None:
    match value:
        case Array(_, dims):
            return dims
        case Known(np.ndarray() as obj):
            return tuple(map(Linear, obj.shape))
        case Known(None):
            return ()
    return _NOT_NUMERIC if number_of(value) is None and not _is_scalar(value) else ()


def _is_scalar(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.obj, np.generic)


def _one_element(value: Value) -> Value:
    match value:
        case Array(dtype, dims):
            return Array(dtype, (Linear(1),) * len(dims or ()) if dims is not None else (Linear(1),))
        case Known(np.ndarray() as obj):
            return Array(obj.dtype, (Linear(1),) * obj.ndim)
        case Number(kind, dtype, linear) if linear is not None and linear.terms:
            return Number(kind, dtype)
    return value


def _with_dims(value: Value, dims: tuple[Linear | None, ...] | None) -> Value:
    if isinstance(value, Array):
        return Array(value.dtype, dims)
    return map_inside(value, lambda v: _with_dims(v, dims)) if isinstance(value, TupleOf) else value


# ---------------------------------------------------------------- stand-ins

def _by_standins(function: Any, args: Args, kwargs: Kwargs, unify: Unify) -> Value:
    numbers = itertools.count()
    call = TupleOf((TupleOf(tuple(prepare(v, numbers) for v in args)),
                    DictOf(tuple((k, prepare(v, numbers)) for k, v in kwargs.items()))))
    prepared = agree(function, call, unify)
    forms = tuple(dict.fromkeys(forms_of(prepared)))
    try:
        runs = all_runs(forms)
        value = _distinct(function, prepared, runs, [form for form, _ in forms])
        if value is None:
            value = _equal(function, prepared, any(form.terms for form, length in forms if not length))
    except NoStandin:
        return UNKNOWN
    return _erased(value) if _depends_on_data(function, args) else value


def _depends_on_data(function: Any, args: Args) -> bool:
    if function is np.repeat:
        return len(args) < 2 or number_of(args[1]) is None
    return function in _DATA_DEPENDENT


def _distinct(function: Any, call: Value, runs: Sequence[Run], forms: list[Linear]) -> Value | None:
    """The result by runs with distinct sizes; None where the function fails on them."""
    done: list[Run] = []
    objs = []
    for run in runs:
        try:
            objs.append(_built_call(function, call, run))
        except NoStandin:
            raise
        except Exception:
            # sizes of 1 and 0 only confirm
            if run.index < 2:
                return None
        else:
            done.append(run)
    return read(objs, Lengths(forms, done), function in _SHAPES)


def _equal(function: Any, call: Value, integers: bool) -> Value:
    """Rank and dtype by runs where all lengths are equal, and can be split in 2, 3, 4, 6 and 12."""
    for whole in (None, 0) if integers else (None,):
        runs = [Run(0, {}, 12, 1.5, whole), Run(1, {}, 24, 1.5, whole)]
        try:
            objs = [_built_call(function, call, run) for run in runs]
        except NoStandin:
            raise
        except Exception:
            continue
        value = read(objs, Lengths((), runs), function in _SHAPES)
        return value if whole is None else _erased(value)
    return UNKNOWN


def _built_call(function: Any, call: Value, run: Run) -> Any:
    args, kwargs = build(call, run)
    return function(*args, **kwargs)


def _erased(value: Value) -> Value:
    if isinstance(value, Array):
        return Array(value.dtype, value.dims and (None,) * len(value.dims))
    return map_inside(value, _erased)


def _added(args: Args, unify: Unify) -> Value:
    """sum(items, start): an empty list gives the start."""
    start = args[1] if len(args) == 2 else Known(0)

    def add(a: Value, b: Value) -> Value:
        return result(operator.add, (a, b), {}, unify)

    match args[:1]:
        case (ListOf(None),):
            return start
        case (ListOf(item),) if item is not None:
            once = add(start, item)
            return functools.reduce(join, (start, once, add(once, item)))
        case (TupleOf(items),):
            return functools.reduce(add, items, start)
        case (Array(dtype, (_,)),):
            return add(start, number_like(dtype))
        case (Array(dtype, (first, *rest)),) if first is not None and first.constant:
            return add(start, Array(dtype, tuple(rest)))
    return UNKNOWN


# ---------------------------------------------------------------- methods

PURE_METHODS = frozenset((
    "all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum "
    "diagonal dot flatten item max mean min nonzero prod ravel repeat reshape round searchsorted squeeze std sum "
    "swapaxes take tobytes tolist trace transpose var view bit_length is_integer hex").split())
# methods whose lengths a function's rule knows better
_AS_FUNCTION = {"clip": np.clip, "dot": np.dot, "nonzero": np.nonzero, "repeat": np.repeat, "compress": np.compress}
PURE_STRING_METHODS = frozenset(
    "upper lower strip lstrip rstrip startswith endswith split join format replace title count find isdigit".split())


def method(value: Value, name: str, args: Args, kwargs: Kwargs, unify: Unify | None = None) -> Value:
    """What calling the method gives, if it is a pure one of arrays, numbers or strings.

    >>> method(Number("float"), "is_integer", (), {})
    Number(kind='bool', dtype=None, linear=None)
    """
    match value:
        case Known(str()) if name in PURE_STRING_METHODS:
            return result(_caller(name), (value, *args), kwargs)
        case Array() | Number() | Known(np.ndarray() | np.generic) if name in PURE_METHODS:
            pass
        case _:
            return UNKNOWN
    if name == "reshape" and isinstance(value, Array):
        shape = args[0] if len(args) == 1 else TupleOf(args)
        return result(np.reshape, (value, shape), kwargs, unify) if args else UNKNOWN
    if name == "compress":
        return result(np.compress, (args[0], value, *args[1:]), kwargs, unify) if args else UNKNOWN
    return result(_AS_FUNCTION.get(name) or _caller(name), (value, *args), kwargs, unify)


@functools.cache
def _caller(name: str) -> Callable[..., Any]:
    """A function that calls the method, the same one each time."""
    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(owner, name)(*args, **kwargs)
    return call
