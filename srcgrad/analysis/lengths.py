"""Symbols in lengths that aren't the size of an argument: loop variables, and what depends on them.

An `Iteration` is the value of one loop's variable *in this iteration*.  Where two lengths of one iteration are the same
form they are equal, whatever the variable is.  A value that outlives the iteration must forget them (`forget`).
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.values import Array, DictOf, Linear, ListOf, Number, ObjectOf, OneOf, TupleOf, Value, held


@dataclass(frozen=True)
class Iteration:
    """The variable of a function's loop with this number, in the iteration that is running.  It may be negative."""
    loop: int


@dataclass(frozen=True)
class SliceLength:
    """How long `lower:upper:step` of a dimension is.  A bound of None isn't there, which only a negative step has."""
    lower: Linear | None
    upper: Linear | None
    step: int
    length: Linear

    @property
    def forms(self) -> tuple[Linear | None, ...]:
        return self.lower, self.upper, self.length


def slice_length(lower: Linear | None, upper: Linear | None, step: int, length: Linear) -> Linear:
    """How long `lower:upper:step` of a dimension is; the same form wherever the bounds and the dimension are.

    >>> n, k = Linear.symbol(("x", 0)), Linear.symbol("k")
    >>> slice_length(k, None, 1, n) == slice_length(k, n, 1, n), slice_length(None, n, 1, n) == n
    (True, True)
    """
    if step > 0:
        lower = Linear(0) if lower is None else lower
        upper = length if upper is None else upper
    if all(form is None or form.constant is not None for form in (lower, upper, length)):
        bounds = slice(None if lower is None else lower.const, None if upper is None else upper.const, step)
        return Linear(len(range(length.const)[bounds]))
    if step > 0 and lower == upper:
        return Linear(0)
    if step == 1 and lower == Linear(0) and upper == length:
        return length
    return Linear.symbol(SliceLength(lower, upper, step, length))


def clamp(form: Linear) -> Linear:
    """max(0, form): the form itself where it can't be negative.

    >>> clamp(Linear(-2)), clamp(Linear.symbol(("x", 0))) == Linear.symbol(("x", 0))
    (Linear(const=0, terms=()), True)
    """
    if form.constant is not None:
        return Linear(max(0, form.constant))
    if form.const >= 0 and all(c > 0 and is_length(token) for token, c in form.terms):
        return form
    return Linear.symbol(("clamp", form))


def is_length(token: Any) -> bool:
    """Whether a symbol is an array's length, and so never negative."""
    match token:
        case ("clamp", Linear()) | (str(), int()) | SliceLength():
            return True
    return False


# ---------------------------------------------------------------- what is inside a symbol

def inner_forms(token: Any) -> tuple[Linear, ...]:
    """The forms that a symbol is a function of."""
    match token:
        case SliceLength():
            return tuple(form for form in token.forms if form is not None)
        case ("clamp", Linear() as form):
            return (form,)
    return ()


def map_inner(form: Linear, new: Callable[[Linear], Linear]) -> Linear:
    """The form with `new` applied to what its symbols are functions of."""
    if not any(inner_forms(token) for token, _ in form.terms):
        return form
    out = Linear(form.const)
    for token, c in form.terms:
        out = out + _map_token(token, new) * c
    return out


def _map_token(token: Any, new: Callable[[Linear], Linear]) -> Linear:
    match token:
        case SliceLength(lower, upper, step, length):
            return slice_length(lower and new(lower), upper and new(upper), step, new(length))
        case ("clamp", Linear() as form):
            return clamp(new(form))
    return Linear.symbol(token)


def weight(form: Linear) -> int:
    """How much there is in a form: more than in any form inside it."""
    return 1 + sum(1 + sum(map(weight, inner_forms(token))) for token, _ in form.terms)


def value_of(form: Linear, sizes: Callable[[Any], int | None]) -> int | None:
    """The form's value, given that of the arguments' symbols; None where it isn't known.

    >>> n = Linear.symbol(("x", 0))
    >>> value_of(slice_length(Linear(1), n - Linear(1), 2, n), {("x", 0): 6}.get)
    2
    """
    total = form.const
    for token, c in form.terms:
        value = _value_of_token(token, sizes)
        if value is None:
            return None
        total += c * value
    return total


def _value_of_token(token: Any, sizes: Callable[[Any], int | None]) -> int | None:
    match token:
        case Iteration():
            return None
        case ("clamp", Linear() as inner):
            value = value_of(inner, sizes)
            return None if value is None else max(0, value)
        case SliceLength(lower, upper, step, length):
            parts = [None if form is None else value_of(form, sizes) for form in (lower, upper)]
            size = value_of(length, sizes)
            if size is None or any(part is None and form is not None for part, form in zip(parts, (lower, upper))):
                return None
            return len(range(size)[parts[0]:parts[1]:step])
    return sizes(token)


# ---------------------------------------------------------------- iterations

def varies(form: Linear, loop: int | None = None) -> bool:
    """Whether a form depends on the variable of a loop: of any, or of this one."""
    return any(isinstance(token, Iteration) and loop in (None, token.loop)
               or any(varies(inner, loop) for inner in inner_forms(token)) for token, _ in form.terms)


def forget(value: Value, loop: int | None = None) -> Value:
    """What is known of the value in other iterations, of any loop or of this one.

    >>> forget(Array(None, (Linear.symbol(Iteration(0)), Linear(2)))).dims
    (None, Linear(const=2, terms=()))
    """
    if not _has_iterations(value):
        return value
    match value:
        case Array(dtype, dims) if dims and any(d is not None and varies(d, loop) for d in dims):
            return Array(dtype, tuple(None if d is None or varies(d, loop) else d for d in dims))
        case Number(kind, dtype, linear) if linear is not None and varies(linear, loop):
            return Number(kind, dtype)
        case TupleOf(items, cls):
            return TupleOf(tuple(forget(v, loop) for v in items), cls)
        case ListOf(item, cls) if item is not None:
            return ListOf(forget(item, loop), cls)
        case DictOf(items, other):
            return DictOf(tuple((k, forget(v, loop)) for k, v in items), other and forget(other, loop))
        case ObjectOf(cls, fields):
            return ObjectOf(cls, tuple((k, forget(v, loop)) for k, v in fields))
        case OneOf(kinds):
            return OneOf(tuple(forget(kind, loop) for kind in kinds))
    return value


def _has_iterations(value: Value) -> bool:
    # kept with the value, which never changes: everything that outlives an iteration is asked
    known: bool | None = value.__dict__.get("_has_iterations")
    if known is None:
        known = value.__dict__["_has_iterations"] = _varies(value)
    return known


def _varies(value: Value) -> bool:
    match value:
        case Array(_, dims):
            return any(d is not None and varies(d) for d in dims or ())
        case Number(_, _, linear):
            return linear is not None and varies(linear)
    return any(map(_has_iterations, held(value) or (value.kinds if isinstance(value, OneOf) else ())))
