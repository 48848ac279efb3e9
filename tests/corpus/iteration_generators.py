"""Generators: run by a loop, by a builtin, by each other, left early, with state, with effects in between."""
import itertools
import math

import numpy as np

from corpus.registry import mat, program, vec


def scaled(xs, k):
    for v in xs:
        yield v * k


def running_products(xs):
    product = 1.0
    for v in xs:
        product = product * v
        yield product


def powers_of(x):
    value = x
    while True:
        yield value
        value = value * x


def either_way(xs, k):
    for i, v in enumerate(xs):
        if i % 2 == 0:
            yield v * v
        else:
            yield k - v
    yield k


def chunks(xs, size):
    for start in range(0, len(xs), size):
        part = xs[start:start + size]
        if len(part) < size:
            return
        yield part


def nested_rows(A):
    for row in A:
        yield from scaled(row, 2.0)
        yield np.sum(row)


def guarded(xs, log):
    try:
        for v in xs:
            yield math.sin(v)
    finally:
        log.append(len(xs))


def smoothed(values, rate):
    level = 0.0
    for v in values:
        level = level + rate * (v - level)
        yield level


@program(inputs=[(vec(4), 0.7), (vec(1), -0.4), (np.zeros(0), 0.3)], wrt=(0, 1))
def consumed_by_a_loop(x, k):
    total = 0.0
    for v in scaled(x, k):
        total = total + v * v
    return total * k


@program(inputs=[(vec(4), 1.2), (vec(1), 0.4), (np.zeros(0), 0.3)], wrt=(0, 1))
def left_early(x, limit):
    total = 1.0
    for p in running_products(x):
        if p > limit:
            break
        total = total + p * limit
    else:
        total = total * 2.0
    return total


@program(inputs=[(0.7, 1e-3), (0.2, 1e-1), (1e-9, 1e-3)])
def endless_series(x, tolerance):
    total = 1.0
    for n, p in enumerate(powers_of(x), 1):
        term = p / n
        if abs(term) < tolerance:
            break
        total += term
    return total


@program(inputs=[(vec(5), 0.7), (vec(2), -0.4), (vec(1), 2.0)], wrt=(0, 1))
def several_yields(x, k):
    total = 0.0
    for v in either_way(x, k):
        if v < 0.2:
            continue
        total = total * 0.9 + v * v
    return total


@program(inputs=[(vec(7), 2), (vec(3), 3), (vec(1), 2)])
def in_chunks(x, size):
    total = 1.0
    for part in chunks(x, size):
        total = total * np.sum(part) + np.prod(part)
    return total


@program(inputs=[(mat(3, 2),), (mat(1, 1),), (mat(0, 2),)])
def yields_from_others(A):
    total = 0.0
    for i, v in enumerate(nested_rows(A)):
        total += v * v / (i + 1)
    return total


@program(inputs=[(vec(4), 0.5), (vec(1), 0.9)], wrt=(0, 1))
def pipeline_of_generators(x, rate):
    squares = (v * v for v in x)
    levels = smoothed(squares, rate)
    kept = [level for level in levels if level > 0.05]
    return sum(kept) + max(smoothed(x, rate)) * rate


@program(inputs=[(vec(4), 3), (vec(2), 1), (vec(3), 0)])
def some_of_endless(x, n):
    total = 0.0
    for p, v in zip(powers_of(x[0]), x):
        total += p * v
    for p in itertools.islice(powers_of(x[1]), n):
        total = total * 0.5 + p
    return total


@program(inputs=[(vec(4),), (vec(1),)])
def with_finally(x):
    log = []
    total = 0.0
    for s in guarded(x, log):
        total = total + s * s
        if total > 1.0:
            break
    return total * log[0]


@program(inputs=[(vec(4), 0.9), (vec(2), 5.0), (vec(1, 9), 0.9)], wrt=(0, 1))
def first_that_fits(x, k):
    found = next((v * v for v in x if v * k > 1.0), k)
    return found * k + next(iter(x))


@program(inputs=[(vec(4), 0.9), (vec(2), 5.0)], wrt=(0, 1))
def writes_in_between(x, k):
    u = x.copy()
    for i, v in enumerate(scaled(u, k)):
        if i + 1 < len(u):
            u[i + 1] += v * v
    return np.sum(u * u)


@program(inputs=[(vec(4), 0.9), (vec(2), 5.0), (np.zeros(0), 1.0)], wrt=(0, 1))
def made_inside(x, k):
    def pairs(values):
        for a in values:
            for b in values:
                if a < b:
                    yield a * k, b

    total = 0.0
    for a, b in pairs(x):
        total += math.sin(a * b)
    return total * k


@program(inputs=[(vec(4), 0.9), (vec(3), 5.0), (vec(1, 9), 0.9)], wrt=(0, 1))
def chained_and_accumulated(x, k):
    total = 0.0
    for v in itertools.chain(x, [k, k * k], scaled(x, 0.5)):
        total = total * 0.9 + v
    for s in itertools.accumulate(x):
        total += s * s
    for p in itertools.accumulate(x, lambda a, b: a * b + k):
        total += p
    for a, b in itertools.pairwise(x):
        total += (b - a) ** 2
    return total


@program(inputs=[(vec(4), 0.9), (vec(3), 5.0), (vec(1, 9), 0.9)], wrt=(0, 1))
def pairs_and_products(x, k):
    energy = 0.0
    for a, b in itertools.combinations(x, 2):
        energy += 1.0 / (0.1 + (a - b) ** 2)
    for a, b in itertools.product(x, [k, 2.0]):
        energy += a * b
    for t in itertools.takewhile(lambda v: v < k, x):
        energy += t
    for t in itertools.dropwhile(lambda v: v < k, x):
        energy += t * t
    return energy
