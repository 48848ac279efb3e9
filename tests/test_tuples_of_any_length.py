"""Tuples whose length isn't known before the program runs, and what containers hold side by side."""
from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

from harness import check_program, derivative
from srcgrad import UnsupportedError

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.4, -0.3, 0.8])


# ---------------------------------------------------------------- a tuple is told from a list

def by_isinstance(x):
    t = tuple([v * v for v in x])
    if isinstance(t, tuple):
        return t[0] * t[-1]
    return x[0] * 100


def by_type(x):
    t = tuple(v * v for v in x if v > -1)
    if type(t) is tuple:
        return t[0] * t[-1]
    return x[0] * 100


def by_equality(x):
    t, u = tuple(v for v in x), [v for v in x]
    s = 0.0
    if t == u:
        s += x[0]
    if t == (x[0], x[1], x[2]):
        s += x[1] * x[1]
    if t < tuple(v + 1 for v in x):
        s += x[2] * x[0]
    return s


def by_hash(x):
    d, s = {}, 0.0
    for k in range(3):
        t = tuple(v * 1.0 for v in x)
        if t in d:
            s += d[t]
        d[t] = x[k] * x[0]
    return s + len(d)


def by_what_it_lacks(x):
    t = tuple(v * v for v in x)
    try:
        t.append(x[0])
    except AttributeError:
        try:
            t[0] = x[0]
        except TypeError:
            return t[0]
        return t[1]
    return t[2]


def by_identity(x):
    t = tuple(tuple(v * k for v in x) for k in range(3))
    u = tuple(t)
    s = 0.0
    for row in u:
        s += row[0] * row[1]
    return s if u is t else 0.0


def made_by_itertools(x):
    s = 0.0
    for c in itertools.combinations([*x, x[0] * x[1]], 3):
        if isinstance(c, tuple):
            p, q, r = c
            s += p * q * r
    for c in itertools.permutations(x):
        if c == (x[0], x[1], x[2]):
            s += 3 * c[0]
        s += c[0] * c[1]
    for c in itertools.product(x, x, x, x):
        s += c[0] * c[3] if type(c) is tuple else 0.0
    return s


def columns(x):
    s = 0.0
    for c in zip(*[x, x * 2, x * x]):
        if isinstance(c, tuple):
            s += c[0] * c[2]
    return s


# ---------------------------------------------------------------- what is done with it

def joined_and_repeated(x):
    t = tuple(x * 2.0)
    t = t + (x[0] * x[1],)
    u = t * 2
    s = 0.0
    for v in u:
        s += v * v
    return s + t[-1] * u[2] + len(u)


def sliced(x):
    items = []
    for v in x:
        items.append(v * v)
    t = tuple(items)
    items.append(x[0])
    items[0] = 0.0
    a, b = t[1:]
    return sum(t[:2]) + a * b + np.sum(np.array(t) ** 3) + max(t) + items[-1]


def made_a_list_again(x):
    t = tuple(v * v for v in x)
    items, more = list(t), [*t, x[1]]
    items.append(x[0])
    items[0] *= 3.0
    more[0] = more[0] * more[1]
    return sum(items) + sum(more) + t[0]


def that_grows(x):
    t = tuple([x[0]])
    u = t
    for k in range(3):
        t += (t[-1] * x[k],)
    return sum(t) + len(u) * u[0]


def swapped(x):
    a, b = tuple(v * 2 for v in x), tuple(v * v for v in x[1:])
    for k in range(3):
        a, b = b, a + (x[k],)
    return sum(a) * sum(b)


def of_arrays_that_change(x):
    t = tuple([x * k for k in range(1, 4)])
    t[0][1] *= x[2]
    u = t[1:] + t[:1]
    u[0][:] = u[1] * u[2]
    s = 0.0
    for a in u:
        s += np.sum(a * a)
    return s + np.sum(np.concatenate(t))


def of_lists_that_change(x):
    t = tuple([[v] for v in x])
    for k in range(3):
        t[k].append(t[k - 1][0] * x[k])
    return sum(sum(a) for a in t) * t[2][-1]


def as_an_index(x):
    A = np.outer(x, x)
    return A[tuple(int(v > 0) for v in x[:2])] * A[tuple([0, 1])]


@each_way
@pytest.mark.parametrize("f", [
    by_isinstance, by_type, by_equality, by_hash, by_what_it_lacks, by_identity, made_by_itertools, columns,
    joined_and_repeated, sliced, made_a_list_again, that_grows, swapped, of_arrays_that_change, of_lists_that_change,
    as_an_index])
