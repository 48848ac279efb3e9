"""Looks again at what was taken of dicts while not all was known of them.

        if len(state) != 2: raise ...       ->      nothing, where `state` has these two keys whenever it gets here

`{**state, "x": x}` is written out with the keys that `state` has in all that was followed till then, and a test that it
has no others.  When all has been followed the test goes; or other keys came up, and the program is made anew without
such a guess at that place.
"""
from __future__ import annotations

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.lang.core import At, Call, Compare, Const, If, Refuse, Statement, blocks, with_blocks
from srcgrad.passes.unit import Unit


class WrongGuess(Exception):
    """A dict has other keys at `at` than it was taken to have."""

    def __init__(self, at: At) -> None:
        super().__init__(at)
        self.at = at


def confirmed(unit: Unit, facts: Facts, known: set[At]) -> Unit | None:
    """The function without tests that always fail, None if it has none; raises where a guess was wrong, if that isn't
    `known` yet."""
    found: list[Statement] = []
    body = _block(unit.code.body, facts, known, found)
    return unit.with_body(body) if found else None


def _block(block: tuple[Statement, ...], facts: Facts, known: set[At], found: list[Statement]) -> tuple[Statement, ...]:
    out: list[Statement] = []
    for stmt in block:
        if not _is_guess(stmt) or stmt not in facts.before:
            inner = tuple(_block(b, facts, known, found) for b in blocks(stmt))
            same = all(a is b for a, b in zip(inner, blocks(stmt)))
            out.append(stmt if same else with_blocks(stmt, inner))
        elif _holds(stmt, facts):
            found.append(stmt)
        else:
            out.append(stmt)
            if stmt.at is not None and stmt.at not in known:
                raise WrongGuess(stmt.at)
    return block if len(out) == len(block) and all(a is b for a, b in zip(out, block)) else tuple(out)


def _is_guess(stmt: Statement) -> bool:
    return isinstance(stmt, If) and len(stmt.body) == 1 and isinstance(stmt.body[0], Refuse) \
        and stmt.body[0].what == containers.OTHER_KEYS


def _holds(stmt: Statement, facts: Facts) -> bool:
    """Whether the dict certainly has as many keys as it was taken to have, all of which it had before."""
    match stmt:
        case If(Compare(Call(_, (owner,)), ("!=",), (Const(count),))):
            keys = containers.sure_keys(facts.evaluator, facts.kind(stmt, owner))
            return keys is not None and len(keys) == count
    return False
