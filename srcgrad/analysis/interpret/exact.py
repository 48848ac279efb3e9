"""Functions whose result is known without a stand-in call, or that a stand-in call would get wrong: what depends on
an integer's value, on a length's value, or on an object's class alone."""
from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from types import UnionType
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.indexing import SliceOf
from srcgrad.analysis.interpret.standins import LITERALS, number_like
from srcgrad.analysis.lengths import clamp
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Unknown,
    Value,
    join,
    number_of,
)

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
Rule = Callable[[Args, Kwargs], "Value | None"]


def exact_result(function: Any, args: Args, kwargs: Kwargs) -> Value | None:
    """The result where a rule here knows it, else None.

    >>> n = Number("int", None, Linear.symbol("n"))
    >>> exact_result(operator.gt, (n, n), {})
    Known(obj=False)
    """
    rule = EXACT.get(function)
    return None if rule is None else rule(args, kwargs)


def whole(value: Value) -> Linear | None:
    """A Python int's value."""
    number = number_of(value)
    return number.linear if number is not None and number.kind == "int" and number.dtype is None else None


def _is_int(value: Value) -> bool:
    number = number_of(value)
    return number is not None and number.kind == "int" and number.dtype is None


def class_of(value: Value) -> type | None:
    """The class of the object, None where it isn't certain."""
    match value:
        case Known(obj):
            return type(obj)
        case Number(kind, dtype):
            return getattr(builtins, kind) if dtype is None else dtype.type
        case Array(_, dims):
            return None if dims is None else np.ndarray
        case TupleOf(_, cls) | ListOf(_, cls) | ObjectOf(cls, _):
            return cls
    return {DictOf: dict, RangeOf: range, SliceOf: slice}.get(type(value))


# ---------------------------------------------------------------- integers

def _arithmetic(op: Callable[[Linear, Linear], Linear | None]) -> Rule:
    def rule(args: Args, kwargs: Kwargs) -> Value | None:
        forms = [whole(v) for v in args]
        if len(forms) != 2 or forms[0] is None or forms[1] is None:
            return None
        form = op(forms[0], forms[1])
        return None if form is None else Number("int", None, form)
    return rule


def _times(p: Linear, q: Linear) -> Linear | None:
    if p.constant is None:
        p, q = q, p
    return None if p.constant is None else q * p.constant


def _signed(sign: int) -> Rule:
    def rule(args: Args, kwargs: Kwargs) -> Value | None:
        form = whole(args[0]) if len(args) == 1 else None
        return None if form is None else Number("int", None, form * sign)
    return rule


def _comparison(op: Callable[[Any, Any], bool]) -> Rule:
    def rule(args: Args, kwargs: Kwargs) -> Value | None:
        forms = [whole(v) for v in args]
        if len(forms) == 2 and forms[0] is not None and forms[1] is not None:
            difference = (forms[0] - forms[1]).constant
            return Number("bool") if difference is None else Known(op(difference, 0))
        return None
    return rule


def _power(args: Args, kwargs: Kwargs) -> Value | None:
    if len(args) != 2 or not all(map(_is_int, args)):
        return None
    exponent = whole(args[1])
    # a negative exponent would make it a float
    sure = exponent is not None and exponent.constant is not None and exponent.constant >= 0
    return Number("int") if sure else Number("float")


# ---------------------------------------------------------------- objects

def _is(same: bool) -> Rule:
    def rule(args: Args, kwargs: Kwargs) -> Value | None:
        a, b = args if len(args) == 2 else (UNKNOWN, UNKNOWN)
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Known) and isinstance(one.obj, (bool, type(None), type(Ellipsis))):
                if isinstance(other, Known):
                    return Known((one.obj is other.obj) == same)
                kind = class_of(other)
                if kind is not None and kind is not type(one.obj):
                    return Known(not same)
        return Number("bool")
    return rule


def _isinstance(args: Args, kwargs: Kwargs) -> Value:
    kind = class_of(args[0]) if len(args) == 2 else None
    wanted = args[1].items if len(args) == 2 and isinstance(args[1], TupleOf) else args[1:]
    classes = tuple(w.obj for w in wanted if isinstance(w, Known) and isinstance(w.obj, (type, UnionType)))
    return Number("bool") if kind is None or len(classes) < len(wanted) else Known(issubclass(kind, classes))


