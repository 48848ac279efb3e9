"""What the optimisations ask about a generated function: kinds of names, what is mutable, what is pure."""
from __future__ import annotations

import builtins
from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from srcgrad.analysis.interpret.state import Abstract, Storage, reach
from srcgrad.analysis.lengths import forget
from srcgrad.analysis.scope import MISSING
from srcgrad.analysis.values import UNKNOWN, Array, Value, join, number_of
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Expr,
    For,
    Name,
    Statement,
    Store,
    Unary,
    Unpack,
    expressions,
    names_read,
    statements,
    walk,
)
from srcgrad.lang.names import root_name
from srcgrad.passes.optimize.effects import MUTATORS, Effects
from srcgrad.passes.optimize.simplify import Kind
from srcgrad.passes.reverse.context import Context, Probe
from srcgrad.rules.nondifferentiable import is_pure
from srcgrad.rules.spellings import METHODS
from srcgrad.runtime import checks, containers, copies, outside, structure
from srcgrad.runtime.closures import Captured

IMPURE_HELPERS = checks.ASSERTIONS | {
    containers.cut, containers.uninsert, containers.insert_back, containers.reopen, containers.permute,
    containers.permute_back, containers.put_back, containers.put_field_back, structure.opened,
    outside.contents, outside.give_back, copies.check_unshared,
    structure.add_at, structure.add_each, structure.check_separate, structure.check_scalar, structure.check_pair,
    structure.refuse_result}
PURE_BUILTINS = frozenset((len, range, reversed, float, int, abs, slice, min, max, bool, tuple))
PURE_METHODS = frozenset(METHODS) | {"copy", "astype"}
FRESH_METHODS = frozenset(("copy", "sum", "mean", "dot"))
SHADOW = "shadow"
Block = tuple[Statement, ...]


