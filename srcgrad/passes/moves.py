"""What is saved where arrays move between names that own them (`analysis.ownership`): a move is undone by moving back.

        u, v = v, u             ...     u, v = v, u
        old, u = u, new         ...     u, new = old, u; old = old_saved.pop()      if the array of `old` is still read
"""
from __future__ import annotations

from collections.abc import Callable

from srcgrad.lang.core import Bind, Name, Statement
from srcgrad.passes.needs import Key, Needs, box_of, of_content, part_key
from srcgrad.passes.reads import Block
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
    kept = needs - {("name", n) for n in gone}
    for name in gone:
        kept = kept - of_content(needs, context.owned[name])
    moved: set[Key] = {("name", t) for t, _ in carried}
    for target, source in carried:
        moved |= {part_key(context.owned[target], box_of(key)) for key in of_content(needs, context.owned[source])}
    return kept | moved
