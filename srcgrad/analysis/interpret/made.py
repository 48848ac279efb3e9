"""Names for what rewriting holds."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import names
from srcgrad.lang.core import (
    Statement,
)


class Made:
    """Names for what rewriting holds, always the same ones for the same statement.

    >>> made = Made(names.Fresh({"k"}))
    >>> made(None, "k"), made(None, "k")
    ('k_1', 'k_1')
    """

    def __init__(self, fresh: names.Fresh) -> None:
        self._fresh = fresh
        self._known: dict[tuple[Any, str], str] = {}

    def __call__(self, stmt: Statement | None, hint: str) -> str:
        if (stmt, hint) not in self._known:
            self._known[stmt, hint] = self._fresh.name(hint)
        return self._known[stmt, hint]
