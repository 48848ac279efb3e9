"""What the backward part will read, as a set of keys: names, and contents of storages, or of parts or fields of them.

        ("name", "x")       ("content", storage)        ("content", (storage, box))     ("content", (object, field))

A storage stands for all that references may confuse with it (`Storage.group`).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analysis.boxes import Box
from srcgrad.analysis.interpret.state import Storage
from srcgrad.lang.core import Const, Expr

Key = tuple[str, Any]
Needs = frozenset[Key]


def part_key(group: Storage, box: Box | None) -> Key:
    """That this part of a storage's content is needed; None: all of it."""
    return ("content", group) if box is None else ("content", (group, box))


def box_of(key: Key) -> Box | None:
    """The box, if the key is of a part of an array's content."""
    kind, what = key
    return what[1] if kind == "content" and isinstance(what, tuple) and isinstance(what[1], Box) else None


def map_boxes(needs: Needs, new: Callable[[Box], Box | None]) -> Needs:
    """The needs with other boxes; None is the whole array."""
    out: set[Key] = set()
    for key in needs:
        box = box_of(key)
        out.add(key if box is None else part_key(key[1][0], new(box)))
    return frozenset(out)


def whole_arrays(needs: Needs) -> Needs:
    """The needs without parts: of arrays of which a part is needed, all is."""
    return map_boxes(needs, lambda box: None)


def of_content(needs: Needs, group: Storage) -> Needs:
    """What is needed of a storage's content."""
    return frozenset(key for key in needs if key[0] == "content"
                     and (key[1] is group or isinstance(key[1], tuple) and key[1][0] is group))


def content_is_needed(storage: Storage, needs: Needs, field: Expr | None = None) -> bool:
    """Whether something of the storage's content is read, or that field's."""
    group = storage.group
    if ("content", group) in needs:
        return True
    if isinstance(field, Const):
        return ("content", (group, field.value)) in needs
    return bool(of_content(needs, group))
