"""Heaps and ordered lists: the plain forms leave lists as the originals do, and are differentiated."""
from __future__ import annotations

import bisect
import heapq
import random

import numpy as np
import pytest

from harness import check_program
from srcgrad.library.registry import equivalent_of

X = np.array([0.7, -1.2, 0.4, 2.1])
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}],
                                   ids=["default", "plain", "general"])


@pytest.mark.parametrize("original, more", [
    (heapq.heappush, (2.5,)), (heapq.heappop, ()), (heapq.heapreplace, (2.5,)), (heapq.heappushpop, (2.5,)),
    (heapq.heapify, ()), (bisect.insort_right, (2.0,)), (bisect.insort_left, (2.0,)), (bisect.insort, (1.0, 1, 3))],
    ids=lambda v: getattr(v, "__name__", ""))
def test_lists_are_left_as_the_originals_leave_them(original, more):
    form = equivalent_of(original)
    assert form is not None
    choose = random.Random(4)
    for n in (1, 2, 3, 4, 5, 9, 16):
        items = [float(choose.randrange(6)) for _ in range(n)]
        if original.__name__.startswith("insort"):
            items.sort()
        elif original is not heapq.heapify:
            heapq.heapify(items)
        mine, theirs = list(items), list(items)
        bounds = more if n >= 3 else more[:1]
        assert form.function(mine, *bounds) == original(theirs, *bounds) and mine == theirs


@pytest.mark.parametrize("original", [heapq.nsmallest, heapq.nlargest])
def test_the_first_few(original):
    form = equivalent_of(original)
    assert form is not None
    items = [3.0, -4.0, 1.0, 4.0, -1.0]
    for n in (0, 1, 3, 7):
        for key in (None, abs):
            assert form.function(n, items, key) == original(n, items, key)


def pushed_and_popped(x):
    heap = []
    for v in x:
        heapq.heappush(heap, v)
    return heapq.heappop(heap) * heapq.heappop(heap) + heap[0]


def replaced(x):
    heap = list(x * x)
    heapq.heapify(heap)
    a, b = heapq.heapreplace(heap, x[0] * 3.0), heapq.heappushpop(heap, x[3])
    return a * b + sum(v * (i + 1) for i, v in enumerate(heap)) + sum(heapq.nsmallest(2, x)) * heapq.nlargest(1, x)[0]


def shortest_path(x):
    """Dijkstra's algorithm."""
    w = np.exp(x)
    edges = {0: [(1, w[0]), (2, w[1])], 1: [(2, w[2]), (3, w[3])], 2: [(3, w[0] * w[1])], 3: []}
    dist, done, queue = {0: 0.0}, set(), [(0.0, 0)]
    while queue:
        d, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        for other, length in edges[node]:
            if other not in dist or d + length < dist[other]:
                dist[other] = d + length
                heapq.heappush(queue, (d + length, other))
    return dist[3] + dist[2] ** 2


def table_look_up(x):
    grid = [0.0, 1.0, 2.0, 3.0]
    i = bisect.bisect_right(grid, abs(x[0]))
    w = (abs(x[0]) - grid[i - 1]) / (grid[i] - grid[i - 1])
    ordered = []
    for v in x:
        bisect.insort(ordered, v)
    return w * x[1] + (1.0 - w) * x[2] + ordered[0] * ordered[1] - ordered[2]


@each_way
@pytest.mark.parametrize("f", [pushed_and_popped, replaced, shortest_path, table_look_up])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)


def functions_in_a_list(x):
    def power(n):
        def f(t):
            return t ** n * x[n]
        return f
    fs = [power(n) for n in range(4)]
    gs = [lambda t, n=n: t * x[n] for n in range(2)]
    return sum(f(0.5 + 0.1 * k) for k, f in enumerate(fs)) * sum(g(x[0]) for g in gs)


@each_way
def test_functions_in_a_list_that_read_what_is_differentiated(options):
    check_program(functions_in_a_list, (X,), (0,), **options)
