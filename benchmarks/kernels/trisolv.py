"""Forward substitution with a lower-triangular matrix."""
import numpy as np

from ._common import rng

ACTIVE = (0, 1)
SIZES = {"S": (500,), "M": (2000,), "L": (6000,)}


def make_args(size):
    (n,) = SIZES[size]
    r = rng(10)
    return np.tril(r.random((n, n)) / n) + np.eye(n), r.random(n), r.random(n)


def trisolv(L, b):
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n):
        x[i] = (b[i] - np.dot(L[i, :i], x[:i])) / L[i, i]
    return x


def loss(L, b, w):
    x = trisolv(L, b)
    return np.sum(x * w)


def func_loss(L, b, w):
    n = b.shape[0]
    x = b[:1] / L[0, 0]
    for i in range(1, n):
        v = (b[i] - np.dot(L[i, :i], x)) / L[i, i]
        x = np.concatenate((x, np.reshape(v, (1,))))
    return np.sum(x * w)


def jax_loss(L, b, w):
    import jax.numpy as jnp
    from jax import lax
    n = b.shape[0]

    def body(i, x):
        return x.at[i].set((b[i] - jnp.dot(L[i], x)) / L[i, i])  # x is zero from i on

    x = lax.fori_loop(0, n, body, jnp.zeros_like(b))
    return jnp.sum(x * w)


def hand_value_and_grad(L, b, w):
    x = trisolv(L, b)
    n = b.shape[0]
    Lb = np.zeros_like(L)
    bb = np.zeros_like(b)
    xb = w.copy()
    for i in range(n - 1, -1, -1):
        g = xb[i] / L[i, i]
        bb[i] = g
        Lb[i, i] = -g * x[i]
        np.multiply(x[:i], -g, out=Lb[i, :i])
        xb[:i] -= g * L[i, :i]
    return np.sum(x * w), (Lb, bb)


def numba_functions():
    import numba as nb

    @nb.njit
    def solve(L, b):
        n = b.shape[0]
        x = np.zeros_like(b)
        for i in range(n):
            s = b[i]
            for k in range(i):
                s -= L[i, k] * x[k]
            x[i] = s / L[i, i]
        return x

    @nb.njit
    def primal(L, b, w):
        return np.sum(solve(L, b) * w)

    @nb.njit
    def vg(L, b, w):
        x = solve(L, b)
        n = b.shape[0]
        Lb = np.zeros_like(L)
        bb = np.zeros_like(b)
        xb = w.copy()
        for i in range(n - 1, -1, -1):
            g = xb[i] / L[i, i]
            bb[i] = g
            Lb[i, i] = -g * x[i]
            for k in range(i):
                Lb[i, k] = -g * x[k]
                xb[k] -= g * L[i, k]
        return np.sum(x * w), (Lb, bb)

    return primal, vg
