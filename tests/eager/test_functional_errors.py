"""What torch refuses is refused with the same type and the same key words."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.nn import functional as F

T = torch.ones
TWO = torch.tensor([0, 1])

ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: F.linear(T(2, 3), T(4, 2), T(4)), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x4)"),
    (lambda: F.linear(T(2, 3), T(4, 3), T(5)), RuntimeError,
     "The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension 1."),
    (lambda: F.linear(T(2, 3).double(), T(4, 3), T(4)), RuntimeError,
     "mat1 and mat2 must have the same dtype, but got Double and Float"),
    (lambda: F.mse_loss(T(3), T(2)), RuntimeError, "The size of tensor a (3) must match the size of tensor b (2)"),
    (lambda: F.mse_loss(T(3), T(3), reduction="avg"), ValueError, "avg is not a valid value for reduction"),
    (lambda: F.mse_loss(T(3), T(3), weight=T(2)), ValueError, "Weights and input must have the same size."),
    (lambda: F.huber_loss(T(3), T(3), delta=0.0), RuntimeError, "does not support non-positive values for delta"),
    (lambda: F.smooth_l1_loss(T(3), T(3), beta=-1.0), RuntimeError, "does not support negative values for beta"),
    (lambda: F.binary_cross_entropy(T(1) * 1.5, T(1)), RuntimeError, "all elements of input should be between 0 and 1"),
    (lambda: F.binary_cross_entropy(T(2), T(1)), ValueError, "Please ensure they have the same size."),
    (lambda: F.binary_cross_entropy(T(2), T(2).double()), RuntimeError, "Found dtype Double but expected Float"),
    (lambda: F.binary_cross_entropy_with_logits(T(2), T(3)), ValueError,
     "Target size (torch.Size([3])) must be the same as input size (torch.Size([2]))"),
    (lambda: F.binary_cross_entropy_with_logits(T(2), TWO), RuntimeError,
     "result type Float can't be cast to the desired output type Long"),
    (lambda: F.nll_loss(T(2, 3), torch.tensor([0, 3])), IndexError, "Target 3 is out of bounds."),
    (lambda: F.nll_loss(T(2, 3), torch.tensor([0, -1])), IndexError, "Target -1 is out of bounds."),
    (lambda: F.nll_loss(T(3), TWO), ValueError, "For 1D input, 1D target must have size 1, but got target size: 2"),
    (lambda: F.nll_loss(T(2, 3, 2), TWO), RuntimeError, "Expected target size [2, 2], got [2]"),
    (lambda: F.cross_entropy(T(2, 3), torch.tensor([0, 1, 2])), ValueError,
     "Expected input batch_size (2) to match target batch_size (3)."),
    (lambda: F.cross_entropy(T(2, 3), TWO.unsqueeze(1)), RuntimeError,
     "0D or 1D target tensor expected, multi-target not supported"),
    (lambda: F.cross_entropy(T(2, 3), TWO.float()), RuntimeError,
     "expected target dtype to be Long or Byte, but got Float"),
    (lambda: F.cross_entropy(T(2, 2), torch.tensor([[0, 1], [1, 0]])), RuntimeError,
     "Expected floating point type for target with class probabilities, got Long"),
    (lambda: F.cross_entropy(T(2, 3), TWO, label_smoothing=2.0), RuntimeError,
     "label_smoothing must be between 0.0 and 1.0"),
    (lambda: F.cross_entropy(T(2, 3), TWO, weight=T(2)), RuntimeError, "either for all 3 classes or no classes"),
    (lambda: F.kl_div(TWO, TWO), RuntimeError, "kl_div: Integral inputs not supported."),
    (lambda: F.dropout(T(2), 1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
    (lambda: F.embedding(torch.tensor([5]), T(3, 2)), IndexError, "index out of range in self"),
    (lambda: F.embedding(T(1), T(3, 2)), RuntimeError, "one of the following scalar types: Long, Int"),
    (lambda: F.embedding(TWO, T(3, 2), padding_idx=5), AssertionError, "Padding_idx must be within num_embeddings"),
    (lambda: F.one_hot(torch.tensor([3]), 2), RuntimeError, "Class values must be smaller than num_classes."),
    (lambda: F.one_hot(torch.tensor([-1])), RuntimeError, "Class values must be non-negative."),
    (lambda: F.conv1d(T(1, 2, 3), T(1, 3, 2)), RuntimeError,
     "expected input[1, 2, 3] to have 3 channels, but got 2 channels instead"),
    (lambda: F.conv1d(T(1, 2, 3), T(1, 2, 5)), RuntimeError, "Kernel size can't be greater than actual input size"),
    (lambda: F.conv2d(T(2, 3), T(1, 1, 2, 2)), RuntimeError, "Expected 3D (unbatched) or 4D (batched) input to conv2d"),
    (lambda: F.conv1d(T(1, 2, 5), T(2, 2, 2), T(3)), RuntimeError, "expected bias to be 1-dimensional with 2 elements"),
    (lambda: F.conv1d(T(1, 2, 5), T(2, 2, 2), stride=0), RuntimeError, "non-positive stride is not supported"),
    (lambda: F.conv1d(T(1, 2, 5), T(2, 2, 2), padding=-1), RuntimeError, "negative padding is not supported"),
    (lambda: F.conv1d(T(1, 2, 5), T(2, 2, 2), padding="same", stride=2), RuntimeError,
     "padding='same' is not supported for strided convolutions"),
    (lambda: F.max_pool2d(T(1, 1, 2, 2), 3), RuntimeError,
     "Given input size: (1x2x2). Calculated output size: (1x0x0). Output size is too small"),
    (lambda: F.avg_pool1d(T(1, 1, 4), 2, padding=2), RuntimeError,
     "pad should be at most half of effective kernel size"),
    (lambda: F.max_pool1d(T(4), 2), RuntimeError, "Expected 2D or 3D (batch mode) tensor"),
    (lambda: F.layer_norm(T(2, 3), (2,)), RuntimeError,
     "Given normalized_shape=[2], expected input with shape [*, 2], but got input of size[2, 3]"),
    (lambda: F.batch_norm(T(2, 3), None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
    (lambda: F.group_norm(T(2, 3), 2), RuntimeError,
     "Expected number of channels in input to be divisible by num_groups"),
    (lambda: F.pad(T(2, 3), (1,)), RuntimeError, "Padding length must be divisible by 2"),
    (lambda: F.pad(T(2, 3), (-2, -2)), RuntimeError, "negative output size"),
    (lambda: F.pad(T(1, 2, 3), (3, 3), mode="reflect"), RuntimeError,
     "Padding size should be less than the corresponding"),
    (lambda: F.glu(T(3)), RuntimeError, "Halving dimension must be even, but dimension 0 is size 3"),
    (lambda: F.gelu(T(1), approximate="x"), RuntimeError, "approximate argument must be either none or tanh."),
    (lambda: F.elu(TWO), NotImplementedError, "\"elu_cpu\" not implemented for 'Long'"),
    (lambda: nn.Parameter(TWO), RuntimeError, "Only Tensors of floating point and complex dtype can require gradients"),
    (lambda: nn.BatchNorm2d(3)(T(2, 3)), ValueError, "expected 4D input (got 2D input)"),
    (lambda: F.nll_loss(T(2, 3), TWO, None, 3), TypeError, "positional argument"),
    (lambda: F.nll_loss(T(2, 3), TWO, torch.ones(3, requires_grad=True)), RuntimeError,
     "is not differentiable with respect to argument 'weight'. This input cannot have requires_grad True."),
    (lambda: F.binary_cross_entropy_with_logits(T(3), T(3), pos_weight=torch.ones(3, requires_grad=True)), RuntimeError,
     "is not differentiable with respect to argument 'pos_weight'"),
    (lambda: F.soft_margin_loss(T(3), torch.ones(3, requires_grad=True)), RuntimeError,
     "with respect to argument 'target'"),
]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[words[:40] for _, _, words in ERRORS])
def test_what_is_refused(call: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: F.mse_loss(T(3, 1), T(3)), "different to the input size"),
    (lambda: F.softmax(T(2, 3)), "Implicit dimension choice for softmax has been deprecated"),
    (lambda: F.kl_div(T(2), T(2)), "'batchmean' divides only by the batch size"),
])
def test_what_is_warned_of(call: Callable[[], Any], words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        call()


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_an_integer_target_keeps_single_precision(name: str) -> None:
    loss = getattr(F, name)(T(3), torch.tensor([0, 1, 2]))
    assert loss.dtype == torch.float32


def test_nothing_warns_at_the_ends_of_the_floats() -> None:
    x = torch.tensor([-1e30, -200.0, 0.0, 200.0, 1e30], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (F.silu, F.softplus, F.gelu, F.mish, F.elu, F.logsigmoid, F.sigmoid, F.hardswish):
            f(x).sum().backward()
        F.binary_cross_entropy_with_logits(x, torch.zeros(5)).backward()
