"""Indices, sizes and shapes that don't fit: errors of torch's kinds, and never a result."""
from __future__ import annotations

from typing import Any

import pytest

import srcgrad.eager as torch


def x() -> Any:
    return torch.arange(6.0).view(2, 3)


def at(*places: Any) -> Any:
    return torch.tensor(list(places))


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: x().narrow(0, 1, 5), RuntimeError, r"start \(1\) \+ length \(5\) exceeds dimension size \(2\)"),
    (lambda: x().narrow(0, 3, 0), IndexError, r"start out of range \(expected to be in range of \[-2, 2\], but got 3"),
    (lambda: x().narrow(0, 0, -1), RuntimeError, "length must be non-negative"),
    (lambda: x().split(0), RuntimeError, "split_size can only be 0 if dimension size is 0"),
    (lambda: x().split(-1), RuntimeError, "split expects split_size be non-negative"),
    (lambda: x().chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
    (lambda: x().unfold(0, 5, 1), RuntimeError, "maximum size for tensor at dimension 0 is 2 but size is 5"),
    (lambda: x().masked_select(at(1, 0, 1)), RuntimeError, "expected BoolTensor for mask"),
    (lambda: x().masked_select(at(True, False)), RuntimeError, r"size of tensor a \(3\) must match.*b \(2\)"),
    (lambda: x().masked_fill(at(True, False), 0.0), RuntimeError, r"size of tensor a \(3\) must match.*b \(2\)"),
    (lambda: x().index_select(0, at(-1)), IndexError, "index out of range in self"),
    (lambda: x().index_select(0, at([0, 1])), IndexError, "Index is supposed to be a vector"),
    (lambda: x().index_select(0, at(0.0)), RuntimeError, "Expected dtype int32 or int64 for index"),
    (lambda: x().gather(1, at([-1], [0])), RuntimeError, "index -1 is out of bounds for dimension 1 with size 3"),
    (lambda: x().gather(0, at([0, 0, 0, 0, 0])), RuntimeError, "to be no larger than self"),
    (lambda: x().scatter(0, at([5]), 1.0), RuntimeError, "index 5 is out of bounds for dimension 0 with size 2"),
    (lambda: x().scatter(0, at([-1]), 1.0), RuntimeError, "index -1 is out of bounds for dimension 0 with size 2"),
    (lambda: x().scatter(1, at([0], [1]), torch.ones(1, 1)), RuntimeError, "no larger size than src"),
    (lambda: x().scatter_add(1, at([0], [1]), torch.ones(2, 1).double()), RuntimeError, "to be equal to src.dtype"),
    (lambda: x().index_add(0, at(0), torch.ones(2, 3)), RuntimeError, r"Number of indices \(1\) should be equal"),
    (lambda: x().index_add(0, at(5), torch.ones(1, 3)), IndexError, "index out of range in self"),
    (lambda: x().index_copy(0, at(0), torch.ones(2, 3)), IndexError, r"Number of indices \(1\) should be equal"),
    (lambda: x().index_fill(0, at(5), 1.0), IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (lambda: x().index_put((at(5),), torch.ones(1)), IndexError, "index 5 is out of bounds for dimension 0"),
    (lambda: x().take(at(9)), IndexError, "tried to access index 9 on a tensor of 6 elements"),
    (lambda: x().topk(-1), RuntimeError, "selected index k out of range"),
    (lambda: x().kthvalue(0), RuntimeError, "selected number k out of range for dimension 1"),
    (lambda: x().roll((1, 1), 0), RuntimeError, "shifts and dimensions must align. shifts: 2, dims:1"),
    (lambda: x().flip(0, 0), RuntimeError, "dim 0 appears multiple times"),
    (lambda: x().movedim(0, 5), IndexError, "Dimension out of range"),
    (lambda: x().diagonal(0, 0, 0), RuntimeError, "diagonal dimensions cannot be identical 0, 0"),
    (lambda: x().repeat_interleave(at(1, 2, 3), dim=0), RuntimeError, "repeats must have the same size as input"),
    (lambda: x().repeat_interleave(-1), RuntimeError, "repeats can not be negative"),
    (lambda: torch.bincount(at(-1)), RuntimeError, "bincount only supports 1-d non-negative integral inputs"),
    (lambda: torch.cross(torch.ones(2), torch.ones(2), 0), RuntimeError, "must have length 3. Got 2 and 2"),
    (lambda: torch.einsum("ij,jk", x(), x()), RuntimeError, r"einsum\(\): operands could not be broadcast"),
    (lambda: torch.linspace(0, 1, -1), RuntimeError, "number of steps must be non-negative"),
    (lambda: torch.where(at(True, False), torch.ones(3), torch.ones(2)), RuntimeError, r"tensor a \(2\) must match"),
    (lambda: x().__setitem__(0, torch.ones(2)), RuntimeError, r"Target sizes: \[3\].  Tensor sizes: \[2\]"),
    (lambda: x().__delitem__(0), TypeError, "does not support deleting items"),
])
def test_refusals(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_narrow_counts_from_the_end_and_assignments_drop_leading_ones() -> None:
    assert x().narrow(1, -2, 2).tolist() == [[1.0, 2.0], [4.0, 5.0]]
    a = x()
    a[0, 0] = torch.tensor([5.0])
    a[1] = torch.ones(1, 1, 3)
    a[:, 2] = torch.tensor([[7.0]])
    assert a.tolist() == [[5.0, 1.0, 7.0], [1.0, 1.0, 7.0]]


def test_the_angle_at_the_origin_has_derivative_zero() -> None:
    y, z = torch.zeros(2, requires_grad=True), torch.tensor([0.0, 1.0], requires_grad=True)
    torch.atan2(y, z).sum().backward()
    assert y.grad.tolist() == [0.0, 1.0] and z.grad.tolist() == [0.0, 0.0]


def test_too_few_elements_for_a_spread_warn() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert torch.ones(1).std().isnan()


def test_zeros_count_for_one_place_of_a_printed_line() -> None:
    lines = repr(torch.zeros(30)).splitlines()
    assert lines[0].count("0.") == 24 and repr(torch.ones(30)).splitlines()[0].count("1.") == 18
    assert repr(torch.ones(30, dtype=torch.complex64)).splitlines()[0].count("1.+0.j") == 12
