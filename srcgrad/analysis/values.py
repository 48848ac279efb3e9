"""Abstract values: what the interpreter knows of a value without running the program.

A value says what kind of thing an expression gives; who shares storage with whom and what is
active is kept beside it (`analysis.interpret.state`).  Everything is frozen and hashable, `join` gives what is
true of both of two values, and `UNKNOWN` is always right.
"""
from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Linear:
    """An integer as constant + sum of coefficient * symbol; symbols are hashable tokens, sorted by repr."""
    const: int = 0
    terms: tuple[tuple[Any, int], ...] = ()

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Linear) and self.const == other.const and self.terms == other.terms

    def __hash__(self) -> int:
        # kept, since forms nest, and tables are looked up by them all the time
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash((self.const, self.terms))
        return known

    @staticmethod
    def symbol(token) -> Linear:
        return Linear(0, ((token, 1),))

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for token, c in other.terms:
            terms[token] = terms.get(token, 0) + c
        kept = [(t, c) for t, c in terms.items() if c]
        if len(kept) > 1:
            kept.sort(key=lambda p: repr(p[0]))
        return Linear(self.const + other.const, tuple(kept))

    def __mul__(self, k: int) -> Linear:
        return Linear(self.const * k, tuple((t, c * k) for t, c in self.terms) if k else ())

    def __sub__(self, other: Linear) -> Linear:
        return self + other * -1

    @property
    def constant(self) -> int | None:
        """The number itself where no symbol is in it."""
        return None if self.terms else self.const


class Value:
    """Base of all abstract values."""


@dataclass(frozen=True)
class Unknown(Value):
    """Anything at all."""


UNKNOWN = Unknown()
_NO = object()


def same_dtype(a: np.dtype | None, b: np.dtype | None) -> bool:
    """Whether two dtypes are the same, or both unknown (to NumPy, None is float64)."""
    return (a is None) == (b is None) and a == b


@dataclass(frozen=True, eq=False)
class Number(Value):
    """A Python number, or a NumPy scalar (`dtype` is then set).

    kind: 'bool', 'int', 'float' or 'complex'.  linear: an int's value where it is known.
    """
    kind: str
    dtype: np.dtype | None = None
    linear: Linear | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Number) and (self.kind, self.linear) == (other.kind, other.linear) \
            and same_dtype(self.dtype, other.dtype)

    def __hash__(self) -> int:
        return hash((self.kind, self.dtype, self.linear))


@dataclass(frozen=True, eq=False)
class Array(Value):
    """An ndarray.  dims: one entry a dimension, None where nothing is known of its length; dims is None where even
    the rank is unknown, and it may be a number.  dtype is None where unknown.  A 0-d array has dims == ()."""
    dtype: np.dtype | None
    dims: tuple[Linear | None, ...] | None

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Array) and self.dims == other.dims \
            and same_dtype(self.dtype, other.dtype)

    def __hash__(self) -> int:
        return hash((self.dtype, self.dims))


@dataclass(frozen=True)
class TupleOf(Value):
    """A tuple of known length; cls is the class (a named tuple's, say)."""
    items: tuple[Value, ...]
    cls: type = tuple

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of a named tuple's items, in order."""
        return getattr(self.cls, "_fields", ())


@dataclass(frozen=True)
class ListOf(Value):
    """A list, or a tuple of unknown length, whose elements all are `item` (None: always empty so far)."""
    item: Value | None
    cls: type = list


@dataclass(frozen=True)
class DictOf(Value):
    """A dict with these constant keys, in any order; other: what further keys hold (None: there are none)."""
    items: tuple[tuple[Any, Value], ...]
    other: Value | None = None


@dataclass(frozen=True)
class ObjectOf(Value):
    """An instance of cls; fields: what is known of its attributes, where it has them."""
    cls: type
    fields: tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class Again(Value):
    """An object of a class that a value further out describes: a node of a tree, inside of a node."""
    cls: type


@dataclass(frozen=True, eq=False)
class Known(Value):
    """One particular Python object: None, a string, a bool or number whose value matters, a module, a function,
    a class, a dtype, a slice.  Compared by type and value for literals, by identity for everything else."""
    obj: Any

    def _key(self):
        plain = self.obj is None or isinstance(self.obj, (str, bytes, bool, int, float, complex))
        return (type(self.obj), repr(self.obj)) if plain else id(self.obj)

    def __eq__(self, other):
        return isinstance(other, Known) and (self.obj is other.obj or self._key() == other._key())

    def __hash__(self):
        return hash(self._key())


@dataclass(frozen=True)
class RangeOf(Value):
    """range(...)"""


@dataclass(frozen=True)
class ShapeOf(Value):
    """The shape of an array of unknown rank: a tuple of ints."""


@dataclass(frozen=True, eq=False)
class Closure(Value):
    """A function made inside the program: its core `Function` expression, by identity."""
    function: Any


@dataclass(frozen=True)
class Pending(Value):
    """What a function will give once it has been put in place: nothing is known of it yet."""


PENDING = Pending()


@dataclass(frozen=True)
class Lazy(Value):
    """An iterator that gives its elements one by one, each once: a generator, zip(...), map(...)."""


@dataclass(frozen=True)
class Caught(Value):
    """An exception, which may carry what is differentiated."""


@dataclass(frozen=True, eq=False)
class Decision(Value):
    """What a name that holds a decision was bound to: a test of other names, by identity."""
    test: Any


@dataclass(frozen=True)
class Super(Value):
    """super(cls, object)"""
    cls: type


MOST_KINDS = 6


