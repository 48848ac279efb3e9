"""Whether what a generator reads may change while it is at work: then it can't be made a list beforehand.

        g = map(f, a)
        s = next(g)
        a[1] = 0.0          the second element isn't what it was
        t = next(g)
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.quiet import is_quiet_call, is_quiet_value
from srcgrad.analysis.interpret.state import NOTHING, Abstract, Env, Storage, reach
from srcgrad.analysis.values import PENDING, UNKNOWN, Array, Closure, DictOf, Known, ListOf, Number
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Expr,
    For,
    Function,
    Item,
    Name,
    Star,
    Statement,
    Store,
    While,
    expressions,
    statements,
    walk,
)
from srcgrad.passes.unit import Unit


def may_change(unit: Unit, facts: Facts, at: Statement, call: Call, meanwhile: Iterable[Statement]) -> bool:
    """Whether these statements may change what the call in `at` is given, or what functions among that read."""
    env = facts.before[at]
    read = _names_read(facts, at, call, env) & names.local(unit.code)
    if not read <= env.keys():
        return True                 # it is bound later on
    items = [*given(facts, at, call), *(env[name] for name in read)]
    writes = _Writes(facts, {s.group for s in reach(items)}, not all(_holds_numbers(facts, item) for item in items),
                     _attributes(facts, at, call), [stmt for stmt in meanwhile if stmt in facts.before], env)
    return any(not read.isdisjoint(names.bound_by(stmt)) for stmt in writes.meanwhile) \
        or bool(writes.held) and any(map(writes.may_do, writes.meanwhile))


def _holds_numbers(facts: Facts, item: Abstract) -> bool:
    """Whether what it holds are numbers: then nothing else is a part of it."""
    value = facts.value_of(item)
    return isinstance(value, Array) and value.dims is not None and len(value.dims) == 1 \
        or isinstance(value, ListOf) and isinstance(value.item, Number) or not item.refs and value != UNKNOWN


def between(body: tuple[Statement, ...], first: Statement, uses: Iterable[Statement]) -> list[Statement]:
    """The statements that may run after the first one and before the last of the uses is over."""
    order = list(statements(body))
    place = {stmt: k for k, stmt in enumerate(order)}
    start, last = place[first], max(place[use] for use in uses)
    if min(place[use] for use in uses) < start:
        return order
    for loop in order:
        if isinstance(loop, (For, While)):
            inside = [place[s] for s in statements((loop,))]
            if place[loop] > start and place[loop] <= last <= inside[-1]:
                last = inside[-1]
    return order[start + 1:last + 1]


def given(facts: Facts, stmt: Statement, call: Call) -> list[Abstract]:
    """What the call is given, and what its method is called on."""
    parts = [a.value if isinstance(a, Star) else a for a in call.args] + [v for _, v in call.kwargs]
    return [facts.kind(stmt, e) for e in (*parts, *([call.func.value] if isinstance(call.func, Attr) else ()))]


def _names_read(facts: Facts, stmt: Statement, call: Call, env: Env) -> set[str]:
    """The names that functions made inside, and given here, read when they are called."""
    todo = [facts.kind(stmt, e) for e in (call.func, *call.args)]
    read: set[str] = set()
    while todo:
        value = todo.pop().value
        if isinstance(value, Closure):
            new = set(value.function.free) - read
            read |= new
            todo += [env[name] for name in new if name in env]
    return read


def _attributes(facts: Facts, stmt: Statement, call: Call) -> set[str]:
    """The attributes that the functions which are called, or given, ask for."""
    found = facts.callees.get((stmt, id(call)))
    functions = [] if found is None else [found[0]]
    functions += [v.function if isinstance(v, Closure) else v.obj for a in (call.func, *call.args)
                  if isinstance(v := facts.kind(stmt, a).value, (Closure, Known))]
    asked: set[str] = set()
    for function in functions:
        if isinstance(function, Closure):
            function = function.function
        if isinstance(function, Function):
            asked |= {e.name for s in statements(function.code.body) for top in expressions(s) for e in walk(top)
                      if isinstance(e, Attr)}
        elif callable(function):
            function = getattr(function, "__func__", function)
            names_in = getattr(function, "__code__", None)
            asked |= set() if names_in is None else set(names_in.co_names)
    return asked


@dataclass
class _Writes:
    """Whether statements may write into storages of these groups, which hold others if `deep`; of objects, only what is
    asked for counts."""
    facts: Facts
    held: set[Storage]
    deep: bool
    asked: set[str]
    meanwhile: list[Statement]
    env: Env

    def may_do(self, stmt: Statement) -> bool:
        if isinstance(stmt, Store) and not (isinstance(stmt.place, Attr) and stmt.place.name not in self.asked):
            items = [self.facts.kind(stmt, stmt.place.value)] if isinstance(stmt.place, (Item, Attr)) else \
                self._bound_to(stmt.place)
            if any(self._may_be_part(item) or not self.held.isdisjoint(ref.storage.group for ref in item.refs)
                   for item in items):
                return True
        return any(self._call(stmt, e) for top in expressions(stmt) for e in walk(top) if isinstance(e, Call))

    def _bound_to(self, place: Expr) -> list[Abstract]:
        """What the name may mean, other than by `name += ...` itself."""
        assert isinstance(place, Name)
        items = [self.env[place.id]] if place.id in self.env else []
        for stmt in self.meanwhile:
            if isinstance(stmt, Bind):
                items += [self.facts.kind(stmt, value) for name, value in zip(stmt.names, stmt.values)
                          if name == place.id and not isinstance(value, Bin)]       # which is new, whatever it is
            elif place.id in names.bound_by(stmt) and not isinstance(stmt, Store):
                items.append(NOTHING)
        return items

    def _call(self, stmt: Statement, call: Call) -> bool:
        env = self.facts.before[stmt]
        items = given(self.facts, stmt, call)
        if isinstance(call.func, Attr) and isinstance(self.facts.kind(stmt, call.func.value).value, (ListOf, DictOf)):
            items = items[-1:]          # a method of a list changes nothing else than the list
        items += [env[name] for name in _names_read(self.facts, stmt, call, env) if name in env]
        known = self.facts.kind(stmt, call.func).value
        if is_quiet_call(self.facts.evaluator, call, env) or isinstance(known, Closure) \
                and not any(map(self._may_be_part, items)) \
                and is_quiet_value(self.facts.evaluator, Abstract(known), env):
            return False
        return any(map(self._may_be_part, items)) \
            or any(self.facts.written(s) and s.group in self.held for s in reach(items))

    def _may_be_part(self, item: Abstract) -> bool:
        """Whether it may be a part of what is held, as far as is known: what a loop runs over isn't known yet, say."""
        return self.deep and not item.refs and item.value in (UNKNOWN, PENDING)


__all__ = ["between", "given", "may_change"]
