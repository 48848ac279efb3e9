"""Functions and methods that write into an array: `out=`, `where=`, fill, sort, put, copyto, ufunc.at and others."""
import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(4), vec(4, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def results_into_arrays(x, w):
    y = np.empty_like(x)
    t = np.zeros((2, len(x)))
    np.multiply(x, w, out=y)
    np.add(y, x, out=y)
    np.exp(0.1 * y, out=t[0])
    np.matmul(np.outer(x, w), y, out=t[1])
    s = np.sin(y, t[1])
    s *= 2.0
    for k in range(2):
        np.subtract(t[k], 1.0, out=t[k])
        np.sqrt(t[k] * t[k] + 1.0, out=t[1 - k])
    z = np.add.reduce(t, axis=0, out=y)
    return np.sum(t * t) + np.sum(z * x)


@program(inputs=[(mat(3, 4),), (mat(1, 2, 1),), (np.zeros((0, 3)),)])
def reductions_into_arrays(A):
    out = np.ones(A.shape[1])
    np.sum(A, axis=0, out=out)
    c = np.cumsum(A, axis=0, out=np.empty_like(A))
    np.clip(c, -0.5, 0.5, out=c)
    m = np.zeros(A.shape[0])
    A.mean(axis=1, out=m) if A.size else None
    A.dot(out, out=m)
    d = np.zeros(())
    np.sum(m, out=d)
    return np.sum(out * out) + np.sum(c * c) + d * d


@program(inputs=[(vec(5, 0, -1.0, 1.0), 0.2), (vec(1, 1), 2.0), (vec(3, 2, -2.0, -1.0), 0.0)], wrt=(0, 1))
def masked_ufuncs(x, c):
    y = np.zeros(len(x))
    np.sqrt(x, out=y, where=x > 0)
    np.divide(c, x, out=y, where=x < 0)
    big = np.abs(x) > c
    np.multiply(y, 3.0, where=big, out=y)
    total = np.sum(x, where=big) + np.sum(y, where=~big, initial=1.0)
    if big.any():
        total += np.mean(x * x, where=big)
    top = np.max(x, where=x < 0.5, initial=-5.0)
    return total * top + np.sum(y)


@program(inputs=[(vec(4), 2.0), (vec(1, 1), 0.5)], wrt=(0, 1))
def filled_arrays(x, c):
    y = np.empty(len(x))
    y.fill(c)
    z = np.outer(x, y)
    z[0].fill(1.0)
    z.T[-1].fill(x[0])
    y[::2].fill(x[-1] ** 2)
    for row in z:
        if row[0] > 1.0:
            row[1:].fill(0.0)
        row[:1].fill(c * row[-1])
    return np.sum(z * z) + np.sum(y)


@program(inputs=[(vec(6, 3),), (vec(1, 1),), (np.array([2.0, -1.2, 0.5, 3.1]),)])
def arrays_sorted_in_place(x):
    y = x * x
    y.sort()
    w = y[::-1].copy()
    w.sort()
    A = np.outer(x, np.cos(x))
    A.sort(axis=0)
    A[0].sort()
    A.T.sort(axis=-1, kind="stable")
    p = x - 0.5 * y
    p.partition(len(p) // 2)
    return np.sum(A * y) + p[len(p) // 2] * w[0]


@program(inputs=[(vec(6), np.array([1, 4, 1])), (vec(3, 1), np.array([2]))])
def put_and_its_kind(x, idx):
    y = x.copy()
    np.put(y, idx, x[idx] * 2.0)
    y.put([0, -1], [x[1], 3.0])
    np.place(y, y > 1.0, x[:2] ** 2)
    np.putmask(y, y < 0.5, 2.0 * x)
    np.copyto(y, x * x, where=idx[0] == np.arange(len(x)))
    z = np.zeros((2, len(x)))
    np.copyto(z, y)
    np.copyto(z[0], 1.0)
    np.put(z, [0, len(x)], x[0], mode="wrap")
    return np.sum(z * z) + np.sum(y)


@program(inputs=[(mat(3, 3), vec(3)), (mat(1, 1, 1), vec(1, 2)), (mat(5, 2, 3), vec(2, 4))], wrt=(0, 1))
def along_axes_and_diagonals(A, v):
    B = A.copy()
    np.fill_diagonal(B, v)
    np.fill_diagonal(B[1:], 0.5)
    if A.shape[0] > A.shape[1]:
        np.fill_diagonal(B, 2.0, wrap=True)
    idx = np.argsort(B, axis=1)
    C = np.zeros_like(B)
    np.put_along_axis(C, idx, A * 2.0, axis=1)
    top = np.take_along_axis(C, idx[:, :1], axis=1)
    np.put_along_axis(C, idx[:, :1], top ** 2 + 1.0, 1)
    return np.sum(B * C) + np.sum(C)


@program(inputs=[(vec(5), np.array([0, 2, 2, 1])), (vec(1, 1), np.array([0, 0])), (vec(3, 2), np.zeros(0, int))])
def unbuffered_operations(x, idx):
    h = np.ones(3)
    np.add.at(h, idx, x[idx])
    np.subtract.at(h, idx, 0.5)
    np.multiply.at(h, idx, 1.0 + x[idx] ** 2)
    np.maximum.at(h, idx, x[idx] * 1.5)
    H = np.zeros((3, 2))
    np.add.at(H, (idx, idx % 2), x[idx])
    np.add.at(H, idx, np.array([1.0, 2.0]) * x[0])
    np.divide.at(h, idx, x[idx] + 1.0)
    np.negative.at(h, [0])
    h[1:] *= H[1:, 0] + 2.0
    return np.sum(h * h) + np.sum(H * H)


@program(inputs=[(vec(5), vec(3, 1)), (vec(1, 2), vec(1, 3))], wrt=(0, 1))
def methods_of_ufuncs(x, w):
    P = np.multiply.outer(x, w)
    S = np.add.outer(x, np.subtract.outer(w, x)[:, 0])
    a = np.add.accumulate(x)
    p = np.multiply.accumulate(w)
    r = np.multiply.reduce(P, axis=1)
    m = np.maximum.reduce(x) + np.minimum.reduce(w)
    s = np.add.reduceat(x, [0, len(x) // 2])
    top = np.maximum.accumulate(np.sin(3.0 * x))
    top *= m
    return np.sum(P * S) + a[-1] * p[-1] + np.sum(r) * m + s[0] * s[-1] + np.sum(top)


@program(inputs=[(vec(6),), (vec(1, 1),)])
def shuffled_with_a_seed(x):
    seed = len(x)
    rng = np.random.default_rng(seed)
    y = x * x
    rng.shuffle(y)
    A = np.outer(y, x)
    rng.shuffle(A)
    rng.shuffle(A, axis=1)
    z = rng.permutation(y)
    z[0] *= 2.0
    np.random.seed(seed)
    np.random.shuffle(y)
    return np.sum(A * z) + y[0]


@program(inputs=[(vec(5), 2), (vec(2, 1), 1), (vec(1, 9), 2)])
def sorted_between_writes(x, n):
    best = np.full(3, 4.0)
    for k in range(len(x)):
        d = (x[k] - 0.7) ** 2
        if d < best[-1]:
            best[-1] = d
            best.sort()
        for j in range(n):
            np.minimum(best, best[j] + x[k], out=best)
    return best[0] * 3.0 + np.sum(best)


@program(inputs=[(mat(3, 3), vec(3)), (mat(1, 1, 1), vec(1, 2))], wrt=(0, 1))
def out_of_products(A, v):
    work = np.zeros(len(v))
    acc = v.copy()
    for k in range(3):
        np.dot(A, acc, out=work)
        np.multiply(work, 0.5, work)
        acc, work = work, acc
    M = np.empty_like(A)
    np.outer(acc, v, out=M)
    np.einsum("ij,j->i", M, v, out=work)
    np.tanh(M, out=M)
    np.maximum(M, 0.1, out=M)
    np.where(M > 0.2, M, 0.0).sum(axis=0, out=acc)
    np.round(work, 1, out=work)
    return np.sum(M) + np.sum(acc * acc) + np.sum(work * v)
