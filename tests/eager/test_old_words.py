"""What old programs say of losses, and how lists of parameters print."""
from __future__ import annotations

import pickle
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.nn import functional as F


@pytest.mark.parametrize(("words", "reduction"), [
    ({"size_average": False}, "sum"), ({"reduce": False}, "none"), ({"size_average": True}, "mean")])
def test_old_words_of_losses(words: dict[str, Any], reduction: str) -> None:
    with pytest.warns(UserWarning, match=f"please use reduction='{reduction}' instead"):
        loss = nn.CrossEntropyLoss(**words)
    assert loss.reduction == reduction
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated"):
        found = F.mse_loss(torch.ones(3), torch.zeros(3), **words)
    assert torch.equal(found, F.mse_loss(torch.ones(3), torch.zeros(3), reduction=reduction))
    assert pickle.loads(pickle.dumps(loss)).reduction == reduction


def test_lists_of_parameters_print_as_torch_prints_them() -> None:
    one, two = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2, 2))
    assert repr(nn.ParameterList([one])) == "ParameterList(  (0): Parameter containing: [torch.float32 of size 1])"
    assert repr(nn.ParameterDict({"a": one, "b": two})) == (
        "ParameterDict(\n    (a): Parameter containing: [torch.float32 of size 1]\n"
        "    (b): Parameter containing: [torch.float32 of size 2x2]\n)")


def test_other_moves_of_modules() -> None:
    layer = nn.BatchNorm1d(1)
    assert layer.get_buffer("running_mean").item() == 0.0 and layer.share_memory() is layer
    assert layer.half().weight.dtype is torch.float16 and layer.type(torch.float64).weight.dtype is torch.float64
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        layer.cuda()
