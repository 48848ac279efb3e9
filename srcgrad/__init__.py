"""Derivatives of plain Python + NumPy functions, as plain Python + NumPy source.

>>> import srcgrad
>>> srcgrad.grad(lambda x: x * x)(3.0)
6.0
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from srcgrad.api import grad, value_and_grad, vjp
    from srcgrad.errors import (
        AliasError,
        ArgumentError,
        InternalError,
        SourceNotFound,
        SrcgradError,
        UnsupportedError,
    )
    from srcgrad.integrations.tensors import differentiable
    from srcgrad.options import Options
    from srcgrad.runtime.tensors import stop_gradient
    from srcgrad.testing import check_grads

# Every public name and the module that it is loaded from on first use.
_HOMES = {
    **dict.fromkeys(("grad", "value_and_grad", "vjp"), "api"),
    **dict.fromkeys(("AliasError", "ArgumentError", "InternalError", "SourceNotFound", "SrcgradError",
                     "UnsupportedError"), "errors"),
    "Options": "options",
    "differentiable": "integrations.tensors",
    "stop_gradient": "runtime.tensors",
    "check_grads": "testing",
}

__all__ = ["__version__", "AliasError", "ArgumentError", "InternalError", "Options", "SourceNotFound", "SrcgradError",
           "UnsupportedError", "check_grads", "differentiable", "grad", "stop_gradient", "value_and_grad", "vjp"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
