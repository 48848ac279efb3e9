"""Aliases, views, swaps of buffers."""
import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4), 3), (vec(1, 1), 2), (vec(2, 1), 0)])
def swap_two_buffers(x, steps):
    u = x * 1.0
    v = x * x
    for k in range(steps):
        v[1:] = u[1:] * u[:-1]
        u, v = v, u
        v += 0.1
    return np.sum(u * u) + 3.0 * np.sum(v * v)


@program(inputs=[(vec(4), 4), (vec(1, 2), 1)])
def rotate_three_buffers(x, steps):
    a, b, c = x * 1.0, np.sin(x), np.zeros(len(x))
    for k in range(steps):
        c[:] = 2.0 * b - 0.5 * a
        c[0] *= b[0]
        if k == 2:
            a += c
        tmp = a
        a = b
        b = c
        c = tmp
    return np.sum(a * b) + np.sum(c)


@program(inputs=[(vec(5),), (vec(1, 1),)])
def view_kept_over_iterations(x):
    y = np.zeros(len(x) + 1)
    y[0] = 1.0
    prev = y[0:1]
    for i in range(len(x)):
        cur = y[i + 1:i + 2]
        cur[:] = prev * x[i] + np.sin(prev)
        prev = cur
    return np.sum(y * y) + prev[0]


@program(inputs=[(vec(4),), (vec(1, 1),)])
def alias_then_write(x):
    y = x * 2.0
    z = y
    z[0] = z[0] * x[-1]
    w = y[1:]
    w *= 3.0
    z += x
    return np.sum(y * y) + np.sum(z) * 0.5


@program(inputs=[(mat(3, 4),), (mat(1, 2, 1),)])
def transposed_view(A):
    B = A * 1.0
    T = B.T
    for j in range(T.shape[0]):
        row = T[j]
        row *= 1.0 + 0.1 * j
        T[j, 0] += np.sum(B[:, j] ** 2)
    T = T[::-1]
    T[0] = 0.5 * T[-1]
    return np.sum(B ** 2) + np.sum(T[:, -1])


@program(inputs=[(vec(6), 2), (vec(1, 1), 1)])
def reshape_is_a_view(x, rows):
    y = 1.5 * x
    Y = y.reshape(rows, -1)
    Y[-1] += Y[0] ** 2
    flat = Y.ravel()
    flat[0] = np.sum(Y[-1])
    if len(x) > 2:
        Y[0, 1:] -= 0.5 * y[-1]
    Y = Y * y[0]
    return np.sum(Y) + np.sum(y ** 2)


@program(inputs=[(vec(4), vec(4, 1), True), (vec(1, 2), vec(1, 3), False)], wrt=(0, 1))
def either_buffer(x, y, first):
    a = x * 2.0
    b = y * y
    if first:
        c = a
    else:
        c = b
        b = b * 0.5
    c[0] = c[0] * x[-1]
    c += 0.1
    return np.sum(a * a) + np.sum(b * y) + c[0]


@program(inputs=[(vec(5), 3), (vec(1, 1), 1), (vec(3, 2), 2)])
def shrinking_view(x, times):
    y = x * 2.0
    s = 0.0
    for k in range(times):
        y[0] = y[0] * x[k % len(x)]
        if len(y) > 1:
            y = y[1:]
        s = s + np.sum(y)
    return s


@program(inputs=[(mat(4, 3), 0.5), (mat(1, 1, 1), 0.8)], wrt=(0, 1))
def rows_written_through_views(A, s):
    B = np.exp(0.3 * A)
    for row in B:
        row *= s
        row[0] = np.sum(row)
        s = s * 0.9
    total = np.sum(B ** 2)
    last = B[-1]
    last[:] = last + total
    return np.sum(np.log(1.0 + B))


@program(inputs=[(vec(4), vec(4, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def alias_kept_over_rebinding(x, y):
    a = x * y
    old = a
    a = a + 1.0
    a[0] *= 2.0
    old[-1] += a[0]
    b = old if np.sum(a) > 4.0 else a
    b *= 0.5
    old, a = a, old
    a -= b[0]
    return np.sum(a * x) + np.sum(old * y)


@program(inputs=[(vec(6), 2), (vec(4, 1), 1), (vec(2, 1), 0), (vec(1, 1), 0)])
def even_and_odd(x, sweeps):
    y = x.copy()
    even = y[::2]
    odd = y[1::2]
    while sweeps > 0:
        even += 0.25 * odd
        odd -= 0.5 * even
        even[0], odd[-1] = odd[-1], even[0]
        sweeps -= 1
    y[-1] *= x[0]
    return np.sum(y * y)


@program(inputs=[(mat(3, 3),), (mat(1, 1, 2),)])
def diagonal_and_border(A):
    n = A.shape[0]
    M = np.zeros((n + 1, n + 1))
    inner = M[:n, :n]
    border = M[n]
    inner[:] = A @ A.T
    for i in range(n):
        border[i] = inner[i, i] + 1.0
        if i > 0:
            inner[i] -= border[i] * inner[i - 1]
        elif n > 1:
            inner[0] *= 0.5
    border[n] = np.sum(inner)
    return np.sum(M * M) * 0.1


@program(inputs=[(vec(5), 3), (vec(3, 1), 1), (vec(1, 1), 2)])
def buffers_of_unequal_fate(x, n):
    w = np.zeros_like(x)
    keep = w
    for i in range(n):
        w = w + x * (i + 1.0)
        if i == 1:
            keep = w
        keep[i % len(x)] += np.sum(w)
        for j in range(i):
            keep[j % len(x)] *= 0.5
    return np.sum(w * w) + np.sum(keep) * 2.0


@program(inputs=[(mat(2, 3), 4), (mat(1, 2, 3), 3), (mat(2, 2, 3), 0)])
def ping_pong_with_reference(A, steps):
    src = A * 1.0
    dst = np.zeros_like(A)
    seen = src
    for t in range(steps):
        dst[:, 1:] = np.sin(src[:, :-1])
        dst[:, 0] = src[:, -1] * 0.5
        seen = src
        src, dst = dst, src
        if t == 2:
            seen[0] += 1.0
    return np.sum(src ** 2) + np.sum(dst) + np.sum(seen ** 3)


@program(inputs=[(vec(4), 2), (vec(1, 2), 0)])
def same_buffer_twice(x, n):
    y = z = x * 0.5
    y[0] = 1.0 + z[-1]
    out = 0.0
    for i in range(n):
        z = z + y
        y *= z
        while np.sum(y) > 5.0:
            y *= 0.5
            out += z[0]
    return out + np.sum(y) + np.sum(z ** 2)
