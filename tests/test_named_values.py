"""Dictionaries that are made of names and values: `dict(zip(names, x))`, comprehensions over them, `f(**params)`."""
from __future__ import annotations

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])
NAMES = ["mass", "k", "c", "x0"]
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}, {"checked": True}],
                                   ids=["default", "plain", "general", "checked"])


def model(t, mass, k, c=0.3, *, x0=1.0):
    return x0 * np.exp(-c * t) * np.cos(k / mass * t)


T = np.linspace(0.0, 1.0, 5)


def of_pairs(x):
    p = dict(enumerate(x))
    q = dict([("a", x[0]), ("b", x[1] * 2)], c=x[2])
    r = dict(map(lambda v: (v > 0, v), x))
    s = dict((k, v * v) for k, v in zip("abcd", x))
    t = dict(p.items())
    return p[0] * p[3] + q["a"] * q["b"] * q["c"] + r[True] * r[False] + s["a"] * t[1]


def of_names(x):
    params = dict(zip(("mass", "k", "c", "x0"), x))
    return np.sum(model(T, **params) ** 2)


def of_a_list_of_names(x):
    params = dict(zip(NAMES, x))
    return np.sum(model(T, **params) ** 2)


def comprehended(x):
    params = {name: v * k for k, (name, v) in enumerate(zip(("mass", "k", "c", "x0"), x + 1.3))}
    changed = {**params, "mass": x[3]}
    return np.sum(model(T, **changed)) * sum(params.values())


def defaults_come_and_go(x):
    params = {}
    for name, v in zip(NAMES, x):
        params[name] = v * v
    whole = np.sum(model(T, **params) ** 2)
    del params["c"]
    return whole + np.sum(model(T, **params) ** 2)


def filled_key_by_key(x):
    params = {}
    params["mass"] = x[0]
    if x[1] > 5.0:
        raise ValueError("too stiff")
    params["k"] = x[1]
    params["c"] = params["mass"] * x[2]
    return np.sum(model(T, **params))


def sometimes_a_key_more(x):
    params = {"mass": x[0], "k": x[1]}
    for k in range(2):
        if x[k] < 0.0:
            params["c"] = x[2]
    return np.sum(model(T, **params))


def the_loop_goes_on(x):
    x = x * 1.0
    s = 0.0
    for i, (name, v) in enumerate(zip(("a", "b", "c"), x)):
        if name == "b":
            continue
        x[i + 1] = v * v + i
        s += v * x[i + 1]
    return s + np.sum(x)


def the_loop_is_left(x):
    s = 0.0
    for name, v in zip(("a", "b", "c"), x):
        if v < 0.0:
            break
        s += v * v * len(name)
    else:
        s = 100.0 * x[3]
    return s * v


def functions_by_name(x):
    fs = {}
    for name, v in zip(("a", "bb"), x):
        fs[name] = lambda t: t * v + len(name)      # noqa: B023
    return fs["a"](x[2]) + fs["bb"](x[3]) * fs["a"](x[0])


def the_name_is_deleted(x):
    s = 0.0
    for name, v in zip(("a", "b"), x):
        w = v * v
        if name == "a":
            del name
            s += w
        else:
            s += 3 * w
    return s


def rows_by_name(x):
    A = np.outer(x, x)
    rows = dict(zip("abcd", A))
    rows["a"] *= x[1]
    rows["b"][1:] = rows["a"][:-1]
    return np.sum(A * A)


@each_way
@pytest.mark.parametrize("f", [of_pairs, of_names, of_a_list_of_names, comprehended, defaults_come_and_go,
                               filled_key_by_key, sometimes_a_key_more, the_loop_goes_on, the_loop_is_left,
                               functions_by_name, the_name_is_deleted, rows_by_name])
def test_values_by_name(f, options):
    check_program(f, (X,), (0,), **options)


def test_names_that_are_known_leave_no_dictionary():
    for f in (of_names, filled_key_by_key):
        assert "shadow" not in srcgrad.grad(f).source(X)


def test_fewer_values_than_names():
    def f(x):
        p = {name: v * v for name, v in zip(("a", "b", "c", "d", "e"), x)}
        return p["a"] * p["b"] + len(p)

    gradient = srcgrad.grad(f)
    for n in (2, 4, 7):
        want = np.zeros(n)
        x = np.arange(1.0, n + 1)
        want[:2] = 2 * x[0] * x[1] ** 2, 2 * x[1] * x[0] ** 2
        assert np.allclose(gradient(x), want)
    with pytest.raises(srcgrad.UnsupportedError, match="fewer values than names"):
        gradient([1.0, 2.0])


def test_a_key_that_the_function_doesnt_take():
    def f(x):
        params = dict(zip([*NAMES, "other"], [*x, 1.0]))
        return np.sum(model(T, **params))
    with pytest.raises(srcgrad.UnsupportedError, match="doesn't take"):
        srcgrad.grad(f)(X)
