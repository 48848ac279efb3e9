"""The graph: leaves, nodes, accumulation, freeing, versions, hooks, gradients of several tensors at once."""
from __future__ import annotations

import copy
import gc
import pickle
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch


def leaf(*values: float) -> Any:
    return torch.tensor(list(values), requires_grad=True)


# ---------------------------------------------------------------- leaves

def test_leaves() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    assert x.is_leaf and x.grad_fn is None and not y.is_leaf and y.requires_grad
    assert torch.ones(2).is_leaf and (torch.ones(2) + 1).is_leaf
    assert not x.clone().is_leaf and not x.to(torch.float64).is_leaf
    assert x.to(torch.float32) is x and +x is x and x.contiguous() is x
    assert y.requires_grad_(True) is y
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad_(False)
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.tensor([1]).requires_grad_()
    assert not torch.ones_like(x).requires_grad and not (x > 1).requires_grad and not x.argmax().requires_grad


def test_one_accumulator_a_leaf() -> None:
    x = leaf(1.0)
    y, z = x * 2, x.exp()
    node = y.grad_fn.next_functions[0][0]
    assert node is z.grad_fn.next_functions[0][0] and node.variable is x and node.next_functions == ()
    assert node.name() == "torch::autograd::AccumulateGrad" and type(node).__name__ == "AccumulateGrad"


@pytest.mark.parametrize("make, count", [
    (lambda x: x * 2, 2), (lambda x: x + 1, 2), (lambda x: x / 2, 2), (lambda x: x - 1, 2), (lambda x: x ** 2, 1),
    (lambda x: 1 - x, 1), (lambda x: x.exp(), 1), (lambda x: torch.cat([x, torch.ones(1)]), 2)])
def test_an_edge_for_each_tensor_argument(make: Any, count: int) -> None:
    functions = make(leaf(1.0, 2.0)).grad_fn.next_functions
    assert len(functions) == count and functions[0][0] is not None and all(f == (None, 0) for f in functions[1:])


@pytest.mark.parametrize("name, make", [
    ("AddBackward0", lambda x: 1 + x), ("SubBackward0", lambda x: x - 1), ("RsubBackward1", lambda x: 1 - x),
    ("MulBackward0", lambda x: 2 * x), ("MulBackward0", lambda x: 1 / x), ("DivBackward0", lambda x: x / 2),
    ("NegBackward0", lambda x: -x), ("PowBackward0", lambda x: x ** 2), ("PowBackward1", lambda x: x ** x),
    ("PowBackward2", lambda x: 2 ** x), ("SumBackward0", lambda x: x.sum()), ("SumBackward1", lambda x: x.sum(0)),
    ("MeanBackward1", lambda x: x.mean(1)), ("MaxBackward1", lambda x: x.max()),
    ("MaxBackward0", lambda x: x.max(0)[0]),
    ("LinalgVectorNormBackward0", lambda x: x.norm()), ("ClampBackward1", lambda x: x.clamp(min=0)),
    ("ViewBackward0", lambda x: x.view(4)), ("UnsafeViewBackward0", lambda x: x.t().reshape(4)),
    ("TBackward0", lambda x: x.t()), ("PermuteBackward0", lambda x: x.T), ("TransposeBackward0", lambda x: x.mT),
    ("SqueezeBackward0", lambda x: x.squeeze()), ("SqueezeBackward1", lambda x: x.squeeze(0)),
    ("SelectBackward0", lambda x: x[0, 1]), ("SelectBackward0", lambda x: x[:, 1]),
    ("SliceBackward0", lambda x: x[0:1]),
    ("UnsqueezeBackward0", lambda x: x[None]), ("AliasBackward0", lambda x: x[...]),
    ("IndexBackward0", lambda x: x[[0]]),
    ("IndexBackward0", lambda x: x[x > 0]), ("UnbindBackward0", lambda x: next(iter(x))),
    ("MmBackward0", lambda x: x @ x),
    ("MvBackward0", lambda x: x @ x[0]), ("DotBackward0", lambda x: x[0] @ x[1]),
    ("CloneBackward0", lambda x: x.clone()),
    ("ToCopyBackward0", lambda x: x.double()), ("SplitBackward0", lambda x: x.chunk(2)[0])])
