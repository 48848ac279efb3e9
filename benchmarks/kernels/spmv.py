"""CSR sparse matrix-vector product with a Python loop over rows (gathers and ragged slices)."""
import numpy as np

from ._common import rng

ACTIVE = (2, 3)
SIZES = {"S": (1000, 20), "M": (8000, 40), "L": (40000, 60)}


def make_args(size):
    n, nnz = SIZES[size]
    r = rng(29)
    counts = r.integers(1, 2 * nnz, n)
    rowptr = np.concatenate(([0], np.cumsum(counts)))
    total = int(rowptr[-1])
    return rowptr, r.integers(0, n, total), r.random(total), r.random(n)


def spmv(rowptr, col, val, x):
    y = np.zeros(rowptr.shape[0] - 1)
    for i in range(rowptr.shape[0] - 1):
        cols = col[rowptr[i]:rowptr[i + 1]]
        vals = val[rowptr[i]:rowptr[i + 1]]
        y[i] = np.dot(vals, x[cols])
    return y


def loss(rowptr, col, val, x):
    y = spmv(rowptr, col, val, x)
    return np.sum(y * y)


def func_loss(rowptr, col, val, x):
    total = 0.0
    for i in range(rowptr.shape[0] - 1):
        lo = int(rowptr[i])
        hi = int(rowptr[i + 1])
        y = np.dot(val[lo:hi], x[col[lo:hi]])
        total = total + y * y
    return total


def jax_loss(rowptr, col, val, x):
    """Ragged rows have data-dependent shapes: segment sum instead."""
    import jax
    import jax.numpy as jnp
    n = rowptr.shape[0] - 1
    rows = jnp.repeat(jnp.arange(n), rowptr[1:] - rowptr[:-1], total_repeat_length=val.shape[0])
    y = jax.ops.segment_sum(val * x[col], rows, num_segments=n)
    return jnp.sum(y * y)


def hand_value_and_grad(rowptr, col, val, x):
    y = spmv(rowptr, col, val, x)
    valb = np.zeros_like(val)
    xb = np.zeros_like(x)
    for i in range(rowptr.shape[0] - 2, -1, -1):
        lo, hi = rowptr[i], rowptr[i + 1]
        cols = col[lo:hi]
        g = 2.0 * y[i]
        np.multiply(x[cols], g, out=valb[lo:hi])
        np.add.at(xb, cols, g * val[lo:hi])
    return np.sum(y * y), (valb, xb)
