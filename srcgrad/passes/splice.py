"""Puts the body of one function in the place of one call."""
from __future__ import annotations

import builtins
import types
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Const,
    Expr,
    Function,
    Name,
    Opaque,
    Refuse,
    Slice,
    Star,
    Statement,
    Store,
    expressions,
    names_read,
    statements,
    suspends,
    walk,
)
from srcgrad.lang.names import root_name
from srcgrad.lang.source import is_user_function
from srcgrad.passes.arguments import Binder, Callee
from srcgrad.passes.descent import Recursive, goes_down
from srcgrad.passes.lower.jumps import is_flag
from srcgrad.passes.outer_names import bound_outside, own_name, written_outside
from srcgrad.passes.placeable import Kept
from srcgrad.passes.rename import relocated, rename_statement
from srcgrad.passes.unit import Unit
from srcgrad.passes.varargs import unrolled


class Splicer:
    """The function that is rewritten, and what is known of it, for one round of rewriting."""

    def __init__(self, unit: Unit, facts: Facts, kept: Kept) -> None:
        self.unit, self.facts, self.kept = unit, facts, kept
        self.changed = False
        self.bound_outside: dict[str, str] = {}     # new names from outside that callees bind -> their names here
        self.site: Statement | None = None
        self.around: tuple[Any, ...] = ()   # the functions that the statements around it come from
        self.loops = 0                      # how many are around the statement

    def made(self, hint: str) -> str:
        name = self.unit.fresh.name(hint)
        self.unit.made.add(name)
        return name

    def name(self, expr: Expr, before: list[Statement]) -> Expr:
        if isinstance(expr, (Slice, Star)):
            return expr
        name = self.made("t")
        before.append(Bind((name,), (expr,), at=expr.at))
        return Name(name, at=expr.at)

    def spliced(self, callee: Callee, call: Call, old: Call, stmt: Statement, before: list[Statement],
                changing: Collection[str] = ()) -> tuple[Statement, ...]:
        """The body of the callee, its parameters bound before; the names in `changing` may be bound while it runs."""
        self.changed = True
        chain = self.unit.chains.get(stmt) or self.around
        inside = chain if suspends(callee.code.body) else (*chain, *self.around)
        entry = self._entry(callee, (stmt, id(old)), inside)
        receiver = (call.func.value,) if callee.method and isinstance(call.func, Attr) else ()
        binder = Binder(self.facts, stmt, lambda e: self.name(e, before), self.made, before)
        args = binder.bind(callee, receiver, call, old)
        if isinstance(args, Refuse):
            return (args,)
        if callee.library:
            callee, args = unrolled(callee, args)
        renaming = self._rename_locals(callee, (*chain, entry))
        for name, outer in callee.constants.items():
            hint = next((param for param, arg in args.items() if arg == Name(name)), name)
            new = Name(self._outer_name(hint, outer))
            args = {param: new if arg == Name(name) else arg for param, arg in args.items()}
        body = self._written_outside(callee, renaming)
        body = tuple(rename_statement(s, renaming) for s in body)
        values = self._pass(callee, args, renaming, before, body, changing)
        body = tuple(rename_statement(s, {renaming[param].id: value for param, value in values.items()}) for s in body)
        if callee.library:
            body = tuple(relocated(s, call.at) for s in body)
        self.unit.chains.update((s, (*chain, entry)) for s in statements(body))
        return body

    def _entry(self, callee: Callee, site: tuple[Statement, int], inside: tuple[Any, ...]) -> Any:
        """What tells in chains that this function was put in place; raises Recursive where it can't be."""
        depths = self.facts.evaluator.descents.get(site)
        descent = None if depths is None else goes_down(callee.key, depths, inside)
        if descent is not None:
            return descent
        known = callee.key in inside and not callee.library or callee.key is self.unit.found.function.__code__
        if known or depths is not None:
            raise Recursive(callee.key)
        return callee.key

    def _rename_locals(self, callee: Callee, chain: tuple[Any, ...]) -> dict[str, Name]:
        """Locals and outer names of the callee, as they are called here."""
        renaming: dict[str, Name] = {}
        for name in sorted(names.local(callee.code)):
            new = self.unit.fresh.name(name)
            renaming[name] = Name(new)
            self.unit.spliced[new] = chain
            if callee.own is not None and name not in callee.own and not is_flag(name):
                self.unit.made.add(new)
        for name in names.free(callee.code):
            outer = callee.outer(name)
            if outer is None or _means_the_same(outer, self.unit.outer(name)):
                continue
            if outer.value() is MISSING:
                continue
            renaming[name] = Name(self._outer_name(name, outer))
        for name in names.free(callee.code):
            here = renaming[name].id if name in renaming else name
            own = self.unit.own_names.get(here) or self.bound_outside.get(here)
            if own is not None and callee.outer(name) is not None:
                renaming[name] = Name(own)
        return renaming

    def _written_outside(self, callee: Callee, renaming: dict[str, Name]) -> tuple[Statement, ...]:
        """The body of a callee; names outside that it binds get names of their own here."""
        declared = bound_outside(callee.code, callee.outer)
        for name, outer in declared.items():
            here = name if _means_the_same(outer, self.unit.outer(name)) else self._outer_name(name, outer)
            if here not in self.unit.own_names and here not in self.bound_outside:
                self.bound_outside[here] = own_name(self.unit, here)
            renaming[name] = Name(self.unit.own_names.get(here) or self.bound_outside[here])
        return written_outside(self.unit, callee.code.body, declared)

    def _outer_name(self, name: str, outer: Outer) -> str:
        if self.facts.evaluator.new_classes.is_cell(outer.cell) and outer.value() is not MISSING:
            outer = Outer(name, {name: outer.value()})          # of a class that was made once and for all
        for known, other in self.unit.scopes.items():
            if other == outer or other.means_only(outer.value()) and outer.means_only(other.value()):
                return known
        new = self.unit.fresh.name(name)
        self.unit.scopes[new] = outer
        return new

    def outside(self, name: str, obj: Any) -> Expr:
        """A name that means this object: the user's own if there is one."""
        known = self.unit.outer(name)
        if known is not None and known.value() is obj and name not in names.local(self.unit.code):
            return Name(name)
        return Name(self._outer_name(name, Outer(name, {name: obj})))

    def _pass(self, callee: Callee, args: Mapping[str, Expr], renaming: Mapping[str, Name],
              before: list[Statement], body: tuple[Statement, ...], changing: Collection[str]) -> dict[str, Expr]:
        """Parameters that the callee doesn't rebind are replaced by plain arguments; others are bound first."""
        rebound = names.bound(callee.code.body) | self._outliving(callee.code, args)
        opaque = {n for stmt in statements(callee.code.body) for e in expressions(stmt) for node in walk(e)
                  if isinstance(node, Opaque) for n in node.reads}
        values: dict[str, Expr] = {}
        for param, arg in args.items():
            plain = isinstance(arg, Const) and param not in opaque \
                or isinstance(arg, Name) and arg.id not in changing and not self.may_bind(body, arg.id)
            if param not in rebound and plain:
                values[param] = arg
            else:
                before.append(Bind((renaming[param].id,), (arg,), at=arg.at))
        return values

    def may_bind(self, later: Sequence[Statement], name: str) -> bool:
        """Whether these statements bind the name, or call what isn't put in place yet and may do that."""
        bound = names.bound(tuple(later))
        if name in bound or self.unit.own_names.get(name) in bound or self.bound_outside.get(name) in bound:
            return True
        if name not in self._bindable and (name in self._local or self._means_code(name)):
            return False
        return any(isinstance(e, Call) and not self._means_code(root_name(e.func)) for stmt in statements(tuple(later))
                   for top in expressions(stmt) for e in walk(top))

    def may_change(self, later: Sequence[Statement], place: Expr) -> bool:
        """Whether these statements may store into the place, or call what isn't put in place yet and may do that."""
        if isinstance(place, Name):
            return self.may_bind(later, place.id)
        own = names.bound(tuple(later))
        root = root_name(place)
        for stmt in statements(tuple(later)):
            if isinstance(stmt, Store) and type(stmt.place) is type(place) and root_name(stmt.place) not in own \
                    and getattr(stmt.place, "name", None) == getattr(place, "name", None):
                return True
            for e in (e for top in expressions(stmt) for e in walk(top) if isinstance(e, Call)):
                if root in names_read(e) or root_name(e.func) in self._local - own:
                    return True
        return False

    @cached_property
    def _local(self) -> frozenset[str]:
        return names.local(self.unit.code) | self.unit.made | self.unit.spliced.keys()

    @cached_property
    def _bindable(self) -> frozenset[str]:
        """Local names that functions made inside may bind, and those that stand for names outside."""
        inside = _functions(self.unit.code.body)
        return frozenset(self.unit.own_names.values()).union(*(e.code.nonlocals for e in inside))

    def _means_code(self, name: str) -> bool:
        """Whether a name that isn't local is one of a module, a class or a function that isn't the user's."""
        outer = None if name in self._local else self.unit.outer(name)
        value = None if outer is None else outer.value()
        return isinstance(value, (types.ModuleType, type)) or callable(value) and not is_user_function(value)

    def _outliving(self, code: Code, args: Mapping[str, Expr]) -> frozenset[str]:
        """Parameters that a function made by the callee reads, perhaps when the argument's name means another thing."""
        captured = {n for stmt in statements(code.body) for e in expressions(stmt) for node in walk(e)
                    if isinstance(node, Function) for n in node.free}
        bound = Counter([p.name for p in self.unit.code.params])
        bound.update(n for stmt in statements(self.unit.code.body) for n in names.bound_by(stmt))
        return frozenset(p for p in captured & args.keys() if isinstance(arg := args[p], Name)
                         and (self.loops or bound[arg.id] > 1))


def _means_the_same(outer: Outer, own: Outer | None) -> bool:
    """Whether a name means here what it means to a callee: modules and builtins aren't rebound unseen."""
    if outer == own:
        return True
    value = outer.value()
    known = isinstance(value, types.ModuleType) or getattr(builtins, outer.name, MISSING) is value
    return known and own is not None and own.value() is value


def _functions(block: tuple[Statement, ...]) -> Iterator[Function]:
    """All functions that are made in the block, those inside of others too."""
    for stmt in statements(block):
        for top in expressions(stmt):
            for e in walk(top):
                if isinstance(e, Function):
                    yield e
                    yield from _functions(e.code.body)
