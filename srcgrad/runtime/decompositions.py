"""Adjoints of determinants, factorisations and linear systems, for generated code to call."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.arrays import Shape, unbroadcast


def solve_transposed(a: Any, g: Any, vector: bool) -> Any:
    """The solution of a^T x = g, where g is one vector or holds columns: the adjoint of b in np.linalg.solve(a, b)."""
    if vector:
        return np.linalg.solve(np.swapaxes(a, -1, -2), np.expand_dims(g, -1))[..., 0]
    return np.linalg.solve(np.swapaxes(a, -1, -2), g)


def solve_a(b_bar: Any, out: Any, shape: Shape, vector: bool) -> Any:
    """The adjoint of an array of `shape` in out = np.linalg.solve(a, b), from the one of b."""
    if vector:
        return unbroadcast(-np.expand_dims(b_bar, -1) * np.expand_dims(out, -2), shape)
    return unbroadcast(-b_bar @ np.swapaxes(out, -1, -2), shape)


def cofactors(a: Any) -> Any:
    """The matrix of cofactors, d det(a) / da, of singular matrices too.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.stack([np.prod(np.delete(s, i, axis=-1), axis=-1) for i in range(n)], axis=-1) if n else s
    turn = np.linalg.det(u) * np.linalg.det(vh)
    # a = u s vh, so the transposed adjugate is det(u) det(vh) times conj(u) (products of others) conj(vh)
    return np.expand_dims(turn, (-2, -1)) * (np.conj(u) * others[..., np.newaxis, :] @ np.conj(vh))


def slogdet_adjoint(g: Any, out: Any, a: Any) -> Any:
    """The adjoint of `a` in out = np.linalg.slogdet(a), where g holds those of sign and logarithm (None: zero)."""
    sign_bar, log_bar = (0.0 if bar is None else bar for bar in g)
    turned = np.real(log_bar) - 1j * np.imag(np.conj(sign_bar) * out[0]) if np.iscomplexobj(a) else log_bar
    return np.expand_dims(turned, (-2, -1)) * np.conj(np.swapaxes(np.linalg.inv(a), -1, -2))


def matrix_power_adjoint(g: Any, a: Any, n: int) -> Any:
    """The adjoint of `a` in np.linalg.matrix_power(a, n)."""
    if n < 0:
        inverse = np.swapaxes(np.linalg.inv(a), -1, -2)
        return -inverse @ matrix_power_adjoint(g, np.linalg.inv(a), -n) @ inverse
    turned = np.swapaxes(a, -1, -2)
    power = np.linalg.matrix_power
    return sum((power(turned, k) @ g @ power(turned, n - 1 - k) for k in range(n)), np.zeros(np.shape(a), g.dtype))


def cholesky_adjoint(g: Any, out: Any) -> Any:
    """The adjoint of `a` in out = np.linalg.cholesky(a), which reads the lower triangle only.

    I. Murray, Differentiation of the Cholesky decomposition (2016), eq. 8.
    """
    turned = np.conj(np.swapaxes(out, -1, -2))
    inner = np.tril(turned @ g)
    inner = inner - 0.5 * _diagonal_part(inner)
    left = np.linalg.solve(turned, inner)
    return _lower(np.conj(np.swapaxes(np.linalg.solve(turned, np.conj(np.swapaxes(left, -1, -2))), -1, -2)))


def eigh_adjoint(g: Any, out: Any, uplo: str) -> Any:
    """The adjoint of `a` in out = np.linalg.eigh(a, uplo), which reads one triangle only.

    g holds the adjoints of eigenvalues and eigenvectors (None: zero).

    Equal eigenvalues contribute nothing to one another, so that the result is finite, and right wherever what is
    computed from w and v doesn't depend on the choice of eigenvectors.  M. Giles, An extended collection of matrix
    derivative results (2008), section 3.1.
    """
    w, v = out
    w_bar, v_bar = (0.0 if bar is None else bar for bar in g)
    turned = np.conj(np.swapaxes(v, -1, -2))
    gaps = w[..., np.newaxis, :] - w[..., :, np.newaxis]
    between = np.where(gaps == 0, 0, 1 / np.where(gaps == 0, 1, gaps)) * (turned @ np.broadcast_to(v_bar, v.shape))
    along = np.broadcast_to(w_bar, w.shape)[..., np.newaxis] * np.eye(w.shape[-1], dtype=w.dtype)
    both = _lower(v @ (between + along) @ turned)
    return both if uplo == "L" else np.conj(np.swapaxes(both, -1, -2))


def eigvalsh_adjoint(g: Any, a: Any, uplo: Any) -> Any:
    """The adjoint of `a` in np.linalg.eigvalsh(a, uplo)."""
    _, v = np.linalg.eigh(a, uplo)
    both = _lower(v * np.expand_dims(g, -2) @ np.conj(np.swapaxes(v, -1, -2)))
    return both if uplo == "L" else np.conj(np.swapaxes(both, -1, -2))


def _lower(full: Any) -> Any:
    """The adjoint of the lower triangle from which a Hermitian matrix is completed, from that of the whole matrix."""
    both = full + np.conj(np.swapaxes(full, -1, -2))
    return np.tril(both) - 0.5 * _diagonal_part(both)


def _diagonal_part(a: Any) -> Any:
    return a * np.eye(a.shape[-1], dtype=a.dtype)
