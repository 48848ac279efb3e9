"""Comprehensions and generator expressions of what is differentiated."""
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4),), (vec(1),), (np.zeros(0),)])
def sum_of_squares(x):
    return sum(v * v for v in x)


@program(inputs=[(vec(4), vec(4, 1)), (vec(1), vec(3, 2)), (np.zeros(0), vec(2))], wrt=(0, 1))
def sum_of_products(u, v):
    product = sum(a * b for a, b in zip(u, v))
    return product * product + 1.0 if len(u) else np.sum(v)


@program(inputs=[(vec(5), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def filtered_squares(x, limit):
    squares = [v * v for v in x if v > 0.5 * limit]
    total = 0.0
    for s in squares:
        total += s * limit
    return total / (1 + len(squares))


@program(inputs=[(vec(4), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def array_of_values(x, k):
    y = np.array([math.sin(k * v) for v in x])
    table = {i: v * k for i, v in enumerate(y)}
    return np.sum(y * y) + table[0]


@program(inputs=[(mat(3, 4), vec(4)), (mat(1, 2), vec(2))], wrt=(0, 1))
def nested_comprehension(A, x):
    rows = [[a * b for a, b in zip(row, x)] for row in A]
    flat = [v for row in rows for v in row if v < 0.3]
    return sum(sum(r) for r in rows) + sum(flat) * 0.5


@program(inputs=[(vec(4), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def best_of_all(x, k):
    biggest = max(v * math.cos(k * v) for v in x)
    least = min([v - k for v in x], key=lambda d: d * d)
    if any(v > k for v in x):
        biggest = biggest * 2.0
    if all(v > 0.4 * k for v in x):
        return biggest - least
    return biggest + least * k


@program(inputs=[(vec(4), 0.9), (vec(1), 2.0)], wrt=(0, 1))
def walrus_inside(x, k):
    kept = [y for v in x if (y := v * k) > 0.5]
    return sum(kept) + y


@program(inputs=[([vec(2), vec(3)], 2.0), ([vec(1)], 0.5)], wrt=(0, 1))
def stacked_parts(parts, k):
    total = np.concatenate([k * p for p in parts])
    means = np.array([np.mean(p) for p in parts])
    return np.sum(total ** 2) + np.max(means)
