"""What torch has under `torch.fft`: NumPy's transforms, reversed by their rules."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.creation import made, type_of
from srcgrad.eager.op import Op, record
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "irfft2",
           "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]


def _floating(x: Tensor) -> Tensor:
    if x._a.dtype.kind in "fc":
        return x
    found: Tensor = FUNCTIONS["mul"](x, 1.0)
    return found


def _one(name: str) -> Any:
    transform = getattr(np.fft, name)
    op = Op(f"Fft{'R2C' if name == 'rfft' else 'C2R' if name == 'irfft' else 'C2C'}Backward0", transform)

    def transformed(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        x = _floating(input)
        return record(op, transform(x._a, n, dim, norm), (x, n, dim, norm))
    transformed.__name__, transformed.__doc__ = name, f"`np.fft.{name}` along a dimension."
    return transformed


fft, ifft, rfft, irfft = map(_one, ("fft", "ifft", "rfft", "irfft"))


def _several(name: str, last: Any, other: Any, last_first: bool) -> Any:
    """A transform along several dimensions: `last` along the last of them and `other` along the rest."""
    two = name.endswith("2")

    def transformed(input: Any, s: Any = None, dim: Any = (-2, -1) if two else None, norm: str | None = None) -> Any:
        over = tuple(dim) if dim is not None else tuple(range(-len(s), 0)) if s is not None \
            else tuple(range(input.dim()))
        sizes = tuple(s) if s is not None else (None,) * len(over)
        steps = [(last, sizes[-1], over[-1]), *((other, n, d) for n, d in zip(sizes[:-1], over[:-1]))]
        for f, n, d in steps if last_first else reversed(steps):
            input = f(input, n, d, norm)
        return input
    transformed.__name__, transformed.__doc__ = name, f"`np.fft.{name}` along several dimensions."
    return transformed


fft2, fftn = (_several(name, fft, fft, True) for name in ("fft2", "fftn"))
ifft2, ifftn = (_several(name, ifft, ifft, True) for name in ("ifft2", "ifftn"))
rfft2, rfftn = (_several(name, rfft, fft, True) for name in ("rfft2", "rfftn"))
irfft2, irfftn = (_several(name, irfft, ifft, False) for name in ("irfft2", "irfftn"))


def fftshift(input: Any, dim: Any = None) -> Any:
    """The frequency 0 in the middle."""
    return _shifted(input, dim, lambda n: n // 2)


def ifftshift(input: Any, dim: Any = None) -> Any:
    """The middle at the start again."""
    return _shifted(input, dim, lambda n: -(n // 2))


def _shifted(input: Any, dim: Any, by: Any) -> Any:
    over = tuple(range(input.dim())) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    return FUNCTIONS["roll"](input, tuple(by(input.shape[d]) for d in over), over)


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """The frequencies of `fft`."""
    return made(np.fft.fftfreq(n, d).astype(type_of(dtype)), requires_grad, device)


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """The frequencies of `rfft`."""
    return made(np.fft.rfftfreq(n, d).astype(type_of(dtype)), requires_grad, device)
