"""Functions that only tell type checkers something."""
from __future__ import annotations

import typing

from srcgrad.library.registry import equivalent


@equivalent(typing.cast)
def cast(typ, val):
    return val
