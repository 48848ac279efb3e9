"""Whether the compiled derivative of a random program is right, refused, wrong, or crashes."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness import as_tuple, assert_fresh, clone, compare, derivative, same
from random_programs.generate import WRT, OutOfTime, load, reference, time_limit

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True)
class Verdict:
    """outcome is `right`, `refused`, `wrong`, `crashed`, `slow` (how long a program takes depends on the machine), or
    `invalid` (no reference); kind tells failures apart."""
    outcome: str
    kind: str = ""
    detail: str = ""

    @property
    def bad(self) -> bool:
        return self.outcome in ("wrong", "crashed")


def judge(source: str, args: tuple[np.ndarray, ...], seconds: float = 20.0, **options: bool) -> Verdict:
    """The verdict on grad of the text's f under these options."""
    want = reference(source, args)
    if want is None:
        return Verdict("invalid")
    try:
        with time_limit(seconds):
            return _verdict(source, args, want, options)
    except OutOfTime as error:
        return Verdict("slow", "OutOfTime", str(error))


def _verdict(source: str, args: tuple[np.ndarray, ...], want: Any, options: dict[str, bool]) -> Verdict:
    from srcgrad.errors import InternalError, SrcgradError
    ours = clone(args)
    try:
        got = as_tuple(derivative(load(source), WRT, **options)(*ours), WRT)
    except Exception as error:
        refused = isinstance(error, SrcgradError) and not isinstance(error, InternalError)
        return Verdict("refused" if refused else "crashed", type(error).__name__, str(error))
    for kind, check in (("gradient", lambda: compare(got, want, rtol=1e-5, atol=1e-6)),
                        ("arguments", lambda: same(ours, args)), ("sharing", lambda: assert_fresh(got, ours))):
        try:
            check()
        except AssertionError as error:
            return Verdict("wrong", kind, str(error))
    return Verdict("right")
