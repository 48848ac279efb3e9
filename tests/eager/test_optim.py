"""Optimizers against their formulas, written out; groups, states, schedulers, errors."""
from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager.optim import lr_scheduler

START = np.array([1.0, -2.0, 0.5])
GRADIENTS = [np.array([0.5, 1.0, -0.25]), np.array([-1.0, 0.5, 2.0]), np.array([0.25, 0.25, 0.25]),
             np.array([1.5, -0.5, 0.0])]


def stepped(make: Callable[..., Any], gradients: list[np.ndarray] = GRADIENTS) -> np.ndarray:
    """The parameter after one step for each gradient."""
    x = torch.tensor(START, requires_grad=True)
    optimizer = make([x])
    for gradient in gradients:
        x.grad = torch.tensor(gradient)
        optimizer.step()
    assert x._version == len(gradients)
    return x.detach().numpy()


def descent(lr: float, momentum: float = 0.0, dampening: float = 0.0, decay: float = 0.0, nesterov: bool = False,
            sign: float = 1.0) -> np.ndarray:
    x, buffer = START.copy(), None
    for gradient in GRADIENTS:
        d = sign * gradient + decay * x
        if momentum:
            buffer = d if buffer is None else momentum * buffer + (1 - dampening) * d
            d = d + momentum * buffer if nesterov else buffer
        x = x - lr * d
    return x


@pytest.mark.parametrize(("options", "formula"), [
    ({"lr": 0.1}, {}), ({"lr": 0.1, "momentum": 0.9}, {"momentum": 0.9}),
    ({"lr": 0.1, "momentum": 0.9, "dampening": 0.5}, {"momentum": 0.9, "dampening": 0.5}),
    ({"lr": 0.1, "weight_decay": 0.2}, {"decay": 0.2}),
    ({"lr": 0.1, "momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "nesterov": True}),
    ({"lr": 0.1, "maximize": True}, {"sign": -1.0}),
])
def test_sgd(options: dict[str, Any], formula: dict[str, Any]) -> None:
    got = stepped(lambda params: torch.optim.SGD(params, **options))
    np.testing.assert_allclose(got, descent(0.1, **formula), rtol=1e-14)


def adam(lr: float, b1: float, b2: float, eps: float, decay: float, decoupled: bool, greatest: bool) -> np.ndarray:
    x, m, v, top = START.copy(), np.zeros(3), np.zeros(3), np.zeros(3)
    for t, g in enumerate(GRADIENTS, start=1):
        g = g if decoupled else g + decay * x
        x = x * (1 - lr * decay) if decoupled else x
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        top = np.maximum(top, v)
        spread = np.sqrt((top if greatest else v) / (1 - b2 ** t)) + eps
        x = x - lr * m / (1 - b1 ** t) / spread
    return x


def test_adam_by_its_defaults() -> None:
    np.testing.assert_allclose(stepped(torch.optim.Adam), adam(1e-3, 0.9, 0.999, 1e-8, 0.0, False, False), rtol=1e-12)


@pytest.mark.parametrize("greatest", [False, True])
def test_adam(greatest: bool) -> None:
    got = stepped(lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=greatest))
    np.testing.assert_allclose(got, adam(0.1, 0.8, 0.9, 1e-3, 0.1, False, greatest), rtol=1e-12)


def test_adamw_by_its_defaults() -> None:
    np.testing.assert_allclose(stepped(torch.optim.AdamW), adam(1e-3, 0.9, 0.999, 1e-8, 1e-2, True, False), rtol=1e-12)


@pytest.mark.parametrize(("centered", "momentum"), [(False, 0.0), (True, 0.0), (True, 0.5)])
def test_rmsprop(centered: bool, momentum: float) -> None:
    x, v, m, buffer = START.copy(), np.zeros(3), np.zeros(3), np.zeros(3)
    for g in GRADIENTS:
        v, m = 0.99 * v + 0.01 * g * g, 0.99 * m + 0.01 * g
        step = g / (np.sqrt(v - m * m if centered else v) + 1e-8)
        buffer = momentum * buffer + step
        x = x - 0.01 * buffer
    got = stepped(lambda p: torch.optim.RMSprop(p, centered=centered, momentum=momentum))
    np.testing.assert_allclose(got, x, rtol=1e-10)


def test_adagrad() -> None:
    x, total = START.copy(), np.full(3, 0.5)
    for t, g in enumerate(GRADIENTS):
        total = total + g * g
        x = x - 0.1 / (1 + t * 0.2) * g / (np.sqrt(total) + 1e-10)
    got = stepped(lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.2, initial_accumulator_value=0.5))
    np.testing.assert_allclose(got, x, rtol=1e-12)


# ---------------------------------------------------------------- groups and states

def two() -> tuple[Any, Any]:
    return torch.tensor([1.0], requires_grad=True), torch.tensor([1.0], requires_grad=True)


