"""The two programs that the design page shows, and what they become with other names, functions, and stencils.

They are here to be read: what is printed for a variant should differ from its original as little as the variant does.
"""
import numpy as np


def loss(w, X, y):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def poisson_deviance(beta, design, counts):
    eta = design @ beta
    rate = np.exp(eta)
    return np.mean(rate - counts * np.log(rate))


def cauchit_loss(coefficients, features, labels):
    score = features @ coefficients
    chance = 0.5 + np.arctan(score) / np.pi
    return -np.sum(labels * np.log(chance) + (1.0 - labels) * np.log(1.0 - chance))


def energy(u, nu, dt, dx, steps):
    u = u.copy()
    for _ in range(steps):
        flux = 0.5 * u * u
        u[1:-1] += nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])
    return np.sum(u * u)


def heat(temperature, conductivity, steps):
    temperature = temperature.copy()
    for _ in range(steps):
        temperature[1:-1] += conductivity * (temperature[2:] - 2.0 * temperature[1:-1] + temperature[:-2])
    return np.sum(temperature**2)


def wide_stencil(q, c, steps):
    q = q.copy()
    for _ in range(steps):
        q[2:-2] -= c * q[2:-2] * (-q[4:] + 8.0 * q[3:-1] - 8.0 * q[1:-3] + q[:-4])
    return np.sum(q * q)


def two_dimensions(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        laplacian = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += k * laplacian - u[1:-1, 1:-1] ** 3
    return 0.5 * np.sum(u * u)


def coupled_fields(u, v, f, k, steps):
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        reaction = u * v * v
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - reaction[1:-1] + f * (1.0 - u[1:-1])
        v[1:-1] += 0.1 * (v[2:] - 2.0 * v[1:-1] + v[:-2]) + reaction[1:-1] - (f + k) * v[1:-1]
    return np.sum(v * v)


def under_a_branch(u, nu, viscous, steps):
    u = u.copy()
    if viscous:
        for _ in range(steps):
            u[1:-1] += nu * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    else:
        for _ in range(steps):
            u[1:] -= 0.5 * u[1:] * (u[1:] - u[:-1])
    return np.sum(u * u)
