"""What functions and modules are tried on; run with torch itself, this file writes what the tests compare with.

    python tests/eager/nn_cases.py tests/eager/nn_expected.json

A case is a function of the module under test (torch, or srcgrad.eager) and of tensors made of fixed numbers.
"""
from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

# name -> (function of the module and the tensors, arrays; floating arrays require grad)
CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {}
MODULES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {}


def numbers(*shape: int, seed: int = 0, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    """The same numbers everywhere, without ties or round values."""
    return np.round(np.random.RandomState(seed).uniform(low, high, shape), 3) + 0.00017


def probabilities(*shape: int, seed: int = 0) -> np.ndarray:
    return numbers(*shape, seed=seed, low=0.05, high=0.95)


EDGES = np.array([-100.0, -25.0, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0, 6.0, 15.0, 25.0, 100.0])
CLASSES = np.array([2, 0, 3, 1])


def case(name: str, function: Callable[..., Any], *arrays: np.ndarray) -> None:
    assert name not in CASES
    CASES[name] = (function, arrays)


def module(name: str, build: Callable[..., Any], *arrays: np.ndarray) -> None:
    assert name not in MODULES
    MODULES[name] = (build, arrays)


# ---------------------------------------------------------------- activations

ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "relu": lambda F, x: F.relu(x), "relu6": lambda F, x: F.relu6(x), "leaky_relu": lambda F, x: F.leaky_relu(x),
    "leaky_relu_slope": lambda F, x: F.leaky_relu(x, 0.3), "elu": lambda F, x: F.elu(x),
    "elu_alpha": lambda F, x: F.elu(x, 1.7), "selu": lambda F, x: F.selu(x), "celu": lambda F, x: F.celu(x, 0.6),
    "silu": lambda F, x: F.silu(x), "mish": lambda F, x: F.mish(x), "sigmoid": lambda F, x: F.sigmoid(x),
    "logsigmoid": lambda F, x: F.logsigmoid(x), "tanh": lambda F, x: F.tanh(x), "gelu": lambda F, x: F.gelu(x),
    "gelu_tanh": lambda F, x: F.gelu(x, approximate="tanh"), "softplus": lambda F, x: F.softplus(x),
    "softplus_beta": lambda F, x: F.softplus(x, beta=2.0, threshold=3.0), "hardtanh": lambda F, x: F.hardtanh(x),
    "hardtanh_bounds": lambda F, x: F.hardtanh(x, -0.5, 3.0), "hardsigmoid": lambda F, x: F.hardsigmoid(x),
    "hardswish": lambda F, x: F.hardswish(x), "softsign": lambda F, x: F.softsign(x),
    "tanhshrink": lambda F, x: F.tanhshrink(x), "softshrink": lambda F, x: F.softshrink(x),
    "hardshrink": lambda F, x: F.hardshrink(x), "threshold": lambda F, x: F.threshold(x, 0.5, -7.0),
}
SMOOTH = ("silu", "mish", "sigmoid", "logsigmoid", "tanh", "gelu", "gelu_tanh", "softplus", "softsign", "tanhshrink")
for _name, _f in ACTIVATIONS.items():
    case(f"{_name}", lambda T, x, f=_f: f(T.nn.functional, x), numbers(4, 3, seed=1, low=-4.0, high=4.0))
    case(f"{_name}_at_edges", lambda T, x, f=_f: f(T.nn.functional, x), EDGES)
case("softmax", lambda T, x: T.nn.functional.softmax(x, dim=1), numbers(3, 4, seed=2))
case("softmax_first", lambda T, x: T.nn.functional.softmax(x, 0), numbers(3, 4, seed=3))
case("log_softmax", lambda T, x: T.nn.functional.log_softmax(x, dim=-1), numbers(2, 3, 4, seed=4))
case("log_softmax_large", lambda T, x: T.nn.functional.log_softmax(x, dim=0), EDGES * 10)
case("softmin", lambda T, x: T.nn.functional.softmin(x, dim=1), numbers(3, 4, seed=5))
case("glu", lambda T, x: T.nn.functional.glu(x, 1), numbers(3, 4, seed=6))
case("prelu", lambda T, x, w: T.nn.functional.prelu(x, w), numbers(2, 3, 4, seed=7), numbers(3, seed=8))
case("prelu_one", lambda T, x, w: T.nn.functional.prelu(x, w), numbers(5, seed=7), numbers(1, seed=8))

