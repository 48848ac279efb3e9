"""What loops run over is settled when they begin, and where views lie when they are made, whatever changes then."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program

MODES = {"optimised": {}, "plain": {"plain": True}, "general": {"general": True}, "checked": {"checked": True}}
each_way = pytest.mark.parametrize("options", MODES.values(), ids=MODES)
R = np.random.default_rng(3)
A, X = R.uniform(0.6, 1.4, (3, 4)), R.uniform(0.6, 1.4, 6)


class Place:
    def __init__(self, k):
        self.k = k


# ---------------------------------------------------------------- bounds of loops

def list_grows(x):
    items = [x[0]]
    for i in range(len(items) + 1):
        items.append(items[i] * x[i])
        items.append(items[-1] * x[2])
    return sum(items)


def key_changes(x):
    d, s = {"n": 2}, 1.0
    for i in range(d["n"]):
        s = s * x[i]
        d["n"] += 1
    return s + d["n"] * x[1]


def field_changes(x):
    place, s = Place(2), 1.0
    for i in range(place.k):
        place.k = 4
        s = s * x[i] + x[place.k]
    return s


def cell_changes(x):
    y = x * 1.0
    y[0] = 3.0
    for i in range(int(y[0])):
        y[0] = x[1] * y[i + 1]
        y[i] *= x[2]
    return np.sum(y)


def callee_changes(x):
    place, s = Place(1), 1.0

    def further(p):
        p.k += 1
        return p.k

    for i in range(place.k + 1):
        s = s * x[further(place)] + x[i]
    return s


def in_a_loop(x):
    rows, s = [[x[0]], [x[1], x[2]]], 1.0
    for row in rows:
        for k in range(len(row)):
            s = s * row[k]
            row.append(x[3] * s)
            if k == 1:
                break
    return s + sum(rows[0]) * sum(rows[1])


def elements_change(x):
    items, s = [3, 1, 2], 1.0
    for v in items:
        items[0] = 1
        items[v % 3] = 4
        s = s * x[v]
    indices = np.array([2, 1, 0])
    for v in indices:
        indices[2 - v] = 5
        s = s * x[v] + x[indices[0]]
    return s


# ---------------------------------------------------------------- views

def by_a_field(x):
    y, place = x.copy(), Place(0)
    for k in range(4):
        v = y[place.k:place.k + 2]
        place.k += 1
        v *= v[0]
        v = y[place.k:]
        place.k = k
        v[0] = v[-1] * v[0]
    return np.sum(y)


def by_cells(x):
    y, k = x.copy(), np.array([1, 2, 3])
    for j in range(3):
        v, w = y[k[j]:k[j] + 2], y[k[0]]
        k[j] += 1
        v *= v[0] * w
        pair = (y[k[1]:], k[2])
        k[1] = 0
        pair[0][0] = pair[0][1] * y[pair[1]]
    return np.sum(y)


def by_keys(x):
    y, d = x.copy(), {"lo": 0, "hi": 3}
    v = y[d["lo"]:d["hi"]]
    d["lo"], d["hi"] = 1, 2
    v[:] = v[::-1] * v[0]
    u = y[d["lo"]:d["hi"] + 1]
    del d["lo"]
    u *= u[-1]
    return np.sum(y)


def by_what_a_callee_changes(x):
    y, place = x.copy(), Place(1)

    def double(part, p):
        p.k = 3
        part *= part[0]
        return part

    w = double(y[place.k:], place)
    w[0] = w[1] ** 2
    s = y[place.k:]
    place.k -= 2
    s += y[place.k]
    return np.sum(y)


def rows_by_a_field(A):
    B, place = A.copy(), Place(1)
    for row in B[place.k:]:
        place.k -= 1
        row *= row[0] * B[0, 1]
    for r, s in zip(B[:place.k + 2], B[place.k:]):
        place.k = 0
        r += s[0] * r[-1]
    return np.sum(B)


OF_VECTORS = [list_grows, key_changes, field_changes, cell_changes, callee_changes, in_a_loop, elements_change,
              by_a_field, by_cells, by_keys, by_what_a_callee_changes]


@each_way
@pytest.mark.parametrize("f", [*OF_VECTORS, rows_by_a_field])
def test_gradients(f, options):
    check_program(f, (A if f is rows_by_a_field else X,), (0,), **options)


# ---------------------------------------------------------------- iterators that the loop over them advances, too

def every_other(x):
    y = x.copy()
    numbers = iter(range(4))
    for i in numbers:
        y[i] *= y[i + 1]
        j = next(numbers)
        y[j] = y[i] ** 2
    return np.sum(y)


def rest_in_an_inner_loop(x):
    s = 1.0
    values = iter(x)
    for v in values:
        if v > 0.9:
            s = s * next(values, 2.0)
        for w in values:
            s = s + w * v
            if w > 1.0:
                break
    return s


def endless(x):
    def powers(k):
        while True:
            k = k * 1.1
            yield k

    s = 1.0
    steps = powers(x[0])
    for v in steps:
        s = s * v + next(steps)
        if s > 20.0:
            break
    return s


@each_way
@pytest.mark.parametrize("f", [every_other, rest_in_an_inner_loop, endless])
def test_iterators(f, options):
    check_program(f, (X,), (0,), **options)
