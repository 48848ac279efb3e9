"""Learning rates that change from epoch to epoch; `step` is called once after each."""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from srcgrad.eager.optim.cyclic import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from srcgrad.eager.optim.joined import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from srcgrad.eager.optim.optimizer import Optimizer
from srcgrad.eager.optim.schedule import LRScheduler

__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
           "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
           "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR"]
_LRScheduler = LRScheduler
Factor = Callable[[int], float]


class StepLR(LRScheduler):
    """Multiplied by `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._now()
        return [lr * self.gamma for lr in self._now()]


class MultiStepLR(LRScheduler):
    """Multiplied by `gamma` at each of the milestones."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1,
                 last_epoch: int = -1) -> None:
        self.milestones = sorted(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        passed = bisect_right(self.milestones, self.last_epoch) - bisect_right(self.milestones, self.last_epoch - 1)
        return [lr * self.gamma ** passed for lr in self._now()]


class ExponentialLR(LRScheduler):
    """Multiplied by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr if self.last_epoch == 0 else lr * self.gamma for lr in self._now()]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first learning rate down to `eta_min` in `T_max` epochs (Loshchilov and Hutter, 2017)."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._now()
        before, now = (1 + math.cos(math.pi * epoch / self.T_max) for epoch in (self.last_epoch - 1, self.last_epoch))
        if before < 1e-12:      # the lowest point was reached: the next half of the cosine goes up
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - self.eta_min) * rise for lr, base in zip(self._now(), self.base_lrs)]
        return [self.eta_min + (lr - self.eta_min) * now / before for lr in self._now()]


class LinearLR(LRScheduler):
    """The first learning rate times a factor that goes in equal steps from `start_factor` to `end_factor`."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self._now()]
        if self.last_epoch > self.total_iters:
            return self._now()
        rise = self.end_factor - self.start_factor
        return [lr * (1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))
                for lr in self._now()]

    def _at_start(self) -> list[float]:
        return [lr * self.start_factor for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """The first learning rate times `factor` for `total_iters` epochs, then without it."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self._now()]
        if self.last_epoch != self.total_iters:
            return self._now()
        return [lr * (1.0 / self.factor) for lr in self._now()]

    def _at_start(self) -> list[float]:
        return [lr * self.factor for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The first learning rate times a power of what is left of `total_iters` epochs."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._now()
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return [lr * (left / before) ** self.power for lr in self._now()]


def _for_groups(optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor]) -> list[Factor]:
    """One function for each group of parameters."""
    count = len(optimizer.param_groups)
    found = [lr_lambda] * count if callable(lr_lambda) else list(lr_lambda)
    if len(found) != count:
        raise ValueError(f"Expected {count} lr_lambdas, but got {len(found)}")
    return found


class LambdaLR(LRScheduler):
    """The first learning rate times what a function of the epoch gives."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        self.lr_lambdas = _for_groups(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas)]

    def _at_start(self) -> list[float]:
        return self.get_lr()


class MultiplicativeLR(LRScheduler):
    """Multiplied in every epoch by what a function of it gives."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        self.lr_lambdas = _for_groups(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self._now()
        return [lr * factor(self.last_epoch) for lr, factor in zip(self._now(), self.lr_lambdas)]
