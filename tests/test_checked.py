"""Checked mode asserts each kind of inferred fact, and each kind of fault is caught when it is made on purpose."""
from __future__ import annotations

import collections
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from corpus import PROGRAMS
from harness import as_tuple, call_derivative, clone, compare, derivative, differences, same
from srcgrad.analysis.interpret import expressions, interpreter, operations
from srcgrad.analysis.interpret.state import Abstract, Heap, Ref
from srcgrad.analysis.values import Array, Linear, Number
from srcgrad.compiler import Request, compile_gradient
from srcgrad.errors import InternalError
from srcgrad.lang.core import Bin, Bind, Const, Name
from srcgrad.lang.source import find
from srcgrad.options import Options
from srcgrad.passes.place import _Placer
from srcgrad.passes.reverse.loops import Loops
from srcgrad.passes.reverse.stores import Stores
from srcgrad.runtime import checks

# ---------------------------------------------------------------- every kind of assertion is made

SAMPLE = ("swap_two_buffers", "alias_then_write", "heat_rod", "overlapping_slices", "dict_argument", "autocorrelation",
          "array_from_scalars", "kernel_density", "gaussian_process", "recurrent_network", "shape_from_the_values",
          "projectile_with_drag")


def _assertions(names: tuple[str, ...]) -> collections.Counter:
    """How often each assertion is made, and about what kind of fact, when these programs run."""
    made: collections.Counter = collections.Counter()
    codes = {f.__code__: f.__name__ for f in checks.ASSERTIONS}

    def count(frame: Any, event: str, _: Any) -> None:
        name = codes.get(frame.f_code) if event == "call" else None
        if name is not None:
            made[name] += 1
            if name == "check_kind":
                made[frame.f_locals["fact"][0]] += 1
            if name == "check_held":
                made.update(key.partition(" ")[0] for key in frame.f_locals["values"])
    sys.setprofile(count)
    try:
        for p in map(PROGRAMS.__getitem__, names):
            call_derivative(derivative(p.function, p.wrt, checked=True), p.inputs[0], p.wrt)
    finally:
        sys.setprofile(None)
    return made


def test_each_kind_of_assertion_is_made():
    made = _assertions(SAMPLE)
    wanted = {f.__name__ for f in checks.ASSERTIONS}
    wanted |= {"array", "number", "value", "list", "dict", "shape", "memory", "the"}
    assert wanted <= made.keys()
    assert made["check_held"] > 100 and made["check_kind"] > 100 and made["check_separate"] > 50


def test_checks_stand_where_the_fact_is_made():
    def f(x):
        u = x.copy()
        u[1:] = u[:-1] * x[1:]
        return np.sum(u * x)
    text = derivative(f, (0,), checked=True).source(np.ones(3))
    forward, _, backward = text.partition("# backward")
    assert "check_kind" in forward and "check_separate" in forward and "remember" in forward
    assert "check_held" in backward and backward.count("check_unwritten(") == 1


@pytest.mark.parametrize("name", ["swap_two_buffers", "overlapping_slices", "list_filled_in_a_loop"])
def test_pullback_is_checked_each_time(name):
    p = PROGRAMS[name]
    args = clone(p.inputs[0])
    found = find(p.function)
    values = tuple(operations.of_object(v, n) for n, v in zip(found.signature.parameters, args))
    made = compile_gradient(found, values, Request(p.wrt, "vjp", options=Options(checked=True)), args)
    _, record = made.forward(*args)
    first, second = (made.pullback(record, 1.0) for _ in range(2))
    same(first, second)
    compare(as_tuple(first, p.wrt), differences(p.function, p.inputs[0], p.wrt))
    assert "check_held" in made.text


# ---------------------------------------------------------------- the assertions themselves

A = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("x, fact", [
    (A, ("array", "float64", (2, None))), (A, ("array", None, None)), (1.0, ("array", None, None)),
    (np.float64(1.0), ("number", "float", "float64", None)), (2, ("number", "int", None, 2)),
    (1, ("number", "float", None, None)),
    (None, ("value", None)), ("C", ("value", "C")), (np.sum, ("is", np.sum)), (range(2), ("range",)),
    ((1.0, A), ("tuple", (None, ("array", "float64", (2, 3))))),
    ([1.0, 2.0], ("list", ("number", "float", None, None))),
    ({"a": 1.0}, ("dict", (("a", ("number", "float", None, None)), ("b", ("value", 1))))),
])
def test_kinds_that_hold(x, fact):
    checks.check_kind("here", x, fact)