# ---------------------------------------------------------------- losses

X, Y = numbers(4, 3, seed=10), numbers(4, 3, seed=11)
P, Q, W3 = probabilities(4, 3, seed=12), probabilities(4, 3, seed=13), probabilities(3, seed=14)
SCORES = numbers(4, 5, seed=15)
for _r in ("mean", "sum", "none"):
    case(f"mse_{_r}", lambda T, x, y, r=_r: T.nn.functional.mse_loss(x, y, reduction=r), X, Y)
    case(f"l1_{_r}", lambda T, x, y, r=_r: T.nn.functional.l1_loss(x, y, reduction=r), X, Y)
    case(f"smooth_l1_{_r}", lambda T, x, y, r=_r: T.nn.functional.smooth_l1_loss(x, y, reduction=r, beta=0.7), X, Y)
    case(f"huber_{_r}", lambda T, x, y, r=_r: T.nn.functional.huber_loss(x, y, reduction=r, delta=0.7), X, Y)
    case(f"bce_{_r}", lambda T, p, q, r=_r: T.nn.functional.binary_cross_entropy(p, q, reduction=r), P, Q)
    case(f"bce_logits_{_r}", lambda T, x, q, r=_r: T.nn.functional.binary_cross_entropy_with_logits(
        x, q, reduction=r), X, Q)
    case(f"bce_logits_weights_{_r}", lambda T, x, q, r=_r: T.nn.functional.binary_cross_entropy_with_logits(
        x, q, T.tensor(Q), pos_weight=T.tensor(W3), reduction=r), X, Q)
    case(f"nll_{_r}", lambda T, x, r=_r: T.nn.functional.nll_loss(
        x, T.tensor(CLASSES), T.tensor(probabilities(5)), ignore_index=3, reduction=r), SCORES)
    case(f"cross_entropy_{_r}", lambda T, x, r=_r: T.nn.functional.cross_entropy(
        x, T.tensor(CLASSES), reduction=r), SCORES)
    case(f"cross_entropy_weight_{_r}", lambda T, x, r=_r: T.nn.functional.cross_entropy(
        x, T.tensor(CLASSES), weight=T.tensor(probabilities(5)), ignore_index=0, reduction=r), SCORES)
    case(f"cross_entropy_smoothed_{_r}", lambda T, x, r=_r: T.nn.functional.cross_entropy(
        x, T.tensor(CLASSES), weight=T.tensor(probabilities(5)), ignore_index=0, label_smoothing=0.2, reduction=r),
        SCORES)
    case(f"cross_entropy_probabilities_{_r}", lambda T, x, p, r=_r: T.nn.functional.cross_entropy(
        x, p, weight=T.tensor(probabilities(5)), label_smoothing=0.1, reduction=r), SCORES,
        probabilities(4, 5, seed=16))
    case(f"kl_div_{_r}", lambda T, x, q, r=_r: T.nn.functional.kl_div(x, q, reduction=r), X, Q)
    case(f"kl_div_log_target_{_r}", lambda T, x, q, r=_r: T.nn.functional.kl_div(
        x, q, reduction=r, log_target=True), X, Y)
    case(f"soft_margin_{_r}", lambda T, x, r=_r: T.nn.functional.soft_margin_loss(
        x, T.tensor(np.sign(Y)), reduction=r), X)
    case(f"hinge_embedding_{_r}", lambda T, x, r=_r: T.nn.functional.hinge_embedding_loss(
        x, T.tensor(np.sign(Y)), reduction=r), X)
    case(f"margin_ranking_{_r}", lambda T, x, y, r=_r: T.nn.functional.margin_ranking_loss(
        x, y, T.tensor(np.sign(Q - 0.5)), margin=0.3, reduction=r), X, Y)
    case(f"cosine_embedding_{_r}", lambda T, x, y, r=_r: T.nn.functional.cosine_embedding_loss(
        x, y, T.tensor([1, -1, 1, -1]), margin=0.1, reduction=r), X, Y)
    case(f"triplet_{_r}", lambda T, x, y, z, r=_r: T.nn.functional.triplet_margin_loss(
        x, y, z, reduction=r), X, Y, numbers(4, 3, seed=17))
    case(f"poisson_{_r}", lambda T, x, q, r=_r: T.nn.functional.poisson_nll_loss(x, q, reduction=r), X, Q)
    case(f"gaussian_{_r}", lambda T, x, y, v, r=_r: T.nn.functional.gaussian_nll_loss(x, y, v, reduction=r), X, Y, P)
