"""The shadow: adjoints of storages whose aliases aren't known before the program runs.

Each storage (an array's memory, a list, a dict, an object) has one adjoint, born at zero when it
is first asked for.  The adjoint of an array is a view into the adjoint of its memory, laid out alike:
two arrays overlap in a cell exactly if their adjoints do.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.runtime.memory import address, bounds, cells_are_distinct, mirror, root
from srcgrad.runtime.structure import add, add_at, fields, part_of

__all__ = ["Shadow"]


class _Memory(NamedTuple):
    """`owner` is held so that its id stays its own."""
    owner: np.ndarray
    low: int
    high: int
    buffer: np.ndarray
    whole: np.ndarray | None


class Shadow:
    """The adjoints of all storages of one backward pass.

    `shadow(a)` is the adjoint of `a`: for an array of floating or complex numbers a writable view that mirrors it; for
    a list a list, for a dict a dict, for an object a dict by field, with 0.0 for a number and None (zero) for
    anything else.  Integers have no adjoint: an integer array gives zeros that nobody keeps.

    >>> shadow, a = Shadow(), np.zeros(4)
    >>> shadow(a)[1] = 5.0
    >>> shadow(a[::-1])
    array([0., 0., 5., 0.])
    """
    __slots__ = ("_memory", "_containers", "_foreign")

    def __init__(self) -> None:
        self._memory: dict[int, _Memory] = {}
        self._containers: dict[int, tuple[Any, Any]] = {}
        self._foreign: list[_Memory] = []

    def __call__(self, a: Any) -> Any:
        known = self._memory.get(id(a))
        if known is not None and known.whole is not None:
            return known.whole
        if isinstance(a, np.ndarray):
            return self._view(a)
        return self._container(a)

    def add(self, a: np.ndarray, g: Any) -> None:
        """Add `g` to the adjoint of `a`, right also where cells of `a` overlap one another (a broadcast view).

        >>> shadow, a = Shadow(), np.zeros(2)
        >>> shadow.add(np.broadcast_to(a, (3, 2)), np.ones((3, 2)))
        >>> shadow(a)
        array([3., 3.])
        """
        bar = self(a)
        if cells_are_distinct(bar):
            bar += g
            return
        _, flat, where = _places(bar)
        np.add.at(flat, where, g)

    def accumulate(self, a: Any, bar: Any, g: Any) -> Any:
        """Add `g` to the adjoint of `a`, which may be an array, a container or a number: a number's is `bar`, also in
        a tuple, any other's is kept here, and the new `bar` is returned.  A `g` of None is zero.

        >>> shadow, a = Shadow(), np.zeros(2)
        >>> shadow.accumulate(3.0, 0.5, 2.0), shadow.accumulate(a, 0.0, np.ones(2))
        (2.5, 0.0)
        >>> shadow(a)
        array([1., 1.])
        >>> shadow.accumulate((3.0, a), None, [2.0, np.ones(2)])
        [2.0, None]
        """
        if g is None or isinstance(g, float) and g == 0.0:      # of a container, too
            return bar
        if isinstance(a, np.ndarray):
            self.add(a, g)
            return bar
        if isinstance(a, tuple):
            rest = self._numbers(a, g)
            return bar if rest is None else rest if bar is None or isinstance(bar, float) else add(bar, rest)
        if _items(a) is not None:
            self.add_each(a, g)
            return bar
        return bar + g

    def _numbers(self, a: tuple[Any, ...], g: Any) -> list[Any] | None:
        """What of `g` isn't kept here when it is added to the adjoints of what a tuple holds: that of its numbers."""
        rest = [self.accumulate(item, None, part) if isinstance(item, tuple) or not _is_number(item) else part
                for item, part in ((item, part_of(g, k)) for k, item in enumerate(a))]
        return None if all(part is None for part in rest) else rest

    def add_part(self, part: Any, bars: Any, key: Any, g: Any) -> None:
        """Add `g` to the adjoint of `part`, which is what a container holds at `key`: a number's is `bars[key]`, where
        `bars` is the adjoint of the container, any other's is kept here."""
        g = g if _is_number(part) else self.accumulate(part, None, g)
        if g is not None:
            add_at(bars, key, g)

    def total(self, x: Any, bar: Any) -> Any:
        """The adjoint of any value: what is kept here of its arrays and containers, and `bar`.

        >>> shadow, a = Shadow(), np.zeros(2)
        >>> shadow(a)[0] = 1.0
        >>> shadow.total((a, 3.0), [None, 2.0])
        [array([1., 0.]), 2.0]
        """
        return self._total(x, bar, ())

    def _total(self, x: Any, bar: Any, path: tuple[int, ...]) -> Any:
        if isinstance(x, np.ndarray):
            return add(self(x), bar) if x.dtype.kind in "fc" else bar
        if isinstance(x, tuple):
            return [self._total(item, part_of(bar, k), path) for k, item in enumerate(x)]
        held = self._containers.get(id(x))
        if held is not None:
            bar = add(self(x), bar)
        if id(x) in path:
            return bar
        path = (*path, id(x))
        if isinstance(x, list):
            return [self._total(item, part_of(bar, k), path) for k, item in enumerate(x)]
        items = x if isinstance(x, dict) else fields(x)
        if items is None:
            return bar
        return {key: self._total(item, part_of(bar, key), path) for key, item in items.items()}

    def take(self, a: Any, bar: Any, owner: Any = None) -> Any:
        """The adjoint of `a` at the point of its birth, which ends it; `bar` is a number's.  None where `a` is a view
        of `owner`, so that its adjoint is a part of another one.

        >>> shadow, a = Shadow(), np.zeros(2)
        >>> shadow.take(a[0], 1.5), shadow.take(a[:1], 0.0, a), shadow.take(a, 0.0)
        (1.5, None, array([0., 0.]))
        """
        if not isinstance(a, np.ndarray):
            return bar
        if isinstance(owner, np.ndarray) and np.may_share_memory(a, owner):
            return None
        return self.pop(a)

    def add_each(self, container: Any, g: Any) -> None:
        """Add the adjoints `g` of all that a list, a dict or an object holds: arrays' to their memories, numbers' to
        slots.  None is zero.

        >>> shadow, a = Shadow(), np.zeros(2)
        >>> shadow.add_each([a, 2.0], [np.ones(2), 3.0])
        >>> shadow(a)
        array([1., 1.])
        """
        if isinstance(container, np.ndarray):
            self.accumulate(container, None, g)
            return
        items = _items(container)
        if items is None:
            raise _no_storage(container)
        for key, item in items:
            part = part_of(g, key)
            if not _is_number(item):
                part = self.accumulate(item, None, part)
            if part is not None:
                add_at(self(container), key, part)

    def pop(self, a: Any) -> Any:
        """The adjoint of a storage at the point of its birth, which ends it: asked for again, it is zero.

        Of cells that overlap, one has the whole adjoint.

        >>> shadow, a = Shadow(), np.broadcast_to(2.0, 3)
        >>> shadow.add(a, np.ones(3))
        >>> shadow.pop(a)
        array([3., 0., 0.])
        """
        bar = self(a)
        if isinstance(a, np.ndarray):
            if not cells_are_distinct(bar):
                bar = _each_cell_once(bar)
            owner = root(a)
            # an empty array may be a view of one that lives on: overlap doesn't tell
            if owner.base is None and a.size:
                self._memory.pop(id(owner), None)
        else:
            self._containers.pop(id(a), None)
        return bar

    def _view(self, a: np.ndarray) -> np.ndarray:
        dtype = a.dtype
        if dtype.kind not in "fc":
            return _without_adjoint(a)
        owner = a.base
        memory = self._memory.get(id(owner))
        if memory is None:
            owner = root(a)
            memory = self._memory.get(id(owner)) or self._born(owner)
        if a.size == 0:
            return np.zeros(a.shape, dtype)
        return np.ndarray(a.shape, dtype, memory.buffer, address(a) - memory.low, a.strides)

    def _born(self, owner: np.ndarray) -> _Memory:
        if owner.base is not None:
            return self._foreign_memory(owner)
        low, high = bounds(owner)
        memory = self._memory[id(owner)] = _new_memory(owner, low, high)
        return memory

    def _foreign_memory(self, owner: np.ndarray) -> _Memory:
        """Memory that no array owns (`np.frombuffer`, say) may lie under several arrays that know of no other."""
        low, high = bounds(owner)
        for m in self._foreign:
            if m.low <= low and high <= m.high:
                return m
            if low < m.high and m.low < high:
                raise UnsupportedError("two arrays overlap in memory that no array owns",
                                       remedy="Copy one of them first, or make both from one array.")
        memory = self._memory[id(owner)] = _new_memory(owner, low, high)
        self._foreign.append(memory)
        return memory

    def _container(self, x: Any) -> Any:
        held = self._containers.get(id(x))
        if held is None:
            bar: Any = [] if isinstance(x, list) else {}
            held = self._containers[id(x)] = (x, bar)
        bar = held[1]
        if isinstance(x, list):
            if len(bar) < len(x):
                bar.extend(map(_zero, x[len(bar):]))
            return bar
        items = x if isinstance(x, dict) else fields(x)
        if items is None:
            del self._containers[id(x)]
            raise _no_storage(x)
        if len(bar) < len(items):
            for key in items.keys() - bar.keys():
                bar[key] = _zero(items[key])
        return bar


