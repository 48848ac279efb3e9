"""Dicts whose values are of several kinds, and recursion down trees of lists, dicts and tuples."""
from __future__ import annotations

import numpy as np
import pytest

from harness import check_program
from srcgrad import grad

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.5, 1.5, 2.5])


def several_kinds_by_key(x, steps):
    state = {"q": x, "p": np.zeros(len(x)), "log": [], "k": 0, "name": "s"}
    for _ in range(steps):
        state["q"] = state["q"] + 0.1 * x
        state["log"].append(np.sum(state["q"] ** 2))
        state["k"] += 1
    total = 0.0
    for key, value in state.items():
        if isinstance(value, list):
            total += sum(value)
        elif isinstance(value, np.ndarray):
            total += np.sum(value * value)
        elif key == "k":
            total = total * value
    return total


def nested_by_key(x, n):
    box = {"w": x * 2.0, "b": x[0], "sub": {"c": x[1], "arr": [x, x * 3.0]}}
    out = 0.0
    for _ in range(n):
        box["sub"]["c"] = box["sub"]["c"] * box["b"]
        box["sub"]["arr"][0] = box["sub"]["arr"][0] + box["w"]
    for v in box.values():
        if isinstance(v, dict):
            for u in v.values():
                out = out + (np.sum(u[0]) * np.sum(u[1]) if isinstance(u, list) else u)
        else:
            out = out + np.sum(v)
    return out


def squares(tree):
    if isinstance(tree, dict):
        return sum(squares(v) for v in tree.values())
    if isinstance(tree, (list, tuple)):
        return sum(squares(v) for v in tree)
    return np.sum(tree ** 2)


def tree_made_inside(x, n):
    p = {"layers": [{"W": x, "b": x[0]}, {"W": x * 2, "b": 0.0}], "scale": x[1]}
    return squares(p) * n


def tree_as_argument(tree, n):
    return squares(tree) + tree["a"][1] * n


def mapped(f, tree):
    if isinstance(tree, dict):
        return {k: mapped(f, v) for k, v in tree.items()}
    if isinstance(tree, list):
        return [mapped(f, v) for v in tree]
    return f(tree)


def mapped_by_a_function_made_inside(x, n):
    made = mapped(lambda v: v * v * n, {"W": x, "b": [x[0], x * 2]})
    return np.sum(made["W"]) + np.sum(made["b"][1]) * made["b"][0]


def walked(tree, depth):
    total = 0.0
    for part in tree:
        total = total + (walked(part, depth + 1) if isinstance(part, list) else part / depth)
    return total


def lists_that_change(x, n):
    tree = [x[0], [x[1], [x[2] * x[2]], []]]
    tree[1][2].append(x[0] * x[1])
    first = walked(tree, 1.0)
    tree[1].pop(0)
    return first * walked(tree, 2.0) * n


def sorted_by_parts(values):
    if len(values) < 2:
        return values
    pivot, rest = values[0], values[1:]
    return sorted_by_parts([v for v in rest if v < pivot]) + [pivot] + sorted_by_parts([v for v in rest if v >= pivot])


def as_deep_again(x, n):
    """The list that goes in gets shorter, and isn't nested less deeply: it stays a call."""
    return sum(k * v for k, v in enumerate(sorted_by_parts([v * v for v in x]))) * n


PROGRAMS = [(several_kinds_by_key, (X, 3)), (several_kinds_by_key, (X, 0)), (nested_by_key, (X, 2)),
            (tree_made_inside, (X, 2)), (tree_as_argument, ({"a": [X, 2.0], "b": {"c": (X * 2, 3.0)}}, 2)),
            (mapped_by_a_function_made_inside, (X, 2)), (lists_that_change, (X, 2)), (as_deep_again, (X, 2))]


@each_way
@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradient(f, args, options):
    if f is lists_that_change and options.get("general"):
        pytest.skip("a number and an array aren't told apart, so `tree[1][2]` may be part of an array")
    check_program(f, args, (0,), **options)


def test_what_isnt_a_descent_stays_a_call():
    assert "_forward" not in grad(lists_that_change).source(X, 2)
    assert "sorted_by_parts_forward" in grad(as_deep_again).source(X, 2)
