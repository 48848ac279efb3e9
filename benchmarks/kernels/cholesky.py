"""Row-by-row Cholesky factorisation, in place in the lower triangle."""
import numpy as np

from ._common import rng, spd

ACTIVE = (0,)
SIZES = {"S": (60,), "M": (180,), "L": (400,)}


def make_args(size):
    (n,) = SIZES[size]
    return spd(n, 7), np.tril(rng(8).random((n, n)))


def cholesky(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def loss(A, W):
    A = A.copy()
    cholesky(A)
    return np.sum(A * W)


def func_loss(A, W):
    n = A.shape[0]
    rows = []
    total = 0.0
    for i in range(n):
        row = A[i, :0]
        for j in range(i):
            v = (A[i, j] - np.dot(row, rows[j][:j])) / rows[j][j]
            row = np.concatenate((row, np.reshape(v, (1,))))
        d = np.sqrt(A[i, i] - np.dot(row, row))
        rows.append(np.concatenate((row, np.reshape(d, (1,)))))
        total = total + np.sum(rows[i] * W[i, :i + 1])
    return total


def jax_loss(A, W):
    """Expert form: one scan over rows, the row solve is a forward substitution with masks."""
    import jax.numpy as jnp
    from jax import lax
    n = A.shape[0]
    idx = jnp.arange(n)

    def i_body(i, L):
        def j_body(j, row):
            # row and L[j] hold zeros right of what is known
            s = A[i, j] - jnp.dot(row, L[j] * (idx < j))
            return row.at[j].set(jnp.where(j < i, s / jnp.where(j < i, L[j, j], 1.0), 0.0))

        row = lax.fori_loop(0, n, j_body, jnp.zeros(n))
        row = row.at[i].set(jnp.sqrt(A[i, i] - jnp.dot(row, row)))
        return L.at[i].set(row)

    L = lax.fori_loop(0, n, i_body, jnp.zeros_like(A))
    return jnp.sum(L * W)


def hand_value_and_grad(A, W):
    L = A.copy()
    cholesky(L)
    val = np.sum(L * W)
    n = L.shape[0]
    Ab = W.copy()
    for i in range(n - 1, -1, -1):
        Ab[i, i] /= 2.0 * L[i, i]
        Ab[i, :i] -= (2.0 * Ab[i, i]) * L[i, :i]
        for j in range(i - 1, -1, -1):
            g = Ab[i, j] / L[j, j]
            Ab[i, j] = g
            Ab[j, j] -= g * L[i, j]
            Ab[i, :j] -= g * L[j, :j]
            Ab[j, :j] -= g * L[i, :j]
    return val, (Ab,)


def numba_functions():
    import numba as nb

    @nb.njit
    def fact(A):
        n = A.shape[0]
        for i in range(n):
            for j in range(i):
                s = A[i, j]
                for k in range(j):
                    s -= A[i, k] * A[j, k]
                A[i, j] = s / A[j, j]
            s = A[i, i]
            for k in range(i):
                s -= A[i, k] * A[i, k]
            A[i, i] = np.sqrt(s)

    @nb.njit
    def primal(A, W):
        A = A.copy()
        fact(A)
        return np.sum(A * W)

    @nb.njit
    def vg(A, W):
        L = A.copy()
        fact(L)
        val = np.sum(L * W)
        n = L.shape[0]
        Ab = W.copy()
        for i in range(n - 1, -1, -1):
            d = Ab[i, i] / (2.0 * L[i, i])
            Ab[i, i] = d
            for k in range(i):
                Ab[i, k] -= 2.0 * d * L[i, k]
            for j in range(i - 1, -1, -1):
                g = Ab[i, j] / L[j, j]
                Ab[i, j] = g
                Ab[j, j] -= g * L[i, j]
                for k in range(j):
                    Ab[i, k] -= g * L[j, k]
                    Ab[j, k] -= g * L[i, k]
        return val, (Ab,)

    return primal, vg
