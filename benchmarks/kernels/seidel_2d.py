"""Gauss-Seidel nine-point sweep: scalar loops, every update reads values written just before."""
import numpy as np

from ._common import rng

ACTIVE = (1,)
SIZES = {"S": (4, 40), "M": (8, 70), "L": (20, 120)}


def make_args(size):
    steps, n = SIZES[size]
    return steps, rng(4).random((n, n))


def seidel_2d(steps, A):
    n, m = A.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = (A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                           + A[i, j - 1] + A[i, j] + A[i, j + 1]
                           + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]) / 9.0


def loss(steps, A):
    A = A.copy()
    seidel_2d(steps, A)
    return np.sum(A * A)


def func_loss(steps, A):
    n, m = A.shape
    rows = [A[i] for i in range(n)]
    for t in range(steps):
        for i in range(1, n - 1):
            up, mid, dn = rows[i - 1], rows[i], rows[i + 1]
            s = up[:-2] + up[1:-1] + up[2:] + mid[1:-1] + mid[2:] + dn[:-2] + dn[1:-1] + dn[2:]
            new = [mid[0]]
            for j in range(m - 2):
                new.append((s[j] + new[j]) / 9.0)
            new.append(mid[-1])
            rows[i] = np.stack(new)
    A = np.stack(rows)
    return np.sum(A * A)


def jax_loss(steps, A):
    """Expert form: rows in one scan, the left neighbour is the scan carry."""
    import jax.numpy as jnp
    from jax import lax
    n, m = A.shape

    def sweep(A, _):
        def row(up, md):
            mid, dn = md
            s = up[:-2] + up[1:-1] + up[2:] + mid[1:-1] + mid[2:] + dn[:-2] + dn[1:-1] + dn[2:]

            def col(left, sj):
                v = (sj + left) / 9.0
                return v, v

            _, vals = lax.scan(col, mid[0], s)
            new = jnp.concatenate((mid[:1], vals, mid[-1:]))
            return new, new

        _, rows = lax.scan(row, A[0], (A[1:-1], A[2:]))
        return jnp.concatenate((A[:1], rows, A[-1:])), None

    A, _ = lax.scan(sweep, A, None, length=steps)
    return jnp.sum(A * A)


def jaxnaive_loss(steps, A):
    """Line-by-line port: nested fori_loop and .at[].set()."""
    import jax.numpy as jnp
    from jax import lax
    n, m = A.shape

    def t_body(t, A):
        def i_body(i, A):
            def j_body(j, A):
                return A.at[i, j].set((A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                                       + A[i, j - 1] + A[i, j] + A[i, j + 1]
                                       + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]) / 9.0)
            return lax.fori_loop(1, m - 1, j_body, A)
        return lax.fori_loop(1, n - 1, i_body, A)

    A = lax.fori_loop(0, steps, t_body, A)
    return jnp.sum(A * A)


def hand_value_and_grad(steps, A):
    A = A.copy()
    seidel_2d(steps, A)
    val = np.sum(A * A)
    Ab = 2.0 * A
    n, m = A.shape
    for t in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                g = Ab[i, j] / 9.0
                Ab[i, j] = 0.0
                Ab[i - 1:i + 2, j - 1:j + 2] += g
    return val, (Ab,)


def numba_functions():
    import numba as nb
    sweep = nb.njit(seidel_2d)

    @nb.njit
    def primal(steps, A):
        A = A.copy()
        sweep(steps, A)
        return np.sum(A * A)

    @nb.njit
    def vg(steps, A):
        A = A.copy()
        sweep(steps, A)
        val = np.sum(A * A)
        Ab = 2.0 * A
        n, m = A.shape
        for t in range(steps):
            for i in range(n - 2, 0, -1):
                for j in range(m - 2, 0, -1):
                    g = Ab[i, j] / 9.0
                    Ab[i, j] = g
                    Ab[i - 1, j - 1] += g
                    Ab[i - 1, j] += g
                    Ab[i - 1, j + 1] += g
                    Ab[i, j - 1] += g
                    Ab[i, j + 1] += g
                    Ab[i + 1, j - 1] += g
                    Ab[i + 1, j] += g
                    Ab[i + 1, j + 1] += g
        return val, (Ab,)

    return primal, vg
