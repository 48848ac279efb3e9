"""Adjoints of functions of scipy.linalg, for generated code to call: plain transposes."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.runtime.decompositions import cholesky_adjoint

__all__ = ["block_adjoints", "cho_solve_factor", "expm_adjoint", "scipy_cholesky_adjoint", "toeplitz_column",
           "toeplitz_row", "transposition", "triangular_a"]


def scipy_cholesky_adjoint(g: Any, out: Any, lower: bool) -> Any:
    """The adjoint of `a` in scipy.linalg.cholesky(a, lower), which reads that triangle of `a` only."""
    if lower:
        return cholesky_adjoint(g, out)
    flipped = cholesky_adjoint(np.conj(np.swapaxes(g, -1, -2)), np.conj(np.swapaxes(out, -1, -2)))
    return np.conj(np.swapaxes(flipped, -1, -2))


def cho_solve_factor(b_bar: Any, out: Any, factor: Any) -> Any:
    """The adjoints of the factor and of the flag; the triangle that isn't read gets zero.

    The matrix is c c^T, and its adjoint is -b_bar out^T.
    """
    c, lower = factor
    left, right = (a if np.ndim(a) > 1 else np.expand_dims(a, -1) for a in (b_bar, out))
    both = -left @ np.swapaxes(right, -1, -2)
    both = both + np.swapaxes(both, -1, -2)
    return [np.tril(both @ np.tril(c)) if lower else np.triu(np.triu(c) @ both), None]


def transposition(trans: Any) -> int:
    """What solve_triangular calls the transpose of the system `trans`."""
    return 1 if trans in (0, "N") else 0


def triangular_a(b_bar: Any, out: Any, trans: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The adjoint of `a` in the same: of the triangle that is read."""
    left, right = (a if np.ndim(a) > 1 else np.expand_dims(a, -1) for a in (b_bar, out))
    full = -left @ np.swapaxes(right, -1, -2)
    full = full if trans in (0, "N") else np.swapaxes(full, -1, -2)
    k = 1 if unit_diagonal else 0
    return np.tril(full, -k) if lower else np.triu(full, k)


def expm_adjoint(expm: Callable[[Any], Any], g: Any, a: Any) -> Any:
    """The adjoint of `a` in expm(a): the Frechet derivative at the transpose, read off the exponential of a block
    matrix.  N. Higham, Functions of Matrices (2008), theorem 3.6.

    >>> expm_adjoint(lambda m: np.eye(2) + m, np.ones((1, 1)), np.zeros((1, 1)))
    array([[1.]])
    """
    turned = np.swapaxes(a, -1, -2)
    n = turned.shape[-1]
    block = np.concatenate([np.concatenate([turned, np.broadcast_to(g, turned.shape)], -1),
                            np.concatenate([np.zeros_like(turned), turned], -1)], -2)
    return expm(block)[..., :n, n:]


def toeplitz_column(g: Any, shape: Sequence[int], alone: bool) -> Any:
    """The adjoint of the first column: sums along the diagonals from the main one downwards (alone: the first row is
    its conjugate, so that those above count, too)."""
    sums = [np.trace(g, -k) for k in range(g.shape[0])]
    if alone:
        sums = [s + (np.conj(np.trace(g, k)) if k else 0.0) for k, s in enumerate(sums)]
    return np.reshape(np.array(sums, g.dtype), shape)


def toeplitz_row(g: Any, column: Sequence[int], shape: Sequence[int]) -> Any:
    """The adjoint of the first row, whose first entry isn't read."""
    sums = [np.trace(g, k) if k else 0.0 for k in range(g.shape[1])]
    return np.reshape(np.array(sums, g.dtype), shape)


def block_adjoints(g: Any, arrays: Sequence[Any]) -> list[Any]:
    """The blocks of g on the diagonal, in the shapes of the arrays."""
    out, row, column = [], 0, 0
    for a in arrays:
        rows, columns = np.atleast_2d(a).shape
        out.append(np.reshape(g[row:row + rows, column:column + columns], np.shape(a)))
        row, column = row + rows, column + columns
    return out
