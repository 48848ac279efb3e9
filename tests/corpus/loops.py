"""For loops over ranges, arrays, lists and tuples."""
import math

import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4), 0.7), (vec(1, 1), -0.4), (np.zeros(0), 0.3)], wrt=(0, 1))
def horner(coefficients, x):
    value = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        value = value * x + coefficients[i]
    value += x
    value *= value
    return value


@program(inputs=[(mat(3, 4), 2), (mat(1, 2, 1), 1)])
def strided_columns(A, step):
    total = 0.0
    n = A.shape[1]
    for j in range(0, n, step):
        col = A[:, j]
        total += np.sum(col * col) / (1 + j)
        for i in range(A.shape[0]):
            total += math.sin(A[i, j]) * i
    total = total / n
    return total


@program(inputs=[(mat(4, 2), vec(2, 1)), (mat(1, 2, 2), vec(2, 3))], wrt=(0, 1))
def rows_of_a_matrix(points, centre):
    best = 0.0
    for row in points:
        d = row - centre
        r2 = np.dot(d, d)
        if r2 < 1.0:
            best = best + np.exp(-r2) * row[0]
        else:
            best += np.log(r2)
    return best / len(points)


@program(inputs=[(1.2, [0.5, 1.5, 2.5]), (0.8, [1.0]), (0.8, [])])
def over_a_list_of_numbers(x, times):
    y = x
    for t in times:
        if t < 1.0:
            y = y * math.exp(-t)
        else:
            y = y + x * math.cos(t * y)
            y /= t
    return y


@program(inputs=[(vec(3), (0.5, 0.25)), (vec(1, 1), (1.5,))], wrt=(0, 1))
def over_a_tuple(x, rates):
    w = x.copy()
    for rate in rates:
        g = 2.0 * w - np.sin(w)
        w = w - rate * g
        rate = rate * rate
        w += 0.1 * rate
    w[0] *= rates[-1]
    if len(w) > 1:
        w[1:] -= w[0]
    return np.sum(w * w) + rates[0] ** 2


@program(inputs=[(mat(3, 3),), (mat(1, 1, 2),)])
def determinant_by_minors(A):
    n = A.shape[0]
    if n == 1:
        return A[0, 0]
    total = 0.0
    for j in range(n):
        keep = np.arange(n) != j
        minor = A[1:][:, keep]
        total += (-1.0) ** j * A[0, j] * determinant_by_minors(minor)
    return total


@program(inputs=[(mat(3, 3, 1), 3), (mat(1, 1, 2), 2), (mat(2, 2, 3), 0)])
def matrix_series(A, terms):
    n = A.shape[0]
    total = np.eye(n)
    power = np.identity(n)
    factorial = 1.0
    for k in range(1, terms + 1):
        power = power @ A
        factorial *= k
        if k % 2 == 0:
            power = 0.9 * power
        total = total + power / factorial
    return np.sum(np.linalg.matrix_power(total, 2)) + np.trace(A) ** 2


@program(inputs=[(vec(5), 2), (vec(2, 1), 0), (vec(1, 1), 1)])
def autocorrelation(x, lag):
    mean = np.sum(x) / x.size
    num = 0.0
    den = 0.1
    for i in range(x.size):
        e = x[i] - mean
        den += e * e
        if i >= lag:
            f = x[i - lag] - mean
            num += e * f
    return num / den + mean


@program(inputs=[(mat(3, 2), 0.5), (mat(1, 3, 4), 2.0)], wrt=(0, 1))
def pair_potential(x, sigma):
    n, dim = x.shape
    energy = 0.0
    for i in range(n):
        energy += 0.5 * np.sum(x[i] ** 2)
        for j in range(i + 1, n):
            r2 = 0.1
            for k in range(dim):
                r2 += (x[i, k] - x[j, k]) ** 2
            s6 = (sigma * sigma / r2) ** 3
            energy += 4.0 * (s6 * s6 - s6) * 1e-3
    return energy * sigma


@program(inputs=[(vec(6), 3), (vec(1, 2), 1), (vec(2, 2), 0)])
def smoothing_passes(x, passes):
    y = x * 1.0
    for p in range(passes):
        left = np.concatenate([y[:1], y[:-1]])
        right = np.concatenate([y[1:], y[-1:]])
        if p % 2 == 0:
            y = (left + y + right) / 3.0
        else:
            y = 0.25 * left + 0.5 * y + 0.25 * right
            y *= 1.01
    energy = np.sum(y ** 2)
    for v in y:
        energy += v ** 4
    return energy


@program(inputs=[(vec(4), vec(3, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def convolution_by_hand(signal, kernel):
    n = len(signal)
    m = len(kernel)
    power = 0.0
    for i in range(n + m - 1):
        acc = 0.0
        for j in range(m):
            if 0 <= i - j < n:
                acc += signal[i - j] * kernel[j]
        power += acc * acc
    return power


@program(inputs=[(vec(3), 4), (vec(1, 1), 0), (vec(1, 1), 3)])
def fixed_point(x, steps):
    y = np.zeros_like(x)
    for _ in range(steps):
        y = np.cos(x * y) + 0.3 * x
    if steps > 3:
        y = y / np.sqrt(np.sum(y * y))
    return np.sum(y * x) + np.sum(x)


@program(inputs=[(mat(2, 3), mat(3, 2, 1)), (mat(1, 1, 2), mat(1, 1, 3))], wrt=(0, 1))
def triple_loop_product(A, B):
    result = 0.0
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            result += s * s if s > 0 else 0.5 * s
    return result


@program(inputs=[(mat(3, 3), 1.1), (mat(1, 1, 1), 0.6)], wrt=(0, 1))
def lower_then_upper(A, scale):
    n = len(A)
    low, high = 0.0, 1.0
    for i in range(n):
        for j in range(i + 1):
            low += A[i, j] * scale
        low = math.tanh(low)
        for j in range(n - 1, i - 1, -1):
            high = high + A[i, j] ** 2 / scale
    return low * high


@program(inputs=[(vec(4), [1, 0, 3]), (vec(1, 2), [0])])
def indices_from_a_list(x, order):
    y = x ** 2
    out = 0.0
    for k in order:
        out = out * 0.5 + y[k]
        y = y * 0.9
        for q in order:
            out -= x[q] * 0.1 * y[k]
        out += 0.01
    return out + y[-1]


@program(inputs=[(vec(8), 2), (vec(3, 1), 5), (vec(1, 1), 2)])
def blockwise_maximum(x, block):
    n = x.size
    score = 0.0
    for start in range(0, n, block):
        chunk = x[start:start + block]
        if chunk.size == block:
            score += np.max(chunk) - np.min(chunk)
        elif chunk.size > 1:
            score += np.mean(chunk) ** 2
        else:
            score += chunk[0]
        score = score + 0.1 * np.sum(chunk ** 2)
    return score
