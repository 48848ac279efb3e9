"""Item and slice writes to local arrays."""
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(5),), (vec(1, 1),), (np.zeros(0),)])
def prefix_products(x):
    n = len(x)
    if n == 0:
        return 1.0
    y = np.ones(n + 1)
    for i in range(n):
        y[i + 1] = y[i] * x[i]
    return np.sum(y * y) + 0.5 * np.sum(x)


@program(inputs=[(vec(4), 3), (vec(1, 1), 2), (vec(3, 2), 0)])
def binomial_smoothing(x, passes):
    u = x.copy()
    u += 0.1 * x[0]
    for k in range(passes):
        u[1:] = 0.5 * (u[1:] + u[:-1])
        u[0] *= 0.9
        u[-1] += 0.1 * k
    return np.sum(u ** 3)


@program(inputs=[(vec(6), 0.8), (vec(1, 1), 1.2)], wrt=(0, 1))
def exponential_filter(x, alpha):
    n = x.shape[0]
    y = np.empty(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = alpha * x[i] + (1.0 - alpha) * y[i - 1]
        if y[i] > 1.0:
            y[i] = 1.0 + math.tanh(y[i] - 1.0)
    y = y - y[0] * 0.5
    return np.dot(y, y) / n


@program(inputs=[(mat(3, 4), vec(4, 1)), (mat(1, 1, 2), vec(1, 3))], wrt=(0, 1))
def scatter_rows(A, w):
    m, n = A.shape
    B = np.zeros((m + 1, n))
    for i in range(m):
        B[i] = A[i] * w
        B[i + 1, :] += np.sin(B[i])
    B[:, 0] = 0.0
    if n > 1:
        B[:, 1] = w
    B += B[0] * 0.5
    return np.sum(B * B) + np.sum(w)


@program(inputs=[(vec(5), np.array([0, 3, 0])), (vec(1, 1), np.array([0]))])
def histogram_of_weights(w, bins):
    h = np.zeros(5)
    for k in range(len(bins)):
        h[bins[k]] += w[k % len(w)]
    h[bins] *= 2.0
    total = np.sum(h) + 1.0
    h /= total
    return np.sum(h ** 2) + h[0]


@program(inputs=[(vec(4, low=-1.0, high=1.5),), (vec(1, 1),), (vec(3, 9, -2.0, -1.0),)])
def masked_writes(x):
    y = 2.0 * x
    y[y < 0.0] *= 0.1
    big = y > 1.0
    y[big] = np.sqrt(y[big])
    if np.any(big):
        y[0] = y[0] + 1.0
    else:
        y[-1] -= 0.5
        y = y * x
    return np.sum(y ** 2)


@program(inputs=[(mat(4, 4),), (mat(1, 1, 1),)])
def zero_the_corners(A):
    B = A * A
    n = B.shape[0]
    B[0, 0] = 0.5
    B[n - 1, n - 1] += B[0, -1]
    for i in range(0, n, 2):
        B[i, ::2] = -B[i, ::2]
        for j in range(1, n):
            if i != j:
                B[i, j] -= 0.3 * B[j, i]
            else:
                B[i, j] = B[i, j] ** 2
    return np.sum(np.sin(B)) + np.sum(A)


@program(inputs=[(vec(5), 4), (vec(2, 1), 2), (vec(1, 1), 0)])
def ring_buffer(x, steps):
    buf = np.zeros(3)
    out = 0.0
    t = 0
    while t < steps:
        buf[t % 3] = x[t % len(x)] + 0.5 * buf[(t + 1) % 3]
        out += math.sin(buf[0]) * buf[1]
        if out > 1.0:
            out = buf[2]
        t += 1
    return out + np.sum(buf * buf) + x[0]


@program(inputs=[(vec(4),), (vec(1, 2),)])
def constants_overwrite(x):
    y = x ** 2
    y[0] = 0.0
    y[1:3] = 1.0
    z = np.exp(y)
    z[-1:] = x[:1]
    z[...] = z * x
    for start in (0, 1):
        y[start:] = z[start:] * y[start:]
        for k in range(start, len(y), 2):
            y[k] = z[0]
    return np.sum(z) + np.sum(y)


@program(inputs=[(mat(3, 3, 1), 0.3), (mat(1, 1, 2), 1.1)], wrt=(0, 1))
def fill_triangle(A, shift):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i):
            L[i, j] = A[i, j] + A[j, i]
        L[i, i] = math.exp(A[i, i]) + shift
    logdet = 0.0
    for i in range(n):
        logdet += math.log(L[i, i])
    return logdet + np.sum(L @ L.T)


@program(inputs=[(vec(6), 2), (vec(3, 1), 5), (vec(1, 1), 1)])
def difference_table(y, order):
    table = np.zeros((order + 1, len(y)))
    table[0] = y
    n = len(y)
    for k in range(1, order + 1):
        if k < n:
            table[k, :n - k] = table[k - 1, 1:n - k + 1] - table[k - 1, :n - k]
        else:
            table[k] = table[k - 1] * 0.5
    value = 0.0
    for k in range(order + 1):
        value += table[k, 0] / (k + 1.0)
        value += np.sum(table[k] ** 2)
    return value


@program(inputs=[(vec(5),), (vec(2, 3),), (vec(1, 4),)])
def overlapping_slices(x):
    y = x + 0.0
    y[1:] += y[:-1]
    y[:-1] *= y[1:]
    y[::-1] -= 0.2 * x
    for i in range(len(x) - 1):
        y[i:i + 2] = y[i:i + 2] + y[i]
        y[i + 1] *= 0.5
        y = y.copy()
    y += 1.0
    return np.sum(y ** 2)


@program(inputs=[(vec(7), 3), (vec(1, 1), 1), (vec(2, 1), 1)])
def moving_average(x, window):
    n = len(x) - window + 1
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        for j in range(window):
            s += x[i + j]
        out[i] = s / window
    out -= np.mean(x)
    return np.sum(np.cosh(out))


@program(inputs=[(vec(4), vec(4, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def bubble_pass(x, penalty):
    y = x.copy()
    n = y.size
    cost = 0.0
    for end in range(n - 1, 0, -1):
        for i in range(end):
            if y[i] > y[i + 1]:
                cost += penalty[i] * (y[i] - y[i + 1])
                tmp = y[i]
                y[i] = y[i + 1]
                y[i + 1] = tmp
    return cost + y[0] ** 2 + 2.0 * y[n // 2] + 0.1 * np.sum(penalty)


@program(inputs=[(vec(5), 2.0), (vec(1, 1), 0.5)], wrt=(0, 1))
def cumulative_with_reset(x, threshold):
    run = np.zeros(len(x))
    level = 0.0
    for i in range(len(x)):
        level = level + x[i]
        if level > threshold:
            run[i] = level - threshold
            level = 0.0
        elif i > 0:
            run[i] = run[i - 1] * 0.5
    return np.sum(run) + level ** 2 + 0.01 * threshold
