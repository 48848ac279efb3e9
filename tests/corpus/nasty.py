"""One program for each of the twenty kinds that defeat a simple compiler."""
import math

import numpy as np

from corpus.registry import mat, program, vec

WORK = np.zeros(4)


class Accumulator:
    """Holds an array that its method writes."""

    def __init__(self, start):
        self.buf = start
        self.count = 0

    def add(self, value):
        self.buf[self.count % len(self.buf)] += value
        self.count += 1
        return self.buf


def running_sum(values):
    state = 0.0
    for v in values:
        state = 0.5 * state + v
        yield state * v


def subdivide(points, tolerance):
    """De Casteljau subdivision, as deep as the data ask for."""
    if np.sum(np.abs(points[0] - points[-1])) < tolerance or len(points) < 2:
        return np.sum(points ** 2)
    middle = 0.5 * (points[1:] + points[:-1])
    return subdivide(middle, tolerance) + 0.25 * subdivide(points[:-1], 2.0 * tolerance)


def times(a, b):
    """Called with numbers and with arrays."""
    return a * b + math.pi


def write_first(a, b):
    a[0] = b[-1] * 2.0
    a += b


def cholesky_or_raise(A, jitter):
    L = np.zeros_like(A)
    for i in range(len(A)):
        d = A[i, i] - L[i, :i] @ L[i, :i] + jitter
        if d <= 0.0:
            raise ValueError("not positive definite")
        L[i, i] = math.sqrt(d)
        for j in range(i + 1, len(A)):
            L[j, i] = (A[j, i] - L[j, :i] @ L[i, :i]) / L[i, i]
    return L


