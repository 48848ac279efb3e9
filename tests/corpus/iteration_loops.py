"""Loops over what builtins make of sequences: enumerate, zip, reversed, map, dict views."""
import itertools
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4),), (vec(1),), (np.zeros(0),)])
def weighted_by_position(x):
    total = 0.0
    for i, v in enumerate(x):
        total = total + (i + 1) * v * v
    return total


@program(inputs=[(vec(4), vec(4, 1)), (vec(1), vec(3, 2)), (np.zeros(0), vec(2))], wrt=(0, 1))
def dot_by_zip(u, v):
    total = 0.0
    for a, b in zip(u, v):
        if a > b:
            total += a * b
        else:
            total += math.sin(a) - b
    return total


@program(inputs=[(vec(4), 0.7), (vec(1, 1), -0.4), (np.zeros(0), 0.3)], wrt=(0, 1))
def horner_reversed(c, x):
    value = 0.0
    for a in reversed(c):
        value = value * x + a
    return value * x


@program(inputs=[([mat(3, 2), mat(2, 3, 1)], [vec(3), vec(2)], vec(2)), ([mat(1, 2)], [vec(1)], vec(2))], wrt=(0, 1, 2))
def layers_by_zip(weights, biases, x):
    penalty = 0.0
    for k, (W, b) in enumerate(zip(weights, biases)):
        x = np.tanh(W @ x + b)
        if k > 0:
            penalty = penalty + 0.1 * np.sum(W * W) / k
    return np.sum(x * x) + penalty


@program(inputs=[({"a": vec(3), "b": vec(2)}, 0.3), ({"a": vec(1), "b": vec(1, 1)}, 0.7)], wrt=(0, 1))
def penalty_over_items(params, rate):
    total = 0.0
    for name, value in params.items():
        if name == "a":
            total += rate * np.sum(value ** 2)
        else:
            total += np.sum(np.abs(value))
    for value in params.values():
        total = total * 0.5 + value[0]
    return total


@program(inputs=[(vec(5), vec(5, 3)), (vec(2), vec(1)), (vec(1), np.zeros(0))], wrt=(0, 1))
def differences_by_zip(x, w):
    out = []
    for (left, right), s in zip(zip(x[:-1], x[1:]), w):
        out.append((right - left) ** 2 * s)
    total = 0.0
    for k, d in reversed(list(enumerate(out))):
        total += d * (k + 1)
    return total


@program(inputs=[(vec(4), 2.0), (vec(1), 0.5), (np.zeros(0), 1.0)], wrt=(0, 1))
def mapped_loop(x, k):
    total = 1.0
    for v in map(lambda a: math.exp(-k * a), x):
        total = total + v
        total = total * (1.0 + 0.1 * v)
    for n, (a, b) in enumerate(zip(map(math.sin, x), itertools.count(2)), start=1):
        total += a * b / n
    return total


@program(inputs=[(mat(3, 4), vec(4)), (mat(1, 2), vec(2)), (mat(0, 3), vec(3))], wrt=(0, 1))
def rows_and_names(A, x):
    y = np.zeros(len(A))
    for i, row in enumerate(A):
        for j, (a, b) in enumerate(zip(row, x)):
            if j == i:
                continue
            if a * b > 2.0:
                break
            y[i] += a * b
    return np.sum(y * y)


@program(inputs=[(mat(3, 4), 2.0), (mat(1, 2), 0.5)], wrt=(0, 1))
def rows_scaled_in_place(A, s):
    A = A.copy()
    for i, row in enumerate(A):
        row *= s + i
        row[0] = row[-1] ** 2
    for r, t in zip(A, reversed(A)):
        r += 0.5 * t
    return np.sum(A ** 2)
