"""Options of a compilation: frozen, hashable, the same for every pass."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How a derivative is compiled.

    plain: save everything, keep every array's adjoint in the run-time shadow, optimise nothing.  Slow and right: the
        reference that everything else is compared with.
    general: don't look at the arguments' types; the text is right for any.
    checked: assert every inferred fact at run time.

    >>> Options(plain=True).plain
    True
    """
    plain: bool = False
    general: bool = False
    checked: bool = False
