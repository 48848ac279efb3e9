"""Functions over functions and sequences: reduce, sorted, operator, math of several numbers."""
import functools
import itertools
import math
import operator

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def reduced(x, k):
    product = functools.reduce(operator.mul, x)
    shifted = functools.reduce(lambda a, b: a * k + b, x, 1.0)
    total = functools.reduce(lambda a, b: a + math.sin(b), [v * k for v in x])
    return product + shifted * total


@program(inputs=[(vec(5), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def ranked(x, k):
    order = sorted(x)
    total = 0.0
    for i, v in enumerate(order):
        total += (i + 1) * v
    for i, v in enumerate(sorted([k * v for v in x], key=lambda v: -v)):
        total += v ** (i + 1)
    for a, b in zip(sorted(x, reverse=True), x):
        total += a * b
    return total


@program(inputs=[(vec(3), 0.9), (vec(3, 1), 2.0)], wrt=(0, 1))
def lengths_and_distances(x, k):
    a, b, c = x
    total = math.hypot(a, b, c) + math.hypot(a, k) + math.hypot(c)
    total += math.dist((a, b), (c, k))
    total += math.prod(x) + math.fsum(v * v for v in x) + math.prod([k, a], start=2.0)
    total += math.log(a, 2) + math.log(b, k + 3.0)
    return total


@program(inputs=[(vec(4), 0.9), (vec(2), 2.0), (vec(1, 9), 0.9)], wrt=(0, 1))
def operators_as_functions(x, k):
    total = 0.0
    for op in (operator.add, operator.mul, operator.sub):
        total = op(total, k * x[0])
    add = operator.add
    pairs = [(v, i) for i, v in enumerate(x)]
    first = max(pairs, key=operator.itemgetter(0))
    squares = list(map(operator.mul, x, x))
    return add(total, first[0]) + sum(squares) + pow(k, 2) + divmod(x[0], k)[1] + abs(-k) + operator.neg(k)


@program(inputs=[(vec(4), [1, 0, 1, 1]), (vec(2), [0, 1]), (vec(1, 9), [1, 0, 1, 1])])
def selected_and_starred(x, chosen):
    total = 0.0
    for v in itertools.compress(x, chosen):
        total += v * v
    for v in itertools.starmap(lambda a, b: a * b, zip(x, x[::-1])):
        total += math.sin(v)
    for v in filter(lambda v: v > 0.7, x):
        total += v ** 3
    for v in itertools.filterfalse(lambda v: v > 0.7, x):
        total -= v
    return total


@program(inputs=[(vec(4), 3), (vec(2), 1), (vec(1), 0)])
def going_round(x, n):
    total = 0.0
    weights = itertools.cycle([1.0, -1.0])
    for w, v in zip(weights, x):
        total += w * v * v
    for i, v in zip(range(n), itertools.cycle(x)):
        total = total * 0.9 + v * i
    for v, w in itertools.zip_longest(x, x[1:], fillvalue=0.5):
        total += v * w
    for k, group in itertools.groupby(x, key=lambda v: v > 1.0):
        total += sum(group) ** 2 if k else 1.0
    return total


@program(inputs=[(mat(3, 4), vec(4)), (mat(1, 2), vec(2))], wrt=(0, 1))
def transposed_by_zip(A, x):
    total = 0.0
    rows = [list(row) for row in A]
    columns = list(zip(*rows))
    for column, v in zip(columns, x):
        total += sum(column) * v
    return total + sum(map(sum, rows))


@program(inputs=[(vec(4), 0.9), (vec(2), 2.1)], wrt=(0, 1))
def numbers_from_numbers(x, k):
    scale = int(k * 3) + round(k)
    total = float(x[0]) * scale
    total += sum([float(v) for v in x], k) + sum([x, x], np.zeros(len(x)))[0]
    total += max(k, x[0], 0.5) * min(x[1], k) + max([], default=k) + round(k, 3) * 0
    if any(v > 1.2 for v in x) and all([v > 0 for v in x]):
        total *= 2
    return total
