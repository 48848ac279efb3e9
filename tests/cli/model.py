"""The functions that the command line is tried on."""
import numpy as np

start = np.linspace(0.1, 1.0, 4)
table = {"rates": np.array([0.5, 0.25])}


def loss(w, X, y, scale=0.5):
    z = X @ w
    p = 1 / (1 + np.exp(-z))
    return -np.sum(y * np.log(p)) * scale


def decay(u: np.ndarray, rate: float, steps: int = 3):
    v = u.copy()
    for _ in range(steps):
        for i in range(1, len(v)):
            v[i] = v[i] * (1.0 - rate) + rate * v[i - 1]
        v = np.tanh(v)
    return np.sum(v * v)


def mixed(x, kind="soft"):
    rate = table["rates"][0]
    return rate * (np.log1p(np.exp(x)) if kind == "soft" else max(x, 0.0))


def wrong(x):
    return float(str(x))
