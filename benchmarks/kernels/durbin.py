"""Levinson-Durbin recursion for a Toeplitz system."""
import numpy as np

from ._common import rng

ACTIVE = (0,)
SIZES = {"S": (300,), "M": (1500,), "L": (6000,)}


def make_args(size):
    (n,) = SIZES[size]
    r = rng(11)
    return 0.4 * r.random(n) / np.arange(1, n + 1) ** 1.2, r.random(n)


def durbin(r):
    n = r.shape[0]
    y = np.zeros_like(r)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def loss(r, w):
    y = durbin(r)
    return np.sum(y * w)


def func_loss(r, w):
    n = r.shape[0]
    y = -r[:1]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = beta * (1.0 - alpha * alpha)
        alpha = -(r[k] + np.dot(np.flipud(r[:k]), y)) / beta
        y = np.concatenate((y + alpha * np.flipud(y), np.reshape(alpha, (1,))))
    return np.sum(y * w)


def jax_loss(r, w):
    import jax.numpy as jnp
    from jax import lax
    n = r.shape[0]
    idx = jnp.arange(n)

    def body(k, c):
        y, alpha, beta = c
        beta = beta * (1.0 - alpha * alpha)
        rr = jnp.where(idx < k, r[(k - 1 - idx) % n], 0.0)
        alpha = -(r[k] + jnp.dot(rr, y)) / beta
        yr = jnp.where(idx < k, y[(k - 1 - idx) % n], 0.0)
        y = (y + alpha * yr).at[k].set(alpha)
        return y, alpha, beta

    y0 = jnp.zeros_like(r).at[0].set(-r[0])
    y, _, _ = lax.fori_loop(1, n, body, (y0, -r[0], jnp.ones(())))
    return jnp.sum(y * w)
