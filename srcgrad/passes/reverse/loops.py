"""The reverse of loops: the iterations from the last to the first.

An adjoint that an iteration adds to must exist before the reversed loop; one that an iteration uses up is zero again
at its end.  The body is reversed until both ends agree.
"""
from __future__ import annotations

from srcgrad.analysis.interpret.refused import Refused
from srcgrad.errors import InternalError
from srcgrad.lang import names
from srcgrad.lang.core import Bind, Const, For, Name, Statement, While, expressions, names_read, statements
from srcgrad.passes.reverse.adjoints import LAZY, OWN, SHARED, State, meet
from srcgrad.passes.reverse.branches import ReversesBlocks, primal_of, settle, zero_before
from srcgrad.passes.reverse.context import Context, is_number
from srcgrad.passes.reverse.contribute import KEYS_ARE_USED, Contributor, Out
from srcgrad.passes.reverse.masks import untouched
from srcgrad.passes.reverse.steps import Step, every_step

MAX_VISITS = 8


class Loops:
    def __init__(self, context: Context, contributor: Contributor, blocks: ReversesBlocks) -> None:
        self.c, self.contributor, self.blocks = context, contributor, blocks

    def reverse(self, stmt: For | While, state: State) -> Step:
        first: Out = []
        settle(self.c, self.contributor, stmt, state, first)
        self._own(stmt, state, first)
        start = state.copy()
        made: dict[str, str] = {}
        for _ in range(MAX_VISITS):
            inner = start.copy()
            steps = self.blocks.block(stmt.body, inner)
            tail = self._rezero(stmt, start, inner)
            wanted = self._wanted(stmt, start, inner)
            if wanted == start.have:
                break
            wanted.update((bar, LAZY) for bar in wanted if bar not in start.have and self._may_be_unbound(stmt, bar))
            made.update((bar, how) for bar, how in wanted.items() if bar not in start.have)
            start = State(dict(wanted), {})
        else:
            raise InternalError("the adjoints at both ends of a loop don't agree")
        if isinstance(stmt, For) and inner.has(self.c.bar(stmt.target)):
            raise Refused(*KEYS_ARE_USED, stmt.at)
        for bar in made:
            first.extend(self._before(stmt, bar))
        state.have, state.kinds, state.masks = dict(start.have), {}, untouched(self.c, stmt, state.masks)
        return Step(stmt, first=first, inner=[steps], tails=[tail])

    def _own(self, stmt: For | While, state: State, first: Out) -> None:
        """An adjoint whose parts the iterations add to is copied once, before them."""
        read = {n for s in statements(stmt.body) for e in expressions(s) for n in names_read(e)}
        if not any(how == SHARED and primal_of(self.c, bar) in read and self._is_array(stmt, bar)
                   for bar, how in state.have.items()):
            return
        trial = self.blocks.block(stmt.body, state.copy())
        copied = {s.names[0] for step in trial for part in every_step(step) for s in part.adjoint
                  if isinstance(s, Bind) and s.values == (self.c.numpy("array", Name(s.names[0])),)}
        for bar in sorted(copied):
            if state.have.get(bar) == SHARED:
                first.append(Bind((bar,), (self.c.numpy("array", Name(bar)),)))
                state.set(bar, OWN)

    def _local(self, stmt: For | While, bar: str) -> bool:
        """Whether the adjoint belongs to a name that each iteration makes anew."""
        name = primal_of(self.c, bar)
        if name is None:
            return False
        live = self.c.facts.live.head[stmt] | self.c.facts.live.after[stmt]
        return name in names.bound(stmt.body) and name not in live

    def _wanted(self, stmt: For | While, start: State, end: State) -> dict[str, str]:
        """What must be there at both ends of an iteration."""
        out = dict(start.have)
        for bar, how in end.have.items():
            if bar in out:
                out[bar] = meet(out[bar], how)
            elif not self._local(stmt, bar):
                out[bar] = how if how != SHARED or not self._is_array(stmt, bar) else SHARED
        return out

    def _is_array(self, stmt: Statement, bar: str) -> bool:
        name = primal_of(self.c, bar)
        return name is not None and not is_number(self.contributor.value_of(stmt, name))

    def _rezero(self, stmt: For | While, start: State, end: State) -> Out:
        """What an iteration used up is zero for the one before it."""
        out: Out = []
        for bar in start.have:
            if not end.has(bar):
                name = primal_of(self.c, bar)
                number = name is not None and (is_number(self.contributor.value_of(stmt, name))
                                               or self.contributor.is_either(stmt, name))
                out.append(Bind((bar,), (Const(0.0),)))
                end.set(bar, SHARED if number else LAZY)
        return out

    def _may_be_unbound(self, stmt: For | While, bar: str) -> bool:
        """Whether it belongs to an array whose name has no value after the loop if that never ran."""
        name = primal_of(self.c, bar)
        return name is not None and self._is_array(stmt, bar) and name in self.c.facts.after.get(stmt, {}) \
            and not self.c.is_bound(stmt, name, after=True)

    def _before(self, stmt: For | While, bar: str) -> Out:
        name = primal_of(self.c, bar)
        if self._may_be_unbound(stmt, bar):
            return [Bind((bar,), (Const(0.0),))]
        if name is not None and name in self.c.facts.after.get(stmt, {}):
            return [Bind((bar,), (self.contributor.zeros(stmt, name, after=True),))]
        zero, _ = zero_before(self.c, self.contributor, stmt, bar)
        return [Bind((bar,), (zero,))]
