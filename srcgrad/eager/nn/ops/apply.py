"""Carrying out an operation on tensors."""
from __future__ import annotations

from typing import Any

from srcgrad.eager.op import Op, record
from srcgrad.eager.quiet import quiet
from srcgrad.eager.tensor import Tensor


def apply(op: Op, *args: Any) -> Any:
    """What the operation computes on the arrays, as a recorded tensor; one argument for each parameter of its rule."""
    with quiet:
        out = op.primal(*[a._a if isinstance(a, Tensor) else a for a in args])
    return record(op, out, args)
