"""Three dense layers, ReLU, softmax cross-entropy."""
import numpy as np

from ._common import rng

ACTIVE = (2, 3, 4, 5, 6, 7)
FD_STEP = 1e-8  # kinks lie closer than the default step
SIZES = {"S": (32, 64, 200, 100, 10), "M": (128, 256, 800, 400, 50), "L": (256, 1024, 3000, 1500, 100)}


def make_args(size):
    n, c, s0, s1, s2 = SIZES[size]
    r = rng(19)

    def w(a, b):
        return r.standard_normal((a, b)) / np.sqrt(a)

    target = np.eye(s2)[r.integers(0, s2, n)]
    return (r.standard_normal((n, c)), target, w(c, s0), r.standard_normal(s0), w(s0, s1), r.standard_normal(s1),
            w(s1, s2), r.standard_normal(s2))


def relu(x):
    return np.maximum(x, 0.0)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def mlp(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def loss(x, target, w1, b1, w2, b2, w3, b3):
    p = mlp(x, w1, b1, w2, b2, w3, b3)
    return -np.sum(target * np.log(p)) / x.shape[0]


def hand_value_and_grad(x, target, w1, b1, w2, b2, w3, b3):
    n = x.shape[0]
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0.0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0.0, out=h2)
    z = h2 @ w3
    z += b3
    z -= np.max(z, axis=-1, keepdims=True)
    np.exp(z, out=z)
    z /= np.sum(z, axis=-1, keepdims=True)
    val = -np.sum(target * np.log(z)) / n
    g = z
    g -= target
    g /= n
    g3 = h2.T @ g
    c3 = np.sum(g, axis=0)
    g = g @ w3.T
    g *= h2 > 0
    g2 = h1.T @ g
    c2 = np.sum(g, axis=0)
    g = g @ w2.T
    g *= h1 > 0
    return val, (x.T @ g, np.sum(g, axis=0), g2, c2, g3, c3)