class Oracles:
    """Answers for one generated body; `earlier` are those for what the body was made of."""

    def __init__(self, context: Context, body: Block, earlier: Oracles | None = None) -> None:
        self.c, self.body = context, body
        # an expression, what its names are, and what it is then: most of a body is what it was before
        self._evaluated: dict[int, tuple[Expr, list[Value | None], Value]] = {}
        if earlier is not None:
            self.primal, self._evaluated = earlier.primal, earlier._evaluated
        self._memo: dict[int, tuple[Expr, bool]] = {}
        self._values: dict[int, tuple[Expr, Value]] = {}
        self.private: frozenset[str] = frozenset()    # names that alone mean their objects, and are added to as a whole

    # ------------------------------------------------------------ kinds

    @cached_property
    def primal(self) -> dict[str, Abstract]:
        """Every primal name with all that it may be at any time."""
        out: dict[str, Abstract] = dict(self.c.facts.entry)
        seen: set[tuple[str, int]] = set()
        for env in (*self.c.facts.before.values(), *self.c.facts.after.values()):
            for name, item in env.items():
                if (name, id(item)) in seen:
                    continue
                seen.add((name, id(item)))
                old = out.get(name)
                if old is not None and old is not item and old != item:
                    parts = {id(part): part for part in (*(old.items or ()), *(item.items or ()))}
                    item = Abstract(join(self._value(old), self._value(item)), old.refs | item.refs,
                                    items=tuple(parts.values()) or None)
                out[name] = item
        return out

    def _value(self, item: Abstract) -> Value:
        """What the item is in any iteration: adjoints go from one to the next."""
        return forget(self.c.facts.value_of(item))

    @cached_property
    def kinds(self) -> dict[str, Value]:
        """What each name of the body is: primal names as the facts say, others by what they are bound to."""
        env = {name: self._value(item) for name, item in self.primal.items()}
        out = dict(env)
        for _ in range(2):
            for stmt in statements(self.body):
                if isinstance(stmt, Bind):
                    for name, value in zip(stmt.names, stmt.values):
                        if name not in env:
                            kind = self._evaluate(value, out)
                            out[name] = join(out[name], kind) if name in out else kind
        return out

    def _evaluate(self, expr: Expr, kinds: dict[str, Value]) -> Value:
        names = names_read(expr)
        given = [kinds.get(name) for name in names]
        known = self._evaluated.get(id(expr))
        if known is None or known[1] != given:
            env = {name: Abstract(kind) for name, kind in zip(names, given) if kind is not None}
            known = self._evaluated[id(expr)] = (expr, given, self._probed(expr, env))
        return known[2]

    def _probed(self, expr: Expr, env: dict[Any, Abstract]) -> Value:
        try:
            return Probe(self.c)(expr, env).value
        except Exception:             # whatever can't be told is unknown
            return UNKNOWN

    def value(self, expr: Expr) -> Value:
        if isinstance(expr, Name):
            return self.kinds.get(expr.id, UNKNOWN)
        known = self._values.get(id(expr))
        if known is None or known[0] is not expr:
            known = self._values[id(expr)] = (expr, self._evaluate(expr, self.kinds))
        return known[1]

    def kind(self, expr: Expr) -> Kind:
        value = self.value(expr)
        if isinstance(value, Array) and value.dims and value.dtype is not None and value.dtype.kind in "fci":
            return "array"
        number = number_of(value)
        if number is not None and number.kind != "bool" and (number.dtype is None or number.dtype.kind in "fci"):
            return "number"
        return None

    def floating(self, expr: Expr) -> bool:
        value = self.value(expr)
        if isinstance(value, Array):
            return value.dtype is not None and value.dtype.kind == "f"
        number = number_of(value)
        return number is not None and number.kind == "float"

    def alike(self, a: Expr, b: Expr) -> bool:
        """Whether both certainly are arrays of the same dtype and shape, but no 0-d arrays."""
        one, other = self.value(a), self.value(b)
        return isinstance(one, Array) and one == other and one.dtype is not None and bool(one.dims) \
            and one.dims is not None and None not in one.dims

    # ------------------------------------------------------------ effects

    @cached_property
    def effects(self) -> Effects:
        storages = self._storages()
        arrays = frozenset(token for tokens in storages.values() for token in tokens if self._is_array(token))
        return Effects(self.pure, storages, arrays, self._integers())

    def _integers(self) -> frozenset[str]:
        found = {name: number_of(value) for name, value in self.kinds.items()}
        return frozenset(name for name, number in found.items() if number is not None and number.kind == "int")

    def _is_array(self, token: Hashable) -> bool:
        return getattr(token, "kind", "array") == "array" and token != SHADOW

    def _storages(self) -> dict[str, frozenset[Hashable]]:
        out: dict[str, frozenset[Hashable]] = {}
        for name, item in self.primal.items():
            tokens = frozenset(self._tokens(item))
            if tokens:
                out[name] = tokens
        for name, tokens in self._adjoint_storages().items():
            out[name] = out.get(name, frozenset()) | tokens
        for name, scope in self.c.unit.scopes.items():
            setter = scope.globals.get(scope.name)
            if isinstance(setter, outside.Setter):          # calling it is a write to what the name outside means
                here = {n for n in self.c.unit.own_names if self._outer_is(n, setter)}
                out.update(dict.fromkeys((name, *here), frozenset((Storage(setter.name, "name", "outer"),))))
        return out

    def _outer_is(self, name: str, setter: outside.Setter) -> bool:
        outer = self.c.unit.outer(name)
        return outer is not None and setter.sets(outer.name, outer.globals, outer.cell)

    def _tokens(self, item: Abstract) -> set[Any]:
        return {storage.group for storage in reach([item]) if self.c.facts.written(storage)}

    def _adjoint_storages(self) -> dict[str, frozenset[Hashable]]:
        """Names that aren't primal: those that may share an object are one class; it counts if something writes it."""
        classes = self._classes()
        members: dict[str, list[str]] = {}
        for name in classes.names():
            members.setdefault(classes.root(name), []).append(name)
        stores = (s for s in statements(self.body) if isinstance(s, Store))
        parts = {root_name(s.place, "") for s in stores if not isinstance(s.place, Name)}
        self.private = frozenset(ns[0] for ns in members.values() if len(ns) == 1 and ns[0] not in parts)
        out: dict[str, frozenset[Hashable]] = {}
        roots = {classes.root(n) for n in self._written_names()}
        for name in classes.names():
            root = classes.root(name)
            if root in roots or root == classes.root(SHADOW):
                out[name] = frozenset((SHADOW if root == classes.root(SHADOW) else f"class of {root}",))
        return out

    def _classes(self) -> _Classes:
        classes = _Classes()
        for stmt in statements(self.body):
            match stmt:
                case Bind(targets, values):
                    for name, value in zip(targets, values):
                        self._alias(classes, name, value)
                case Unpack(targets, value, _):
                    for name in targets:
                        self._alias(classes, name, value)
                case For(target, it, _, _):
                    self._alias(classes, target, it)
        return classes

    def _written_names(self) -> set[str]:
        """Names whose object a statement writes into, or may: the operands of calls that aren't pure."""
        written: set[str] = set()
        for stmt in statements(self.body):
            if isinstance(stmt, Store) and not (
                    isinstance(stmt.place, Name) and number_of(self.kinds.get(stmt.place.id, UNKNOWN)) is not None):
                written.add(root_name(stmt.place, ""))
            written.update(n for call in self._calls(stmt) for n in names_read(call))
        return written

    def _calls(self, stmt: Statement) -> list[Expr]:
        return [e for top in expressions(stmt) for e in walk(top) if isinstance(e, Call) and not self._call_is_pure(e)]

    def _alias(self, classes: _Classes, name: str, value: Expr) -> None:
        classes.add(name)
        for source in self._sources(value):
            classes.unite(name, source)

    def _sources(self, value: Expr) -> set[str]:
        """Names whose object the value may be, or be a view of."""
        if isinstance(value, (Bin, Unary, Compare, Const)):
            return set()
        if isinstance(value, Call):
            return self._call_sources(value)
        if number_of(self.value(value)) is not None:
            return set()
        return {n for n in names_read(value) if not isinstance(self._object(Name(n)), (type, type(np)))}

    def _call_sources(self, call: Call) -> set[str]:
        shadow = self.c.shadow
        if shadow is not None and shadow in names_read(call.func):
            return {SHADOW, shadow}
        if isinstance(call.func, Attr) and call.func.name in FRESH_METHODS:
            return set()
        if number_of(self.value(call)) is not None:
            return set()
        function = self._object(call.func)
        if function in (np.zeros_like, np.zeros, np.ones, np.empty, np.full, np.outer, np.array, np.sum, np.exp, np.cos,
                        np.sin, np.sqrt, np.log, np.copy, np.where, np.sign, structure.zeros_like,
                        structure.copy_argument):
            return set()
        return {n for e in (call.func, *call.args, *(v for _, v in call.kwargs)) for n in names_read(e)
                if not isinstance(self._object(Name(n)), type(np)) and not callable(self._object(Name(n)))}

    # ------------------------------------------------------------ purity

    def pure(self, expr: Expr) -> bool:
        known = self._memo.get(id(expr))
        if known is None or known[0] is not expr:
            answer = all(not isinstance(e, Call) or self._call_is_pure(e) for e in walk(expr)) \
                and not any(type(e).__name__ in ("Opaque", "Function") for e in walk(expr))
            known = self._memo[id(expr)] = (expr, answer)
        return known[1]

    def _call_is_pure(self, call: Call) -> bool:
        shadow = self.c.shadow
        if isinstance(call.func, Name) and call.func.id == shadow:
            return True
        function = self._object(call.func)
        if function is MISSING:
            return isinstance(call.func, Attr) and call.func.name in PURE_METHODS and call.func.name not in MUTATORS
        try:
            if function in IMPURE_HELPERS:
                return False
            if function in PURE_BUILTINS:
                return True
            if isinstance(function, outside.Setter):
                return False
        except TypeError:
            return False
        if isinstance(function, type) and issubclass(function, Captured):
            return True
        module = getattr(function, "__module__", "") or ""
        return module.startswith("srcgrad.runtime") and not isinstance(function, type) or is_pure(function)

    def _object(self, expr: Expr) -> Any:
        """The object that a name outside the function means, or an attribute of one."""
        if isinstance(expr, Attr):
            owner = self._object(expr.value)
            return MISSING if owner is MISSING else getattr(owner, expr.name, MISSING)
        if not isinstance(expr, Name) or expr.id in self.primal or expr.id in self._bound:
            return MISSING
        if expr.id in self.c.helpers:
            return self.c.helpers[expr.id]
        outer = self.c.unit.outer(expr.id)
        value = MISSING if outer is None else outer.value()
        return getattr(builtins, expr.id, MISSING) if value is MISSING else value

    @cached_property
    def _bound(self) -> frozenset[str]:
        return names.bound(self.body)


class _Classes:
    """Names in classes of those that may share an object."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def add(self, name: str) -> None:
        self._parent.setdefault(name, name)

    def names(self) -> list[str]:
        return list(self._parent)

    def root(self, name: str) -> str:
        self.add(name)
        while self._parent[name] != name:
            name = self._parent[name]
        return name

    def unite(self, a: str, b: str) -> None:
        self._parent[self.root(a)] = self.root(b)
