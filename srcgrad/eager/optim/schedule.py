"""What all schedulers of the learning rate have in common."""
from __future__ import annotations

import warnings
from typing import Any

from srcgrad.eager.optim.optimizer import Optimizer


class LRScheduler:
    """Sets the learning rate of each group of an optimizer, now and at every `step`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self._step_count = 0
        self.step()

    def get_lr(self) -> list[float]:
        """The groups' learning rates in epoch `last_epoch`."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates that were set last."""
        return self._last_lr

    def step(self, epoch: Any = None) -> None:
        """Goes on to the next epoch."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                          "later, you should call them in the opposite order: `optimizer.step()` before "
                          "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value "
                          "of the learning rate schedule.", UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._set(self.get_lr())

    def start_over(self) -> None:
        """Goes to epoch 0, whatever the learning rates are now."""
        self.last_epoch = 0
        self._set(self._at_start())

    def _at_start(self) -> list[float]:
        """The groups' learning rates in epoch 0."""
        return list(self.base_lrs)

    def _set(self, rates: list[float]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates):
            group["lr"] = lr
        self._last_lr = self._now()

    def _now(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.__dict__.update(state_dict)
