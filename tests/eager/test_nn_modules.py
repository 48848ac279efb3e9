"""Modules: attributes, walking, states, hooks, modes, starting values, errors."""
from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.second = nn.Linear(3, 1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("shift", torch.zeros(1))
        self.register_buffer("cache", torch.zeros(2), persistent=False)

    def forward(self, x: Any) -> Any:
        return self.second(torch.tanh(self.first(x))) * self.scale + self.shift


def test_parameters_and_buffers_are_listed_in_order() -> None:
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "second.weight"]
    assert [n for n, _ in net.named_buffers()] == ["shift", "cache"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "second"]
    assert [n for n, _ in net.named_children()] == ["first", "second"]
    assert list(net.state_dict()) == ["scale", "shift", "first.weight", "first.bias", "second.weight"]


def test_a_shared_parameter_is_listed_once() -> None:
    net = Net()
    net.third = nn.Linear(2, 3)
    net.third.weight = net.first.weight
    assert len(list(net.parameters())) == 5
    assert len(dict(net.named_parameters(remove_duplicate=False))) == 6


def test_attributes_move_between_kinds() -> None:
    net = Net()
    net.scale = nn.Parameter(torch.zeros(1))
    assert net.scale.item() == 0.0 and "scale" in net._parameters
    net.first = nn.Identity()
    assert isinstance(net.first, nn.Identity)
    net.plain = 3
    net.plain = nn.Parameter(torch.ones(1))
    assert "plain" in net._parameters and "plain" not in net.__dict__
    del net.plain
    assert not hasattr(net, "plain")
    net.shift = torch.ones(1)
    assert net._buffers["shift"].item() == 1.0
    net.scale = None
    assert net.scale is None and "scale" in net._parameters


@pytest.mark.parametrize(("act", "kind", "words"), [
    (lambda net: setattr(net, "scale", torch.ones(1)), TypeError,
     "cannot assign 'torch.FloatTensor' as parameter 'scale' (torch.nn.Parameter or None expected)"),
    (lambda net: setattr(net, "first", 3), TypeError,
     "cannot assign 'int' as child module 'first' (torch.nn.Module or None expected)"),
    (lambda net: setattr(net, "shift", 3), TypeError, "cannot assign 'int' as buffer 'shift'"),
    (lambda net: net.nothing, AttributeError, "'Net' object has no attribute 'nothing'"),
    (lambda net: net.register_buffer("a.b", None), KeyError, "buffer name can"),
    (lambda net: net.register_parameter("forward", None), KeyError, "attribute 'forward' already exists"),
    (lambda net: net.add_module("x", 3), TypeError, "is not a Module subclass"),
    (lambda net: nn.Module()(1), NotImplementedError, 'Module [Module] is missing the required "forward" function'),
    (lambda net: net.train(3), ValueError, "training mode is expected to be boolean"),
    (lambda net: net.get_submodule("first.x"), AttributeError, "Linear has no attribute `x`"),
    (lambda net: nn.Dropout(1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
    (lambda net: nn.Conv1d(3, 4, 2, groups=2), ValueError, "in_channels must be divisible by groups"),
    (lambda net: nn.Sequential(nn.ReLU())[1], IndexError, "index 1 is out of range"),
])
def test_errors(act: Callable[..., Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        act(Net())
    assert words in str(caught.value)


def test_nothing_is_assigned_before_init() -> None:
    class Early(nn.Module):
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early()


# ---------------------------------------------------------------- states

def test_a_state_shares_memory_and_loads_in_place() -> None:
    net, other = Net(), Net()
    weight = other.first.weight
    assert repr(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert other.first.weight is weight
    np.testing.assert_array_equal(weight.detach().numpy(), net.first.weight.detach().numpy())
    net.state_dict()["scale"].fill_(7.0)
    assert net.scale.item() == 7.0
    assert not net.state_dict()["scale"].requires_grad


def test_loading_says_what_does_not_fit() -> None:
    net = Net()
    state = net.state_dict()
    del state["scale"]
    state["extra"] = torch.ones(1)
    state["first.bias"] = torch.ones(2)
    before = net.first.bias.tolist()
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    for words in ("Error(s) in loading state_dict for Net:", 'Missing key(s) in state_dict: "scale"',
                  'Unexpected key(s) in state_dict: "extra"', "size mismatch for first.bias: copying a param with "
                  "shape torch.Size([2]) from checkpoint, the shape in current model is torch.Size([3])"):
        assert words in str(caught.value)
    assert net.first.bias.tolist() == before
    del state["first.bias"]
    report = net.load_state_dict(state, strict=False)
    assert report.missing_keys == ["scale", "first.bias"] and report.unexpected_keys == ["extra"]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_are_independent(again: Callable[[Any], Any]) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    twin = again(model)
    assert isinstance(twin[0].weight, nn.Parameter) and twin[0].weight.requires_grad
    with torch.no_grad():
        twin[0].weight.zero_()
    assert np.any(model[0].weight.detach().numpy() != 0)
    assert [n for n, _ in twin.named_parameters()] == ["0.weight", "0.bias"]


def test_to_changes_floating_types_only() -> None:
    norm = nn.BatchNorm1d(2).to(torch.float64)
    assert norm.weight.dtype == torch.float64 and norm.running_mean.dtype == torch.float64
    assert norm.num_batches_tracked.dtype == torch.int64
    assert isinstance(norm.weight, nn.Parameter)
    assert norm.double() is norm and norm.float().weight.dtype == torch.float32


# ---------------------------------------------------------------- modes and hooks

def test_apply_visits_children_first() -> None:
    seen: list[str] = []
    nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU())).apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "ReLU", "Sequential", "Sequential"]


def test_train_and_eval_reach_all_below() -> None:
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.9)))
    x = torch.ones(1000)
    assert model.eval() is model and not model[1][0].training
    assert model(x) is x
    model.train()
    dropped = nn.Dropout(0.5)(x)
    assert set(dropped.tolist()) == {0.0, 2.0}
    assert 350 < (dropped == 0).sum().item() < 650


