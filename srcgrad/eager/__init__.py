"""A tensor over a NumPy array with torch's autograd semantics.

>>> import srcgrad.eager as torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.eager import (
    arithmetic,
    compiled,
    conversion,
    creation,
    dtypes,
    elementwise,
    engine,
    extrema,
    filling,
    helpers,
    indexing,
    inplace,
    joining,
    linalg,
    printing,
    python,
    reductions,
    scattering,
    shaping,
)
from srcgrad.eager.creation import Generator
from srcgrad.eager.dtypes import Size, dtype, get_default_dtype, promote_types, set_default_dtype
from srcgrad.eager.printing import set_printoptions
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor, device
from srcgrad.runtime.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

# importing the chapters gives tensors their methods
CHAPTERS = (arithmetic, compiled, conversion, creation, elementwise, engine, extrema, filling, helpers, indexing,
            inplace, joining, linalg, printing, python, reductions, scattering, shaping)

globals().update({**dtypes.DTYPES, **FUNCTIONS, **arithmetic.MATH})

FloatTensor = Tensor
strided = "torch.strided"
newaxis = None



# loaded on first use
_LATER = ("autograd", "nn", "optim")

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
else:
    def __getattr__(name: str) -> Any:
        if name in _LATER:
            import importlib
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

__all__ = ["Generator", "Size", "Tensor", "device", "dtype", "enable_grad", "get_default_dtype",
           "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "promote_types",
           "set_default_dtype", "set_grad_enabled", "set_printoptions", *dtypes.DTYPES, *FUNCTIONS, *arithmetic.MATH]
