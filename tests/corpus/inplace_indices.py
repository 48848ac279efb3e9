"""Writing through every kind of index: which cells change, which of several writers counts, what may overlap."""
import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(6), 0.5), (vec(2, 1), 2.0), (vec(1, 2), 1.0)], wrt=(0, 1))
def negative_steps(x, c):
    y = np.zeros(2 * len(x))
    y[::-2] = x
    y[-2::-2] = c * x[::-1]
    for k in range(len(x) - 1, -1, -1):
        y[k::-1] *= 0.9
        if k % 2:
            y[-k:] += x[k] * y[-1]
    return np.sum(y * y)


@program(inputs=[(mat(3, 4), vec(2)), (mat(3, 1, 1), vec(2, 3))], wrt=(0, 1))
def none_and_ellipsis(A, w):
    B = A[None, ..., None] * np.ones((2, 1, 1, 2))
    B[..., 0] = B[..., 1] * w[:, None, None]
    B[0, ..., None, 1] += 2.0 * A[..., None]
    B[...] = B * B
    for k in range(2):
        B[k, None] *= w[k]
    return np.sum(B)


@program(inputs=[(vec(6), np.array([2, 0, 2, 5, 2])), (vec(8, 1), np.array([7, 7])), (vec(3, 2), np.zeros(0, int))])
def the_last_writer_counts(x, idx):
    y = 2.0 * x
    y[idx] = np.arange(1.0, 1.0 + len(idx)) * np.sum(x)
    y[idx] += x[: len(idx)] if len(idx) <= len(x) else 1.0
    z = y * y
    z[idx] -= y[idx] * 0.5
    z[idx] *= 2.0
    return np.sum(z * x)


@program(inputs=[(mat(4, 5), np.array([0, 2, 2]), np.array([4, 1, 1])), (mat(3, 2, 1), np.array([1]), np.array([0]))])
def pairs_of_indices(A, rows, cols):
    B = np.sin(A)
    B[rows, cols] = A[rows, cols] ** 2
    B[rows, 1:] = B[rows, :-1] * 2.0
    B[:, cols] += A[:, cols]
    B[np.ix_(rows, cols)] = 0.5
    B[np.ix_(rows[:1], cols[:1])] += A[0, 0]
    return np.sum(B * A)


@program(inputs=[(mat(2, 5), np.array([[0, 1], [4, 0]])), (mat(1, 3, 1), np.array([[2]]))])
def indices_in_two_dimensions(A, where):
    y = A[0] * 3.0
    y[where] = A[-1][where] * 2.0
    z = np.zeros((where.shape[0], where.shape[1], 3))
    z[:, :, 1] = y[where]
    z[..., where[0, 0] % 3] += y[where] ** 2
    return np.sum(z * z) + np.sum(y)


@program(inputs=[(mat(4, 3),), (mat(1, 2, 1),), (np.ones((2, 2)),)])
def masks_and_slices(A):
    B = A.copy()
    neg = B < 0.0
    B[neg] = B[neg] * 0.1
    rows = A[:, 0] > 0.0
    B[rows] *= 3.0
    B[rows, 1:] += A[rows, 1:]
    B[~rows, 0] = np.sum(A)
    if rows.any():
        B[rows, 1] = A[rows, 0] * A[rows, 1]
    B[:, A[0] > 0.0] -= 0.25
    return np.sum(B ** 2)


@program(inputs=[(mat(3, 4), vec(4), 2.0), (mat(3, 1, 1), vec(1, 2), -1.0)], wrt=(0, 1, 2))
def broadcast_into_the_place(A, v, s):
    B = np.empty((2,) + A.shape)
    B[:] = A
    B[0] = v
    B[1, :, :1] = s
    B[:, 1] += v * s
    B[:, 2:] *= np.array([[[2.0]], [[3.0]]])
    B[1, 0] = v[:1]
    if s > 0.0:
        B[..., -1] -= A[:, -1]
    return np.sum(B * B)


