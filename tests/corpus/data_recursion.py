"""Lists and dicts of arrays that go through functions which call themselves, some of the arrays written in place."""
import numpy as np

from corpus.registry import program, vec


def exchanged(items, k):
    if k == 0:
        return [items[0] * 2.0, items[-1]]
    return exchanged([items[-1] * 1.5, items[0]], k - 1)


@program(inputs=[(vec(3), vec(3, 1), 3), (vec(1, 2), vec(1, 3), 0), (vec(2, 2), vec(2, 3), 1)], wrt=(0, 1))
def list_through_recursion(x, y, k):
    made = exchanged([x * x, y * 1.0], k)
    made.append(x * 3.0)
    total = 0.0
    for part in made:
        total += np.sum(part * y)
    return total


def halved(table, k):
    if k == 0:
        return np.sum(table["a"] * table["b"])
    return halved({"a": table["b"], "b": table["a"]}, k - 1) * 0.5


@program(inputs=[(vec(3), vec(3, 1), 2), (vec(1, 2), vec(1, 3), 0), (vec(2, 2), vec(2, 3), 3)], wrt=(0, 1))
def dict_with_one_written(x, y, k):
    table = {"a": x * x, "b": y * 1.0}
    table["a"][0] = 3.0
    for _ in range(k):
        table["b"] = table["b"] + halved(table, k)
    return halved(table, 1) + np.sum(table["b"] * x) * 2.0 + np.sum(table["a"])


def grown(items, k):
    if k == 0:
        return items
    items.append(items[-1] * 1.1)
    return grown(items, k - 1)


@program(inputs=[(vec(3), vec(3, 1), 3), (vec(1, 2), vec(1, 3), 1), (vec(2, 2), vec(2, 3), 0)], wrt=(0, 1))
def list_that_grows_in_recursion(x, y, k):
    items = grown([x * x, y], k)
    items[0][0] = 1.0
    if k > 1:
        items[-1] = items[-1] * items[0]
    return np.sum(items[0] * items[-1]) + len(items) * np.sum(x)


def summed_slices(items, most):
    if most == 0 or not items:
        return 0.3
    return np.sum(items[0]) * 0.2 + summed_slices(items[1:], most - 1) * 0.5


@program(inputs=[(vec(5), vec(3, 1), 3), (vec(1, 2), vec(1, 3), 0), (vec(2, 2), vec(4, 3), 1)], wrt=(0, 1))
def slices_through_recursion(x, y, most):
    rows = [x[1:], y, x]
    first = summed_slices(rows, most)
    rows[0] = rows[0] * 2.0
    while len(rows) > 1:
        first = first * 1.5 + summed_slices(rows, len(rows))
        rows.pop(0)
    return first + np.sum(x * 0.1) + np.sum(y)
