"""What writes in place need: the adjoint of what is written, and the cells that functions of NumPy mean."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.errors import AliasError

Shape = tuple[int, ...]


def last_written(bar: np.ndarray, index: Any) -> Any:
    """The adjoint of `v` in `a[index] = v`: a copy of bar[index] in which only the last writer of a cell counts.

    >>> last_written(np.array([1.0, 2.0]), ([0, 0, 1],))
    array([0., 1., 2.])
    """
    taken = np.array(bar[index])
    if taken.ndim == 0 or not _may_repeat(index):
        return taken
    order = np.full(bar.shape, -1)
    writers = np.arange(taken.size).reshape(taken.shape)
    order[index] = writers
    return np.where(order[index] == writers, taken, np.zeros((), taken.dtype))


def _may_repeat(index: Any) -> bool:
    entries = index if isinstance(index, tuple) else (index,)
    return any(isinstance(e, (list, np.ndarray)) and np.asarray(e).dtype.kind in "iu" for e in entries)



# ---------------------------------------------------------------- which cells are meant

def flat_cells(shape: Shape, numbers: Any, mode: str = "raise") -> tuple[Any, ...]:
    """The index of the cells with these numbers, counted row by row; negative ones count from the end.

    >>> flat_cells((2, 3), [4, -1])
    (array([1, 1]), array([1, 2]))
    """
    size = math.prod(shape)
    numbers = np.ravel(numbers)
    if mode == "clip":
        numbers = np.clip(numbers, 0, size - 1)
    elif mode == "wrap":
        numbers = numbers % size
    elif numbers.size and (numbers.min() < -size or numbers.max() >= size):
        raise IndexError(f"an index is out of bounds for an array of {size} elements")
    return np.unravel_index(np.where(numbers < 0, numbers + size, numbers).astype(np.intp), shape)


def cycle(size: int, count: int) -> np.ndarray:
    """The numbers 0, 1 ... size - 1, again and again, `count` in all.

    >>> cycle(2, 5)
    array([0, 1, 0, 1, 0])
    """
    return np.arange(count if size else 0) % max(size, 1)


def cycle_apart(array: np.ndarray, values: Any, count: int) -> np.ndarray:
    """cycle(np.size(values), count), for values that NumPy reads while it writes them into `array`.

    >>> a = np.arange(4.0)
    >>> cycle_apart(a, a[::-1], 4)
    Traceback (most recent call last):
    srcgrad.errors.AliasError: the values that are written lie in the array itself, and change while they are read
      Pass a copy of them.
    """
    size = np.size(values)
    if size > 1 and isinstance(values, np.ndarray) and np.shares_memory(array, values):
        raise AliasError("the values that are written lie in the array itself, and change while they are read",
                         remedy="Pass a copy of them.")
    return cycle(size, count)


def diagonal_cells(shape: Shape, wrap: bool = False) -> tuple[Any, ...]:
    """The index of the cells that np.fill_diagonal fills.

    >>> diagonal_cells((3, 2))
    (array([0, 1]), array([0, 1]))
    """
    if len(shape) < 2:
        raise ValueError("array must be at least 2-d")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    if len(shape) > 2 or not wrap:
        return tuple(np.arange(min(shape)) for _ in shape)
    return np.unravel_index(np.arange(0, shape[0] * shape[1], shape[1] + 1), shape)


def along_axis(shape: Shape, indices: Any, axis: int | None) -> tuple[Any, ...]:
    """The index by which np.take_along_axis reads an array of `shape`, and np.put_along_axis writes it.

    >>> np.arange(6).reshape(2, 3)[along_axis((2, 3), np.array([[2], [0]]), 1)]
    array([[2],
           [3]])
    """
    if axis is None:
        return flat_cells(shape, indices)
    index: list[Any] = list(np.indices(shape, sparse=True))
    index[axis] = indices
    return tuple(index)


def cells_of(shape: Shape, index: Any) -> np.ndarray:
    """The numbers of the cells that an index means, in the order in which they are met.

    >>> cells_of((2, 3), (slice(None), 1))
    array([1, 4])
    """
    return np.ravel(np.arange(math.prod(shape)).reshape(shape)[index])


def partition_order(a: np.ndarray, kth: Any, axis: int | None = -1) -> np.ndarray:
    """The order in which np.partition leaves the elements, as np.take_along_axis takes it.

    >>> a = np.array([3.0, 1.0, 2.0, 0.0])
    >>> bool(np.all(a[partition_order(a, 1)] == np.partition(a, 1)))
    True
    """
    ranks = np.argsort(np.argsort(np.partition(a, kth, axis), axis=axis), axis=axis)
    return np.take_along_axis(np.argsort(a, axis=axis), ranks, axis)


def running_order(a: np.ndarray, axis: int = 0, smallest: bool = False) -> np.ndarray:
    """Where along the axis the largest element so far stands (or the smallest), as np.take_along_axis takes it.

    >>> running_order(np.array([1.0, 3.0, 2.0, 5.0]))
    array([0, 1, 1, 3])
    """
    best = (np.minimum if smallest else np.maximum).accumulate(a, axis)
    numbers = np.arange(a.shape[axis]).reshape([-1 if i == axis % a.ndim else 1 for i in range(a.ndim)])
    return np.maximum.accumulate(np.where(a == best, numbers, 0), axis)


def reduceat_cells(count: int, indices: Any) -> tuple[np.ndarray, np.ndarray]:
    """The number of a segment of np.add.reduceat, and of an element in it, for all of them.

    >>> reduceat_cells(4, [0, 2, 1])
    (array([0, 0, 1, 2, 2, 2]), array([0, 1, 2, 1, 2, 3]))
    """
    ends = [*indices[1:], count]
    rows = [np.arange(i, max(i + 1, j)) for i, j in zip(indices, ends, strict=True)]
    segments = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    return segments, np.concatenate([np.zeros(0, np.intp), *rows])


# ---------------------------------------------------------------- views

def reshaped(a: np.ndarray, shape: Any) -> np.ndarray:
    """A view of `a` in another shape, as `a.shape = shape` makes it; raises where that would need a copy.

    >>> reshaped(np.arange(4), (2, -1))
    array([[0, 1],
           [2, 3]])
    """
    view = a.view()
    view.shape = shape
    return view


def windows_adjoint(g: np.ndarray, shape: Shape, window_shape: Any, axis: Any = None) -> np.ndarray:
    """The adjoint of an array of `shape` in sliding_window_view(x, window_shape, axis).

    >>> windows_adjoint(np.ones((3, 2)), (4,), 2)
    array([1., 2., 2., 1.])
    """
    cells = np.arange(math.prod(shape)).reshape(shape)
    where = np.lib.stride_tricks.sliding_window_view(cells, window_shape, axis)
    bar = np.zeros(math.prod(shape), g.dtype)
    np.add.at(bar, where, g)
    return bar.reshape(shape)
