"""The plain Python forms of functions agree with the functions themselves, and are what is compiled in their place."""
from __future__ import annotations

import builtins
import cmath
import functools
import importlib.util
import itertools
import math
import operator
import statistics
import sys
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polyutils

from srcgrad import grad
from srcgrad.errors import UnsupportedError
from srcgrad.library.iteration import transposed, zip_iterable_first, zip_sequence_first
from srcgrad.library.registry import equivalent_of, is_library, registered
from srcgrad.testing import check_grads

NUMBERS: list[list[float]] = [[], [2.0], [3.0, -1.0, 2.5], [1.0, 1.0, -4.0, 0.5], [0.0, 2.0, 2.0]]

# original -> calls that it must agree on: argument tuples, and keywords
CALLS: dict[Any, list[tuple[tuple, dict]]] = {
    builtins.sum: [((xs,), {}) for xs in NUMBERS] + [(([[1], [2]], []), {}), (([1, 2],), {"start": 0.5})],
    builtins.list: [((xs,), {}) for xs in NUMBERS] + [((), {}), (("abc",), {})],
    builtins.sorted: [((xs,), k) for xs in NUMBERS for k in ({}, {"reverse": True}, {"key": abs},
                                                            {"key": lambda v: v * v, "reverse": True})],
    builtins.next: [((iter(xs), None), {}) for xs in NUMBERS] + [((iter([1, 2]),), {}), ((iter([]),), {})],
    builtins.any: [((xs,), {}) for xs in NUMBERS],
    builtins.all: [((xs,), {}) for xs in NUMBERS],
    builtins.divmod: [((7.5, 2.0), {}), ((-7.5, 2.0), {}), ((7, -2), {})],
    builtins.min: [((xs,), {}) for xs in NUMBERS] + [((xs,), {"key": abs}) for xs in NUMBERS]
        + [(([],), {"default": 5}), (([3, 1],), {"default": 5}), ((3, 1, 2), {}), ((1, -2), {"key": abs})],
    builtins.max: [((xs,), {}) for xs in NUMBERS] + [((xs,), {"key": abs}) for xs in NUMBERS]
        + [(([],), {"default": 5}), ((3, 1, 2), {}), ((-2, 2), {"key": abs}), (([], ), {"key": abs, "default": None})],
    builtins.enumerate: [(("abc",), {}), (("ab", 3), {}), (("ab",), {"start": 2}), (([],), {})],
    builtins.map: [((abs, xs), {}) for xs in NUMBERS],
    builtins.filter: [((f, xs), {}) for xs in NUMBERS for f in (None, lambda v: v > 0)],
    builtins.iter: [((xs,), {}) for xs in NUMBERS],
    typing.cast: [((float, 2), {}), ((str, None), {})],
    itertools.repeat: [((2, 3), {}), ((2,), {"times": 0})],
    itertools.cycle: [(([],), {})],
    itertools.chain: [((), {}), (([1], [], [2, 3]), {}), (("ab", "c"), {})],
    itertools.chain.from_iterable: [(([[1], [], [2, 3]],), {}), (([],), {})],
    itertools.accumulate: [((xs,), {}) for xs in NUMBERS] + [((xs, operator.mul), {}) for xs in NUMBERS]
        + [((xs,), {"initial": 2.0}) for xs in NUMBERS] + [(([1, 2], max), {"initial": 5})],
    itertools.islice: [(("abcdefg", *b), {}) for b in (
        (2,), (0,), (None,), (2, 4), (2, None), (5, 2), (1, 6, 2), (0, None, 3), (None, None, None), (None, 4, None))],
    itertools.takewhile: [((lambda v: v > 0, xs), {}) for xs in NUMBERS],
    itertools.dropwhile: [((lambda v: v > 0, xs), {}) for xs in NUMBERS],
    itertools.filterfalse: [((f, xs), {}) for xs in NUMBERS for f in (None, lambda v: v > 0)],
    itertools.starmap: [((pow, [(2, 3), (3, 2)]), {}), ((max, []), {})],
    itertools.pairwise: [((xs,), {}) for xs in NUMBERS],
    itertools.compress: [(("abcd", [1, 0, 1]), {}), (("ab", [0, 1, 1]), {})],
    itertools.product: [(("ab",), {}), (("ab", "cd"), {}), (("ab", "", "cd"), {}), (("ab", "cd", "ef"), {}),
                        ((), {}), (("ab",), {"repeat": 3}), (("ab", "c", "de", "f"), {}), (("ab",), {"repeat": 0})],
    itertools.combinations: [(("abcd", r), {}) for r in (0, 1, 2, 3, 4, 5)],
    itertools.combinations_with_replacement: [(("abc", r), {}) for r in (0, 1, 2, 3)],
    itertools.permutations: [(("abc",), {}), (("abcd", 2), {}), (("abc", 3), {}), (("ab", 3), {}), (("abc", 0), {})],
    itertools.zip_longest: [(("abc", "d"), {}), (("", "de"), {}), (("a", "bcd"), {"fillvalue": "-"}),
                            (("a", "bcd", "ef"), {"fillvalue": "-"}), (("ab", "", "c"), {}), ((), {})],
    itertools.tee: [(([1, 2],), {}), (([1, 2], 2), {}), (([1, 2, 3], 3), {}), (([1, 2], 4), {}), (([1], 0), {})],
    functools.reduce: [((operator.add, xs), {}) for xs in NUMBERS] + [((operator.sub, xs, 1.0), {}) for xs in NUMBERS],
    operator.getitem: [(([1, 2], 1), {}), (({"a": 3}, "a"), {})],
    operator.concat: [(([1], [2]), {})],
    operator.iadd: [((1.0, 2.0), {})],
    operator.isub: [((1.0, 2.0), {})],
    operator.imul: [((1.5, 2.0), {})],
    operator.itruediv: [((1.0, 4.0), {})],
    math.hypot: [((3.0,), {}), ((1.0, 2.0, 2.0), {}), ((-1.0, 0.0, 2.0, 4.0), {})],
    math.dist: [(((1.0, 2.0), (3.0, 4.0)), {}), (([0.0], [0.0]), {})],
    math.fsum: [((xs,), {}) for xs in NUMBERS],
    math.prod: [((xs,), {}) for xs in NUMBERS] + [(([2.0],), {"start": 3})],
    cmath.polar: [((1.5 - 2.0j,), {}), ((-3.0,), {})],
    cmath.rect: [((2.0, 0.75), {}), ((0.0, 1.0), {})],
    math.modf: [((2.5,), {}), ((-2.25,), {})],
    math.remainder: [((7.5, 2.0), {}), ((-7.0, 3.0), {})],
    np.ndenumerate: [((np.arange(6.0).reshape(2, 3),), {}), ((np.zeros((0, 2)),), {})],
    np.fromiter: [(([1.0, 2.0], float), {}), (([1.0, 2.0, 3.0], float, 2), {}), (([], float), {})],
    **{f: [((xs,), {}) for xs in NUMBERS] for f in (
        statistics.mean, statistics.fmean, statistics.variance, statistics.pvariance, statistics.stdev,
        statistics.pstdev, statistics.median)},
    statistics.geometric_mean: [(([1.0, 2.0, 4.0],), {}), (([],), {})],
    statistics.harmonic_mean: [(([1.0, 2.0, 4.0],), {}), (([],), {})],
}
MATRIX = np.array([[1.0, 4.0, 2.0, 0.5], [3.0, -1.0, 2.5, 7.0], [0.0, 6.0, -2.0, 1.0]])
ROW = np.array([1.0, -2.0, 4.0, 3.0, 0.5])
HOLES = np.array([[1.0, np.nan, 2.0], [3.0, 4.0, np.nan]])
SQUARE = np.array([[2.0, 1.0], [0.5, -3.0]])
if importlib.util.find_spec("scipy"):
    import scipy.linalg
    import scipy.optimize

    CALLS |= {
        scipy.linalg.norm: [((ROW,), {}), ((ROW, 1), {}), ((SQUARE, "fro"), {}), ((SQUARE,), {"axis": 0})],
        scipy.linalg.circulant: [((ROW,), {}), (([1.0],), {})],
        scipy.linalg.companion: [((ROW,), {}), (([2.0, 1.0],), {})],
        **{f: [((np.array([0.5, -1.0, 2.0, 0.25]),), {}), (([1.0, 2.0],), {})]
           for f in (scipy.optimize.rosen, scipy.optimize.rosen_der)},
    }
