"""How a command ends early."""
from __future__ import annotations


class Failure(Exception):
    """One sentence for the user, and the exit code: 1 refused or failed, 2 wrong use."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code
