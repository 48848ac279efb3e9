"""A tensor over a NumPy array with torch's autograd semantics.

>>> import srcgrad.eager as torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.eager import (
    arithmetic,
    compiled,
    complexes,
    compositions,
    conversion,
    creation,
    drawing,
    dtypes,
    elementwise,
    engine,
    extrema,
    filling,
    gamma,
    helpers,
    indexing,
    inplace,
    joining,
    linalg,
    ordering,
    printing,
    python,
    reductions,
    scattering,
    selecting,
    shaping,
    statistics,
    storages,
    systems,
)
from srcgrad.eager.drawing import Generator
from srcgrad.eager.dtypes import Size, dtype, finfo, get_default_dtype, iinfo, promote_types, set_default_dtype
from srcgrad.eager.machine import (
    accelerator,
    are_deterministic_algorithms_enabled,
    backends,
    cuda,
    get_default_device,
    get_num_threads,
    mps,
    set_default_device,
    set_float32_matmul_precision,
    set_num_threads,
    use_deterministic_algorithms,
)
from srcgrad.eager.printing import set_printoptions
from srcgrad.eager.public import public
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor, device, layout
from srcgrad.eager.typed import typed
from srcgrad.runtime.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

# importing the chapters gives tensors their methods
CHAPTERS = (arithmetic, compiled, complexes, compositions, conversion, creation, drawing, elementwise, engine,
            extrema, filling, gamma, helpers, indexing, inplace, joining, linalg, ordering, printing, python,
            reductions, scattering, selecting, shaping, statistics, storages, systems)

globals().update({**dtypes.DTYPES, **{name: public(name, f) for name, f in FUNCTIONS.items()}, **arithmetic.MATH})

FloatTensor, DoubleTensor, HalfTensor, LongTensor, IntTensor, BoolTensor = map(
    typed, ("float32", "float64", "float16", "int64", "int32", "bool"))
strided = layout("torch.strided")
contiguous_format, preserve_format, channels_last = map(layout, (
    "torch.contiguous_format", "torch.preserve_format", "torch.channels_last"))
newaxis = None
__version__ = "2.13.0+srcgrad"

# loaded on first use
_LATER = ("autograd", "distributions", "fft", "func", "nn", "optim", "random", "special", "testing", "utils")
_IN_MODULES = {"is_anomaly_enabled": "autograd.anomaly", "is_anomaly_check_nan_enabled": "autograd.anomaly",
               "load": "saving", "save": "saving"}
_OF_LAYERS = ("adaptive_avg_pool1d", "avg_pool1d", "batch_norm", "bilinear", "celu", "conv1d", "conv2d",
              "cosine_embedding_loss", "cosine_similarity", "dropout", "group_norm", "hardshrink",
              "hinge_embedding_loss", "instance_norm", "kl_div", "layer_norm", "margin_ranking_loss", "max_pool1d",
              "max_pool2d", "pairwise_distance", "poisson_nll_loss", "prelu", "selu", "threshold",
              "triplet_margin_loss")

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
else:
    def __getattr__(name: str) -> Any:
        import importlib
        if name in _LATER:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _OF_LAYERS:
            return getattr(importlib.import_module(f"{__name__}.nn.functional"), name)
        if name in _IN_MODULES:
            return getattr(importlib.import_module(f"{__name__}.{_IN_MODULES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

__all__ = ["Generator", "Size", "Tensor", "accelerator", "are_deterministic_algorithms_enabled", "backends", "cuda",
           "device", "dtype", "enable_grad", "finfo", "get_default_device", "get_default_dtype", "get_num_threads",
           "iinfo", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "mps", "no_grad",
           "promote_types", "set_default_device", "set_default_dtype", "set_float32_matmul_precision",
           "set_grad_enabled", "set_num_threads", "set_printoptions", "use_deterministic_algorithms",
           *dtypes.DTYPES, *FUNCTIONS, *arithmetic.MATH]
