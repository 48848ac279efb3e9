"""Calls of a derivative: binding, guards, variants.  The compiler is replaced by one that takes differences."""
from __future__ import annotations

import functools
import gc
import pickle
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from srcgrad.analysis.guards import Guard, compile_guard, of_value
from srcgrad.analysis.values import UNKNOWN, Array, DictOf, Known, Linear, ListOf, Number, ObjectOf, RangeOf, TupleOf
from srcgrad.api import Derivative
from srcgrad.compiler import Artifact
from srcgrad.dispatch import MOST_VARIANTS, Question, binder, parameter_names, variants_of
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.options import Options

FLOAT = np.dtype(np.float64)


class Differences:
    """A compiler for functions of numbers; `log` has the abstract values and the general flag of each compilation."""

    def __init__(self, guards=(), delay=0.0):
        self.log, self.guards, self.delay = [], guards, delay

    def __call__(self, found, values, request, samples=None):
        time.sleep(self.delay)
        self.log.append((found, values, request))

        def forward(*args):
            gradients = tuple(self._slope(found.function, args, i) for i in request.wrt)
            return gradients[0] if len(gradients) == 1 else gradients
        if request.options.general:
            values = (Array(None, None),) + (UNKNOWN,) * (len(values) - 1)
        return Artifact(f"text of {found.name}", forward, None, tuple(self.guards), values)

    @staticmethod
    def _slope(f, args, i):
        names = parameter_names(f.__code__)
        def at(x):
            bound = {**dict(zip(names, args)), names[i]: x}
            keyword = {name: bound.pop(name) for name in names if f.__code__.co_kwonlyargcount and name in "kq"}
            return f(*bound.values(), **keyword)
        return round((at(args[i] + 1e-5) - at(args[i] - 1e-5)) / 2e-5, 6)


def derivative(f, argnums=0, **kwargs):
    compile = Differences()
    return Derivative(f, argnums, compile=compile, **kwargs), compile.log


# ---------------------------------------------------------------- guards

APPEND = [].append
VALUES = [
    (Array(FLOAT, (None, None)), [np.ones((2, 3)), np.ones((1, 1))],
     [np.ones(2), np.ones((2, 2), np.float32), 1.0, None]),
    (Array(FLOAT, (Linear(1), Linear.symbol("n"))), [np.ones((1, 3))], [np.ones((2, 3)), np.ones((1, 3, 1))]),
    (Array(None, None), [np.ones(2), np.arange(3)], [1.0, [1.0]]),
    (Number("float"), [1.0], [1, np.float64(1), True, np.array(1.0)]),
    (Number("float", np.dtype(np.float32)), [np.float32(1)], [1.0, np.float64(1)]),
    (Number("bool"), [True], [1, 0.0]),
    (Number("int", None, Linear(3)), [3], [4, 3.0]),
    (Known(None), [None], [0, False]), (Known("relu"), ["re" + "lu"], ["tanh", None]),
    (Known(0.0), [0.0], [-0.0, 0]), (Known(float("nan")), [float("nan")], [1.0]),
    (Known(slice(0, 2)), [slice(0, 2)], [slice(0, 3)]), (Known(np.sin), [np.sin], [np.cos]), (Known(True), [True], [1]),
    (Known(APPEND), [APPEND], [[].append]), (Known(FLOAT), [np.dtype(float)], [np.dtype("f4")]),
    (TupleOf((Number("float"), Known(None))), [(1.0, None)], [(1.0,), (1.0, 2.0), [1.0, None], (1, None)]),
    (ListOf(Number("int")), [[1, 2], []], [[1, 2.0], (1,)]), (ListOf(None), [[]], [[1]]),
    (ListOf(ListOf(Number("float"))), [[[1.0], [2]], []], [[1.0], [["s"]]]),
    (DictOf((("a", Number("float")), ("b", UNKNOWN))), [{"b": 0, "a": 1.0}], [{"a": 1.0}, {"a": 1, "b": 0}, []]),
    (DictOf((("a", UNKNOWN),), Number("int")), [{"a": 1.0}, {"a": 0, "z": 1}], [{"z": 1}, {"a": 0, "z": 1.0}]),
    (ObjectOf(SimpleNamespace, (("w", Number("float")),)), [SimpleNamespace(w=1.0)],
     [SimpleNamespace(w=1), SimpleNamespace()]),
    (RangeOf(), [range(3)], [[0, 1, 2]]), (UNKNOWN, [None, 1], []),
]