case("mse_2d_classes", lambda T, x: T.nn.functional.mse_loss(x, x * 2), X)
case("smooth_l1_zero_beta", lambda T, x, y: T.nn.functional.smooth_l1_loss(x, y, beta=0.0), X, Y)
case("bce_at_bounds", lambda T, p: T.nn.functional.binary_cross_entropy(p, T.tensor([0.0, 1.0, 1.0, 0.0]).double()),
     np.array([0.0, 1.0, 0.0, 1.0]))
case("bce_logits_large", lambda T, x: T.nn.functional.binary_cross_entropy_with_logits(
    x, T.tensor(np.linspace(0, 1, 14)), reduction="none"), EDGES * 8)
case("nll_2d", lambda T, x: T.nn.functional.nll_loss(x, T.tensor([[0, 2], [1, 0]])), numbers(2, 3, 2, seed=18))
case("cross_entropy_2d", lambda T, x: T.nn.functional.cross_entropy(
    x, T.tensor([[[0, 2], [1, -100]]]), label_smoothing=0.1), numbers(1, 3, 2, 2, seed=19))
case("cross_entropy_one", lambda T, x: T.nn.functional.cross_entropy(x, T.tensor(2)), numbers(4, seed=20))
case("kl_div_batchmean", lambda T, x, q: T.nn.functional.kl_div(x, q, reduction="batchmean"), X, Q)
case("normalize", lambda T, x: T.nn.functional.normalize(x), X)
case("normalize_1", lambda T, x: T.nn.functional.normalize(x, p=1, dim=0), X)
case("cosine_similarity", lambda T, x, y: T.nn.functional.cosine_similarity(x, y), X, Y)
case("pairwise_distance", lambda T, x, y: T.nn.functional.pairwise_distance(x, y), X, Y)

# ---------------------------------------------------------------- layers

case("linear", lambda T, x, w, b: T.nn.functional.linear(x, w, b), X, numbers(2, 3, seed=30), numbers(2, seed=31))
case("linear_no_bias", lambda T, x, w: T.nn.functional.linear(x, w), X, numbers(2, 3, seed=30))
case("linear_batches", lambda T, x, w, b: T.nn.functional.linear(x, w, b), numbers(2, 4, 3, seed=32),
     numbers(2, 3, seed=30), numbers(2, seed=31))
case("linear_vector", lambda T, x, w, b: T.nn.functional.linear(x, w, b), numbers(3, seed=32),
     numbers(2, 3, seed=30), numbers(2, seed=31))
case("bilinear", lambda T, x, y, w, b: T.nn.functional.bilinear(x, y, w, b), X, numbers(4, 2, seed=33),
     numbers(5, 3, 2, seed=34), numbers(5, seed=35))
case("embedding", lambda T, w: T.nn.functional.embedding(T.tensor([[0, 1, 1], [3, 1, 0]]), w), numbers(4, 3, seed=36))
case("embedding_padding", lambda T, w: T.nn.functional.embedding(T.tensor([[0, 1, 1], [3, 1, 0]]), w, padding_idx=1),
     numbers(4, 3, seed=36))