def _items(x: Any) -> list[tuple[Any, Any]] | None:
    """What a list, a tuple, a dict or an object holds, with the index, key or field of each; None of what is none."""
    if isinstance(x, (list, tuple)):
        return list(enumerate(x))
    held = x if isinstance(x, dict) else fields(x)
    return None if held is None else list(held.items())


def _no_storage(x: Any) -> UnsupportedError:
    return UnsupportedError(f"a {type(x).__name__} is met where a list, a dict or an object is differentiated",
                            remedy="Give what may be one or the other a name of its own in each case.")


def _new_memory(owner: np.ndarray, low: int, high: int) -> _Memory:
    buffer = np.zeros(high - low, np.uint8)
    whole = mirror(owner, buffer, low, owner.dtype) if owner.dtype.kind in "fc" and owner.size else None
    return _Memory(owner, low, high, buffer, whole)


def _without_adjoint(a: np.ndarray) -> np.ndarray:
    if a.dtype.hasobject or a.dtype.kind not in "biu":
        raise UnsupportedError(f"an array of dtype {a.dtype} has no derivative",
                               remedy="Use arrays of floating or complex numbers.")
    return np.zeros(a.shape)


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float, complex, np.number))


def _zero(x: Any) -> float | None:
    return 0.0 if isinstance(x, (int, float, complex, np.number)) and not isinstance(x, bool) else None


def _each_cell_once(bar: np.ndarray) -> np.ndarray:
    start, flat, where = _places(bar)
    cells, first = np.unique(where, return_index=True)
    out = np.zeros(bar.size, bar.dtype)
    out[first] = flat[cells]
    return out.reshape(bar.shape)


def _places(bar: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """As `_span`, and the place of each element in the vector."""
    start, flat = _span(bar)
    numbers = np.arange(flat.size, dtype=np.intp)
    where = np.lib.stride_tricks.as_strided(
        numbers[start:], bar.shape, tuple(s // bar.itemsize * numbers.itemsize for s in bar.strides))
    return start, flat, where


def _span(a: np.ndarray) -> tuple[int, np.ndarray]:
    """The cells from the lowest to the highest of `a` as one vector, and the place of its first element in it."""
    low, high = bounds(a)
    start = (address(a) - low) // a.itemsize
    owner = root(a)
    flat: np.ndarray = np.ndarray(((high - low) // a.itemsize,), a.dtype, owner, low - bounds(owner)[0])
    return start, flat