@pytest.mark.parametrize("value, alike, others", VALUES, ids=lambda v: type(v).__name__)
def test_a_guard_tells_alike_values_from_others(value, alike, others):
    holds = compile_guard(("x",), (value,))
    assert all(holds(x) for x in alike)
    assert not any(holds(x) for x in others)


def test_guards_are_plain_text():
    value = TupleOf((Array(None, (Linear(1),)), Number("int")))
    assert of_value("x", value).text == (
        "type(x) is tuple and len(x) == 2 and type(x[0]) is _ndarray and x[0].ndim == 1 and x[0].shape[0] == 1"
        " and type(x[1]) is int")
    assert of_value("x", UNKNOWN) is None


def test_objects_of_several_guards_stay_apart_and_a_failing_guard_is_false():
    one, two = [1], [1]
    guards = [Guard("x is F0", (("F0", one),)), Guard("y is F0", (("F0", two),))]
    assert compile_guard(("x", "y"), (UNKNOWN, UNKNOWN), guards)(one, two)
    assert not compile_guard(("x", "y"), (UNKNOWN, UNKNOWN), guards)(two, one)
    assert not compile_guard(("x",), (UNKNOWN,), [Guard("x.shape[0] > 1")])(3.0)


def test_parameters_may_hide_builtins():
    holds = compile_guard(("type", "list"), (Number("float"), ListOf(Number("int"))), [Guard("type > list[0]")])
    assert holds(2.0, [1]) and not holds(0.0, [1]) and not holds(2.0, [1.0])


def test_guards_are_equal_by_text_and_identity():
    one, two = [1], [1]
    assert Guard("x is F0", (("F0", one),)) == Guard("x is F0", (("F0", one),))
    assert len({Guard("x is F0", (("F0", one),)), Guard("x is F0", (("F0", two),)), Guard("x")}) == 3


# ---------------------------------------------------------------- binding

def test_a_binder_takes_every_kind_of_parameter():
    def f(a, b=2, /, c=3, *rest, k, q=5, **more): ...
    assert parameter_names(f.__code__) == ("a", "b", "c", "rest", "k", "q", "more")
    assert binder(f)(1, k=4, z=6) == (1, 2, 3, (), 4, 5, {"z": 6})
    assert binder(f)(1, 2, 3, 4, 5, k=6) == (1, 2, 3, (4, 5), 6, 5, {})
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required keyword-only argument: 'k'"):
        binder(f)(1)


def test_keyword_arguments_and_keyword_only_parameters():
    def f(x, scale=2.0, *, k=1.0):
        return x * scale * k
    g, log = derivative(f)
    assert (g(3.0), g(x=3.0), g(3.0, k=2.0), g(3.0, scale=5.0)) == (2.0, 2.0, 4.0, 5.0)
    assert len(log) == 1
    with pytest.raises(TypeError, match="f.*unexpected keyword argument 'y'"):
        g(3.0, y=1)


def test_defaults_are_those_of_the_moment_of_the_call():
    def f(x, scale=2.0, *, k=1.0):
        return x * scale * k
    g, log = derivative(f)
    assert g(3.0) == 2.0
    f.__defaults__ = (4.0,)
    f.__kwdefaults__ = {"k": 10.0}
    assert g(3.0) == 40.0
    f.__defaults__ = (1.0, 4.0)
    assert g() == 40.0 and len(log) == 1


def test_a_function_whose_code_is_replaced_is_compiled_again():
    def f(x):
        return 2.0 * x
    def other(x, y=1.0):
        return 5.0 * x * y
    g, log = derivative(f)
    assert g(1.0) == 2.0
    f.__code__ = other.__code__
    assert g(1.0, 2.0) == 10.0 and len(log) == 2


# ---------------------------------------------------------------- variants

def test_one_variant_a_kind_of_argument():
    def f(x, n=1):
        return x * n
    g, log = derivative(f)
    for x, n in [(1.0, 1), (2.0, 7), (1.0, 1.0), (np.float64(1), 2), (3.0, 3)]:
        assert g(x, n) == n
    assert len(log) == 3


def test_dimensions_make_no_variants_but_0_and_1():
    def f(x, a):
        return x * a.size
    g, log = derivative(f)
    for shape in [(1, 3), (1, 7), (2, 3), (5, 4), (1, 9)]:
        assert g(1.0, np.ones(shape)) == np.ones(shape).size
    assert len(log) == 2


def test_the_length_of_a_list_makes_no_variants():
    def f(x, items):
        return x * sum(items)
    g, log = derivative(f)
    for n in range(1, 6):
        assert g(1.0, [1.0] * n) == n
    assert len(log) == 1