def test_freezing_and_zeroing() -> None:
    net = Net()
    net.first.requires_grad_(False)
    net(torch.ones(4, 2)).sum().backward()
    assert net.first.weight.grad is None and net.second.weight.grad is not None
    net.zero_grad(set_to_none=False)
    assert net.second.weight.grad.abs().sum().item() == 0.0
    net.zero_grad()
    assert net.second.weight.grad is None


def test_hooks_change_what_goes_in_and_comes_out() -> None:
    layer = nn.Identity()
    before = layer.register_forward_pre_hook(lambda module, args: args[0] + 1)
    after = layer.register_forward_hook(lambda module, args, output: output * 10)
    assert layer(torch.tensor(1.0)).item() == 20.0
    before.remove()
    assert layer(torch.tensor(1.0)).item() == 10.0
    after.remove()
    assert layer(torch.tensor(1.0)).item() == 1.0


def test_batch_norm_keeps_statistics() -> None:
    norm = nn.BatchNorm1d(2)
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    norm(x)
    np.testing.assert_allclose(norm.running_mean.numpy(), [0.2, 0.4], rtol=1e-6)
    np.testing.assert_allclose(norm.running_var.numpy(), [0.9 + 0.1 * 2, 0.9 + 0.1 * 8], rtol=1e-6)
    assert norm.num_batches_tracked.item() == 1
    assert norm.running_mean.requires_grad is False and norm.running_mean.grad_fn is None
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        norm(x[:1])


# ---------------------------------------------------------------- containers

def test_containers_are_sequences() -> None:
    model = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
    assert len(model) == 3 and isinstance(model[-1], nn.Linear) and len(model[:2]) == 2
    assert isinstance(model[:2], nn.Sequential) and [type(m) for m in model] == [nn.Linear, nn.ReLU, nn.Linear]
    del model[1]
    assert list(model._modules) == ["0", "1"]
    model.append(nn.Tanh()).insert(0, nn.Identity())
    assert [type(m).__name__ for m in model] == ["Identity", "Linear", "Linear", "Tanh"]
    model[0] = nn.Sigmoid()
    assert isinstance(model[0], nn.Sigmoid)
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers += [nn.ReLU()]
    layers.extend([nn.Tanh()])
    assert len(layers) == 3 and len(list(layers.parameters())) == 2


