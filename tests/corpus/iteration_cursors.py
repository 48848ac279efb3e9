"""Iterators that are advanced by hand: iter and next, send, several loops over one iterator."""
import math

from corpus.registry import program, vec


def fibonacci_like(a, b):
    while True:
        yield a
        a, b = b, a + b * 0.5


def averaging(rate):
    level = 0.0
    count = 0
    while True:
        value = yield level
        level = level + rate * (value - level)
        count += 1


class Countdown:
    def __init__(self, start, factor):
        self.value = start
        self.factor = factor

    def __iter__(self):
        return self

    def __next__(self):
        if self.value < 0.1:
            raise StopIteration
        self.value = self.value * self.factor
        return self.value


@program(inputs=[(vec(5), 0.5), (vec(2), 1.5)], wrt=(0, 1))
def head_and_rest(x, k):
    it = iter(x)
    first = next(it)
    second = next(it)
    total = first * second * k
    for v in it:
        total += v * first
    return total + next(it, k)


@program(inputs=[(vec(5),), (vec(2),), (vec(1),)])
def two_at_a_time(x):
    it = iter(x)
    total = 0.0
    while True:
        a = next(it, None)
        if a is None:
            break
        b = next(it, 1.0)
        total += a * b
    return total


@program(inputs=[(vec(5), 1.0), (vec(2), 3.0)], wrt=(0, 1))
def until_it_stops(x, k):
    it = iter(x)
    total = 0.0
    try:
        while True:
            total = total * k + next(it)
    except StopIteration:
        total = total * 2.0
    return total


@program(inputs=[(0.7, 1.1, 4), (0.2, 0.5, 1), (1.2, 0.3, 0)], wrt=(0, 1))
def stepped_by_hand(a, b, n):
    terms = fibonacci_like(a, b)
    total = next(terms) * next(terms)
    for i in range(n):
        total += next(terms) * math.sin(i + 1.0)
    return total


@program(inputs=[(vec(4), 0.5), (vec(1), 0.3)], wrt=(0, 1))
def sent_values(x, rate):
    filter_ = averaging(rate)
    next(filter_)
    total = 0.0
    for v in x:
        smooth = filter_.send(v)
        total += smooth ** 2
    return total


@program(inputs=[(vec(6), 0.5), (vec(3), 2.5), (vec(1, 9), 0.5)], wrt=(0, 1))
def two_loops_share_one(x, k):
    values = (v * k for v in x)
    total = 0.0
    for v in values:
        total += v
        if v > 0.5:
            break
    for v in values:
        total -= v * v
    return total


@program(inputs=[(vec(5),), (vec(3),), (vec(1, 9),)])
def pairs_of_enumerated(x):
    numbered = enumerate(x)
    i, first = next(numbered)
    total = first
    for j, v in numbered:
        total += (i + j) * v * first
    return total


@program(inputs=[(3.0, 0.5), (0.05, 0.5)], wrt=(0, 1))
def own_iterator(start, factor):
    total = 0.0
    for v in Countdown(start, factor):
        total += v * v
    return total + start


@program(inputs=[(vec(3), 1.5), (vec(1), 0.5)], wrt=(0, 1))
def called_until(x, limit):
    state = [x[0]]

    def grow():
        state[0] = state[0] * 1.5
        return 0.0 if state[0] > limit else state[0]

    total = 0.0
    for v in iter(grow, 0.0):
        total += v * v
    return total + state[0]
