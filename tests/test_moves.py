"""Buffers that names hand to one another: gradients are right, and adjoints move by name where each array has one."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness import compare, derivative, differences, gradient

MODES = {"optimised": {}, "plain": {"plain": True}, "general": {"general": True}, "checked": {"checked": True}}


def swapped(u0, k, n):
    u, v = u0.copy(), np.zeros_like(u0)
    for _ in range(n):
        v[0], v[-1] = u[0], u[-1]
        v[1:-1] = u[1:-1] + k * u[1:-1] * (u[2:] - u[:-2])
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def three_levels(u0, k, n):
    old, u, new = u0.copy(), u0 * 1.1, np.zeros_like(u0)
    for _ in range(n):
        new[1:-1] = 2.0 * u[1:-1] - old[1:-1] + k * u[2:] * u[:-2]
        old, u, new = u, new, old
    return np.sum(u ** 3)


def new_each_time(u0, k, n):
    old = u0.copy()
    u = np.sin(u0)
    for i in range(n):
        new = np.zeros_like(u)
        new[1:] = u[1:] * old[:-1] * k
        new[0] = i * u[0]
        old = u
        u = new
    return np.sum(u * old)


def now_and_then(u0, k, n):
    u, v = u0.copy(), u0 * k
    for i in range(n):
        v[1:] += u[:-1] * u[1:]
        if i % 2 == 0:
            u, v = v, u
        u[0] *= 1.5
    return np.sum(u * u) - np.sum(v)


def left_early(u0, k, n):
    u, v = u0.copy(), np.zeros_like(u0)
    for _ in range(n):
        v[:] = u * u * k
        u, v = v, u
        if np.sum(u) > 3.0:
            break
        u[0] += 0.5
    return np.sum(u) + np.sum(v * v)


def nested(u0, k, n):
    u, v = u0.copy(), u0.copy()
    for _ in range(n):
        for _ in range(2):
            v[1:] = u[:-1] * u[1:] * k
            u, v = v, u
        v[0] = u[-1]
    return np.sum(u) * np.sum(v)


def in_a_while(u0, k, n):
    u, v, i = u0.copy(), u0.copy(), 0
    while i < n:
        v[:-1] = u[1:] * k + u[:-1] ** 2
        u, v = v, u
        i += 1
    return np.sum(u * v)


OWNED = [swapped, three_levels, new_each_time, now_and_then, left_early, nested, in_a_while]


def kept_alive(u0, k, n):
    u, v = u0.copy(), np.zeros_like(u0)
    first = u
    for _ in range(n):
        v[1:] = u[:-1] * k * u[1:]
        u, v = v, u
    return np.sum(u) + np.sum(first * first)


def seen_through_a_view(u0, k, n):
    u, v = u0.copy(), u0 * 2.0
    tail = v[1:]
    for _ in range(n):
        u[1:] += tail * k
        u, v = v, u
    return np.sum(u * v)


def in_a_list(u0, k, n):
    u, v = u0.copy(), u0 * 2.0
    seen = []
    for _ in range(n):
        u[1:] += v[:-1] * k
        seen.append(u)
        u, v = v, u
    return np.sum(seen[0]) + np.sum(u * v)


def two_names_for_one(u0, k, n):
    u, v = u0.copy(), u0 * 2.0
    for _ in range(n):
        u[1:] += v[:-1] * k
        v = u
        v[0] *= 2.0
    return np.sum(u * v)


def named_anew_on_one_way(u0, k, n):
    u = u0 * k
    v = np.sin(u0)
    if n > 1:
        u, v = v, u
        first = u
        u = v
        v = first
        v[2:] -= u0[:-2]
    return np.sum(u) + np.sum(v)


SHARED = [kept_alive, seen_through_a_view, in_a_list, two_names_for_one, named_anew_on_one_way]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("function", OWNED + SHARED, ids=lambda f: f.__name__)
def test_gradient(function: Any, n: int, mode: str) -> None:
    if function is in_a_list and n == 0:
        pytest.skip("the program itself fails")
    args = np.array([0.3, 0.7, -0.4, 1.1]), 0.6, n
    compare(gradient(function, args, (0, 1), **MODES[mode]), differences(function, args, (0, 1)))


@pytest.mark.parametrize("function", OWNED, ids=lambda f: f.__name__)
def test_adjoints_move_by_name(function: Any) -> None:
    text = derivative(function, (0, 1)).source(np.ones(4), 0.6, 3)
    assert "shadow" not in text


def test_a_linear_scheme_in_two_buffers_saves_nothing() -> None:
    def heat(u0, k, n):
        u, v = u0.copy(), u0.copy()
        for _ in range(n):
            v[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u, v = v, u
        return np.sum(u * u)

    assert "saved" not in derivative(heat, (0,)).source(np.ones(5), 0.1, 3)
