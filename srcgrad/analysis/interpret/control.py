"""How the interpreter follows control flow: states join where ways meet, loops are visited until nothing changes."""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.expressions import Evaluator, Refused
from srcgrad.analysis.interpret.managers import expansion
from srcgrad.analysis.interpret.narrowing import narrowed
from srcgrad.analysis.interpret.state import (
    NOT_YET,
    NOTHING,
    Abstract,
    Env,
    Heap,
    forgetful,
    join_envs,
    live_part,
    merge_envs,
)
from srcgrad.analysis.lengths import Iteration
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Caught,
    DictOf,
    Known,
    Lazy,
    Linear,
    ListOf,
    Number,
    RangeOf,
    ShapeOf,
    TupleOf,
)
from srcgrad.lang.core import (
    Call,
    Const,
    Expr,
    For,
    If,
    Jump,
    Name,
    Statement,
    Try,
    While,
    With,
    children,
    statements,
)

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.interpreter import Facts

Handler = tuple[Expr | None, str | None, tuple[Statement, ...]]
MAX_VISITS = 40
NO_VARIABLE = -1


@dataclass
class Handled:
    """A block whose exceptions are caught: what is live where they arrive, the states they may come from, and whether
    what they carry may be differentiated."""
    live: frozenset[str]
    env: Env | None = None
    active: bool = False