def test_containers_by_name() -> None:
    model = nn.Sequential({"a": nn.Linear(1, 1), "b": nn.ReLU()})
    assert isinstance(model.b, nn.ReLU) and list(model.state_dict()) == ["a.weight", "a.bias"]
    chosen = nn.ModuleDict({"relu": nn.ReLU()})
    chosen["tanh"] = nn.Tanh()
    assert list(chosen) == ["relu", "tanh"] and "relu" in chosen and len(chosen) == 2
    assert isinstance(chosen.pop("relu"), nn.ReLU)
    values = nn.ParameterList([torch.ones(1), nn.Parameter(torch.zeros(2))])
    assert [isinstance(p, nn.Parameter) for p in values] == [True, True] and len(list(values.parameters())) == 2
    named = nn.ParameterDict({"w": torch.ones(3)})
    assert named["w"].requires_grad and list(named.keys()) == ["w"]


# ---------------------------------------------------------------- starting values

@pytest.mark.parametrize(("layer", "fan_in"), [
    (lambda: nn.Linear(100, 50), 100), (lambda: nn.Conv2d(8, 64, 3), 72), (lambda: nn.Conv1d(16, 64, 5, groups=2), 40)])
def test_layers_start_within_one_over_the_root_of_fan_in(layer: Callable[[], Any], fan_in: int) -> None:
    made = layer()
    bound = 1 / math.sqrt(fan_in)
    for param in (made.weight, made.bias):
        largest = np.abs(param.detach().numpy()).max()
        assert 0.9 * bound < largest <= bound * (1 + 1e-6)
        assert param._version <= 1 and param.is_leaf and param.requires_grad


def test_the_seed_decides() -> None:
    torch.manual_seed(3)
    first = nn.Linear(4, 4).weight.tolist()
    assert nn.Linear(4, 4).weight.tolist() != first
    torch.manual_seed(3)
    assert nn.Linear(4, 4).weight.tolist() == first


@pytest.mark.parametrize(("fill", "deviation"), [
    (lambda w: nn.init.xavier_uniform_(w), math.sqrt(2 / 300)), (lambda w: nn.init.xavier_normal_(w, 2.0),
                                                                 2 * math.sqrt(2 / 300)),
    (lambda w: nn.init.kaiming_normal_(w, nonlinearity="relu"), math.sqrt(2 / 200)),
    (lambda w: nn.init.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 100)),
    (lambda w: nn.init.normal_(w, 0.0, 0.3), 0.3), (lambda w: nn.init.uniform_(w, -1.0, 1.0), 1 / math.sqrt(3)),
    (lambda w: nn.init.trunc_normal_(w, std=0.1, a=-1.0, b=1.0), 0.1)])
def test_init(fill: Callable[[Any], Any], deviation: float) -> None:
    weight = nn.Parameter(torch.empty(100, 200))
    assert fill(weight) is weight
    assert np.std(weight.detach().numpy()) == pytest.approx(deviation, rel=0.05)


def test_init_by_values() -> None:
    weight = torch.empty(2, 3)
    assert nn.init.eye_(weight).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert nn.init.constant_(weight, 0.5).sum().item() == 3.0
    assert nn.init.ones_(weight).sum().item() == 6.0 and nn.init.zeros_(weight).sum().item() == 0.0
    drawn = nn.init.trunc_normal_(torch.empty(1000), a=-0.5, b=0.25)
    assert drawn.min().item() >= -0.5 and drawn.max().item() <= 0.25
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish"):
        nn.init.calculate_gain("swish")
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(torch.empty(3))


def test_an_embedding_may_be_given() -> None:
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    frozen = nn.Embedding.from_pretrained(table)
    assert not frozen.weight.requires_grad and frozen(torch.tensor(1)).tolist() == [3.0, 4.0]
    padded = nn.Embedding(3, 2, padding_idx=-1)
    assert padded.padding_idx == 2 and padded.weight[2].tolist() == [0.0, 0.0]


def test_gradients_are_clipped_together() -> None:
    a, b = torch.tensor([3.0], requires_grad=True), torch.tensor([4.0], requires_grad=True)
    (a * 3 + b * 4).sum().backward()
    assert nn.utils.clip_grad_norm_([a, b], 1.0).item() == pytest.approx(5.0)
    assert (a.grad.item(), b.grad.item()) == pytest.approx((0.6, 0.8), rel=1e-5)
    nn.utils.clip_grad_value_([a, b], 0.7)
    assert b.grad.item() == pytest.approx(0.7)
    vector = nn.utils.parameters_to_vector([a, b])
    assert vector.tolist() == [3.0, 4.0]
    nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0]), [a, b])
    assert (a.item(), b.item()) == (1.0, 2.0) and a.is_leaf
