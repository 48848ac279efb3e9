"""Lengths that depend on a loop's variable hold in one iteration; what is kept for another must not be taken for it.

Most programs slice `x[:2 * i + 1]` of three elements: it has one element in the first iteration and three in the
others, so what the first one leaves behind is stretched in the second.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness import call_derivative, compare, derivative, differences

X, Y = np.array([0.7, -1.3, 0.4]), np.array([1.1, 0.6, -0.8])
A = np.array([[0.3, -0.7, 1.2], [0.9, 0.5, -0.4], [-1.1, 0.8, 0.6]])


# ---------------------------------------------------------------- kept from one iteration to the next

def kept_by_a_name(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        row = np.sin(x[:2 * i + 1])
        s += np.sum(row * prev * prev)
        prev = row
    return s


def kept_views(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        row = x[:2 * i + 1]
        s += np.sum(row * prev * row)
        prev = row
    return s


def swapped(x, y):
    a, b = x[:1], y[:1]
    for i in range(3):
        a, b = y[:2 * i + 1] * x[:2 * i + 1], a * b
    return np.sum(a * b)


def kept_in_a_list(x, y):
    rows = []
    s = 0.0
    for i in range(3):
        rows.append(x[:2 * i + 1] * 2.0)
        s += np.sum(rows[i - 1 if i else 0] * y[:2 * i + 1] * rows[i])
    return s


def kept_in_a_tuple(x, y):
    state = (y[:1], 1)
    s = 0.0
    for i in range(3):
        row, m = state
        s += np.sum(x[:2 * i + 1] * row * x[:m] * m)
        state = (x[:2 * i + 1] ** 2, 2 * i + 1)
    return s


def kept_number(x, y):
    m = 1
    s = 0.0
    for i in range(3):
        s += np.sum(x[:m] * y[:2 * i + 1])
        m = 2 * i + 1
    return s


def kept_variable(x, y):
    k = 0
    s = 0.0
    for i in range(3):
        s += np.sum(x[:2 * k + 1] * y[:2 * i + 1])
        k = i
    return s


def kept_from_the_first(x, y):
    s = 0.0
    for i in range(3):
        if i == 0:
            first = x[:2 * i + 1] * 1.0
        s += np.sum(first * y[:2 * i + 1])
    return s


def kept_for_the_next(x, y):
    s = 0.0
    for i in range(3):
        row = x[:2 * i + 1] * 1.5
        if i > 0:
            s += np.sum(prev * row) + prev[0]
        prev = row * y[:2 * i + 1]
    return s


def numbers_for_the_next(x, y):
    s = 0.0
    for i in range(3):
        if i > 0:
            s += np.sum(x[:m] * y[:2 * i + 1] * x[:2 * k + 1])
        m, k = 2 * i + 1, i
    return s


def tuple_for_the_next(x, y):
    s = 0.0
    for i in range(3):
        if i > 0:
            row, m = state
            s += np.sum(x[:2 * i + 1] * row * y[:m])
        state = (x[:2 * i + 1] ** 2, 2 * i + 1)
    return s


def first_of_an_inner_loop(x, y):
    s = 0.0
    for i in range(2):
        for j in range(3):
            if j == 0:
                first = np.cos(x[:2 * j + 1]) * y[i]
            s += np.sum(first * y[:2 * j + 1])
        s += np.sum(first * x[:2 * i + 1])
    return s


def last_of_an_inner_loop(x, y):
    s = 0.0
    for i in range(3):
        if i > 0:
            s += np.sum(last * x[:2 * i - 1] * y)
        for j in range(i, -1, -1):
            last = x[:2 * j + 1] * y[:2 * j + 1] * last if j < i else x[:2 * j + 1]
    return s


def used_after_its_loop(x, y):
    for i in range(2):
        row = x[:2 * i + 1]
        if i == 0:
            first = row
    return np.sum(first * row * y[:2 * i + 1])


def shrinks(x, y):
    r = x * 1.0
    s = np.sum(r * y)
    for i in range(2):
        s += np.sum(r * x[:1])
        r = np.sin(x[:2 * i + 1])
        if i == 1:
            r = r[:1]
    return s


def kept_in_one_branch(x, y):
    prev = y[:1]
    s = 0.0
    for i in range(4):
        if i % 2:
            s += np.sum(prev * x[:2 * i + 1])
        else:
            prev = y[:2 * i + 1] * x[:2 * i + 1]
    return s


def kept_buffer(x, y):
    buf = np.zeros(1)
    s = 0.0
    for i in range(2):
        new = np.zeros(2 * i + 1)
        new += x[:2 * i + 1] * y[0]
        s += np.sum(new * buf * y[:2 * i + 1]) + np.sum(new)
        buf = new
    return s


def kept_in_an_inner_loop(x, y):
    s = 0.0
    for i in range(2):
        prev = y[:1]
        for j in range(3):
            row = x[:2 * j + 1] * y[i]
            s += np.sum(row * prev)
            prev = row
    return s


def kept_through_an_inner_loop(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        row = x[:2 * i + 1]
        for j in range(2):
            row = row * y[j] * x[:2 * i + 1]
        s += np.sum(row * prev)
        prev = row
    return s


def kept_in_a_while(x, y):
    s = 0.0
    k = 0
    prev = y[:1]
    while k < 2:
        for i in range(2):
            row = x[:2 * i + 1]
            s += np.sum(row * prev)
            prev = row * y[k]
        k += 1
    return s


def grows(x, y):
    acc = x[:1]
    s = 0.0
    for i in range(1, 3):
        s += np.sum(acc * y[:i]) + np.sum(acc * y[:1])
        acc = np.concatenate((acc, x[i:i + 1]))
    return s + np.sum(acc * y)


def mean_of_what_was_kept(x, y):
    prev = y[:1]
    s = 0.0
    for i in range(3):
        row = x[:2 * i + 1] + prev
        s += np.mean(row) * np.sum(prev)
        prev = np.tanh(row) if i < 1 else x
    return s


def rows_of_a_matrix(x, y):
    B = np.outer(x, y)
    s = 0.0
    prev = B[0, :1]
    for i in range(3):
        row = B[i, :2 * i + 1]
        s += np.sum(row * prev * B[:2 * i + 1, i])
        B[i, :2 * i + 1] = row * prev + y[:2 * i + 1]
        prev = B[2 - i, :2 * i + 1] * 1.0
    return s + np.sum(B * B)


# ---------------------------------------------------------------- the name means something else

def rebound_in_the_body(x, y):
    s = 0.0
    for i in range(2):
        a = x[:2 * i + 1]
        i = i + 1
        s += np.sum(a * y[:2 * i + 1])
    return s


def augmented_in_the_body(x, y):
    s = 0.0
    for i in range(2):
        a = x[:2 * i + 1]
        if x[0] > 0.0:
            i += 1
        s += np.sum(a * y[:2 * i + 1])
    return s


def loops_over_one_name(x, y):
    s = 0.0
    for i in range(2):
        a = x[:2 * i + 1]
        for i in range(2):
            s += np.sum(a * y[:2 * i + 1])
        s += np.sum(a * x[:2 * i + 1])
    return s


def one_loop_after_another(x, y):
    s = 0.0
    a = x
    for i in range(1):
        a = x[:2 * i + 1]
    for i in range(3):
        s += np.sum(a * y[:2 * i + 1])
    return s


def used_after_the_loop(x, y):
    a = x[:1]
    for i in range(2):
        if i == 0:
            a = x[:2 * i + 1]
    return np.sum(a * y[:2 * i + 1])


def two_variables(x, y):
    s = 0.0
    for i in range(2):
        for j in range(2):
            s += np.sum(x[:2 * i + 1] * y[:2 * j + 1])
    return s


def by_closure(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        def part(v):
            return v[:2 * i + 1]
        s += np.sum(part(x) * prev)
        prev = part(y)
    return s


def by_a_callee(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        row = first_elements(x, 2 * i + 1)
        s += np.sum(row * prev * x[:2 * i + 1])
        prev = row
    return s


def first_elements(v, m):
    return v[:m] * v[:m]


def by_recursion(x, y):
    s = 0.0
    prev = y[:1]
    for i in range(3):
        row = halved(x[:2 * i + 1], i)
        s += np.sum(row * prev * y[:2 * i + 1])
        prev = row
    return s


def halved(v, k):
    if k > 1:
        return halved(v * 0.5, k - 1)
    return v * v


PROGRAMS = [f for f in list(globals().values()) if callable(f) and getattr(f, "__code__", None) is not None
            and f.__module__ == __name__ and f.__code__.co_varnames[:2] == ("x", "y")]


def check(f: Callable[..., Any], *args: Any, **options: bool) -> None:
    wrt = tuple(range(len(args)))
    compare(call_derivative(derivative(f, wrt, **options), args, wrt), differences(f, args, wrt))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_another_iteration(f):
    check(f, X, Y)


# ---------------------------------------------------------------- bounds that don't fit

def same_bounds(x, y):
    s = 0.0
    for i in range(4):
        s += np.sum(x[:i + 1] * y[:i + 1])
    return s


def from_the_end(x, y):
    s = 0.0
    for i in range(-2, 1):
        s += np.sum(np.sin(x[i:]) * y[i:])
    return s


def below_zero(x, y):
    s = 0.0
    for i in range(3):
        s += np.sum(x[:i - 1] * y[:i - 1])
    return s


def backwards(x, y):
    s = 0.0
    for i in range(4, -1, -2):
        s += np.sum(x[i::-1] * y[i::-1])
    return s


def in_steps(x, y):
    s = 0.0
    for i in range(2):
        s += np.sum(x[i::2] * y[i::2] * x[i::2])
    return s


def stores(x, y):
    b = np.zeros(4)
    for i in range(4):
        b[:i + 1] += x[:i + 1] * 1.0
        b[i:] *= y[0]
        b[:i + 1] -= y[:i + 1]
    return np.sum(b * b)


STRETCHED = [(same_bounds, 1, 4), (same_bounds, 4, 1), (same_bounds, 4, 4), (same_bounds, 2, 2), (same_bounds, 6, 4),
             (from_the_end, 1, 3), (from_the_end, 3, 3), (below_zero, 3, 3), (below_zero, 2, 2), (backwards, 5, 5),
             (backwards, 1, 5), (backwards, 1, 1), (in_steps, 4, 4), (in_steps, 3, 3), (stores, 1, 1), (stores, 4, 4),
             (stores, 1, 4), (stores, 4, 1)]


@pytest.mark.parametrize("f, n, m", STRETCHED)
def test_bounds(f, n, m):
    rng = np.random.default_rng(n + 10 * m)
    check(f, rng.normal(size=n), rng.normal(size=m))


def test_one_derivative_for_all_lengths():
    """What was assumed of the lengths in one call is checked in the next."""
    rng = np.random.default_rng(3)
    for f in (same_bounds, stores):
        compiled = derivative(f, (0, 1))
        for n, m in ((4, 4), (1, 4), (5, 5), (4, 1), (1, 1), (2, 2) if f is same_bounds else (4, 4)):
            args = rng.normal(size=n), rng.normal(size=m)
            compare(call_derivative(compiled, args, (0, 1)), differences(f, args, (0, 1)))


# ---------------------------------------------------------------- what it is for

def triangular(a, w):
    s = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            s += np.sum(a[i, k] * a[:i + 1, k] * w[i, :i + 1])
    return s


def written(a, w):
    b = a.copy()
    for i in range(a.shape[0]):
        b[i, :i + 1] += w[:i + 1, i] * np.sin(a[i, :i + 1])
    return np.sum(b * b)


@pytest.mark.parametrize("f", [triangular, written])
def test_equal_slices_need_no_helper(f):
    check(f, A, A + 1.0)
    assert "unbroadcast" not in derivative(f, (0, 1)).source(A, A)


@pytest.mark.parametrize("f", [kept_by_a_name, kept_views, kept_number, kept_in_a_list])
def test_what_was_kept_needs_the_helper(f):
    assert "unbroadcast" in derivative(f, (0, 1)).source(X, Y)
