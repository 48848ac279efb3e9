"""`del x` of a name, which only shortens a life: unless the name may be read before it is bound again."""
from __future__ import annotations

from srcgrad.analysis.liveness import Liveness
from srcgrad.lang.core import At, Bind, Const, If, Refuse, Statement, With, blocks, statements, with_blocks
from srcgrad.lang.names import bound_by, captured

Block = tuple[Statement, ...]
_DELETED = Const("deleted")


def note(name: str, at: At | None) -> Statement:
    """A statement that stands for the deletion until the whole function is known."""
    return Bind((name,), (_DELETED,), at=at)


def settled(body: Block) -> Block:
    """A function's body without such statements; where the name may be read again, it is refused.

    >>> settled((note("x", None),))
    ()
    """
    if not any(map(_deletes, statements(body))):
        return body
    after, kept = Liveness(_through_managers(body)).after, captured(body)

    def block(inner: Block) -> Block:
        return tuple(one(stmt) for stmt in inner
                     if not _deletes(stmt) or (after[stmt] - kept).intersection(bound_by(stmt)))

    def one(stmt: Statement) -> Statement:
        if _deletes(stmt):
            (name,) = bound_by(stmt)
            return Refuse(f"`{name}` may be read after it is deleted here", "Leave the `del` out.", at=stmt.at)
        return with_blocks(stmt, tuple(map(block, blocks(stmt)))) if blocks(stmt) else stmt

    return block(body)


def _through_managers(body: Block) -> Block:
    """The body as if no manager swallowed an exception."""
    out = [with_blocks(stmt, tuple(map(_through_managers, blocks(stmt)))) if blocks(stmt) else stmt for stmt in body]
    return tuple(If(Const(True), stmt.body, ()) if isinstance(stmt, With) else stmt for stmt in out)


def _deletes(stmt: Statement) -> bool:
    return isinstance(stmt, Bind) and stmt.values[0] is _DELETED