for _name, _arguments, _x, _w in (
        ("plain", {}, (2, 3, 6), (4, 3, 3)), ("all", {"stride": 2, "padding": 2, "dilation": 2, "groups": 2}, (2, 4, 8),
                                              (4, 2, 3)),
        ("same", {"padding": "same"}, (1, 2, 5), (3, 2, 4)), ("depthwise", {"groups": 3}, (2, 3, 5), (6, 1, 2)),
        ("unbatched", {}, (3, 6), (4, 3, 3))):
    case(f"conv1d_{_name}", lambda T, x, w, b, a=_arguments: T.nn.functional.conv1d(x, w, b, **a),
         numbers(*_x, seed=40), numbers(*_w, seed=41), numbers(_w[0], seed=42))
for _name, _arguments, _x, _w in (
        ("plain", {}, (2, 3, 5, 4), (2, 3, 3, 2)),
        ("all", {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}, (1, 4, 6, 5), (4, 2, 3, 2)),
        ("same", {"padding": "same"}, (1, 1, 4, 4), (1, 1, 3, 3)),
        ("strided", {"stride": 3}, (1, 2, 7, 8), (1, 2, 2, 2)),
        ("unbatched", {"padding": 1}, (1, 4, 4), (2, 1, 3, 3))):
    case(f"conv2d_{_name}", lambda T, x, w, b, a=_arguments: T.nn.functional.conv2d(x, w, b, **a),
         numbers(*_x, seed=43), numbers(*_w, seed=44), numbers(_w[0], seed=45))
case("conv2d_no_bias", lambda T, x, w: T.nn.functional.conv2d(x, w), numbers(2, 1, 4, 4), numbers(2, 1, 3, 3, seed=46))
case("unfold", lambda T, x: T.nn.functional.unfold(x, (2, 3), dilation=(1, 2), padding=1, stride=2),
     numbers(1, 2, 6, 7, seed=47))
case("max_pool1d", lambda T, x: T.nn.functional.max_pool1d(x, 3, 2, 1), numbers(2, 3, 7, seed=50))
case("max_pool2d", lambda T, x: T.nn.functional.max_pool2d(x, 2), numbers(2, 2, 4, 5, seed=51))
case("max_pool2d_all", lambda T, x: T.nn.functional.max_pool2d(x, (3, 2), (1, 2), (1, 0), (1, 2), ceil_mode=True),
     numbers(1, 2, 5, 6, seed=52))
case("max_pool2d_ties", lambda T, x: T.nn.functional.max_pool2d(x, 2), np.zeros((1, 1, 4, 4)))
case("avg_pool1d", lambda T, x: T.nn.functional.avg_pool1d(x, 3, 2, 1), numbers(2, 3, 7, seed=53))
case("avg_pool2d", lambda T, x: T.nn.functional.avg_pool2d(x, 2), numbers(2, 2, 4, 5, seed=54))
case("avg_pool2d_all", lambda T, x: T.nn.functional.avg_pool2d(
    x, (3, 2), (2, 1), (1, 0), ceil_mode=True, count_include_pad=False), numbers(1, 2, 6, 5, seed=55))
case("avg_pool2d_divisor", lambda T, x: T.nn.functional.avg_pool2d(x, 2, divisor_override=3), numbers(1, 1, 4, 4))
case("adaptive_avg_pool1d", lambda T, x: T.nn.functional.adaptive_avg_pool1d(x, 3), numbers(2, 2, 7, seed=56))
case("adaptive_avg_pool2d", lambda T, x: T.nn.functional.adaptive_avg_pool2d(x, (2, 3)), numbers(1, 2, 5, 4, seed=57))
case("layer_norm", lambda T, x, w, b: T.nn.functional.layer_norm(x, (3,), w, b), X, numbers(3, seed=60),
     numbers(3, seed=61))
case("layer_norm_two_axes", lambda T, x: T.nn.functional.layer_norm(x, (4, 3)), numbers(2, 4, 3, seed=62))
case("batch_norm", lambda T, x, w, b: T.nn.functional.batch_norm(x, None, None, w, b, training=True),
     numbers(4, 3, 2, seed=63), numbers(3, seed=64), numbers(3, seed=65))
