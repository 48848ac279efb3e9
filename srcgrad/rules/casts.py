"""Changes of type, and the parts of complex numbers.  The reader casts adjoints to the argument's type."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import angle_adjoint, cast_adjoint
from srcgrad.runtime.layout import unlist


@rule(float, np.float16, np.float32, np.float64, np.longdouble, jointly_linear=True, linear_in=("x",), real_linear=True)
def real_number(out_bar, out, x=0):
    x_bar = out_bar
    return x_bar


@rule(np.complex128, np.complex64, np.clongdouble, jointly_linear=True, linear_in=("real", "imag"), real_linear=True)
def complex_number(out_bar, out, real=0, imag=0):
    real_bar = out_bar
    imag_bar = -1j * out_bar
    return real_bar, imag_bar


@rule(np.ndarray.astype, jointly_linear=True, linear_in=("a",), real_linear=True)
def astype(out_bar, out, a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    a_bar = cast_adjoint(out_bar, dtype)
    return a_bar


if hasattr(np, "astype"):                   # NumPy 2.1 and later
    @rule(np.astype, jointly_linear=True, linear_in=("x",), real_linear=True)
    def astype_function(out_bar, out, x, dtype, copy=True):
        x_bar = cast_adjoint(out_bar, dtype)
        return x_bar


@rule(np.ndarray.item, jointly_linear=True, linear_in=("a",))
def item(out_bar, out, a):
    a_bar = np.reshape(out_bar, np.shape(a))
    return a_bar


@rule(np.ndarray.tolist, jointly_linear=True, linear_in=("a",))
def tolist(out_bar, out, a):
    a_bar = unlist(out_bar, np.shape(a))
    return a_bar


@rule(np.real, jointly_linear=True, linear_in=("val",), real_linear=True)
def real(out_bar, out, val):
    val_bar = out_bar
    return val_bar


@rule(np.imag, jointly_linear=True, linear_in=("val",), real_linear=True)
def imag(out_bar, out, val):
    val_bar = 1j * out_bar
    return val_bar


@rule(np.conjugate, elementwise=True, jointly_linear=True, linear_in=("x",), real_linear=True)
def conjugate(out_bar, out, x):
    x_bar = np.conj(out_bar)
    return x_bar


@rule(np.angle, elementwise=True, real_linear=True)
def angle(out_bar, out, z, deg=False):
    z_bar = angle_adjoint(out_bar, z, deg)
    return z_bar
