"""The parts of complex numbers, and complex numbers of parts."""
from __future__ import annotations

import numpy as np

from srcgrad.eager.dtypes import floating
from srcgrad.eager.op import Op, record
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import FUNCTIONS, function, plain
from srcgrad.eager.tensor import Tensor
from srcgrad.eager.views import view_of

_real, _imag, _conj, _angle = (Op("SelectBackward0", np.real), Op("SelectBackward0", np.imag),
                               Op("ConjBackward0", np.conjugate), Op("AngleBackward0", np.angle))


@function
def conj(input: Tensor) -> Tensor:
    """The conjugate; real tensors are given back."""
    if input._a.dtype.kind != "c":
        return input
    return record(_conj, np.conjugate(input._a), (input,))


function(conj, "conj_physical")


def real(input: Tensor) -> Tensor:
    """The real part, as a view."""
    if input._a.dtype.kind != "c":
        return input
    return view_of(_real, input._a.real, (input,), real)


def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view."""
    if input._a.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return view_of(_imag, input._a.imag, (input,), imag)


plain(real)
plain(imag)
setattr(Tensor, "real", property(real))         # noqa: B010 (as all methods)
setattr(Tensor, "imag", property(imag))         # noqa: B010 (as all methods)


@function
def angle(input: Tensor) -> Tensor:
    """The angle of complex numbers."""
    a = floating(input)
    return record(_angle, np.angle(a).astype(a.real.dtype), (input, False))


TORCH[np.conjugate], TORCH[np.real] = conj, real


@function
def view_as_real(input: Tensor) -> Tensor:
    """Real and imaginary part in a new last dimension."""
    if input._a.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    joined: Tensor = FUNCTIONS["stack"]([real(input), imag(input)], -1)
    return joined


@function
def view_as_complex(input: Tensor) -> Tensor:
    """Complex numbers of the pairs in the last dimension."""
    if not input._a.ndim or input._a.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    return input[..., 0] + input[..., 1] * 1j


@plain
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers of sizes and angles."""
    return abs * angle.cos() + abs * angle.sin() * 1j


__all__ = ["conj", "imag", "real"]
