"""Taking elements: by index, by tensors of indices, by masks; taking tensors apart."""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.op import Op, operation, record, record_many
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor, method
from srcgrad.eager.views import link, view_of
from srcgrad.runtime.layout import getitem_adjoint

_GETITEM = {name: Op(f"{name}Backward0", operator.getitem) for name in ("Select", "Slice", "Unsqueeze", "Alias",
                                                                        "Index")}


# ---------------------------------------------------------------- indices

def plain_index(t: Tensor, index: Any) -> tuple[tuple[Any, ...], bool]:
    """The index for NumPy, as a tuple, and whether it takes elements by arrays."""
    entries = index if isinstance(index, tuple) else (index,)
    found = tuple(_entry(e) for e in entries)
    return found, any(isinstance(e, np.ndarray) for e in found)


def _entry(e: Any) -> Any:
    if isinstance(e, bool):
        return np.asarray(e)
    if isinstance(e, int) or e is None or e is Ellipsis:
        return e
    if isinstance(e, slice):
        return _slice(e)
    if isinstance(e, Tensor):
        whole = not e._a.ndim and e._a.dtype.kind in "iu" and e._a.dtype != np.uint8
        return e._a.item() if whole else _array_entry(e._a)
    if isinstance(e, (list, tuple, range)):
        return _array_entry(np.asarray([x._a if isinstance(x, Tensor) else x for x in e] or np.zeros(0, np.int64)))
    if isinstance(e, np.ndarray):
        return _array_entry(e)
    if hasattr(e, "__index__"):
        return operator.index(e)
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                     f"(got {type(e).__name__})")


def _array_entry(a: np.ndarray) -> Any:
    if a.dtype.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if a.dtype == np.uint8:
        return a.astype(bool)
    return a.copy()


def _slice(e: slice) -> slice:
    if e.step is not None and not operator.index(e.step):
        raise ValueError("slice step cannot be zero")
    if e.step is not None and operator.index(e.step) < 0:
        raise ValueError("step must be greater than zero")
    return slice(*(None if p is None else operator.index(p) for p in (e.start, e.stop, e.step)))


def check_index(a: np.ndarray, index: tuple[Any, ...], arrays: bool) -> None:
    """Raises what torch says of an index that doesn't fit."""
    taken = sum(_dims(e) for e in index if e is not None and e is not Ellipsis)
    if taken > a.ndim:
        if not a.ndim and not arrays:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                             "C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {a.ndim}")
    place = 0
    for k, e in enumerate(index):
        if e is Ellipsis:
            place = a.ndim - sum(_dims(x) for x in index[k + 1:] if x is not None)
        elif e is not None:
            _entry_fits(a, e, place)
            place += _dims(e)


def _entry_fits(a: np.ndarray, e: Any, place: int) -> None:
    if isinstance(e, int):
        n = a.shape[place]
        if not -n <= e < n:
            raise IndexError(f"index {e} is out of bounds for dimension {place} with size {n}")
    elif isinstance(e, np.ndarray) and e.dtype == bool:
        if e.shape != a.shape[place:place + e.ndim]:
            raise IndexError(f"The shape of the mask {list(e.shape)} at index 0 does not match the shape of the "
                             f"indexed tensor {list(a.shape)} at index {place}")
    elif isinstance(e, np.ndarray) and e.size and not (-a.shape[place] <= e.min() and e.max() < a.shape[place]):
        wrong = int(e.min() if e.min() < -a.shape[place] else e.max())
        raise IndexError(f"index {wrong} is out of bounds for dimension {place} with size {a.shape[place]}")


def in_two_steps(a: np.ndarray, index: tuple[Any, ...]) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]]:
    """Numbers and slices, if there are any, apart from the arrays: they are taken first.

    NumPy counts a number among the arrays, which changes where the dimensions of the arrays go.
    """
    whole = slice(None)
    taken = sum(_dims(e) for e in index if e is not None and e is not Ellipsis)
    first: list[Any] = []
    second: list[Any] = []
    for e in index:
        if e is Ellipsis:
            first += [whole] * (a.ndim - taken)
            second += [whole] * (a.ndim - taken)
        elif isinstance(e, np.ndarray):
            first += [whole] * _dims(e)
            second.append(e)
        else:
            first.append(e)
            second += [] if isinstance(e, int) else [whole]
    return (None if all(isinstance(e, slice) and e == whole for e in first) else tuple(first)), tuple(second)