def test_tuples_of_any_length(f, options):
    check_program(f, (X,), (0,), **options)


def copied(x):
    t = tuple([v * v] for v in x)
    u = copy.deepcopy(t)
    u[0][0] = 5.0
    w = copy.copy(t)
    return t[0][0] * w[1][0] if isinstance(u, tuple) else 0.0


@pytest.mark.parametrize("options", [o for o in OPTIONS if "general" not in o])
def test_a_tuple_is_copied(options):
    check_program(copied, (X,), (0,), **options)


def tuple_or_list(x):
    t = tuple(v * v for v in x) if x[0] > 0 else [v * 3 for v in x]
    if isinstance(t, list):
        t[0] = 0.0
    return t[0] * t[1] + t[2]


@each_way
def test_a_tuple_or_a_list_that_changes_is_refused(options):
    with pytest.raises(UnsupportedError, match="a tuple is met where a list"):
        derivative(tuple_or_list, (0,), **options)(X)


# ---------------------------------------------------------------- parts of a slice

def unpacked_slice(x):
    items = [v * v for v in x]
    a, b = items[1:]
    return a * b


def unpacked_slice_of_arrays(x):
    items = [x * 2, x * 3, x * x]
    a, b = items[1:]
    c, *d = items[1:]
    return np.sum(a * b) + c[0] + d[0][1] + items[:2][1][1]


@each_way
@pytest.mark.parametrize("f", [unpacked_slice, unpacked_slice_of_arrays])
def test_a_slice_of_a_list_that_is_unpacked(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- arrays that change beside numbers and others

def numbers_in_tuples(x):
    items = [(x[k], x * k) for k in range(3)]
    items[0][1][1] = x[0] * x[1]
    more = items + [(x[2], x * x)]
    s = 0.0
    for v, a in more:
        s += v * a[0]
    return s + more[-1][0]


def numbers_in_tuples_that_move(x):
    items = []
    for k in range(3):
        items.append((x[k], x * k))
    items[0][1][1] = x[0] * x[1]
    more = items * 2
    last = []
    last.extend(more)
    last[1:2] = items
    s = 0.0
    for v, a in last:
        s += v * a[0] * a[1]
    return s + more[-1][0]


def arrays_in_tuples(x):
    items = [(x * 2, x * x), (x * 3, x * x[0])]
    items[1][1][1] = x[0] * x[2]
    s = 0.0
    for a, b in items + items:
        s += np.sum(a * b)
    return s


def in_a_tuple_of_tuples(x):
    t = tuple([(x[k], x * k) for k in range(len(x))])
    t[2][1][0] *= x[1]
    u = t + t[:1]
    s = 0.0
    for v, a in u:
        s += v * a[0]
    (v, a), *rest = u
    return s + v * a[1] + rest[0][0] * rest[1][1][0]


def arrays_in_dicts(x):
    items = [{"a": x * 2, "b": x * x}, {"a": x * 3, "b": x * x[0]}]
    items[1]["b"][1] = x[0] * x[2]
    s = 0.0
    for d in items + items:
        s += np.sum(d["a"] * d["b"])
    return s


def numbers_in_dicts(x):
    items = [{"v": x[0], "b": x * x}, {"v": x[1], "b": x * x[0]}]
    items[1]["b"][1] = x[0] * x[2]
    s = 0.0
    for d in items + items:
        s += np.sum(d["v"] * d["b"])
    return s


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def in_objects(x):
    box = Box([x[0], x[1]], x * x)
    items = [box, Box([x[2], x[1]], x * 2)]
    items[1].b[1] = x[0] * x[2]
    s = 0.0
    for d in items + [box]:
        s += np.sum(d.a[0] * d.b) * d.a[1]
    return s


def walked(items, n, s):
    if n == 0:
        return s
    a, b, v = items[n - 1]
    b[0] = b[1] * v
    return walked([*items, (b, a, s)], n - 1, s + np.sum(a * b) * v)


def given_to_a_function_that_calls_itself(x):
    return walked([(x * k, x * x, x[k]) for k in range(3)], 3, x[0])


@each_way
@pytest.mark.parametrize("f", [
    numbers_in_tuples, numbers_in_tuples_that_move, arrays_in_tuples, in_a_tuple_of_tuples, arrays_in_dicts,
    numbers_in_dicts, in_objects, given_to_a_function_that_calls_itself])
def test_what_stands_beside_an_array_that_changes(f, options):
    check_program(f, (X,), (0,), **options)
