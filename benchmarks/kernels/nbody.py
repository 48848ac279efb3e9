"""Softened gravitational N-body, leapfrog; masked in-place power."""
import numpy as np

from ._common import rng

ACTIVE = (1, 2, 3)
SIZES = {"S": (10, 40), "M": (20, 120), "L": (50, 400)}


def make_args(size):
    steps, n = SIZES[size]
    r = rng(21)
    mass = 20.0 * np.ones((n, 1)) / n * (0.5 + r.random((n, 1)))
    return steps, mass, r.standard_normal((n, 3)), r.standard_normal((n, 3))


def acceleration(mass, pos):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = dx ** 2 + dy ** 2 + dz ** 2 + 0.01
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = (dx * inv_r3) @ mass
    ay = (dy * inv_r3) @ mass
    az = (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def nbody(steps, mass, pos, vel):
    dt = 0.01
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(mass, pos)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(mass, pos)
        vel += acc * dt / 2.0


def loss(steps, mass, pos, vel):
    pos = pos.copy()
    vel = vel.copy()
    nbody(steps, mass, pos, vel)
    return 0.5 * np.sum(mass * vel ** 2) + np.sum(pos ** 2)


def _func_acc(mass, pos):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx ** 2 + dy ** 2 + dz ** 2 + 0.01) ** (-1.5)
    return np.concatenate(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass), axis=1)


def func_loss(steps, mass, pos, vel):
    dt = 0.01
    vel = vel - np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = _func_acc(mass, pos)
    for i in range(steps):
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = _func_acc(mass, pos)
        vel = vel + acc * dt / 2.0
    return 0.5 * np.sum(mass * vel ** 2) + np.sum(pos ** 2)


def jax_loss(steps, mass, pos, vel):
    import jax.numpy as jnp
    from jax import lax
    dt = 0.01

    def acceleration(pos):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r3 = (dx ** 2 + dy ** 2 + dz ** 2 + 0.01) ** (-1.5)
        return jnp.hstack(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass))

    def body(c, _):
        pos, vel, acc = c
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = acceleration(pos)
        return (pos, vel + acc * dt / 2.0, acc), None

    vel = vel - jnp.mean(mass * vel, axis=0) / jnp.mean(mass)
    (pos, vel, _), _ = lax.scan(body, (pos, vel, acceleration(pos)), None, length=steps)
    return 0.5 * jnp.sum(mass * vel ** 2) + jnp.sum(pos ** 2)
