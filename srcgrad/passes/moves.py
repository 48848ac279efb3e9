"""What is saved where arrays move between names that own them (`analysis.ownership`): a move is undone by moving back.

        u, v = v, u             ...     u, v = v, u
        old, u = u, new         ...     u, new = old, u; old = old_saved.pop()      if the array of `old` is still read
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.lang.core import Bind, Name, Statement
from srcgrad.passes.reads import Block, Needs
from srcgrad.passes.reverse.context import Context

Save = Callable[[str, Block, Block], None]


def undo_moves(context: Context, stmt: Statement, needs: Needs, save: Save) -> tuple[Block, Block, Needs]:
    """What saves before the statement, what undoes it, and what is needed after it; `save` saves one name."""
    pairs = context.moves(stmt)
    targets, sources = {t for t, _ in pairs}, {s for _, s in pairs}
    saves: Block = []
    pops: Block = []
    for target in sorted(targets - sources):
        if ("name", target) in needs:
            save(target, saves, pops)
    carried = sorted(((t, s) for t, s in pairs if ("name", s) in needs), key=lambda pair: pair[1])
    back: Block = []
    if carried:
        back = [Bind(tuple(s for _, s in carried), tuple(Name(t) for t, _ in carried))]
    return saves, [*back, *pops], _needs_after(context, needs, carried, targets)


def _needs_after(context: Context, needs: Needs, carried: list[tuple[str, str]], targets: set[str]) -> Needs:
    """What was needed of a name is needed of the name that has its array now."""
    gone = targets | {s for _, s in carried}
    kept = needs - {("name", n) for n in gone} - {("content", context.owned[n]) for n in gone}
    moved: set[tuple[str, Any]] = {("name", t) for t, _ in carried}
    moved |= {("content", context.owned[t]) for t, s in carried if ("content", context.owned[s]) in needs}
    return kept | moved
