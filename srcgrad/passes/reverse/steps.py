"""What the reverse pass makes of a statement: the statement beside its adjoint, before anything is saved.

An adjoint reads primal names as they were before its statement, except that names which the statement itself binds
are read as it left them.  `passes.place` sees to it that they hold these values.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.errors import UnsupportedError
from srcgrad.lang.core import Expr, Refuse, Statement


@dataclass(eq=False)
class Step:
    """stmt: the forward statement.  adjoint: what undoes it, in the order of execution.

    Of a compound statement: first runs before its reversed blocks (in the state after it), inner has the steps of
    each block, tails what runs at the end of each reversed block (in the state at that block's start).
    """
    stmt: Statement
    adjoint: list[Statement] = field(default_factory=list)
    forward: Statement | None = None
    also_reads: list[Expr] = field(default_factory=list)
    first: list[Statement] = field(default_factory=list)
    inner: list[list[Step]] = field(default_factory=list)
    tails: list[list[Statement]] = field(default_factory=list)


def check_reachable(steps: list[Step]) -> None:
    """What is refused on every way through the function is refused at once."""
    for step in steps:
        if isinstance(step.stmt, Refuse):
            raise UnsupportedError(step.stmt.what, step.stmt.at, step.stmt.remedy)


def every_step(step: Step) -> list[Step]:
    """The step and all steps inside."""
    return [step, *(s for block in step.inner for inner in block for s in every_step(inner))]
