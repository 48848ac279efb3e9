"""Iterators that are advanced by several statements, shared, or put away: each step happens where it is asked for."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from harness import check_program
from srcgrad import UnsupportedError, grad

OPTIONS = [{}, {"plain": True}, {"general": True}, {"checked": True}]
each_way = pytest.mark.parametrize("options", OPTIONS, ids=["default", "plain", "general", "checked"])
X = np.array([0.4, 1.3, 0.7, -0.5, 0.9, 1.1])


# ---------------------------------------------------------------- what is read, and what is done, at each step

def reads_rebound(x):
    scale = 1.0
    g = (e * scale for e in x)
    a = next(g)
    scale = 3.0
    b = next(g)
    return a + b * sum(g)


def effect_in_call(x):
    n = 0
    def count(e):
        nonlocal n
        n += 1
        return e * n
    g = map(count, x)
    a = next(g)
    m = n
    b = next(g)
    return a * b * m


def effect_in_generator_call(x):
    log = []
    def noted(e):
        log.append(e)
        return e * e
    g = (noted(e) for e in x)
    a = next(g)
    m = len(log)
    b = next(g)
    return a * b * m + sum(log)


def pop_in_generator(x):
    stack = list(x)
    g = (stack.pop() for _ in range(4))
    a = next(g)
    n = len(stack)
    b = next(g)
    return a * b * n + sum(stack)


def gen_loop_carried(x):
    total = 0.0
    for k in range(3):
        s = x[k] * 2
        g = (e * s for e in x)
        a = next(g)
        b = next(g)
        s = 5.0
        total += a * b + next(g)
    return total


def gen_over_list_changed(x):
    l = [x[0], x[1]]
    g = (e * 2 for e in l)
    a = next(g)
    l.append(x[2])
    b = next(g)
    return a * b + sum(g)


def gen_reads_array_written(x):
    y = x.copy()
    g = (y[k] ** 2 for k in range(6))
    a = next(g)
    y[1] = 5.0 * x[0]
    b = next(g)
    return a * b + sum(g)


def map_of_array_written(x):
    y = x.copy()
    g = map(lambda k: y[k] ** 2, range(6))
    a = next(g)
    y[1] = 5.0 * x[0]
    b = next(g)
    return a * b + sum(g)


def gen_local_state(x):
    def gen():
        state = 1.0
        for e in x:
            state = state * 0.5 + e
            yield state
    g = gen()
    a = next(g)
    b = next(g)
    return a * b + sum(g)


def gen_local_list_state(x):
    def gen():
        seen = []
        for e in x:
            seen.append(e)
            yield sum(seen)
    g = gen()
    a = next(g)
    b = next(g)
    return a * b + sum(g)


def raises_late(x):
    def gen():
        for e in x:
            if e < 0:
                raise ValueError
            yield e
    g = gen()
    a = next(g)
    b = next(g)
    total = a * b
    try:
        for e in g:
            total += e ** 2
    except ValueError:
        total *= 2.0
    return total


def raises_never_reached(x):
    g = (math.log(e) if e > 0 else 1 / 0 for e in x)
    a = next(g)
    b = next(g)
    return a * b


# ---------------------------------------------------------------- values that are sent, and generators without end

def sent_in_two_places(x):
    def averager():
        total, n = 0.0, 0
        value = yield 0.0
        while True:
            total += value
            n += 1
            value = yield total / n
    g = averager()
    next(g)
    out = 0.0
    for e in x:
        out += g.send(e) ** 2
    return out


def send_two_yields(x):
    def filt():
        state = 0.0
        while True:
            a = yield state
            state = 0.5 * state + a
            b = yield state * 2.0
            state = state - b * a
    g = filt()
    next(g)
    out = 0.0
    for k in range(0, len(x) - 1, 2):
        out += g.send(x[k]) * x[0]
        out += g.send(x[k + 1]) ** 2
    return out


# ---------------------------------------------------------------- tee, and iterators with two names

def tee_pairs(x):
    a, b = itertools.tee(x)
    next(b)
    total = 0.0
    for u, v in zip(a, b):
        total += u * v ** 2
    return total


def tee_of_generator(x):
    squares = (e * e for e in x)
    a, b = itertools.tee(squares)
    return sum(a) * max(b)


def tee_three(x):
    a, b, c = itertools.tee(iter(x), 3)
    next(b, None)
    next(c, None)
    next(c, None)
    return sum(u * v + w for u, v, w in zip(a, b, c))


def pairwise_recipe(x):
    def pairwise(iterable):
        a, b = itertools.tee(iterable)
        next(b, None)
        return zip(a, b)
    return sum((v - u) ** 2 for u, v in pairwise(x))


def grouper(x):
    return sum(a * b for a, b in zip(*[iter(x)] * 2))


def grouper_three(x):
    def grouper(iterable, n):
        args = [iter(iterable)] * n
        return zip(*args)
    total = 0.0
    for a, b, c in grouper(x, 3):
        total += a * b - c ** 2
    return total


def zip_same_iterator(x):
    it = iter(x)
    total = 0.0
    for a, b in zip(it, it):
        total += a * b ** 2
    return total


def roundrobin(x):
    def rr(*iterables):
        iterators = [iter(i) for i in iterables]
        while iterators:
            alive = []
            for it in iterators:
                for e in it:
                    yield e
                    alive.append(it)
                    break
            iterators = alive
    return sum((k + 1) * e for k, e in enumerate(rr(x[:3], x[3:5], x[5:])))


def partition_recipe(x):
    def partition(pred, it):
        t1, t2 = itertools.tee(it)
        return itertools.filterfalse(pred, t1), filter(pred, t2)
    small, large = partition(lambda e: e > 0.6, x)
    return sum(small) * sum(e ** 2 for e in large)


# ---------------------------------------------------------------- several at once

def zip_longest_three(x):
    return sum(math.prod(t) for t in itertools.zip_longest(x[:1], x[:3], x[2:], fillvalue=2.0))


def zip_longest_star(x):
    return sum(math.prod(t) for t in itertools.zip_longest(*[x[:1], x[:3], x[2:]], fillvalue=2.0))


class It:
    def __init__(self, x):
        self.x, self.k = x, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.x):
            raise StopIteration
        self.k += 1
        return self.x[self.k - 1]


def zip_own_twice(x):
    it = It(x)
    return sum(a * b for a, b in zip(it, it))


def zip_own_two(x):
    it, jt = It(x), It(x[1:])
    return sum(a * b for a, b in zip(it, jt)) + next(it, 2.0)


def next_default_own(x):
    it = It(x[:1])
    return next(it, 3.0) ** 2 + next(it, x[3] * 2)


def infinite_map_next(x):
    g = map(lambda k: x[k] ** 2, itertools.count())
    a = next(g)
    b = next(g)
    return a * b


def merge_sorted(x):
    a, b = iter(sorted(x[:3])), iter(sorted(x[3:]))
    out = []
    u, v = next(a, None), next(b, None)
    while u is not None or v is not None:
        if v is None or (u is not None and u <= v):
            out.append(u)
            u = next(a, None)
        else:
            out.append(v)
            v = next(b, None)
    return sum((k + 1) * e for k, e in enumerate(out))


def tee_offset_zip(x):
    a, b, c = itertools.tee(x, 3)
    next(b)
    next(c)
    next(c)
    return sum(p - 2 * q + r * p for p, q, r in zip(a, b, c))


def tee_of_iterator_used(x):
    it = iter(x)
    first = next(it)
    a, b = itertools.tee(it)
    return first * sum(a) + max(b)


def dict_of_zip_iter(x):
    it = iter([0, x[0], 1, x[1], 2, x[2]])
    d = dict(zip(it, it))
    return d[0] * d[1] ** d[2]


# ---------------------------------------------------------------- kept in containers and objects

def list_of_iterators(x):
    its = [iter(x[k:]) for k in range(3)]
    total = 0.0
    for k in range(2):
        for it in its:
            total += next(it) ** 2 * (k + 1)
    return total


def iterator_in_object(x):
    class_like = {"it": iter(x), "n": 0}
    a = next(class_like["it"])
    b = next(class_like["it"])
    return a * b ** 2 + sum(class_like["it"])


class Reader:
    def __init__(self, x):
        self.tokens = iter(x)
        self.current = next(self.tokens)
    def advance(self):
        self.current = next(self.tokens, 1.0)
        return self.current


def reader_object(x):
    r = Reader(x)
    total = r.current
    for _ in range(6):
        total = total * 0.5 + r.advance() ** 2
    return total


def two_generators_from_function(x):
    def split():
        return (e ** 2 for e in x if e > 0), (e ** 3 for e in x if e <= 0)
    p, n = split()
    return sum(p) * sum(n)


# ---------------------------------------------------------------- kept across calls

def iterator_across_calls(x):
    it = iter(x)
    def take(n):
        return sum(e for e in itertools.islice(it, n))
    return take(2) * take(3) ** 2


class CountDown:
    def __init__(self, x):
        self.x, self.k = x, len(x)
    def __iter__(self):
        return self
    def __next__(self):
        if self.k == 0:
            raise StopIteration
        self.k -= 1
        return self.x[self.k] * self.k


def own_iterator(x):
    c = CountDown(x)
    first = next(c)
    return first * sum(e ** 2 for e in c) + next(c, 3.0)


def while_next_two(x):
    a, b = iter(x), iter(x[::-1])
    total = 0.0
    try:
        while True:
            u = next(a)
            if u < 0:
                u = next(a)
            total += u * next(b)
    except StopIteration:
        total *= 2.0
    return total


def batched_std(x):
    return sum(math.prod(b) * k for k, b in enumerate(itertools.zip_longest(*[iter(x)] * 4, fillvalue=1.0)))


# ---------------------------------------------------------------- what generators return

def sub_generator(x):
    total = 0.0
    for e in x:
        yield e * 2.0
        total += e
    return total


def of_a_part(x):
    def squares():
        total = yield from sub_generator(x)
        yield total * total
    return sum(e * e for e in squares())


def of_parts_of_parts(x):
    def parts():
        first = yield from sub_generator(x[:2])
        second = yield from sub_generator(x[2:])
        nothing = yield from [x[0], x[1]]
        return first * second if nothing is None else 0.0

    def whole():
        product = 1.0
        product += yield from parts()
        yield product
    return sum(whole())


# ---------------------------------------------------------------- recursive generators made inside

class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def down_lists(x):
    def walk(node):
        if isinstance(node, list):
            for part in node:
                yield from walk(part)
        else:
            yield node * x[5]
    return sum(e ** 2 for e in walk([x[0], [x[1], [x[2], x[3]]], x[4]]))


def down_objects(x):
    def in_order(node):
        if node is not None:
            yield from in_order(node.left)
            yield node.value
            yield from in_order(node.right)
    tree = Node(x[0], Node(x[1], Node(x[2])), Node(x[3]))
    return sum((k + 1) * v ** 2 for k, v in enumerate(in_order(tree)))


PROGRAMS = [
    of_a_part, of_parts_of_parts, down_lists, down_objects,
    reads_rebound, effect_in_call, effect_in_generator_call, pop_in_generator, gen_loop_carried,
    gen_over_list_changed, gen_reads_array_written, map_of_array_written, gen_local_state, gen_local_list_state,
    raises_late, raises_never_reached, sent_in_two_places, send_two_yields, tee_pairs, tee_of_generator, tee_three,
    pairwise_recipe, grouper, grouper_three, zip_same_iterator, roundrobin, partition_recipe, zip_longest_three,
    zip_longest_star, zip_own_twice, zip_own_two, next_default_own, infinite_map_next, merge_sorted, tee_offset_zip,
    tee_of_iterator_used, dict_of_zip_iter, list_of_iterators, iterator_in_object, reader_object,
    two_generators_from_function, iterator_across_calls, own_iterator, while_next_two, batched_std,
]


@pytest.mark.parametrize("program", PROGRAMS)
@each_way
def test_iterators(program, options):
    check_program(program, (X,), (0,), **options)


def kept_for_later(x):
    steps = []
    for k in range(3):
        steps.append(e * k for e in x)      # each reads the last k
    return sum(next(step) for step in steps)


def test_what_changes_before_it_is_asked_for():
    with pytest.raises(UnsupportedError, match="its place in between isn't known"):
        grad(kept_for_later)(X)


# ---------------------------------------------------------------- lists that grow after an iterator has ended

def asked_after_its_end(x):
    items = [x[0], x[1]]
    it = iter(items)
    s = 0.0
    for v in it:
        s = s + v * v
    items.append(x[2])
    return s * next(it, x[0])


def asked_again_and_again(x):
    items = [x[0]]
    it = iter(items)
    a, b = next(it, 1.0), next(it, 2.0)
    items.append(x[2])
    return a * b * next(it, x[1])


def run_over_twice(x):
    items = [x[0], x[1]]
    kept = {"it": iter(items)}
    s = 0.0
    for v in kept["it"]:
        s = s + v * v
    items.append(x[2])
    for v in kept["it"]:
        s = s * v
    return s


def own_generator_after_its_end(x):
    items = [x[0], x[1]]

    def doubled():
        for v in items:
            yield 2.0 * v
    it = doubled()
    s = next(it) * next(it) * next(it, x[0])
    items.append(x[2])
    return s * next(it, x[1])


def grows_before_its_end(x):
    items = [x[0]]
    it = iter(items)
    s = next(it)
    items.append(x[2])
    return s * next(it, x[1]) * next(it, x[0])


def branches_after_their_end(x):
    items = [x[0], x[1]]
    a, b = itertools.tee(items)
    s = next(a) * next(a) * next(a, x[2])
    items.append(x[2])
    return s + next(a, x[1]) * next(b)


@pytest.mark.parametrize("options", [{}, {"plain": True}, {"general": True}, {"checked": True}], ids=str)
@pytest.mark.parametrize("f", [asked_after_its_end, asked_again_and_again, run_over_twice, own_generator_after_its_end,
                               grows_before_its_end, branches_after_their_end], ids=lambda f: f.__name__)
def test_an_iterator_that_has_ended_stays_so(f, options):
    check_program(f, (np.array([0.78, 0.5, 0.58]),), (0,), **options)
