"""Adjoints of orthogonal factorisations and least squares, for generated code to call.

They are dL/dRe + i dL/dIm, from such adjoints of the results; None is zero.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError

__all__ = ["cho_factor_adjoint", "lstsq_a", "lstsq_b", "pinv_adjoint", "qr_adjoint", "svd_adjoint"]


def svd_adjoint(g: Any, out: Any, a: Any, compute_uv: bool) -> Any:
    """The adjoint of `a` in np.linalg.svd(a, compute_uv=compute_uv).

    Equal singular values contribute nothing to one another, so that the result is finite, and right wherever what is
    computed doesn't depend on the choice of singular vectors.  Z.-Q. Wan and S.-X. Zhang, Automatic differentiation
    for complex valued SVD (2019), eq. 1.
    """
    if not compute_uv:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        u_bar, s_bar, v_bar = None, g, None
    else:
        u, s, vh = _thin(out)
        u_bar, s_bar, v_bar = _thin_adjoints(g, out)
    v = _h(vh)
    middle = np.zeros(s.shape, a.dtype) if s_bar is None else s_bar
    inner = _diagonal(np.asarray(middle))
    gaps = s[..., np.newaxis, :]**2 - s[..., :, np.newaxis]**2
    f = np.where(gaps == 0, 0.0, 1.0 / np.where(gaps == 0, 1.0, gaps))
    inverse = np.where(s == 0, 0.0, 1.0 / np.where(s == 0, 1.0, s))
    outer = 0.0
    if u_bar is not None:
        j = f * (_h(u) @ u_bar)
        inner = inner + (j + _h(j)) * s[..., np.newaxis, :]
        outer = outer + (u_bar - u @ (_h(u) @ u_bar)) * inverse[..., np.newaxis, :] @ vh
    if v_bar is not None:
        k = f * (vh @ v_bar)
        inner = inner + s[..., :, np.newaxis] * (k + _h(k))
        along = np.einsum("...ii->...i", vh @ v_bar)
        inner = inner + 0.5 * _diagonal(inverse * (np.conj(along) - along))
        outer = outer + u * inverse[..., np.newaxis, :] @ _h(v_bar - v @ (vh @ v_bar))
    full = u @ inner @ vh + outer
    return full if np.iscomplexobj(a) else np.real(full)


def _thin(out: Any) -> tuple[Any, Any, Any]:
    u, s, vh = out
    n = s.shape[-1]
    return u[..., :n], s, vh[..., :n, :]


def _thin_adjoints(g: Any, out: Any) -> tuple[Any, Any, Any]:
    """The adjoints of U, s and V; the vectors that belong to no singular value are arbitrary."""
    u_bar, s_bar, vh_bar = g
    n = out[1].shape[-1]
    for bar, extra in ((u_bar, (..., slice(n, None))), (vh_bar, (..., slice(n, None), slice(None)))):
        if bar is not None and np.any(np.asarray(bar)[extra]):
            raise UnsupportedError("the singular vectors that np.linalg.svd adds to fill a basis have no derivative",
                                   remedy="Call it with full_matrices=False.")
    return (None if u_bar is None else u_bar[..., :n], s_bar, None if vh_bar is None else _h(vh_bar[..., :n, :]))


def qr_adjoint(g: Any, out: Any, mode: str) -> Any:
    """The adjoint of `a` in np.linalg.qr(a), of no more columns than rows.

    H.-J. Liao and others, Differentiable programming tensor networks (2019), appendix B.
    """
    if mode != "reduced" and out[0].shape[-1] != out[1].shape[-1] or out[1].shape[-2] != out[1].shape[-1]:
        raise UnsupportedError("np.linalg.qr has a derivative only where it gives a square R",
                               remedy="Call it with mode='reduced' for a matrix of no more columns than rows.")
    q, r = out
    q_bar, r_bar = (np.zeros_like(x) if bar is None else bar for bar, x in zip(g, out))
    m = r @ _h(r_bar) - _h(q_bar) @ q
    lower = np.tril(m, -1)
    both = lower + _h(lower) + _diagonal(np.real(np.einsum("...ii->...i", m)))
    return _h(np.linalg.solve(r, _h(q_bar + q @ both)))


def pinv_adjoint(g: Any, out: Any, a: Any) -> Any:
    """The adjoint of `a` in np.linalg.pinv(a), where the rank stays as it is.

    G. Golub and V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares (1973), theorem 4.3.
    """
    p = _h(out)
    g = np.broadcast_to(g, out.shape)
    within, across = (np.eye(n, dtype=a.dtype) for n in a.shape[-2:])
    return -p @ g @ p + (within - a @ out) @ _h(g) @ out @ p + p @ out @ _h(g) @ (across - out @ a)


def lstsq_b(g: Any, out: Any, a: Any, b: Any) -> Any:
    """The adjoint of `b` in np.linalg.lstsq(a, b), of full column rank: from those of the solution and of the
    residual sums of squares."""
    x_bar, residual = _lstsq(g, out, a, b)
    back = a @ np.linalg.solve(_h(a) @ a, x_bar)
    return back + residual


def lstsq_a(g: Any, out: Any, a: Any, b: Any) -> Any:
    """The adjoint of `a` in the same.  Golub and Pereyra (1973), as above."""
    x_bar, residual = _lstsq(g, out, a, b)
    x = out[0]
    w = np.linalg.solve(_h(a) @ a, x_bar)
    r = b - a @ x
    w, x, r, back, residual = (_column(v) for v in (w, x, r, a @ w, residual))
    return r @ _h(w) - (back + residual) @ _h(x)


def _lstsq(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The adjoint of the solution, and that of b that comes by the residuals."""
    x_bar, sum_bar, _, s_bar = g
    if out[2] < a.shape[-1] or s_bar is not None and np.any(s_bar):
        raise UnsupportedError("np.linalg.lstsq has a derivative only where the columns are independent, and for its "
                               "solution and residuals",
                               remedy="Use np.linalg.pinv, or np.linalg.svd for the singular values.")
    x = out[0]
    residual = np.zeros(np.shape(b), x.dtype)
    if sum_bar is not None and np.size(sum_bar):
        residual = 2.0 * (b - a @ x) * (sum_bar if np.ndim(b) > 1 else sum_bar[0])
    return (np.zeros_like(x) if x_bar is None else x_bar), residual


def cho_factor_adjoint(g: Any, out: Any, lower: bool) -> Any:
    """The adjoint of `a` in scipy.linalg.cho_factor(a, lower); the other triangle holds what `a` holds there."""
    from srcgrad.runtime.dense import scipy_cholesky_adjoint
    bar = g[0]
    if bar is None:
        return np.zeros_like(out[0])
    inside, outside = (np.tril, lambda m: np.triu(m, 1)) if lower else (np.triu, lambda m: np.tril(m, -1))
    return scipy_cholesky_adjoint(inside(bar), inside(out[0]), lower) + outside(bar)


def _h(a: Any) -> Any:
    """The transposed conjugate."""
    return np.conj(np.swapaxes(a, -1, -2))


def _diagonal(values: Any) -> Any:
    return values[..., np.newaxis] * np.eye(values.shape[-1], dtype=values.dtype)


def _column(v: Any) -> Any:
    return v if np.ndim(v) > 1 else np.expand_dims(v, -1)
