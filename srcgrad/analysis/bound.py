"""Which names are certainly bound: forward over the structured program.

>>> from srcgrad.lang.templates import parse_block
>>> block = parse_block("if c:\\n    y = 1\\n    z = 2\\nelse:\\n    y = 3\\nx = y")
>>> sorted(Bound(block).before[block[1]])
['y']
"""
from __future__ import annotations

from srcgrad.lang.core import Const, For, If, Jump, Refuse, Return, Statement, Try, While, With
from srcgrad.lang.names import bound_by

Names = frozenset[str]
Block = tuple[Statement, ...]


class Bound:
    """`before[stmt]` and `after[stmt]`: the names that have a value there, whichever way control came.

    A statement that is never reached, or never left, has no entry.
    """

    def __init__(self, block: Block, given: Names = frozenset()) -> None:
        self.before: dict[Statement, Names] = {}
        self.after: dict[Statement, Names] = {}
        self._breaks: list[list[Names]] = []
        self._block(block, given)

    def _block(self, block: Block, names: Names | None) -> Names | None:
        for stmt in block:
            if names is None:
                return None
            self.before[stmt] = names
            names = self._statement(stmt, names)
            if names is not None:
                self.after[stmt] = names
        return names

    def _statement(self, stmt: Statement, names: Names) -> Names | None:
        match stmt:
            case If(_, body, orelse):
                return _meet(self._block(body, names), self._block(orelse, names))
            case For() | While():
                return self._loop(stmt, names)
            case Try():
                return self._try(stmt, names)
            case With(_, body):
                return self._block(body, names | set(bound_by(stmt)))
            case Jump("break"):
                self._breaks[-1].append(names)
                return None
            case Return() | Jump() | Refuse():
                return None
        return names | set(bound_by(stmt))

    def _loop(self, stmt: For | While, names: Names) -> Names | None:
        self._breaks.append([])
        self._block(stmt.body, names | set(bound_by(stmt)))
        out: Names | None = names
        if isinstance(stmt, While) and stmt.test == Const(True):
            out = None
        for left in self._breaks.pop():
            out = _meet(out, left)
        return out

    def _try(self, stmt: Try, names: Names) -> Names | None:
        out = self._block(stmt.orelse, self._block(stmt.body, names))
        for _, name, block in stmt.handlers:
            caught = self._block(block, names | ({name} if name else frozenset()))
            out = _meet(out, None if caught is None else caught - {name or ""})
        if not stmt.final:
            return out
        ended = self._block(stmt.final, names if out is None else out)
        return None if out is None else ended


def _meet(a: Names | None, b: Names | None) -> Names | None:
    if a is None or b is None:
        return b if a is None else a
    return a & b
