"""Taking elements: by index, by tensors of indices, by masks; taking tensors apart."""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.op import Op, operation, record, record_many
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor, method
from srcgrad.eager.views import link, view_of

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
        if size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        if size == 0 and n:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
        sizes = tuple(min(size, n - i) for i in range(0, max(n, 1), max(size, 1)))
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
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
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
    if not input._a.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    d = axis(dim, input._a.ndim)
    n, first = input._a.shape[d], int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -n <= first <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {first})")
    first = first + n if first < 0 else first
    if first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return getitem(input, (*(slice(None),) * d, slice(first, first + length)))


@function
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One slice of a dimension, as a view."""
    d = axis(dim, input._a.ndim)
    return getitem(input, (*(slice(None),) * d, index))


@method()
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All stretches of a dimension, in a new last dimension."""
    d = axis(dimension, self._a.ndim)
    n = self._a.shape[d] if self._a.ndim else 1
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    starts = np.arange(0, self._a.shape[d] - size + 1, step)
    where = starts[:, None] + np.arange(size)
    moved = self.movedim(d, -1)
    return getitem(moved, (Ellipsis, where)).movedim(-2, d)

__all__ = ["check_index", "getitem", "plain_index", "unbind"]
