"""What the reverse of a write in place needs."""
from __future__ import annotations

from typing import Any

import numpy as np


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
