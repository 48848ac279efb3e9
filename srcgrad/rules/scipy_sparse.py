"""scipy.sparse: products and systems with matrices that aren't differentiated."""
from __future__ import annotations

from scipy.sparse import linalg

from srcgrad.rules.rule import rule
from srcgrad.runtime.sparse import product, product_from_left


@rule(product, linear_in=("x",), inactive=("matrix",))
def product_(out_bar, out, matrix, x):
    x_bar = matrix.T @ out_bar
    return x_bar


@rule(product_from_left, linear_in=("x",), inactive=("matrix",))
def product_from_left_(out_bar, out, x, matrix):
    x_bar = out_bar @ matrix.T
    return x_bar


@rule(linalg.spsolve, linear_in=("b",), inactive=("A", "permc_spec", "use_umfpack"))
def spsolve(out_bar, out, A, b, permc_spec=None, use_umfpack=True):
    b_bar = linalg.spsolve(A.T.tocsc(), out_bar)
    return b_bar
