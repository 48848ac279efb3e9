"""How the interpreter gives up a statement."""
from __future__ import annotations

from srcgrad.lang.core import At


class NeverReturns(Exception):
    """A call that hasn't returned yet, as far as is known: what follows it can't be reached."""


class Refused(Exception):
    """This statement can't be differentiated: what, and what to write instead."""

    def __init__(self, what: str, remedy: str, at: At | None = None) -> None:
        super().__init__(what)
        self.what, self.remedy, self.at = what, remedy, at


class ReadsText(Refused):
    """A number may come back from text that something differentiated was written to: its derivative would be lost."""
