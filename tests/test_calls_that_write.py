"""Calls that write what they are given, anywhere in a statement, whether what they give is differentiated or not."""
from __future__ import annotations

import types

import numpy as np
import pytest

from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])


def again(a, n):
    """It stays a call, as it calls itself; what it gives is a number of times."""
    if n == 0:
        return 0
    a[0] *= a[1]
    return again(a, n - 1) + 1


def once(a):
    a[0] *= a[1]
    return 2


def longer(items, n):
    if n == 0:
        return 1.0
    items.append(items[-1] * items[0])
    return longer(items, n - 1) * 2.0


def of_a_dict(d, n):
    if n == 0:
        return 0
    d["k"] = d["k"] * d["j"]
    return of_a_dict(d, n - 1) + 1


def of_an_object(o, n):
    if n <= 0:
        return 0
    o.v = o.v * o.w
    return 1 + of_an_object(o, n - 1)


def negated(a, n):
    a[n] = a[n] * a[0]
    return True if n == 1 else not negated(a, n - 1)


def in_an_expression(x):
    a = x.copy()
    return (again(a, 3) + 1) * a[0] + 2.0 * a[2]


def in_a_test(x):
    a = x.copy()
    if again(a, 2) > 1:
        a[0] *= 2.0
    return a[0] * a[2]


def in_a_range(x):
    a = x.copy()
    for _ in range(again(a, 2)):
        a[0] *= a[2]
    return a[0]


def in_a_while(x):
    a, n = x.copy(), 0
    while again(a, 1) + n < 5:
        n += 1
    return a[0] * n


def in_a_choice(x):
    a = x.copy()
    b = x[0] > 0.0 and again(a, 2) > 1
    return a[0] * 2.0 + (again(a, 1) if b else 0) * a[0]


def in_a_comprehension(x):
    a = x.copy()
    k = sum([again(a, 2) for _ in range(2)])
    return a[0] * k


def in_a_display(x):
    a = x.copy()
    d = {"k": again(a, 2), "v": a[0]}
    return d["k"] * d["v"]


def as_a_subscript(x):
    a, items = x.copy(), [0.0] * 5
    items[again(a, 2)] = a[0]
    a[once(a)] = a[0]
    return sum(items) * a[1] + a[2] * a[0]


def as_an_updated_subscript(x):
    a, items = x.copy(), [0.0] * 5
    items[again(a, 2)] += a[0]
    a[once(a)] *= a[0]
    return sum(items) * a[1] + np.sum(a * a)


def in_an_update(x):
    a = x.copy()
    a[0] += once(a)
    a[0] += again(a, 2) * a[0]
    return a[0] * a[2]


def side_by_side(x):
    a = x.copy()
    s, t, u = a[0], once(a), a[0]
    return s * t * u * u


def of_a_list(x):
    items = [x[0], x[1]]
    s = longer(items, 2)
    return items[-1] * s + items[2]


def of_other_things(x):
    d = {"k": x[0], "j": x[1]}
    o = types.SimpleNamespace(v=x[2], w=x[3])
    return of_a_dict(d, 3) * d["k"] + of_an_object(o, 2) * 2 * o.v


def that_is_negated(x):
    a = x.copy()
    b = negated(a, 3)
    return np.sum(a * a) * (2.0 if b else 3.0)


@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}], ids=["default", "plain", "general"])
@pytest.mark.parametrize("f", [in_an_expression, in_a_test, in_a_range, in_a_while, in_a_choice, in_a_comprehension,
                               in_a_display, as_a_subscript, as_an_updated_subscript, in_an_update, side_by_side,
                               of_a_list, of_other_things, that_is_negated])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)