@program(inputs=[(vec(4), 3), (vec(4, 1), 1), (vec(1, 1), 2), (vec(3, 1), 0)])
def view_outlives_its_name(x, n):
    y = x * 2.0
    v = y[0:3]
    for k in range(n):
        v *= 1.0 + 0.1 * k
        y = y * 1.5 + x
        if k % 2 == 0:
            v = y[0:3]
        y[len(y) // 2] += v[-1]
    return np.sum(y * y) + np.sum(v)


@program(inputs=[(mat(3, 2), 0.7), (mat(1, 2, 1), 1.3)], wrt=(0, 1))
def row_lives_on(A, s):
    B = A * A
    for row in B:
        row *= s
        row[-1] += 1.0
        if s > 1.0:
            s -= 0.2
    row[0] = row[0] * s + B[0, 1]
    return np.sum(B * B)


@program(inputs=[(vec(3), 5), (vec(1, 1), 2), (vec(2, 2), 0)])
def list_of_buffers(x, steps):
    bufs = [x * 1.0, np.sin(x), np.zeros(len(x))]
    for n in range(steps):
        bufs[(n + 1) % 3][:] = bufs[n % 3] * x + 0.1 * bufs[(n + 2) % 3]
        keep = bufs[n % 3]
        keep[0] *= 0.5
        bufs[0], bufs[1] = bufs[1], bufs[0]
    bufs[2] += 0.5
    return np.sum(bufs[0] ** 2) + np.sum(bufs[1]) + np.sum(bufs[2] * x)


@program(inputs=[(mat(3, 2),), (mat(1, 1, 1),), (mat(2, 1, 1),)])
def number_then_array(A):
    s = 0.0
    for i in range(A.shape[0]):
        s = s + A[i] * (i + 1)
        if i % 2 == 0:
            s = s * 0.5
        else:
            s = np.sin(s)
            s += A[i]
    return np.sum(s * s)


@program(inputs=[(vec(2), 1.0), (vec(2, 1), -40.0), (vec(1, 9), 1.0)])
def error_after_partial_effects(x, shift):
    A = np.outer(x, x) + np.diag(x)
    total = np.zeros(2)
    try:
        total += x
        L = cholesky_or_raise(A + shift * np.eye(2), 0.0)
        total[0] += L[0, 0]
        total *= 2.0
    except ValueError:
        L = cholesky_or_raise(A, 0.1)
        total[1] *= L[1, 0]
    return np.sum(total ** 2) + np.sum(L)


@program(inputs=[(vec(4),), (vec(1, 1),), (np.zeros(0),)])
def generator_with_state(x):
    out = 0.3
    for v in running_sum(x):
        out = out * 0.9 + v
        if out > 2.0:
            out = 2.0 + math.log(out - 1.0)
        out += 0.1 * v
    return out + np.sum(x)


@program(inputs=[(vec(3), 0.4), (vec(4, 1), 5.0), (vec(1, 1), 0.1)])
def recursion_by_the_data(points, tolerance):
    value = subdivide(points, tolerance)
    while value > 2.0:
        value *= 0.5
    return value + 0.1 * np.sum(points)


@program(inputs=[(vec(3), 2), (vec(1, 1), 1)])
def closure_over_a_rebound_name(x, n):
    scale = np.sum(x)

    def apply(v):
        return v * scale

    y = apply(x)
    for _ in range(n):
        scale = scale * 0.5 + y[0]
        y = apply(y) + x
    return np.sum(y)


@program(inputs=[(vec(3),), (vec(1, 1),)])
def array_in_an_object(x):
    start = x * 2.0
    acc = Accumulator(start)
    for v in x:
        acc.add(v * v)
        start[0] *= 0.9
    last = acc.add(x[0])
    last[-1] += start[0]
    return np.sum(acc.buf ** 2) + acc.count


@program(inputs=[(vec(4),), (vec(1, 1),)])
def same_array_twice(x):
    y = x * 1.0
    z = x * x
    write_first(y, y)
    if len(y) > 1:
        write_first(y[1:], y[:-1])
    write_first(z, y)
    return np.sum(y * z)


@program(inputs=[(vec(3), True), (vec(1, 1), False)])
def one_of_two_is_written(x, flag):
    b = x * 2.0
    c = np.cos(x)
    a = b if flag else c
    a[0] = a[-1] * x[0]
    (c if flag else b)[-1] += a[0] ** 2
    if flag:
        a, c = c, a
        a *= 2.0
    else:
        c[-1:] = a[:1]
    return np.sum(b * c) + np.sum(a)


@program(inputs=[(vec(3), 12.0), (vec(3, 1), 0.5), (vec(1, 2), 2.0)])
def leaves_the_loop_early(x, limit):
    y = x * 1.0
    k = 0
    while k < 10:
        y[k % len(y)] *= 1.0 + x[0]
        if np.sum(y) > limit:
            return np.sum(y) * x[-1]
        k += 1
        if k % 2 == 0:
            continue
        y += 0.1
        if y[0] > 5.0:
            break
    return np.sum(y ** 2) + k


@program(inputs=[(vec(5),), (vec(1, 1),), (vec(3, 3, 0.1, 0.5),)])
def shape_from_the_values(x):
    big = x[x > 0.9]
    order = np.nonzero(x < 0.9)[0]
    y = np.concatenate([big * 2.0, x[order] ** 2])
    for i in range(len(big)):
        y[i] += big[i] * np.sum(y[len(big):])
    while len(y) > 2:
        y = y[y > np.min(y)]
    return np.sum(y ** 2)


@program(inputs=[(vec(3), 0.4), (vec(1, 1), 1.4)], wrt=(0, 1))
def one_callee_many_types(x, s):
    a = times(s, s)
    b = times(x, s)
    c = times(np.outer(x, x), x)
    d = times(a, 2)
    for v in [a, b, c]:
        d = d + np.sum(times(v, 0.5))
    while d > 10.0:
        d = times(d, 0.1)
    return d


@program(inputs=[(vec(4), ["a", "b", "a", "c"]), (vec(1, 1), ["b"]), (vec(2, 1), [])])
def dict_with_dynamic_keys(x, names):
    table = {}
    for i in range(len(names)):
        key = names[i]
        if key in table:
            table[key] = table[key] * x[i]
        else:
            table[key] = x[i] ** 2
    total = 0.1 * np.sum(x)
    for key in sorted(table):
        total = total * 0.5 + table[key]
    return total


@program(inputs=[(vec(3), 4), (vec(1, 1), 1)])
def push_and_pop(x, n):
    stack = [np.sum(x)]
    while n > 0:
        stack.append(stack[-1] * x[n % len(x)])
        if n % 3 == 0:
            top = stack.pop()
            stack[-1] += top * top
        n -= 1
    total = stack.pop()
    while stack:
        total = 0.7 * total + stack.pop()
    return total


@program(inputs=[(mat(2, 3), True), (mat(1, 2, 1), False)])
def reshape_then_write(A, fortran):
    B = np.asfortranarray(A * 2.0) if fortran else A * 2.0
    flat = B.reshape(-1)
    flat[0] = flat[-1] * A[0, 0]
    flat += 0.1
    for row in B:
        flat[0] += np.sum(row)
    B[0, 1] *= flat[0]
    return np.sum(B * B) + np.sum(flat ** 3)


@program(inputs=[(mat(3, 2), True), (mat(2, 1, 1), False), (mat(1, 1, 2), True)])
def where_guards_infinity(points, mean):
    n = len(points)
    d = points[:, None] - points[None, :]
    r = np.where(np.eye(n) > 0.5, 0.0, np.sqrt(np.sum(d * d, axis=2)))
    for i in range(n):
        r[i] *= i + 1.0
    if mean:
        r = np.mean(r, axis=0)
        r += np.sum(points, axis=1)
    return np.sum(r * r)


@program(inputs=[(0.7, 2), (1.3, 0)])
def result_is_the_argument(x, n):
    if n == 0:
        return x
    y = x
    for _ in range(n):
        y = y * x
    return y


@program(inputs=[(vec(4), 2), (vec(1, 1), 3), (vec(2, 1), 0)])
def global_work_buffer(x, n):
    n_x = len(x)
    WORK[:] = 0.0
    WORK[:n_x] = x
    for k in range(n):
        WORK[1:] += WORK[:-1] * x[0]
        WORK[k % 4] *= 0.5
        work = WORK[k % 4:]
        work += x[-1]
    out = np.sum(WORK ** 2)
    WORK[:] = 0.0
    return out
