"""Adjoints of products of matrices and tensors of any rank, for generated code to call.

They are plain transposes; for complex numbers the caller conjugates.
"""
from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.runtime.arrays import Shape, unbroadcast

# ---------------------------------------------------------------- matmul, dot, inner

def matmul_x1(g: Any, x2: Any, shape: Shape) -> Any:
    """The adjoint of an array x1 of `shape` in x1 @ x2.

    >>> matmul_x1(np.ones(2), np.array([1.0, 2.0, 3.0]), (2, 3))
    array([[1., 2., 3.],
           [1., 2., 3.]])
    """
    if np.ndim(x2) == 1:
        return _scaled(g, x2, shape) if len(shape) == 1 else np.expand_dims(g, -1) * x2
    if len(shape) == 1:
        return unbroadcast(np.matmul(x2, g[..., np.newaxis])[..., 0], shape)
    return unbroadcast(g @ np.swapaxes(x2, -1, -2), shape)


def matmul_x2(g: Any, x1: Any, shape: Shape) -> Any:
    """The adjoint of an array x2 of `shape` in x1 @ x2."""
    if hasattr(x1, "tocsr"):                # a sparse matrix, which only its own methods know
        return x1.T @ g
    if np.ndim(x1) == 1:
        return _scaled(g, x1, shape) if len(shape) == 1 else x1[:, np.newaxis] * g[..., np.newaxis, :]
    if len(shape) == 1:
        return unbroadcast((np.swapaxes(x1, -1, -2) @ g[..., np.newaxis])[..., 0], shape)
    return unbroadcast(np.swapaxes(x1, -1, -2) @ g, shape)


def _scaled(g: Any, other: np.ndarray, shape: Shape) -> Any:
    """The adjoint of one vector in the product of two, which has failed, or would have, if their lengths differ."""
    if other.shape != shape:
        raise ValueError(f"vectors of lengths {shape[0]} and {len(other)} are multiplied")
    return g * other


