"""Generators step by step: what one does from where it stopped until it gives something out, or ends.

        def averages(k):                    a step of g = averages(k):
            mean = 0.0                          if g_at == 0: item = mean; g_at = 1
            while True:                         else:         mean = k * mean + sent; item = mean
                v = yield mean
                mean = k * mean + v

A `for` that gives something out is a `while` over a cursor, which remembers how far it is.  Each place where the
generator stops is a state; so is the head of a loop that may come round without giving anything out: a step then goes
from state to state until something is.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    For,
    If,
    Jump,
    Name,
    Return,
    Statement,
    Unary,
    While,
    Yield,
    blocks,
    expressions,
    statements,
)
from srcgrad.library.cursors import cursor_of
from srcgrad.passes.lower.returns import duplicate

Block = tuple[Statement, ...]
# What comes after a block: None, (a block, what comes after that), or (a loop that comes round, what comes after it).
Rest = Any
MOST_STATEMENTS = 150       # of one step
ENDED = -1


class Unfit(Exception):
    """The generator can't be taken apart."""


@dataclass(frozen=True)
class Names:
    """What the state, what is given out, what is returned, and the flag of a loop over states are called."""
    at: str
    item: str
    result: str
    going: str


@dataclass
class Machine:
    """A generator's body, taken apart; raises Unfit where that can't be done.

    starts: the states, each by what is done from there; the generator is made in the first.  stays_ended: what it runs
    over may go on where it has ended once.  has_end: it remembers that it ended.  goes_round: a step may go through
    several states.  gives: whether it returns something.
    """
    names: Names
    fresh: Callable[[str], str]
    outside: Callable[[str, Any], Expr]
    starts: list[tuple[Block, Rest]] = field(default_factory=list)
    numbers: dict[tuple[Block, Rest], int] = field(default_factory=dict)
    loops: dict[Statement, tuple[Bind, While]] = field(default_factory=dict)
    stays_ended: bool = False
    has_end: bool = False
    goes_round: bool = False
    gives: bool = False

    def take_apart(self, body: Block, is_settled: Callable[[Expr], bool]) -> Block:
        """What is done when the generator is made; `is_settled`: evaluating it then gives what it gives later."""
        before, body = self._first(body, is_settled)
        rest: Rest = None
        first = body[0] if body else None
        if isinstance(first, For) and first.result is None and _stops(first) and is_settled(first.iter):
            made, loop = self._as_while(first)
            before, body, rest = (*before, made), (), (loop, (body[1:], None) if body[1:] else None)
        self._state(body, rest)
        size = None
        while size != (size := (len(self.starts), self.has_end, self.goes_round)):
            self.step(Const(None), ())
        result = (_set(self.names.result, Const(None)),) if self.gives else ()
        return (*before, *result, *((_set(self.names.at, Const(0)),) if self._has_state else ()))

    def _first(self, body: Block, is_settled: Callable[[Expr], bool]) -> tuple[Block, Block]:
        n = 0
        while n < len(body) and isinstance(stmt := body[n], Bind) and all(map(is_settled, stmt.values)):
            n += 1
        return body[:n], body[n:]

    def step(self, sent: Expr, at_end: Block) -> Block:
        """One step; `at_end`: what is done where the generator has ended."""
        traces = [_Trace(self, sent, at_end).state(k) for k in range(len(self.starts))]
        if not self.goes_round:
            return duplicate(self._chosen(traces, at_end))
        going = self.names.going
        loop = While(Name(going), self._chosen(traces, (_set(going, Const(False)),)))
        ended = Compare(Name(self.names.at), ("==",), (Const(ENDED),))
        return duplicate((_set(going, Const(True)), loop, *([If(ended, at_end)] if at_end else [])))

    def stopped(self) -> Expr:
        """What says that it ended."""
        stop = Name("StopIteration")
        return Call(stop, (Name(self.names.result),)) if self.gives else stop

    def _chosen(self, ways: list[Block], at_end: Block) -> Block:
        """The statements of the state that it is in."""
        out = at_end if self.has_end else ways.pop()
        for k, block in reversed(list(enumerate(ways))):
            out = (If(Compare(Name(self.names.at), ("==",), (Const(k),)), block, out),)
        return out

    @property
    def _has_state(self) -> bool:
        return len(self.starts) > 1 or self.has_end or self.goes_round

    def _state(self, block: Block, rest: Rest) -> int:
        key = _settled(block, rest)
        if key not in self.numbers:
            self.numbers[key] = len(self.starts)
            self.starts.append(key)
        return self.numbers[key]

    def _as_while(self, stmt: For) -> tuple[Bind, While]:
        """for x in xs: ...   ->   rest = cursor_of(xs); while rest.more(): x = rest.take(); ..."""
        if stmt not in self.loops:
            rest = self.fresh("rest")
            made = Bind((rest,), (Call(self.outside("cursor_of", cursor_of), (stmt.iter,), at=stmt.at),), at=stmt.at)
            more, take = (Call(Attr(Name(rest), name, at=stmt.at), (), at=stmt.at) for name in ("more", "take"))
            body = (Bind((stmt.target,), (take,), at=stmt.at), *stmt.body)
            self.loops[stmt] = made, While(more, body, stmt.orelse, at=stmt.at)
        return self.loops[stmt]


