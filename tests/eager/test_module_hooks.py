"""Hooks of modules: before and after forward, on the gradients of results and of arguments."""
from __future__ import annotations

from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn


def layer() -> Any:
    made = nn.Linear(2, 1, bias=False)
    nn.init.ones_(made.weight)
    return made


def test_full_backward_hooks_see_and_change_gradients() -> None:
    net, seen = layer(), []
    handle = net.register_full_backward_hook(lambda m, ins, outs: seen.append((ins[0].tolist(), outs[0].tolist())))
    x = torch.ones(1, 2, requires_grad=True)
    y = net(x)
    assert repr(y) == "tensor([[2.]], grad_fn=<BackwardHookFunctionBackward>)"
    y.sum().backward()
    assert seen == [([[1.0, 1.0]], [[1.0]])]
    handle.remove()
    net.register_full_backward_hook(lambda m, ins, outs: (ins[0] * 10,))
    net.register_full_backward_pre_hook(lambda m, outs: (outs[0] * 2,))
    x.grad = net.weight.grad = None
    net(x).sum().backward()
    assert x.grad.tolist() == [[20.0, 20.0]] and net.weight.grad.tolist() == [[2.0, 2.0]]


def test_without_a_gradient_of_the_arguments_the_hook_runs_on_that_of_the_results() -> None:
    net, seen = layer(), []
    handle = net.register_full_backward_hook(lambda m, ins, outs: seen.append((ins, outs[0].tolist())))
    net(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]
    handle.remove()
    net.register_full_backward_hook(lambda m, ins, outs: outs)
    with pytest.raises(RuntimeError, match="should always return None"):
        net(torch.ones(1, 2)).sum().backward()


def test_several_arguments_and_results() -> None:
    class Two(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return a * b, a + b
    net, seen = Two(), []
    net.register_full_backward_hook(lambda m, ins, outs: seen.append((ins[0].item(), ins[1], [o.item() for o in outs])))
    a = torch.tensor(2.0, requires_grad=True)
    u, v = net(a, torch.tensor(3.0))
    (u * v).backward()
    assert seen == [(21.0, None, [5.0, 6.0])] and a.grad.item() == 21.0
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        u.mul_(2)


def test_forward_hooks_with_keywords_first_and_always() -> None:
    net, seen = layer(), []
    net.register_forward_hook(lambda m, args, kwargs, out: seen.append(sorted(kwargs)), with_kwargs=True)
    net.register_forward_hook(lambda m, args, out: seen.append("first"), prepend=True)
    net.register_forward_pre_hook(lambda m, args, kwargs: (args, {"input": kwargs["input"] * 2}), with_kwargs=True)
    assert net(input=torch.ones(1, 2)).item() == 4.0
    assert seen == ["first", ["input"]]
    wrong = layer()
    wrong.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes|size mismatch"):
        wrong(torch.ones(1, 3))
    assert seen[-1] is None
