#!/usr/bin/env python3
"""Gradient over primal for kernels that write in place, beside gradients that a careful person writes by hand.

    python benchmarks/in_place.py [NAME ...]

As `small.py`, which measures: ratios of medians, and whether generated and hand-written gradient agree.
"""
from __future__ import annotations

import sys

from clean import find_package, restart_clean

if __name__ == "__main__":
    restart_clean()
find_package()

import numpy as np  # noqa: E402  (after the restart)

from programs import Program, energy, energy_hand  # noqa: E402
from small import table  # noqa: E402

# ---------------------------------------------------------------- two buffers, swapped

def diffusion(u, k, steps):
    u = u.copy()
    new = u.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u, new = new, u
    return np.sum(u * u)


def diffusion_hand(u, k, steps):
    u = u.copy()
    new = u.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u, new = new, u
    u_bar = 2.0 * u
    new_bar = np.zeros_like(u)
    for _ in range(steps):
        u_bar, new_bar = new_bar, u_bar
        g = k * new_bar[1:-1]
        u_bar[1:-1] += new_bar[1:-1] - 2.0 * g
        u_bar[2:] += g
        u_bar[:-2] += g
        new_bar[1:-1] = 0.0
    return u_bar + new_bar


# ---------------------------------------------------------------- three time levels, rotated, nonlinear

def wave(u, c, steps):
    old = u.copy()
    now = u.copy()
    new = np.zeros_like(u)
    for _ in range(steps):
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1] + c * (now[2:] - 2.0 * now[1:-1] + now[:-2]) - 0.01 * now[1:-1] ** 3
        old, now, new = now, new, old
    return np.sum(now * now)


def wave_hand(u, c, steps):
    old = u.copy()
    now = u.copy()
    new = np.zeros_like(u)
    saved = []
    for _ in range(steps):
        saved.append(now[1:-1].copy())
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1] + c * (now[2:] - 2.0 * now[1:-1] + now[:-2]) - 0.01 * now[1:-1] ** 3
        old, now, new = now, new, old
    now_bar = 2.0 * now
    old_bar = np.zeros_like(u)
    new_bar = np.zeros_like(u)
    for _ in range(steps):
        old_bar, now_bar, new_bar = new_bar, old_bar, now_bar
        g = new_bar[1:-1]
        a = c * g
        now_bar[1:-1] += (2.0 - 0.03 * saved.pop() ** 2) * g - 2.0 * a
        now_bar[2:] += a
        now_bar[:-2] += a
        old_bar[1:-1] -= g
        new_bar[1:-1] = 0.0
    return old_bar + now_bar


# ---------------------------------------------------------------- LU by loops

def lu(A, W):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    return np.sum(A * W)


def lu_hand(A, W):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    A_bar = W.copy()
    for k in reversed(range(n)):
        for i in reversed(range(k + 1, n)):
            g = A_bar[i, k + 1:]
            A_bar[k, k + 1:] -= A[i, k] * g
            A_bar[i, k] -= g @ A[k, k + 1:]
            A_bar[i, k] /= A[k, k]
            A_bar[k, k] -= A_bar[i, k] * A[i, k]
    return A_bar


# ---------------------------------------------------------------- leapfrog on staggered grids

def fdtd(h, steps):
    h = h.copy()
    e = np.zeros(len(h) + 1)
    for _ in range(steps):
        e[1:-1] -= 0.5 * (h[1:] - h[:-1])
        h -= 0.7 * (e[1:] - e[:-1])
    return np.sum(h * h)


def fdtd_hand(h, steps):
    h = h.copy()
    e = np.zeros(len(h) + 1)
    for _ in range(steps):
        e[1:-1] -= 0.5 * (h[1:] - h[:-1])
        h -= 0.7 * (e[1:] - e[:-1])
    h_bar = 2.0 * h
    e_bar = np.zeros_like(e)
    for _ in range(steps):
        g = 0.7 * h_bar
        e_bar[1:] -= g
        e_bar[:-1] += g
        g = 0.5 * e_bar[1:-1]
        h_bar[1:] -= g
        h_bar[:-1] += g
    return h_bar


# ---------------------------------------------------------------- a filter with ghost cells, over rows

def upwind(rho, c, steps):
    u = np.zeros(len(rho) + 2)
    u[1:-1] = rho
    for _ in range(steps):
        u[0] = u[-2]
        u[1:-1] -= c * (u[1:-1] - u[:-2])
    return np.sum(u[1:-1] ** 2)


def upwind_hand(rho, c, steps):
    u = np.zeros(len(rho) + 2)
    u[1:-1] = rho
    for _ in range(steps):
        u[0] = u[-2]
        u[1:-1] -= c * (u[1:-1] - u[:-2])
    u_bar = np.zeros_like(u)
    u_bar[1:-1] = 2.0 * u[1:-1]
    for _ in range(steps):
        g = c * u_bar[1:-1]
        u_bar[1:-1] -= g
        u_bar[:-2] += g
        u_bar[-2] += u_bar[0]
        u_bar[0] = 0.0
    return u_bar[1:-1]


# ---------------------------------------------------------------- a recurrence, cell by cell

def chain(w, n):
    v = np.zeros(n)
    v[0] = 0.1
    for i in range(1, n):
        v[i] = v[i - 1] * w[i] + 0.1 * np.cos(v[i - 1])
    return v[n - 1]


def chain_hand(w, n):
    v = np.zeros(n)
    v[0] = 0.1
    for i in range(1, n):
        v[i] = v[i - 1] * w[i] + 0.1 * np.cos(v[i - 1])
    w_bar = np.zeros_like(w)
    v_bar = np.zeros(n)
    v_bar[n - 1] = 1.0
    for i in reversed(range(1, n)):
        w_bar[i] += v_bar[i] * v[i - 1]
        v_bar[i - 1] += v_bar[i] * (w[i] - 0.1 * np.sin(v[i - 1]))
    return w_bar


def programs() -> list[Program]:
    """All kernels with their arguments, the same in every run."""
    r = np.random.default_rng(11)
    line = np.sin(np.linspace(0.0, 6.0, 400))
    A = r.standard_normal((40, 40)) + 40.0 * np.eye(40)
    return [
        Program(diffusion, diffusion_hand, (line, 0.2, 200)),
        Program(wave, wave_hand, (0.1 * line, 0.25, 200)),
        Program(energy, energy_hand, (line, 0.1, 1e-3, 0.05, 200)),
        Program(lu, lu_hand, (A, r.standard_normal((40, 40)))),
        Program(fdtd, fdtd_hand, (line, 200)),
        Program(upwind, upwind_hand, (line, 0.3, 200)),
        Program(chain, chain_hand, (0.9 * r.random(500), 500)),
    ]


if __name__ == "__main__":
    sys.exit(table(programs(), sys.argv[1:]))