def _dims(e: Any) -> int:
    """How many dimensions an entry takes."""
    return e.ndim if isinstance(e, np.ndarray) and e.dtype == bool else 1


def _name(index: tuple[Any, ...], arrays: bool) -> str:
    """The name of the last of the operations that torch makes of an index."""
    if arrays:
        return "Index"
    name = "Alias"
    for e in index:
        if isinstance(e, int):
            name = "Select"
        elif e is None:
            name = "Unsqueeze"
        elif isinstance(e, slice) and (e != slice(None) or name == "Alias"):
            name = "Slice"
    return name


@method("__getitem__")
def getitem(self: Tensor, index: Any) -> Tensor:
    """Elements by index; a view, unless arrays of indices or masks are in it."""
    a = self._a
    if index.__class__ is int:
        arrays = False
        entries: tuple[Any, ...] = (index,)
        if not (a.ndim and -a.shape[0] <= index < a.shape[0]):
            check_index(a, entries, False)
        op = _GETITEM["Select"]
    else:
        found, arrays = plain_index(self, index)
        entries = found
        check_index(a, entries, arrays)
        op = _GETITEM[_name(entries, arrays)]
    if arrays:
        first, entries = in_two_steps(a, entries)
        if first is not None:
            return getitem(getitem(self, first), entries)
        try:
            return record(op, a[entries], (self, entries))
        except IndexError:
            raise IndexError("shape mismatch: indexing tensors could not be broadcast together") from None
    whole: tuple[Any, ...] = entries if any(e is Ellipsis for e in entries) else (*entries, Ellipsis)
    return view_of(op, a[whole], (self, entries), getitem, entries)


@method("__iter__")
def iterate(self: Tensor) -> Iterator[Tensor]:
    """The rows."""
    if not self._a.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self))


@method("__contains__")
def contains(self: Tensor, x: Any) -> bool:
    """Whether an element equals `x`."""
    return bool(np.any(self._a == getattr(x, "_a", x)))


# ---------------------------------------------------------------- in parts

@operation("UnbindBackward0")
def _unbind(out_bar: Any, out: Any, a: Any, axis: Any) -> Any:
    a_bar = stack_known(out_bar, np.shape(a), axis)
    return a_bar


def stack_known(bars: Any, shape: tuple[int, ...], axis: int) -> Any:
    """The adjoint of what was taken apart along `axis`; None is zero."""
    known = next(b for b in bars if b is not None)
    return np.stack([np.zeros_like(known) if b is None else b for b in bars], axis)


@operation("SplitBackward0")
def _split(out_bar: Any, out: Any, a: Any, sizes: Any, axis: Any) -> Any:
    a_bar = join_known(out_bar, np.shape(a), sizes, axis)
    return a_bar


def join_known(bars: Any, shape: tuple[int, ...], sizes: Any, axis: int) -> Any:
    """The adjoint of what was split into parts of these sizes along `axis`; None is zero."""
    known = next(b for b in bars if b is not None)
    other = [(*shape[:axis], n, *shape[axis + 1:]) for n in sizes]
    return np.concatenate([np.broadcast_to(np.zeros_like(known[(0,) * len(shape)] if known.size else known), s)
                           if b is None else b for b, s in zip(bars, other)], axis)


def _apart(op: Op, input: Tensor, parts: list[Any], args: tuple[Any, ...], steps: list[Any]) -> tuple[Tensor, ...]:
    found = record_many(op, parts, args)
    for t, step in zip(found, steps):
        link(t, input, getitem, (step,))
        t._one_of_many = True
    return found


@function
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension."""
    a = input._a
    d = axis(dim, a.ndim)
    steps: list[Any] = [(*(slice(None),) * d, i) for i in range(a.shape[d])]
    return _apart(_unbind, input, [a[s + (Ellipsis,)] for s in steps], (input, d), steps)


@function
def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of one size, or of these sizes, along a dimension."""
    a = input._a
    d = axis(dim, a.ndim)
    n = a.shape[d]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        sizes = tuple(min(size, n - i) for i in range(0, max(n, 1), size))
    else:
        sizes = tuple(split_size_or_sections)
        if sum(sizes) != n:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
                               f"dimension {dim}), but got split_sizes={list(sizes)}")
    ends = np.cumsum(sizes).tolist()
    steps = [(*(slice(None),) * d, slice(end - size, end)) for end, size in zip(ends, sizes)]
    return _apart(_split, input, [a[s] for s in steps], (input, sizes, d), steps)


