"""Putting elements into places of a copy: scatter, index_add, index_put and their kin."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.indexing import check_index, getitem, plain_index
from srcgrad.eager.op import Op, operation, record
from srcgrad.eager.protocols import helper
from srcgrad.eager.selecting import along, in_bounds, larger_elsewhere
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor

__all__ = ["index_put_op", "placed"]


def _placing(name: str, adds: bool) -> Op:
    """The operation that puts a source into places of a copy; `adds`: onto what is there."""
    @operation(name)
    def put(out_bar: Any, out: Any, a: Any, where: Any, source: Any) -> Any:
        a_bar = without(out_bar, where)
        source_bar = out_bar[where]
        return a_bar, source_bar

    @operation(name)
    def accumulate(out_bar: Any, out: Any, a: Any, where: Any, source: Any) -> Any:
        a_bar = out_bar
        source_bar = out_bar[where]
        return a_bar, source_bar
    return accumulate if adds else put


def without(g: Any, where: Any) -> Any:
    """A copy with zeros at some places."""
    bar = g.copy()
    bar[where] = 0
    return bar


@operation("IndexPutBackward0", without)
def _without(out_bar: Any, out: Any, g: Any, where: Any) -> Any:
    g_bar = without(out_bar, where)
    return g_bar


helper(without, _without)

_scatter, _scatter_add = _placing("ScatterBackward0", False), _placing("ScatterAddBackward0", True)
index_put_op, _index_put_add = _placing("IndexPutBackward0", False), _placing("IndexPutBackward0", True)
_index_add, _index_copy = _placing("IndexAddBackward0", True), _placing("IndexCopyBackward0", False)


def placed(op: Op, input: Tensor, where: tuple[Any, ...], source: Any, adds: bool) -> Tensor:
    """A copy of `input` with `source` at the places `where`."""
    out = input._a.copy()
    value = getattr(source, "_a", source)
    if adds:
        np.add.at(out, where, value)
    else:
        out[where] = value
    if isinstance(source, Tensor) and source._a.shape != out[where].shape:
        source = source.expand(out[where].shape)
    return record(op, out, (input, where, source))


def _source(index: np.ndarray, src: Any) -> Any:
    """The part of a source that an index takes."""
    if isinstance(src, Tensor) and src._a.shape != index.shape and src._a.ndim == index.ndim:
        return getitem(src, tuple(slice(n) for n in index.shape))
    return src


def _places(name: str, input: Tensor, d: int, index: Tensor, src: Any) -> tuple[np.ndarray, ...]:
    """The full index of a scatter, checked."""
    if index._a.dtype != np.int64:
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")
    if index._a.ndim != input._a.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if isinstance(src, Tensor) and src._a.ndim:
        if src._a.dtype != input._a.dtype:
            raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
        if src._a.ndim != index._a.ndim:
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if any(n > m for n, m in zip(index._a.shape, src._a.shape)):
            raise RuntimeError(f"Expected index {list(index._a.shape)} to be no larger than self "
                               f"{list(input._a.shape)} apart from dimension {d} and to be no larger size than src "
                               f"{list(src._a.shape)}")
    larger_elsewhere(index._a, input._a, d)
    in_bounds(index._a, input._a.shape, d, RuntimeError)
    return along(index._a, input._a.shape, d)


def _slices(name: str, input: Tensor, d: int, index: Tensor, source: Any, text: str = "") -> tuple[Any, ...]:
    """The index of slices along a dimension, checked."""
    if index._a.ndim > 1:
        raise IndexError(f"{name}_(): Index is supposed to be a vector")
    if isinstance(source, Tensor) and source._a.ndim and index._a.size != source._a.shape[d]:
        raise (RuntimeError if name == "index_add" else IndexError)(
            f"{name}_(): Number of indices ({index._a.size}) should be equal to source.size(dim): "
            f"({source._a.shape[d]}), for dim: {d}")
    if isinstance(source, Tensor) and source._a.ndim and any(
            n != m for k, (n, m) in enumerate(zip(source._a.shape, input._a.shape)) if k != d):
        raise RuntimeError(f"{name}_(): self and source expected to have the same shape apart from dimension {d}, but "
                           f"got {list(input._a.shape)} and {list(source._a.shape)}")
    in_bounds(index._a, input._a.shape, d, IndexError, text)
    return (*(slice(None),) * d, np.atleast_1d(index._a).copy())


@function
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
            reduce: str | None = None) -> Tensor:
    """A copy with the source's elements at the places that `index` names along a dimension."""
    d = axis(dim, input._a.ndim)
    src = value if src is None else src
    return placed(_scatter_add if reduce == "add" else _scatter, input, _places("scatter", input, d, index, src),
                  _source(index._a, src), reduce == "add")


@function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with the source added at the places that `index` names along a dimension."""
    d = axis(dim, input._a.ndim)
    return placed(_scatter_add, input, _places("scatter", input, d, index, src), _source(index._a, src), True)


@function
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """A copy with slices of the source added."""
    d = axis(dim, input._a.ndim)
    where = _slices("index_add", input, d, index, source, "index out of range in self")
    return placed(_index_add, input, where, source * alpha, True)


@function
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with slices of the source in place of its own."""
    d = axis(dim, input._a.ndim)
    return placed(_index_copy, input, _slices("index_copy", input, d, index, source), source, False)


@function
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy with slices filled."""
    d = axis(dim, input._a.ndim)
    return placed(index_put_op, input, _slices("index_fill", input, d, index, None), value, False)


@function
def index_put(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """A copy with values at indices."""
    where, _ = plain_index(input, tuple(indices))
    check_index(input._a, where, True)
    return placed(_index_put_add if accumulate else index_put_op, input, where, values, accumulate)
