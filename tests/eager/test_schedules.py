"""Schedules of the learning rate, and L-BFGS; the numbers are those of torch's documentation and formulas."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager.optim import lr_scheduler as schedules


def rates(make: Callable[..., Any], count: int = 8, **options: Any) -> list[float]:
    """The learning rates of so many epochs, from 0.1 on."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    scheduler = make(optimizer, **options)
    found = []
    for _ in range(count):
        found.append(round(optimizer.param_groups[0]["lr"], 5))
        assert scheduler.get_last_lr() == [optimizer.param_groups[0]["lr"]]
        optimizer.step()
        scheduler.step()
    return found


@pytest.mark.parametrize(("make", "options", "expected"), [
    (schedules.LinearLR, {"start_factor": 0.5, "total_iters": 4}, [0.05, 0.0625, 0.075, 0.0875, 0.1, 0.1, 0.1, 0.1]),
    (schedules.ConstantLR, {"factor": 0.5, "total_iters": 4}, [0.05, 0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1]),
    (schedules.PolynomialLR, {"total_iters": 4, "power": 1.0}, [0.1, 0.075, 0.05, 0.025, 0.0, 0.0, 0.0, 0.0]),
    (schedules.MultiplicativeLR, {"lr_lambda": lambda _: 0.5},
     [0.1, 0.05, 0.025, 0.0125, 0.00625, 0.00313, 0.00156, 0.00078]),
    (schedules.CosineAnnealingWarmRestarts, {"T_0": 2, "T_mult": 2},
     [0.1, 0.05, 0.1, 0.08536, 0.05, 0.01464, 0.1, 0.09619]),
    (schedules.CyclicLR, {"base_lr": 0.1, "max_lr": 0.4, "step_size_up": 3, "mode": "triangular2"},
     [0.1, 0.2, 0.3, 0.4, 0.3, 0.2, 0.1, 0.15]),
    (schedules.OneCycleLR, {"max_lr": 1.0, "total_steps": 11, "anneal_strategy": "linear", "pct_start": 3 / 11},
     [0.04, 0.52, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375]),
    (lambda o: schedules.SequentialLR(
        o, [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, gamma=0.9)], milestones=[2]), {},
     [0.01, 0.01, 0.1, 0.09, 0.081, 0.0729, 0.06561, 0.05905]),
    (lambda o: schedules.ChainedScheduler([schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, gamma=0.9)]), {},
     [0.01, 0.009, 0.081, 0.0729, 0.06561, 0.05905, 0.05314, 0.04783]),
])
def test_rates(make: Any, options: dict[str, Any], expected: list[float]) -> None:
    assert rates(make, **options) == pytest.approx(expected, abs=1.1e-5)


def test_cycles_turn_the_momentum_the_other_way() -> None:
    optimizer = torch.optim.Adam([torch.ones(1, requires_grad=True)])
    scheduler = schedules.OneCycleLR(optimizer, max_lr=1.0, total_steps=11, pct_start=3 / 11)
    assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["betas"][0] == pytest.approx(0.85)
    with pytest.raises(ValueError, match="Tried to step 12 times"):
        for _ in range(10):
            scheduler.step()


def test_a_plateau_lowers_the_rate() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = schedules.ReduceLROnPlateau(optimizer, patience=1, cooldown=1, min_lr=0.05)
    found = []
    for loss in (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, torch.tensor(0.6)):
        scheduler.step(loss)
        found.append(optimizer.param_groups[0]["lr"])
    assert found == pytest.approx([1.0, 1.0, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05])


def test_a_schedule_that_steps_first_warns() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = schedules.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step"):
        scheduler.step()


@pytest.mark.parametrize("search", ["strong_wolfe", None])
def test_lbfgs(search: str | None) -> None:
    p = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([p], lr=1 if search else 0.05, line_search_fn=search, max_iter=30)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = 100 * (p[1] - p[0] ** 2) ** 2 + (1 - p[0]) ** 2 if search else ((p - 1) ** 2).sum()
        loss.backward()
        return loss
    losses = [optimizer.step(closure).item() for _ in range(6)]
    assert losses[-1] < 1e-8 if search else losses[-1] < losses[0] / 10
    with pytest.raises(ValueError, match="doesn't support per-parameter options"):
        torch.optim.LBFGS([{"params": [p]}, {"params": [torch.ones(1)]}])
