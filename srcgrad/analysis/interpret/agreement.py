"""Which lengths must agree for a call to succeed (the inner ones of a matrix product, say).

Stand-ins give different lengths different sizes, so lengths that are equal whenever the call succeeds are made one
before the call is tried.
"""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.standins import Stand, Unify, replace_forms, restore
from srcgrad.analysis.values import Array, DictOf, Known, Linear, ListOf, TupleOf, Value, number_of

_Pair = tuple[Linear, Linear, bool]         # (one, other, whether a length of 1 is stretched)
_Pairs = Iterator[_Pair]
_UNMATCHED = 1 << 30                        # numbers for stand-ins that no other has


def agree(function: Any, call: TupleOf, unify: Unify) -> TupleOf:
    """The prepared call (a tuple of the arguments' tuple and the keywords' dict) over lengths that agree."""
    find = PAIRS.get(function)
    if find is None:
        return call
    positional, keywords = call.items
    assert isinstance(positional, TupleOf) and isinstance(keywords, DictOf)
    merged: dict[Linear, Linear] = {}
    for p, q, stretched in find(positional.items, dict(keywords.items)):
        _merge(merged, _root(merged, p), _root(merged, q), stretched, unify)
    if not merged:
        return call
    final = replace_forms(call, {form: _root(merged, form) for form in merged})
    assert isinstance(final, TupleOf)
    return final


def _root(merged: dict[Linear, Linear], form: Linear) -> Linear:
    while form in merged:
        form = merged[form]
    return form


def _merge(merged: dict[Linear, Linear], p: Linear, q: Linear, stretched: bool, unify: Unify) -> None:
    one, other = restore(p), restore(q)
    if p == q or (stretched and Linear(1) in (p, q)):
        return
    fixed = next((form for form, known in ((p, one), (q, other)) if known is not None and not known.terms), None)
    agreed = unify(one, other) if one is not None and other is not None else None
    chosen = fixed or agreed
    if chosen is None and stretched:
        chosen = Linear.symbol(Stand(None, _UNMATCHED + len(merged)))
    if chosen is None:
        chosen = q if one is None else p
    for form in (p, q):
        # a constant is never replaced: the same number may stand elsewhere
        if form != chosen and form.terms:
            merged[form] = chosen


# ---------------------------------------------------------------- who must agree

def _dims(args: tuple[Value, ...], count: int) -> list[tuple[Linear, ...]]:
    """The lengths of the first arguments; empty unless all of them are arrays of known rank, none of rank 0."""
    out = [v.dims for v in args[:count] if isinstance(v, Array) and v.dims]
    return out if len(out) == count else []                                      # type: ignore[return-value]


def _product(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    for a, b in _two(args):
        yield a[-1], b[-2] if len(b) > 1 else b[-1], False


def _two(args: tuple[Value, ...]) -> Iterator[tuple[tuple[Linear, ...], tuple[Linear, ...]]]:
    dims = _dims(args, 2)
    if dims:
        yield dims[0], dims[1]


def _matmul(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    yield from _product(args, kwargs)
    for a, b in _two(args):
        for p, q in zip(a[-3::-1] if len(a) > 2 else (), b[-3::-1] if len(b) > 2 else ()):
            yield p, q, True


def _last(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    for a, b in _two(args):
        yield a[-1], b[-1], False


def _flat(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    for a, b in _two(args):
        if len(a) == len(b) == 1:
            yield a[0], b[0], False


def _points(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    yield from _flat(args[1:], kwargs)


def _first(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    for a, b in _two(args):
        yield a[0], b[0], False


def _square(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    for a in _dims(args, 1):
        if len(a) > 1:
            yield a[-1], a[-2], False


def _solve(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    yield from _square(args, kwargs)
    yield from _product(args, kwargs)


def _parts(args: tuple[Value, ...]) -> list[tuple[Linear, ...]]:
    match args[:1]:
        case (TupleOf(items),):
            return _dims(items, len(items))
        case (ListOf(Array(_, dims)),) if dims:
            return [dims]                                                        # type: ignore[list-item]
    return []


def _stack(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    parts = _parts(args)
    for other in parts[1:]:
        for p, q in zip(parts[0], other):
            yield p, q, False


def _concatenate(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    axis = number_of(args[1] if len(args) > 1 else kwargs.get("axis", Known(0)))
    parts = _parts(args)
    if not parts or axis is None or axis.linear is None or axis.linear.terms:
        return
    yield from _all_but(parts, axis.linear.const % len(parts[0]))


def _all_but(parts: list[tuple[Linear, ...]], axis: int) -> _Pairs:
    for other in parts[1:]:
        for k, (p, q) in enumerate(zip(parts[0], other)):
            if k != axis:
                yield p, q, False


def _rows(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    parts = _parts(args)
    if parts and len(parts[0]) == 1:
        yield from _stack(args, kwargs)
    elif parts:
        yield from _all_but(parts, 0)


def _columns(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    parts = _parts(args)
    for other in parts[1:]:
        yield parts[0][0], other[0], False


def _horizontal(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    parts = _parts(args)
    if parts and len(parts[0]) > 1:
        yield from _all_but(parts, 1)


def _einsum(args: tuple[Value, ...], kwargs: dict[str, Value]) -> _Pairs:
    if not args or not isinstance(args[0], Known) or not isinstance(args[0].obj, str) or "." in args[0].obj:
        return
    letters = [part.strip() for part in args[0].obj.split("->")[0].split(",")]
    seen: dict[str, Linear] = {}
    for letter, form in itertools.chain.from_iterable(map(zip, letters, _dims(args[1:], len(letters)))):
        # einsum stretches lengths of 1
        yield seen.setdefault(letter, form), form, True


PAIRS: dict[Any, Callable[[tuple[Value, ...], dict[str, Value]], _Pairs]] = {
    np.matmul: _matmul, operator.matmul: _matmul, np.dot: _product, np.inner: _last, np.vdot: _flat,
    np.linalg.solve: _solve, np.linalg.lstsq: _first, np.stack: _stack, np.array: _stack, np.asarray: _stack,
    np.concatenate: _concatenate, np.vstack: _rows, np.hstack: _horizontal, np.column_stack: _columns,
    np.einsum: _einsum, np.interp: _points}
PAIRS |= dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky, np.linalg.eigh,
                        np.linalg.eig, np.linalg.eigvalsh, np.linalg.eigvals, np.linalg.matrix_power), _square)
