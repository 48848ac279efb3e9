"""Rprop, which looks at the signs of gradients only, and ASGD, which averages parameters."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, State, check_not_negative, count_step, kept, ways
from srcgrad.eager.tensor import wrap


class Rprop(Optimizer):
    """Each element has a step of its own: longer while the gradient's sign stays, shorter when it changes."""

    def __init__(self, params: Any, lr: float = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
                 step_sizes: tuple[float, float] = (1e-6, 50), *, maximize: bool = False,
                 **given: Any) -> None:
        check_not_negative({"learning rate": lr})
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize,
                                  **ways(given, "foreach", "differentiable", "capturable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        count_step(state)
        before, size = kept(state, "prev", param), kept(state, "step_size", param, float(group["lr"]))
        shorter, longer = group["etas"]
        sign = np.sign(grad * before)
        size *= np.where(sign > 0, longer, np.where(sign < 0, shorter, 1.0)).astype(size.dtype)
        np.clip(size, *group["step_sizes"], out=size)
        grad = np.where(sign < 0, 0, grad)
        param -= np.sign(grad) * size
        before[...] = grad


class ASGD(Optimizer):
    """Gradient descent whose parameters are averaged from step `t0` on, in the state's `ax` (Polyak and Juditsky)."""

    def __init__(self, params: Any, lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
                 weight_decay: float = 0, foreach: Any = None, maximize: bool = False, **given: Any) -> None:
        check_not_negative({"learning rate": lr, "weight_decay value": weight_decay})
        super().__init__(params, {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
                                  "maximize": maximize,
                                  **ways({"foreach": foreach, **given}, "foreach", "differentiable", "capturable")})

    def _update(self, param: np.ndarray, grad: np.ndarray, state: State, group: dict[str, Any]) -> None:
        lr = float(group["lr"])
        eta = state.setdefault("eta", wrap(np.full((), lr)))
        share = state.setdefault("mu", wrap(np.ones(())))
        mean = kept(state, "ax", param)
        step = count_step(state)
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * param
        param *= 1 - group["lambd"] * float(eta._a)
        param -= float(eta._a) * grad
        mean += (param - mean) * float(share._a)
        eta._a[...] = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        share._a[...] = 1 / max(1, step - group["t0"])
