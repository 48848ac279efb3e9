"""Discrete Fourier transforms (numpy.fft): each is a linear map, and its transpose is one of its kind."""
from __future__ import annotations

import numpy as np

from srcgrad.rules.rule import rule
from srcgrad.runtime.fourier import dft_transpose, irfft_adjoint, rfft_transpose


@rule(np.fft.fft, jointly_linear=True, linear_in=("a",))
def fft(out_bar, out, a, n=None, axis=-1, norm=None):
    a_bar = dft_transpose(np.fft.fft, out_bar, np.shape(a), axis, norm)
    return a_bar


@rule(np.fft.ifft, jointly_linear=True, linear_in=("a",))
def ifft(out_bar, out, a, n=None, axis=-1, norm=None):
    a_bar = dft_transpose(np.fft.ifft, out_bar, np.shape(a), axis, norm)
    return a_bar


@rule(np.fft.rfft, jointly_linear=True, linear_in=("a",))
def rfft(out_bar, out, a, n=None, axis=-1, norm=None):
    a_bar = rfft_transpose(out_bar, np.shape(a), n, axis, norm)
    return a_bar


@rule(np.fft.irfft, jointly_linear=True, linear_in=("a",), real_linear=True)
def irfft(out_bar, out, a, n=None, axis=-1, norm=None):
    a_bar = irfft_adjoint(out_bar, np.shape(a), axis, norm)
    return a_bar


@rule(np.fft.fft2, jointly_linear=True, linear_in=("a",), only={"s": (None,)})
def fft2(out_bar, out, a, s=None, axes=(-2, -1), norm=None):
    a_bar = np.fft.fft2(out_bar, None, axes, norm)
    return a_bar


@rule(np.fft.ifft2, jointly_linear=True, linear_in=("a",), only={"s": (None,)})
def ifft2(out_bar, out, a, s=None, axes=(-2, -1), norm=None):
    a_bar = np.fft.ifft2(out_bar, None, axes, norm)
    return a_bar


@rule(np.fft.fftn, jointly_linear=True, linear_in=("a",), only={"s": (None,)})
def fftn(out_bar, out, a, s=None, axes=None, norm=None):
    a_bar = np.fft.fftn(out_bar, None, axes, norm)
    return a_bar


@rule(np.fft.ifftn, jointly_linear=True, linear_in=("a",), only={"s": (None,)})
def ifftn(out_bar, out, a, s=None, axes=None, norm=None):
    a_bar = np.fft.ifftn(out_bar, None, axes, norm)
    return a_bar


@rule(np.fft.fftshift, jointly_linear=True, linear_in=("x",))
def fftshift(out_bar, out, x, axes=None):
    x_bar = np.fft.ifftshift(out_bar, axes)
    return x_bar


@rule(np.fft.ifftshift, jointly_linear=True, linear_in=("x",))
def ifftshift(out_bar, out, x, axes=None):
    x_bar = np.fft.fftshift(out_bar, axes)
    return x_bar