CALLS |= {
    **{f: [(([1.0, 2.0, 4.0], [2.0, 1.0, 5.0]), {}), (([1.0], [2.0]), {})]
       for f in (statistics.correlation, statistics.linear_regression)},
    polyutils.as_series: [(([ROW, [1.0, 0.0]],), {}), (([ROW, [1.0, 0.0]],), {"trim": False})],
    np.cov: [((MATRIX,), {}), ((MATRIX,), {"rowvar": False}), ((ROW, ROW ** 2), {}), ((ROW,), {"bias": True}),
             ((MATRIX,), {"ddof": 2}), ((MATRIX, MATRIX ** 2), {"rowvar": False})],
    np.corrcoef: [((MATRIX,), {}), ((ROW, ROW ** 2), {}), ((MATRIX,), {"rowvar": False})],
    **{f: [((HOLES,), {}), ((HOLES,), {"axis": 0}), ((HOLES, 1), {})]
       for f in (np.nanprod, np.nancumsum, np.nancumprod, np.nanvar, np.nanstd)},
    np.nanmedian: [((HOLES,), {})],
    np.nanquantile: [((HOLES, 0.3), {}), ((HOLES, [0.3, 0.6]), {})],
    np.nanpercentile: [((HOLES, 30.0), {}), ((HOLES, [0, 60]), {})],
    np.quantile: [((MATRIX, 0.3), {}), ((MATRIX, [0.2, 1.0]), {}), ((MATRIX, 0.3, 1), {}),
                  ((MATRIX, [0.0, 0.7]), {"axis": 0}), ((MATRIX, [[0.1], [0.7]], -1), {})],
    np.percentile: [((MATRIX, 30), {}), ((MATRIX, [20, 100]), {}), ((MATRIX, 30.0), {"axis": 1})],
    np.histogram: [((ROW,), {}), ((ROW, 3), {}), ((ROW,), {"bins": 2, "range": (0, 3)}), ((ROW, [0.0, 1.0, 5.0]), {}),
                   ((np.ones(3), 2), {})],
    np.linalg.multi_dot: [(([SQUARE, SQUARE.T, SQUARE],), {}), (([SQUARE[0], SQUARE, SQUARE[1]],), {})],
    np.linalg.svdvals: [((MATRIX,), {})],
    np.linalg.cond: [((SQUARE,), {}), ((SQUARE, 1), {}), ((SQUARE, "fro"), {})],
    np.linalg.matrix_norm: [((MATRIX,), {}), ((MATRIX,), {"ord": 1})],
    np.linalg.vector_norm: [((MATRIX,), {}), ((MATRIX,), {"axis": 1}), ((ROW,), {"ord": 3})],
    np.linalg.diagonal: [((np.arange(18.0).reshape(2, 3, 3),), {}), ((SQUARE,), {"offset": 1})],
    np.linalg.trace: [((np.arange(18.0).reshape(2, 3, 3),), {}), ((SQUARE,), {"offset": 1})],
    np.linalg.cross: [((MATRIX[:, :3], MATRIX[:, 1:]), {})],
    np.linalg.vecdot: [((MATRIX, MATRIX ** 2), {}), ((MATRIX, MATRIX), {"axis": 0})],
    np.divmod: [((ROW, 0.7), {}), ((-7.5, 2.0), {})],
    np.modf: [((ROW * 1.3,), {}), ((-2.5,), {})],
    np.insert: [((ROW, 1, 9.0), {}), ((ROW, [1, 3], [8.0, 9.0]), {}), ((ROW, [1, 3], 7.0), {}),
                ((MATRIX, 1, 5.0), {"axis": 1}), ((MATRIX, 0, ROW[:4], 0), {}), ((np.arange(3), 1, 2.7), {})],
    np.delete: [((ROW, 1), {}), ((ROW, [0, -1]), {}), ((MATRIX, 1, 0), {}), ((MATRIX, slice(0, 3, 2)), {"axis": 1})],
    np.resize: [((ROW, (2, 4)), {}), ((MATRIX, 3), {})],
    np.extract: [((ROW > 0, ROW), {}), ((MATRIX > 1, MATRIX), {})],
    np.trim_zeros: [((np.array([0.0, 1.0, 0.0, 2.0, 0.0]),), {}), ((np.zeros(2),), {}), ((np.array([0.0, 1.0, 0.0]), "f"), {}),
                    ((np.zeros(2), "f"), {})],
    np.unique: [((np.array([3.0, 1.0, 3.0, 2.0]),), {}), ((MATRIX,), {})],
    np.diagflat: [((ROW,), {}), ((SQUARE, 1), {})],
    np.choose: [(([0, 1, 1, 0, 2], [ROW, ROW ** 2, 3.0]), {})],
    np.block: [(([[SQUARE, SQUARE * 2], [SQUARE[:1], SQUARE[1:]]],), {}), (([ROW, SQUARE[0]],), {}), (([[ROW, ROW]],), {})],
    np.broadcast_arrays: [((ROW, SQUARE[:, :1]), {}), ((ROW, SQUARE[:, :1], 3.0), {})],
    np.meshgrid: [((ROW, SQUARE[0]), k) for k in ({}, {"indexing": "ij"}, {"sparse": True})]
        + [((ROW, SQUARE[0], ROW[:3]), k) for k in ({}, {"indexing": "ij"}, {"indexing": "ij", "sparse": True})],
    np.logspace: [((0.5, 2.0, 4), {}), ((0.0, 3.0), {"num": 3, "base": 2.0, "endpoint": False})],
    np.geomspace: [((0.5, 2.0, 4), {}), ((-4.0, -0.25), {"num": 3}), ((1.0, 8.0, 3, False), {})],
    np.vander: [((ROW,), {}), ((ROW, 3), {}), ((ROW, 2, True), {}), ((ROW,), {"N": 0})],
    np.polyval: [((ROW, 2.0), {}), ((ROW, MATRIX), {}), (([], 3.0), {}), (([1, 2], 3), {})],
    np.polyfit: [((ROW, ROW ** 3, 2), {}), ((ROW, np.stack((ROW, ROW ** 3), 1), 1), {}),
                 ((ROW, ROW ** 3, 2), {"w": np.arange(1.0, 6.0)})],
    np.polyadd: [((ROW, SQUARE[0]), {}), ((SQUARE[0], ROW), {}), ((ROW, -ROW), {})],
    np.polysub: [((ROW, SQUARE[0]), {}), ((SQUARE[0], ROW), {})],
    np.polymul: [((ROW, SQUARE[0]), {}), ((np.array([0.0, 1.0, 2.0]), ROW), {})],
    np.polyder: [((ROW,), {}), ((ROW, 2), {}), ((ROW[:1],), {})],
    np.polyint: [((ROW,), {}), ((ROW, 2), {})],
    np.ediff1d: [((ROW,), {}), ((MATRIX,), {})],
    np.correlate: [((ROW, SQUARE[0], m), {}) for m in ("valid", "same", "full")] + [((SQUARE[0], ROW), {})],
    np.unwrap: [((ROW * 3,), {}), ((MATRIX * 2,), {"axis": 0}), ((ROW * 5,), {"period": 4.0})],
    np.gradient: [((ROW,), {}), ((ROW, 0.5), {}), ((MATRIX,), {}), ((MATRIX, 0.5), {"axis": 1}), ((MATRIX, 2.0, 3.0), {}),
                  ((ROW,), {"edge_order": 2}), ((ROW, np.array([0.0, 1.0, 1.5, 3.0, 3.2])), {}),
                  ((ROW, np.array([0.0, 1.0, 1.5, 3.0, 3.2])), {"edge_order": 2}), ((np.arange(24.0).reshape(2, 3, 4) ** 2,), {})],
    np.interp: [((v, [0.0, 1.0, 2.5], [3.0, -1.0, 4.0]), k) for v in (-1.0, 0.0, 0.3, 2.5, 9.0)
                for k in ({}, {"left": 7.0}, {"right": -2.0})]
        + [((v, [0.0, 1.0, 2.5], [3.0, -1.0, 4.0], *a), {}) for v in (-1.0, 0.3, 9.0)
           for a in ((7.0,), (None, 2.0), (None, None, 3.0))],
    np.rollaxis: [((np.arange(24.0).reshape(2, 3, 4), *a), {}) for a in ((2,), (1, 3), (-1, 1), (0, 2), (0, -1))],
    np.apply_along_axis: [((np.sum, 0, MATRIX), {}), ((lambda r: r * 2, 1, MATRIX), {}), ((lambda r: r[:2], 0, MATRIX), {}),
                          ((np.percentile, 1, MATRIX, 40), {})],
    np.piecewise: [((ROW, [ROW < 0, ROW > 2], [lambda v: v * v, 7.0]), {}), ((ROW, [ROW < 0], [1.0, lambda v: v ** 3]), {})],
    np.fromfunction: [((lambda i, j: i + 2 * j, (2, 3)), {})],
}
if sys.version_info >= (3, 12):
    CALLS[itertools.batched] = [(("abcde", 2), {}), (("", 3), {})]
    CALLS[math.sumprod] = [(([1.0, 2.0], [3.0, 4.0]), {}), (([], []), {})]

