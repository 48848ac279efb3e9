"""Compiled functions on tensors: one node, whose backward is the generated source."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad
import srcgrad.eager as torch


@srcgrad.differentiable
def loss(w, X, y):
    z = X @ w
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


@srcgrad.differentiable
def layer(params, x):
    h = np.tanh(x @ params["W"] + params["b"])
    return {"hidden": h, "size": np.sum(h * h)}


@srcgrad.differentiable
def cube(x):
    return x ** 3


def data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    return (torch.tensor(rng.normal(size=3), requires_grad=True), torch.tensor(rng.normal(size=(4, 3))),
            torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64))


def test_it_is_one_node_that_bears_the_functions_name() -> None:
    w, X, y = data()
    value = loss(w, X, y)
    assert type(value.grad_fn).__name__ == "lossBackward" and "grad_fn=<lossBackward>" in repr(value)
    assert value.grad_fn.next_functions[0][0].variable is w
    assert "def loss_vjp_backward" in value.grad_fn.source and "X.T @" in value.grad_fn.source
    value.backward()
    np.testing.assert_allclose(w.grad.numpy(), srcgrad.grad(loss.__wrapped__)(w.detach().numpy(), X.numpy(), y.numpy()))


def test_it_joins_the_graph() -> None:
    w, X, y = data()
    assert torch.autograd.gradcheck(lambda w, X: loss(w * 2, X.tanh(), y).exp(), (w, X.clone().requires_grad_()))


def test_for_arrays_it_is_the_plain_function() -> None:
    w, X, y = (a.detach().numpy() for a in data())
    assert isinstance(loss(w, X, y), np.float64) and loss(w, X, y) == loss.__wrapped__(w, X, y)


def test_its_graph_is_freed_and_its_inputs_are_checked() -> None:
    w, X, y = data()
    value = loss(w, X, y)
    value.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        value.backward()
    value = loss(w, X, y)
    X.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        value.backward()


def test_structures_go_in_and_out() -> None:
    params = {"W": torch.randn(3, 2, dtype=torch.float64, requires_grad=True),
              "b": torch.zeros(2, dtype=torch.float64, requires_grad=True)}
    x = torch.ones(4, 3, dtype=torch.float64)

    def both(W: Any, b: Any) -> Any:
        out = layer({"W": W, "b": b}, x)
        return out["hidden"], out["size"]
    assert torch.autograd.gradcheck(both, (params["W"], params["b"]))
    layer(params, x)["size"].backward()
    assert params["W"].grad.shape == (3, 2)


def test_nothing_is_recorded_under_no_grad() -> None:
    w, X, y = data()
    with torch.no_grad():
        assert not loss(w, X, y).requires_grad
    assert not loss(w.detach(), X, y=y).requires_grad


def test_second_derivatives_of_numbers() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(cube(x), x, create_graph=True)
    assert g.item() == 12.0 and torch.autograd.grad(g, x)[0].item() == 12.0


def test_grad_and_value_and_grad_accept_tensors() -> None:
    def total(x):
        return np.sum(x * x * x)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    value, g = srcgrad.value_and_grad(total)(x.detach())
    assert value.item() == 9.0 and g.tolist() == [3.0, 12.0] and not g.requires_grad
    again = srcgrad.grad(total)(x)
    again.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def with_constants(x):
    y = x * x
    with torch.no_grad():
        s = np.sum(y)
    return np.sum(y / s)


def with_detach(x):
    d = x.detach()
    return np.sum(d * x)


def with_stop(x):
    return np.sum(srcgrad.stop_gradient(x * x) * x)


@torch.no_grad()
def size(x):
    return np.sum(x * x)


def with_decorated(x):
    return np.sum(x * x) / size(x)


@pytest.mark.parametrize("options", [srcgrad.Options(), srcgrad.Options(plain=True), srcgrad.Options(general=True)])
@pytest.mark.parametrize("f, expected", [
    (with_constants, [0.4, 0.8]), (with_detach, [1.0, 2.0]), (with_stop, [1.0, 4.0]), (with_decorated, [0.4, 0.8])])
def test_derivatives_are_cut_at_compile_time(f: Any, expected: list[float], options: Any) -> None:
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(srcgrad.grad(f, options=options)(x), expected)
    t = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    srcgrad.differentiable(f, options=options)(t).backward()
    np.testing.assert_allclose(t.grad.numpy(), expected)
    with torch.no_grad():
        srcgrad.differentiable(f)(t)


@srcgrad.differentiable
def scaled(x, y, *, k=2.0, square=True):
    return np.sum(x * x * y) * k if square else np.sum(x) * k


@srcgrad.differentiable
def wave(x, y):
    return np.sin(x) * y


def test_arguments_by_keyword() -> None:
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    scaled(x, y=y, k=3.0).backward()
    assert x.grad.tolist() == [18.0, 48.0]
    x.grad = None
    scaled(x, y, square=False).backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(srcgrad.ArgumentError, match="scaled was given a tensor as k, which it takes by keyword only"):
        scaled(x, y, k=torch.tensor(2.0))


def test_gradients_of_arrays_can_be_differentiated_again() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([3.0, -4.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(wave, (x, y)) and torch.autograd.gradgradcheck(wave, (x, y))


def test_what_inference_made_is_not_saved() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        y = torch.tensor([3.0, 4.0])
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        wave(x, y)
    with torch.no_grad():
        assert not wave(x, y).requires_grad
