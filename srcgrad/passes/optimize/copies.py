"""Read what a temporary is a copy of, instead of the temporary."""
from __future__ import annotations

import operator
from collections.abc import Callable

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bind, Const, Expr, Item, Name, Statement, Store, Unary, While
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.effects import (
    SHAPE_ATTRIBUTES,
    Block,
    Effects,
    Keys,
    block_expressions,
    captured,
    hazard,
    reads,
    writes,
)

Copies = dict[str, Expr]  # what each temporary equals at a point of the program


def propagate_copies(block: Block, effects: Effects, temporaries: frozenset[str]) -> Block:
    """The block with reads of copies replaced by what they copy (a name, a constant, `x.shape`), as far as both last.

    ::

        t1 = p.size
        t2_bar = y_bar / t1    ->    t2_bar = y_bar / p.size
    """
    changed = _Walk(effects, temporaries - captured(block)).block(block, {})
    left = frozenset(name for expr in block_expressions(changed) for name in core.names_read(expr))
    return _without(changed, temporaries - left)


def _without(block: Block, unread: frozenset[str]) -> Block:
    """The block without copies that are bound to names which nobody reads."""
    return tuple(core.with_blocks(stmt, tuple(_without(inner, unread) for inner in core.blocks(stmt)))
                 for stmt in block if not (_copy(stmt) and bound_by(stmt)[0] in unread))


def _copy(stmt: Statement) -> Expr | None:
    match stmt:
        case Bind((_,), (Name() | Const() | Unary("-", Const()) as value,)):
            return value
        case Bind((_,), (Attr(Name(), name) as value,)) if name in SHAPE_ATTRIBUTES or name == "T":
            return value
        case Bind((_,), (Item(Attr(Name(), "shape"), Const()) as value,)):
            return value
    return None


class _Walk:
    def __init__(self, effects: Effects, temporaries: frozenset[str]) -> None:
        self.effects = effects
        self.temporaries = temporaries

    def block(self, block: Block, copies: Copies) -> Block:
        """The block, given the copies that hold before it; the caller's dictionary stays as it is."""
        copies, out = dict(copies), []
        for stmt in block:
            stmt = self.statement(stmt, copies)
            self._forget(copies, writes(stmt, self.effects))
            self._remember(copies, stmt)
            out.append(stmt)
        return tuple(out)

    def statement(self, stmt: Statement, copies: Copies) -> Statement:
        inside = core.blocks(stmt)
        if not inside:
            return map_expressions(stmt, lambda e: core.substitute(e, copies)) if copies else stmt
        within = dict(copies)
        if not isinstance(stmt, core.If):  # what a loop changes has changed when its next turn begins
            self._forget(within, writes(stmt, self.effects))
        header = within if isinstance(stmt, While) else copies
        stmt = map_expressions(stmt, lambda e: core.substitute(e, header)) if header else stmt
        return core.with_blocks(stmt, tuple(self.block(b, within) for b in inside))

    def _forget(self, copies: Copies, changed: Keys) -> None:
        for name in [n for n, value in copies.items() if hazard(self._depends(n, value), changed)]:
            del copies[name]

    def _depends(self, name: str, value: Expr) -> Keys:
        # a plain name stands for the same object, and `x.T` for the same memory, whatever is written into it
        same = isinstance(value, Name) or (isinstance(value, Attr) and value.name == "T")
        keys = frozenset(("name", n) for n in core.names_read(value)) if same else reads(value, self.effects)
        return keys | {("name", name)}

    def _remember(self, copies: Copies, stmt: Statement) -> None:
        value = _copy(stmt)
        if value is None or not isinstance(stmt, Bind) or stmt.names[0] not in self.temporaries:
            return
        if stmt.names[0] not in core.names_read(value) and self.effects.pure(value):
            copies[stmt.names[0]] = value


def map_expressions(stmt: Statement, function: Callable[[Expr], Expr]) -> Statement:
    """The statement with `function` applied to all that it evaluates itself; a stored part keeps its owner's name.

    In `t[i] = v` and `t += v` the name t is no value to be replaced.  Where nothing changes it is the same statement,
    so that what is known of it stays known.
    """
    old = core.expressions(stmt)
    if not old or isinstance(stmt, core.Try):
        return stmt
    if isinstance(stmt, Store):
        new: tuple[Expr, ...] = map_place(stmt.place, function), function(stmt.value)
    else:
        new = tuple(map(function, old))
    return stmt if all(map(operator.is_, old, new)) else core.with_expressions(stmt, new)


def map_place(place: Expr, function: Callable[[Expr], Expr]) -> Expr:
    """The place with `function` applied to its indices only."""
    match place:
        case Name():
            return place
        case Item() | Attr():
            owner, *parts = core.children(place)
            new = (map_place(owner, function), *map(function, parts))
            return place if all(map(operator.is_, core.children(place), new)) else core.rebuild(place, new)
    return function(place)
