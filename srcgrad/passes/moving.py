"""Moves generators that have a name to the one loop that runs over them.

That changes nothing: making a generator only remembers its arguments.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Lazy
from srcgrad.lang import names
from srcgrad.lang.core import (
    Bind,
    Call,
    Const,
    Expr,
    For,
    Function,
    Name,
    Opaque,
    Star,
    Statement,
    Tuple,
    Unpack,
    While,
    blocks,
    expressions,
    map_expr,
    names_read,
    statements,
    walk,
    with_blocks,
    with_expressions,
)
from srcgrad.passes.producers import matters
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]


def moved(unit: Unit, facts: Facts) -> Unit | None:
    """The function with generators made where they are run over, or None where there is nothing to move."""
    work = _Mover(unit, facts)
    body = work.apart(unit.code.body)
    if not work.changed:
        body = work.block(unit.code.body)
    return unit.with_body(body) if work.changed else None


class _Mover:
    def __init__(self, unit: Unit, facts: Facts) -> None:
        self.unit, self.facts = unit, facts
        self.changed = False
        body = unit.code.body
        self.bound = Counter(n for s in statements(body) for n in names.bound_by(s))
        self.bound.update(p.name for p in unit.code.params)
        self.read: Counter[str] = Counter()
        self.hidden: set[str] = set()
        self.at: dict[str, Statement] = {}
        for stmt in statements(body):
            if stmt in facts.before:        # what isn't reached doesn't count
                self._count(stmt)
        self.loops = dict(_loops(body, ()))
        self.values: dict[str, Expr] = {}

    def _count(self, stmt: Statement) -> None:
        for node in (e for top in expressions(stmt) for e in walk(top)):
            if isinstance(node, Name):
                self.read[node.id] += 1
                self.at[node.id] = stmt
            elif isinstance(node, (Function, Opaque)):
                self.hidden |= names_read(node)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for stmt in block:
            new = self.statement(stmt)
            self.unit.keep_chain(new, stmt)
            out.extend(new)
        return tuple(out)

    def apart(self, block: Block) -> Block:
        """Generators that are bound at once, one by one:  a, b = f(x), g(x)   ->   a = f(x); b = g(x)"""
        out: list[Statement] = []
        skipped = None
        for stmt, following in zip(block, (*block[1:], None)):
            match stmt, following:
                case _ if stmt is skipped:
                    continue
                case Bind((name,), (Tuple(values),)), Unpack(names_, Name(read), None) if name == read \
                        and self.read[name] == self.bound[name] == 1 and len(values) == len(names_):
                    parts, skipped = self._one_by_one(stmt, names_, values), following
                case Bind(names_, values), _ if len(names_) > 1:
                    parts = self._one_by_one(stmt, names_, values)
                case _:
                    parts = None
            if parts is None:
                skipped = None
                inner = blocks(stmt)
                parts = [with_blocks(stmt, tuple(map(self.apart, inner))) if inner else stmt]
            self.unit.keep_chain(parts, stmt)
            out += parts
        return tuple(out)

    def _one_by_one(self, stmt: Bind, bound: tuple[str, ...], values: tuple[Expr, ...]) -> list[Statement] | None:
        lazy = stmt in self.facts.before and any(
            isinstance(item.value, Lazy) and item.active for item in (self.facts.kind(stmt, v) for v in values))
        if not lazy or any(isinstance(v, Star) for v in values) or len(set(bound)) < len(bound):
            return None
        if any(set(bound[:k]) & names_read(v) for k, v in enumerate(values)):
            return None
        self.changed = True
        return [Bind((name,), (v,), at=stmt.at) for name, v in zip(bound, values)]

    def statement(self, stmt: Statement) -> list[Statement]:
        inner = blocks(stmt)
        values = tuple(map_expr(self._value, e) if stmt in self.facts.before else e for e in expressions(stmt))
        if any(a is not b for a, b in zip(values, expressions(stmt))):
            new = with_expressions(stmt, values)
        else:
            new = stmt
        if inner:
            new = with_blocks(new, tuple(self.block(b) for b in inner))
        if not isinstance(stmt, Bind) or not isinstance(new, Bind) or not self._movable(stmt):
            return [new]
        self.changed = True
        before: list[Statement] = []
        self.values[stmt.names[0]] = self._held(stmt, new.values[0], before)
        return before

    def _value(self, expr: Expr) -> Expr:
        return self.values.get(expr.id, expr) if isinstance(expr, Name) else expr

    def _movable(self, stmt: Bind) -> bool:
        name, value = stmt.names[0], stmt.values[0]
        if len(stmt.names) > 1 or not isinstance(value, Call) or self.bound[name] != 1 or self.read[name] != 1:
            return False
        if not isinstance(self.facts.kind(stmt, value).value, Lazy) or name in self.hidden:
            return False
        reader = self.at[name]
        if not matters(self.facts, reader):
            return False
        inside = (*self.loops[reader], reader) if isinstance(reader, While) else self.loops[reader]
        return inside == self.loops[stmt]

    def _held(self, stmt: Bind, expr: Expr, before: list[Statement]) -> Expr:
        """The call with arguments that mean the same later on."""
        assert isinstance(expr, Call)
        args = tuple(self._argument(stmt, a, before) for a in expr.args)
        kwargs = tuple((k, self._argument(stmt, v, before)) for k, v in expr.kwargs)
        return Call(expr.func, args, kwargs, at=expr.at)

    def _argument(self, stmt: Bind, arg: Expr, before: list[Statement]) -> Expr:
        if isinstance(arg, (Const, Function)) or isinstance(arg, Name) and self.bound[arg.id] <= 1:
            return arg
        if isinstance(arg, Star):
            return Star(self._argument(stmt, arg.value, before), at=arg.at)
        if isinstance(arg, Call) and isinstance(self.facts.kind(stmt, arg).value, Lazy):
            return self._held(stmt, arg, before)
        name = self.unit.fresh.name(arg.id if isinstance(arg, Name) else "items")
        self.unit.made.add(name)
        before.append(Bind((name,), (arg,), at=stmt.at))
        return Name(name, at=arg.at)


def _loops(block: Block, outside: tuple[Statement, ...]) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Each statement with the loops that it stands in."""
    for stmt in block:
        yield stmt, outside
        inside = (*outside, stmt) if isinstance(stmt, (For, While)) else outside
        for inner in blocks(stmt):
            yield from _loops(inner, inside)
