"""How tensors print: as torch's, to the digit."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager.dtypes import get_default_dtype
from srcgrad.eager.tensor import Tensor, method

__all__ = ["set_printoptions"]


class _Options:
    precision = 4
    threshold: float = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


_options = _Options()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80}}


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Changes how many digits, elements and columns are printed."""
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = {**_PROFILES.get(profile or "", {}), **{k: v for k, v in given.items() if v is not None}}
    for name, value in chosen.items():
        setattr(_options, name, value)
    _options.sci_mode = sci_mode


@method("__repr__", "__str__")
def text(self: Tensor) -> str:
    """`tensor(...)`, with what isn't the default behind."""
    return _with_suffixes(self, "tensor(", 7)


@method("__format__")
def formatted(self: Tensor, spec: str) -> str:
    """A single number as that number, all else as `str`."""
    return format(self.item(), spec) if not self._a.ndim else object.__format__(self, spec)


# ---------------------------------------------------------------- what stands behind

def _with_suffixes(t: Tensor, prefix: str, indent: int) -> str:
    a = t._a
    body = "[]" if a.size == 0 else _nested(a, indent, _summarized(a), _formatter(a))
    parts = [prefix + body]
    last = len(parts[0]) - parts[0].rfind("\n") + 1
    for suffix in _suffixes(t):
        if last + len(suffix) + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            last = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            last += len(suffix) + 2
    return "".join(parts) + ")"


def _suffixes(t: Tensor) -> list[str]:
    a = t._a
    found = [f"size={tuple(a.shape)}"] if a.size == 0 and a.ndim != 1 else []
    default = get_default_dtype()
    plain = {default.name} if a.size == 0 else {default.name, "int64", "bool", default.to_complex().name}
    if t.dtype.name not in plain:
        found.append(f"dtype={t.dtype!r}")
    if t.grad_fn is not None:
        found.append(f"grad_fn=<{t.grad_fn.short_name()}>")
    elif t.requires_grad:
        found.append("requires_grad=True")
    return found


# ---------------------------------------------------------------- numbers

def _summarized(a: np.ndarray) -> bool:
    return a.size > _options.threshold


class Format(NamedTuple):
    """How to write one element, and how much room of a line it counts for: as in torch, zeros, infinities and NaN
    don't make it wider."""
    write: Callable[[Any], str]
    width: int


def _formatter(a: np.ndarray) -> Format:
    """How to write one element, by those that are shown."""
    shown = a
    if _summarized(a):
        shown = _edges(a)
    if a.dtype.kind == "c":
        return _complex_formatter(shown)
    if a.dtype.kind == "f":
        return _float_formatter(shown)
    width = max(len(str(v)) for v in shown.ravel().tolist())
    return Format(lambda v: str(v).rjust(width), width)


def _edges(a: np.ndarray) -> np.ndarray:
    """The elements that are shown of an array that is too large."""
    n = _options.edgeitems
    for axis in range(a.ndim):
        if a.shape[axis] > 2 * n:
            a = np.take(a, [*range(n), *range(a.shape[axis] - n, a.shape[axis])], axis)
    return a


def _float_formatter(shown: np.ndarray) -> Format:
    values = shown.astype(np.float64).ravel()
    values = values[np.isfinite(values) & (values != 0)]
    sized = np.abs(values)
    integral = bool(np.all(values == np.ceil(values)))
    sci = bool(values.size) and _scientific(sized, integral)
    if _options.sci_mode is not None:
        sci = _options.sci_mode
    write = _writer(integral, sci)
    width = max((len(write(v)) for v in values.tolist()), default=1)
    return Format(lambda v: write(v).rjust(width), width)


def _scientific(sized: np.ndarray, integral: bool) -> bool:
    low, high = float(sized.min()), float(sized.max())
    return high / low > 1000.0 or high > 1e8 or (not integral and low < 1e-4)


def _writer(integral: bool, sci: bool) -> Callable[[float], str]:
    digits = _options.precision
    if sci:
        return lambda v: f"{v:.{digits}e}"
    if integral:
        return lambda v: f"{v:.0f}." if math.isfinite(v) else str(v)
    return lambda v: f"{v:.{digits}f}"


def _complex_formatter(shown: np.ndarray) -> Format:
    real, imaginary = (_float_formatter(np.ascontiguousarray(part)) for part in (shown.real, shown.imag))

    def write(v: complex) -> str:
        imag = imaginary.write(v.imag).lstrip()
        sign = "" if imag[0] in "+-" else "+"
        return f"{real.write(v.real)}{sign}{imag}j"
    return Format(write, real.width + imaginary.width + 1)


# ---------------------------------------------------------------- layout

def _nested(a: np.ndarray, indent: int, summarize: bool, form: Format) -> str:
    if a.ndim == 0:
        return form.write(a.item())
    if a.ndim == 1:
        return _vector(a, indent, summarize, form)
    n = _options.edgeitems
    if summarize and len(a) > 2 * n:
        rows = [_nested(row, indent + 1, summarize, form) for row in a[:n]] + ["..."]
        rows += [_nested(row, indent + 1, summarize, form) for row in a[len(a) - n:]]
    else:
        rows = [_nested(row, indent + 1, summarize, form) for row in a]
    return "[" + ("," + "\n" * (a.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _vector(a: np.ndarray, indent: int, summarize: bool, form: Format) -> str:
    n, write = _options.edgeitems, form.write
    if summarize and len(a) > 2 * n:
        items = [write(v) for v in a[:n].tolist()] + [" ..."] + [write(v) for v in a[-n:].tolist()]
    else:
        items = [write(v) for v in a.tolist()]
    per_line = max(1, (_options.linewidth - indent) // (form.width + 2))
    lines = [", ".join(items[i:i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