def test_names(name: str, make: Any) -> None:
    y = make(torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True))
    assert type(y.grad_fn).__name__ == name == y.grad_fn.name()
    assert f"grad_fn=<{name}>" in repr(y) and repr(y.grad_fn).startswith(f"<{name} object at 0x")


# ---------------------------------------------------------------- accumulation

def test_the_first_gradient_is_its_own_and_later_ones_are_added_in_place() -> None:
    x, z = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = torch.ones(2)
    (x + z).backward(seed)
    assert x.grad is not z.grad and x.grad.data_ptr() != z.grad.data_ptr() != seed.data_ptr()
    kept = x.grad
    (x * 3).sum().backward()
    assert x.grad is kept and kept.tolist() == [4.0, 4.0] and seed.tolist() == [1.0, 1.0]


def test_gradients_have_the_type_of_the_leaf() -> None:
    x = leaf(1.0, 2.0)
    (x.double() * torch.tensor([3.0, 4.0], dtype=torch.float64)).sum().backward()
    assert x.grad.dtype is torch.float32
    s = torch.tensor(2.0, requires_grad=True)
    (s * torch.tensor([1.0, 2.0], dtype=torch.float64)).sum().backward()
    assert s.grad.shape == () and s.grad.dtype is torch.float32 and s.grad.item() == 3.0


def test_grad_can_be_set_and_deleted() -> None:
    x = leaf(1.0, 2.0)
    x.grad = torch.ones(2)
    x.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    del x.grad
    assert x.grad is None
    with pytest.raises(RuntimeError, match=r"assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"):
        x.grad = torch.ones(3)
    with pytest.raises(RuntimeError, match="with dtype 'double'"):
        x.grad = torch.ones(2, dtype=torch.float64)
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type list"):
        x.grad = [1.0, 1.0]


def test_a_gradient_that_is_not_kept_warns() -> None:
    y = leaf(1.0) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor"):
        assert y.grad is None
    y.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is None
    y.backward()
    assert y.grad.tolist() == [1.0]


# ---------------------------------------------------------------- backward

def test_what_backward_needs() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        y.backward()
    with pytest.raises(RuntimeError, match=r"grad_output\[0\] has a shape of torch.Size\(\[3\]\) and output\[0\] "
                                           r"has a shape of torch.Size\(\[2\]\)"):
        y.backward(torch.ones(3))
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(1).backward()
    assert y.backward(torch.ones(2, dtype=torch.float64)) is None and x.grad.tolist() == [2.0, 2.0]


B, I = torch.tensor([3.0, 4.0]), torch.tensor([0])


@pytest.mark.parametrize("make", [
    lambda x: x.sum(), lambda x: x.mean(), lambda x: x.sum(0), lambda x: (x + B).sum(), lambda x: (-x).sum(),
    lambda x: x.view(2).sum(), lambda x: torch.cat([x, x]).sum(), lambda x: x[0], lambda x: x.t().sum()])
def test_graphs_that_saved_nothing_run_again(make: Any) -> None:
    x = leaf(1.0, 2.0)
    y = make(x)
    y.backward()
    first = x.grad.tolist()
    y.backward()
    assert x.grad.tolist() == [2 * g for g in first]


@pytest.mark.parametrize("make", [
    lambda x: (x * B).sum(), lambda x: (x * 3).sum(), lambda x: (x / 2).sum(), lambda x: (x ** 2).sum(),
    lambda x: x.exp().sum(), lambda x: x.relu().sum(), lambda x: x.norm(), lambda x: x @ B, lambda x: x[I].sum(),
    lambda x: x.sin().sum(), lambda x: x.softmax(0)[0]])
def test_graphs_that_saved_something_do_not(make: Any) -> None:
    y = make(leaf(1.0, 2.0))
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time.*retain_graph=True"):
        y.backward()


def test_long_and_wide_graphs() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y + x
    for _ in range(50):
        y = y + y
    y.backward()
    assert x.grad.item() == 10_001 * 2.0 ** 50
    del y
    gc.collect()


def test_inputs_restrict_who_gets_a_gradient() -> None:
    x, w = leaf(1.0), leaf(2.0)
    h = x * w
    (h * h).sum().backward(inputs=[w], retain_graph=True)
    assert x.grad is None and w.grad.tolist() == [4.0]
    (h * h).sum().backward(inputs=[h])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert h.grad.tolist() == [4.0] and x.grad is None


