"""What calls that make iterators give, and which plain Python function each of them stands for."""
from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.expressions import Evaluator, captures_active
from srcgrad.analysis.interpret.quiet import is_loud_function
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env
from srcgrad.analysis.values import (
    Array,
    Closure,
    Known,
    Lazy,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    TupleOf,
    Value,
    number_of,
)
from srcgrad.lang.core import Attr, Bin, Call, Const, Expr, Item, List, Star
from srcgrad.library import cursors
from srcgrad.library.iteration import transposed, zip_both, zip_iterable_first, zip_sequence_first
from srcgrad.library.registry import Equivalent, equivalent_of

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls

ITERATORS = frozenset((zip, enumerate, reversed, map, filter, iter, itertools.chain.from_iterable,
                       *(v for v in vars(itertools).values() if isinstance(v, type))))
COMBINATORIC = (itertools.permutations, itertools.combinations, itertools.combinations_with_replacement,
                itertools.product)


def made(ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict[str, Abstract], env: Env,
         generates: bool) -> tuple[Abstract, Any]:
    """An iterator, and the function whose generator it is where it has to be run in place; `generates`: the function
    that is called makes a generator itself."""
    active = any(item.active for item in [*args, *kwargs.values()])
    active = active or isinstance(function, Closure) and captures_active(function, env)
    active = active or any(is_loud_function(ev, item, env) for item in [*args, *kwargs.values()])
    plain = equivalent_of(function, tuple(map(constant, args)), bool(kwargs))
    if function is zip:
        plain = _zip_of(ev, args)
    elif function is itertools.zip_longest and any(
            isinstance(part, Lazy) for a, star in _given(expr, args) if star for part in _parts(ev, a)):
        return NOT_YET, None                            # `passes.kept_iterators` decides it
    elif function is itertools.zip_longest and args and all(_is_cursor(ev, a, star) for a, star in _given(expr, args)):
        plain = Equivalent(cursors.zip_longest)
    if function in COMBINATORIC and plain is not None and plain.count is None and not active \
            and all(isinstance(ev.value(a), (RangeOf, Number, Known)) for a in args):
        plain = None                # selections of numbers stay as the user wrote them
    runs = plain.function if plain is not None else function if generates else None
    return Abstract(Lazy(), varied=active), runs


def spread_rows(ev: Evaluator, expr: Call, env: Env) -> Abstract:
    """zip(*rows)"""
    rows = expr.args[0]
    assert isinstance(rows, Star)
    item = ev(rows.value, env)
    if not item.active:
        return Abstract(Lazy())
    if any(isinstance(part, Lazy) for part in _parts(ev, item)):
        return NOT_YET                                  # `passes.kept_iterators` decides it
    if _is_cursor(ev, item, True):
        match rows.value:
            case Bin("*", List((_,)), Const(2 | 3 as count)):
                return ev.rewrite(expr, partial(_repeated, count))
        if item.items is not None:
            return ev.rewrite(expr, partial(_one_by_one, len(item.items)))
        return ev.rewrite(expr, lambda parts, make: Call(Const(cursors.zip_all), parts[1:], at=expr.at), item)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        star = parts[1]
        assert isinstance(star, Star)
        return Call(make.outside("transposed", transposed), (star.value,), at=expr.at)
    return ev.rewrite(expr, build, item)


def _parts(ev: Evaluator, item: Abstract) -> tuple[Value | None, ...]:
    """The kinds of what a sequence holds."""
    value = ev.value(item)
    return tuple(map(ev.value, item.items)) if item.items is not None else (value.item,) if isinstance(value, ListOf) \
        else ()


def _repeated(count: int, parts: tuple[Expr, ...], make: Make) -> Expr:
    """zip(*[it] * 2)   ->   zip(it, it)"""
    func, star = parts
    assert isinstance(star, Star) and isinstance(star.value, Bin) and isinstance(star.value.left, List)
    held = make.bind(star.value.left.items[0], "iterator")
    return Call(func, (held,) * count, at=func.at)