class Control:
    """The part of a walk that follows compound statements and jumps.

    breaks: for each loop around, the states in which it is left.  tries: for each `try` around, what is live where an
    exception arrives, and the states in which one may be raised.  steps: branches that are taken, unless an exception
    came before them.
    """
    facts: Facts
    heap: Heap
    ev: Evaluator
    heads: dict[Statement, Env]
    numbers: dict[Statement, int]
    breaks: list[list[Env]]
    tries: list[Handled]
    steps: frozenset[Statement]

    def block(self, block: tuple[Statement, ...], env: Env | None) -> Env | None:
        raise NotImplementedError

    def _assign(self, env: Env, name: str, item: Abstract) -> None:
        raise NotImplementedError

    def _array_element(self, stmt: Statement, item: Abstract, value: Array, index: Expr) -> Abstract:
        raise NotImplementedError

    # ------------------------------------------------------------ jumps and branches

    def _jump(self, stmt: Jump, env: Env) -> Env | None:
        if stmt.kind == "break":
            self.breaks[-1].append(env)
        elif stmt.kind == "raise" and stmt.value is not None:
            self._raised(stmt, env)
        return None

    def _raised(self, stmt: Jump, env: Env) -> None:
        """What an exception says is only read by those who catch it."""
        if not self.tries or stmt.value is None:
            return
        if isinstance(stmt.value, Call) and _is_exception(self.ev(stmt.value.func, env)):
            given = [self.ev(e, env) for e in children(stmt.value)[1:]]
            if any(item.active for item in given):
                for handled in self.tries:
                    handled.active = True
                return
        self.ev(stmt.value, env)

    def _if(self, stmt: If, env: Env) -> Env | None:
        certain = self.ev.truth(self.ev(stmt.test, env))
        if certain is not None:
            self.facts.taken[stmt] = certain
            return self.block(stmt.body if certain else stmt.orelse, env)
        self.facts.taken.pop(stmt, None)
        live = self.facts.live.after[stmt]
        if stmt in self.steps:
            return self._step(stmt, env, live)
        ways = ((stmt.body, True), (stmt.orelse, False))
        ends = [self.block(body, dict(narrowed(self.ev, stmt.test, env, way))) for body, way in ways]
        kept = [None if end is None else live_part(end, live) for end in ends]
        return self._joined(*kept)

    def _step(self, stmt: If, env: Env, live: frozenset[str]) -> Env | None:
        """Whatever comes next comes after the step; but its reverse is one of a branch, which both ways meet at."""
        end = self.block(stmt.body, dict(env))
        if end is None:
            return None
        end = live_part(end, live)
        self._joined(end, live_part(env, live))
        return end

    def _joined(self, a: Env | None, b: Env | None) -> Env | None:
        """The state where two ways meet: what was born on one of them alone has no buffer of its own."""
        if a is not None and b is not None:
            for name in a.keys() ^ b.keys():
                for ref in (a.get(name) or b[name]).refs:
                    self.heap.mark(ref.storage, loose=True)
        return join_envs(self.heap, a, b)

    # ------------------------------------------------------------ exceptions

    def _note_raising(self, env: Env) -> None:
        """An exception may come in this state."""
        for handled in self.tries:
            state = {n: forgetful(i) for n, i in env.items() if n in handled.live}
            handled.env = join_envs(self.heap, handled.env, state)

    def _try(self, stmt: Try, env: Env) -> Env | None:
        live = self.facts.live.after[stmt]
        handled = Handled(self.facts.live.caught[stmt])
        self.tries.append(handled)
        self._note_raising(env)
        end = self.block(stmt.body, dict(env))
        self.tries.pop()
        raised = handled.env if handled.env is not None else {}
        kept = live | self.facts.live.before[stmt.final[0]] if stmt.final else live
        self._mark_raised(stmt, raised)
        carried = Abstract(Caught(), varied=True) if handled.active or self._calls_out(stmt) else NOTHING
        ends = [self.block(stmt.orelse, end), *(self._handler(stmt, h, dict(raised), carried) for h in stmt.handlers)]
        after: Env | None = None
        for state in ends:
            after = self._joined(after, None if state is None else {n: i for n, i in state.items() if n in kept})
        if stmt.final:
            after = self._final(stmt, after, raised)
        return None if after is None else {n: i for n, i in after.items() if n in live}

    def _calls_out(self, stmt: Try) -> bool:
        """Whether functions that aren't put in place, and may raise anything, are called in the body."""
        inside = set(statements(stmt.body))
        return any(site in inside for site, _ in self.facts.callees)

    def _handler(self, stmt: Try, handler: Handler, env: Env, carried: Abstract) -> Env | None:
        caught, name, block = handler
        self.ev.site = stmt
        if caught is not None:
            self.ev(caught, env)
        if name is not None:
            self._assign(env, name, carried)
        return self.block(block, env)

    def _final(self, stmt: Try, env: Env | None, raised: Env) -> Env | None:
        """The last block also runs on the way out with an exception, which leads nowhere that matters."""
        if env is None or any(isinstance(s, (If, While, Try)) for s in stmt.final):
            first = raised if env is None else merge_envs(self.heap, env, raised)
            after = self.block(stmt.final, dict(first))
            return None if env is None else after
        return self.block(stmt.final, env)

    def _mark_raised(self, stmt: Try, state: Env) -> None:
        """A storage that is born in a loop of the body and used where the exception arrives."""
        loops = [s for s in statements(stmt.body) if isinstance(s, (For, While))]
        for item in state.values():
            for ref in item.refs:
                if any(loop in ref.storage.home for loop in loops):
                    self.heap.mark(ref.storage, loose=True)

    def _with(self, stmt: With, env: Env) -> Env | None:
        self.ev.site = stmt
        written_out = expansion(self.ev, stmt, env)
        if written_out is not None:
            self.facts.replacements[stmt] = written_out
            return None
        for manager, name in stmt.items:
            self.ev.site = stmt
            item = self.ev(manager, env)
            if item.active:
                raise Refused("what this `with` manages is differentiated, and what it does isn't known",
                              "use a class of your own, or write the calls out", manager.at or stmt.at)
            if name is not None:
                self._assign(env, name, NOTHING)
        return self.block(stmt.body, env)

    # ------------------------------------------------------------ loops

    def _for(self, stmt: For, env: Env) -> Env | None:
        item = self.ev(stmt.iter, env)
        if item.refs and all(ref.storage.stays_empty for ref in item.refs) and item.value == ListOf(None):
            return self.block(stmt.orelse, env)
        element = self._element(stmt, item)
        end = self._loop(stmt, env, lambda state: self._assign(state, stmt.target, element))
        if end is not None and stmt.result is not None:
            self.ev.pending += 1
            self._assign(end, stmt.result, NOT_YET)
        return end

    def _element(self, stmt: For, item: Abstract) -> Abstract:
        value = self.ev.value(item)
        match value:
            case RangeOf() | ShapeOf():
                return Abstract(Number("int", None, Linear.symbol(Iteration(self.numbers[stmt]))))
            case Array():
                return self._array_element(stmt, item, value, Name(f"{stmt.target}_index"))
            case ListOf():
                return self.ev.element(item)
            case TupleOf() if item.items:
                return functools.reduce(self.heap.join, item.items)
        if isinstance(value, Lazy) and item.active:
            return Abstract(varied=True)        # it is run in place of the loop
        if isinstance(value, DictOf):
            return containers.a_key(item)
        if item.active:
            raise Refused("it isn't known what this loop runs over",
                          "loop over a range, an array, a list or a tuple", stmt.at)
        return Abstract(UNKNOWN, self.ev.view(item, None)) if item.value == UNKNOWN else NOTHING

    def _while(self, stmt: While, env: Env) -> Env | None:
        def head(state: Env) -> None:
            self.ev(stmt.test, state)
            state.update(narrowed(self.ev, stmt.test, state, True))
        return self._loop(stmt, env, head)

    def _loop(self, stmt: For | While, env: Env, head: Callable[[Env], object]) -> Env | None:
        """The state at the head grows until it is stable; only what is live there is kept.

        Nothing that is known in terms of the loop's variable outlives the iteration.
        """
        outside = self.ev.loops
        self.ev.loops = (*outside, stmt)
        live = self.facts.live.head[stmt]
        earlier = self.heads.get(stmt)
        state = dict(env) if earlier is None else merge_envs(self.heap, dict(env), earlier)
        number = self.numbers.get(stmt, NO_VARIABLE)
        for visit in range(MAX_VISITS + 1):
            if visit == MAX_VISITS:
                raise Refused("this loop is too involved to be followed", "split it into functions", stmt.at)
            inner = dict(state)
            self.ev.site = stmt
            head(inner)
            self.breaks.append([])
            end = self.block(stmt.body, inner)
            left = self.breaks.pop()
            back = None if end is None else {
                n: forgetful(i, number) for n, i in live_part(end, live | env.keys()).items()}
            new = state if back is None else merge_envs(self.heap, state, back)
            if new == state:
                break
            state = new
        self.heads[stmt] = state
        self.ev.loops, self.ev.site = outside, stmt
        after = self._after_loop(stmt, state, left, number)
        if after is not None:
            self._mark_survivors(stmt, after)
        return after

    def _after_loop(self, stmt: For | While, state: Env, left: list[Env], number: int) -> Env | None:
        """The state in which the loop ends, or is left."""
        live = self.facts.live.after[stmt]
        endless = isinstance(stmt, While) and stmt.test == Const(True)
        after: Env | None = None if endless else {n: i for n, i in state.items() if n in live or not left}
        for env in left:
            after = join_envs(self.heap, after, {
                n: forgetful(i, number) for n, i in live_part(env, live).items()})
        return after

    def _mark_survivors(self, stmt: Statement, state: Env) -> None:
        """A storage that is born in the loop and used after it has no place for a buffer of its own."""
        live = self.facts.live.after[stmt]
        for name, item in state.items():
            for ref in item.refs:
                if name in live and stmt in ref.storage.home:
                    self.heap.mark(ref.storage, loose=True)


def _is_exception(item: Abstract) -> bool:
    obj = item.value.obj if isinstance(item.value, Known) else None
    return isinstance(obj, type) and issubclass(obj, BaseException)