def _type(args: Args, kwargs: Kwargs) -> Value:
    kind = class_of(args[0]) if len(args) == 1 else None
    return UNKNOWN if kind is None else Known(kind)


def _len(args: Args, kwargs: Kwargs) -> Value:
    match args:
        case (Array(_, dims),):
            return Number("int", None, dims[0]) if dims else Number("int") if dims is None else UNKNOWN
        case (TupleOf(items),):
            return Number("int", None, Linear(len(items)))
    return Number("int")


def _contains(args: Args, kwargs: Kwargs) -> Value:
    match args:
        case DictOf(items, other), Known(key) if isinstance(key, LITERALS):
            found = any(Known(k) == args[1] for k, _ in items)
            unsure = other is not None or isinstance(key, (bool, int, float, complex))
            return Known(True) if found else Number("bool") if unsure else Known(False)
    return Number("bool")


def _not(args: Args, kwargs: Kwargs) -> Value:
    match args:
        case (Known(obj),) if isinstance(obj, LITERALS):
            return Known(not obj)
    return Number("bool")


def _always(value: Value) -> Rule:
    return lambda args, kwargs: value


def _float(args: Args, kwargs: Kwargs) -> Value | None:
    return Number("float") if args and isinstance(args[0], (Unknown, Closure)) else None


def _int(args: Args, kwargs: Kwargs) -> Value | None:
    form = whole(args[0]) if len(args) == 1 else None
    if form is not None:
        return Number("int", None, form)
    number = number_of(args[0]) if len(args) == 1 else None
    if number is not None and number.kind == "int" and number.linear is not None:
        return Number("int", None, number.linear)
    return Number("int") if args and isinstance(args[0], (Unknown, Closure)) else None


def _extreme(args: Args, kwargs: Kwargs) -> Value | None:
    """One of several arguments or of the items of one."""
    candidates = args
    match args:
        case (TupleOf(items),):
            candidates = items
        case (ListOf(item),) if item is not None:
            candidates = (item,)
        case (_,):
            return None
    if not candidates or kwargs:
        return UNKNOWN
    numbers = [number_of(v) for v in candidates]
    general: list[Value] = [Number(n.kind, n.dtype) for n in numbers if n is not None]
    return functools.reduce(join, general) if len(general) == len(candidates) else UNKNOWN


def _slice(args: Args, kwargs: Kwargs) -> Value:
    return SliceOf(None, *args) if len(args) == 1 else SliceOf(*args)


# ---------------------------------------------------------------- shapes

def _shape(args: Args, kwargs: Kwargs) -> Value | None:
    """np.shape(a) where not even the rank is known."""
    return ShapeOf() if len(args) == 1 and isinstance(args[0], Array) and args[0].dims is None else None


def _filled(args: Args, kwargs: Kwargs) -> Value | None:
    """np.zeros(shape) and the like, where the shape isn't known."""
    if not args or kwargs:
        return None
    shape = args[0]
    items = shape.items if isinstance(shape, TupleOf) else (shape,)
    if all(whole(item) is not None for item in items):
        return None
    if isinstance(shape, TupleOf) or _integer(shape):
        return Array(np.dtype(float), tuple(map(whole, items)))
    return Array(np.dtype(float), None)


def _reshape(args: Args, kwargs: Kwargs) -> Value | None:
    if len(args) < 2 or kwargs.keys() - {"order", "copy"} or not isinstance(args[0], Array):
        return None
    array, shape = args[0], args[1:]
    if len(shape) == 1 and isinstance(shape[0], TupleOf):
        shape = shape[0].items
    if len(shape) == 1 and not _integer(shape[0]):
        return Array(array.dtype, None)
    forms = [_integer_form(v) for v in shape]
    open_axes = [i for i, form in enumerate(forms) if form == Linear(-1)]
    # an unknown or symbolic integer could be -1
    dims = [form if form is not None and (form.constant is not None or not _could_be_open(form)) else None
            for form in forms]
    for axis in open_axes:
        others = dims[:axis] + dims[axis + 1:]
        dims[axis] = _quotient(array.dims, others) if len(open_axes) == 1 else None
    return Array(array.dtype, tuple(dims))


def _integer(value: Value) -> bool:
    number = number_of(value)
    return number is not None and number.kind == "int"