# Those that give a function, or never end, or are told from the original by what they are for.
OTHERWISE = {operator.itemgetter, operator.attrgetter, operator.methodcaller, operator.setitem, itertools.count,
             itertools.groupby, getattr(operator, "call", None), np.vectorize}


def outcome(function: Callable, args: tuple, kwargs: dict) -> Any:
    """What a call gives, iterators as lists and tuples in them as lists, or the error's class."""
    fresh = tuple(iter(list(a)) if type(a) is type(iter([])) and not _consumed(a) else a for a in args)
    try:
        return plain(function(*fresh, **kwargs))
    except (ValueError, TypeError, StopIteration) as error:
        return type(error).__name__


def _consumed(iterator: Any) -> bool:
    return operator.length_hint(iterator) == 0


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (np.round(value, 12) if value.dtype.kind == "f" else value).tolist()
    if hasattr(value, "__next__"):
        return [plain(v) for v in value]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return round(value, 12) if isinstance(value, float) else value


def forms() -> list[tuple[Any, Any]]:
    endless = {(builtins.iter, 2), (itertools.repeat, 1)}
    return [(original, e) for original, e in registered()
            if not isinstance(original, tuple) and original in CALLS and (original, e.count) not in endless]


@pytest.mark.parametrize("original, form", forms(), ids=lambda v: getattr(v, "__name__", None) or "form")
def test_the_plain_form_says_the_same(original: Any, form: Any) -> None:
    tried = 0
    for args, kwargs in CALLS[original]:
        constants = tuple(... if a is None else a if isinstance(a, (int, str)) else None for a in args)
        if form.fits(constants, bool(kwargs)) and equivalent_of(original, constants, bool(kwargs)) == form:
            again = tuple(list(a) if hasattr(a, "__next__") else a for a in args)
            mine = tuple(iter(a) if hasattr(b, "__next__") else a for a, b in zip(again, args))
            theirs = tuple(iter(a) if hasattr(b, "__next__") else a for a, b in zip(again, args))
            assert outcome(form.function, mine, kwargs) == outcome(original, theirs, kwargs), (args, kwargs)
            tried += 1
    assert tried


