"""Adam (Kingma and Ba, 2015); AdamW, whose weight decay is no part of the gradient (Loshchilov and Hutter, 2019)."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, State, check_betas, check_not_negative, count_step, kept, ways


class Adam(Optimizer):
    """`param -= lr * m / (sqrt(v) + eps)`, with moving means `m` of gradients and `v` of their squares, unbiased.

    With `amsgrad`, `v` is the greatest so far.
    """

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False,
                 decoupled_weight_decay: bool = False, **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "maximize": maximize,
                                  **ways(given, "foreach", "capturable", "differentiable", "fused"),
                                  "decoupled_weight_decay": decoupled_weight_decay})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        lr, decay = float(group["lr"]), group["weight_decay"]
        if decay != 0 and group["decoupled_weight_decay"]:
            param *= 1 - lr * decay
        elif decay != 0:
            grad = grad + decay * param
        step = count_step(state)
        beta1, beta2 = group["betas"]
        mean, square = moments(param, grad, state, beta1, beta2)
        if group["amsgrad"]:
            greatest = kept(state, "max_exp_avg_sq", param)
            square = np.maximum(greatest, square, out=greatest)
        spread = np.sqrt(square) / (1 - beta2 ** step) ** 0.5 + group["eps"]
        param -= lr / (1 - beta1 ** step) * mean / spread


def moments(param: np.ndarray, grad: np.ndarray, state: State, beta1: float,
            beta2: float) -> tuple[np.ndarray, np.ndarray]:
    """The moving means of the gradient and of its square after this step, biased towards 0."""
    mean, square = kept(state, "exp_avg", param), kept(state, "exp_avg_sq", param)
    mean += (1 - beta1) * (grad - mean)
    square *= beta2
    square += (1 - beta2) * grad * grad
    return mean, square


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly: `param *= 1 - lr * weight_decay`."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 **given: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True,
                         **given)
