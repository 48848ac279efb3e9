"""2-D Maxwell finite-difference time-domain update, three fields in place."""
import numpy as np

from ._common import rng

ACTIVE = (1, 2, 3, 4)
SIZES = {"S": (40, 80), "M": (80, 220), "L": (200, 500)}


def make_args(size):
    steps, n = SIZES[size]
    r = rng(5)
    return steps, r.random((n, n)), r.random((n, n)), r.random((n, n)), r.random(steps)


def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def loss(steps, ex, ey, hz, source):
    ex = ex.copy()
    ey = ey.copy()
    hz = hz.copy()
    fdtd_2d(steps, ex, ey, hz, source)
    return np.sum(hz * hz) + np.sum(ex * ey)


def func_loss(steps, ex, ey, hz, source):
    ones = np.ones((1, ey.shape[1]))
    for t in range(steps):
        ey = np.concatenate((source[t] * ones, ey[1:, :] - 0.5 * (hz[1:, :] - hz[:-1, :])), axis=0)
        ex = np.concatenate((ex[:, :1], ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1])), axis=1)
        mid = hz[:-1, :-1] - 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        mid = np.concatenate((mid, hz[:-1, -1:]), axis=1)
        hz = np.concatenate((mid, hz[-1:, :]), axis=0)
    return np.sum(hz * hz) + np.sum(ex * ey)


def jax_loss(steps, ex, ey, hz, source):
    import jax.numpy as jnp
    from jax import lax

    def body(c, s):
        ex, ey, hz = c
        ey = ey.at[0, :].set(s)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return (ex, ey, hz), None

    (ex, ey, hz), _ = lax.scan(body, (ex, ey, hz), source)
    return jnp.sum(hz * hz) + jnp.sum(ex * ey)
