"""L-BFGS (Nocedal and Wright, 2006), whose steps call a closure several times."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.optim.optimizer import Optimizer, check_not_negative
from srcgrad.eager.optim.wolfe import Evaluate, strong_wolfe
from srcgrad.eager.tensor import bump
from srcgrad.runtime.modes import enable_grad

Array = Any


class LBFGS(Optimizer):
    """Steps along what the last gradients say of the curvature; with `line_search_fn="strong_wolfe"` of fit length."""

    def __init__(self, params: Any, lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None) -> None:
        check_not_negative({"learning rate": lr})
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Goes on for `max_iter` steps at most; gives back the first loss."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        self._opt_called = True
        with enable_grad():
            return _Search(self, closure).run()


class _Search:
    """One call of `step`."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]) -> None:
        self.group: dict[str, Any] = optimizer.param_groups[0]
        self.params = self.group["params"]
        self.closure = closure
        self.state = optimizer.state[self.params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.evaluations = 0

    def run(self) -> Any:
        """All steps."""
        group, state = self.group, self.state
        first = self.closure()
        self._count(1)
        loss, gradient = float(first), self._gradient()
        if _flat(gradient, group["tolerance_grad"]):
            return first
        step = state.get("t", 0.0)
        for k in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self._look_back(gradient, step)
            along = state["d"]
            state["prev_flat_grad"] = gradient
            step = float(group["lr"])
            if state["n_iter"] == 1:
                step *= min(1.0, 1.0 / float(np.sum(np.abs(gradient))))
            slope, before = float(gradient @ along), loss
            if slope > -group["tolerance_change"]:
                break
            loss, gradient, step = self._advance(loss, gradient, along, step, slope, last=k == group["max_iter"])
            if self._done(loss, before, gradient, step * along):
                break
        state["t"], state["prev_loss"] = step, loss
        return first

    def _advance(self, loss: float, gradient: Array, along: Array, step: float, slope: float,
                 last: bool) -> tuple[float, Array, float]:
        """One step: the loss, the gradient and the length of the step."""
        search = self.group["line_search_fn"]
        if search is None:
            self._move(along, step)
            if not last:
                loss = float(self.closure())
                gradient = self._gradient()
                self._count(1)
            return loss, gradient, step
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        loss, gradient, step, count = strong_wolfe(self._from_here(along), step, along, loss, gradient, slope)
        self._count(count)
        self._move(along, step)
        return loss, gradient, step

    def _done(self, loss: float, before: float, gradient: Array, moved: Array) -> bool:
        group = self.group
        return (self.evaluations >= group["max_eval"] or _flat(gradient, group["tolerance_grad"])
                or _flat(moved, group["tolerance_change"]) or abs(loss - before) < group["tolerance_change"])

    def _look_back(self, gradient: Array, step: float) -> None:
        """Sets the direction from the pairs of steps and of changes of the gradient."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(d=-gradient, old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return
        change, moved = gradient - state["prev_flat_grad"], state["d"] * step
        product = float(change @ moved)
        if product > 1e-10:
            for kept, new in ((state["old_dirs"], change), (state["old_stps"], moved), (state["ro"], 1.0 / product)):
                if len(kept) == self.group["history_size"]:
                    kept.pop(0)
                kept.append(new)
            state["H_diag"] = product / float(change @ change)
        state["d"] = _two_loops(-gradient, state["old_dirs"], state["old_stps"], state["ro"], state["H_diag"])

    def _from_here(self, along: Array) -> Evaluate:
        start = [p._a.copy() for p in self.params]

        def evaluate(step: float) -> tuple[float, Array]:
            self._move(along, step)
            loss = float(self.closure())
            gradient = self._gradient()
            for param, a in zip(self.params, start):
                param._a[...] = a
                bump(param)
            return loss, gradient
        return evaluate

    def _gradient(self) -> Array:
        return np.concatenate([(np.zeros(p._a.size, p._a.dtype) if p.grad is None else p.grad._a.reshape(-1))
                               for p in self.params])

    def _move(self, along: Array, step: float) -> None:
        start = 0
        for param in self.params:
            a = param._a
            a += (step * along[start:start + a.size]).reshape(a.shape)
            start += a.size
            bump(param)

    def _count(self, calls: int) -> None:
        self.evaluations += calls
        self.state["func_evals"] += calls


def _flat(x: Array, tolerance: float) -> bool:
    return bool(np.max(np.abs(x)) <= tolerance)


def _two_loops(q: Array, changes: list[Array], steps: list[Array], inverse: list[float], scale: float) -> Array:
    """The product of the approximate inverse Hessian and `q`."""
    weights = []
    for change, moved, r in zip(reversed(changes), reversed(steps), reversed(inverse)):
        weights.append(float(moved @ q) * r)
        q = q - weights[-1] * change
    q = q * scale
    for change, moved, r, weight in zip(changes, steps, inverse, reversed(weights)):
        q = q + moved * (weight - float(change @ q) * r)
    return q
