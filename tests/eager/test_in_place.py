"""Writes in place: versions, views, what becomes of the graph."""
from __future__ import annotations

from typing import Any

import pytest

import srcgrad.eager as torch

VERSION = "one of the variables needed for gradient computation has been modified by an inplace operation"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation"


def leaf(*values: float) -> Any:
    return torch.tensor(list(values), requires_grad=True)


def weighted(y: Any) -> Any:
    """The sum of y with weights 1, 10, 100 ..."""
    return (y.reshape(-1) * 10.0 ** torch.arange(float(y.numel()))).sum()


def test_versions_are_shared_by_views_and_detached_twins() -> None:
    x = torch.ones(3)
    x.add_(1)
    x[0] = 2.0
    y = x.view(3)
    y.mul_(2)
    assert (x._version, y._version) == (3, 3)
    x.detach().add_(1)
    x.data.add_(1)              # unseen
    assert x._version == 4 and x.clone()._version == 0 and x.tolist() == [6.0, 6.0, 6.0]


def test_what_was_saved_and_written_is_an_error() -> None:
    x = leaf(1.0, 2.0)
    a = x * 1
    loss = (a * a).sum()
    a.add_(1)
    with pytest.raises(RuntimeError, match=f"{VERSION}.*is at version 1; expected version 0 instead"):
        loss.backward()


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh", "sqrt", "relu", "rsqrt", "reciprocal", "tan", "softmax"])
def test_operations_that_save_their_result_break_when_it_is_written(name: str) -> None:
    y = torch.softmax(leaf(1.0, 2.0), 0) if name == "softmax" else getattr(leaf(1.0, 2.0), name)()
    y.add_(1)
    with pytest.raises(RuntimeError, match=VERSION):
        y.sum().backward()


@pytest.mark.parametrize("make", [lambda x: x.sin(), lambda x: x.log(), lambda x: x.abs(), lambda x: x / x,
                                  lambda x: 3.0 * x, lambda x: x.clamp(0, 1), lambda x: x ** 2])
def test_others_do_not(make: Any) -> None:
    x, z = leaf(0.5, 2.0), leaf(0.5, 2.0)
    y = make(x)
    y.add_(1)
    y.sum().backward()
    make(z).sum().backward()
    assert x.grad.tolist() == z.grad.tolist()


def test_products_save_only_what_they_need() -> None:
    x, c = leaf(1.0, 2.0), torch.tensor([3.0, 4.0])
    h = x * 1
    y = (h * c).sum()
    h.add_(1)
    y.backward()
    assert x.grad.tolist() == [3.0, 4.0]
    y = (x * c).sum()
    c.add_(1)
    with pytest.raises(RuntimeError, match=VERSION):
        y.backward()


def test_leaves_and_their_views_are_written_under_no_grad_only() -> None:
    x = leaf(1.0, 2.0)
    for write in (lambda: x.mul_(2), lambda: x.zero_(), lambda: x.fill_(1.0), lambda: x.__iadd__(1)):
        with pytest.raises(RuntimeError, match=LEAF):
            write()
    for write in (lambda: x[0].mul_(2), lambda: x.__setitem__(0, 5.0)):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
            write()
    loss = (x * x).sum()
    ident = id(x)
    with torch.no_grad():
        x -= 0.5
    assert id(x) == ident and x.is_leaf and x.requires_grad and x.tolist() == [0.5, 1.5]
    with pytest.raises(RuntimeError, match=VERSION):
        loss.backward()


def test_a_write_replaces_the_node() -> None:
    x = leaf(1.0, 2.0)
    y = x + 1
    y.mul_(x)
    assert type(y.grad_fn).__name__ == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_a_write_through_a_view_reaches_the_base_and_all_views() -> None:
    x = leaf(1.0, 2.0, 3.0)
    y = x * 2
    v, whole = y[0:2], y.view(3, 1)
    v.mul_(3)
    assert type(y.grad_fn).__name__ == "CopySlices" and type(v.grad_fn).__name__ == "AsStridedBackward0"
    weighted(y).backward(retain_graph=True)
    assert x.grad.tolist() == [6.0, 60.0, 200.0]
    x.grad = None
    weighted(whole).backward(retain_graph=True)
    assert x.grad.tolist() == [6.0, 60.0, 200.0]
    x.grad = None
    v.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0, 0.0]


