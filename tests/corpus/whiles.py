"""While loops."""
import math

import numpy as np

from corpus.registry import mat, program, spd, vec


@program(inputs=[(30.0,), (0.4,)])
def newton_sqrt(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-14:
        x = 0.5 * (x + a / x)
    return x + 0.1 * a


@program(inputs=[(vec(3), 40.0), (vec(1, 1), 0.01)])
def grow_until(x, limit):
    s = np.sum(x * x)
    count = 0
    while s < limit:
        s = s * 1.7 + x[0]
        count += 1
    return s * (1.0 + count)


@program(inputs=[(1.0, 0.6, 5), (3.0, 1.5, 1)], wrt=(0, 1))
def arithmetic_geometric_mean(a, g, rounds):
    n = 0
    while n < rounds:
        a, g = 0.5 * (a + g), math.sqrt(a * g)
        n = n + 1
    a *= 2.0
    g -= a
    return math.pi / (2.0 * a) + g


@program(inputs=[(0.3, 0.8), (0.6, 2.4)], wrt=(0, 1))
def kepler(eccentricity, mean_anomaly):
    E = mean_anomaly
    delta = 1.0
    iterations = 0
    while abs(delta) > 1e-13 and iterations < 30:
        f = E - eccentricity * math.sin(E) - mean_anomaly
        delta = f / (1.0 - eccentricity * math.cos(E))
        E -= delta
        iterations += 1
    if E > math.pi / 2:
        E = math.pi - E
    return math.tan(0.5 * E) ** 2


@program(inputs=[(spd(3), vec(3, 1)), (spd(1, 1), vec(1, 2))], wrt=(0, 1))
def conjugate_gradient(A, b):
    x = np.zeros(len(b))
    r = b - A @ x
    p = r
    rs = r @ r
    k = 0
    while k < len(b):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        if new > 1e-18:
            p = r + (new / rs) * p
        rs = new
        k += 1
    return b @ x


@program(inputs=[(vec(6),), (vec(1, 3),)])
def tree_reduction(x):
    y = x * x
    while y.size > 1:
        if y.size % 2 == 1:
            y = np.append(y, 0.5)
        half = y.size // 2
        y = np.tanh(y[:half] + 2.0 * y[half:])
    return y[0]


@program(inputs=[(0.9, 4), (1.3, 0)])
def nested_counting(x, n):
    total = x
    i = 0
    while i < n:
        j = i
        while j > 0:
            total += math.sin(x * j) / n
            j -= 2
        i += 1
    return total * total


@program(inputs=[(vec(4), 2.0), (vec(1, 1), 50.0)], wrt=(0, 1))
def backtracking_step(x, start):
    g = 2.0 * x + np.cos(x)
    f0 = np.sum(x * x + np.sin(x))
    t = start
    trial = x - t * g
    f = np.sum(trial * trial + np.sin(trial))
    while f > f0 - 0.25 * t * np.sum(g * g):
        t = 0.5 * t
        trial = x - t * g
        f = np.sum(trial * trial + np.sin(trial))
    if t < start:
        f = f + 0.1 * start
    return f + 0.1 * t


@program(inputs=[(vec(3), 12), (vec(1, 1), 1), (vec(2, 1), 7)])
def collatz_mixing(x, n):
    y = x
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            y = y * 0.8 + 0.1
        else:
            n = 3 * n + 1
            y = np.sin(y)
            y += 0.05 * x
    return np.sum(y)


@program(inputs=[(vec(5),), (vec(1, 1),), (np.zeros(0),)])
def two_pointers(x):
    lo = 0
    hi = len(x) - 1
    area = 0.0
    while lo < hi:
        width = hi - lo
        if x[lo] < x[hi]:
            area += width * x[lo] ** 2
            lo += 1
        else:
            area += width * math.log(x[hi])
            hi -= 1
    return area + 0.5 * np.sum(x)


@program(inputs=[(mat(3, 3, 5),), (mat(1, 1, 6),)])
def power_iteration(A):
    M = A @ A.T + np.eye(A.shape[0])
    v = np.ones(A.shape[0])
    steps = 0
    while steps < 8:
        w = M @ v
        v = w / np.linalg.norm(w)
        steps += 1
        for i in range(len(v)):
            if abs(v[i]) < 1e-3:
                v[i] = 0.0
    return v @ M @ v


@program(inputs=[(vec(3), 1.9), (vec(1, 2), 0.05)], wrt=(0, 1))
def adaptive_integration(y, t_end):
    t = 0.0
    h = 0.5
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        k1 = -y + np.sin(t)
        k2 = -(y + h * k1) + np.sin(t + h)
        y = y + 0.5 * h * (k1 + k2)
        t += h
        h = h * 0.8
    return np.sum(y ** 2)


@program(inputs=[(vec(4), 3), (vec(2, 1), 1), (vec(1, 1), 0)])
def while_inside_for(x, levels):
    out = 0.0
    for level in range(levels):
        scale = x[level % len(x)]
        while scale > 0.2:
            scale = scale * 0.5
            out = out + scale * scale
        out *= 1.1
    while out > 100.0:
        out = out - 10.0
    return out + x[0]
