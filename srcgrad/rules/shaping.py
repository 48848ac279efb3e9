"""What changes an array's shape, or moves and repeats its elements."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.arrays import unbroadcast
from srcgrad.runtime.layout import inverse_axes, pad_adjoint, repeat_adjoint, tile_adjoint

_ORDERS = {"order": ("C", "F")}
_COPIES = {"order": ("C", "F", "A", "K")}


@rule(np.transpose, np.permute_dims, jointly_linear=True, linear_in=("a",))
def transpose(out_bar, out, a, axes=None):
    a_bar = np.transpose(out_bar, inverse_axes(axes))
    return a_bar


@rule(np.matrix_transpose, np.linalg.matrix_transpose, jointly_linear=True, linear_in=("x",))
def matrix_transpose(out_bar, out, x):
    x_bar = np.swapaxes(out_bar, -1, -2)
    return x_bar


@rule(np.swapaxes, jointly_linear=True, linear_in=("a",))
def swapaxes(out_bar, out, a, axis1, axis2):
    a_bar = np.swapaxes(out_bar, axis1, axis2)
    return a_bar


@rule(np.moveaxis, jointly_linear=True, linear_in=("a",))
def moveaxis(out_bar, out, a, source, destination):
    a_bar = np.moveaxis(out_bar, destination, source)
    return a_bar


@rule(np.reshape, jointly_linear=True, linear_in=("a",), only=_ORDERS)
def reshape(out_bar, out, a, shape, order="C"):
    a_bar = np.reshape(out_bar, np.shape(a), order)
    return a_bar


@rule(np.ravel, np.ndarray.flatten, jointly_linear=True, linear_in=("a",), only=_ORDERS)
def ravel(out_bar, out, a, order="C"):
    a_bar = np.reshape(out_bar, np.shape(a), order)
    return a_bar


@rule(np.squeeze, np.expand_dims, jointly_linear=True, linear_in=("a",))
def squeeze(out_bar, out, a, axis=None):
    a_bar = np.reshape(out_bar, np.shape(a))
    return a_bar


@rule(np.atleast_1d, np.atleast_2d, np.atleast_3d, jointly_linear=True, linear_in=("ary",))
def atleast(out_bar, out, ary):
    ary_bar = np.reshape(out_bar, np.shape(ary))
    return ary_bar


@rule(np.broadcast_to, jointly_linear=True, linear_in=("array",))
def broadcast_to(out_bar, out, array, shape):
    array_bar = unbroadcast(out_bar, np.shape(array))
    return array_bar


@rule(np.flip, jointly_linear=True, linear_in=("m",))
def flip(out_bar, out, m, axis=None):
    m_bar = np.flip(out_bar, axis)
    return m_bar


@rule(np.fliplr, jointly_linear=True, linear_in=("m",))
def fliplr(out_bar, out, m):
    m_bar = np.fliplr(out_bar)
    return m_bar


@rule(np.flipud, jointly_linear=True, linear_in=("m",))
def flipud(out_bar, out, m):
    m_bar = np.flipud(out_bar)
    return m_bar


@rule(np.roll, jointly_linear=True, linear_in=("a",))
def roll(out_bar, out, a, shift, axis=None):
    a_bar = np.roll(out_bar, np.negative(shift), axis)
    return a_bar


@rule(np.rot90, jointly_linear=True, linear_in=("m",))
def rot90(out_bar, out, m, k=1, axes=(0, 1)):
    m_bar = np.rot90(out_bar, -k, axes)
    return m_bar


@rule(np.tile, jointly_linear=True, linear_in=("A",))
def tile(out_bar, out, A, reps):
    A_bar = tile_adjoint(out_bar, np.shape(A), reps)
    return A_bar


@rule(np.repeat, jointly_linear=True, linear_in=("a",))
def repeat(out_bar, out, a, repeats, axis=None):
    a_bar = repeat_adjoint(out_bar, np.shape(a), repeats, axis)
    return a_bar


@rule(np.pad, jointly_linear=True, linear_in=("array",), inactive=("constant_values",),
      only={"mode": ("constant", "edge", "reflect", "symmetric", "wrap")})
def pad(out_bar, out, array, pad_width, mode="constant", constant_values=0):
    array_bar = pad_adjoint(out_bar, np.shape(array), pad_width, mode)
    return array_bar


@rule(np.tril, jointly_linear=True, linear_in=("m",))
def tril(out_bar, out, m, k=0):
    m_bar = unbroadcast(np.tril(out_bar, k), np.shape(m))
    return m_bar


@rule(np.triu, jointly_linear=True, linear_in=("m",))
def triu(out_bar, out, m, k=0):
    m_bar = unbroadcast(np.triu(out_bar, k), np.shape(m))
    return m_bar
