"""Whether statements change what an expression reads: then what it gives before them can't be asked for after them."""
from __future__ import annotations

from collections.abc import Iterable

from srcgrad.analysis.interpret.state import Abstract, Storage, reach
from srcgrad.lang.core import Attr, Call, Const, Expr, Item, Statement, Store, expressions, statements, walk
from srcgrad.passes.needs import Needs, content_is_needed
from srcgrad.passes.reverse.changes import change_of
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.stores import added_at


def may_change(context: Context, block: tuple[Statement, ...], contents: Needs) -> bool:
    """Whether a statement of the block may change one of these contents."""
    return bool(contents) and any(_changes(context, stmt, contents) for stmt in statements(block))


def _changes(context: Context, stmt: Statement, contents: Needs) -> bool:
    changed: list[tuple[Storage, Expr | None]] = [(s, None) for s in _called_on(context, stmt)]
    added, change = added_at(context, stmt), change_of(context, stmt)
    if added is not None:
        changed += _of(context.kind(stmt, added[0]), None)
    if change is not None:
        changed += _of(context.kind(stmt, change.owner), change.key if change.kind == "field" else None)
    if isinstance(stmt, Store):
        owner = stmt.place.value if isinstance(stmt.place, (Item, Attr)) else stmt.place
        field = Const(stmt.place.name) if isinstance(stmt.place, Attr) else None
        changed += _of(context.kind(stmt, owner), field)
    return any(content_is_needed(storage, contents, field) for storage, field in changed)


def _of(owner: Abstract, field: Expr | None) -> list[tuple[Storage, Expr | None]]:
    return [(ref.storage, field) for ref in owner.refs]


def _called_on(context: Context, stmt: Statement) -> Iterable[Storage]:
    """What functions are given that are compiled on their own, or aren't followed."""
    yield from context.facts.evaluator.changed_unseen.get(stmt, {})
    for call in (e for top in expressions(stmt) for e in walk(top) if isinstance(e, Call)):
        if (stmt, id(call)) in context.facts.callees:
            given = [*call.args, *(value for _, value in call.kwargs)]
            given += [call.func.value] if isinstance(call.func, Attr) else []
            yield from reach(context.kind(stmt, e) for e in given)
