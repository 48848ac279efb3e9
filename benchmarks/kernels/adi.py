"""Alternating-direction implicit heat equation: Thomas sweeps over columns, then rows."""
import numpy as np

from ._common import rng

ACTIVE = (1,)
SIZES = {"S": (10, 50), "M": (20, 120), "L": (50, 300)}


def make_args(size):
    steps, n = SIZES[size]
    return steps, rng(6).random((n, n))


def adi(steps, u):
    n = u.shape[0]
    r = 0.4
    a = -r / 2.0
    b = 1.0 + r
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for t in range(steps):
        # implicit along the first axis
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            den = a * p[1:-1, j - 1] + b
            p[1:-1, j] = -a / den
            q[1:-1, j] = (-a * u[j, :-2] + (1.0 + 2.0 * a) * u[j, 1:-1] - a * u[j, 2:] - a * q[1:-1, j - 1]) / den
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        # implicit along the second axis
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            den = a * p[1:-1, j - 1] + b
            p[1:-1, j] = -a / den
            q[1:-1, j] = (-a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j] - a * q[1:-1, j - 1]) / den
        u[1:-1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def loss(steps, u):
    u = u.copy()
    adi(steps, u)
    return np.sum(u * u)


def _func_solve(rows, a, b, one):
    """Thomas solve; rows[j] for j = 1..n-2 are the right-hand sides."""
    n = len(rows)
    p = [0.0 * one]
    q = [one]
    for j in range(1, n - 1):
        w = rows[j]
        den = a * p[j - 1] + b
        p.append(-a / den)
        q.append((-a * w[:-2] + (1.0 + 2.0 * a) * w[1:-1] - a * w[2:] - a * q[j - 1]) / den)
    x = [None] * n
    x[n - 1] = one
    for j in range(n - 2, 0, -1):
        x[j] = p[j] * x[j + 1] + q[j]
    x[0] = one
    return x


def func_loss(steps, u):
    n = u.shape[0]
    r = 0.4
    a = -r / 2.0
    b = 1.0 + r
    one = np.ones(n - 2)
    zero2 = np.zeros((n, 1))
    for t in range(steps):
        v = np.concatenate((zero2, np.stack(_func_solve([u[j] for j in range(n)], a, b, one)), zero2), axis=1)
        mid = np.stack(_func_solve([v[:, j] for j in range(n)], a, b, one)).T
        u = np.concatenate((u[:1], mid, u[-1:]), axis=0)
    return np.sum(u * u)


def jax_loss(steps, u):
    import jax.numpy as jnp
    from jax import lax
    n = u.shape[0]
    r = 0.4
    a = -r / 2.0
    b = 1.0 + r
    one = jnp.ones(n - 2)

    def solve(rows):
        def fwd(c, w):
            p, q = c
            den = a * p + b
            p = -a / den
            q = (-a * w[:-2] + (1.0 + 2.0 * a) * w[1:-1] - a * w[2:] - a * q) / den
            return (p, q), (p, q)

        _, (p, q) = lax.scan(fwd, (0.0 * one, one), rows[1:-1])

        def bwd(x, pq):
            x = pq[0] * x + pq[1]
            return x, x

        _, x = lax.scan(bwd, one, (p, q), reverse=True)
        return jnp.concatenate((one[None], x, one[None]))

    def step(u, _):
        v = jnp.pad(solve(u), ((0, 0), (1, 1)))
        u = jnp.concatenate((u[:1], solve(v.T).T, u[-1:]))
        return u, None

    u, _ = lax.scan(step, u, None, length=steps)
    return jnp.sum(u * u)
