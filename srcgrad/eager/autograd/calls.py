"""`grad` and `backward` of several tensors at once."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.eager.engine import run
from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["backward", "grad"]


def _several(x: Any) -> list[Any]:
    if x is None:
        return []
    found = [x] if isinstance(x, Tensor) else list(x)
    for t in found:
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"gradients are of tensors, and with respect to tensors, but got {type(t).__name__}")
    return found


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
         is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple[Any, ...]:
    """The gradients of the sum of outputs with respect to the inputs, as a tuple; `.grad` isn't touched."""
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                      "gradient for other parts of the graph, please use torch.autograd.backward.", FutureWarning,
                      stacklevel=2)
    outs, ins = _several(outputs), _several(inputs)
    if not ins:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    seeds = _several(grad_outputs) or [None] * len(outs)
    if len(seeds) != len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(seeds)} gradients")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if is_grads_batched:
        if any(s is None or not s.dim() for s in seeds):
            raise ValueError("grad_outputs need a first dimension, of which each entry is one gradient, where "
                             "is_grads_batched=True")
        return _batched(outs, ins, seeds, retain_graph, create_graph, bool(allow_unused))
    found = run(outs, seeds, retain_graph, create_graph, ins, False)
    if materialize_grads:
        return tuple(wrap(np.zeros(t._a.shape, t._a.dtype)) if g is None else g for g, t in zip(found, ins))
    if not allow_unused:
        for i, g in enumerate(found):
            if g is None:
                raise RuntimeError(
                    f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior.")
    return tuple(found)


def _batched(outs: list[Any], ins: list[Any], seeds: list[Any], retain: bool | None, create: bool,
             allow_unused: bool) -> tuple[Any, ...]:
    """One gradient for each row of the seeds."""
    from srcgrad.eager.joining import stack
    rows = [grad(outs, ins, [s[k] for s in seeds], True, create, allow_unused=allow_unused)
            for k in range(len(seeds[0]))]
    return tuple(None if column[0] is None else stack(list(column)) for column in zip(*rows))


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
             grad_variables: Any = None, inputs: Any = None) -> None:
    """Adds the gradients of the sum of tensors to the `.grad` of the leaves of their graphs."""
    outs = _several(tensors)
    seeds = _several(grad_tensors) or [None] * len(outs)
    if len(seeds) != len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(seeds)} gradients")
    ins = None if inputs is None else _several(inputs)
    if ins == []:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    run(outs, seeds, retain_graph, create_graph, ins, True)
