"""Linear systems, determinants, factorisations."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import unbroadcast
from srcgrad.runtime.decompositions import (
    cholesky_adjoint,
    cofactors,
    eigh_adjoint,
    eigvalsh_adjoint,
    matrix_power_adjoint,
    slogdet_adjoint,
    solve_a,
    solve_transposed,
)


@rule(np.linalg.solve, linear_in=("b",))
def solve(out_bar, out, a, b):
    solved = solve_transposed(a, out_bar, np.ndim(b) == 1)
    a_bar = solve_a(solved, out, np.shape(a), np.ndim(b) == 1)
    b_bar = unbroadcast(solved, np.shape(b))
    return a_bar, b_bar


@rule(np.linalg.inv)
def inv(out_bar, out, a):
    a_bar = -np.swapaxes(out, -1, -2) @ out_bar @ np.swapaxes(out, -1, -2)
    return a_bar


@rule(np.linalg.det)
def det(out_bar, out, a):
    a_bar = np.expand_dims(out_bar, (-2, -1)) * cofactors(a)
    return a_bar


@rule(np.linalg.slogdet, real_linear=True)
def slogdet(out_bar, out, a):
    a_bar = slogdet_adjoint(out_bar, out, a)
    return a_bar


@rule(np.linalg.matrix_power)
def matrix_power(out_bar, out, a, n):
    a_bar = matrix_power_adjoint(out_bar, a, n)
    return a_bar


@rule(np.linalg.cholesky, real_linear=True, only={"upper": (False,)})
def cholesky(out_bar, out, a, upper=False):
    a_bar = cholesky_adjoint(out_bar, out)
    return a_bar


@rule(np.linalg.eigh, real_linear=True, only={"UPLO": ("L", "U")})
def eigh(out_bar, out, a, UPLO="L"):
    a_bar = eigh_adjoint(out_bar, out, UPLO)
    return a_bar


@rule(np.linalg.eigvalsh, real_linear=True, only={"UPLO": ("L", "U")})
def eigvalsh(out_bar, out, a, UPLO="L"):
    a_bar = eigvalsh_adjoint(out_bar, a, UPLO)
    return a_bar