@pytest.mark.parametrize("x, fact", [
    (A, ("array", "float32", None)), (A, ("array", None, (2,))), (A, ("array", None, (3, None))),
    (1.0, ("array", None, ())),
    ([1.0], ("array", None, None)), (1.0, ("number", "float", "float64", None)), (1.0, ("number", "int", None, None)),
    (True, ("number", "int", None, None)), (2, ("number", "int", None, 3)), (1, ("value", 1.0)), (-0.0, ("value", 0.0)),
    (np.prod, ("is", np.sum)), ([1], ("range",)), ((1.0,), ("tuple", (None, None))), ((), ("list", None)),
    ([1.0, None], ("list", ("number", "float", None, None))), ({"a": 1}, ("dict", (("a", ("value", 2)),))),
    (slice(1, 2), ("object", slice, (("start", ("value", 2)),))), (1, ("object", slice, ())),
])
def test_kinds_that_do_not_hold(x, fact):
    with pytest.raises(InternalError, match="checked mode, here"):
        checks.check_kind("here", x, fact)


@pytest.mark.parametrize("x, view", [(A[1:], A[:1]), (A.T, A), (A[:, ::-1], A), (A.copy(), A), (A[0], A[:1]), ([], [])])
def test_views_that_are_others(x, view):
    with pytest.raises(InternalError):
        checks.check_view("here", x, view)


def test_memory():
    checks.check_view("here", A[1:], A[1:])
    checks.check_separate("here", A[:, 0], {"b": A[:, 1], "c": [A[:, 2]]})
    with pytest.raises(InternalError, match="shares memory with `b`"):
        checks.check_separate("here", {"k": A[:, 0]}, {"b": [A[:1]]})


@pytest.mark.parametrize("change", [lambda a, n: a.__setitem__(0, 9.0), lambda a, n: n.append(1),
                                    lambda a, n: n.clear()])
def test_changes_between_remembering_and_reading(change):
    seen: dict = {}
    a, n = np.zeros(3), [1, np.zeros(2)]
    values = {"a": a, "n": n, "x": np.nan, "b": np.array([np.nan])}
    for _ in range(2):
        checks.remember(seen, 1, values)
    checks.check_held(seen, 1, "here", values)
    with pytest.raises(InternalError, match="less often"):
        checks.check_all_met(seen, "here")
    change(a, n)
    with pytest.raises(InternalError, match="the backward pass reads another"):
        checks.check_held(seen, 1, "here", values)
    with pytest.raises(InternalError, match="more often"):
        checks.check_held(seen, 1, "here", values)


def test_writes_and_lost_adjoints():
    notes: list = []
    a = np.zeros(3)
    checks.note_unwritten(notes, "here", a)
    checks.check_unwritten(notes)
    a[1] = 1.0
    with pytest.raises(InternalError, match="written in place"):
        checks.check_unwritten(notes)
    checks.check_zero("here", [np.zeros(2), None])
    for bar in (1.0, a, {"k": a}):
        with pytest.raises(InternalError, match="is lost"):
            checks.check_zero("here", bar)


# ---------------------------------------------------------------- faults made on purpose

def matrix(x, c):
    t = x * x
    return np.sum(t.reshape(-1) * 2.0)


def lengths(x, c):
    y = np.ones((1, x.shape[1])) * c
    t = x + y
    return np.sum(t * t)


def views(x, c):
    u = x.copy()
    v = u[1:]
    v[0] = 2.0 * u[0]
    return np.sum(u * v[0])


def gathers(x, c):
    u = x * 1.5
    k = np.array([1, 0])
    v = u[k]
    v[0] = v[1] * v[0]
    return np.sum(u * v)


def aliases(x, c):
    u = x * 2.0
    w = u
    w[0] = w[1] * w[0]
    return np.sum(u * w)


def either(x, c):
    u, v = x * 2.0, x * x
    w = u if c > 0.0 else v
    w[0] = w[1] * w[0]
    return np.sum(u * v * w)


def steps(x, c):
    u = x * 1.0
    s = c
    for _ in range(3):
        e = s * u
        u[:-1] = u[1:] * e[:-1]
        s = s * s + np.sum(e * e)
    return s + np.sum(u)


def counts(x, c):
    k = 0
    s = c
    while k < 3:
        s = s * s * x[0, k % 2]
        k = k + 1
    return s + np.sum(x)


def last(x, c):
    for k in range(3):
        t = x[0, k] * c
    return t * t


Patch = Callable[[pytest.MonkeyPatch], None]
FAULTS: dict[str, tuple[Callable, Patch, set[str]]] = {}


def fault(program: Callable, *caught_as: str) -> Callable[[Patch], Patch]:
    """Registers what makes a fault; `caught_as`: checked (an assertion fails), wrong (against differences), crashed."""
    def register(patch: Patch) -> Patch:
        FAULTS[patch.__name__] = (program, patch, set(caught_as))
        return patch
    return register


def _falsify_results(patch: pytest.MonkeyPatch, change: Callable) -> None:
    real = operations.result
    patch.setattr(operations, "result", lambda *args, **kwargs: change(real(*args, **kwargs)))


def _falsify_arrays(patch: pytest.MonkeyPatch, dtype: Callable, dims: Callable) -> None:
    def change(value):
        known = isinstance(value, Array) and value.dims
        return Array(dtype(value.dtype), dims(value.dims)) if known else value
    _falsify_results(patch, change)


def _same(fact: Any) -> Any:
    return fact


