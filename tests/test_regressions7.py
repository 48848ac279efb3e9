"""What once went wrong with the keys of dicts: keys that are differentiated, and dicts that are merged."""
from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from harness import check_program, derivative
from srcgrad import UnsupportedError

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.4, -0.3, 0.8])


# ---------------------------------------------------------------- keys that depend on the arguments

def keys_of_a_display(x):
    d = {x[0]: 1.0, x[1]: 2.0}
    s = 0.0
    for k in d:
        s += k * d[k]
    return s * s


def keys_in_tuples(x):
    d = {}
    for k in range(3):
        d[(x[k], k)] = x[k] * k
    s = 0.0
    for (a, b), v in d.items():
        s += a * v + b
    return s * s


def keys_of_a_default_dict(x):
    d = defaultdict(int)
    for v in x:
        d[v] += 1
    keys = sorted(d)
    return keys[0] * keys[1]


def keys_that_are_handed_on(x):
    d = {v: k for k, v in enumerate(x)}
    e = {**d, 3: 1}
    return [k for k in e][0]


def largest_key(x):
    d = {v: k for k, v in enumerate(x)}
    return max(d) * 2 + sum(d)


def keys_beside_others(x):
    d = {v: k for k, v in enumerate(x)}
    return sum(k * v for k, v in zip(d, x))


def a_key_that_is_taken_out(x):
    d = {x[0]: x[1]}
    k, v = d.popitem()
    return k * v


@each_way
@pytest.mark.parametrize("f", [keys_of_a_display, keys_in_tuples, keys_of_a_default_dict, keys_that_are_handed_on,
                               largest_key, keys_beside_others, a_key_that_is_taken_out])
def test_keys_that_are_differentiated_are_refused_where_they_are_used(f, options):
    with pytest.raises(UnsupportedError, match="the keys of this dict depend on what is differentiated"):
        derivative(f, (0,), **options)(X)


def table_of_results(x):
    memo = {}
    for v in x:
        if v not in memo:
            memo[v] = v * v
    s = sum(memo.values()) + len(memo)
    for k in memo:
        s += memo[k]
    for _, v in memo.items():
        s += v * v
    return s


@each_way
def test_keys_that_only_find_values(options):
    check_program(table_of_results, (X,), (0,), **options)


# ---------------------------------------------------------------- merged

def spread_comprehension(x):
    d = {k: v * 2 for k, v in enumerate(x)}
    e = {**d, 3: 1.0}
    return sum(e.values()) * e[1]


def spread_comprehensions(x):
    e = {**{k: v * 2 for k, v in enumerate(x)}, **{k: v * v for k, v in enumerate(x) if v > 0}}
    return e[0] + e[1] * e[2]


def updated_by_a_comprehension(x):
    e = {7: x[0]}
    e.update({k: v * 2 for k, v in enumerate(x)})
    return sum(v * k for k, v in e.items())


def merged(x):
    e = {"a": x[0]} | {"b": x[1]} | {"a": x[2]}
    return e["a"] * e["b"] * (3 | 4) + np.sum(x[(x > 0) | (x < -0.2)])


def merged_comprehension(x):
    d = {}
    d |= {k: v * 2 for k, v in enumerate(x)}
    e = d | {1: x[0]}
    return sum(v * k for k, v in e.items())


def merged_in_a_loop(x):
    d = {}
    for k in range(3):
        d = d | {k: x[k] * x[0]}
    d = {**d} | {0: x[1]}
    return sum(d.values())


@each_way
@pytest.mark.parametrize("f", [spread_comprehension, spread_comprehensions, updated_by_a_comprehension, merged,
                               merged_comprehension, merged_in_a_loop])