def test_every_form_has_a_test() -> None:
    ours = {original for original, _ in registered() if not isinstance(original, tuple)}
    here = {o for o in ours if o not in CALLS and o not in OTHERWISE}
    written = {o for o in here for e in [equivalent_of(o)] if e is not None and e.function.__module__.rpartition(".")[2]
               not in ("writers", "distributions", "frozen", "integration", "heaps")}
    assert not written


@pytest.mark.parametrize("a", NUMBERS)
@pytest.mark.parametrize("b", NUMBERS)
def test_zips_with_an_iterator(a: list[float], b: list[float]) -> None:
    mine, theirs = iter(b), iter(b)
    assert list(zip_sequence_first(a, mine)) == list(zip(a, theirs))
    assert list(mine) == list(theirs)
    mine, theirs = iter(a), iter(a)
    assert list(zip_iterable_first(mine, b)) == list(zip(theirs, b))
    assert list(mine) == list(theirs)
    assert list(map(tuple, transposed([a, b]))) == list(zip(a, b))


def test_forms_that_may_never_end() -> None:
    letters, again = iter("abcz"), iter("abcz")
    until = equivalent_of(builtins.iter, (None, None))
    assert until is not None and list(until.function(lambda: next(letters), "c")) == ["a", "b"]
    assert list(iter(lambda: next(again), "c")) == ["a", "b"] and list(letters) == list(again)
    for original, args in ((itertools.repeat, (7,)), (itertools.count, ()), (itertools.count, (2, 0.5)),
                           (itertools.cycle, ("ab",))):
        form = equivalent_of(original, (None,) * len(args))
        assert form is not None
        assert list(itertools.islice(form.function(*args), 5)) == list(itertools.islice(original(*args), 5))