@fault(matrix, "checked")
def rank(patch):
    _falsify_arrays(patch, _same, lambda dims: dims[:1])


@fault(matrix, "checked")
def dtype(patch):
    _falsify_arrays(patch, lambda dtype: np.dtype("f4"), _same)


@fault(matrix, "checked")
def constant_length(patch):
    _falsify_arrays(patch, _same, lambda dims: (Linear(7), *dims[1:]))


@fault(lengths, "checked")
def equal_lengths(patch):
    _falsify_arrays(patch, _same, lambda dims: dims[-1:] * len(dims))


@fault(counts, "checked")
def kind_of_a_number(patch):
    _falsify_results(patch, lambda v: Number("int") if isinstance(v, Number) and v.kind == "float" else v)


@fault(views, "checked")
def view_taken_as_copy(patch):
    patch.setattr(expressions, "basic_index", lambda value: False)


@fault(gathers, "checked")
def copy_taken_as_view(patch):
    patch.setattr(expressions, "basic_index", lambda value: True)


@fault(aliases, "checked")
def aliases_taken_as_separate(patch):
    def bind(walk, stmt, env):
        out = real(walk, stmt, env)
        (value,) = stmt.values if len(stmt.values) == 1 else (None,)
        if isinstance(value, Name) and out[stmt.names[0]].refs:
            storage = walk.heap.storage((stmt, "another"), "array")
            walk.heap.mark(storage, active=True)
            out[stmt.names[0]] = Abstract(out[stmt.names[0]].value, frozenset((Ref(storage),)))
        return out
    real = interpreter._Walk._bind
    patch.setattr(interpreter._Walk, "_bind", bind)


@fault(either, "checked")
def loose_taken_as_static(patch):
    real = Heap.mark
    patch.setattr(Heap, "mark", lambda self, storage, loose=False, **facts: real(self, storage, **facts))


@fault(aliases, "checked")
def written_taken_as_unwritten(patch):
    real = Heap.mark
    patch.setattr(Heap, "mark", lambda self, storage, written=False, **facts: real(self, storage, **facts))


@fault(steps, "checked")
def name_that_is_not_saved(patch):
    patch.setattr(_Placer, "_must_save_name", lambda self, name, needs, stmt, depth: False)


@fault(steps, "checked")
def content_that_is_not_saved(patch):
    patch.setattr(_Placer, "_save_content", lambda self, stmt, needs, depth: (([], []), frozenset()))


@fault(steps, "checked")
def saved_without_a_copy(patch):
    patch.setattr(_Placer, "_old_content", lambda self, stmt, place: place)


@fault(steps, "checked", "crashed")
def late_names_that_are_not_saved(patch):
    patch.setattr(_Placer, "_note_late", lambda self, inner, fresh: None)


@fault(steps, "checked")
def another_value_saved(patch):
    real = _Placer._push
    patch.setattr(_Placer, "_push", lambda self, stack, value: real(self, stack, Bin("*", value, Const(1.5))))


@fault(steps, "checked")
def needs_that_do_not_go_round_the_loop(patch):
    real = _Placer._dry
    patch.setattr(_Placer, "_dry", lambda self, *args: (*real(self, *args)[:2], frozenset()))


@fault(counts, "checked")
def states_that_do_not_go_round_the_loop(patch):
    patch.setattr(interpreter, "merge_envs", lambda heap, a, b: b if a is None else a)


@fault(steps, "wrong")
def adjoint_taken_without_a_copy(patch):
    def take(self, stmt, place, target, out):
        name = self.c.temporary("g")
        out.append(Bind((name,), (target,)))
        return Name(name)
    patch.setattr(Stores, "_take", take)


@fault(last, "checked")
def adjoint_that_is_not_used_up(patch):
    def rezero(self, stmt, start, end):
        for bar in start.have:
            if not end.has(bar):
                end.set(bar, "shared")
        return []
    patch.setattr(Loops, "_rezero", rezero)


def _outcome(program: Callable, args: tuple) -> str:
    want = differences(program, args, (0, 1))
    try:
        compare(call_derivative(derivative(_again(program), (0, 1), checked=True), args, (0, 1)), want)
    except InternalError as error:
        return "checked" if "checked mode" in str(error) else "crashed"
    except AssertionError:
        return "wrong"
    except Exception:
        return "crashed"
    return "silent"


def _again(program: Callable) -> Callable:
    """The same function as another object: nothing has been compiled for it yet."""
    return type(program)(program.__code__, program.__globals__, program.__name__)


X = np.array([[0.5, 1.2, 0.7], [0.9, 0.3, 1.1]])
ARGUMENTS = {views: X[0], aliases: X[0], either: X[0], steps: X[0], gathers: X[:, 1].copy()}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_caught(name, monkeypatch):
    program, patch, caught_as = FAULTS[name]
    args = (ARGUMENTS.get(program, X).copy(), 0.8)
    assert _outcome(program, args) == "silent"
    patch(monkeypatch)
    assert _outcome(program, args) in caught_as
