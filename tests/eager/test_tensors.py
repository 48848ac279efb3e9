"""Tensors without gradients: types, promotion, printing, indexing, conversions, errors, modes, NumPy's protocols."""
from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad.eager as torch

F32, F64, I64 = torch.float32, torch.float64, torch.int64


# ---------------------------------------------------------------- types

@pytest.mark.parametrize("data, dtype", [
    (1, I64), (1.0, F32), (True, torch.bool), ([1, 2.0], F32), ([True, 2], I64), ([], F32), (np.ones(2), F64),
    (np.arange(3, dtype=np.int32), torch.int32), (1j, torch.complex64), (np.float64(1.0), F64)])
def test_inferred_types(data: Any, dtype: Any) -> None:
    assert torch.tensor(data).dtype is dtype


def t(value: Any, dtype: Any = None) -> Any:
    return torch.tensor(value, dtype=dtype)


@pytest.mark.parametrize("value, dtype", [
    (t([1.0, 2.0]) * t(2.0, F64), F32), (t([1, 2]) * t(2.0, F64), F64), (t([1, 2]) + 1.5, F32), (t([1, 2]) / 2, F32),
    (t([5, 7]) // 2, I64), (t([1, 2], torch.int32) + t([1, 2]), I64), (t([1.0], torch.float16) + t([1.0]), F32),
    (t([True, True]).sum(), I64), (t([1, 2]).sum(), I64), (t([1, 2], torch.int32) * 3, torch.int32),
    (t([1, 2], torch.uint8) + t([1, 2], torch.int8), torch.int16), (t([1.0]) * 1j, torch.complex64),
    (t([1, 2]) * t([1.0, 2.0], torch.float16), torch.float16), (t([1.0]) > 0, torch.bool), (t([True]) + 1, I64),
    (t([1, 2]).exp(), F32), (t([1.0, 2.0], F64) ** 2, F64), (2 ** t([1, 2]), I64), (t([1, 2]).float().mean(), F32)])
def test_promotion(value: Any, dtype: Any) -> None:
    assert value.dtype is dtype


def test_products_do_not_promote() -> None:
    with pytest.raises(RuntimeError, match="dot : expected both vectors to have same dtype"):
        t([1.0, 2.0]) @ t([1.0, 2.0], F64)
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype"):
        t([[1.0, 2.0]]) @ t([1.0, 2.0], F64)
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype.*Got: Long"):
        t([1, 2]).mean()


# ---------------------------------------------------------------- printing

@pytest.mark.parametrize("value, text", [
    ([1.0, 2.5], "tensor([1.0000, 2.5000])"), ([1.0, -2.0], "tensor([ 1., -2.])"), (3, "tensor(3)"),
    ([True, False], "tensor([ True, False])"), ([1, -20, 300], "tensor([  1, -20, 300])"),
    ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"), ([0.0, 2000.0], "tensor([   0., 2000.])"),
    ([0.0001, 1.0], "tensor([1.0000e-04, 1.0000e+00])"),
    ([float("nan"), -float("inf"), 2.0], "tensor([nan, -inf, 2.])"),
    ([], "tensor([])"), ([[1.5, 2.0], [3.0, 4.0]], "tensor([[1.5000, 2.0000],\n        [3.0000, 4.0000]])"),
    ([[[1, 2]], [[3, 4]]], "tensor([[[1, 2]],\n\n        [[3, 4]]])"), (1 + 2j, "tensor(1.+2.j)")])
def test_printing(value: Any, text: str) -> None:
    assert repr(torch.tensor(value)) == text == str(torch.tensor(value))


def test_what_stands_behind() -> None:
    assert repr(torch.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(torch.tensor([], dtype=I64)) == "tensor([], dtype=torch.int64)"
    assert repr(torch.tensor([1.0], dtype=F64, requires_grad=True)) == \
        "tensor([1.], dtype=torch.float64, requires_grad=True)"
    assert repr(torch.full((7,), 0.123456, dtype=F64, requires_grad=True)) == (
        "tensor([0.1235, 0.1235, 0.1235, 0.1235, 0.1235, 0.1235, 0.1235],\n"
        "       dtype=torch.float64, requires_grad=True)")


def test_large_tensors_are_summarized() -> None:
    assert repr(torch.arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    assert repr(torch.zeros(100, 100)).count("\n") == 6 and "...," in repr(torch.zeros(100, 100))


def test_formats() -> None:
    assert f"{t(3.5):.2f} {t(0.1)} {t(7)}" == "3.50 0.10000000149011612 7"
    with pytest.raises(TypeError, match="unsupported format string"):
        format(t([1.0]), ".2f")
    assert repr(torch.zeros(2, 3).shape) == "torch.Size([2, 3])" and repr(torch.float64) == "torch.float64"
    assert repr(torch.tensor([[1.0, 5.0]]).max(1)) == (
        "torch.return_types.max(\nvalues=tensor([5.]),\nindices=tensor([1]))")


# ---------------------------------------------------------------- errors

X = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("call, error, words", [
    (lambda: torch.ones(2) + torch.ones(3), RuntimeError,
     r"The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton dimension 0"),
    (lambda: X @ X, RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    (lambda: X.reshape(4), RuntimeError, r"shape '\[4\]' is invalid for input of size 6"),
    (lambda: X.t().view(6), RuntimeError, "view size is not compatible with input tensor's size and stride"),
    (lambda: X[5], IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (lambda: X[0, 0, 0], IndexError, "too many indices for tensor of dimension 2"),
    (lambda: X[::-1], ValueError, "step must be greater than zero"),
    (lambda: X.sum(5), IndexError, "Dimension out of range"),
    (lambda: torch.zeros(0).max(), RuntimeError, "Expected reduction dim to be specified for input.numel"),
    (lambda: torch.cat([X, torch.ones(2, 2)]), RuntimeError, "Sizes of tensors must match except in dimension 0"),
    (lambda: torch.stack([X, torch.ones(2)]), RuntimeError, "stack expects each tensor to be equal size"),
    (lambda: torch.ones(2, 2, 2).t(), RuntimeError, r"t\(\) expects a tensor with <= 2 dimensions"),
    (lambda: X.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    (lambda: bool(X), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    (lambda: float(X), ValueError, "only one element tensors can be converted to Python scalars"),
    (lambda: len(t(1.0)), TypeError, r"len\(\) of a 0-d tensor"),
    (lambda: list(t(1.0)), TypeError, "iteration over a 0-d tensor"),
    (lambda: X.clone().requires_grad_().numpy(), RuntimeError, "Can't call numpy.* on Tensor that requires grad"),
    (lambda: torch.tensor([1], requires_grad=True), RuntimeError,
     "Only Tensors of floating point and complex dtype can require gradients")])
def test_errors(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# ---------------------------------------------------------------- values

def test_storage_is_shared_where_torch_shares_it() -> None:
    a = np.array([1.0, 2.0])
    shared, copied = torch.from_numpy(a), torch.tensor(a)
    a[0] = 5.0
    shared.numpy()[1] = 7.0
    assert shared.tolist() == [5.0, 7.0] == a.tolist() and copied.tolist() == [1.0, 2.0]
    row = X.clone()[0]
    row += 1
    assert row._base is not None and row._base[0].tolist() == row.tolist()


def test_ties() -> None:
    for reduce, expected in ((lambda v: v.max(), [0.5, 0.0, 0.5]), (lambda v: v.max(0)[0], [1.0, 0.0, 0.0]),
                             (lambda v: v.amax(), [0.5, 0.0, 0.5]), (lambda v: v.median(), [0.5, 0.0, 0.5])):
        v = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
        reduce(v).backward()
        assert v.grad.tolist() == expected


@pytest.mark.parametrize("make, expected", [
    (lambda v: v.relu(), [0.0, 0.0, 1.0]), (lambda v: v.abs(), [-1.0, 0.0, 1.0]),
    (lambda v: v.clamp(-1, 1), [1.0, 1.0, 1.0]), (lambda v: v.clamp(min=0), [0.0, 1.0, 1.0]),
    (lambda v: v ** 0, [0.0, 0.0, 0.0]), (lambda v: torch.maximum(v, torch.zeros(3)), [0.0, 0.5, 1.0]),
    (lambda v: (v * 0).norm(), [0.0, 0.0, 0.0])])
def test_subgradients(make: Any, expected: list[float]) -> None:
    v = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    make(v).sum().backward()
    assert v.grad.tolist() == expected


def test_a_cut_path_is_nan_as_in_torch() -> None:
    v = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(v > 0, v.sqrt(), torch.zeros(2)).sum().backward()
    assert np.isnan(v.grad[0].item()) and v.grad[1].item() == 0.25


def test_no_warning_of_numpys_is_seen() -> None:
    big = torch.full((3,), 3e38)            # warnings are errors in these tests
    assert (big * 10).isinf().all() and (big / 0).isinf().all() and torch.zeros(2).log().isinf().all()
    x = torch.zeros(2, requires_grad=True)
    x.sqrt().sum().backward()
    assert x.grad.isinf().all()


# ---------------------------------------------------------------- modes

def test_modes_come_back() -> None:
    with torch.no_grad():
        with torch.enable_grad():
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
        with pytest.raises(ValueError), torch.enable_grad():
            raise ValueError
        assert not torch.is_grad_enabled()
    previous = torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    assert torch.is_grad_enabled() and previous is not None


def test_modes_as_decorators() -> None:
    @torch.no_grad()
    def f(x: Any, k: int = 1) -> Any:
        "doc"
        return x * k

    @torch.no_grad
    def g(x: Any) -> Any:
        return x * 2

    @torch.no_grad()
    def rows() -> Any:
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()
    x = torch.ones(2, requires_grad=True)
    assert not f(x, k=3).requires_grad and not g(x).requires_grad and (f.__name__, f.__doc__) == ("f", "doc")
    assert [(inside, torch.is_grad_enabled()) for inside in rows()] == [(False, True), (False, True)]


def test_modes_belong_to_their_thread() -> None:
    seen: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


# ---------------------------------------------------------------- NumPy meets tensors

def test_numpys_functions_give_tensors() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for y in (np.sin(x), np.sum(x), np.ones((2, 2), np.float32) @ x, np.ones(2) * x, np.where(x > 1, x, 0.0),
              np.concatenate([x, x]), np.tanh(x), np.linalg.norm(x), np.convolve(x, x)):
        assert isinstance(y, torch.Tensor) and y.requires_grad
    assert not np.argmax(x).requires_grad and np.shape(x) == (2,)
    plain = torch.ones(1, 2)
    np.squeeze(plain).add_(1)
    assert plain.tolist() == [[1.0, 1.0]]
    with pytest.raises(TypeError, match="np.percentile has no derivative rule"):
        np.percentile(x, 3)


# ---------------------------------------------------------------- what importing costs

def in_process(code: str, **environment: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         env={**os.environ, **environment})
    return run.stdout.strip()


def test_importing_loads_neither_compiler_nor_scipy() -> None:
    code = ("import sys, srcgrad.eager as torch; x = torch.ones(2, requires_grad=True); (x * x).exp().sum().backward();"
            "print(*(m for m in sys.modules if m.split('.')[0] in ('srcgrad', 'gast', 'astor', 'scipy')))")
    loaded = in_process(code).split()
    assert "srcgrad.eager" in loaded
    assert not {"srcgrad.compiler", "srcgrad.api", "gast", "astor", "scipy"} & set(loaded)


def test_importing_is_fast(tmp_path: Path) -> None:
    """Below 50 ms of computing beyond NumPy, once Python has compiled the files: the best of five."""
    code = "import time, numpy; t = time.process_time(); import srcgrad.eager; print(time.process_time() - t)"
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    assert min(float(in_process(code, **environment)) for _ in range(5)) < 0.05