@program(inputs=[(vec(7), 3), (vec(3, 1), 1), (vec(2, 2), 0), (vec(1, 9), 3)])
def overlapping_source_and_target(x, n):
    y = x * x
    for _ in range(n):
        y[1:] = y[:-1]
        y[:-1] += y[1:]
        y[1:] /= y[:-1]
        y[::-1] = y * 1.1
    y[1:] -= y[:-1] * y[1:]
    return np.sum(y * x)


@program(inputs=[(vec(5), 2), (vec(2, 1), 1), (vec(1, 9), 1)])
def casts_into_integers(x, n):
    count = np.zeros(len(x), dtype=int)
    count[:] = 3.0 * x
    y = np.zeros(len(x), dtype=np.float32).astype(float)
    for k in range(n):
        count[k] = x[k] * 10.0
        y[k] = x[k] * count[k]
        count += 1
    y += count
    return np.sum(y * x) + np.sum(count * x)


@program(inputs=[(vec(4), 1.3), (vec(1, 1), 0.7)], wrt=(0, 1))
def every_augmented_operator(x, c):
    a = x + 1.0
    a **= 2
    a[:1] **= c
    a /= c
    a[0] //= 0.3
    a[1:] %= 1.7
    b = np.outer(x, x)
    b @= np.outer(a, a)
    m = np.array([3, 5]) & 1
    m <<= 2
    a *= b[0] + m[0]
    return np.sum(a) + np.sum(b)


@program(inputs=[(mat(3, 3), 1), (mat(2, 2, 1), 0), (mat(1, 1, 2), 0)])
def triangles_and_diagonals(A, k):
    n = A.shape[0]
    B = A @ A.T
    B[np.triu_indices(n, k + 1)] = 0.0
    B[np.diag_indices(n)] = np.exp(0.1 * np.diagonal(A))
    i, j = np.tril_indices(n, -1)
    B[i, j] = B[j, i] + A[i, j]
    B[np.arange(n), np.arange(n)[::-1]] *= 2.0
    return np.sum(B * B)


@program(inputs=[(vec(5), np.array([True, False, True, True, False])), (vec(1, 1), np.array([True])),
                 (vec(2, 2), np.array([False, False]))])
def a_mask_given(x, mask):
    y = np.full(len(x), 2.0)
    y[mask] = x[mask] ** 2
    y[~mask] = 0.5 * x[0]
    total = 0.0
    for k in np.flatnonzero(mask):
        y[k] -= x[k]
        y[mask & (x > x[k])] *= x[k]
        total += y[k]
    return total + np.prod(y)


@program(inputs=[(vec(4), [0, 2, 1]), (vec(2, 1), [1])])
def lists_as_indices(x, order):
    y = np.zeros(4)
    y[order] = x[order]
    y[[0, -1]] += x[[-1, 0]] * 2.0
    y[order] = y[order[::-1]]
    w = np.stack([y, 2.0 * y])
    w[:, order] *= x[0]
    w[[0, 1], [0, 1]] = x[1]
    return np.sum(w ** 2)


@program(inputs=[(vec(3), 1.5), (vec(1, 1), -0.5)], wrt=(0, 1))
def cells_without_dimensions(x, c):
    a = np.array(c)
    a[...] = a * x[0]
    a[()] += 2.0
    a *= a
    b = a
    b -= x[-1]
    z = np.zeros(())
    z[...] = b * 2.0
    return float(a) * 0.0 + a * b + z


@program(inputs=[(np.zeros((0, 3)), vec(3)), (mat(2, 3), vec(3, 1)), (mat(1, 3, 9), vec(1, 9))], wrt=(0, 1))
def nothing_to_write(A, v):
    B = A * 2.0
    B[:, 1] = v[0]
    B[0:0] = v
    for row in B:
        row[:] = row * v
    B[5:] -= 1.0
    return np.sum(B * B) + np.sum(v)


@program(inputs=[(mat(3, 4, 5), 1), (mat(2, 3, 6), 0), (mat(1, 3, 9), 0)])
def a_constant_to_one_element(A, k):
    B = A * A
    B[k, 0] = 1.0
    B[0, k] = 0.0
    C = B + A
    if A[0, 0] > 0:
        C[k] = 0.0
        C[k, 1] = A[0, 1]
    else:
        C[:, k] = 2.0
    return np.sum(B * C)
