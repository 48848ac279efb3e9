"""Small programs as users write them, each beside the gradient that a careful person writes by hand."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A scalar function, its hand-written gradient in the arguments `wrt`, and arguments to call both with."""
    primal: Callable[..., Any]
    hand: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)

    @property
    def name(self) -> str:
        return self.primal.__name__

    @property
    def argnums(self) -> int | tuple[int, ...]:
        return self.wrt if len(self.wrt) > 1 else self.wrt[0]


def polynomial(x):
    return 3.0 * x**3 - 2.0 * x**2 + x - 7.0


def polynomial_hand(x):
    return 9.0 * x**2 - 4.0 * x + 1.0


def scalar_loop(x, n):
    y = x
    for _ in range(n):
        y = y + 0.001 * (x - y * y)
    return y


def scalar_loop_hand(x, n):
    y = x
    ys = []
    for _ in range(n):
        ys.append(y)
        y = y + 0.001 * (x - y * y)
    y_bar, x_bar = 1.0, 0.0
    for _ in range(n):
        x_bar += 0.001 * y_bar
        y_bar -= 0.002 * y_bar * ys.pop()
    return x_bar + y_bar


def mlp(w1, b1, w2, b2, w3, b3, x, target):
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    residual = h2 @ w3 + b3 - target
    return np.mean(residual * residual)


def mlp_hand(w1, b1, w2, b2, w3, b3, x, target):
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    residual = h2 @ w3 + b3 - target
    z3_bar = 2.0 / residual.size * residual
    z2_bar = z3_bar @ w3.T * (1.0 - h2 * h2)
    z1_bar = z2_bar @ w2.T * (1.0 - h1 * h1)
    return (x.T @ z1_bar, np.sum(z1_bar, axis=0), h1.T @ z2_bar, np.sum(z2_bar, axis=0),
            h2.T @ z3_bar, np.sum(z3_bar, axis=0))


def rnn(W, U, b, xs, target):
    h = np.zeros(W.shape[0])
    total = 0.0
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
        total = total + np.sum((h - target) ** 2)
    return total


def rnn_hand(W, U, b, xs, target):
    h = np.zeros(W.shape[0])
    hs = [h]
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
        hs.append(h)
    W_bar, U_bar, b_bar = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b)
    h_bar = np.zeros_like(h)
    for x in reversed(xs):
        h = hs.pop()
        h_bar += 2.0 * (h - target)
        z_bar = h_bar * (1.0 - h * h)
        W_bar += np.outer(z_bar, hs[-1])
        U_bar += np.outer(z_bar, x)
        b_bar += z_bar
        h_bar = W.T @ z_bar
    return W_bar, U_bar, b_bar


def logaddexp_loss(w, X, y):
    z = X @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def logaddexp_loss_hand(w, X, y):
    z = X @ w
    return X.T @ (np.exp(z - np.logaddexp(0.0, z)) - y)


def loss(w, X, y):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def loss_hand(w, X, y):
    z = X @ w
    e = np.exp(-z)
    p = 1.0 / (1.0 + e)
    a_bar = -1.0 / p.size
    p_bar = a_bar * y / p - a_bar * (1.0 - y) / (1.0 - p)
    z_bar = p_bar * p * p * e
    return X.T @ z_bar


def energy(u, nu, dt, dx, steps):
    u = u.copy()
    for _ in range(steps):
        flux = 0.5 * u * u
        u[1:-1] += nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])
    return np.sum(u * u)


def energy_hand(u, nu, dt, dx, steps):
    u = u.copy()
    u_saved = []
    for _ in range(steps):
        flux = 0.5 * u * u
        u_saved.append(u[1:-1].copy())
        u[1:-1] += nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])
    u_bar = 2.0 * u
    for _ in range(steps):
        u[1:-1] = u_saved.pop()
        a_bar = nu * dt / dx**2 * u_bar[1:-1]
        b_bar = dt / (2.0 * dx) * u_bar[1:-1]
        u_bar[2:] += a_bar
        u_bar[1:-1] -= 2.0 * a_bar
        u_bar[:-2] += a_bar
        flux_bar = np.zeros_like(u)
        flux_bar[2:] -= b_bar
        flux_bar[:-2] += b_bar
        u_bar += flux_bar * u
    return u_bar


def programs() -> list[Program]:
    """All programs with their arguments, the same in every run."""
    r = np.random.default_rng(7)

    def normal(*shape):
        return 0.3 * r.standard_normal(shape)

    layers = (normal(20, 64), normal(64), normal(64, 64), normal(64), normal(64, 1), normal(1))
    X, y = normal(200, 10), (r.random(200) < 0.5).astype(float)
    return [
        Program(polynomial, polynomial_hand, (1.3,)),
        Program(scalar_loop, scalar_loop_hand, (0.7, 1000)),
        Program(mlp, mlp_hand, (*layers, normal(50, 20), normal(50, 1)), tuple(range(6))),
        Program(rnn, rnn_hand, (normal(32, 32), normal(32, 8), normal(32), normal(50, 8), normal(32)), (0, 1, 2)),
        Program(logaddexp_loss, logaddexp_loss_hand, (normal(10), X, y)),
        Program(loss, loss_hand, (normal(10), X, y)),
        Program(energy, energy_hand, (np.sin(np.linspace(0.0, 6.0, 200)), 0.1, 1e-3, 0.05, 100)),
    ]
