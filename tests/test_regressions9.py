"""What expressions do besides giving a value: in f-strings, by methods that Python calls itself, while others wait."""
from __future__ import annotations

import math

import numpy as np
import pytest

import srcgrad
from harness import check_program

X = np.array([0.7, -1.2, 0.4, 2.1])
each_way = pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}],
                                   ids=["default", "plain", "general"])


def twice(a):
    a[0] *= a[1]
    return 2


def again(a, n):
    if n == 0:
        return a[0]
    a[n % 4] *= a[0]
    return again(a, n - 1) * a[1] + 1.0


def turned(k):
    k[0] = 1 - k[0]
    return 7


# ---------------------------------------------------------------- texts and sets

def in_a_text(x):
    a = x.copy()
    s = f"{a[0]:.2f} {again(a, 2):.1f}"
    return a[1] * a[0] + len(s)


def in_the_layout_of_a_text(x):
    a = x.copy()
    s = f"{1.5:{twice(a)}.{twice(a)}f} {twice(a)!r:>4}"
    return a[1] * a[0] * len(s)


def in_a_text_of_other_things(x):
    k = np.array([0, 2])
    y = x[k]
    s = f"{turned(k)}"
    return np.sum(y * y) + np.sum(x[k] ** 3) * len(s)


def in_a_set(x):
    k = np.array([0, 2])
    y = x[k]
    s = {turned(k), 3}
    return np.sum(y * y) + np.sum(x[k] ** 3) * len(s)


def in_a_set_of_many(x):
    k = np.array([0, 2])
    y = x[k]
    s = {turned(k) for _ in range(3)}
    return np.sum(y * y) + np.sum(x[k] ** 3) * len(s)


# ---------------------------------------------------------------- changes of lists in the midst of expressions

def put_in_and_go_on(x):
    items = []
    s = items.append(x[0]) or x[1]
    t = (items.append(s * x[2]), x[3])[1]
    return s * items[0] + t * items[1]


def put_in_by_a_comprehension(x):
    items = []
    [items.append(v * v) for v in x if v > 0]
    add = [(lambda v: items.append(v))(v) for v in x]
    return items[0] * items[-1] * len(add)


def put_in_by_map(x):
    items = []
    list(map(items.append, x))
    any(items.append(v * v) for v in x)
    return items[0] * items[-1]


def put_in_while_summing(x):
    items = []
    s = sum(items.append(v) or v * len(items) for v in x)
    return s * items[0]


def put_in_by_a_test(x):
    items = [x[0]]
    if items.append(x[1]) is None and items.extend([x[2]]) is None and items.reverse() is None:
        return items[0] * items[1] + items[2] ** 2
    return x[0]


def taken_out_by_a_test(x):
    items, s = [x[0], x[2], x[1], x[3], x[2]], 1.0
    while items.pop() > -1.0:
        s = s * items[-1]
    return s + (items[0] if items.pop() < 0 else 2.0 * items[0])


def moved_about(x):
    items = [x[0], x[1]]
    t = items.reverse() or items[0]
    u = items.insert(0, x[2]) or items[0] * items[1]
    w = items.clear() or len(items)
    return t * u + w


def added_at(x):
    a = x.copy()
    r = np.add.at(a, [0, 0], x[1]) or a[0]
    return r * a[0]


# ---------------------------------------------------------------- what waits

def keys_that_write(x):
    a = x.copy()

    def key(v):
        a[0] *= 1.1
        return v
    s = sorted([x[1], x[2], x[0]], key=key)
    return s[0] * s[1] * a[0] + max(x, key=key) * a[0]


def a_zip_is_asked(x):
    items = []
    for v in x:
        items.append(v * v)
    pairs = zip(items, x)
    p, q = next(pairs)
    s = p * q
    for p, q in pairs:
        s += p + q
    return s


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def nodes(node):
    if node is not None:
        yield from nodes(node.left)
        yield node
        yield from nodes(node.right)


def other_fields_change(x):
    t = Node(x[0], Node(x[1]), Node(x[2], Node(x[3])))
    for n in nodes(t):
        n.v = n.v * x[0]
    return sum(n.v * n.v for n in nodes(t))


@each_way
@pytest.mark.parametrize("f", [
    in_a_text, in_the_layout_of_a_text, in_a_text_of_other_things, in_a_set, in_a_set_of_many, put_in_and_go_on,
    put_in_by_a_comprehension, put_in_by_map, put_in_while_summing, put_in_by_a_test, taken_out_by_a_test, moved_about,
    added_at, keys_that_write, a_zip_is_asked, other_fields_change])
def test_is_right(f, options):
    check_program(f, (X,), (0,), **options)


# ---------------------------------------------------------------- methods that Python calls itself

class Talking:
    def __init__(self, a):
        self.a = a

    def _write(self):
        self.a[0] *= self.a[1]

    def __str__(self):
        self._write()
        return "text"

    __repr__ = __str__

    def __bool__(self):
        self._write()
        return True

    def __hash__(self):
        self._write()
        return 1

    def __eq__(self, other):
        self._write()
        return True

    def __index__(self):
        self._write()
        return 1

    def __contains__(self, item):
        self._write()
        return True

    def __lt__(self, other):
        self._write()
        return True


