"""Small real objects that stand in for abstract values, and the way back from real results to abstract ones.

A function's result is found by calling it on stand-ins four times, with other sizes each time; a length of the
result that follows the sizes of one symbolic length in all of them is that length.  The second assignment orders the
sizes the other way round, so `max(n, m)` isn't taken for `n`; the last two make them 1 and 0 where that can be.
"""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.analysis.lengths import clamp, varies
from srcgrad.analysis.values import UNKNOWN, Array, DictOf, Known, Linear, ListOf, Number, RangeOf, TupleOf, Value, join

LITERALS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
CONSTANTS = (*LITERALS, FunctionType, BuiltinFunctionType, MethodType, ModuleType, type, np.dtype, np.ufunc, slice,
              functools.partial)
_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_SMALL = 32                                  # larger constants would make stand-ins slow
_LENGTHS = (3, 2, 2, 1)                      # of lists, in the four runs
_DTYPES = (np.dtype("f8"), np.dtype("i8"), np.dtype("f4"), np.dtype("f8"))


# No two of them have the same sum as two others, so that a sum of lengths isn't taken for a multiple of one.
_GAPS = (0, 1, 3, 7, 12, 20, 30, 44)


class NoStandin(Exception):
    """There is no real object that could stand in for a value."""


# ---------------------------------------------------------------- lengths

Unify = Callable[[Linear, Linear], "Linear | None"]


def broadcast_length(p: Linear | None, q: Linear | None, unify: Unify) -> Linear | None:
    """The length that two lengths broadcast to; `unify` is asked where two symbolic ones must agree."""
    if p is not None and p == q:
        return p
    if Linear(1) in (p, q):
        return q if p == Linear(1) else p
    # a constant that isn't 1 wins whether the other is 1 or the same
    fixed = next((d for d in (p, q) if d is not None and d.constant is not None), None)
    if p is None or q is None:
        return fixed
    return unify(p, q) or fixed


def broadcast(shapes: Sequence[tuple[Linear | None, ...]], unify: Unify) -> tuple[Linear | None, ...]:
    """The shape that shapes broadcast to."""
    rank = max(map(len, shapes), default=0)
    full = [(Linear(1),) * (rank - len(s)) + tuple(s) for s in shapes]
    out = []
    for column in zip(*full):
        # a known length first, so that an unknown one doesn't hide it
        out.append(functools.reduce(lambda p, q: broadcast_length(p, q, unify), sorted(column, key=_preference)))
    return tuple(out)


def _preference(form: Linear | None) -> int:
    return 2 if form is None else 1 if form.constant is None else 0


# ---------------------------------------------------------------- before the runs

@dataclass(frozen=True)
class Stand:
    """A symbol in place of a length or integer that is unknown (form None) or too large to run with."""
    form: Linear | None
    number: int = 0


def prepare(value: Value, numbers: Iterator[int]) -> Value:
    """The value with a symbol for every unknown or large length and integer."""
    match value:
        case Array(dtype, dims) if dims is not None:
            return Array(dtype, tuple(_runnable(d, numbers) for d in dims))
        case Number("int", dtype, linear):
            # what loops decide may be negative, unlike the numbers that would stand in for it
            known = None if linear is None or varies(linear) else linear
            return Number("int", dtype, _runnable(known, numbers))
        case Known(int(n)) if type(n) is int and abs(n) > _SMALL:
            return Number("int", None, Linear.symbol(Stand(Linear(n))))
    return map_inside(value, lambda v: prepare(v, numbers))


def _runnable(form: Linear | None, numbers: Iterator[int]) -> Linear:
    if form is None:
        return Linear.symbol(Stand(None, next(numbers)))
    if abs(form.const) > _SMALL or any(abs(c) > _SMALL for _, c in form.terms):
        return Linear.symbol(Stand(form))
    return form


def restore(form: Linear) -> Linear | None:
    """A form without stand-in symbols: None where an unknown is in it."""
    out = Linear(form.const)
    for token, c in form.terms:
        part = token.form if isinstance(token, Stand) else Linear.symbol(token)
        if part is None:
            return None
        out = out + part * c
    return out


def map_inside(value: Value, function: Callable[[Value], Value]) -> Value:
    """A container with `function` applied to what it holds; any other value as it is."""
    match value:
        case TupleOf(items, cls):
            return TupleOf(tuple(map(function, items)), cls)
        case ListOf(item, cls) if item is not None:
            return ListOf(function(item), cls)
        case DictOf(items, other):
            return DictOf(tuple((k, function(v)) for k, v in items), other and function(other))
    return value


def replace_forms(value: Value, new: dict[Linear, Linear]) -> Value:
    """The value with lengths and integers replaced."""
    match value:
        case Array(dtype, dims) if dims is not None:
            return Array(dtype, tuple(d if d is None else new.get(d, d) for d in dims))
        case Number(kind, dtype, linear) if linear is not None:
            return Number(kind, dtype, new.get(linear, linear))
    return map_inside(value, lambda v: replace_forms(v, new))


