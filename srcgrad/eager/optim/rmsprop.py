"""RMSprop (Hinton, Coursera lecture 6e, 2012), plain and centred (Graves, 2013)."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, State, check_not_negative, count_step, kept, ways


class RMSprop(Optimizer):
    """`param -= lr * grad / (sqrt(v) + eps)`, with the moving mean `v` of squares; `centered` subtracts the mean's."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
                 momentum: float = 0, centered: bool = False, maximize: bool = False,
                 **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "momentum value": momentum,
                            "weight_decay value": weight_decay, "alpha value": alpha})
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay,
                                  "momentum": momentum, "centered": centered, "maximize": maximize,
                                  **ways(given, "capturable", "foreach", "differentiable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        count_step(state)
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        step = grad / (self._spread(param, grad, state, group) + group["eps"])
        if group["momentum"] > 0:
            moving = kept(state, "momentum_buffer", param)
            moving *= group["momentum"]
            moving += step
            step = moving
        param -= float(group["lr"]) * step

    def _spread(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> np.ndarray:
        """The root of the moving mean of squares, about zero or about the moving mean."""
        alpha = group["alpha"]
        square = kept(state, "square_avg", param)
        square *= alpha
        square += (1 - alpha) * grad * grad
        if not group["centered"]:
            return np.sqrt(square)
        mean = kept(state, "grad_avg", param)
        mean += (1 - alpha) * (grad - mean)
        return np.sqrt(square - mean * mean)
