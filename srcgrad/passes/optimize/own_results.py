"""Return a gradient as it is where it certainly is an array of its own, of the argument's shape and dtype."""
from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.values import Array
from srcgrad.lang import core
from srcgrad.lang.core import Bind, Call, Effect, Expr, Item, Name, Return, Statement, Store
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.effects import Block, captured
from srcgrad.passes.optimize.operands import makes_new
from srcgrad.passes.optimize.oracles import Oracles


def own_results(block: Block, oracles: Oracles, gradient: str | None) -> Block:
    """The block without calls of `gradient` (the name of that helper) that would only copy what nobody else has.

    ::

        x_bar = 2.0 * x
        return gradient(x, x_bar)    ->    return x_bar
    """
    if gradient is None or not block or not isinstance(block[-1], Return):
        return block
    last = block[-1]
    owned = _Owned(block[:-1], oracles)
    parts = last.value.items if isinstance(last.value, core.Tuple) else (last.value,)
    new = tuple(_result(part, parts, gradient, owned, oracles) for part in parts)
    value = replace(last.value, items=new) if isinstance(last.value, core.Tuple) else new[0]
    return (*block[:-1], replace(last, value=value))


def _result(part: Expr, parts: tuple[Expr, ...], gradient: str, owned: _Owned, oracles: Oracles) -> Expr:
    match part:
        case Call(Name(helper), (Name() as x, bar), ()) if helper == gradient and _is_like(x, bar, oracles):
            if makes_new(bar):
                return bar
            others = frozenset(n for p in parts if p is not part for n in core.names_read(p))
            if isinstance(bar, Name) and owned.alone(bar.id, others):
                return bar
    return part


def _is_like(x: Expr, bar: Expr, oracles: Oracles) -> bool:
    """Whether both are alike arrays of doubles, the one dtype that every gradient of floats keeps."""
    value = oracles.value(x)
    return oracles.alike(x, bar) and isinstance(value, Array) and value.dtype == "f8"


class _Owned:
    """Names whose objects were made here and are known by these names only."""

    def __init__(self, block: Block, oracles: Oracles) -> None:
        self.sources: dict[str, set[str]] = {}
        self.oracles = oracles
        self.lost: set[str] = set(captured(block))
        for stmt in core.statements(block):
            self._note(stmt)

    def _note(self, stmt: Statement) -> None:
        match stmt:
            case Bind(names, values):
                for name, value in zip(names, values):
                    self._bind(name, value)
            case Store(Item(array), None) if self.oracles.kind(array) == "array":
                pass               # its cells are copied
            case Store(_, None, value):
                self.lost |= core.names_read(value)
            case Effect(value):
                self.lost |= core.names_read(value)
            case _ if not isinstance(stmt, Store):
                self.lost.update(bound_by(stmt))

    def _bind(self, name: str, value: Expr) -> None:
        sources = self.sources.setdefault(name, set())
        if makes_new(value):
            return
        sources |= core.names_read(value)
        if not isinstance(value, Name):
            self.lost.add(name)
        if isinstance(value, (core.Tuple, core.List, core.Dict)):
            self.lost |= core.names_read(value)

    def alone(self, name: str, others: frozenset[str]) -> bool:
        """Whether the name's object is new, and none of the others can mean it."""
        chain = self._chain(name)
        return chain <= self.sources.keys() and chain.isdisjoint(self.lost) and (
            not any(chain & self._chain(other) for other in others))

    def _chain(self, name: str) -> set[str]:
        out: set[str] = set()
        todo = [name]
        while todo:
            current = todo.pop()
            if current not in out:
                out.add(current)
                todo += self.sources.get(current, ())
        return out