case("batch_norm_by_statistics", lambda T, x, w, b: T.nn.functional.batch_norm(
    x, T.tensor(W3), T.tensor(W3 + 1), w, b), X, numbers(3, seed=64), numbers(3, seed=65))
case("group_norm", lambda T, x, w, b: T.nn.functional.group_norm(x, 2, w, b), numbers(2, 4, 3, seed=66),
     numbers(4, seed=67), numbers(4, seed=68))
case("pad", lambda T, x: T.nn.functional.pad(x, (1, 2, 0, 1), value=0.5), X)
case("pad_negative", lambda T, x: T.nn.functional.pad(x, (-1, 2)), X)
for _mode in ("reflect", "replicate", "circular"):
    case(f"pad_{_mode}", lambda T, x, m=_mode: T.nn.functional.pad(x, (2, 1), mode=m), numbers(1, 2, 4, seed=69))
case("attention", lambda T, q, k, v: T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
     numbers(2, 4, 3, seed=70), numbers(2, 4, 3, seed=71), numbers(2, 4, 3, seed=72))
case("dropout_off", lambda T, x: T.nn.functional.dropout(x, training=False) * 2, X)
case("dropout_all", lambda T, x: T.nn.functional.dropout(x, p=1.0), X)

# ---------------------------------------------------------------- modules


def perceptron(T: Any) -> Any:
    nn = T.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Dropout(0.0), nn.Linear(4, 2, bias=False))


def convolutional(T: Any) -> Any:
    nn = T.nn
    return nn.Sequential(nn.Conv2d(1, 2, 3, padding=1, padding_mode="reflect"), nn.BatchNorm2d(2), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Conv2d(2, 2, 2, bias=False), nn.AvgPool2d(2, 1), nn.Flatten(),
                         nn.Linear(8, 2), nn.LogSoftmax(dim=1))


def several(T: Any) -> Any:
    nn = T.nn

    class Several(nn.Module):      # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(5, 3, padding_idx=1)
            self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            self.named = nn.ModuleDict({"gelu": nn.GELU(), "softplus": nn.Softplus()})
            self.scale = nn.Parameter(T.ones(1))
            self.register_buffer("shift", T.tensor([0.5]))
            self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

        def forward(self, x: Any) -> Any:
            h = self.table(T.tensor([0, 4, 1, 2])) + x
            for layer in self.layers:
                h = self.named["gelu"](layer(h)) + h
            return self.loss(self.named["softplus"](h) * self.scale + self.shift, T.tensor([0, 2, 1, 1]))
    return Several()


module("perceptron", perceptron, X)
module("convolutional", convolutional, numbers(2, 1, 8, 8, seed=80))
module("several", several, X)
module("prelu", lambda T: T.nn.Sequential(T.nn.PReLU(3), T.nn.GroupNorm(1, 3), T.nn.Identity()), X)
module("bilinear", lambda T: T.nn.Bilinear(3, 3, 2), X, Y)
module("conv1d", lambda T: T.nn.Sequential(T.nn.Conv1d(2, 4, 3, stride=2, dilation=2, groups=2), T.nn.ELU(),
                                           T.nn.AdaptiveAvgPool1d(2)), numbers(2, 2, 9, seed=81))

