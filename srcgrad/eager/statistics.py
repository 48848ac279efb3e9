"""Differences, areas, covariances, counts: compositions of what there is."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.extrema import nonzero, take_chosen
from srcgrad.eager.extrema import result_of as _result
from srcgrad.eager.joining import cat, stack
from srcgrad.eager.table import FUNCTIONS, function, plain
from srcgrad.eager.tensor import Tensor, wrap

__all__ = ["cov", "diff", "mode"]


@function
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    """Differences of neighbours along a dimension, n times."""
    d = axis(dim, input._a.ndim)
    for _ in range(n):
        size = input._a.shape[d]
        input = input.narrow(d, 1, size - 1) - input.narrow(d, 0, size - 1)
    return input


def _areas(y: Tensor, x: Any, dx: Any, dim: int) -> Tensor:
    d = axis(dim, y._a.ndim)
    size = y._a.shape[d]
    middle = (y.narrow(d, 1, size - 1) + y.narrow(d, 0, size - 1)) / 2
    return middle * (diff(x, 1, -1 if x._a.ndim == 1 else d) if isinstance(x, Tensor) else dx)


@function
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The area under points joined by lines."""
    return _areas(y, x, dx, dim).sum(dim)


function(trapezoid, "trapz", methods=False)


@function
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The areas under points joined by lines, up to each."""
    return _areas(y, x, dx, dim).cumsum(dim)


@function
def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """Covariances of the rows."""
    x = input if input._a.ndim == 2 else input.reshape(1, -1)
    centred = x - x.mean(1, keepdim=True)
    found = centred @ centred.transpose(0, 1).conj() / max(0, x._a.shape[1] - correction)
    return found if input._a.ndim == 2 else found.squeeze()


@function
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows."""
    c = cov(input)
    if not c._a.ndim:
        return c / c
    spread = c.diagonal().sqrt()
    return c / spread.unsqueeze(1) / spread


@function
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along a dimension, the smallest of several, and the last place where it stands."""
    over = axis(dim, input._a.ndim)
    indices = np.apply_along_axis(_last_of_commonest, over, input._a)
    return _result("mode")(*take_chosen(input, "ModeBackward0", np.expand_dims(indices, over), over, keepdim))


def _last_of_commonest(row: np.ndarray) -> int:
    values, counts = np.unique(row, return_counts=True)
    return int(np.flatnonzero(row == values[np.argmax(counts)])[-1])


@function
def histc(input: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many elements lie in each of equally wide bins."""
    a = input._a
    low, high = (a.min(), a.max()) if min == max == 0 else (min, max)
    return wrap(np.histogram(a, bins, (low, high))[0].astype(a.dtype))


@plain
def isin(elements: Any, test_elements: Any) -> Tensor:
    """Which elements are among others."""
    return wrap(np.isin(getattr(elements, "_a", elements), getattr(test_elements, "_a", test_elements)))


@plain
def bucketize(input: Any, boundaries: Tensor, *, right: bool = False) -> Tensor:
    """In which bin each element lies."""
    return wrap(np.searchsorted(boundaries._a, getattr(input, "_a", input), "right" if right else "left"))


@function
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that aren't zero, one in a row."""
    found: Tensor = nonzero(input)
    return found


@plain
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element isn't zero."""
    return bool(input)


@plain
def cdist(x1: Tensor, x2: Tensor, p: Any = 2.0) -> Tensor:
    """The p-norms of all differences of rows."""
    found: Tensor = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)
    return found


@plain
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of a vector's elements as columns."""
    n = x.numel() if N is None else N
    return stack([x ** k for k in (range(n) if increasing else reversed(range(n)))], 1)


@plain
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one."""
    blocks = [t.reshape(1, -1) if t._a.ndim < 2 else t for t in tensors]
    width = sum(t._a.shape[1] for t in blocks)
    rows, before = [], 0
    for t in blocks:
        n, m = t._a.shape
        rows.append(cat([t.new_zeros(n, before), t, t.new_zeros(n, width - before - m)], 1))
        before += m
    return cat(rows, 0)


def _at_least(ndim: int, shape: Any) -> None:
    def raised(*tensors: Any) -> Any:
        found = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
        out = tuple(t if t._a.ndim >= ndim else t.reshape(shape(t._a.shape)) for t in found)
        return out[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else out
    raised.__name__ = f"atleast_{ndim}d"
    plain(raised)


_at_least(1, lambda s: (1,))
_at_least(2, lambda s: (1, *s) if s else (1, 1))
_at_least(3, lambda s: {0: (1, 1, 1), 1: (1, *s, 1), 2: (*s, 1)}[len(s)])


@plain
def dstack(tensors: Any) -> Tensor:
    """Joined along the third dimension."""
    return cat(list(FUNCTIONS["atleast_3d"](list(tensors))), 2)
