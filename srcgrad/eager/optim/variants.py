"""Variants of Adam and of RMSprop: Adadelta, Adamax, NAdam, RAdam."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.adam import moments
from srcgrad.eager.optim.optimizer import Optimizer, State, check_betas, check_not_negative, count_step, kept, ways
from srcgrad.eager.tensor import wrap


class Adadelta(Optimizer):
    """`param -= lr * sqrt(d + eps) / sqrt(v + eps) * grad`, with means `v` of squares and `d` of squared steps."""

    def __init__(self, params: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 foreach: Any = None, *, maximize: bool = False, **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                                  **ways({"foreach": foreach, **given}, "capturable", "foreach", "differentiable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        count_step(state)
        rho, eps = group["rho"], group["eps"]
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        square, moved = kept(state, "square_avg", param), kept(state, "acc_delta", param)
        square *= rho
        square += (1 - rho) * grad * grad
        step = np.sqrt(moved + eps) / np.sqrt(square + eps) * grad
        moved *= rho
        moved += (1 - rho) * step * step
        param -= float(group["lr"]) * step


class Adamax(Optimizer):
    """Adam with the greatest gradient in place of the mean of squares (Kingma and Ba, 2015)."""

    def __init__(self, params: Any, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, foreach: Any = None, *, maximize: bool = False, **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  **ways({"foreach": foreach}, "foreach"), "maximize": maximize,
                                  **ways(given, "differentiable", "capturable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        step = count_step(state)
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        beta1, beta2 = group["betas"]
        mean, greatest = kept(state, "exp_avg", param), kept(state, "exp_inf", param)
        mean += (1 - beta1) * (grad - mean)
        np.maximum(greatest * beta2, np.abs(grad) + group["eps"], out=greatest)
        param -= float(group["lr"]) / (1 - beta1 ** step) * mean / greatest


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    def __init__(self, params: Any, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
                 maximize: bool = False, **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay,
                            "momentum_decay value": momentum_decay})
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
                                  "maximize": maximize, **ways(given, "foreach", "capturable", "differentiable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        step = count_step(state)
        grad = _decayed(param, grad, group)
        beta1, beta2 = group["betas"]
        now, later = (beta1 * (1.0 - 0.5 * 0.96 ** (k * group["momentum_decay"])) for k in (step, step + 1))
        product = state.setdefault("mu_product", wrap(np.ones((), np.float32)))._a
        product *= now
        mean, square = moments(param, grad, state, beta1, beta2)
        spread = np.sqrt(square / (1 - beta2 ** step)) + group["eps"]
        lr, so_far = float(group["lr"]), float(product)
        param -= lr * (1.0 - now) / (1.0 - so_far) * grad / spread
        param -= lr * later / (1.0 - so_far * later) * mean / spread


class RAdam(Optimizer):
    """Adam whose steps are shortened while the mean of squares is of few gradients (Liu et al., 2020)."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, decoupled_weight_decay: bool = False, *, maximize: bool = False,
                 **given: Any) -> None:
        check_not_negative({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay,
                                  **ways(given, "foreach", "capturable", "differentiable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        step = count_step(state)
        grad = _decayed(param, grad, group)
        beta1, beta2 = group["betas"]
        mean, square = moments(param, grad, state, beta1, beta2)
        along = float(group["lr"]) / (1 - beta1 ** step) * mean
        left = 1 - beta2 ** step
        most = 2 / (1 - beta2) - 1
        length = most - 2 * step * beta2 ** step / left
        if length > 5.0:
            share = ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
            along = along * share * left ** 0.5 / (np.sqrt(square) + group["eps"])
        param -= along


def _decayed(param: np.ndarray, grad: np.ndarray, group: dict[str, Any]) -> np.ndarray:
    """The gradient with its weight decay; decoupled, the decay shrinks the parameter instead."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group["decoupled_weight_decay"]:
        param *= 1 - float(group["lr"]) * decay
        return grad
    return grad + decay * param