def dot_a(g: Any, b: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.dot(a, b): contracts the axes that b put into the result."""
    n = np.ndim(b)
    if n == 0 or not shape:
        return unbroadcast(g * b, shape)
    if n == 1:
        return _scaled(g, b, shape) if len(shape) == 1 else np.expand_dims(g, -1) * b
    return np.tensordot(g, b, (_last(n - 1, np.ndim(g)), [*range(n - 2), n - 1]))


def dot_b(g: Any, a: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.dot(a, b): contracts the axes that a put into the result."""
    n = np.ndim(a)
    if n == 0 or not shape:
        return unbroadcast(g * a, shape)
    if n == len(shape) == 1:
        return _scaled(g, a, shape)
    bar = np.tensordot(a, g, (range(n - 1), range(n - 1)))
    return bar if len(shape) == 1 else np.moveaxis(bar, 0, -2)


def inner_a(g: Any, b: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.inner(a, b)."""
    n = np.ndim(b)
    if n == 0 or not shape:
        return unbroadcast(g * b, shape)
    return np.tensordot(g, b, (_last(n - 1, np.ndim(g)), range(n - 1)))


def inner_b(g: Any, a: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.inner(a, b)."""
    n = np.ndim(a)
    if n == 0 or not shape:
        return unbroadcast(g * a, shape)
    return np.tensordot(g, a, (range(n - 1), range(n - 1)))


def _last(count: int, ndim: int) -> range:
    """The last `count` of `ndim` axes."""
    return range(ndim - count, ndim)


# ---------------------------------------------------------------- tensordot, kron

def tensordot_a(g: Any, b: Any, shape: Shape, axes: Any) -> Any:
    """The adjoint of an array of `shape` in np.tensordot(a, b, axes)."""
    a_axes, b_axes = _contracted(axes, len(shape), np.ndim(b))
    free = [i for i in range(np.ndim(b)) if i not in b_axes]
    bar = np.tensordot(g, b, (_last(len(free), np.ndim(g)), free))
    # the result's axes: those of a that stay free, then those contracted, in the order of b's axes
    order = [i for i in range(len(shape)) if i not in a_axes] + [a_axes[i] for i in np.argsort(b_axes)]
    return np.transpose(bar, np.argsort(order))


def tensordot_b(g: Any, a: Any, shape: Shape, axes: Any) -> Any:
    """The adjoint of an array of `shape` in np.tensordot(a, b, axes)."""
    a_axes, b_axes = _contracted(axes, np.ndim(a), len(shape))
    free = [i for i in range(np.ndim(a)) if i not in a_axes]
    bar = np.tensordot(a, g, (free, range(len(free))))
    order = [b_axes[i] for i in np.argsort(a_axes)] + [i for i in range(len(shape)) if i not in b_axes]
    return np.transpose(bar, np.argsort(order))


def _contracted(axes: Any, a_ndim: int, b_ndim: int) -> tuple[list[int], list[int]]:
    """The axes of a and those of b that np.tensordot contracts, pair by pair, counted from 0."""
    if np.ndim(axes) == 0 and not isinstance(axes, (tuple, list)):
        return list(_last(axes, a_ndim)), list(range(axes))
    a_axes, b_axes = (np.atleast_1d(part) for part in axes)
    return [int(i) % a_ndim for i in a_axes], [int(i) % b_ndim for i in b_axes]


def kron_a(g: Any, b: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.kron(a, b)."""
    blocks, n = _blocks(g, shape, np.shape(b))
    bar = np.tensordot(blocks, np.reshape(b, _raised(np.shape(b), n)), (range(1, 2 * n, 2), range(n)))
    return np.reshape(bar, shape)


def kron_b(g: Any, a: Any, shape: Shape) -> Any:
    """The adjoint of an array of `shape` in np.kron(a, b)."""
    blocks, n = _blocks(g, np.shape(a), shape)
    bar = np.tensordot(np.reshape(a, _raised(np.shape(a), n)), blocks, (range(n), range(0, 2 * n, 2)))
    return np.reshape(bar, shape)


def _blocks(g: Any, a_shape: Shape, b_shape: Shape) -> tuple[np.ndarray, int]:
    """A Kronecker product with the axes of a and b apart: a0, b0, a1, b1 ...; and the rank."""
    n = max(len(a_shape), len(b_shape))
    pairs = zip(_raised(a_shape, n), _raised(b_shape, n))
    return np.reshape(g, [size for pair in pairs for size in pair]), n


def _raised(shape: Shape, ndim: int) -> Shape:
    return (1,) * (ndim - len(shape)) + shape


# ---------------------------------------------------------------- einsum

def einsum_adjoint(g: Any, subscripts: str, operands: Sequence[Any]) -> list[Any]:
    """The adjoints of all operands of np.einsum(subscripts, *operands)."""
    return [einsum_operand(g, subscripts, operands, i) for i in range(len(operands))]


def einsum_operand(g: Any, subscripts: str, operands: Sequence[Any], index: int) -> Any:
    """The adjoint of one operand of np.einsum(subscripts, *operands).

    >>> einsum_operand(np.ones(2), "ij,j->i", (np.zeros((2, 3)), np.arange(3.0)), 0)
    array([[0., 1., 2.],
           [0., 1., 2.]])
    """
    labels, result = _labels(subscripts, operands)
    own, shape = labels[index], np.shape(operands[index])
    wanted = "".join(dict.fromkeys(own))
    others = [(labels[i], operands[i]) for i in range(len(operands)) if i != index]
    others.append((result, g))
    # a label that nothing else has was summed alone: the adjoint is the same all along it
    alone = [c for c in wanted if not any(c in other for other, _ in others)]
    others += [(c, np.ones(shape[own.index(c)], np.asarray(g).dtype)) for c in alone]
    text = ",".join(other for other, _ in others) + "->" + wanted
    bar = np.einsum(text, *(value for _, value in others))
    return _on_diagonal(bar, own, wanted, shape)


def _on_diagonal(bar: Any, own: str, wanted: str, shape: Shape) -> Any:
    """The adjoint of an operand with labels `own` from that of its diagonal; np.einsum repeats dimensions of 1."""
    sizes = tuple(shape[own.index(c)] for c in wanted)
    bar = unbroadcast(np.broadcast_to(bar, np.broadcast_shapes(np.shape(bar), sizes)), sizes)
    if own == wanted:
        return bar
    full = np.zeros(shape, bar.dtype)
    np.einsum(f"{own}->{wanted}", full)[...] = bar      # a writable view of the diagonal
    return full


def _labels(subscripts: str, operands: Sequence[Any]) -> tuple[list[str], str]:
    """Explicit labels for each operand and for the result: no ellipsis, no implied result."""
    if not isinstance(subscripts, str):
        raise UnsupportedError("the subscripts of `einsum` aren't a string",
                               remedy="Write them as a string, such as 'ij,jk->ik', before the arrays.")
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in letters if letters.count(c) == 1))
    ranks = [np.ndim(x) - len(t.replace("...", "")) if "..." in t else 0 for t, x in zip(terms, operands)]
    fresh = "".join(c for c in string.ascii_letters if c not in subscripts)[:max(ranks, default=0)]
    explicit = [t.replace("...", fresh[len(fresh) - r:]) for t, r in zip(terms, ranks)]
    return explicit, right.replace("...", fresh)


# ---------------------------------------------------------------- convolution

def convolve_adjoint(g: Any, other: Any, n: int, mode: str) -> Any:
    """The adjoint of the operand of length `n` in np.convolve of it and `other`."""
    m = len(other)
    start = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    full = np.zeros(n + m - 1, np.asarray(g).dtype)
    full[start:start + len(g)] = g
    return np.convolve(full, other[::-1], "valid")
