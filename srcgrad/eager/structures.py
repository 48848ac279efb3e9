"""What the functions that `plans` generates call: saving, opening what was saved, fitting adjoints."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.graph import FREED, Node, Port
from srcgrad.eager.tensor import INFERENCE, Tensor, _new, twin, wrap
from srcgrad.runtime.arrays import cast, unbroadcast

SAVED_INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.")


def _array(x: Any) -> Any:
    return x._a if isinstance(x, Tensor) else x


def _shape_of(x: Any) -> Any:
    return np.shape(_array(x))


def _ndim_of(x: Any) -> int:
    return len(_shape_of(x))


def _size_of(x: Any) -> int:
    return int(np.size(_array(x)))


def _shapes_of(x: Any) -> list[Any]:
    return [_shape_of(item) for item in x]


def _nested_of(x: Any) -> Any:
    return [_nested_of(item) for item in x] if isinstance(x, (list, tuple)) else _shape_of(x)


def _kept(x: Any) -> Any:
    """An argument as it is now: sequences are copied, and a number of one kind stays what it is."""
    if isinstance(x, list):
        return [_kept(item) for item in x]
    return x.copy() if isinstance(x, np.ndarray) else x


def _versions(saved: Sequence[Any]) -> tuple[Any, ...]:
    if any(isinstance(s, Tensor) and s._vc is INFERENCE for s in saved):
        raise RuntimeError(SAVED_INFERENCE)
    return tuple(_versions(s) if isinstance(s, (list, tuple)) else s._version if isinstance(s, Tensor) else 0
                 for s in saved)


# ---------------------------------------------------------------- opening

def _freed(node: Node) -> None:
    raise RuntimeError(FREED)


def _check(node: Node, place: int, saved: Tensor) -> None:
    expected = 0 if node.versions is None else node.versions[place]
    check_version(saved, expected, node)


def check_version(saved: Tensor, expected: int, node: Any) -> None:
    """Raises if the tensor was written in place since it was saved."""
    found = saved._version
    if found != expected:
        a = saved._a
        kind = "FloatTensor" if a.dtype == np.float32 else f"{saved.dtype.legacy}Tensor"
        what = f"[torch.{kind} {list(a.shape)}]"
        made = _maker(saved, node)
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{what}{made} is at version {found}; expected version {expected} instead. Hint: enable anomaly detection "
            "to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")


def _maker(saved: Tensor, node: Any) -> str:
    """Which operation made what was saved."""
    own = hasattr(saved, "_is_result") or hasattr(saved, "_result_number")
    maker = node if own else saved.grad_fn
    if maker is None:
        return ""
    number = saved.__dict__.get("_result_number", 0) if own else saved.output_nr
    return f", which is output {number} of {bare_name(maker)},"


def bare_name(node: Any) -> str:
    """The name of an operation without what says that it is a node."""
    name, _, number = type(node).__name__.rpartition("Backward")
    return f"{name}{number}".removesuffix("0") if name else number


def _opened_arrays(node: Node, place: int, saved: Any) -> Any:
    return type(saved)(_array(_checked(node, place, i, item)) for i, item in enumerate(saved))


def _opened_tensors(node: Node, place: int, saved: Any) -> Any:
    return type(saved)(_checked(node, place, i, item) for i, item in enumerate(saved))


def _checked(node: Node, place: int, i: int, item: Any) -> Any:
    if isinstance(item, Tensor) and item._vc is not None:
        check_version(item, 0 if node.versions is None else node.versions[place][i], node)
    return item


def _rejoined(node: Node, saved: Any) -> Any:
    """A saved result as a result of its node again; also several."""
    if isinstance(saved, (list, tuple)):
        return [_joined(s, Port(node, i)) for i, s in enumerate(saved)]
    return _joined(saved, node)


def _joined(saved: Tensor, edge: Any) -> Tensor:
    out: Tensor = _new(Tensor)
    out._a, out._fn, out._vc = saved._a, edge, saved._vc
    return out


def _steps(x: Any, y: Any) -> Tensor:
    """x // y, with derivative zero."""
    return wrap(np.floor_divide(_array(x), _array(y)))


def _result_twin(out: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return [_result_twin(o) for o in out]
    saved = twin(out)
    saved._is_result = True
    return saved


# ---------------------------------------------------------------- fitting

def _refit_arrays(bars: tuple[Any, ...], fix: Any) -> tuple[Any, ...]:
    return tuple(bar if f is None or bar is None else _fit_array(bar, *f) for bar, f in zip(bars, fix))


def _fit_array(bar: Any, shape: Any, dtype: Any) -> Any:
    if shape is not None:
        if len(np.shape(bar)) < len(shape):
            bar = np.broadcast_to(bar, shape)
        bar = unbroadcast(bar, shape)
    return bar if dtype is None else cast(bar, dtype)


def _refit_tensors(bars: tuple[Any, ...], fix: Any) -> tuple[Any, ...]:
    return tuple(bar if f is None or bar is None else _fit_tensor(bar, *f) for bar, f in zip(bars, fix))


def _fit_tensor(bar: Any, shape: Any, dtype: Any) -> Any:
    if not isinstance(bar, Tensor):
        return _fit_array(bar, shape, dtype)
    if shape is not None:
        if bar._a.ndim < len(shape):
            bar = bar.expand(shape)
        bar = unbroadcast(bar, shape)
    if dtype is None or bar._a.dtype == dtype:
        return bar
    if bar._a.dtype.kind == "c" and dtype.kind != "c":
        bar = bar.real
    return bar.to(dtype)


COLLECTING = {"twin": _result_twin, "kept": _kept, "versions": _versions, "shape_of": _shape_of, "ndim_of": _ndim_of,
              "size_of": _size_of, "shapes_of": _shapes_of, "nested_of": _nested_of}
_COMMON = {"freed": _freed, "check": _check}
ON_ARRAYS = {**_COMMON, "opened": _opened_arrays, "refit": _refit_arrays}
ON_TENSORS = {**_COMMON, "opened": _opened_tensors, "refit": _refit_tensors, "rejoined": _rejoined, "steps": _steps}

__all__ = ["COLLECTING", "ON_ARRAYS", "ON_TENSORS", "SAVED_INFERENCE", "bare_name", "check_version"]
