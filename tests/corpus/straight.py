"""Straight-line programs."""
import math

import numpy as np

from corpus.registry import mat, program, spd, vec


@program(inputs=[(mat(5, 3), vec(5, 1, 0.0, 1.0), vec(3, 2)), (mat(1, 1, 3), vec(1, 4), vec(1, 5))], wrt=(2, 0))
def logistic_loss(X, y, w):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


@program(inputs=[(vec(4),), (vec(1, 1),)])
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2) + np.sum((1.0 - x[:-1]) ** 2) + (x[0] - 3.0) ** 2


@program(inputs=[(1.3, 0.4, -0.7), (0.2, 2.0, 0.1)], wrt=(0, 1, 2))
def spherical_distance(radius, latitude, longitude):
    x = radius * math.cos(latitude) * math.cos(longitude)
    y = radius * math.cos(latitude) * math.sin(longitude)
    z = radius * math.sin(latitude)
    d = math.sqrt((x - 0.3) ** 2 + (y + 0.2) ** 2 + (z - 1.1) ** 2)
    d += math.atan2(y, x) + math.log1p(d) * math.exp(-d)
    e = d * x
    e -= 0.1 * z
    e *= e
    if x > 0.5:
        d = d + e
    return (1.0 + d * d) ** 1.5 + math.hypot(x, y)


@program(inputs=[(vec(3), mat(3, 4)), (vec(1, 5), mat(1, 4, 2))], wrt=(0, 1))
def broadcast_everything(v, M):
    a = v[:, np.newaxis] * M
    b = a + M[0] / (2.0 + v[0])
    a **= 2
    b -= v[-1]
    c = np.sqrt(1.0 + a) - 0.5 * b
    c *= np.float64(0.7)
    c[0] = c[-1] * v[0]
    c[-1] += 1.0
    d = np.sum(c, axis=0) * np.mean(b, axis=1, keepdims=True)
    return np.sum(d * d) / d.size + np.prod(1.0 + 0.1 * v)


@program(inputs=[(spd(3), vec(3, 1)), (spd(1, 2), vec(1, 3))], wrt=(0, 1))
def gaussian_log_density(S, r):
    sign, logdet = np.linalg.slogdet(S)
    quad = r @ np.linalg.solve(S, r)
    extra = np.trace(np.linalg.inv(S)) + np.linalg.det(S) ** 0.1
    norm = np.linalg.norm(r)
    norm += np.linalg.norm(S)
    out: float = -0.5 * (sign * logdet + quad + len(r) * np.log(2.0 * np.pi))
    return out + 0.01 * extra + 0.1 * norm


@program(inputs=[(vec(6), 2), (vec(1, 4), 1)])
def spelled_as_methods(x, rows):
    A = x.reshape(rows, -1)
    B = A.T.dot(A) + A.transpose() @ A
    u = B.sum(axis=0).cumsum()
    u.fill(0.5)
    v = B.mean(axis=1) + u * B.flatten()[0]
    w = x.copy()
    w[0] = B.trace() * x.min()
    return v.max() + w.prod() + x.var() + w.ravel().sum() + A.clip(0.0, 5.0).mean() * x[:1].item()


@program(inputs=[(mat(3, 3, 4), np.array([2, 0, 2])), (mat(1, 4, 2), np.array([0]))])
def gather_and_join(A, idx):
    rows = A[idx]
    picked = np.take(A, idx, axis=0) * 0.5
    both = np.concatenate([rows, picked], axis=0)
    wide = np.hstack((both, both[:, ::-1]))
    tall = np.vstack([A, A * A])
    s = np.stack([rows, picked], axis=-1)
    np.add.at(s, 0, 1.5)
    if len(idx) > 1:
        s = s * s
    deep = np.moveaxis(s, -1, 0)
    deep = np.swapaxes(deep, 1, 2) + np.expand_dims(np.squeeze(A[:1]), 0)[..., None]
    cols = np.column_stack([A[:, 0], np.roll(A[:, -1], 1)])
    return np.sum(np.tanh(wide)) + np.sum(tall ** 3) + np.sum(np.sin(deep)) + np.sum(np.exp(np.flip(cols)))


@program(inputs=[(vec(5, low=0.1, high=0.8),), (vec(1, 3, 0.1, 0.8),)])
def every_elementary_function(x):
    a = np.sin(x) + np.cos(x) * np.tan(x) + np.arcsin(x) - np.arccos(x) * np.arctan(x)
    a += np.sinh(x) + np.cosh(x) / np.tanh(x) + np.arcsinh(x) * np.arctanh(x) + np.arccosh(1.0 + x)
    b = np.exp(x) + np.expm1(x) + np.exp2(x) + np.log(x) + np.log1p(x) + np.log2(x) * np.log10(x)
    b -= np.sqrt(x) + np.cbrt(x) + np.square(x) + np.abs(x - 2.0) + np.reciprocal(x) + np.sign(x)
    a *= np.power(x, 1.5) + x ** 3 + 2.0 ** x + np.negative(x) + np.hypot(x, 1.0 - x) + np.arctan2(x, 2.0)
    b /= np.logaddexp(x, 1.0) + np.maximum(x, -1.0) + np.minimum(x, 9.0) + np.clip(x, 0.0, 1.0) + np.fmax(x, 0.0)
    a = np.add(a, b) + np.subtract(a, 1.0) * np.divide(b, 3.0) + np.multiply(x, x) + np.deg2rad(x) + np.absolute(x)
    c = np.where(x > -1.0, a, b)
    c -= x
    while np.sum(c) > 10.0:
        c *= 0.5
    return np.sum(c) + np.sum(np.float_power(x, 2.0) + np.sinc(x))


@program(inputs=[(mat(3, 4), mat(4, 2, 1)), (mat(1, 1, 2), mat(1, 3, 3))], wrt=(0, 1))
def products_of_matrices(A, B):
    C = np.matmul(A, B)
    D = np.einsum("ij,jk->ki", A, B)
    C += np.tensordot(A, B, axes=1) * 0.3
    D = D + np.dot(A, B).T * np.inner(A[0], A[-1])
    E = np.outer(C[0], D[0])
    E += np.vdot(A, A) * np.kron(C[:1], D[:, :1])[0, 0]
    for row in E:
        C = C + row[0]
        D -= 0.1
    F = np.dot(A @ B, D)
    F = np.diag(np.diagonal(F)) + np.tril(np.ones_like(E @ E.T)).sum() + np.triu(A.T @ A).sum()
    return np.sum(F ** 2) * 1e-3 + np.sum(E) + np.trace(C @ D)


@program(inputs=[(vec(5),), (vec(1, 1),)])
def shapes_of_series(x):
    n = x.size
    t = np.linspace(0.0, 1.0, n)
    k = np.arange(n)
    d = np.diff(np.append(x, 2.0))
    c = np.cumsum(x) + np.cumprod(x) * np.repeat(0.5, n)
    m = np.tile(x, 2).reshape(2, n)
    d *= np.broadcast_to(t + 1.0, (1, n))[0]
    p = np.pad(x, 1)
    p[1:-1] += d
    g = np.full(n, 0.25) + np.eye(n)[0] + np.zeros_like(x)
    s = np.sort(x)[::-1] * (k + 1.0)
    parts = np.split(np.concatenate((s, c)), 2)
    np.multiply(parts[0], 2.0)
    return np.sum(p ** 2) + np.sum(m @ g) + np.max(c) + np.min(x) + np.std(p) + np.average(parts[0], weights=t + 1.0)