def forms_of(value: Value) -> Iterator[tuple[Linear, bool]]:
    """All lengths (with True) and integers (with False) in a value."""
    match value:
        case Array(_, dims) if dims is not None:
            yield from ((d, True) for d in dims if d is not None)
        case Number(_, _, linear) if linear is not None:
            yield linear, False
        case Known(int(n)) if type(n) is int:
            yield Linear(n), False
        case TupleOf(items):
            yield from itertools.chain.from_iterable(map(forms_of, items))
        case ListOf(item) if item is not None:
            yield from forms_of(item)
        case DictOf(items):
            yield from itertools.chain.from_iterable(forms_of(v) for _, v in items)


# ---------------------------------------------------------------- sizes

@dataclass(frozen=True)
class Run:
    """One assignment of sizes to symbols.  `equal`: every symbolic form has this size instead."""
    index: int
    sizes: dict[Any, int]
    equal: int | None = None
    real: float = 0.7
    whole: int | None = None

    def size(self, form: Linear) -> int:
        if self.equal is not None:
            return form.const if not form.terms else self.equal
        return evaluate(form, self.sizes)

    def integer(self, form: Linear) -> int:
        return self.size(form) if self.whole is None or not form.terms else self.whole


def evaluate(form: Linear, sizes: dict[Any, int]) -> int:
    return form.const + sum(c * sizes[token] for token, c in form.terms)


@functools.lru_cache(maxsize=4096)
def all_runs(forms: tuple[tuple[Linear, bool], ...]) -> tuple[Run, ...]:
    """Sizes for the symbols in these forms: in the first two runs distinct forms have distinct sizes.

    Raises NoStandin where no small sizes will do.
    """
    tokens = tuple(dict.fromkeys(token for form, _ in forms for token, _ in form.terms))
    taken = {form.const for form, _ in forms if not form.terms}
    # a symbol's own size is distinct too: a result of length n may come of n - 1
    own = [(Linear.symbol(token), False) for token in tokens]
    symbolic = [*(pair for pair in forms if pair[0].terms), *(pair for pair in own if (pair[0], True) not in forms)]
    symbolic = list({form: (form, length) for form, length in sorted(symbolic, key=lambda pair: pair[1])}.values())
    first = _assign(tokens, symbolic, 5, taken)
    second = _assign(tokens[::-1], symbolic, max(first.values(), default=5) + 2, taken)
    ones, empty = (_assign(tokens, symbolic, least, None, least) for least in (1, 0))
    return Run(0, first), Run(1, second), Run(2, ones), Run(3, empty)


def _assign(tokens: Sequence[Any], forms: Sequence[tuple[Linear, bool]], start: int, taken: set[int] | None,
            least: int = 1) -> dict:
    """The smallest sizes from `start` on, token after token, that make all lengths at least `least` and, unless
    `taken` is None, all forms distinct from each other and from `taken`."""
    sizes: dict[Any, int] = {}
    used = set(taken or ())
    left = list(forms)
    for token, gap in itertools.zip_longest(tokens, _GAPS[:len(tokens)], fillvalue=_GAPS[-1]):
        ready = [pair for pair in left if all(t == token or t in sizes for t, _ in pair[0].terms)]
        left = [pair for pair in left if pair not in ready]
        begin = start if taken is None else start + gap
        for size in (*range(begin, begin + 100), *range(begin - 1, -1, -1)):
            sizes[token] = size
            found = [evaluate(form, sizes) for form, _ in ready]
            long = all(v >= least for v, (_, length) in zip(found, ready) if length)
            if long and (taken is None or (used.isdisjoint(found) and len(set(found)) == len(found))):
                used.update(found)
                break
        else:
            raise NoStandin(f"no small size for {token}")
    return sizes


# ---------------------------------------------------------------- building

def build(value: Value, run: Run) -> Any:
    """A real object of the value's kind; raises NoStandin where nothing can stand in."""
    match value:
        case Known(obj):
            return obj
        case Array(dtype, dims):
            return _array(dtype or _DTYPES[run.index], _shape(dims, run), run.index)
        case Number(_, dtype):
            number = _number(value, run)
            return number if dtype is None else dtype.type(number)
        case TupleOf(items, cls):
            parts = [build(v, run) for v in items]
            return cls(*parts) if hasattr(cls, "_fields") else cls(parts)
        case ListOf(item, cls):
            return cls(() if item is None else [build(item, run) for _ in range(_LENGTHS[run.index])])
        case DictOf(items, None):
            return {k: build(v, run) for k, v in items}
        case RangeOf():
            return range(_LENGTHS[run.index])
    raise NoStandin(f"nothing stands in for {value}")


def _shape(dims: tuple[Linear | None, ...] | None, run: Run) -> tuple[int, ...]:
    if dims is None:
        return ((5,), (5, 5), (), (1,))[run.index]
    return tuple(5 if d is None else run.size(d) for d in dims)


def _number(value: Number, run: Run) -> Any:
    match value.kind:
        case "bool":
            return run.index != 1
        case "int":
            return 2 if value.linear is None else run.integer(value.linear)
        case "complex":
            return complex(run.real, 0.2)
    return run.real