@function
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most that many parts of one size."""
    n = input._a.shape[axis(dim, input._a.ndim)]
    return split(input, max(1, -(-n // chunks)), dim)


@function
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """That many parts, or parts between these places."""
    n = input._a.shape[axis(dim, input._a.ndim)]
    if isinstance(indices_or_sections, int):
        k = indices_or_sections
        return split(input, [n // k + (i < n % k) for i in range(k)], dim)
    places = [0, *indices_or_sections, n]
    return split(input, [b - a for a, b in zip(places, places[1:])], dim)


@function
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A stretch of a dimension, as a view."""
    d = axis(dim, input._a.ndim)
    return getitem(input, (*(slice(None),) * d, slice(int(start), int(start) + length)))


@function
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One slice of a dimension, as a view."""
    d = axis(dim, input._a.ndim)
    return getitem(input, (*(slice(None),) * d, index))


@method()
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All stretches of a dimension, in a new last dimension."""
    d = axis(dimension, self._a.ndim)
    starts = np.arange(0, self._a.shape[d] - size + 1, step)
    where = starts[:, None] + np.arange(size)
    moved = self.movedim(d, -1)
    return getitem(moved, (Ellipsis, where)).movedim(-2, d)


# ---------------------------------------------------------------- by tensors

_take, _index_select = Op("TakeBackward0", np.take), Op("IndexSelectBackward0", np.take)


@operation("GatherBackward0")
def _gather(out_bar: Any, out: Any, a: Any, index: Any, axis: Any) -> Any:
    a_bar = getitem_adjoint(out_bar, np.shape(a), index)
    return a_bar


def along(index: np.ndarray, shape: tuple[int, ...], d: int) -> tuple[np.ndarray, ...]:
    """The full index of elements that `index` names along a dimension."""
    places: list[Any] = list(np.indices(index.shape, sparse=True))
    places[d] = index
    return tuple(np.broadcast_to(p, index.shape) for p in places)


@function
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Elements that `index` names along a dimension."""
    d = axis(dim, input._a.ndim)
    if index._a.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if index._a.ndim != input._a.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    where = along(index._a, input._a.shape, d)
    try:
        out = input._a[where]
    except IndexError:
        raise RuntimeError(f"index {int(index._a.max())} is out of bounds for dimension {d} with size "
                           f"{input._a.shape[d]}") from None
    return record(_gather, out, (input, where, d))


@function
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Elements that `indices` names along a dimension, or of all."""
    return take(input, indices) if dim is None else gather(input, dim, indices)


@function
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices that `index` names."""
    d = axis(dim, input._a.ndim)
    return record(_index_select, np.take(input._a, index._a, d), (input, index._a.copy(), d))


@function
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements of the flattened tensor."""
    return record(_take, np.take(input._a, index._a), (input, index._a.copy(), None))


@function
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds."""
    x = input
    shape = np.broadcast_shapes(x._a.shape, mask._a.shape)
    x = x if x._a.shape == shape else x.expand(shape)
    where = (np.broadcast_to(mask._a, shape).copy(),)
    return record(_masked_select, x._a[where], (x, where))


_masked_select = Op("MaskedSelectBackward0", operator.getitem)


@operation("MaskedFillBackward0", elementwise=True)
def _masked_fill(out_bar: Any, out: Any, a: Any, mask: Any, value: Any) -> Any:
    a_bar = np.where(mask, 0.0, out_bar)
    value_bar = np.where(mask, out_bar, 0.0)
    return a_bar, value_bar


@function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """With `value` where the mask holds."""
    if mask._a.dtype != bool:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    filled = np.where(mask._a, np.asarray(getattr(value, "_a", value)).astype(input._a.dtype), input._a)
    return record(_masked_fill, filled, (input, mask, value))


TORCH[np.take] = lambda a, indices, axis=None: (
    take(a, indices) if axis is None else index_select(a, axis, indices)) if isinstance(indices, Tensor) else record(
        _take, np.take(a._a, indices, axis), (a, indices, axis))

__all__ = ["along", "check_index", "getitem", "plain_index", "unbind"]
