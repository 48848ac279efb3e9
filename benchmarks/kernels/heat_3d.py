"""Explicit 3-D heat equation, two buffers updated in place."""
import numpy as np

from ._common import rng

ACTIVE = (1, 2)
SIZES = {"S": (15, 25), "M": (25, 50), "L": (100, 70)}


def make_args(size):
    steps, n = SIZES[size]
    r = rng(3)
    return steps, r.random((n, n, n)), r.random((n, n, n))


def heat_3d(steps, A, B):
    for t in range(steps):
        B[1:-1, 1:-1, 1:-1] = (A[1:-1, 1:-1, 1:-1]
            + 0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2]))
        A[1:-1, 1:-1, 1:-1] = (B[1:-1, 1:-1, 1:-1]
            + 0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2]))


def loss(steps, A, B):
    A = A.copy()
    B = B.copy()
    heat_3d(steps, A, B)
    return np.sum(A * A)


def _func_step(A, B):
    mid = (A[1:-1, 1:-1, 1:-1]
        + 0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
        + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
        + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2]))
    mid = np.concatenate((B[1:-1, 1:-1, :1], mid, B[1:-1, 1:-1, -1:]), axis=2)
    mid = np.concatenate((B[1:-1, :1, :], mid, B[1:-1, -1:, :]), axis=1)
    return np.concatenate((B[:1, :, :], mid, B[-1:, :, :]), axis=0)


def func_loss(steps, A, B):
    for t in range(steps):
        B = _func_step(A, B)
        A = _func_step(B, A)
    return np.sum(A * A)


def jax_loss(steps, A, B):
    import jax.numpy as jnp
    from jax import lax

    def half(A, B):
        return B.at[1:-1, 1:-1, 1:-1].set(A[1:-1, 1:-1, 1:-1]
            + 0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2]))

    def body(t, AB):
        A, B = AB
        B = half(A, B)
        A = half(B, A)
        return A, B

    A, B = lax.fori_loop(0, steps, body, (A, B))
    return jnp.sum(A * A)


def _hand_half(src_b, dst_b, d, e):
    c = (slice(1, -1),) * 3
    np.copyto(d, dst_b[c])
    dst_b[c] = 0.0
    np.multiply(d, 0.125, out=e)
    d *= 0.25
    src_b[c] += d
    src_b[2:, 1:-1, 1:-1] += e
    src_b[:-2, 1:-1, 1:-1] += e
    src_b[1:-1, 2:, 1:-1] += e
    src_b[1:-1, :-2, 1:-1] += e
    src_b[1:-1, 1:-1, 2:] += e
    src_b[1:-1, 1:-1, :-2] += e


def hand_value_and_grad(steps, A, B):
    A = A.copy()
    B = B.copy()
    heat_3d(steps, A, B)
    val = np.sum(A * A)
    Ab = 2.0 * A
    Bb = np.zeros_like(B)
    d = np.empty(tuple(s - 2 for s in A.shape))
    e = np.empty_like(d)
    for t in range(steps):
        _hand_half(Bb, Ab, d, e)
        _hand_half(Ab, Bb, d, e)
    return val, (Ab, Bb)


def numba_functions():
    import numba as nb

    @nb.njit
    def half(A, B):
        n = A.shape[0]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    B[i, j, k] = 0.25 * A[i, j, k] + 0.125 * (A[i + 1, j, k] + A[i - 1, j, k] + A[i, j + 1, k]
                                                              + A[i, j - 1, k] + A[i, j, k + 1] + A[i, j, k - 1])

    @nb.njit
    def primal(steps, A, B):
        A = A.copy()
        B = B.copy()
        for t in range(steps):
            half(A, B)
            half(B, A)
        return np.sum(A * A)

    @nb.njit
    def half_b(Sb, Db, D):
        # move the interior adjoint to a buffer with a zero rim, then gather: both loops vectorise
        n = Sb.shape[0]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    D[i, j, k] = 0.125 * Db[i, j, k]
                    Db[i, j, k] = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                Sb[i, j, 0] += D[i, j, 1]
                Sb[i, j, n - 1] += D[i, j, n - 2]
                for k in range(1, n - 1):
                    Sb[i, j, k] += 2.0 * D[i, j, k] + (D[i + 1, j, k] + D[i - 1, j, k] + D[i, j + 1, k]
                                                       + D[i, j - 1, k] + D[i, j, k + 1] + D[i, j, k - 1])
        for i in range(1, n - 1):
            for k in range(1, n - 1):
                Sb[i, 0, k] += D[i, 1, k]
                Sb[i, n - 1, k] += D[i, n - 2, k]
                Sb[0, i, k] += D[1, i, k]
                Sb[n - 1, i, k] += D[n - 2, i, k]

    @nb.njit
    def vg(steps, A, B):
        A = A.copy()
        B = B.copy()
        for t in range(steps):
            half(A, B)
            half(B, A)
        val = np.sum(A * A)
        Ab = 2.0 * A
        Bb = np.zeros_like(B)
        D = np.zeros_like(B)
        for t in range(steps):
            half_b(Bb, Ab, D)
            half_b(Ab, Bb, D)
        return val, (Ab, Bb)

    return primal, vg
