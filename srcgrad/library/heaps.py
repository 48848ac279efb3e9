"""Lists that are kept in order: heaps, and insertion where an element belongs."""
from __future__ import annotations

import bisect
import heapq

from srcgrad.library.registry import equivalent


def rise(heap, start, k):
    """Moves the element at k up, towards start, to where it belongs."""
    item = heap[k]
    while k > start:
        parent = (k - 1) // 2
        if not item < heap[parent]:
            break
        heap[k] = heap[parent]
        k = parent
    heap[k] = item


def sink(heap, start):
    """Moves the element at start down to a leaf, always by the smaller child, and from there to where it belongs."""
    n = len(heap)
    item = heap[start]
    k = start
    child = 2 * k + 1
    while child < n:
        if child + 1 < n and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[k] = heap[child]
        k = child
        child = 2 * k + 1
    heap[k] = item
    rise(heap, start, k)


@equivalent(heapq.heappush, writes=True)
def heappush(heap, item, /):
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


@equivalent(heapq.heappop, writes=True)
def heappop(heap, /):
    item = heap.pop()
    if len(heap) > 0:
        last = item
        item = heap[0]
        heap[0] = last
        sink(heap, 0)
    return item


@equivalent(heapq.heapreplace, writes=True)
def heapreplace(heap, item, /):
    smallest = heap[0]
    heap[0] = item
    sink(heap, 0)
    return smallest


@equivalent(heapq.heappushpop, writes=True)
def heappushpop(heap, item, /):
    if len(heap) > 0 and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        sink(heap, 0)
        return smallest
    return item


@equivalent(heapq.heapify, writes=True)
def heapify(heap, /):
    for k in range(len(heap) // 2 - 1, -1, -1):
        sink(heap, k)


@equivalent(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


@equivalent(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


@equivalent(bisect.insort_right, writes=True)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    if key is None:
        a.insert(bisect.bisect_right(a, x, lo, len(a) if hi is None else hi), x)
    else:
        a.insert(bisect.bisect_right(a, key(x), lo, len(a) if hi is None else hi, key=key), x)


@equivalent(bisect.insort_left, writes=True)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    if key is None:
        a.insert(bisect.bisect_left(a, x, lo, len(a) if hi is None else hi), x)
    else:
        a.insert(bisect.bisect_left(a, key(x), lo, len(a) if hi is None else hi, key=key), x)
