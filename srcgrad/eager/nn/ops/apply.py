"""Carrying out an operation on tensors."""
from __future__ import annotations

from typing import Any

from srcgrad.eager.op import Op, record
from srcgrad.eager.quiet import quiet
from srcgrad.eager.tensor import Tensor


def fixed(function: str, **arguments: Any) -> None:
    """Refuses arguments that require grad, since the function has no derivative by them."""
    for name, x in arguments.items():
        if x is not None and x.requires_grad:
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to argument '{name}'. "
                               "This input cannot have requires_grad True.")


def apply(op: Op, *args: Any) -> Any:
    """What the operation computes on the arrays, as a recorded tensor; one argument for each parameter of its rule."""
    with quiet:
        out = op.primal(*[a._a if isinstance(a, Tensor) else a for a in args])
    return record(op, out, args)