def test_merged_dicts(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- the least of several tuples

def least_tuple(x):
    pairs = [(x[0], [1, x[2]]), (x[1], [2, x[0]]), (x[1], [2, x[0]])]
    return min(pairs)[1][1] * max(pairs)[0] + max((x[0], 3), (x[2], 1))[0]


@each_way
def test_the_least_of_several_tuples_is_the_first(options):
    check_program(least_tuple, (X,), (0,), **options)


# ---------------------------------------------------------------- views that are kept

def view_of_a_dict_that_grows(x):
    d = {"a": x[0], "b": x[1]}
    values = d.values()
    d["c"] = x[2]
    return sum(values) * 2.0


def view_in_a_loop(x):
    d, total = {"a": x[0]}, 0.0
    for k in range(3):
        pairs = d.items()
        d[k] = x[k] * x[0]
        total += sum(v * v for _, v in pairs)
    return total


def view_in_a_tuple(x):
    d = {"a": x[0], "b": x[1]}
    kept = (1.0, d.values())
    d["c"] = x[2]
    return sum(kept[1]) * kept[0]


def view_of_a_dict_that_stays(x):
    d = {"a": x[0], "b": x[1] * x[0]}
    values = d.values()
    return sum(values) * sum(v * v for v in values)


def list_of_a_view(x):
    d = {"a": x[0], "b": x[1]}
    values = list(d.values())
    d["c"] = x[2]
    return sum(values) * sum(d.values())


@each_way
@pytest.mark.parametrize("f", [view_of_a_dict_that_grows, view_in_a_loop, view_in_a_tuple])
def test_a_view_of_a_dict_that_changes_is_refused(f, options):
    with pytest.raises(UnsupportedError, match="a view of a dict"):
        derivative(f, (0,), **options)(X)


@each_way
@pytest.mark.parametrize("f", [view_of_a_dict_that_stays, list_of_a_view])
def test_other_views_of_dicts(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- tuples that are made and taken apart

def taken_apart_in_a_loop(x):
    y, s = np.sin(x), x[0]
    rows = [np.sin(x), np.zeros(3)]
    for i, _ in enumerate(rows):
        both = (np.cos(x) * 1.0, y[i] / (1.2 + s**2), [rows[1]])
        y, s, (c,) = both
    return s + np.sum(c)


def exchanged_through_a_tuple(x):
    a, b = x[0], x[1]
    for i, v in enumerate([x, x * x]):
        pair = (b * v[i], a + b, [v])
        a, b, (w,) = pair
    return a * b + w[2]


@each_way
@pytest.mark.parametrize("f", [taken_apart_in_a_loop, exchanged_through_a_tuple])
def test_values_are_made_before_names_are_bound(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- slices of lists

def slice_of_a_list_of_constants(x):
    rows = [np.ones(3), np.zeros(3)]
    if x[0] > 0:
        rows[1:] = [x * 2.0]
    rows[:0] = (np.full(3, 0.5),)
    return np.sum(rows[0] * rows[-1]) + np.sum(rows[1])


@each_way
def test_what_is_differentiated_goes_into_a_list_of_constants(options):
    check_program(slice_of_a_list_of_constants, (X,), (0,), **options)


# ---------------------------------------------------------------- what a recursive function keeps, and gives as well

def remembered(x, n, table):
    if n in table:
        return table[n]
    v = x * 1.5 if n == 0 else remembered(x, n - 1, table) * x
    table[n] = v
    return v


def result_is_written(x):
    table = {}
    p = remembered(x, 3, table)
    p *= x[0]
    return np.sum(p) + np.sum(table[3]) * 2.0 + np.sum(table[2])


def kept_is_written(x):
    table = {}
    p = remembered(x, 3, table)
    table[3][0] = x[1] * x[1]
    return np.sum(p * p)


def listed(x, n, out):
    v = x * float(n)
    out.append(v)
    if n > 0:
        w = listed(x * x[1], n - 1, out)
        w[0] = w[1] * x[0]
    return v


def appended_and_given(x):
    out = []
    p = listed(x, 2, out)
    p *= 2.0
    return sum(np.sum(v * v) for v in out) + np.sum(p)


def twice(x, n, a, b):
    v = x * float(n + 1)
    a.append(v)
    b.append(v)
    if n > 0:
        twice(x * x[0], n - 1, a, b)


def in_two_lists(x):
    a, b = [], []
    twice(x, 2, a, b)
    a[0] *= x[1]
    b[1][0] = x[2]
    return sum(np.sum(v * v) for v in a) + sum(np.sum(v) for v in b)


def doubled(x, n):
    v = x * float(n + 1)
    if n == 0:
        return [v, v]
    rows = doubled(x * x[0], n - 1)
    rows.append(rows[0])
    return rows


def the_same_several_times(x):
    rows = doubled(x, 2)
    rows[0] *= x[1]
    return sum(np.sum(v * v) for v in rows)


@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}], ids=["default", "plain", "general"])
@pytest.mark.parametrize("f", [result_is_written, kept_is_written, appended_and_given, in_two_lists,
                               the_same_several_times])
def test_what_is_kept_and_given_is_one_object(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- a list whose name gets another one in a loop

def largest_of_a_list_that_is_replaced(x):
    items = [x[1], x[2]]
    s = max(items) * 0.2
    for _ in range(2):
        items = [s, s]
    return s + sum(items)


@each_way
def test_the_adjoint_of_a_list_that_is_zero_so_far(options):
    check_program(largest_of_a_list_that_is_replaced, (X,), (0,), **options)


# ---------------------------------------------------------------- arrays that are made anew in each iteration

def made_anew_and_written_later(x, y):
    held = [1.0, x]
    d = {"p": y[0:3], "q": x[::1]}
    for _ in list(d.items()):
        names = [e for e in held]
        a = d.get("p", x) * x[1] * x[2]
    for _ in zip(held, names[::1]):
        for _ in list(d.items()):
            a[:2] = a[1:3]
    return np.sum(a)


@each_way
def test_the_adjoint_of_an_array_is_zero_in_other_iterations(options):
    check_program(made_anew_and_written_later, (X, X[::-1] * 0.3), (0, 1), **options)
