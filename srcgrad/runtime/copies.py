"""What copies of structured values take for granted."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import AliasError
from srcgrad.runtime.structure import fields


def check_unshared(x: Any) -> None:
    """Raise AliasError if something inside of a value can be reached by two ways.

    >>> check_unshared([[1.0], [1.0]])
    >>> inner = [1.0]
    >>> check_unshared([inner, inner])
    Traceback (most recent call last):
        ...
    srcgrad.errors.AliasError: a value that is copied with all that is inside holds one list twice
    ...
    """
    seen: dict[int, Any] = {}
    todo = [x]
    while todo:
        part = todo.pop()
        inside = part if isinstance(part, (tuple, list)) else part.values() if isinstance(part, dict) else \
            (fields(part) or {}).values()
        if isinstance(part, (list, dict, np.ndarray)) or inside and not isinstance(part, tuple):
            if id(part) in seen:
                raise AliasError(f"a value that is copied with all that is inside holds one {type(part).__name__} "
                                 "twice", remedy="Copy its parts one by one.")
            seen[id(part)] = part
        todo += inside
