"""Names outside of a function that it binds, what it tells loggers, and copies of what isn't known yet."""
from __future__ import annotations

import copy
import logging
from types import SimpleNamespace

import numpy as np
import pytest

from harness import check_core_form, check_program, clone
from srcgrad import SrcgradError, UnsupportedError, grad, value_and_grad, vjp

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.5, 1.5, 2.5])
CALLS = 0
SCALE = 1.5
LAST = None


def counted(x):
    global CALLS
    CALLS = CALLS + 1
    y = np.sum(x)
    for v in x:
        CALLS += 1
        y = y * v
    return y


def bump(v):
    global SCALE, LAST
    SCALE = SCALE * v
    LAST = v
    return SCALE


def through_callees(x):
    global SCALE
    SCALE = 1.5
    first = bump(x[0]) * SCALE
    second = bump(x[1])
    SCALE, old = 1.5, SCALE
    return first * second * old


def reset():
    global SCALE
    old, SCALE = SCALE, 1.5
    return old


def read_before_it_is_bound(x):
    global SCALE
    a = SCALE
    SCALE = 7.0
    return a * x[0] * reset()


def in_a_try(x):
    global SCALE
    try:
        bump(x[0])
        raise ValueError("stop")
    except ValueError:
        pass
    r = SCALE
    bump(1.0)
    reset()
    return r * x[1]


def by_functions_inside(x):
    global NEW
    NEW = x * 2

    def g():
        global CALLS
        CALLS += 10
        return NEW
    return np.sum(g() * NEW) + np.sum(g())


def as_a_loop_variable(x):
    global CALLS
    y = 0.0
    for CALLS, v in enumerate(x):
        y = y + v * CALLS
    return v * CALLS + y


class Solver:
    def __init__(self, k):
        self.k = k

    def step(self, v):
        global CALLS
        CALLS = CALLS + 1
        return v * v * self.k


def in_a_method(x):
    solver = Solver(x[0])
    return sum([solver.step(v) for v in x])


def closure():
    count, state = 0, 1.0

    def f(x):
        nonlocal count, state
        count += 1
        state = 1.0
        for v in x:
            state = state * v
            if state > 1.0:
                count += 5

        def g(z):
            nonlocal state
            state += z
            return state
        return g(x[0]) * state + g(x[1])
    return f, lambda: (count, state)


PROGRAMS = [counted, through_callees, read_before_it_is_bound, in_a_try, by_functions_inside, as_a_loop_variable,
            in_a_method, closure()[0]]


@each_way
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f, options):
    check_program(f, (X,), (0,), **options)


@pytest.mark.parametrize("f", PROGRAMS[:-1], ids=lambda f: f.__name__)
def test_core_form(f):
    check_core_form(f, [(clone(X),)])


@pytest.mark.parametrize("derived", [grad, value_and_grad, lambda f: lambda x: vjp(f, x)],
                         ids=["grad", "value_and_grad", "vjp"])
def test_is_left_as_the_function_leaves_it(derived):
    def after(run, f):
        global CALLS, SCALE, LAST
        CALLS, SCALE, LAST = 0, 1.5, None
        run(X)
        return CALLS, SCALE, LAST
    for f in PROGRAMS[:-1]:
        assert after(derived(f), f) == after(f, f)


def test_cells_are_left_as_the_function_leaves_them():
    f, look = closure()
    f(X)
    count, state = look()
    grad(f)(X)
    assert look() == (2 * count, state)


def test_a_changed_kind_is_seen():
    global SCALE
    for SCALE in (1.5, np.array([1.0, 2.0, 3.0]), 2):
        before = SCALE
        got = grad(scaled)(X)
        assert np.allclose(got, before * np.ones(3))
    SCALE = 1.5


def scaled(x):
    global SCALE
    y = np.sum(SCALE * x)
    SCALE = None
    return y


def test_the_text_assigns():
    text = grad(counted).source(X)
    assert "global CALLS\n" in text and "    CALLS = calls\n" in text


# ---------------------------------------------------------------- what is refused

def recursive(x, n):
    global CALLS
    CALLS += 1
    return x if n == 0 else recursive(x * x, n - 1)


def written_in_place(x):
    global NEW
    NEW = x * 2
    NEW[0] = 1.0
    return np.sum(NEW * x)


@pytest.mark.parametrize("f, args, what", [(recursive, (0.5, 2), "`CALLS`, which isn't local, is bound anew"),
                                           (written_in_place, (X,), "what `NEW` is bound to here is also written")])
def test_refused(f, args, what):
    with pytest.raises(UnsupportedError, match=what):
        grad(f)(*args)


# ---------------------------------------------------------------- loggers: nothing that they are told comes back

logger = logging.getLogger("srcgrad.tests")


def logged(x):
    s = 0.0
    for k, v in enumerate(x):
        s = s + v * v
        logger.info("step %d: %s", k, s)
        logging.debug("value %f", s)
        if logger.isEnabledFor(logging.INFO):
            s = s * 2.0
    return s


@each_way
def test_loggers(options, caplog):
    with caplog.at_level(logging.INFO, "srcgrad.tests"):
        check_program(logged, (X,), (0,), **options)
        caplog.clear()
        grad(logged)(X)
        assert [r.message for r in caplog.records] == ["step 0: 0.25", "step 1: 2.75", "step 2: 11.75"]


# ---------------------------------------------------------------- copies of what isn't known until later

def copied_before_it_is_filled(x, n):
    s = SimpleNamespace(total=0.0, parts=[])
    d = copy.deepcopy(s)
    for k in range(n):
        d.parts.append(x[k] * x[k])
        s.parts.append(d.parts[-1] * k)
    for v in d.parts + s.parts:
        s.total += v
    return s.total


def copied_at_every_step(x, n):
    path = [{"q": x, "log": []}]
    for _ in range(n):
        state = copy.deepcopy(path[-1])
        state["q"][0] *= 2.0
        state["log"].append(np.sum(state["q"]))
        path.append(state)
    return sum(path[-1]["log"]) * path[0]["q"][0]


@each_way
@pytest.mark.parametrize("f", [copied_before_it_is_filled, copied_at_every_step], ids=lambda f: f.__name__)
def test_copies(f, options):
    check_program(f, (X, 3), (0,), **options)


def holds_one_list_twice(x):
    inner = []
    s = SimpleNamespace(a=inner, b=inner)
    d = copy.deepcopy(s)
    d.a.append(x[0])
    s.a.append(d.b[0] * 2.0)
    return s.b[0]


def test_shared_parts_are_refused():
    with pytest.raises(SrcgradError):
        grad(holds_one_list_twice)(X)