REPRS: tuple[Callable[..., Any], ...] = (
    lambda nn: nn.Linear(3, 4), lambda nn: nn.Conv1d(2, 4, 3),
    lambda nn: nn.Conv2d(2, 4, (3, 2), 2, 1, (1, 2), 2, False),
    lambda nn: nn.Conv2d(1, 1, 3, padding="same", padding_mode="circular"), lambda nn: nn.ReLU(),
    lambda nn: nn.ReLU(True), lambda nn: nn.ReLU6(), lambda nn: nn.Hardtanh(), lambda nn: nn.LeakyReLU(),
    lambda nn: nn.PReLU(), lambda nn: nn.ELU(), lambda nn: nn.CELU(), lambda nn: nn.SELU(), lambda nn: nn.SiLU(),
    lambda nn: nn.Mish(), lambda nn: nn.GELU(), lambda nn: nn.GELU("tanh"), lambda nn: nn.Sigmoid(),
    lambda nn: nn.Softplus(), lambda nn: nn.Softmax(1), lambda nn: nn.LogSoftmax(dim=-1), lambda nn: nn.Softmin(0),
    lambda nn: nn.GLU(), lambda nn: nn.Hardswish(), lambda nn: nn.Dropout(0.2), lambda nn: nn.Flatten(),
    lambda nn: nn.Unflatten(1, (2, 3)), lambda nn: nn.Embedding(10, 3),
    lambda nn: nn.Embedding(10, 3, padding_idx=-1), lambda nn: nn.MaxPool1d(2),
    lambda nn: nn.MaxPool2d((3, 2), stride=2), lambda nn: nn.AvgPool1d(3, 2), lambda nn: nn.AvgPool2d(2),
    lambda nn: nn.AdaptiveAvgPool2d((1, None)), lambda nn: nn.LayerNorm(4),
    lambda nn: nn.LayerNorm((2, 3), bias=False), lambda nn: nn.BatchNorm1d(4),
    lambda nn: nn.BatchNorm2d(4, momentum=None), lambda nn: nn.GroupNorm(2, 4), lambda nn: nn.MSELoss(),
    lambda nn: nn.CrossEntropyLoss(), lambda nn: nn.Identity(3), lambda nn: nn.Sequential(),
    lambda nn: nn.ELU(2.0, inplace=True), lambda nn: nn.SiLU(True), lambda nn: nn.ReLU6(True),
    lambda nn: nn.LeakyReLU(0.2, True),
    lambda nn: nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(1, 2), nn.Sequential(nn.Tanh())]),
    lambda nn: nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ModuleList()}), lambda nn: nn.Bilinear(1, 2, 3),
    lambda nn: nn.Sequential(nn.Sequential(nn.Linear(1, 2), nn.ReLU()), nn.Sequential(nn.Flatten(0))),
    lambda nn: nn.CosineSimilarity(),
)


# ---------------------------------------------------------------- running them

def seed_like(shape: tuple[int, ...]) -> np.ndarray:
    return np.cos(np.arange(math.prod(shape), dtype=float)).reshape(shape)


def values(t: Any) -> Any:
    return rounded(t.detach().numpy().tolist())


def rounded(x: Any) -> Any:
    """Ten digits, as the file has them."""
    return [rounded(item) for item in x] if isinstance(x, list) else float(f"{x:.10g}")


def run(T: Any, name: str) -> dict[str, Any]:
    """Result, name of the node, and the gradients for a fixed seed."""
    function, arrays = CASES[name]
    inputs = [T.tensor(a, requires_grad=True) for a in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = function(T, *inputs)
    out.backward(T.tensor(seed_like(tuple(out.shape))))
    return {"out": values(out), "node": type(out.grad_fn).__name__, "shape": list(out.shape),
            "grads": [None if x.grad is None else values(x.grad) for x in inputs]}


def run_module(T: Any, name: str) -> dict[str, Any]:
    """Names, result and gradients of a module whose parameters have fixed numbers; printing included."""
    build, arrays = MODULES[name]
    model = build(T)
    with T.no_grad():
        for place, (_, param) in enumerate(model.named_parameters()):
            param.copy_(T.tensor(numbers(*param.shape, seed=100 + place)))
    model.to(T.float64)
    out = model(*[T.tensor(a) for a in arrays])
    out.backward(T.tensor(seed_like(tuple(out.shape))))
    model.eval()
    return {"repr": repr(model), "out": values(out), "evaluated": values(model(*[T.tensor(a) for a in arrays])),
            "state": {key: list(value.shape) for key, value in model.state_dict().items()},
            "modules": [path for path, _ in model.named_modules()],
            "grads": {path: values(param.grad) for path, param in model.named_parameters()}}


def main() -> None:
    import torch
    found = {"recorded_with": f"torch {torch.__version__}", "cases": {name: run(torch, name) for name in CASES},
             "modules": {name: run_module(torch, name) for name in MODULES},
             "reprs": [repr(build(torch.nn)) for build in REPRS]}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(found, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
