"""Which names may still be read: backward over the structured program, loops to the fixpoint."""
from __future__ import annotations

from srcgrad.lang.core import (
    Bind,
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

    def __init__(self, block: tuple[Statement, ...], live_out: Names = frozenset()) -> None:
        self.before: dict[Statement, Names] = {}
        self.after: dict[Statement, Names] = {}
        self.head: dict[Statement, Names] = {}
        self._captured = captured(block)     # live throughout: whoever calls the function reads them
        self.entry = self._block(block, live_out | self._captured)

    def _block(self, block: tuple[Statement, ...], live: Names) -> Names:
        for stmt in reversed(block):
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
            case Return() | Jump("raise") | Refuse():
                live = self._captured
            case Store() | Effect() | Jump():
                pass
        return live | _read(stmt)

    def _loop(self, stmt: For | While, live: Names) -> Names:
        out = self._block(stmt.orelse, live)
        head = out | (_read(stmt) if isinstance(stmt, While) else frozenset())
        while True:
            self.head[stmt] = head
            inner = self._block(stmt.body, head | live)
            if isinstance(stmt, For):
                inner = inner - ({stmt.target} - self._captured)
            if inner <= head:
                return head | _read(stmt)
            head = head | inner

    def _guarded(self, stmt: Try | With, live: Names) -> Names:
        """Whatever any part reads is live throughout: an exception may come anywhere."""
        if isinstance(stmt, With):
            return self._block(stmt.body, live) | _read(stmt)
        live = self._block(stmt.final, live)
        caught = live.union(*(self._block(block, live) for _, _, block in stmt.handlers))
        return self._block(stmt.body, self._block(stmt.orelse, live) | caught) | caught | _read(stmt)


def _read(stmt: Statement) -> Names:
    return frozenset().union(*(names_read(e) for e in expressions(stmt)))
