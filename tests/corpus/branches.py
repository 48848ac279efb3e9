"""Branches: if, elif, else, conditional expressions, guards."""
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(0.4, 1.0), (2.5, 1.0)])
def huber_scalar(r, delta):
    if abs(r) <= delta:
        return 0.5 * r * r
    else:
        return delta * (abs(r) - 0.5 * delta)


@program(inputs=[(9000.0,), (30000.0,), (90000.0,)])
def income_tax(income):
    rate = 0.1
    if income < 10000.0:
        tax = rate * income
    elif income < 40000.0:
        rate = 0.2
        tax = 1000.0 + rate * (income - 10000.0)
    else:
        tax = 7000.0 + 0.4 * (income - 40000.0)
        tax += 1e-6 * (income - 40000.0) ** 2
    return tax * (1.0 - 1e-7 * income) / (1.0 + rate)


@program(inputs=[(vec(4), "relu"), (vec(1, 2), "softplus"), (vec(3, 3), "tanh")])
def activation_by_name(x, kind):
    h = 2.0 * x - 1.3
    if kind == "relu":
        h = np.maximum(h, 0.0)
    elif kind == "softplus":
        h = np.log1p(np.exp(h))
    else:
        h = np.tanh(h)
    return np.sum(h * h)


@program(inputs=[(vec(3), None), (vec(1, 2), vec(1, 3))])
def optional_weights(x, weights):
    if weights is None:
        weights = np.ones(len(x)) / len(x)
    total = np.sum(weights)
    mean = np.sum(weights * x) / total
    return np.sum(weights * (x - mean) ** 2) / total + mean ** 2


@program(inputs=[(vec(4, 1), True), (np.zeros(0), False), (vec(1), False)])
def guarded_entropy(p, normalise):
    if p.size == 0:
        return 0.0
    q = p
    if normalise:
        q = p / np.sum(p)
    h = -np.sum(q * np.log(q))
    return h if h > 0.0 else h * h + 0.5 * np.sum(q)


@program(inputs=[(1.0, -3.0, 2.0), (1.0, 1.0, 2.0), (0.0, 2.0, 1.0)], wrt=(1, 2))
def quadratic_root(a, b, c):
    if a == 0.0:
        if b == 0.0:
            return c
        return -c / b
    d = b * b - 4.0 * a * c
    if d >= 0.0:
        return (-b + math.sqrt(d)) / (2.0 * a)
    return -b / (2.0 * a) + math.sqrt(-d)


@program(inputs=[(vec(3), vec(3, 1)), (vec(3, 2, 2.0, 3.0), vec(1, 3))], wrt=(0, 1))
def longer_of_two(x, y):
    a = x if np.sum(x) > 4.0 else 2.0 * x
    b = np.sin(y) if len(y) > 1 else y ** 3
    if np.sum(a) > np.sum(b):
        c = a * b
        d = np.sum(c)
    else:
        c = a - b
        d = np.sum(c) ** 2
        d += np.sum(b)
    return d + np.sum(np.exp(c) if d > 1.0 else c)


@program(inputs=[(0.3, 1.4), (-1.2, 0.2), (0.5, -0.8)], wrt=(0, 1))
def four_quadrants(x, y):
    r = math.sqrt(x * x + y * y)
    if x > 0.0:
        if y > 0.0:
            angle = math.atan(y / x)
        else:
            angle = 2.0 * math.pi + math.atan(y / x)
            r = r * 1.1
    else:
        angle = math.pi + math.atan(y / x)
    return r * angle + math.sin(angle) ** 2


@program(inputs=[(310.0, 1.2), (250.0, 0.9), (280.0, 0.4)], wrt=(0, 1))
def heat_capacity(temperature, pressure):
    reduced = temperature / 273.15
    cp = 1.0
    if reduced > 1.0:
        cp = cp + 0.3 * (reduced - 1.0) ** 2
        if pressure > 1.0:
            cp *= 1.0 + 0.05 * math.log(pressure)
            cp = cp + 0.01 * pressure
        cp += 0.1
    elif pressure < 0.5:
        cp = cp * pressure
    return cp * reduced + 0.01 * math.sqrt(pressure)


@program(inputs=[(vec(4), 2), (vec(1, 1), 1), (mat(2, 3), 0)])
def norm_of_order(x, order):
    scale = np.max(np.abs(x))
    y = x / scale
    if order == 0:
        y = y.ravel()
        value = np.log(np.sum(np.exp(y)))
    else:
        if order == 1:
            value = np.sum(np.abs(y))
        else:
            value = np.sum(np.abs(y) ** order) ** (1.0 / order)
        value = value * scale
    return value


@program(inputs=[(mat(3, 2), vec(2)), (mat(1, 2, 1), vec(2, 1)), (vec(2, 3), vec(2, 4))], wrt=(0, 1))
def vector_or_matrix(data, weights):
    if data.ndim == 1:
        data = data[None, :]
    scores = data @ weights
    scores -= np.mean(scores)
    if scores.shape[0] > 1:
        scores = scores / np.sqrt(np.sum(scores * scores) + 0.1)
        return np.sum(scores ** 3) + np.sum(weights ** 2)
    return np.sum(np.cos(scores)) + np.sum(data * weights)


@program(inputs=[(1.5, 0.3), (0.2, 0.3), (1.5, -0.2)], wrt=(0, 1))
def chained_conditions(x, y):
    level = 0.0
    if 0.0 < x < 1.0 and y > 0.0:
        level = x * y
    if not (x < 1.0) or y < 0.0:
        level += math.exp(y) * x
        y = y * x
    z = level if level > 0.5 else (y * y if y > 0.0 else -y)
    if z > 2.0:
        z = 2.0 + math.log(z - 1.0)
    return z * z + 0.1 * x + y
