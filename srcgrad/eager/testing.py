"""What torch has under `torch.testing`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["assert_close"]

# relative and absolute tolerance by type
_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5),
               "complex128": (1e-7, 1e-7)}


def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
                 atol: float | None = None, equal_nan: bool = False, check_device: bool = True,
                 check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False,
                 msg: str | Callable[[str], str] | None = None) -> None:
    """Raises unless both are equal up to a tolerance, which depends on the type; also sequences and mappings."""
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified, but got "
                         f"{'no atol' if atol is None else 'no rtol'}")
    found = _difference(actual, expected, rtol, atol, equal_nan, check_dtype)
    if found is not None:
        raise AssertionError(found if msg is None else msg(found) if callable(msg) else msg)


def _difference(x: Any, y: Any, rtol: float | None, atol: float | None, nan: bool, dtypes: bool) -> str | None:
    if isinstance(x, dict) and isinstance(y, dict):
        if x.keys() != y.keys():
            return "The keys of the mappings do not match"
        return next((d for k in x if (d := _difference(x[k], y[k], rtol, atol, nan, dtypes))), None)
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        if len(x) != len(y):
            return f"The length of the sequences mismatch: {len(x)} != {len(y)}"
        return next((d for a, b in zip(x, y) if (d := _difference(a, b, rtol, atol, nan, dtypes))), None)
    scalars = not isinstance(x, Tensor)
    a, b = (t if isinstance(t, Tensor) else wrap(np.asarray(t)) for t in (x, y))
    return _tensors(a, b, rtol, atol, nan, dtypes and not scalars, scalars)


def _tensors(a: Any, b: Any, rtol: float | None, atol: float | None, nan: bool, dtypes: bool,
             scalars: bool) -> str | None:
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}."
    if dtypes and a.dtype != b.dtype:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}."
    names = [t.dtype.name.removeprefix("torch.") for t in (a, b)]
    most = [max(pair) for pair in zip(*(_TOLERANCES.get(n, (0.0, 0.0)) for n in names))]
    relative, absolute = most if rtol is None or atol is None else (rtol, atol)
    x, y = a._a, b._a
    wrong = ~np.isclose(x, y, relative, absolute, nan)
    if not wrong.any():
        return None
    kind = "Scalars" if scalars else "Tensor-likes"
    how = "equal" if relative == absolute == 0 else "close"
    if scalars or x.ndim == 0:
        return f"{kind if scalars else 'Scalars'} are not {how}!\n\nExpected {y.item()} but got {x.item()}."
    away = np.abs(x.astype(complex if x.dtype.kind == "c" else float) - y)
    place = tuple(int(i) for i in np.unravel_index(np.nanargmax(np.where(wrong, away, -1)), away.shape))
    share = float(away[place] / np.abs(y[place])) if y[place] else float("inf")
    return (f"{kind} are not {how}!\n\nMismatched elements: {int(wrong.sum())} / {wrong.size} "
            f"({100 * wrong.mean():.1f}%)\nGreatest absolute difference: {away[place]} at index {place} (up to "
            f"{absolute} allowed)\nGreatest relative difference: {share} at index {place} (up to {relative} allowed)")
