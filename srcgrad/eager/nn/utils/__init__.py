"""What is done with gradients and parameters as a whole."""
from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from srcgrad.eager.joining import cat, stack
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.nn.utils import rnn as rnn
from srcgrad.eager.tensor import wrap
from srcgrad.runtime.modes import no_grad


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if hasattr(parameters, "grad") else parameters
    return [param.grad for param in listed if param.grad is not None]


@no_grad()
def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0) -> Tensor:
    """The norm of all elements of all tensors together."""
    norms: Tensor = stack([tensor.norm(norm_type) for tensor in tensors])
    return norms.norm(norm_type)


@no_grad()
def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> Tensor:
    """Shrinks all gradients alike, in place, so that their common norm is at most `max_norm`; gives the norm before."""
    gradients = _gradients(parameters)
    if not gradients:
        return wrap(np.zeros((), np.float32))
    total = get_total_norm(gradients, norm_type)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
                           "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
                           "anyway, set `error_if_nonfinite=False`")
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clips the elements of all gradients, in place, to [-clip_value, clip_value]."""
    for gradient in _gradients(parameters):
        gradient.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one after the other."""
    return cat([param.reshape(-1) for param in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Takes all parameters from such a vector."""
    place = 0
    for param in parameters:
        param.data.copy_(vec[place:place + param.numel()].reshape(param.shape))
        place += param.numel()
