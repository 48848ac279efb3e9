"""torch.func, torch.fft, torch.testing, more linear algebra, samplers: what stands in modules of its own."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import func, nn
from srcgrad.eager.utils import data


def test_derivatives_of_functions() -> None:
    x = torch.tensor([1.0, 2.0])
    assert func.grad(lambda t: (t ** 2).sum())(x).tolist() == [2.0, 4.0]
    assert func.grad(func.grad(torch.sin))(torch.tensor(1.0)).item() == pytest.approx(-0.8414710)
    found = func.grad(lambda p, t: (p["w"] * t + p["b"]).sum())({"w": x, "b": x}, x)
    assert found["w"].tolist() == [1.0, 2.0] and found["b"].tolist() == [1.0, 1.0]
    gradient, value = func.grad_and_value(lambda t: (t ** 2).sum())(x)
    assert value.item() == 5.0 and not gradient.requires_grad and not value.requires_grad
    assert func.hessian(lambda t: (t ** 3).sum())(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    with pytest.raises(RuntimeError, match="Expected f.*to return a scalar tensor, got tensor with 1 dims"):
        func.grad(lambda t: t)(x)


def test_what_an_inner_derivative_captures_is_differentiated_outside() -> None:
    def outer(t: Any) -> Any:
        return func.grad(lambda u: u ** 2 * t)(torch.tensor(3.0))
    assert func.grad(outer)(torch.tensor(2.0)).item() == 6.0
    x = torch.tensor(2.0, requires_grad=True)
    func.grad(lambda t: t ** 3)(x).backward()
    assert x.grad.item() == 12.0


def test_batches_and_calls_with_other_parameters() -> None:
    w, rows = torch.ones(2), torch.arange(6.0).view(3, 2)
    per_row = func.vmap(func.grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(w, rows)
    assert per_row.tolist() == [[0, 2], [20, 30], [72, 90]]
    layer = nn.Linear(2, 1)
    given = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    assert func.functional_call(layer, given, (torch.ones(2),)).item() == 2.0
    assert layer.weight.requires_grad
    value, pull = func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    assert not value.requires_grad and pull(torch.ones(2))[0][0].item() == 1.0


def test_fourier_transforms() -> None:
    d = torch.randn(4, dtype=torch.float64, requires_grad=True)
    for f in (lambda t: torch.view_as_real(torch.fft.rfft(t)), lambda t: torch.fft.irfft(torch.fft.rfft(t) * 2, n=4),
              lambda t: torch.view_as_real(torch.fft.fft2(t.view(2, 2)))):
        assert torch.autograd.gradcheck(f, (d,))
    x = torch.arange(6.0).view(2, 3)
    assert torch.allclose(torch.fft.irfftn(torch.fft.rfftn(x), s=x.shape), x)
    assert torch.fft.fftshift(torch.arange(4)).tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize("f", [
    torch.linalg.matrix_exp, lambda a: torch.linalg.multi_dot([a, a, a[0]]), torch.linalg.matrix_norm,
    lambda a: torch.linalg.solve_triangular(a, a, upper=True), lambda a: torch.linalg.lstsq(a, a[:, :1]).solution,
    lambda a: torch.cholesky_solve(a, torch.linalg.cholesky(a @ a.T)), torch.pdist, lambda a: torch.svd(a)[1],
])
def test_linear_algebra(f: Any) -> None:
    a = torch.tensor([[2.0, 0.5], [0.25, 1.0]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(f, (a,))


def test_eigenvalues_have_no_derivative() -> None:
    values = torch.linalg.eigvals(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    assert values.imag.sort()[0].tolist() == [-1.0, 1.0]
    with pytest.raises(NotImplementedError, match="use linalg.eigh"):
        torch.linalg.eig(torch.eye(2, requires_grad=True))


def test_sizes_and_orders_by_keyword() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert torch.flip(x, dims=(0,))[0].tolist() == [3, 4, 5] and x.permute(dims=(1, 0)).shape == (3, 2)
    assert torch.tile(x, dims=(2, 1)).shape == (4, 3) and x.repeat(repeats=(2, 1)).shape == (4, 3)
    assert torch.swapaxes(x, axis0=0, axis1=1).shape == (3, 2) and torch.mm(x, mat2=x.t()).shape == (2, 2)
    assert torch.quantile(x, torch.tensor([0.25, 0.5]), dim=1).tolist() == [[0.5, 3.5], [1.0, 4.0]]
    for call, word in ((lambda: torch.reshape(x), "shape"), (torch.ones, "size"), (torch.rand, "size")):
        with pytest.raises(TypeError, match=f'missing 1 required positional arguments: "{word}"'):
            call()


def test_assert_close() -> None:
    torch.testing.assert_close({"a": [torch.ones(2)]}, {"a": [torch.ones(2) + 1e-7]})
    with pytest.raises(AssertionError, match="Tensor-likes are not close!"):
        torch.testing.assert_close(torch.ones(2), torch.tensor([1.0, 1.1]))
    with pytest.raises(AssertionError, match="attribute 'dtype' do not match"):
        torch.testing.assert_close(torch.ones(2), torch.ones(2).double())


def test_storages_and_limits() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert x.t()[1:].storage().data_ptr() == x.untyped_storage().data_ptr() and len(x[0].storage()) == 6
    assert repr(torch.iinfo(torch.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert repr(torch.finfo(torch.float32)).startswith("finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, ")
    assert str(torch.device("cpu:0")) == "cpu:0"


def test_samplers_and_streams() -> None:
    rows = data.TensorDataset(torch.arange(5.0))
    loader = data.DataLoader(rows, batch_size=2, sampler=data.SubsetRandomSampler([3]))
    assert [batch.tolist() for batch, in loader] == [[3.0]] and len(data.DataLoader(rows, 2)) == 3
    assert sorted(x.item() for batch, in data.DataLoader(rows, 2, shuffle=True) for x in batch) == [0, 1, 2, 3, 4]
    assert (rows + rows)[7][0].item() == 2.0 and len(rows + rows) == 10
    assert [x.item() for x, in data.DataLoader(rows, batch_size=None)] == [0, 1, 2, 3, 4]

    class Stream(data.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            return iter(range(3))
    assert [batch.tolist() for batch in data.DataLoader(Stream(), batch_size=2)] == [[0, 1], [2]]
    assert len(list(data.WeightedRandomSampler([0.1, 0.9], 5))) == 5
    with pytest.raises(ValueError, match="mutually exclusive"):
        data.DataLoader(rows, shuffle=True, sampler=data.SequentialSampler(rows))


def test_orthogonal_starts() -> None:
    rows = nn.init.orthogonal_(torch.empty(3, 5))
    assert torch.allclose(rows @ rows.T, torch.eye(3), atol=1e-6)
    assert nn.init.dirac_(torch.empty(1, 1, 3)).tolist() == [[[0.0, 1.0, 0.0]]]
    assert (nn.init.sparse_(torch.ones(4, 3), 0.5) == 0).sum(0).tolist() == [2, 2, 2]
