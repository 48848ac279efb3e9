"""Adagrad (Duchi, Hazan and Singer, 2011)."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, State, check_not_negative, count_step, kept, ways


class Adagrad(Optimizer):
    """`param -= lr * grad / (sqrt(sum of squares) + eps)`, where `lr` shrinks as `1 / (1 + steps * lr_decay)`."""

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, *, maximize: bool = False,
                 **given: Any) -> None:
        check_not_negative({"learning rate": lr, "lr_decay value": lr_decay, "weight_decay value": weight_decay,
                            "initial_accumulator_value value": initial_accumulator_value, "epsilon value": eps})
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "maximize": maximize,
                                  **ways(given, "foreach", "differentiable", "fused")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        step = count_step(state)
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        total = kept(state, "sum", param, group["initial_accumulator_value"])
        total += grad * grad
        param -= float(group["lr"]) / (1 + (step - 1) * group["lr_decay"]) * grad / (np.sqrt(total) + group["eps"])
