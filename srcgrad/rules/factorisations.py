"""Singular values, QR, pseudo-inverses and least squares (numpy.linalg)."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.factorisations import lstsq_a, lstsq_b, pinv_adjoint, qr_adjoint, svd_adjoint


@rule(np.linalg.svd, real_linear=True, only={"hermitian": (False,)})
def svd(out_bar, out, a, full_matrices=True, compute_uv=True, hermitian=False):
    a_bar = svd_adjoint(out_bar, out, a, compute_uv)
    return a_bar


@rule(np.linalg.qr, real_linear=True, only={"mode": ("reduced", "complete")})
def qr(out_bar, out, a, mode="reduced"):
    a_bar = qr_adjoint(out_bar, out, mode)
    return a_bar


@rule(np.linalg.pinv, real_linear=True, inactive=("rcond", "hermitian", "rtol"))
def pinv(out_bar, out, a, rcond=None, hermitian=False, rtol=None):
    a_bar = pinv_adjoint(out_bar, out, a)
    return a_bar


@rule(np.linalg.lstsq, real_linear=True, inactive=("rcond",))
def lstsq(out_bar, out, a, b, rcond=None):
    a_bar = lstsq_a(out_bar, out, a, b)
    b_bar = lstsq_b(out_bar, out, a, b)
    return a_bar, b_bar
