"""Which names may still be read: backward over the structured program, loops to the fixpoint."""
from __future__ import annotations

from srcgrad.lang.core import (
    Bind,
    Const,
    Effect,
    For,
    If,
    Jump,
    Refuse,
    Return,
    Statement,
    Store,
    Try,
    Unpack,
    While,
    With,
    blocks,
    expressions,
    names_read,
)
from srcgrad.lang.names import captured

Names = frozenset[str]


class Liveness:
    """`before[stmt]` and `after[stmt]`: the names that are live there.

    >>> from srcgrad.lang.templates import parse_block
    >>> block = parse_block("y = x * 2\\nreturn y")
    >>> sorted(Liveness(block).before[block[0]])
    ['x']
    """

    def __init__(self, block: tuple[Statement, ...], live_out: Names = frozenset(),
                 captured_by_objects: Names = frozenset()) -> None:
        self.before: dict[Statement, Names] = {}
        self.after: dict[Statement, Names] = {}
        self.head: dict[Statement, Names] = {}
        self.caught: dict[Statement, Names] = {}     # what is live where an exception of a `try`'s body arrives
        self._breaks: list[Names] = []       # what is live where a break of the loops around leads
        self._raised: Names = frozenset()    # what is live where an exception arrives
        # live throughout: whoever calls the function reads them
        self._captured = captured(block) | captured_by_objects
        self.entry = self._block(block, live_out | self._captured)

    def insert(self, stmt: Statement, new: tuple[Statement, ...]) -> None:
        """The same for statements that stand in the place of another one."""
        if len(new) == 1 and blocks(stmt) and blocks(new[0]) == blocks(stmt):
            for known in (self.before, self.after, self.head, self.caught):
                if stmt in known:
                    known[new[0]] = known[stmt]
            return
        outside, self._raised = self._raised, self.before[stmt] & self.after[stmt]
        self._block(new, self.after[stmt])
        self._raised = outside

    def _block(self, block: tuple[Statement, ...], live: Names) -> Names:
        for stmt in reversed(block):
            live = live | self._raised
            self.after[stmt] = self.after.get(stmt, frozenset()) | live
            live = self._statement(stmt, live)
            self.before[stmt] = self.before.get(stmt, frozenset()) | live
        return live

    def _statement(self, stmt: Statement, live: Names) -> Names:
        match stmt:
            case Bind(names, _) | Unpack(names, _, _):
                live = live - (set(names) - self._captured)
            case If(_, body, orelse):
                live = self._block(body, live) | self._block(orelse, live)
            case For() | While():
                return self._loop(stmt, live)
            case Try() | With():
                return self._guarded(stmt, live)
            case Jump("break"):
                live = self._breaks[-1] | self._captured
            case Return() | Jump("raise") | Refuse():
                live = self._captured | self._raised
            case Store() | Effect() | Jump():
                pass
        return live | _read(stmt)

    def _loop(self, stmt: For | While, live: Names) -> Names:
        out = self._block(stmt.orelse, live)
        if isinstance(stmt, While):
            out = _read(stmt) | (self._captured if stmt.test == Const(True) else out)
        head = out
        while True:
            self.head[stmt] = head
            self._breaks.append(live)
            inner = self._block(stmt.body, head)
            self._breaks.pop()
            if isinstance(stmt, For):
                inner = inner - ({stmt.target} - self._captured)
            if inner <= head:
                return head | _read(stmt)
            head = head | inner

    def _guarded(self, stmt: Try | With, live: Names) -> Names:
        """What is read where an exception arrives is live throughout the body: one may come anywhere."""
        outside = self._raised
        if isinstance(stmt, With):
            # the manager may swallow it
            self.caught[stmt] = self.caught.get(stmt, frozenset()) | live
            self._raised = outside | live
            live = self._block(stmt.body, live)
            self._raised = outside
            return live | _read(stmt)
        live = self._block(stmt.final, live)
        if stmt.final:
            self._raised = outside | live
        arrives = frozenset().union(*(self._block(block, live) - {name or ""} for _, name, block in stmt.handlers))
        orelse = self._block(stmt.orelse, live)
        caught = arrives | live if stmt.final else arrives
        self.caught[stmt] = self.caught.get(stmt, frozenset()) | caught
        self._raised = self._raised | caught
        live = self._block(stmt.body, orelse) | caught
        self._raised = outside
        return live | _read(stmt)


def _read(stmt: Statement) -> Names:
    return frozenset().union(*(names_read(e) for e in expressions(stmt)))