@dataclass
class _Trace:
    """What is done from one state on, on all ways, until something is given out."""
    machine: Machine
    sent: Expr
    at_end: Block
    count: int = 0

    def state(self, k: int) -> Block:
        return self.block(*self.machine.starts[k], frozenset(), True)

    def block(self, block: Block, rest: Rest, heads: frozenset[Any], idle: bool) -> Block:
        """heads: the loops that came round on the way here.  idle: nothing was done that must not be done again."""
        self.count += 1
        if self.count > MOST_STATEMENTS:
            raise Unfit
        block, rest = _settled(block, rest)
        if not block:
            return self._end(idle) if rest is None else self._loop(rest[0], rest[1], heads, idle)
        first, after = block[0], block[1:]
        if isinstance(first, _Sent):
            return (Bind(first.names, (self.sent,), at=first.at), *self.block(after, rest, heads, False))
        if (given := _given(first)) is not None:
            resumed = (_sent(first), *after) if isinstance(first, Bind) else after
            return self._give(given, self.machine._state(resumed, rest), first)
        if not _stops(first):
            return (first, *self.block(after, rest, heads, False))
        follows = (after, rest) if after else rest
        match first:
            case Return(value):
                return self._end(idle, value)
            case Jump("break"):
                return self.block((), _after_loop(rest), heads, idle)
            case Jump("continue"):
                return self.block((), _round(rest), heads, idle)
            case Jump("raise"):
                self.machine.has_end = True
                return (_set(self.machine.names.at, Const(ENDED)), first)
            case If(test, body, orelse):
                ways = (self.block(way, follows, heads, False) for way in (body, orelse))
                return (If(test, *ways, at=first.at),)
            case While():
                return self._loop(first, follows, heads, idle)
            case For() if first.result is None:
                made, loop = self.machine._as_while(first)
                return (made, *self._loop(loop, follows, heads, False))
        raise Unfit

    def _loop(self, loop: While, rest: Rest, heads: frozenset[Any], idle: bool) -> Block:
        """A loop comes round: where it did on the way here, the step goes on from its own state."""
        key = loop, rest
        if key in heads:
            self.machine.goes_round = True
            return (_set(self.machine.names.at, Const(self.machine._state((), key))),)
        body = self.block(loop.body, key, heads | {key}, False)
        if loop.test == Const(True):
            return body
        idle = idle and loop in (made for _, made in self.machine.loops.values())
        ended = self.block(loop.orelse, rest, heads, idle)
        if len(ended) == 1 and isinstance(ended[0], Jump) and ended[0].kind == "raise":
            return (If(Unary("not", loop.test), ended, at=loop.at), *body)
        return (If(loop.test, body, ended, at=loop.at),)

    def _give(self, value: Expr, state: int, stmt: Statement) -> Block:
        machine = self.machine
        out = [Bind((machine.names.item,), (value,), at=stmt.at)]
        if machine._has_state:
            out.append(_set(machine.names.at, Const(state)))
        return (*out, _set(machine.names.going, Const(False))) if machine.goes_round else tuple(out)

    def _end(self, idle: bool, value: Expr | None = None) -> Block:
        machine = self.machine
        out: list[Statement] = []
        if value is not None and value != Const(None):
            machine.gives = True
            out.append(_set(machine.names.result, value))
        if out or not idle or machine.goes_round or machine.stays_ended:
            machine.has_end = True
            out.append(_set(machine.names.at, Const(ENDED)))
        return (*out, _set(machine.names.going, Const(False))) if machine.goes_round else (*out, *self.at_end)


@dataclass(frozen=True, eq=False)
class _Sent(Statement):
    """Binds what was sent."""
    names: tuple[str, ...]


def _sent(stmt: Bind) -> _Sent:
    # kept with the statement, so that the state after it is the same each time
    known: _Sent | None = stmt.__dict__.get("_sent")
    if known is None:
        known = stmt.__dict__["_sent"] = _Sent(stmt.names, at=stmt.at)
    return known


def _settled(block: Block, rest: Rest) -> tuple[Block, Rest]:
    """What comes next: statements, or a loop that comes round, or nothing."""
    while not block and rest is not None and isinstance(rest[0], tuple):
        block, rest = rest
    return block, rest


def _given(stmt: Statement) -> Expr | None:
    value = stmt.values[0] if isinstance(stmt, Bind) else stmt.value if isinstance(stmt, Effect) else None
    return value.value if isinstance(value, Yield) else None


def _stops(stmt: Statement) -> bool:
    """Whether the generator may stop, or leave a loop around, in the statement."""
    if isinstance(stmt, (Return, Jump)):
        return True
    return any(isinstance(s, Return) or any(isinstance(e, Yield) for e in expressions(s))
               for s in statements((stmt,))) or _leaves(stmt)


def _leaves(stmt: Statement) -> bool:
    """Whether it may leave a loop around it."""
    if isinstance(stmt, Jump):
        return stmt.kind != "raise"
    inner = blocks(stmt)
    return any(map(_leaves, (s for b in (inner[1:] if isinstance(stmt, (For, While)) else inner) for s in b)))


def _after_loop(rest: Rest) -> Rest:
    while isinstance(rest[0], tuple):
        rest = rest[1]
    return rest[1]


def _round(rest: Rest) -> Rest:
    while isinstance(rest[0], tuple):
        rest = rest[1]
    return rest


def _set(name: str, value: Expr) -> Bind:
    return Bind((name,), (value,))


__all__ = ["Machine", "Names", "Unfit"]
