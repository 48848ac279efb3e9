"""Functions that are made of others, those of torch.special, and saving to files."""
from __future__ import annotations

import io
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn


def double(*values: Any) -> Any:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("f", [
    torch.lgamma, torch.digamma, lambda x: torch.polygamma(1, x), lambda x: torch.mvlgamma(x + 2, 2),
    lambda x: x.logcumsumexp(0), lambda x: torch.renorm(x.reshape(1, -1), 2, 0, 1.0), torch.special.entr,
    lambda x: torch.special.xlog1py(x, x), torch.special.ndtr, lambda x: torch.addr(torch.zeros(3, 3), x, x),
    lambda x: torch.chain_matmul(x.reshape(3, 1), x.reshape(1, 3), x.reshape(3, 1)), torch.diagflat,
    lambda x: torch.select_scatter(torch.zeros(2, 3).double(), x, 0, 1) * 2,
    lambda x: torch.slice_scatter(x * x, x[:1], 0, 1, 2),
    lambda x: torch.diagonal_scatter(torch.outer(x, x), x), lambda x: (x * x).masked_scatter(x > 1, x),
    *(lambda x, how=how, own=own: (x * x).scatter_reduce(0, torch.tensor([0, 2, 0]), x, how, include_self=own)
      for how in ("sum", "mean", "prod", "amax", "amin") for own in (True, False)),
])
def test_derivatives(f: Any) -> None:
    assert torch.autograd.gradcheck(f, (double(0.3, 1.75, 2.5),))


def test_gamma_functions() -> None:
    x = torch.tensor([-0.5, 0.0, -1.0, 1.0, 100.0], dtype=torch.float64)
    psi = torch.digamma(x).tolist()
    assert psi[0] == pytest.approx(0.03648997397857652) and psi[1] == -math.inf and math.isnan(psi[2])
    assert psi[3] == pytest.approx(-0.5772156649015329, abs=1e-14) and psi[4] == pytest.approx(4.600161852738087)
    assert torch.polygamma(2, torch.tensor(1.0)).item() == pytest.approx(-2.4041138, rel=1e-6)
    assert torch.autograd.gradcheck(torch.lgamma, (double(-1.5, 0.2),))
    assert torch.autograd.gradgradcheck(torch.lgamma, (double(0.3, 7.0),))


def test_scatter_reduce() -> None:
    index, source = torch.tensor([0, 1, 0]), torch.tensor([1.0, 5.0, 3.0])
    twos = torch.full((3,), 2.0)
    assert twos.scatter_reduce(0, index, source, "mean", include_self=False).tolist() == [2.0, 5.0, 2.0]
    assert twos.scatter_reduce(0, index, source, "prod").tolist() == [6.0, 10.0, 2.0]
    assert twos.scatter_reduce_(0, index, source, "amax") is twos and twos.tolist() == [3.0, 5.0, 2.0]
    grid = torch.full((2, 3), 2.0).scatter_reduce(1, torch.tensor([[0, 0]]), torch.tensor([[1.0, 5.0]]), "amin")
    assert grid.tolist() == [[1.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    with pytest.raises(RuntimeError, match="reduce argument must be"):
        twos.scatter_reduce(0, index, source, "least")


def test_functions_in_place() -> None:
    a = torch.tensor([-1.0, 4.0])
    assert torch.relu_(a) is a and torch.sqrt_(a) is a and a.tolist() == [0.0, 2.0] and a._version == 2
    assert a.true_divide_(2).tolist() == [0.0, 1.0]


def test_parts_and_counts() -> None:
    runs = torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), return_inverse=True, return_counts=True)
    assert [r.tolist() for r in runs] == [[1, 2, 1], [0, 0, 1, 2], [2, 1, 1]]
    assert [p.tolist() for p in torch.hsplit(torch.arange(4), 2)] == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match="vsplit requires a tensor with at least 2 dimensions"):
        torch.vsplit(torch.arange(4), 2)
    assert torch.combinations(torch.tensor([1, 2, 3])).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert torch.arange(3.0).apply_(lambda v: v * 2).tolist() == [0.0, 2.0, 4.0]


def test_saving_and_loading(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    torch.save(model.state_dict(), tmp_path / "model.pt")
    other = nn.Linear(2, 1)
    assert repr(other.load_state_dict(torch.load(tmp_path / "model.pt"))) == "<All keys matched successfully>"
    assert torch.equal(model.weight, other.weight)
    stream = io.BytesIO()
    torch.save({"epoch": 3, "x": torch.ones(2, requires_grad=True)}, stream)
    stream.seek(0)
    found = torch.load(stream, map_location="cpu")
    assert found["epoch"] == 3 and found["x"].requires_grad


def test_only_what_is_harmless_is_loaded_unasked(tmp_path: Path) -> None:
    torch.save(nn.Linear(2, 1), tmp_path / "whole.pt")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(tmp_path / "whole.pt")
    assert isinstance(torch.load(tmp_path / "whole.pt", weights_only=False), nn.Linear)
    np.savez(tmp_path / "zip.npz", a=np.ones(2))
    with pytest.raises(RuntimeError, match="written by PyTorch itself"):
        torch.load(tmp_path / "zip.npz")
