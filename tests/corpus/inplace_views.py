"""Writing through views: slices of slices, transposes, reshapes that may copy, rows, parts of complex numbers."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from corpus.registry import mat, program, vec


def second_half(a):
    return a[len(a) // 2:]


def corners(a):
    return a[::max(1, len(a) - 1), ::max(1, a.shape[1] - 1)]


def halves(a):
    n = len(a) // 2
    return a[:n], a[n:]


class Grid:
    def __init__(self, cells):
        self.cells = cells
        self.inner = cells[1:-1]


@program(inputs=[(vec(8),), (vec(4, 1),), (np.zeros(0),), (vec(1, 9),)])
def views_of_views(x):
    y = x * 2.0
    a = y[::2]
    b = a[1:]
    c = b[::-1]
    c[:] = c * c
    a[:1] += 1.0
    b *= 0.5
    for v in (a, b):
        v[-1:] -= x[:1]
    return np.sum(y * y) + np.sum(c)


@program(inputs=[(mat(3, 4),), (np.asfortranarray(mat(2, 4, 1)),), (mat(8, 5, 2)[::2].T,), (mat(1, 4, 3),)])
def reshape_by_layout(A):
    B = A * 1.5
    flat = B.reshape(-1)
    flat[1::2] = 0.25
    other = B.T.reshape(2, -1)
    other[0] *= 3.0
    r = B.ravel(order="F")
    r[0] = A[0, 0] ** 2
    k = A.ravel(order="C")
    return np.sum(B ** 2) + np.sum(flat) + np.sum(other) + r[0] * k[-1]


@program(inputs=[(mat(3, 3),), (mat(1, 1, 1),), (np.asfortranarray(mat(2, 2, 2)),)])
def transposes_of_all_kinds(A):
    B = A.copy()
    B.T[0] *= 2.0
    S = np.swapaxes(B[None], 0, 2)
    S[-1] += 1.0
    M = np.moveaxis(B[..., None], -1, 0)[0]
    M[:, 0] = M[:, 0] * B[0]
    np.transpose(B)[-1, :1] -= A[0, :1]
    if len(A) > 1:
        D = np.expand_dims(B, 1).squeeze()
        D[1] = 0.5
    return np.sum(B ** 3)


@program(inputs=[(mat(4, 3), 1.5), (mat(1, 2, 1), 0.5), (np.zeros((0, 2)), 1.0)], wrt=(0, 1))
def rows_that_are_written(A, s):
    B = A.copy()
    for row in B:
        row *= s
        row[0] += 1.0
    for i, row in enumerate(B[::-1]):
        if i % 2 == 0:
            row[:] = row[::-1] * A[0]
    total = 0.0
    for col in B.T:
        col -= np.sum(col) * 0.1
        total += col[-1] if len(col) else 0.0
    return np.sum(B * B) + total


@program(inputs=[(vec(6),), (vec(2, 1),), (vec(1, 9),)])
def views_returned_by_functions(x):
    y = np.exp(0.1 * x)
    h = second_half(y)
    h *= 2.0
    a, b = halves(y)
    a[:] = b
    second_half(b)[...] = x[0]
    G = np.outer(y, x)
    corners(G)[:] -= 1.0
    second_half(corners(G))[0] *= x[-1]
    return np.sum(G * G) + np.sum(y)


@program(inputs=[(vec(6), 2), (vec(4, 1), 5), (vec(6, 2), 0)])
def views_in_lists_and_objects(x, n):
    grid = Grid(x * 1.0)
    parts = [grid.cells[:2], grid.cells[2:]]
    for k in range(n):
        parts[k % 2][0] += x[-1]
        grid.inner *= 1.1
        if k == 1:
            parts.append(grid.inner[:1])
    parts[-1][:] = parts[0][:1] * 2.0
    views = {"a": grid.inner, "b": parts[0]}
    views["a"][-1] = 0.3
    return np.sum(grid.cells ** 2) + views["b"][0]


@program(inputs=[(vec(6),), (vec(9, 1),)])
def pieces_by_split(x):
    y = x * x
    a, b, c = np.split(y, 3)
    a[:] = b + c
    b *= c
    pieces = np.array_split(y, 2)
    pieces[0][0] = x[1]
    for p in np.split(y, 3):
        p[-1] += 1.0
    M = np.stack([y, x])
    top, bottom = np.vsplit(M, 2)
    top[:] *= bottom
    left, rest = np.hsplit(M, [2])
    left[...] = 0.5 * left
    return np.sum(M * M) + np.sum(y)


@program(inputs=[(mat(3, 3), vec(3)), (mat(1, 1, 1), vec(1, 2))], wrt=(0, 1))
def views_that_are_only_read(A, v):
    B = A.copy()
    d = np.diagonal(B)
    e = np.einsum("ii->i", B)
    w = np.broadcast_to(v, B.shape)
    B[0] += w[0]
    s = np.sum(d * v)
    B += np.diag(d) + w
    for k in range(len(v)):
        B[k, k] *= d[k]
        s = s + e[k] * np.sum(w)
    return s + np.sum(B * B)


@program(inputs=[(vec(7), 3), (vec(3, 1), 3), (vec(4, 2), 1), (vec(1, 9), 1)])
def windows_over_what_changes(x, width):
    y = x * 2.0
    w = sliding_window_view(y, width)
    smooth = w.mean(axis=-1)
    y[: len(smooth)] += smooth
    m = np.max(w, axis=1)
    y[0] = x[-1] ** 2
    return np.sum(w * w) + np.sum(m) + np.sum(y)


@program(inputs=[(vec(5), 3), ([1.0, 2.0, 0.5], 1), (vec(1, 1), 0)])
def copies_and_views_by_asarray(x, n):
    a = np.asarray(x)
    y = np.array(a)
    v = np.asarray(y)
    w = np.atleast_2d(y)
    f = y.flatten()
    c = y[:]
    d = y[:].copy()
    for k in range(n):
        v[0] += 1.0
        w[0, -1] *= 2.0
        c[k % len(c)] -= 0.1
        f[0] += y[0]
        d += c
    r = np.ascontiguousarray(y)
    r[:] = r * r
    return np.sum(y) + np.sum(f) * d[0] + np.sum(w)


@program(inputs=[(vec(4),), (vec(2, 1),), (vec(1, 9),)])
def halves_of_complex_numbers(x):
    z = np.zeros(len(x), dtype=complex)
    z.real = x
    z.imag[:] = 2.0 * x[::-1]
    z *= z
    z.imag[0] += x[0]
    re = z.real
    re[1:] = 0.5
    np.imag(z)[-1] = x[-1] ** 2
    w = z.conj()
    return np.sum(np.abs(z) ** 2) + np.sum(w.real)


@program(inputs=[(vec(6), 2, 3), (vec(4, 1), 2, 2)])
def the_shape_is_set(x, m, n):
    y = x * 2.0
    v = y[:]
    y.shape = (m, n)
    y[0] *= x[:n]
    v[-1] = x[0]
    y.shape = n * m
    z = y.view()
    z[::2] += x[:1] + m
    return np.sum(y * y) + v[0]


@program(inputs=[(mat(3, 4), 1), (mat(2, 2, 1), 0), (mat(1, 3, 2), 4)])
def flat_iterators(A, k):
    B = A * A
    B.flat[k % B.size] = 2.0 * A[0, 0]
    B.flat[1:] = B.flat[:-1]
    B.flat[[0, -1]] *= A.flat[0]
    C = np.zeros((2, 2))
    C.flat = [A[0, 0], 1.0, A[-1, -1]]
    total = 0.0
    for v in A.flat:
        total += v * v
    for i in range(B.size):
        total = total + B.flat[i] * i
    return total + np.sum(C * C)


@program(inputs=[(mat(4, 4), True), (mat(4, 4, 1), False), (mat(2, 2, 2), True)])
def blocks_in_a_loop(A, lower):
    n = A.shape[0] // 2
    B = A.copy()
    blocks = [B[:n, :n], B[:n, n:], B[n:, :n], B[n:, n:]]
    order = blocks[::-1] if lower else blocks
    for k, block in enumerate(order):
        block += 0.1 * k
        if k > 0:
            block[:] = block @ order[k - 1]
        block.T[0] *= 1.5
    q = blocks[1] if lower else blocks[2]
    q[-1, -1] = A[0, 0]
    return np.sum(B * A)


@program(inputs=[(vec(6), 2), (vec(3, 1), 4), (vec(5, 2), 0), (vec(1, 9), 0)])
def a_window_that_moves(x, n):
    y = np.concatenate((x, 2.0 * x))
    w = y[:2]
    for k in range(n):
        w[1] = w[0] * x[k % len(x)]
        w = y[k + 1:k + 3]
        if w[0] > 1.0:
            w = w[::-1]
        w[0] += 0.1
    w[:] += x[0]
    return np.sum(y * y)


@program(inputs=[(np.arange(1.0, 13.0).reshape(3, 4)[:, ::2],), (np.ones((2, 3)).T * 0.7,), (vec(3)[::-1],),
                 (np.asfortranarray(mat(2, 3, 1, 0.2, 1.0)),)])
def arguments_of_many_layouts(A):
    A *= 2.0
    v = A.reshape(-1)
    v[0] = A.ravel()[-1] ** 2
    A[-1:] += v[0]
    A.T[...] *= 0.5
    return np.sum(A ** 2) + np.sum(v)