def _integer_form(value: Value) -> Linear | None:
    number = number_of(value)
    return None if number is None else number.linear


def _could_be_open(form: Linear) -> bool:
    return clamp(form) != form


def _quotient(dims: tuple[Linear | None, ...] | None, others: list[Linear | None]) -> Linear | None:
    """The length that is left for a -1, where the division is plain."""
    if dims is None or None in dims or None in others:
        return None
    left = [d for d in dims if d is not None and d.terms]
    constant = math.prod(d.const for d in dims if d is not None and not d.terms)
    divisor = math.prod(d.const for d in others if d is not None and not d.terms)
    for other in others:
        if other is not None and other.terms:
            if other not in left:
                return None
            left.remove(other)
    if len(left) > 1 or not divisor or constant % divisor:
        return None
    return (left[0] if left else Linear(1)) * (constant // divisor)


def _arange(args: Args, kwargs: Kwargs) -> Value | None:
    if kwargs or not 1 <= len(args) <= 3:
        return None
    numbers = [number_of(v) for v in args]
    if any(n is None or n.dtype is not None or n.kind not in ("int", "float") for n in numbers):
        return Array(None, (None,))
    if any(n is not None and n.kind == "float" for n in numbers):
        return Array(np.dtype(float), (None,))
    forms = [whole(v) for v in args]
    start, stop = (Linear(), forms[0]) if len(forms) == 1 else (forms[0], forms[1])
    plain = start is not None and stop is not None and (len(forms) < 3 or forms[2] == Linear(1))
    return Array(np.dtype(int), (clamp(stop - start) if plain and stop and start is not None else None,))


EXACT: dict[Any, Rule] = {
    operator.add: _arithmetic(operator.add), operator.sub: _arithmetic(operator.sub), operator.mul: _arithmetic(_times),
    operator.neg: _signed(-1), operator.pos: _signed(1), operator.pow: _power, builtins.pow: _power,
    operator.is_: _is(True), operator.is_not: _is(False), operator.not_: _not, operator.contains: _contains,
    isinstance: _isinstance, type: _type, len: _len, slice: _slice, callable: _always(Number("bool")),
    hasattr: _always(Number("bool")), issubclass: _always(Number("bool")), bool: _always(Number("bool")),
    range: _always(RangeOf()), float: _float, int: _int, max: _extreme, min: _extreme,
    np.shape: _shape, np.zeros: _filled, np.ones: _filled, np.empty: _filled, np.reshape: _reshape, np.arange: _arange}
EXACT |= {op: _comparison(op) for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)}


# ---------------------------------------------------------------- products

def _vdot(args: Args, kwargs: Kwargs) -> Value | None:
    """A number, whatever shapes its arguments have."""
    match args:
        case (Array(a, _), Array(b, _)) if not kwargs and (a is not None or b is not None):
            return number_like(np.result_type(*(np.float64 if dtype is None else dtype for dtype in (a, b))))
    return None


EXACT[np.vdot] = _vdot


# ---------------------------------------------------------------- windows

def _windows(args: Args, kwargs: Kwargs) -> Value | None:
    """sliding_window_view(x, window_shape, axis): each window is one shorter than what it slides over, or more."""
    values = dict(zip(("x", "window_shape", "axis"), args), **kwargs)
    x, window, axis = values.get("x"), values.get("window_shape", UNKNOWN), values.get("axis", Known(None))
    if not isinstance(x, Array):
        return None
    if x.dims is None or not isinstance(axis, Known) and number_of(axis) is None:
        return Array(x.dtype, None)
    sizes = window.items if isinstance(window, TupleOf) else (window,)
    if not all(map(_is_int, sizes)):
        return Array(x.dtype, None)
    lengths = [whole(n) for n in sizes]
    dims = list(x.dims)
    known = number_of(axis)
    first = 0 if known is None else None if known.linear is None else known.linear.constant
    for k, length in enumerate(lengths):
        place = None if first is None else first + k
        if place is None or length is None or (dim := dims[place]) is None:
            dims = [None] * len(dims)
            break
        dims[place] = dim + Linear(1) - length
    return Array(x.dtype, (*dims, *lengths))


EXACT[np.lib.stride_tricks.sliding_window_view] = _windows
