"""Schedulers made of others, and one that waits until a measure doesn't get better."""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from srcgrad.eager.optim.optimizer import Optimizer
from srcgrad.eager.optim.schedule import LRScheduler


class SequentialLR(LRScheduler):
    """One scheduler after the other; each begins at its milestone, as if its optimizer were new."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int],
                 last_epoch: int = -1) -> None:
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        if any(s.optimizer is not optimizer for s in schedulers):
            raise ValueError("SequentialLR expects all schedulers to belong to the same optimizer.")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self.optimizer = optimizer
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        self._step_count = 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._schedulers[0].start_over()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self, epoch: Any = None) -> None:
        """Goes on to the next epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[place]
        if place and self._milestones[place - 1] == self.last_epoch:
            scheduler.start_over()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(LRScheduler):
    """Several schedulers of one optimizer, all of which act in every epoch."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        if any(s.optimizer is not self.optimizer for s in schedulers):
            raise ValueError("ChainedScheduler expects all schedulers to belong to the same optimizer.")
        self._schedulers = list(schedulers)
        self._last_lr = self._now()

    def step(self, epoch: Any = None) -> None:
        """Goes on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._now()


class ReduceLROnPlateau(LRScheduler):
    """Multiplied by `factor` when a measure hasn't got better for more than `patience` epochs."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
                 eps: float = 1e-8) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * len(optimizer.param_groups)
        self.last_epoch = 0
        self._last_lr = self._now()
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0

    def step(self, metrics: Any = None) -> None:
        """Takes the measure of an epoch."""
        current = float(metrics)
        self.last_epoch += 1
        if self._better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._now()

    def _better(self, current: float) -> bool:
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            return sign * current > sign * self.best * (1 + sign * self.threshold)
        return sign * current > sign * self.best + self.threshold

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs):
            new = max(group["lr"] * self.factor, least)
            if group["lr"] - new > self.eps:
                group["lr"] = new
