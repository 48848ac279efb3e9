"""Hooks on what operations save, and checkpoints, which are made of them."""
from __future__ import annotations

from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from srcgrad.eager.utils.checkpoint import checkpoint, checkpoint_sequential


def halving() -> saved_tensors_hooks:
    return saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2)


def test_each_saved_tensor_is_packed_once_and_unpacked_in_each_pass() -> None:
    seen: list[Any] = []

    def pack(t: Any) -> Any:
        seen.append(("pack", tuple(t.shape)))
        return t.numpy().copy()

    def unpack(a: Any) -> Any:
        seen.append("unpack")
        return torch.from_numpy(a)
    x = torch.ones(2, requires_grad=True)
    with saved_tensors_hooks(pack, unpack):
        y = (x * x).exp().sum()
    y.backward(retain_graph=True)
    assert seen == [("pack", (2,))] * 3 + ["unpack"] * 3
    y.backward()
    assert torch.allclose(x.grad, torch.full((2,), 4 * 2.718281828))
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_second_derivatives_pass_through_the_hooks() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with halving():
        y = (x.sin() * x.exp()).sum()
    g, = torch.autograd.grad(y, x, create_graph=True)
    h, = torch.autograd.grad(g.sum(), x)
    assert torch.allclose(h, 2 * x.exp() * x.cos())


def test_own_functions_and_saved_attributes_pass_through_the_hooks() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 3 * ctx.saved_tensors[0] ** 2 * g
    x = torch.tensor([2.0], requires_grad=True)
    with saved_tensors_hooks(lambda t: 5, lambda _: torch.tensor([10.0])):
        y, z = Cube.apply(x), x ** 2
    y.backward()
    assert x.grad.item() == 300.0
    assert z.grad_fn._saved_self.item() == 10.0 and z.grad_fn._saved_self.requires_grad


def test_refusals() -> None:
    x = torch.tensor([2.0], requires_grad=True)
    with saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.exp()
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor but got result of type int"):
        y.backward()
    with disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"), halving():
        pass
    with save_on_cpu():
        z = x * x
    z.backward()
    assert x.grad.item() == 4.0


def test_a_checkpoint_gives_the_gradients_of_what_it_calls() -> None:
    layer, x = nn.Linear(2, 2), torch.tensor([[1.0, 2.0]])
    calls = []

    def called(t: Any) -> Any:
        calls.append(1)
        return layer(t).tanh()
    checkpoint(called, x, use_reentrant=False).sum().backward()
    found = layer.weight.grad.clone()
    layer.zero_grad()
    layer(x).tanh().sum().backward()
    assert torch.equal(found, layer.weight.grad) and len(calls) == 2


def test_checkpoints_repeat_random_numbers_and_differentiate_twice() -> None:
    model, x = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 1)), torch.ones(1, 2)
    torch.manual_seed(3)
    checkpoint_sequential(model, 2, x).sum().backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    torch.manual_seed(3)
    model(x).sum().backward()
    assert all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), found))
    z = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(checkpoint(lambda t: t ** 3, z), z, create_graph=True)
    assert torch.autograd.grad(g, z)[0].item() == 12.0