@functools.lru_cache(maxsize=2048)
def _array(dtype: np.dtype, shape: tuple[int, ...], index: int) -> np.ndarray:
    """Read-only ones; square matrices are well conditioned.  They vary, since they could be axes, lengths or masks."""
    ones = dtype.kind in "bfcO" or (dtype.kind in "iu" and index == 0)
    out = np.full(shape, 1 + (index == 1), dtype) if ones else np.zeros(shape, dtype)
    if len(shape) >= 2 and shape[-1] == shape[-2] and dtype.kind in "fc":
        out += shape[-1] * np.eye(shape[-1], dtype=dtype)
    if dtype.kind == "b" and index == 1:
        out.flat[1:] = False
    out.flags.writeable = False
    return out


# ---------------------------------------------------------------- reading results

class Lengths:
    """Gives the symbolic length that has had these sizes in these runs, None where there is none."""

    def __init__(self, forms: Sequence[Linear], runs: Sequence[Run]):
        self._given, self._runs = forms, runs
        seen = {tuple(run.size(form) for run in runs): form for form in reversed(forms) if form.terms}
        # a run of equal sizes can only tell what is constant
        self.forms = {} if any(run.equal is not None for run in runs) else seen

    def of_runs(self, wanted: Sequence[int]) -> Lengths:
        """The same for some of the runs."""
        return Lengths(self._given, [self._runs[i] for i in wanted] if self._runs else ())

    def __call__(self, sizes: tuple[int, ...]) -> Linear | None:
        if len(set(sizes)) == 1:
            return Linear(sizes[0])
        form = self.forms.get(sizes)
        # two runs alone could agree by chance
        if form is None and len(sizes) > 2:
            form = self._shifted(sizes) or self._sum(sizes)
        return None if form is None else restore(form)

    def _shifted(self, sizes: tuple[int, ...]) -> Linear | None:
        for old, form in self.forms.items():
            shift = sizes[0] - old[0]
            if abs(shift) <= 4 and all(s == max(0, o + shift) for s, o in zip(sizes, old)):
                known = restore(form)
                return form if known is None else clamp(known + Linear(shift))
        return None

    def _sum(self, sizes: tuple[int, ...]) -> Linear | None:
        for (p, f), (q, g) in itertools.combinations_with_replacement(self.forms.items(), 2):
            if all(s == a + b for s, a, b in zip(sizes, p, q)):
                return f + g
        return next((f * k for old, f in self.forms.items() for k in (3, 4)
                     if all(s == k * o for s, o in zip(sizes, old))), None)


def read(objs: Sequence[Any], lengths: Lengths, exact: bool) -> Value:
    """What is true of the results of all runs.  exact: integers that are in all runs what a form says are that form,
    and booleans that never change are known."""
    first = objs[0]
    kind = type(first)
    if any(type(obj) is not kind for obj in objs):
        return functools.reduce(join, (_plain_number(obj) for obj in objs))
    if kind is np.ndarray:
        return _read_array(objs, lengths)
    if isinstance(first, np.generic):
        kinds = {number_like(obj.dtype) for obj in objs}
        return kinds.pop() if len(kinds) == 1 else UNKNOWN
    if kind is bool and not (exact and len(set(objs)) == 1):
        return Number("bool")
    if kind is int:
        return Number("int", None, lengths(tuple(objs)) if exact else None)
    if kind in (float, complex):
        return Number(kind.__name__)
    if isinstance(first, (tuple, list, dict)):
        return _read_container(objs, lengths, exact)
    if kind is range:
        return RangeOf()
    if isinstance(first, CONSTANTS) and all(Known(obj) == Known(first) for obj in objs):
        return Known(first)
    return UNKNOWN


def _read_array(objs: Sequence[np.ndarray], lengths: Lengths) -> Value:
    dtypes = {obj.dtype for obj in objs}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if len({obj.ndim for obj in objs}) > 1:
        return Array(dtype, None)
    return Array(dtype, tuple(map(lengths, zip(*(obj.shape for obj in objs)))))


def _read_container(objs: Sequence[Any], lengths: Lengths, exact: bool) -> Value:
    cls = type(objs[0])
    if cls is list:
        filled = [i for i, obj in enumerate(objs) if obj]
        items = [read(part, lengths.of_runs(filled), False) for part in zip(*(objs[i] for i in filled))]
        return ListOf(functools.reduce(join, items) if items else None)
    if cls is dict:
        keys = list(objs[0])
        if any(list(obj) != keys for obj in objs):
            return UNKNOWN
        return DictOf(tuple((k, read([obj[k] for obj in objs], lengths, exact)) for k in keys))
    if len({len(obj) for obj in objs}) > 1:
        return UNKNOWN
    return TupleOf(tuple(read(part, lengths, exact) for part in zip(*objs)), cls)


def _plain_number(obj: Any) -> Value:
    return Number(type(obj).__name__) if type(obj) in (bool, int, float, complex) else UNKNOWN


def number_like(dtype: np.dtype | None) -> Value:
    """The NumPy scalar of a dtype."""
    kind = None if dtype is None else _KINDS.get(dtype.kind)
    return UNKNOWN if kind is None else Number(kind, dtype)
