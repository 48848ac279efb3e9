"""A function of 30 lines that touches most of what the compiler does: what a first gradient costs is measured on it."""
import numpy as np


def model(u, k, A):
    u = u.copy()
    n = len(u)
    total = 0.0
    history = []
    for step in range(10):
        left = u[:-2]
        right = u[2:]
        lap = left - 2.0 * u[1:-1] + right
        react = k[1:-1] * u[1:-1] * (1.0 - u[1:-1])
        u[1:-1] += 0.01 * (lap + react)
        if step % 2 == 0:
            u[0] = 0.5 * u[1]
            u[-1] = 0.5 * u[-2]
        else:
            u[0] = u[1]
            u[-1] = u[-2]
        z = A @ u
        gate = 1.0 / (1.0 + np.exp(-z))
        mixed = gate * np.tanh(z) + (1.0 - gate) * u
        norm = np.sqrt(np.sum(mixed * mixed) + 1e-6)
        history.append(mixed / norm)
        total = total + norm / n
    smooth = 0.0
    for k in range(1, len(history)):
        d = history[k] - history[k - 1]
        smooth = smooth + np.sum(d * d)
    m = np.mean(history[-1])
    v = np.mean((history[-1] - m) ** 2)
    return total + 0.1 * smooth + np.log(1.0 + v)
