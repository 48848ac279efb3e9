"""Masks of adjoints: where an adjoint may be other than zero."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def kept(mask: Any, shape: tuple[int, ...]) -> Any:
    """The mask of an operand of `shape` that was broadcast to the mask's shape: where any copy of it is used.

    >>> kept(np.array([[True, False], [False, False]]), (2, 1))
    array([[ True],
           [False]])
    """
    if np.shape(mask) == shape:
        return mask
    lead = max(np.ndim(mask) - len(shape), 0)
    mask = np.any(mask, axis=tuple(range(lead)))
    skipped = len(shape) - np.ndim(mask)
    repeated = tuple(i for i, n in enumerate(np.shape(mask)) if shape[i + skipped] == 1 and n != 1)
    return np.any(mask, axis=repeated, keepdims=True) if repeated else mask


def chosen(conditions: Sequence[Any]) -> list[Any]:
    """Where np.select takes each of its choices, and last its default.

    >>> chosen([np.array([True, False, False]), np.array([True, True, False])])[1:]
    [array([False,  True, False]), array([False, False,  True])]
    """
    masks, left = [], np.True_
    for condition in conditions:
        masks.append(left & condition)
        left = left & np.logical_not(condition)
    return [*masks, left]