def test_a_write_to_the_base_reaches_its_views() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    v = y[0]
    y.add_(x)
    (v * v).backward()
    assert x.grad.tolist() == [18.0, 0.0]


@pytest.mark.parametrize("view", [
    lambda y: y[0], lambda y: y[:, 1], lambda y: y.t()[1:], lambda y: y.view(6)[::2], lambda y: y.reshape(3, 2)[1],
    lambda y: y.diagonal(), lambda y: y.unsqueeze(0)[0, 1], lambda y: y.permute(1, 0)[0:2, 0], lambda y: y[..., None],
    lambda y: y.narrow(1, 1, 2).select(0, 0), lambda y: y.flatten()[1:3], lambda y: y.transpose(0, 1).transpose(0, 1)])
@pytest.mark.parametrize("write", [
    lambda v, s: v.mul_(s), lambda v, s: v.add_(s), lambda v, s: v.zero_(), lambda v, s: v.copy_(s.expand(v.shape)),
    lambda v, s: v.exp_(), lambda v, s: v.fill_(s), lambda v, s: v.__setitem__(..., s * 2), lambda v, s: v.div_(s + 3),
    lambda v, s: v.pow_(2), lambda v, s: v.clamp_(0.2, 5.0)])
def test_gradients_through_writes_by_differences(view: Any, write: Any) -> None:
    def program(x: Any, s: Any) -> Any:
        y = x * 1
        before = y.sum()
        write(view(y), s)
        return before, weighted(y), view(y).sin()
    x = torch.linspace(0.3, 1.7, 6, dtype=torch.float64).reshape(2, 3).requires_grad_()
    s = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(program, (x, s))
    assert torch.autograd.gradgradcheck(program, (x, s))


@pytest.mark.parametrize("index", [0, slice(1, 3), [2, 0], (torch.tensor([True, False, True]),), (None, 1), ...])
def test_assignment_by_index(index: Any) -> None:
    def program(x: Any, v: Any) -> Any:
        plain = torch.zeros(3, 2, dtype=torch.float64)
        plain[index] = v
        y = x * 2
        y[index] = v * v
        return weighted(plain), weighted(y)
    x = torch.linspace(0.3, 1.7, 6, dtype=torch.float64).reshape(3, 2).requires_grad_()
    v = torch.tensor([0.4, -0.9], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(program, (x, v))


def test_assignment_makes_a_plain_leaf_part_of_the_graph() -> None:
    s, y = leaf(7.0), torch.zeros(3)
    y[1] = s[0]
    assert not y.is_leaf and repr(y) == "tensor([0., 7., 0.], grad_fn=<CopySlices>)"


def test_forbidden_writes() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.tensor([1, 2]).add_(1.5)
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[2, 2\]"):
        torch.ones(2).add_(torch.ones(2, 2))
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        (x * 1).unbind()[0].add_(1)
    y = x * 1
    with torch.no_grad():
        v = y[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        v.add_(1)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(3).add_(1)


def test_detach_in_place() -> None:
    z = leaf(1.0) * 2
    assert z.detach_() is z and z.is_leaf and z.grad_fn is None and not z.requires_grad


def test_data_is_invisible() -> None:
    w = leaf(1.0, 2.0)
    w.data -= 0.5
    assert w.tolist() == [0.5, 1.5] and w._version == 0
    w.data = torch.tensor([7.0, 8.0, 9.0])
    assert w.tolist() == [7.0, 8.0, 9.0] and w.requires_grad and w.is_leaf
