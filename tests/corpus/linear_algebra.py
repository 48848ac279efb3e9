"""Dense factorisations and solvers written with loops."""
import math

import numpy as np

from corpus.registry import mat, program, spd, vec


@program(inputs=[(spd(3),), (spd(1, 1),)])
def cholesky_in_place(A):
    L = np.tril(A)
    n = L.shape[0]
    for j in range(n):
        for k in range(j):
            L[j:, j] -= L[j:, k] * L[j, k]
        L[j, j] = math.sqrt(L[j, j])
        L[j + 1:, j] /= L[j, j]
    logdet = 0.0
    for j in range(n):
        logdet += 2.0 * math.log(L[j, j])
    return logdet + np.sum(L) * 0.1


@program(inputs=[(spd(3), mat(3, 3, 1)), (spd(1, 2), mat(1, 1, 3))], wrt=(0, 1))
def lu_in_place(A, W):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    return np.sum(A * W)


@program(inputs=[(spd(3), vec(3)), (spd(1, 1), vec(1, 1))], wrt=(0, 1))
def triangular_solves(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    y = x.copy()
    for i in range(n - 1, -1, -1):
        y[i] = (y[i] - np.dot(L[i + 1:, i], y[i + 1:])) / L[i, i]
    if n > 2:
        y *= 1.0 + x[0]
    return np.sum(y * y) + np.sum(x)


@program(inputs=[(mat(4, 3),), (mat(2, 1, 1),)])
def gram_schmidt(A):
    Q = A.copy()
    n = A.shape[1]
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(np.sum(Q[:, k] ** 2))
        Q[:, k] = Q[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], Q[:, j])
            Q[:, j] -= Q[:, k] * R[k, j]
        if R[k, k] < 1.0:
            R[k] *= 2.0
    return np.sum(R ** 2) + np.sum(Q)


@program(inputs=[(mat(3, 3, 2), vec(3)), (mat(1, 1, 4), vec(1, 1))], wrt=(0, 1))
def gauss_with_pivoting(A, b):
    M = np.column_stack((A, b))
    n = len(b)
    sign = 1.0
    for k in range(n):
        p = k + int(np.argmax(np.abs(M[k:, k])))
        if p != k:
            M[[k, p]] = M[[p, k]]
            sign = -sign
        for i in range(k + 1, n):
            M[i] -= M[k] * (M[i, k] / M[k, k])
    x = np.zeros(n)
    i = n - 1
    while i >= 0:
        x[i] = (M[i, n] - M[i, i + 1:n] @ x[i + 1:]) / M[i, i]
        i -= 1
    return np.sum(x ** 2) + 0.1 * sign * M[0, 0]


@program(inputs=[(spd(3), 2), (spd(1, 3), 1), (spd(2, 2), 0)])
def newton_inverse(A, steps):
    X = A.T / (np.trace(A) * np.max(np.sum(np.abs(A), axis=1)))
    eye = np.eye(len(A))
    for _ in range(steps):
        X = X @ (2.0 * eye - A @ X)
        residual = np.linalg.norm(eye - A @ X)
        if residual < 0.5:
            X = X * (1.0 + residual)
        else:
            X = X + 0.2 * residual * eye
    return np.sum(X) + 0.1 * np.sum(X * X)


@program(inputs=[(spd(3), 3), (spd(2, 1), 1), (spd(1, 1), 1)])
def jacobi_rotations(A, sweeps):
    A = A.copy()
    n = A.shape[0]
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                theta = 0.5 * math.atan2(2.0 * A[p, q], A[q, q] - A[p, p] + 5.0)
                c, s = math.cos(theta), math.sin(theta)
                rp = A[p].copy()
                A[p] = c * rp - s * A[q]
                A[q] = s * rp + c * A[q]
        A = 0.5 * (A + A.T)
    return np.sum(A[0] ** 2) + A[-1, -1]


@program(inputs=[(vec(3, 4), vec(3, 5)), (vec(1, 1), vec(1, 2))], wrt=(0, 1))
def levinson_durbin(r, b):
    n = len(r)
    y = np.zeros(n)
    y[0] = -r[0] * 0.2
    beta = 1.0
    alpha = y[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        alpha = -(0.2 * r[k] + np.dot(0.2 * r[:k][::-1], y[:k])) / beta
        y[:k] = y[:k] + alpha * y[:k][::-1]
        y[k] = alpha
    z = y @ b
    if n == 1:
        return z * z
    return z + np.sum(y ** 2)


@program(inputs=[(mat(4, 2), vec(4), 0.1), (mat(1, 1, 2), vec(1, 1), 2.0)], wrt=(0, 1, 2))
def ridge_regression(X, y, ridge):
    gram = X.T @ X + ridge * np.eye(X.shape[1])
    w = np.linalg.solve(gram, X.T @ y)
    r = y - X @ w
    score = np.sum(r * r)
    if ridge > 1.0:
        cov = np.linalg.inv(gram)
        score += np.trace(cov)
        for j in range(len(w)):
            score += w[j] ** 2 * cov[j, j]
    return score


@program(inputs=[(mat(3, 3, 7),), (mat(2, 2, 8),), (mat(1, 1, 8),)])
def shortest_paths(W):
    D = 1.0 + W * W
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = D[i, k] + D[k, j]
                if through < D[i, j]:
                    D[i, j] = through
        D *= 1.01
    return np.sum(D ** 2)


@program(inputs=[(mat(3, 3, 9), spd(3, 4)), (mat(1, 3, 10), spd(1, 5))], wrt=(0, 1))
def surface_and_spread(triangle, S):
    total = 0.0
    for p in triangle:
        n = np.cross(p, np.roll(p, 1))
        total += np.linalg.norm(n)
    L = np.linalg.cholesky(S)
    total += np.sum(np.log(np.diag(L)))
    order = np.argsort(triangle[0])
    ranked = triangle[:, order]
    cells = np.floor(ranked * 4.0)
    ranked = ranked - cells / 4.0
    if len(triangle) > 1:
        u, v = ranked[:2]
        total += np.sum(u * v) + np.median(ranked[:, 0])
    ranked = np.rot90(np.atleast_2d(ranked))
    k = int(np.searchsorted(np.sort(cells[0]), 0.0))
    return total + np.sum(np.mod(ranked + 2.0, 7.0)[k % 3:] ** 2) + np.ptp(ranked[0]) + np.argmin(cells)
