"""Products of vectors, matrices and tensors."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import unbroadcast
from srcgrad.runtime.products import (
    convolve_adjoint,
    dot_a,
    dot_b,
    einsum_adjoint,
    inner_a,
    inner_b,
    kron_a,
    kron_b,
    matmul_x1,
    matmul_x2,
    tensordot_a,
    tensordot_b,
)


@rule(np.matmul, linear_in=("x1", "x2"))
def matmul(out_bar, out, x1, x2):
    x1_bar = matmul_x1(out_bar, x2, np.shape(x1))
    x2_bar = matmul_x2(out_bar, x1, np.shape(x2))
    return x1_bar, x2_bar


@rule(np.dot, linear_in=("a", "b"))
def dot(out_bar, out, a, b):
    a_bar = dot_a(out_bar, b, np.shape(a))
    b_bar = dot_b(out_bar, a, np.shape(b))
    return a_bar, b_bar


@rule(np.inner, linear_in=("a", "b"))
def inner(out_bar, out, a, b):
    a_bar = inner_a(out_bar, b, np.shape(a))
    b_bar = inner_b(out_bar, a, np.shape(b))
    return a_bar, b_bar


@rule(np.outer, linear_in=("a", "b"))
def outer(out_bar, out, a, b):
    a_bar = np.reshape(out_bar @ np.ravel(b), np.shape(a))
    b_bar = np.reshape(np.ravel(a) @ out_bar, np.shape(b))
    return a_bar, b_bar


@rule(np.vdot, linear_in=("a", "b"), real_linear=True)
def vdot(out_bar, out, a, b):
    a_bar = np.conj(out_bar) * np.reshape(b, np.shape(a))
    b_bar = out_bar * np.reshape(a, np.shape(b))
    return a_bar, b_bar


@rule(np.tensordot, linear_in=("a", "b"))
def tensordot(out_bar, out, a, b, axes=2):
    a_bar = tensordot_a(out_bar, b, np.shape(a), axes)
    b_bar = tensordot_b(out_bar, a, np.shape(b), axes)
    return a_bar, b_bar


@rule(np.einsum)
def einsum(out_bar, out, subscripts, *operands, optimize=False):
    operands_bar = einsum_adjoint(out_bar, subscripts, operands)
    return operands_bar


@rule(np.kron, linear_in=("a", "b"))
def kron(out_bar, out, a, b):
    a_bar = kron_a(out_bar, b, np.shape(a))
    b_bar = kron_b(out_bar, a, np.shape(b))
    return a_bar, b_bar


@rule(np.cross, linear_in=("a", "b"), only={"axisa": (-1,), "axisb": (-1,), "axisc": (-1,), "axis": (None, -1)})
def cross(out_bar, out, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    a_bar = unbroadcast(np.cross(b, out_bar), np.shape(a))
    b_bar = unbroadcast(np.cross(out_bar, a), np.shape(b))
    return a_bar, b_bar


@rule(np.convolve, linear_in=("a", "v"))
def convolve(out_bar, out, a, v, mode="full"):
    a_bar = convolve_adjoint(out_bar, v, np.size(a), mode)
    v_bar = convolve_adjoint(out_bar, a, np.size(v), mode)
    return a_bar, v_bar
