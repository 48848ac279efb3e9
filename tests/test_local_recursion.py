"""Functions made inside that call themselves, or each other."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_core_form, check_program, clone
from srcgrad import UnsupportedError, grad

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.5, 1.5, 2.5])


def counts_and_adds(x, n):
    count, total = 0, 0.0

    def visit(k):
        nonlocal count, total
        count += 1
        if k == 0:
            return x[0]
        total = total + x[1] * k
        return visit(k - 1) * x[2]
    r = visit(n)
    return r * count + total


def each_other(x, n):
    a, b = x[0], x[1]

    def even(k):
        return a if k == 0 else odd(k - 1) * b

    def odd(k):
        return b if k == 0 else even(k - 1) + a
    return even(n) * odd(n)


def down_a_tree(x, n):
    def value(node):
        if isinstance(node, list):
            return sum(value(part) for part in node) * x[0]
        return node * x[1]
    return value([x[2], [x[0], [x[1]]]]) * n


def with_defaults(x, n):
    def split(lo, hi, scale=2.0):
        if hi - lo == 1:
            return x[lo] ** 2 * scale
        mid = (lo + hi) // 2
        return split(lo, mid) + split(mid, hi, scale=3.0)
    return split(0, len(x)) * n


def remembers(x, n):
    memo = {}

    def fib(k):
        if k < 2:
            return x[k]
        if k not in memo:
            memo[k] = fib(k - 1) * fib(k - 2) + x[2]
        return memo[k]
    return fib(n)


def power(y, n):
    def go(k, s):
        return s if k == 0 else go(k - 1, s * y)
    return go(n, 1.0)


def inside_of_callees(x, n):
    return power(x[0], n) + power(x[1], n + 1)


def writes_in_place(x, n):
    out = np.zeros(len(x))

    def fill(k):
        if k < len(x):
            out[k] = x[k] * (out[k - 1] if k else 1.0)
            fill(k + 1)
    fill(0)
    return np.sum(out) * n


def keeps_the_best(x, n):
    best = 0.0

    def search(k, s):
        nonlocal best
        if k == len(x):
            if s > best:
                best = s
            return
        search(k + 1, s)
        search(k + 1, s + x[k] * x[0])
    search(0, 0.0)
    return best * n


def reads_what_it_is_now(x, n):
    c = x[0]

    def down(k):
        return c if k == 0 else down(k - 1) * x[1]
    first = down(n)
    c = x[2] * 2.0
    return first + down(n)


PROGRAMS = [counts_and_adds, each_other, down_a_tree, with_defaults, remembers, inside_of_callees, writes_in_place,
            keeps_the_best, reads_what_it_is_now]


@each_way
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f, options):
    check_program(f, (X, 3), (0,), **options)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_core_form(f):
    check_core_form(f, [(clone(X), 3)])


def test_no_definition_is_left():
    assert "def even" not in grad(each_other).source(X, 3).replace("def even_forward", "").replace(
        "def even_backward", "")


# ---------------------------------------------------------------- a parameter of the user's own that is called `out`

def fill_from(x, out, k):
    if k < len(x):
        out[k] = x[k] * (out[k - 1] if k else 1.0)
        fill_from(x, out, k + 1)


def own_out(x, n):
    out = np.zeros(len(x))
    fill_from(x, out, 0)
    return np.sum(out) * n


@each_way
def test_own_out(options):
    check_program(own_out, (X, 3), (0,), **options)


def test_generators_in_local_recursive_functions_are_refused_with_their_place() -> None:
    def total(x):
        tree = {"value": x[0], "parts": [{"value": x[1], "parts": []}]}

        def walk(node):
            return node["value"] + sum(walk(part) for part in node["parts"])
        return walk(tree)

    with pytest.raises(UnsupportedError, match="generator") as caught:
        grad(total)(X)
    assert caught.value.at is not None and "walk(part) for part" in str(caught.value)