def _one_by_one(count: int, parts: tuple[Expr, ...], make: Make) -> Expr:
    """zip(*rows)   ->   zip(rows[0], rows[1])"""
    func, star = parts
    assert isinstance(star, Star)
    held = make.bind(star.value, "rows")
    return Call(func, tuple(Item(held, Const(k), at=func.at) for k in range(count)), at=func.at)


def following(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """next(v), next(v, default)   ->   v.__next__(), or what stands for it, of an object"""
    value = ev.value(args[0]) if args and not kwargs else None
    if not isinstance(value, ObjectOf) or not hasattr(value.cls, "__next__"):
        return None
    if len(args) == 2:
        function = cursors.next_of_cursor if issubclass(value.cls, cursors.CURSORS) else cursors.next_or
        return ev.rewrite(expr, lambda parts, make: Call(make.outside("next_or", function), parts[1:], at=expr.at),
                          *args)
    return ev.rewrite(expr, lambda parts, make: Call(Attr(parts[1], "__next__"), (), at=expr.at), *args)


def teed(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """tee(it)   ->   branches(it) of an iterator that is kept; of others their elements are shared"""
    if not args or not args[0].active or kwargs:
        return None
    if isinstance(args[0].value, Lazy):
        return NOT_YET                                  # `passes.kept_iterators` decides it
    if not _is_cursor(ev, args[0], False):
        if isinstance(ev.value(args[0]), ObjectOf):
            raise Refused("`tee` of an object of your own isn't supported", "make a list of it, `list(...)`", expr.at)
        return None
    function = cursors.branches_two if len(args) == 1 or constant(args[1]) == 2 else cursors.branches
    given = 1 if function is cursors.branches_two else 2
    return ev.rewrite(expr, lambda parts, make: Call(make.outside(function.__name__, function), parts[1:1 + given],
                                                     at=expr.at), *args)


def cursor(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract:
    """An iterator that is an object is its own cursor; what others become is decided by how they are used."""
    if _is_cursor(ev, args[0], False):
        return ev.rewrite(expr, lambda parts, make: parts[1], *args)
    return NOT_YET


def constant(item: Abstract) -> Any:
    """The argument where it is a known number; an ellipsis stands for None."""
    if isinstance(item.value, Known):
        return ... if item.value.obj is None else item.value.obj
    number = number_of(item.value)
    return None if number is None or number.linear is None else number.linear.constant


def _given(expr: Call, args: list[Abstract]) -> list[tuple[Abstract, bool]]:
    """The arguments, each with whether it is spread and its length isn't known."""
    return [(a, len(args) == len(expr.args) and isinstance(expr.args[k], Star)) for k, a in enumerate(args)]


def _is_cursor(ev: Evaluator, item: Abstract, spread: bool) -> bool:
    """Whether it is an object of the library's that knows how far it is; `spread`: a sequence of such objects."""
    kinds = _parts(ev, item) if spread else (ev.value(item),)
    return bool(kinds) and all(isinstance(k, ObjectOf) and issubclass(k.cls, cursors.CURSORS) for k in kinds)


def _zip_of(ev: Evaluator, args: list[Abstract]) -> Equivalent | None:
    """What zips iterators, or an iterator with a sequence."""
    kept = [_is_cursor(ev, a, False) for a in args]
    if args and all(kept):
        if len(args) == 2:
            return Equivalent(cursors.zip_two)
        return Equivalent(cursors.zip_three if len(args) == 3 else cursors.zip_all)
    objects = [isinstance(v, ObjectOf) and hasattr(v.cls, "__next__") for v in map(ev.value, args)]
    if len(args) == 2 and all(objects):
        return Equivalent(cursors.zip_iterators)
    lazy = [not isinstance(v, (Array, ListOf, TupleOf, RangeOf)) and not _is_text(v) for v in map(ev.value, args)]
    if lazy in ([True, False], [True, True]):
        return Equivalent(zip_both if lazy[1] else zip_iterable_first)
    return Equivalent(zip_sequence_first) if lazy == [False, True] else None


def _is_text(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.obj, str)