@dataclass(frozen=True, eq=False)
class OneOf(Value):
    """One of several kinds of values: None or an array, an object of one of two classes, one of two functions.

    They are in the order in which they were met, which doesn't matter.
    """
    kinds: tuple[Value, ...]

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, OneOf) and frozenset(self.kinds) == frozenset(other.kinds)

    def __hash__(self) -> int:
        return hash(frozenset(self.kinds))


def first_length(value: Value) -> Linear | None:
    """The length of an array, or None."""
    return value.dims[0] if isinstance(value, Array) and value.dims else None


def members(value: Value) -> tuple[Value, ...]:
    """The kinds that a value may be of."""
    return value.kinds if isinstance(value, OneOf) else (value,)


def held(value: Value) -> tuple[Value, ...]:
    """What a container holds, for all that is known of it; nothing for other values.

    >>> held(ListOf(Number("int"))), held(Number("int"))
    ((Number(kind='int', dtype=None, linear=None),), ())
    """
    match value:
        case TupleOf(items, _):
            return items
        case ListOf(item):
            return () if item is None else (item,)
        case DictOf(items, other):
            return (*(v for _, v in items), *(() if other is None else (other,)))
        case ObjectOf(_, fields):
            return tuple(v for _, v in fields)
    return ()


def one_of(kinds: Sequence[Value]) -> Value:
    """A value of one of these kinds."""
    return kinds[0] if len(kinds) == 1 else OneOf(tuple(kinds))


def _union(a: Value, b: Value) -> Value:
    """What may be of several kinds that have nothing in common; numbers and arrays are at most one of them."""
    out: list[Value] = list(members(a))
    for other in members(b):
        for k, own in enumerate(out):
            both = own if own == other else _common(own, other)
            if both != UNKNOWN:
                out[k] = both
                break
        else:
            out.append(other)
    numeric = sum(isinstance(m, (Number, Array)) or number_of(m) is not None for m in out)
    return UNKNOWN if len(out) > MOST_KINDS or numeric > 1 or UNKNOWN in out else one_of(out)


def join(a: Value, b: Value) -> Value:
    """What is true of both."""
    if a == b:
        return a
    both = UNKNOWN if isinstance(a, OneOf) or isinstance(b, OneOf) else _common(a, b)
    return _union(a, b) if both == UNKNOWN and UNKNOWN not in (a, b) else both


def _common(a: Value, b: Value) -> Value:
    """What is true of both, where they are of one kind."""
    a, b = _general(a), _general(b)
    if a == b:
        return a
    match a, b:
        case Number(), Number():
            return _join_numbers(a, b)
        case Array(), Array():
            return _join_arrays(a, b)
        case (Number(), Array()) | (Array(), Number()):
            return Array(None, None)
        case TupleOf(i1, c1), TupleOf(i2, c2) if c1 is c2 and len(i1) == len(i2):
            return TupleOf(tuple(join(p, q) for p, q in zip(i1, i2)), c1)
        case ListOf(p, c1), ListOf(q, c2) if c1 is c2:
            return ListOf(q if p is None else p if q is None else join(p, q), c1)
        case DictOf(i1, o1), DictOf(i2, o2):
            first, second = dict(i1), dict(i2)
            # keys that only one of them has may be there or not
            apart = [v for k, v in (*i1, *i2) if k not in first or k not in second]
            rest = [v for v in (o1, o2, *apart) if v is not None]
            return DictOf(tuple((k, join(v, second[k])) for k, v in i1 if k in second),
                          functools.reduce(join, rest) if rest else None)
        case (ObjectOf(c1, _) as whole, Again(c2)) | (Again(c2), ObjectOf(c1, _) as whole) if c1 is c2:
            return whole
        case ObjectOf(c1, f1), ObjectOf(c2, f2) if c1 is c2:
            # a field that only one of them has is of its kind wherever it is there
            both = dict(f1)
            for k, v in f2:
                both[k] = join(both[k], v) if k in both else v
            return ObjectOf(c1, tuple(both.items()))
    return UNKNOWN


def _join_numbers(a: Number, b: Number) -> Value:
    if a.kind != b.kind:
        return Number("float") if {a.kind, b.kind} <= {"int", "float"} else UNKNOWN
    if same_dtype(a.dtype, b.dtype):
        return Number(a.kind, a.dtype)
    return Number(a.kind) if a.dtype is None or b.dtype is None else UNKNOWN


def _join_arrays(a: Array, b: Array) -> Value:
    if not same_dtype(a.dtype, b.dtype):
        apart = a.dtype is not None and b.dtype is not None and a.dtype.kind != b.dtype.kind
        return UNKNOWN if apart else Array(None, None)
    if a.dims is None or b.dims is None or len(a.dims) != len(b.dims):
        return Array(a.dtype, None)
    return Array(a.dtype, tuple(p if p == q else None for p, q in zip(a.dims, b.dims)))


def _general(value: Value) -> Value:
    """A known number as a number of its kind."""
    if isinstance(value, Known):
        match value.obj:
            case bool():
                return Number("bool")
            case int():
                return Number("int", None, Linear(value.obj))
            case float():
                return Number("float")
            case complex():
                return Number("complex")
    if isinstance(value, Number) and value.linear is not None:
        return Number(value.kind, value.dtype)
    return value


def number_of(value: Value) -> Number | None:
    """The value as a Number, where it is one (a known 2 is a Number too, with its linear value)."""
    if isinstance(value, Known):
        general = _general(value)
        return general if isinstance(general, Number) else None
    return value if isinstance(value, Number) else None
