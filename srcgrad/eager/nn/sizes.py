"""Sizes that may be given once for all axes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Size = int | Sequence[int]


def per_axis(size: Any, axes: int) -> tuple[int, ...]:
    """One size per axis.

    >>> per_axis(3, 2), per_axis((1, 2), 2)
    ((3, 3), (1, 2))
    """
    return (int(size),) * axes if isinstance(size, int) else tuple(int(part) for part in size)