def test_groups_are_those_of_itertools() -> None:
    form = equivalent_of(itertools.groupby)
    for words in ("aabba", "", "abc"):
        want = [(k, list(g)) for k, g in itertools.groupby(words)]
        assert form is not None and [tuple(pair) for pair in form.function(words)] == want


def test_functions_of_the_library_are_told_apart() -> None:
    form = equivalent_of(builtins.sum)
    assert form is not None and is_library(form.function)
    assert not is_library(test_functions_of_the_library_are_told_apart) and not is_library(builtins.sum)
    assert equivalent_of([]) is None


def test_comments_name_the_users_line() -> None:
    def total(x):
        return sum(v * v for v in x)

    x = np.array([1.0, 2.0])
    text = grad(total).source(x)
    assert "return sum(v * v for v in x)" in text and "library" not in text
    check_grads(total, (x,))


def test_what_is_inactive_stays_as_it_is_written() -> None:
    def total(x, names):
        longest = max(len(n) for n in names)
        return np.sum(x) * longest * sum(i for i, n in enumerate(names) if n)

    text = grad(total).source(np.array([1.0, 2.0]), ["a", "bc"])
    assert "sum(i for i, n in enumerate(names) if n)" in text and "max(len(n) for n in names)" in text


# ---------------------------------------------------------------- errors

@pytest.mark.parametrize("function", [
    lambda x: sum(map(math.frexp, x)),
    lambda x: np.sum(np.vectorize(lambda v: math.frexp(v)[0])(x)),
    lambda x: np.sum(np.vectorize(math.frexp)(x)),
    lambda x: np.apply_along_axis(math.frexp, 0, x)[0],
    lambda x: list(itertools.accumulate(x, math.frexp))[0],
])
def test_errors_name_the_line_of_the_user(function):
    with pytest.raises(UnsupportedError) as caught:
        grad(function)(np.array([1.0, 2.0]))
    at = caught.value.at
    assert (at.file, at.line) == (__file__, function.__code__.co_firstlineno)
