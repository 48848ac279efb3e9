"""scipy.linalg: systems, factorisations and functions of one matrix."""
from __future__ import annotations

import numpy as np
from scipy import linalg

from srcgrad.rules.rule import rule
from srcgrad.runtime.decompositions import cofactors, solve_a, solve_transposed
from srcgrad.runtime.dense import (
    block_adjoints,
    cho_solve_factor,
    expm_adjoint,
    scipy_cholesky_adjoint,
    toeplitz_column,
    toeplitz_row,
    transposition,
    triangular_a,
)
from srcgrad.runtime.factorisations import cho_factor_adjoint

_GENERAL = (None, "gen", "general")


@rule(linalg.solve, linear_in=("b",), only={"assume_a": _GENERAL, "transposed": (False,)},
      inactive=("lower", "overwrite_a", "overwrite_b", "check_finite"))
def solve(out_bar, out, a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None,
          transposed=False):
    b_bar = solve_transposed(a, out_bar, np.ndim(b) == 1)
    a_bar = solve_a(b_bar, out, np.shape(a), np.ndim(b) == 1)
    return a_bar, b_bar


@rule(linalg.inv, inactive=("overwrite_a", "check_finite"))
def inv(out_bar, out, a, overwrite_a=False, check_finite=True):
    a_bar = -np.swapaxes(out, -1, -2) @ out_bar @ np.swapaxes(out, -1, -2)
    return a_bar


@rule(linalg.det, inactive=("overwrite_a", "check_finite"))
def det(out_bar, out, a, overwrite_a=False, check_finite=True):
    a_bar = np.expand_dims(out_bar, (-2, -1)) * cofactors(a)
    return a_bar


@rule(linalg.cholesky, real_linear=True, inactive=("overwrite_a", "check_finite"))
def cholesky(out_bar, out, a, lower=False, overwrite_a=False, check_finite=True):
    a_bar = scipy_cholesky_adjoint(out_bar, out, lower)
    return a_bar


@rule(linalg.cho_factor, real_linear=True, inactive=("overwrite_a", "check_finite"))
def cho_factor(out_bar, out, a, lower=False, overwrite_a=False, check_finite=True):
    a_bar = cho_factor_adjoint(out_bar, out, lower)
    return a_bar


@rule(linalg.cho_solve, linear_in=("b",), inactive=("overwrite_b", "check_finite"))
def cho_solve(out_bar, out, c_and_lower, b, overwrite_b=False, check_finite=True):
    # the matrix is its own transpose, or its conjugate if it is complex
    b_bar = linalg.cho_solve((np.conj(c_and_lower[0]), c_and_lower[1]), out_bar)
    c_and_lower_bar = cho_solve_factor(b_bar, out, c_and_lower)
    return c_and_lower_bar, b_bar


@rule(linalg.solve_triangular, linear_in=("b",), only={"trans": (0, "N", 1, "T")},
      inactive=("overwrite_b", "check_finite"))
def solve_triangular(out_bar, out, a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False,
                     check_finite=True):
    b_bar = linalg.solve_triangular(a, out_bar, transposition(trans), lower, unit_diagonal)
    a_bar = triangular_a(b_bar, out, trans, lower, unit_diagonal)
    return a_bar, b_bar


@rule(linalg.expm)
def expm(out_bar, out, A):
    A_bar = expm_adjoint(linalg.expm, out_bar, A)
    return A_bar


@rule(linalg.sqrtm)
def sqrtm(out_bar, out, A):
    A_bar = linalg.solve_sylvester(out.T, out.T, out_bar)
    return A_bar


@rule(linalg.toeplitz, jointly_linear=True, linear_in=("c", "r"))
def toeplitz(out_bar, out, c, r=None):
    c_bar = toeplitz_column(out_bar, np.shape(c), r is None)
    r_bar = toeplitz_row(out_bar, np.shape(c), np.shape(r))
    return c_bar, r_bar


@rule(linalg.block_diag, jointly_linear=True, linear_in=("arrs",))
def block_diag(out_bar, out, *arrs):
    arrs_bar = block_adjoints(out_bar, arrs)
    return arrs_bar
