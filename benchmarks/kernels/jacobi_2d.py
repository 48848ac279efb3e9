"""Five-point averaging stencil, two buffers updated in place."""
import numpy as np

from ._common import rng

ACTIVE = (1, 2)
SIZES = {"S": (30, 100), "M": (60, 300), "L": (200, 700)}


def make_args(size):
    steps, n = SIZES[size]
    r = rng(2)
    return steps, r.random((n, n)), r.random((n, n))


def jacobi_2d(steps, A, B):
    for t in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def loss(steps, A, B):
    A = A.copy()
    B = B.copy()
    jacobi_2d(steps, A, B)
    return np.sum(A * A)


def _func_set(A, mid):
    mid = np.concatenate((A[1:-1, :1], mid, A[1:-1, -1:]), axis=1)
    return np.concatenate((A[:1, :], mid, A[-1:, :]), axis=0)


def func_loss(steps, A, B):
    for t in range(steps):
        B = _func_set(B, 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]))
        A = _func_set(A, 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]))
    return np.sum(A * A)


def jax_loss(steps, A, B):
    import jax.numpy as jnp
    from jax import lax

    def body(t, AB):
        A, B = AB
        B = B.at[1:-1, 1:-1].set(0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]))
        A = A.at[1:-1, 1:-1].set(0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]))
        return A, B

    A, B = lax.fori_loop(0, steps, body, (A, B))
    return jnp.sum(A * A)


def _hand_half(src_b, dst_b, tmp):
    """Adjoint of dst[in] = 0.2 * stencil(src); dst[in] is overwritten, so its adjoint is cleared."""
    np.multiply(dst_b[1:-1, 1:-1], 0.2, out=tmp)
    dst_b[1:-1, 1:-1] = 0.0
    src_b[1:-1, 1:-1] += tmp
    src_b[1:-1, :-2] += tmp
    src_b[1:-1, 2:] += tmp
    src_b[2:, 1:-1] += tmp
    src_b[:-2, 1:-1] += tmp


def hand_value_and_grad(steps, A, B):
    A = A.copy()
    B = B.copy()
    jacobi_2d(steps, A, B)
    val = np.sum(A * A)
    Ab = 2.0 * A
    Bb = np.zeros_like(B)
    tmp = np.empty((A.shape[0] - 2, A.shape[1] - 2))
    for t in range(steps):
        _hand_half(Bb, Ab, tmp)
        _hand_half(Ab, Bb, tmp)
    return val, (Ab, Bb)


def numba_functions():
    import numba as nb

    @nb.njit(cache=False)
    def half(A, B):
        n, m = A.shape
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])

    @nb.njit(cache=False)
    def primal(steps, A, B):
        A = A.copy()
        B = B.copy()
        for t in range(steps):
            half(A, B)
            half(B, A)
        s = 0.0
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                s += A[i, j] * A[i, j]
        return s

    @nb.njit(cache=False)
    def half_b(Sb, Db, D):
        # move the interior adjoint to a buffer with a zero rim, then gather: both loops vectorise
        n, m = Sb.shape
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                D[i, j] = 0.2 * Db[i, j]
                Db[i, j] = 0.0
        for i in range(1, n - 1):
            Sb[i, 0] += D[i, 1]
            Sb[i, m - 1] += D[i, m - 2]
            for j in range(1, m - 1):
                Sb[i, j] += D[i, j] + D[i, j - 1] + D[i, j + 1] + D[i + 1, j] + D[i - 1, j]
        for j in range(1, m - 1):
            Sb[0, j] += D[1, j]
            Sb[n - 1, j] += D[n - 2, j]

    @nb.njit(cache=False)
    def vg(steps, A, B):
        A = A.copy()
        B = B.copy()
        for t in range(steps):
            half(A, B)
            half(B, A)
        s = 0.0
        Ab = np.empty_like(A)
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                s += A[i, j] * A[i, j]
                Ab[i, j] = 2.0 * A[i, j]
        Bb = np.zeros_like(B)
        D = np.zeros_like(B)
        for t in range(steps):
            half_b(Bb, Ab, D)
            half_b(Ab, Bb, D)
        return s, (Ab, Bb)

    return primal, vg
