"""Inside loops, cheap temporaries are computed again rather than saved.

        t = 0.5 * u                             t_saved.append(t) ... t = t_saved.pop()
        flux = t * u            not             u_bar += flux_bar * t
                                but             u_bar += flux_bar * (0.5 * u)

What they are made of is read instead; it must not change between the temporary and its reader.
"""
from __future__ import annotations

from functools import cached_property

from srcgrad.lang.core import (
    Bin,
    Bind,
    Const,
    Expr,
    For,
    Item,
    Name,
    Statement,
    Unary,
    While,
    blocks,
    children,
    expressions,
    names_read,
    walk,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.split import is_place

MOST_OPERATIONS = 3


class Recomputed:
    """Which temporaries are cheap, and what they are."""

    def __init__(self, context: Context) -> None:
        self.c = context

    def operand(self, stmt: Statement, expr: Expr) -> Expr:
        """The operand, or what it is made of where that is as cheap as keeping it.

        Where it isn't, the operand itself is kept, which is one array, and not those that it is made of.
        """
        if self.c.plain or not isinstance(expr, Name) or expr.id not in self.c.temporaries:
            return expr
        value = self._expanded(stmt, expr)
        changed = not names_read(value).isdisjoint(bound_by(stmt))
        return expr if changed or operations(value) > MOST_OPERATIONS else value

    def _expanded(self, stmt: Statement, value: Expr) -> Expr:
        """The value down to what isn't cheap, or isn't a temporary."""
        match value:
            case Name(id):
                found = self._definitions.get(id)
                known = found is not None and self._same_statement(found[0], stmt)
                return self._expanded(*found) if found is not None and known else value
            case Bin(op, left, right):
                return Bin(op, self._expanded(stmt, left), self._expanded(stmt, right), at=value.at)
            case Unary(op, operand):
                return Unary(op, self._expanded(stmt, operand), at=value.at)
        return value

    @cached_property
    def _definitions(self) -> dict[str, tuple[Statement, Expr]]:
        """Temporaries in loops that are cheap arithmetic on places and constants."""
        out: dict[str, tuple[Statement, Expr]] = {}
        todo = [(self.c.unit.code.body, False)]
        while todo:
            block, inside = todo.pop()
            for stmt in block:
                match stmt:
                    case Bind((name,), (value,)) if inside and name in self.c.temporaries and is_cheap(value) \
                            and self.c.bindings.get(name) == 1:
                        out[name] = stmt, value
                todo.extend((b, inside or isinstance(stmt, (For, While))) for b in blocks(stmt))
        return out

    def _same_statement(self, first: Statement, last: Statement) -> bool:
        """Whether only temporaries are bound between two statements of one block."""
        block = self._blocks.get(first)
        if block is None or self._blocks.get(last) is not block:
            return False
        i, j = block.index(first), block.index(last)
        made = set(bound_by(first))
        for stmt in block[i + 1:j]:
            if not (isinstance(stmt, Bind) and set(stmt.names) <= self.c.temporaries):
                return False
            made |= set(stmt.names)
        return i < j and made.isdisjoint(*map(names_read, expressions(first)))

    @cached_property
    def _blocks(self) -> dict[Statement, tuple[Statement, ...]]:
        out: dict[Statement, tuple[Statement, ...]] = {}
        todo = [self.c.unit.code.body]
        while todo:
            block = todo.pop()
            for stmt in block:
                out[stmt] = block
                todo.extend(blocks(stmt))
        return out


def is_cheap(expr: Expr) -> bool:
    """Sums, differences, products and quotients of places and constants."""
    if isinstance(expr, (Name, Const)) or isinstance(expr, Item) and is_place(expr):
        return True
    match expr:
        case Bin(op, _, _) if op in ("+", "-", "*", "/"):
            return all(map(is_cheap, children(expr)))
        case Unary("-", operand):
            return is_cheap(operand)
    return False


def operations(expr: Expr) -> int:
    """How many operations the expression costs."""
    return sum(isinstance(e, (Bin, Unary)) for e in walk(expr))