def test_a_value_that_no_guard_can_recognise_is_compiled_as_unknown():
    class Vague(float):
        pass
    def f(x, v):
        return x * v
    g, log = derivative(f)
    for _ in range(3):
        assert g(1.0, Vague(2)) == 2.0
    assert len(log) == 1


def test_further_facts_are_asked_on_every_call():
    flag = {"on": True}
    compile = Differences(guards=[Guard("F0['on'] and x > 0", (("F0", flag),))])
    g = Derivative(lambda x: x * x, compile=compile)
    g(1.0), g(2.0)
    assert len(compile.log) == 1
    flag["on"] = False
    g(1.0)
    assert len(compile.log) == 2


def many(k):
    """Arguments of distinct kinds."""
    return (1.0,) * k


def test_after_eight_variants_a_general_one_serves_with_one_warning():
    def f(x, extra):
        return 3.0 * x
    g, log = derivative(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(MOST_VARIANTS):
            g(1.0, many(k))
    text = "f was compiled for 8 kinds of arguments: the types of extra varied"
    with pytest.warns(RuntimeWarning, match=text) as caught:
        for k in range(MOST_VARIANTS, MOST_VARIANTS + 5):
            assert g(1.0, many(k)) == 3.0
    assert len(caught) == 1 and caught[0].filename == __file__
    assert len(log) == MOST_VARIANTS + 1
    assert log[-1][2].options.general
    assert not any(request.options.general for _, _, request in log[:-1])
    g(1.0, many(0))
    assert len(log) == MOST_VARIANTS + 1


def test_a_general_derivative_looks_at_no_types():
    g, log = derivative(lambda x: x * x, options=Options(general=True))
    assert g(3.0) == 6.0 and g(np.float64(3)) == 6.0 and g(np.array(3.0)) == 6.0
    assert len(log) == 1


def test_a_failed_compilation_leaves_nothing_behind():
    class Once(Differences):
        def __call__(self, *task):
            if not self.log:
                self.log.append(None)
                raise ArgumentError("not yet")
            return super().__call__(*task)
    g = Derivative(lambda x: x * x, compile=Once())
    with pytest.raises(ArgumentError, match="not yet"):
        g(1.0)
    assert g(1.0) == 2.0


def test_threads_compile_a_variant_once():
    compile = Differences(delay=0.05)
    g = Derivative(lambda x: x * x, compile=compile)
    results = []
    threads = [threading.Thread(target=lambda x=float(i): results.append((x, g(x)))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(float(i), 2.0 * i) for i in range(8)]
    assert len(compile.log) == 1


def test_derivatives_of_one_function_share_variants_and_die_with_it():
    def f(x):
        return x * x
    question = Question(("x",))
    assert variants_of(f, question) is variants_of(f, Question(("x",)))
    assert variants_of(f, question) is not variants_of(f, Question(("x",), "vjp"))

    @functools.wraps(f)
    def wrapper(x):
        return f(x)
    assert variants_of(wrapper, question).function is wrapper
    kept = next(iter(f.__dict__.values()))
    assert pickle.loads(pickle.dumps(kept)).function is None


def test_an_argument_without_derivative_is_refused():
    g, log = derivative(lambda x: 1.0)
    for x in ("s", None, True, np.sin, np.array([True]), int):
        with pytest.raises(ArgumentError, match="the argument 'x' is .* no derivative"):
            g(x)
    assert not log


def test_the_overhead_of_a_call_is_microseconds():
    def f(w, X, y):
        return 1.0
    def zero(*args):
        return 0.0
    def compile(found, values, request, samples):
        return Artifact("", zero, None, (), values)
    g, x = Derivative(f, compile=compile), np.ones((3, 3))
    g(x, x, x)
    best = min(_seconds(g, x) for _ in range(20))
    # 3 + 0.3 for each array, with room for a busy machine
    assert best < 3 * 3.9e-6


def _seconds(g, x, times=2000):
    start = time.perf_counter()
    for _ in range(times):
        g(x, x, x)
    return (time.perf_counter() - start) / times


def test_the_collector_is_as_before_after_a_compilation_that_ends_or_fails():
    def squares(x):
        return np.sum(x * x)

    def generator(x):
        yield x

    before = gc.get_threshold()
    Derivative(squares, 0)(np.ones(3))
    assert gc.get_threshold() == before
    with pytest.raises(UnsupportedError):
        Derivative(generator, 0)(np.ones(3))
    assert gc.get_threshold() == before
