"""2-D convolution with bias and ReLU; explicit loop over output pixels."""
import numpy as np

from ._common import rng

ACTIVE = (0, 1, 2)
SIZES = {"S": (4, 16, 3, 4, 3), "M": (8, 32, 4, 8, 3), "L": (16, 64, 8, 16, 5)}


def make_args(size):
    n, h, ci, co, k = SIZES[size]
    r = rng(20)
    return (r.standard_normal((n, h, h, ci)), r.standard_normal((k, k, ci, co)), r.standard_normal(co),
            r.random((n, h - k + 1, h - k + 1, co)))


def conv2d(x, w, b):
    k = w.shape[0]
    n, h, wd, ci = x.shape
    out = np.zeros((n, h - k + 1, wd - k + 1, w.shape[3]))
    for i in range(h - k + 1):
        for j in range(wd - k + 1):
            out[:, i, j, :] = np.sum(x[:, i:i + k, j:j + k, :, np.newaxis] * w[np.newaxis, :, :, :, :], axis=(1, 2, 3))
    return np.maximum(out + b, 0.0)


def loss(x, w, b, g):
    return np.sum(conv2d(x, w, b) * g)


def func_loss(x, w, b, g):
    k = w.shape[0]
    n, h, wd, ci = x.shape
    total = 0.0
    w5 = np.reshape(w, (1, k, k, ci, w.shape[3]))
    x5 = np.reshape(x, (n, h, wd, ci, 1))
    for i in range(h - k + 1):
        for j in range(wd - k + 1):
            v = np.sum(x5[:, i:i + k, j:j + k] * w5, axis=(1, 2, 3))
            total = total + np.sum(np.maximum(v + b, 0.0) * g[:, i, j, :])
    return total


def jax_loss(x, w, b, g):
    """Expert form: the library convolution."""
    import jax.numpy as jnp
    from jax import lax
    out = lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jnp.sum(jnp.maximum(out + b, 0.0) * g)