def test_groups_have_options_of_their_own() -> None:
    a, b = two()
    optimizer = torch.optim.SGD([{"params": [a], "lr": 0.5}, {"params": b}], lr=0.25)
    (a + b).sum().backward()
    optimizer.step()
    assert (a.item(), b.item()) == (0.5, 0.75)
    assert [group["lr"] for group in optimizer.param_groups] == [0.5, 0.25]


def test_what_has_no_gradient_stays() -> None:
    a, b = two()
    optimizer = torch.optim.Adam([a, b], lr=0.5)
    a.sum().backward()
    optimizer.step()
    assert b.item() == 1.0 and b not in optimizer.state and a.item() == pytest.approx(0.5)


def test_zero_grad_forgets_or_zeroes() -> None:
    a, _ = two()
    optimizer = torch.optim.SGD([a], lr=0.5)
    (a * 2).sum().backward()
    gradient = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is gradient and gradient.item() == 0.0
    optimizer.zero_grad()
    assert a.grad is None


def test_step_calls_the_closure_with_gradients_on() -> None:
    a, _ = two()
    optimizer = torch.optim.SGD([a], lr=0.25)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (a * a).sum()
        loss.backward()
        return loss
    with torch.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert a.item() == 0.5


def test_a_step_is_seen_by_a_graph_that_saved_the_parameter() -> None:
    a, _ = two()
    optimizer = torch.optim.SGD([a], lr=0.25)
    loss = (a * a).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("make", [
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True),
    lambda p: torch.optim.RMSprop(p, centered=True, momentum=0.5), lambda p: torch.optim.Adagrad(p)])
def test_a_loaded_state_goes_on_where_it_stopped(make: Callable[..., Any]) -> None:
    whole = stepped(make)
    x = torch.tensor(START, requires_grad=True)
    first = make([x])
    for gradient in GRADIENTS[:2]:
        x.grad = torch.tensor(gradient)
        first.step()
    state = copy.deepcopy(first.state_dict())
    assert state["param_groups"][0]["params"] == [0] and 0 in state["state"]
    second = make([x])
    second.load_state_dict(state)
    for gradient in GRADIENTS[2:]:
        x.grad = torch.tensor(gradient)
        second.step()
    np.testing.assert_array_equal(x.detach().numpy(), whole)


def test_printing() -> None:
    a, _ = two()
    assert repr(torch.optim.SGD([a], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)")


@pytest.mark.parametrize(("make", "kind", "words"), [
    (lambda a: torch.optim.SGD([a], lr=-1.0), ValueError, "Invalid learning rate: -1.0"),
    (lambda a: torch.optim.SGD([a], lr=0.1, nesterov=True), ValueError, "Nesterov momentum requires a momentum"),
    (lambda a: torch.optim.Adam([a], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
    (lambda a: torch.optim.Adam([a], eps=-1.0), ValueError, "Invalid epsilon value: -1.0"),
    (lambda a: torch.optim.SGD([], lr=0.1), ValueError, "optimizer got an empty parameter list"),
    (lambda a: torch.optim.SGD(a, lr=0.1), TypeError, "params argument given to the optimizer should be an iterable"),
    (lambda a: torch.optim.SGD([a * 2], lr=0.1), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda a: torch.optim.SGD([1.0], lr=0.1), TypeError, "optimizer can only optimize Tensors"),
    (lambda a: torch.optim.SGD([{"params": [a]}, {"params": [a]}], lr=0.1), ValueError,
     "some parameters appear in more than one parameter group"),
    (lambda a: torch.optim.SGD([{"params": {a}}], lr=0.1), TypeError, "organized in ordered collections"),
    (lambda a: torch.optim.SGD([a], lr=0.1, differentiable=True), NotImplementedError, "no differentiable optimizers"),
    (lambda a: torch.optim.SGD([a], lr=0.1, speed=1), TypeError, "unexpected keyword argument 'speed'"),
])
def test_errors(make: Callable[..., Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make(two()[0])


# ---------------------------------------------------------------- learning rates

@pytest.mark.parametrize(("make", "formula"), [
    (lambda o: lr_scheduler.StepLR(o, 3, gamma=0.5), lambda t: 0.5 ** (t // 3)),
    (lambda o: lr_scheduler.MultiStepLR(o, [2, 5], gamma=0.5), lambda t: 0.5 ** ((t >= 2) + (t >= 5))),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda t: 0.9 ** t),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 8, eta_min=0.25),
     lambda t: 0.25 + 0.75 * (1 + math.cos(math.pi * t / 8)) / 2),
    (lambda o: lr_scheduler.LambdaLR(o, lambda t: 1 / (1 + t)), lambda t: 1 / (1 + t)),
])
def test_schedulers(make: Callable[..., Any], formula: Callable[[int], float]) -> None:
    a, _ = two()
    optimizer = torch.optim.SGD([a], lr=1.0)
    scheduler = make(optimizer)
    for epoch in range(8):
        assert optimizer.param_groups[0]["lr"] == pytest.approx(formula(epoch), rel=1e-12)
        assert scheduler.get_last_lr() == [optimizer.param_groups[0]["lr"]]
        optimizer.step()
        scheduler.step()
