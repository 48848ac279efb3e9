"""Symmetric rank-k update of a lower triangle with explicit loops."""
import numpy as np

from ._common import rng

ACTIVE = (2, 3)
SIZES = {"S": (70, 50), "M": (200, 120), "L": (500, 400)}


def make_args(size):
    n, m = SIZES[size]
    r = rng(13)
    return 1.5, 1.2, r.random((n, n)), r.random((n, m)), r.random((n, n))


def syrk(alpha, beta, C, A):
    n, m = A.shape
    for i in range(n):
        C[i, :i + 1] *= beta
        for k in range(m):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]


def loss(alpha, beta, C, A, W):
    C = C.copy()
    syrk(alpha, beta, C, A)
    return np.sum(C * W)


def func_loss(alpha, beta, C, A, W):
    n, m = A.shape
    total = 0.0
    for i in range(n):
        row = beta * C[i, :i + 1]
        for k in range(m):
            row = row + alpha * A[i, k] * A[:i + 1, k]
        total = total + np.sum(row * W[i, :i + 1]) + np.sum(C[i, i + 1:] * W[i, i + 1:])
    return total


def jax_loss(alpha, beta, C, A, W):
    """Expert form: one matrix product and a triangular mask."""
    import jax.numpy as jnp
    low = jnp.tril(jnp.ones_like(C))
    C = jnp.where(low > 0, beta * C + alpha * A @ A.T, C)
    return jnp.sum(C * W)


def jaxnaive_loss(alpha, beta, C, A, W):
    """Line-by-line port: nested fori_loop, the growing slice becomes a mask."""
    import jax.numpy as jnp
    from jax import lax
    n, m = A.shape
    idx = jnp.arange(n)

    def i_body(i, C):
        mask = idx <= i
        C = C.at[i].multiply(jnp.where(mask, beta, 1.0))

        def k_body(k, C):
            return C.at[i].add(jnp.where(mask, alpha * A[i, k] * A[:, k], 0.0))

        return lax.fori_loop(0, m, k_body, C)

    C = lax.fori_loop(0, n, i_body, C)
    return jnp.sum(C * W)


def hand_value_and_grad(alpha, beta, C, A, W):
    C = C.copy()
    syrk(alpha, beta, C, A)
    n, m = A.shape
    Cb = W.copy()
    Ab = np.zeros_like(A)
    for i in range(n - 1, -1, -1):
        g = Cb[i, :i + 1]
        for k in range(m - 1, -1, -1):
            Ab[i, k] += alpha * np.dot(g, A[:i + 1, k])
            Ab[:i + 1, k] += (alpha * A[i, k]) * g
        g *= beta
    return np.sum(C * W), (Cb, Ab)


def numba_functions():
    import numba as nb
    upd = nb.njit(syrk)

    @nb.njit
    def primal(alpha, beta, C, A, W):
        C = C.copy()
        upd(alpha, beta, C, A)
        return np.sum(C * W)

    @nb.njit
    def vg(alpha, beta, C, A, W):
        C = C.copy()
        upd(alpha, beta, C, A)
        n, m = A.shape
        Cb = W.copy()
        Ab = np.zeros_like(A)
        for i in range(n - 1, -1, -1):
            for j in range(i + 1):
                g = alpha * Cb[i, j]
                for k in range(m):
                    Ab[i, k] += g * A[j, k]
                    Ab[j, k] += g * A[i, k]
                Cb[i, j] *= beta
        return np.sum(C * W), (Cb, Ab)

    return primal, vg