def test_methods_that_are_followed():
    def f(x):
        a = x.copy()
        t = Talking(a)
        s = len(str(t)) + len(repr(t)) + bool(t) + hash(t) + int(t)
        if 3 in t and t == 1:
            a[2] *= a[0]
        return np.sum(a * a) * s
    check_program(f, (X,), (0,))


@pytest.mark.parametrize("use", [
    lambda t, a: f"{t}", lambda t, a: print(t), lambda t, a: 1.0 if t else 2.0, lambda t, a: not t,
    lambda t, a: any([t]), lambda t, a: {t: 1.0}, lambda t, a: a[t], lambda t, a: t in [1, t],
    lambda t, a: [t] == [t], lambda t, a: sorted([t, t]), lambda t, a: [(1, t), (1, t)].sort(),
    lambda t, a: sorted([2, 1], key=lambda k: Talking(a)), lambda t, a: (t, 1) < (t, 2), lambda t, a: 1 < t < 2])
def test_methods_that_nobody_follows_change_nothing(use):
    def f(x):
        a = x.copy()
        use(Talking(a), a)
        return np.sum(a * a)
    with pytest.raises(srcgrad.UnsupportedError, match="which changes something"):
        srcgrad.grad(f)(X)


class Quiet:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Quiet({self.v:.2f})"

    def __bool__(self):
        return bool(self.v > 0) and len(str(self)) > 0


def test_methods_that_change_nothing():
    def f(x):
        q = Quiet(x[0])
        s = f"{q} {q!r}"
        return (x[1] if q else x[2]) * x[0] * len(s)
    check_program(f, (X,), (0,))


# ---------------------------------------------------------------- iterators whose elements aren't made beforehand

def written_meanwhile(x):
    a = x.copy()
    values = map(lambda v: v * a[0], x)
    s = next(values)
    a[0] = a[2] * a[2]
    return s * sum(values)


def bound_meanwhile(x):
    def products():
        for v in x:
            yield v * k[0]
    k = [x[0]]
    g = products()
    s = next(g)
    k = [x[2]]
    return s + next(g)


def writing_itself(x):
    seen = []

    def asked(v):
        seen.append(v)
        return v > -100
    values = filter(asked, x)
    s = next(values) * next(values)
    return s * len(seen)


def beside_each_other(x):
    s, k = 0.0, x[0]
    for a, b in zip((v * k for v in x), (v + k for v in x)):
        k = k * 1.1
        s += a * b
    return s


def cut_off(x):
    t, s = Node(x[0], Node(x[1]), Node(x[2], Node(x[3]))), 0.0
    for n in nodes(t):
        s += n.v * n.v
        n.right = None
    return s


def touched(a):
    a[0] *= 1.5
    return a[0]


def touching(a, n):
    if n > 0:
        v = touched(a)
        yield v
        yield from touching(a, n - 1)


def going_on_in_a_callee(x):
    a, s = x.copy(), 0.0
    for v in touching(a, 3):
        s += v * a[0]
    return s


@pytest.mark.parametrize("f", [written_meanwhile, bound_meanwhile, writing_itself, beside_each_other, cut_off,
                               going_on_in_a_callee])
def test_is_right_or_refused(f):
    try:
        check_program(f, (X,), (0,))
    except srcgrad.UnsupportedError as refusal:
        assert "iterator" in str(refusal) or "generator" in str(refusal)


# ---------------------------------------------------------------- subscripts and conversions of own classes

class Grid:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, k):
        return self.x[k] if not isinstance(k, tuple) else self.x[k[0]] * k[1]

    def __setitem__(self, k, v):
        self.x[k] = v

    def __floor__(self):
        return self.x[0] * 1.5

    def __complex__(self):
        return complex(self.x[0], self.x[1])


def test_slices_of_own_classes():
    def f(x):
        g, slice = Grid(x.copy()), 2.0
        g[1:] = g[:-1] * slice
        g[0] += g[1:][0]
        return np.sum(g[::2] * g[::2]) + np.sum(g[1:, 3.0])
    check_program(f, (X,), (0,))


def test_conversions_of_own_classes():
    def f(x):
        g = Grid(x)
        return math.floor(g) * x[2] + complex(g).imag
    check_program(f, (X,), (0,))


# ---------------------------------------------------------------- callees of several kinds

def test_a_callee_that_is_active_in_more_arguments_than_this_call_gives():
    """Of each function there are a few variants; one that stands for several takes an argument to be active that isn't
    so in each call."""
    def f(x):
        best, path, cur = [-1e9], [], []

        def go(i, s):
            if i == 3:
                if s > best[0]:
                    best[0] = s
                    path[:] = cur
                return
            for k in (0, 1):
                cur.append(x[i] * (k + 0.5))
                go(i + 1, s + x[i] * (1.0 if k else -1.0))
                cur.pop()
        go(0, 0.0)
        return best[0] * sum(path)
    check_program(f, (X,), (0,))
