"""Every function of tensors: its gradient against differences, and the gradient of its gradient too."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch

_rng = np.random.default_rng(0)


def x(*shape: int) -> Any:
    """Distinct numbers of both signs, none near 0."""
    n = int(np.prod(shape))
    return torch.tensor((_rng.permutation(np.linspace(-1.9, 1.7, n)) + 0.03).reshape(shape), requires_grad=True)


def p(*shape: int) -> Any:
    """Numbers from 0.4 to 1.6."""
    return torch.tensor(_rng.uniform(0.4, 1.6, shape), requires_grad=True)


def u(*shape: int) -> Any:
    """Numbers from -0.8 to 0.8."""
    return torch.tensor(_rng.uniform(-0.8, 0.8, shape), requires_grad=True)


def c(*shape: int) -> Any:
    """Complex numbers."""
    return torch.tensor(_rng.normal(size=shape) + 1j * _rng.normal(size=shape), requires_grad=True)


def spd(n: int) -> Any:
    """A matrix far from singular, symmetric and positive definite."""
    a = _rng.normal(size=(n, n))
    return torch.tensor(a @ a.T + n * np.eye(n), requires_grad=True)


I4 = torch.tensor([0, 2, 1, 1])
ALONG = torch.tensor([[[0, 1, 2, 0]]])
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def case(name: str, function: Callable[..., Any], *inputs: Any) -> None:
    assert name not in CASES
    CASES[name] = function, inputs


for _name in """exp exp2 expm1 sin cos sinh cosh tanh asinh atan sigmoid abs neg square erf erfc relu frac sinc deg2rad
        rad2deg clone""".split():
    case(_name, lambda v, _name=_name: getattr(v, _name)(), x(3, 2))
for _name in "log log2 log10 log1p sqrt rsqrt reciprocal".split():
    case(_name, lambda v, _name=_name: getattr(v, _name)(), p(3))
for _name in "asin acos atanh tan erfinv".split():
    case(_name, lambda v, _name=_name: getattr(v, _name)(), u(3))
case("acosh", lambda v: (v + 1).acosh(), p(3))
case("logit", lambda v: (v / 2).logit(), p(3))

for _name, _f in {
        "add": lambda v, w: v + w, "sub": lambda v, w: v - w, "mul": lambda v, w: v * w, "div": lambda v, w: v / w,
        "pow": lambda v, w: v.pow(w), "hypot": lambda v, w: v.hypot(w), "atan2": lambda v, w: v.atan2(w),
        "maximum": torch.maximum, "minimum": torch.minimum, "logaddexp": torch.logaddexp,
        "remainder": lambda v, w: v % w, "fmod": torch.fmod, "xlogy": torch.xlogy, "copysign": torch.copysign}.items():
    case(_name, _f, p(2, 3), p(3))
    case(f"{_name}, both broadcast", _f, p(3, 1), p(2, 1, 4))
    case(f"{_name}, 0-d", _f, p(), p(2))

for _name, _f in {"x * 3": lambda v: v * 3, "1 - x": lambda v: 1 - v, "2 / x": lambda v: 2 / v,
                  "x ** 2": lambda v: v ** 2, "x ** 3.0": lambda v: v ** 3.0, "2 ** x": lambda v: 2 ** v,
                  "x ** 0.5": lambda v: v ** 0.5, "x ** -1": lambda v: v ** -1}.items():
    case(_name, _f, p(3))

for _name, _f in {
        "sum": lambda v: v.sum(), "sum(0)": lambda v: v.sum(0), "sum, keepdim": lambda v: v.sum((0, 2), keepdim=True),
        "mean": lambda v: v.mean(), "mean(1)": lambda v: v.mean(1), "prod": lambda v: v.prod(),
        "prod(1)": lambda v: v.prod(1), "var": lambda v: v.var(), "var(1)": lambda v: v.var(1),
        "var, biased": lambda v: v.var(1, unbiased=False), "std": lambda v: v.std(),
        "std, keepdim": lambda v: v.std((0, 1), keepdim=True), "norm": lambda v: v.norm(),
        "norm(1)": lambda v: v.norm(1), "norm(3, dim)": lambda v: v.norm(3, dim=1),
        "norm(inf)": lambda v: v.norm(float("inf")), "norm, two dims": lambda v: v.norm(dim=(1, 2)),
        "norm(3), two dims": lambda v: v.norm(3, dim=(1, 2), keepdim=True), "cumsum": lambda v: v.cumsum(1),
        "cumprod": lambda v: v.cumprod(1), "logsumexp": lambda v: v.logsumexp(1),
        "logsumexp, two dims": lambda v: v.logsumexp((0, 1), keepdim=True), "softmax": lambda v: v.softmax(1),
        "log_softmax": lambda v: v.log_softmax(-1), "max": lambda v: v.max(), "max(0)": lambda v: v.max(0)[0],
        "max, keepdim": lambda v: v.max(1, keepdim=True)[0], "min": lambda v: v.min(),
        "amax": lambda v: v.amax((0, 2)), "amin": lambda v: v.amin(1, keepdim=True), "median": lambda v: v.median(),
        "median(1)": lambda v: v.median(1)[0], "sort": lambda v: v.sort(1)[0],
        "sort, descending": lambda v: v.sort(1, descending=True)[0], "topk": lambda v: v.topk(2, 1)[0],
        "kthvalue": lambda v: v.kthvalue(2, 1)[0], "cummax": lambda v: v.cummax(1)[0],
        "quantile": lambda v: v.quantile(0.3, 1), "nansum": lambda v: v.nansum(1),
        "reshape": lambda v: v.reshape(6, -1) * 2, "permute": lambda v: v.permute(2, 0, 1),
        "transpose": lambda v: v.transpose(0, 2), "mT": lambda v: v.mT, "unsqueeze": lambda v: v.unsqueeze(1),
        "squeeze": lambda v: v[:1].squeeze(), "squeeze(0)": lambda v: v[:1].squeeze(0),
        "expand": lambda v: v.unsqueeze(1).expand(2, 5, 3, -1), "repeat": lambda v: v.repeat(2, 1, 2),
        "tile": lambda v: v.tile(2), "repeat_interleave": lambda v: v.repeat_interleave(2, 1),
        "flip": lambda v: v.flip(0, 2), "roll": lambda v: v.roll(1, 1), "roll, two": lambda v: v.roll((1, 2), (0, 1)),
        "roll, all": lambda v: v.roll(2), "rot90": lambda v: v.rot90(1, (0, 1)), "tril": lambda v: v.tril(),
        "triu": lambda v: v.triu(1), "diagonal": lambda v: v.diagonal(1, 1, 2), "movedim": lambda v: v.movedim(0, 2),
        "flatten": lambda v: v.flatten(1), "narrow": lambda v: v.narrow(1, 1, 2), "select": lambda v: v.select(1, 1),
        "unfold": lambda v: v.unfold(1, 2, 1), "unflatten": lambda v: v.unflatten(1, (3, 1)), "x[0]": lambda v: v[0],
        "x[:, 1]": lambda v: v[:, 1], "x[..., None, 1:]": lambda v: v[..., None, 1:], "x[:, i]": lambda v: v[:, I4],
        "x[[0, 0], [1, 2]]": lambda v: v[[0, 0], [1, 2]], "x[mask]": lambda v: v[v > 0],
        "gather": lambda v: v.gather(1, ALONG), "index_select": lambda v: v.index_select(1, I4),
        "take": lambda v: v.take(I4), "masked_select": lambda v: v.masked_select(v > 0),
        "masked_fill": lambda v: v.masked_fill(v > 0, 2.0), "unbind": lambda v: v.unbind(1)[1],
        "split": lambda v: v.split(2, 1)[1] * 2, "split, sizes": lambda v: v.split([1, 2], 1),
        "chunk": lambda v: v.chunk(2, 2)[0], "clamp": lambda v: v.clamp(-1.0, 1.0),
        "clamp, min": lambda v: v.clamp(min=-0.5), "where": lambda v: torch.where(v > 0, v, v * v),
        "cat": lambda v: torch.cat([v, v * 2, v[:, :1]], 1), "stack": lambda v: torch.stack([v, v * v], 1),
        "nan_to_num": lambda v: v.nan_to_num(), "dist": lambda v: v.dist(v * v),
        "rows": lambda v: sum(row.sum() * k for k, row in enumerate(v)),
        "contiguous": lambda v: v.transpose(0, 1).contiguous(), "to": lambda v: (v * 1).to(torch.float64),
        "scatter": lambda v: v.scatter(1, ALONG, v[:1, :1] * 3),
        "scatter_add": lambda v: v.scatter_add(1, ALONG, v[:1, :1] * 3),
        "index_add": lambda v: v.index_add(1, torch.tensor([0, 0]), v[:, :2] * v[:, 1:]),
        "index_put": lambda v: v.index_put((torch.tensor([0, 1]), torch.tensor([0, 2])), v[:, 0] * 2),
        "index_copy": lambda v: v.index_copy(1, torch.tensor([2, 0]), v[:, :2] * v[:, 1:]),
        "lerp": lambda v: v.lerp(v * v, 0.3), "addcmul": lambda v: v.addcmul(v, v, value=2)}.items():
    case(_name, _f, x(2, 3, 4))

for _name, _inputs in {"v @ v": (x(3), x(3)), "A @ v": (x(2, 3), x(3)), "v @ A": (x(3), x(3, 2)),
                       "A @ B": (x(2, 3), x(3, 4)), "stacks": (x(2, 2, 3), x(2, 3, 2)),
                       "stack @ A": (x(2, 2, 3), x(3, 2)),
                       "stack @ v": (x(2, 2, 3), x(3)), "v @ stack": (x(3), x(2, 3, 2)),
                       "broadcast stacks": (x(2, 1, 2, 3), x(3, 3, 2))}.items():
    case(_name, torch.matmul, *_inputs)
case("outer", torch.outer, x(3), x(2))
case("inner", torch.inner, x(2, 3), x(4, 3))
case("einsum", lambda v, w: torch.einsum("ij,kj->ik", v, w), x(2, 3), x(4, 3))
case("einsum, stacks", lambda v, w: torch.einsum("bij,bjk->ik", v, w), x(2, 2, 3), x(2, 3, 2))
case("tensordot", lambda v, w: torch.tensordot(v, w, dims=([1], [0])), x(2, 3), x(3, 2))
case("kron", torch.kron, x(2, 2), x(1, 2))
case("cross", lambda v, w: torch.cross(v, w, dim=1), x(2, 3), x(2, 3))
case("addmm", torch.addmm, x(2), x(3, 2), x(2, 2))
case("solve", torch.linalg.solve, spd(3), x(3, 2))
case("solve, vector", torch.linalg.solve, spd(3), x(3))
case("inv", torch.linalg.inv, spd(3))
case("det", torch.linalg.det, spd(3))
case("logdet", lambda a: a.logdet(), spd(3))
case("slogdet", lambda a: torch.linalg.slogdet(a)[1], spd(3))
case("cholesky", lambda a: torch.linalg.cholesky((a + a.mT) / 2), spd(3))
case("eigvalsh", lambda a: torch.linalg.eigvalsh((a + a.mT) / 2), spd(3))
case("eigh", lambda a: (lambda w, v: w[:, None] * v.abs())(*torch.linalg.eigh((a + a.mT) / 2)), spd(3))
case("matrix_power", lambda a: torch.linalg.matrix_power(a, 3), spd(2))
case("trace", lambda a: a.trace(), x(3, 3))
case("diag, of a vector", lambda a: a.diag(), x(3))
case("diag, of a matrix", lambda a: a.diag(), x(3, 3))
case("diag_embed", lambda a: a.diag_embed(), x(2, 3))
case("meshgrid", lambda a, b: torch.meshgrid(a, b, indexing="ij"), x(2), x(3))

for _name in "exp sin cos tanh sqrt log reciprocal square abs neg".split():
    case(f"complex {_name}", lambda v, _name=_name: getattr(v, _name)(), c(3))
for _name, _f, *_inputs in (
        ("mul", lambda v, w: v * w, c(2, 3), c(3)), ("div by real", lambda v, w: v / w, c(2, 3), p(3)),
        ("matmul", torch.matmul, c(2, 3), c(3, 2)), ("conj", lambda v: v.conj() * v, c(3)),
        ("parts", lambda v: v.real * v.imag, c(3)), ("angle", lambda v: v.angle(), c(3)),
        ("x ** 2", lambda v: v ** 2, c(3)), ("sum", lambda v: v.sum(0), c(2, 3)), ("norm", lambda v: v.norm(), c(2, 3)),
        ("of two parts", lambda v, w: torch.complex(v, w).exp(), x(3), x(3)),
        ("x[[0, 0, 1]]", lambda v: v[[0, 0, 1]], c(3)), ("prod", lambda v: v.prod(), c(3))):
    case(f"complex {_name}", _f, *_inputs)


@pytest.mark.parametrize("name", CASES)
def test_first_derivative(name: str) -> None:
    function, inputs = CASES[name]
    assert torch.autograd.gradcheck(function, inputs)


@pytest.mark.parametrize("name", CASES)
def test_second_derivative(name: str) -> None:
    function, inputs = CASES[name]
    assert torch.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("name", [n for n, (_, inputs) in CASES.items() if "complex" not in n])
def test_single_precision_stays(name: str) -> None:
    function, inputs = CASES[name]
    single = [t.detach().float().requires_grad_() for t in inputs]
    found = function(*single)
    if name == "to":
        return
    outs = [o for o in (found if isinstance(found, (tuple, list)) else (found,)) if o.requires_grad]
    assert all(o.dtype is torch.float32 for o in outs)
    for create in (False, True):
        grads = torch.autograd.grad(outs, single, [torch.ones_like(o) for o in outs], retain_graph=True,
                                    create_graph=create, allow_unused=True)
        assert all(g is None or g.dtype is torch.float32 for g in grads)
