"""Gradient descent."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, State, check_not_negative, ways
from srcgrad.eager.tensor import wrap


class SGD(Optimizer):
    """`buf = momentum * buf + (1 - dampening) * grad; param -= lr * buf`; the first step's buffer is the gradient.

    With `nesterov`, the step is taken along `grad + momentum * buf`.  Weight decay adds `weight_decay * param` to the
    gradient.
    """

    def __init__(self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 **given: Any) -> None:
        check_not_negative({"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay})
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening,
                                  "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
                                  **ways(given, "foreach", "differentiable", "fused")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        momentum = group["momentum"]
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        if momentum != 0:
            moving = self._moving(grad, state, momentum, group["dampening"])
            grad = grad + momentum * moving if group["nesterov"] else moving
        param -= float(group["lr"]) * grad

    def _moving(self, grad: np.ndarray, state: State, momentum: float, dampening: float) -> np.ndarray:
        """The momentum buffer after this step."""
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = wrap(grad.copy())
            return grad
        moving: np.ndarray = state["momentum_buffer"]._a
        moving *= momentum
        moving += (1 - dampening) * grad
        return moving
