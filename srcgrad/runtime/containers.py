"""What the reverse of changes to lists, dicts and objects needs: the inverse of each change, for a container and for
its adjoint alike."""
from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from srcgrad.runtime.structure import add

__all__ = ["ABSENT", "add_repeats", "cut", "has_field", "has_fields", "held", "insert_back", "made_by", "permute",
           "permute_back", "put_back", "put_field_back", "reopen", "sort_order", "uninsert"]

class _Absent:
    """Without a field it isn't copied with the record that it lies in."""
    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


# ---------------------------------------------------------------- lists

def cut(items: list, n: int) -> list:
    """Take the last n elements off, and give them.

    >>> items = [1, 2, 3]
    >>> cut(items, 2), items
    ([2, 3], [1])
    """
    start = len(items) - n
    tail = items[start:]
    del items[start:]
    return tail


def uninsert(items: list, k: int) -> Any:
    """Take out what `items.insert(k, v)` has put in, and give it.

    >>> items = [1, 2, 3]
    >>> items.insert(-1, 9)
    >>> uninsert(items, -1), items
    (9, [1, 2, 3])
    """
    n = len(items) - 1
    return items.pop(max(k + n, 0) if k < 0 else min(k, n))


def insert_back(items: list, k: int, value: Any) -> None:
    """Put in what `items.pop(k)` has taken out.

    >>> items = [1, 2, 3]
    >>> insert_back(items, -2, items.pop(-2))
    >>> items
    [1, 2, 3]
    """
    items.insert(k + len(items) + 1 if k < 0 else k, value)


def reopen(bars: list, where: Any, n: int, m: int = 0) -> list:
    """Undo `items[where] = values` (m of them), or `del items[where]`, in the adjoint of a list that had n elements:
    the adjoints of the values are given, and those of what they took the place of are zero again.

    >>> bars = [1.0, 2.0, 3.0, 4.0]
    >>> reopen(bars, slice(1, 2), 3, 2), bars
    ([2.0, 3.0], [1.0, None, 4.0])
    """
    places: list[Any] = list(range(n))
    if isinstance(where, slice):
        places[where] = [None] * m
    else:
        del places[where]
    values = [bar for place, bar in zip(places, bars, strict=True) if place is None]
    old: list[Any] = [None] * n
    for place, bar in zip(places, bars, strict=True):
        if place is not None:
            old[place] = bar
    bars[:] = old
    return values


def sort_order(items: list, key: Callable | None = None, reverse: bool = False) -> list[int]:
    """The indices of the elements in the order into which `items.sort` brings them.

    >>> sort_order([3.0, 1.0, 2.0])
    [1, 2, 0]
    """
    values = items if key is None else [key(item) for item in items]
    return sorted(range(len(items)), key=values.__getitem__, reverse=reverse)


def permute(items: list, order: list[int]) -> None:
    """Bring the elements into this order.

    >>> items = ["a", "b", "c"]
    >>> permute(items, [2, 0, 1])
    >>> items
    ['c', 'a', 'b']
    """
    items[:] = [items[k] for k in order]


def permute_back(items: list, order: list[int]) -> None:
    """Undo `permute`.

    >>> items = ["a", "b", "c"]
    >>> permute(items, [2, 0, 1])
    >>> permute_back(items, [2, 0, 1])
    >>> items
    ['a', 'b', 'c']
    """
    old = list(items)
    for k, item in zip(order, items, strict=True):
        old[k] = item
    items[:] = old


def add_repeats(bars: list, m: int) -> list:
    """The adjoint of a list of m elements from that of the list repeated.

    >>> add_repeats([1.0, 2.0, 3.0, 4.0], 2)
    [4.0, 6.0]
    """
    out: list[Any] = [None] * m
    for k, bar in enumerate(bars):
        out[k % m] = add(out[k % m], bar)
    return out


def made_by(function: Callable, other: Callable | None) -> bool:
    """Whether two functions were made by one lambda, or one def.

    >>> made_by(*[lambda v: v * k for k in range(2)])
    True
    """
    return other is not None and getattr(function, "__code__", None) is getattr(other, "__code__", None)


# ---------------------------------------------------------------- dicts and objects

def has_field(obj: Any, name: str) -> bool:
    """Whether the object itself has the field, in which a cached property keeps its value."""
    return name in obj.__dict__


def has_fields(obj: Any, names: tuple[str, ...]) -> bool:
    """Whether these are the fields of the object itself, in the order in which they were set first."""
    return tuple(obj.__dict__) == names


def held(container: Any, key: Any) -> Any:
    """What a dict has under a key, or an object in a field; ABSENT where there is nothing.

    >>> held({"a": 1}, "a"), held({"a": 1}, "b")
    (1, ABSENT)
    """
    if isinstance(container, dict):
        return container.get(key, ABSENT)
    own = getattr(container, "__dict__", None)
    if own is not None and key in own:
        return own[key]
    # what the class has is no field, and may be code
    static = inspect.getattr_static(type(container), key, None)
    slot = isinstance(static, (types.MemberDescriptorType, types.GetSetDescriptorType))
    return getattr(container, key, ABSENT) if slot else ABSENT


def put_back(container: dict, key: Any, value: Any) -> None:
    """Undo an assignment to a key: ABSENT takes the key out.

    >>> d = {"a": 1, "b": 2}
    >>> put_back(d, "a", 0)
    >>> put_back(d, "b", ABSENT)
    >>> d
    {'a': 0}
    """
    if value is not ABSENT:
        container[key] = value
    else:
        container.pop(key, None)


def put_field_back(container: Any, key: str, value: Any) -> None:
    """Undo an assignment to a field, also of an object whose class forbids or handles assignments."""
    if value is not ABSENT:
        object.__setattr__(container, key, value)
    elif held(container, key) is not ABSENT:
        object.__delattr__(container, key)
