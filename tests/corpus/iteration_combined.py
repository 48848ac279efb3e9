"""Iteration together with other constructs, as programs have it."""
import itertools
import math

import numpy as np

from corpus.registry import mat, program, vec


def windows(xs, width):
    for k in range(len(xs) - width + 1):
        yield k, xs[k:k + width]


def leaves(x, i):
    """A heap as a tree: the children of i are 2i + 1 and 2i + 2."""
    if i < len(x):
        yield x[i]
        yield from leaves(x, 2 * i + 1)
        yield from leaves(x, 2 * i + 2)


def newton_steps(a, start):
    guess = start
    for _ in range(50):
        better = 0.5 * (guess + a / guess)
        yield better
        if abs(better - guess) < 1e-12:
            return
        guess = better


def inside(points, radius):
    for p in points:
        if np.dot(p, p) > radius * radius:
            continue
        yield p


@program(inputs=[(vec(6), 2.0), (vec(2), 0.5), (np.zeros(1), 1.0)], wrt=(0, 1))
def moving_averages(x, k):
    smoothed = [np.mean(part) * k for _, part in windows(x, 2)]
    total = 0.0
    for i, (a, b) in enumerate(zip(smoothed, smoothed[1:])):
        try:
            if i > 2:
                break
            total += (b - a) ** 2 / (i + 1)
        finally:
            total += 0.1 * a
    return total + sum(smoothed)


@program(inputs=[(vec(5),), (vec(1),), (np.zeros(0),)])
def tree_in_preorder(x):
    total = 0.0
    for depth, v in enumerate(leaves(x, 0), 1):
        total += v * v / depth
    return total


@program(inputs=[(2.0, 1.0), (0.3, 4.0)], wrt=(0, 1))
def last_of_the_newton_steps(a, start):
    root = start
    total = 0.0
    for root in newton_steps(a, start):
        total += root
    return root * root + 1e-3 * total


@program(inputs=[(mat(4, 2), 0.8), (mat(1, 2, 1), 5.0), (mat(0, 2), 1.0)], wrt=(0, 1))
def energy_of_neighbours(points, radius):
    near = list(inside(points, radius))
    energy = 0.0
    for p, q in itertools.combinations(near, 2):
        d = p - q
        energy += 1.0 / (0.1 + np.dot(d, d))
    if not near:
        return energy + radius
    return energy + sum(np.sum(p) for p in near)


@program(inputs=[([vec(2), vec(3, 1)], {"scale": 0.5, "shift": 0.1}), ([vec(1)], {"scale": 2.0, "shift": 0.0})],
         wrt=(0, 1))
def normalised_groups(groups, options):
    rows = [[options["scale"] * v + options["shift"] for v in g] for g in groups]
    norms = [math.sqrt(sum(v * v for v in row)) for row in rows]
    best = max(norms)
    result = {str(k): [v / best for v in row] for k, row in enumerate(rows)}
    total = 0.0
    for name, row in result.items():
        for k, v in enumerate(row):
            total += v ** (k + 1) if name == "0" else math.sin(v)
    return total


@program(inputs=[(vec(4), 3), (vec(1), 2), (vec(2), 0)])
def queue_that_grows(x, n):
    queue = [v * v for v in x]
    total = 0.0
    for i, v in enumerate(queue):
        total += v * (i + 1)
        if i < n:
            queue.append(v * x[i % len(x)])
    return total


@program(inputs=[(vec(5), 1.1), (vec(1), 0.2)], wrt=(0, 1))
def search_in_nested_loops(x, limit):
    def products():
        for i, a in enumerate(x):
            for b in x[i + 1:]:
                yield i, a * b

    for i, p in products():
        if p > limit:
            return p * (i + 1)
    return x[0] * limit


@program(inputs=[(mat(3, 3), vec(3)), (mat(1, 1, 2), vec(1))], wrt=(0, 1))
def gauss_seidel_by_rows(A, b):
    n = len(b)
    u = np.zeros(n)
    for _ in range(3):
        for i, (row, rhs) in enumerate(zip(A, b)):
            others = sum(a * v for j, (a, v) in enumerate(zip(row, u)) if j != i)
            u[i] = (rhs - others) / (row[i] + 4.0)
    return np.sum(u * u)


@program(inputs=[(vec(4), 0.3), (vec(2), 0.9), (vec(1, 9), 0.3)], wrt=(0, 1))
def functions_in_turn(x, k):
    y = x
    for f, scale in ((np.tanh, 1.0), (np.sin, k), (lambda v: v * v + k, 2.0)):
        y = f(y * scale)
        if np.sum(y) > 3.0:
            break
    return np.sum(y)


@program(inputs=[(vec(3),), (vec(1),)])
def grids_made_by_comprehension(x):
    n = len(x)
    table = [[0.0 for _ in range(n + 1)] for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost = (x[i - 1] - x[j - 1] - 0.1) ** 2
            table[i][j] = cost + min(table[i - 1][j] + 0.1, table[i][j - 1] + 0.3, table[i - 1][j - 1] + 0.2)
    return table[n][n] + sum(sum(row) for row in table)


VISITS = 0
STEP = 0.1


def step_taken(value, slope):
    """One step downhill, which is counted outside."""
    global VISITS
    VISITS += 1
    return value - STEP * slope


@program(inputs=[(vec(4), 3), (vec(1, 1), 1), (vec(2, 2), 0)])
def counted_descent(x, rounds):
    global VISITS
    VISITS = 0
    seen = {0.0}
    points = [v for v in x]
    for _ in range(rounds):
        for k, point in enumerate(points):
            if k in seen:
                continue
            points[k] = step_taken(point, 2.0 * point - x[0])
            if points[k] < 0.5:
                seen.add(k)
    return sum(p * p for p in points) * (1 + VISITS)


@program(inputs=[(mat(4, 2), ("a", "b", "a", "c"), {"a", "c"}), (mat(1, 1, 1), ("b",), {"b"}),
                 (mat(2, 3, 2), ("b", "b"), {"a"})])
def chosen_groups(X, labels, wanted):
    kept = {name for name in labels if name in wanted} | {"a"}
    totals = {}
    for row, name in zip(X, labels):
        if name not in kept:
            continue
        try:
            totals[name] = totals[name] + np.sum(row * row)
        except KeyError:
            totals[name] = row[0] * 0.5
    loss = np.sum(X) * 0.1
    for name in sorted(totals):
        loss += totals[name] ** 2 if name in {"a", "b"} else np.sin(totals[name])
    return loss
