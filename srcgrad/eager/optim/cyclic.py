"""Learning rates that rise and fall: cycles, one cycle, cosines with restarts."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from srcgrad.eager.optim.optimizer import Optimizer
from srcgrad.eager.optim.schedule import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine down to `eta_min` in `T_0` epochs, then again, each `T_mult` times as long as the one before."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
                 last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Goes on to the next epoch, or to the given one, which may be a fraction."""
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.last_epoch = math.floor(epoch)
            self.T_cur, self.T_i = epoch, self.T_0
            while self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        self._set(self.get_lr())


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _line(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


def _momentum(group: dict[str, Any]) -> str:
    """What the group's momentum is called."""
    return "betas" if "betas" in group else "momentum"


def _set_momentum(group: dict[str, Any], value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _check_momentum(optimizer: Optimizer) -> None:
    if not {"momentum", "betas"} & set(optimizer.defaults):
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


def _per_group(optimizer: Optimizer, value: Any) -> list[Any]:
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"expected {count} values for param_groups, got {len(value)}")
    return list(value)


class OneCycleLR(LRScheduler):
    """Up to `max_lr` and down far below where it began, over all steps; momentum the other way (Smith, 2017)."""

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95,
                 div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
                 last_epoch: int = -1) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("anneal_strategy must be one of 'cos' or 'linear', instead got " + anneal_strategy)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self.anneal = _cosine if anneal_strategy == "cos" else _line
        self.cycle_momentum = cycle_momentum
        self.phases = self._phases(pct_start, three_phase)
        for group, top in zip(optimizer.param_groups, _per_group(optimizer, max_lr)):
            group["initial_lr"] = top / div_factor
            group["max_lr"] = top
            group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            _check_momentum(optimizer)
            low, high = _per_group(optimizer, base_momentum), _per_group(optimizer, max_momentum)
            for group, least, most in zip(optimizer.param_groups, low, high):
                group["base_momentum"], group["max_momentum"] = least, most
                _set_momentum(group, most)
        super().__init__(optimizer, last_epoch)

    def _phases(self, part: float, three: bool) -> list[tuple[float, str, str, str, str]]:
        """The last step of each phase, and what the learning rate and the momentum go from and to."""
        end = self.total_steps - 1
        up = ("initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three:
            turn = part * self.total_steps - 1
            return [(turn, *up), (2 * part * self.total_steps - 2, "max_lr", "initial_lr", *up[:1:-1]),
                    (end, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        return [(part * self.total_steps - 1, *up), (end, "max_lr", "min_lr", *up[:1:-1])]

    def get_lr(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The total number of steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for i, (end, lr_from, lr_to, m_from, m_to) in enumerate(self.phases):
                if step <= end or i == len(self.phases) - 1:
                    part = (step - start) / (end - start)
                    rates.append(self.anneal(group[lr_from], group[lr_to], part))
                    if self.cycle_momentum:
                        _set_momentum(group, self.anneal(group[m_from], group[m_to], part))
                    break
                start = end
        return rates


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """The number of all steps."""
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return epochs * steps_per_epoch


class CyclicLR(LRScheduler):
    """Between `base_lr` and `max_lr` in equal steps, up and down, the top changing from cycle to cycle."""

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9,
                 last_epoch: int = -1) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        bases = _per_group(optimizer, base_lr)
        for group, lr in zip(optimizer.param_groups, bases):
            group["lr"] = group["initial_lr"] = lr
        self.max_lrs = _per_group(optimizer, max_lr)
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _check_momentum(optimizer)
            self.base_momentums = _per_group(optimizer, base_momentum)
            self.max_momentums = _per_group(optimizer, max_momentum)
        super().__init__(optimizer, last_epoch)

    def _scale(self, x: float) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(x)
        return {"triangular": 1.0, "triangular2": 1 / 2.0 ** (x - 1), "exp_range": self.gamma ** x}[self.mode]

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height *= self._scale(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                _set_momentum(group, high - (high - low) * height)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs)]
