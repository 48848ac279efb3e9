"""Elements that are taken out of a list and read by nobody."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])


def last(x):
    items = [x[0], x[1], x[2]]
    items.pop()
    return items[0] * items[1]


def middle(x):
    items = [x[0], x[1], x[2]]
    del items[1]
    return items[0] * items[1]


def all_but_one(x):
    items = [x[0], x[1], x[2]]
    del items[1:]
    return items[0] ** 2


def all_of_them(x):
    items = [x[0], x[1], x[2]]
    items.clear()
    items.append(x[3])
    return items[0] ** 2


def by_value(x):
    items = [x[0], x[1], x[2]]
    items.remove(items[1])
    return items[0] * items[1]


def for_others(x):
    items = [x[0], x[1], x[2]]
    items[1:] = [x[3]]
    return items[0] * items[1]


def while_it_is_run_over(x):
    items, s = [x[0], x[1], x[2]], 0.0
    for v in items:
        s += v * v
        if s < 1.0:
            items.pop()
    return s


def while_names_are_run_over(x):
    items, s = [x[0], x[1], x[2]], 0.0
    for name, v in zip(("a", "b", "c"), items):
        s += v * v * len(name)
        if name == "a":
            items.pop()
    return s


def joined_and_repeated(x):
    items = [x[0]] + [x[1], x[2]]
    twice = [x[3]] * 3
    items.pop()
    twice.pop()
    return items[0] * items[1] * twice[0]


def emptied(items, n):
    if n == 0:
        return 1.0
    items.pop()
    return emptied(items, n - 1) * 2.0


def by_recursion(x):
    items = [x[0], x[1], x[2]]
    s = emptied(items, 2)
    return items[0] * s


@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}], ids=["default", "plain", "general"])
@pytest.mark.parametrize("f", [last, middle, all_but_one, all_of_them, by_value, for_others, while_it_is_run_over,
                               while_names_are_run_over, joined_and_repeated, by_recursion])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)