def test_memory_is_released() -> None:
    x = leaf(1.0, 2.0)
    h = x * 2
    dead = weakref.ref(h)
    y = (h * h).sum()
    del h
    y.backward()
    assert dead() is None


def test_backward_in_threads() -> None:
    w = leaf(2.0, 3.0)

    def work() -> None:
        for _ in range(20):
            (w * w).sum().backward()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert w.grad.tolist() == [320.0, 480.0]


# ---------------------------------------------------------------- autograd.grad, higher orders

def test_grad_leaves_the_leaves_alone() -> None:
    x, unused = leaf(1.0, 2.0), leaf(1.0)
    y = x * x
    z = y.sum()
    assert torch.autograd.grad(z, y, retain_graph=True)[0].tolist() == [1.0, 1.0]
    found = torch.autograd.grad(z, [x, unused], allow_unused=True, retain_graph=True)
    assert found[0].tolist() == [2.0, 4.0] and found[1] is None and x.grad is None
    assert torch.autograd.grad(z, [x, unused], materialize_grads=True, retain_graph=True)[1].tolist() == [0.0]
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        torch.autograd.grad(z, [x, unused])
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        torch.autograd.grad(x.sum(), torch.ones(1))


def test_a_node_behind_the_input_does_not_run() -> None:
    x = leaf(1.0, 2.0)
    h = x.exp()
    z = (h + 1).sum()
    assert torch.autograd.grad(z, h)[0].tolist() == [1.0, 1.0]
    h.sum().backward()          # exp wasn't freed
    assert x.grad is not None


def test_third_derivative() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x ** 3
    g, = torch.autograd.grad(y, x, create_graph=True)
    gg, = torch.autograd.grad(g, x, create_graph=True)
    ggg, = torch.autograd.grad(gg, x)
    assert (g.item(), gg.item(), ggg.item()) == (12.0, 12.0, 6.0) and g.requires_grad and not ggg.requires_grad
    assert repr(g) == "tensor(12., grad_fn=<MulBackward0>)"


def test_backward_with_create_graph_warns_and_adds_out_of_place() -> None:
    x = leaf(1.0, 2.0)
    with pytest.warns(UserWarning, match="create_graph=True"):
        (x ** 3).sum().backward(create_graph=True)
    g = x.grad
    assert g.requires_grad
    x.grad = None
    g.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


# ---------------------------------------------------------------- hooks

def test_hooks_see_the_whole_gradient_in_their_order() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3
    seen: list[Any] = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    handle = x.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
    (y * y).sum().backward()
    assert seen == [[6.0, 12.0], [180.0, 360.0]]
    assert x.grad.tolist() == [360.0, 720.0] and y.grad.tolist() == [60.0, 120.0]
    handle.remove()
    (x * 1).sum().backward()
    assert len(seen) == 2
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_hook(print)


def test_hooks_on_nodes() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3
    seen: list[Any] = []
    y.grad_fn.register_hook(lambda ins, outs: seen.append((ins[0].tolist(), ins[1], outs[0].tolist())))
    y.grad_fn.register_prehook(lambda outs: (outs[0] * 2,))
    (y * 2).sum().backward()
    assert seen == [([12.0, 12.0], None, [4.0, 4.0])] and x.grad.tolist() == [12.0, 12.0]


def test_hooks_after_accumulation() -> None:
    x = leaf(1.0, 2.0)
    seen: list[Any] = []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert seen == [[2.0, 2.0], [4.0, 4.0]]


# ---------------------------------------------------------------- copies

def test_deepcopy_and_pickle() -> None:
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    twin = copy.deepcopy(x)
    assert twin.requires_grad and twin.grad.tolist() == [2.0, 2.0] and twin.data_ptr() != x.data_ptr()
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_anomaly_names_the_operation() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            y = leaf(0.0, 4.0)
            z = torch.where(y > 0, y.sqrt(), torch.zeros(2)).sum()
            with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
                z.backward()
        with torch.autograd.detect_anomaly(check_nan=False):
            torch.where(y > 0, y.sqrt(), torch.zeros(2)).sum().backward()
        assert np.isnan(y.grad.tolist()[0])
