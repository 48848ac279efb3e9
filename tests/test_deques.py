"""Deques with a longest length, ordered dictionaries, and objects that give their elements to a builtin."""
from __future__ import annotations

from collections import OrderedDict, deque

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}],
                                   ids=["default", "plain", "general"])


def pairs_of_neighbours(x):
    window, s = deque(maxlen=2), 0.0
    for v in x:
        window.append(v)
        if len(window) == 2:
            s += window[0] * window[1]
    return s


def moving_average(x):
    window, s = deque([0.0] * 3, 3), 0.0
    for v in x:
        window.append(v * v)
        s += v * sum(window) / len(window)
    return s


def history_of_slopes(x):
    """Two-step Adams-Bashforth; the history is changed, turned round and looked through afterwards."""
    history = deque([np.zeros(2)], maxlen=2)
    y = x[:2] * 1.0
    for _ in range(4):
        history.append(np.array([y[1], -y[0] * x[2]]))
        y = y + 0.1 * (1.5 * history[-1] - 0.5 * history[0])
    history[0][1] *= x[3]
    history.rotate(1)
    history.appendleft(y)
    return y @ y + sum(np.sum(h) for h in history) + np.sum(np.array(history)) + len(history)


def from_both_ends(x):
    d = deque(maxlen=3)
    d.extend(x)
    d.extendleft([x[0] * x[1], x[2]])
    first, last = d.popleft(), d.pop()
    d.reverse()
    other = d.copy()
    other.append(x[3] * x[3])
    return first * last + d[0] + sum(other) * max(d) + (d == other)


def oldest_first(x):
    cache = OrderedDict()
    for k, v in zip("abca", x):
        cache[k] = v * v
        cache.move_to_end(k)
        if len(cache) > 2:
            cache.popitem(last=False)
    (k1, v1), (k2, v2) = cache.items()
    return v1 * v2 + (k1 == "c") * x[0]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        yield self.a
        yield self.b

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return (self.a, self.b)[k]


def elements_of_an_object(x):
    p = Pair(x[0] * x[1], x[2])
    return sum(p) + 2.0 * max(p) + min(p) * sorted(p)[0] + np.mean(p)


@each_way
@pytest.mark.parametrize("f", [pairs_of_neighbours, moving_average, history_of_slopes, from_both_ends, oldest_first,
                               elements_of_an_object])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)


@pytest.mark.parametrize("f", [
    lambda x: sum(w := deque(x)) * (2.0 if isinstance(w, deque) else 1.0),
    lambda x: sum(w := deque(x, maxlen=3)) * (2.0 if isinstance(w, list) else 1.0),
    lambda x: (w := deque(x))[0] * (3.0 if type(w) is list else 1.0),
    lambda x: x[0] * (2.0 if OrderedDict(a=x[0], b=x[1]) == OrderedDict(b=x[1], a=x[0]) else 5.0),
    lambda x: (d := OrderedDict(a=x[0]))["a"] * (2.0 if isinstance(d, OrderedDict) else 1.0)])
def test_whether_it_is_a_deque_is_right_or_refused(f):
    try:
        check_program(f, (X,), (0,))
    except srcgrad.UnsupportedError as refusal:
        assert "isn't told from" in str(refusal)
