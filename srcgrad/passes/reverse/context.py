"""What every part of the reverse pass shares: facts, fresh names, helpers, and where the adjoint of a storage lives."""
from __future__ import annotations

import inspect
import types
from functools import cached_property
from typing import Any

import numpy as np

from srcgrad.analysis.bound import Bound
from srcgrad.analysis.interpret.calls import Calls
from srcgrad.analysis.interpret.expressions import HOLE, Evaluator
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import NOTHING, Abstract, Env, Heap, Ref, Storage, reach
from srcgrad.analysis.ownership import moves, own_by_name
from srcgrad.analysis.reality import meets_complex
from srcgrad.analysis.values import UNKNOWN, Array, Known, Number, OneOf, Value, members, number_of
from srcgrad.errors import InternalError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Const,
    Effect,
    Expr,
    For,
    Item,
    List,
    Name,
    Slice,
    Star,
    Statement,
    Store,
    Tuple,
    Unpack,
    blocks,
    names_read,
    statements,
    substitute,
)
from srcgrad.passes.split import is_place
from srcgrad.passes.tries import Tries
from srcgrad.passes.unit import Unit
from srcgrad.rules.spellings import ATTRIBUTES, NOT_KNOWN, literal


class Mixed(Exception):
    """Storages must count as written in place, so that their adjoints lie where those of others do."""

    def __init__(self, storages: list[Storage]) -> None:
        super().__init__(storages)
        self.storages = storages


class Context:
    """Facts about one function, and the names that its backward part uses.

    helpers         names by which generated code reaches objects
    counters        a loop whose iterations are counted -> the name that does
    tries           what is known of tries
    callees         the compiled functions that it calls
    shadow          the name of the table of adjoints by storage, if one is needed (a parameter if takes_shadow)
    temporaries     names that no user wrote
    bars            a name -> the name of its adjoint
    complex         whether complex numbers may come up
    bindings        a name -> how many statements bind it
    owned           a name that owns its array at any time -> its storage
    holders         a storage -> the name that means the whole of it
    """

    def __init__(self, unit: Unit, facts: Facts, plain: bool) -> None:
        self.unit, self.facts, self.plain = unit, facts, plain
        self.fresh = unit.fresh
        self.helpers: dict[str, Any] = {}
        self.counters: dict[Statement, str] = {}
        self.tries = Tries()
        self.callees: Any = None
        self.shadow: str | None = None
        self.takes_shadow = False
        self.temporaries: set[str] = set()
        self.bars: dict[str, str] = {}
        self.complex = meets_complex(facts)
        self.bindings = _count_bindings(unit.code)
        self.owned = {} if plain else own_by_name(unit.code, facts)
        self._unsure: dict[Storage, bool] = {}
        self._annotated: list[Expr] = []       # facts go by identity, so what they are of must live on
        self.holders = self._find_holders(unit.code)

    # ------------------------------------------------------------ names

    def helper(self, name: str, obj: Any) -> Name:
        """A name by which generated code reaches an object: the user's own if there is one."""
        outer = self.unit.outer(name)
        if outer is not None and outer.value() is obj and name not in names.local(self.unit.code):
            return Name(name)
        for known, other in self.helpers.items():
            if other is obj:
                return Name(known)
        new = name if self.fresh.free(name) else self.fresh.name(name)
        self.fresh.reserve((new,))
        self.helpers[new] = obj
        return Name(new)

    @property
    def np(self) -> Name:
        return self.helper("np", np)

    def numpy(self, function: str, *args: Expr, **kwargs: Expr) -> Call:
        return Call(Attr(self.np, function), args, tuple(kwargs.items()))

    def temporary(self, hint: str) -> str:
        name = self.fresh.name(hint)
        self.temporaries.add(name)
        return name

    def bar(self, name: str) -> str:
        """The name of the adjoint of a name."""
        if name not in self.bars:
            self.bars[name] = self.fresh.name(names.adjoint(name))
        return self.bars[name]

    @cached_property
    def takes(self) -> tuple[str, str]:
        """The parameters of a backward function of its own: the record, and the adjoint of the value."""
        return self.fresh.name("record"), self.fresh.name("value_bar")

    def shadow_name(self) -> str:
        """The name of the shadow, which there is from now on."""
        if self.shadow is None:
            self.shadow = self.fresh.name("shadow")
        return self.shadow

    # ------------------------------------------------------------ storages

    def _find_holders(self, code: Code) -> dict[Storage, str]:
        """Storage -> the one name that certainly means the whole of it, from its birth on."""
        found: dict[Storage, str] = {}
        for param in code.params:
            self._hold(found, param.name, self.facts.entry.get(param.name, NOTHING))
        for stmt in statements(code.body):
            if isinstance(stmt, Bind) and stmt in self.facts.after:
                for name in stmt.names:
                    self._hold(found, name, self.facts.after[stmt].get(name, NOTHING), stmt)
        found.update({storage: name for name, storage in self.owned.items()})
        return found

    def moves(self, stmt: Statement) -> list[tuple[str, str]]:
        """The pairs (target, source) of a statement that moves arrays between names that own them."""
        return moves(stmt, self.owned)

    def _hold(self, found: dict[Storage, str], name: str, item: Abstract, stmt: Statement | None = None) -> None:
        single = self.bindings.get(name, 0) == 1
        if single and len(item.refs) == 1:
            (ref,) = item.refs
            if ref.path == () and ref.storage not in found and (stmt is None or ref.storage.born_at(stmt)):
                found[ref.storage] = name

    def in_place(self, item: Abstract) -> bool:
        """Whether something writes into the storages that the value may lie in: its adjoint then is a buffer."""
        return any(self.facts.written(ref.storage) or self._holds_either(ref.storage) for ref in item.refs)

    def is_tuple(self, item: Abstract) -> bool:
        """Whether the value is, or may be, a tuple of unknown length, whose own adjoint is never in the shadow."""
        return any(ref.storage.cls is tuple for ref in item.refs)

    def settle_in_shadow(self, item: Abstract) -> None:
        """Adjoints of all that can be reached from the value are added to at once, so all of them must lie in the
        shadow: raises `Mixed` where those of some don't."""
        found = [s for s in reach([item]) if s.cls is not tuple and not self.in_place(own := Abstract(
            refs=frozenset((Ref(s),)))) and own.active]
        if found:
            raise Mixed(found)

    def _holds_either(self, storage: Storage) -> bool:
        """Whether only running tells where the adjoint of something in a container, or in one that may be confused with
        it, lies: then that is in the shadow."""
        if storage.kind == "array" or storage.cls is tuple:
            return False
        group = storage.group
        if group not in self._unsure:
            self._unsure[group] = False
            self._unsure[group] = any(self.either(part) for s in self._containers.get(group, ())
                                      for part in s.fields.values())
        return self._unsure[group]

    @cached_property
    def _containers(self) -> dict[Storage, list[Storage]]:
        """The containers of each group but tuples."""
        out: dict[Storage, list[Storage]] = {}
        for storage in self.facts.heap.storages():
            if storage.kind != "array" and storage.cls is not tuple:
                out.setdefault(storage.group, []).append(storage)
        return out

    def static(self, item: Abstract) -> Ref | None:
        """The one exact reference whose buffer is a variable of the backward pass, or None (then the shadow has it)."""
        if self.plain or len(item.refs) != 1:
            return None
        (ref,) = item.refs
        storage = ref.storage
        if storage.loose or storage.many or ref.path is None or storage.kind != "array" or storage not in self.holders:
            return None
        return ref if storage.origin != "outer" else None

    def either(self, item: Abstract) -> bool:
        """Whether only running tells if the value is a number, whose adjoint is a variable, or an array or container
        that is written in place, whose adjoint lies in the shadow."""
        value = self.facts.value_of(item)
        unsure = value == UNKNOWN or isinstance(value, OneOf) or isinstance(value, Array) and value.dims is None
        return unsure and self.in_place(item) and self.static(item) is None \
            and (any(map(is_number, members(value))) or all(ref.storage.kind == "array" for ref in item.refs))

    def buffer_name(self, storage: Storage) -> str:
        return self.bar(self.holders[storage])

    def path(self, base: Expr, ref: Ref) -> Expr:
        """The view of a buffer that mirrors the reference."""
        for step in ref.path or ():
            base = substitute(step, {HOLE.id: base})
        return base

    @cached_property
    def first_fields(self) -> frozenset[Statement]:
        """Assignments to fields that a new object, and its class, doesn't have yet, in the block where it is made."""
        found: set[Statement] = set()
        _first_fields(self, self.unit.code.body, found)
        return frozenset(found)

    # ------------------------------------------------------------ shapes

    def shape_donor(self, stmt: Statement, expr: Expr) -> Expr:
        """What has the same shape for certain, and costs least to keep: a parameter, or a name of the user's own."""
        want = self.value(stmt, expr)
        if not isinstance(want, Array) or want.dims is None or None in want.dims:
            return expr
        if isinstance(expr, Name) and expr.id in self.steady - self.temporaries:
            return expr
        position = self._positions.get(stmt, -1)
        for name, value in self._steady_values.items():
            if value == want and self._births[name] < position:
                return Name(name)
        env = {**self.facts.before.get(stmt, {}), **self.facts.after.get(stmt, {})}
        own = sorted(n for n, item in env.items() if n not in self.temporaries and self.bindings.get(n) == 1
                     and self.facts.value_of(item) == want)
        return expr if isinstance(expr, Name) and expr.id in own or not own else Name(own[0])

    def holds_before(self, stmt: Statement, name: str) -> bool:
        """Whether the name holds a storage that is born before the statement."""
        if name not in self.holders.values():
            return False
        first = self._first_bindings.get(name, -1)
        return first < self._positions.get(stmt, -1)

    @cached_property
    def _first_bindings(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for stmt, position in self._positions.items():
            for name in names.bound_by(stmt):
                out.setdefault(name, position)
        return out

    @cached_property
    def _positions(self) -> dict[Statement, int]:
        return {s: k for k, s in enumerate(statements(self.unit.code.body))}

    @cached_property
    def _births(self) -> dict[str, int]:
        out = {p.name: -1 for p in self.unit.code.params}
        for stmt in self.unit.code.body:
            for name in names.bound_by(stmt):
                out.setdefault(name, self._positions[stmt])
        return out

    @cached_property
    def _steady_values(self) -> dict[str, Value]:
        """Arrays that steady names of the user's own mean, parameters first."""
        out = {p.name: self.facts.entry[p.name] for p in self.unit.code.params if p.name in self.facts.entry
               and self.bindings.get(p.name) == 1}
        for stmt in self.unit.code.body:
            for name in names.bound_by(stmt):
                if name in self.steady and name not in self.temporaries and name in self.facts.after.get(stmt, {}):
                    out[name] = self.facts.after[stmt][name]
        values = {name: self.facts.value_of(item) for name, item in out.items()}
        return {name: value for name, value in values.items() if isinstance(value, Array)}

    @cached_property
    def steady(self) -> frozenset[str]:
        """Names that are bound once, outside of all loops and branches."""
        top = [n for s in self.unit.code.body for n in names.bound_by(s) if not isinstance(s, For)]
        return frozenset(n for n in top if self.bindings.get(n) == 1)

    @cached_property
    def _bound(self) -> Bound:
        return Bound(self.unit.code.body, frozenset(p.name for p in self.unit.code.params))

    def is_bound(self, stmt: Statement, name: str, after: bool = False) -> bool:
        """Whether the name certainly has a value before the statement, or after it."""
        known = (self._bound.after if after else self._bound.before).get(stmt)
        return known is None or name in known

    # ------------------------------------------------------------ kinds

    def is_place(self, stmt: Statement, expr: Expr) -> bool:
        """A name, or items and fields of one; the transpose of an array, say, is an operation."""
        if not is_place(expr):
            return False
        while isinstance(expr, (Item, Attr)):
            if isinstance(expr, Attr) and (isinstance(self.value(stmt, expr.value), (Array, Number))
                                           or isinstance(self.value(stmt, expr), Array) and expr.name in ATTRIBUTES
                                           and self.value(stmt, expr.value) == UNKNOWN):
                return False
            expr = expr.value
        return True

    def kind(self, stmt: Statement, expr: Expr) -> Abstract:
        return self.facts.kind(stmt, expr)

    def owner_value(self, stmt: Statement, expr: Expr) -> Value:
        """What something is whose item, field or method is asked for: not None."""
        return self.facts.evaluator.value(self.kind(stmt, expr))

    def value(self, stmt: Statement, expr: Expr) -> Value:
        return self.facts.value(stmt, expr)

    def active(self, stmt: Statement, expr: Expr) -> bool:
        """Whether an operand is active; a display that a rule's parameters made is if a part of it is."""
        if (stmt, id(expr)) in self.facts.kinds or isinstance(expr, (Const, Slice)):
            return self.kind(stmt, expr).active
        if isinstance(expr, (Tuple, List)):
            return any(self.active(stmt, e) for e in expr.items)
        if isinstance(expr, Star):
            return self.active(stmt, expr.value)
        raise InternalError(f"nothing is known of an operand, {expr!r}")

    def annotate(self, stmt: Statement, expr: Expr, item: Abstract) -> Expr:
        """Notes what a new expression is, as if the interpreter had met it in the statement."""
        self.facts.kinds[(stmt, id(expr))] = item
        self._annotated.append(expr)
        return expr

    def known(self, stmt: Statement, expr: Expr) -> Any:
        """The value of an expression that is certain, or NOT_KNOWN."""
        value = literal(expr)
        if value is not NOT_KNOWN:
            return value
        kind = self.facts.kind(stmt, expr).value
        return kind.obj if isinstance(kind, Known) else NOT_KNOWN

    def evaluate(self, stmt: Statement, expr: Expr, extra: dict[str, Value]) -> Value:
        """The kind of a backward expression, over primal names and adjoints."""
        # what lends its shape may not be live any more
        steady = {name: Abstract(value) for name, value in self._steady_values.items()}
        env = {**steady, **self.facts.before.get(stmt, {}), **self.facts.after.get(stmt, {})}
        return self.probe(expr, {**env, **{name: Abstract(value) for name, value in extra.items()}}, stmt)

    def probe(self, expr: Expr, env: Env, stmt: Statement | None = None) -> Value:
        """The kind of an expression in this state; what it may do to the arrays and containers there isn't noted.

        What stands in the statement, too, is what it is there: an element of a dict, say.
        """
        kinds = {name: Abstract(self.facts.value_of(env[name])) for name in names_read(expr) if name in env}
        try:
            return self.facts.evaluator.canonical(Probe(self, stmt)(expr, kinds).value)
        except Exception:                 # a kind that can't be told is unknown, whatever the reason
            return UNKNOWN


class Probe(Evaluator):
    """Evaluates expressions of the backward pass; leaves no trace in the heap."""

    def __init__(self, context: Context, stmt: Statement | None = None) -> None:
        ev = context.facts.evaluator
        super().__init__(Heap(), ev.outer, {}, ev.sizes, Calls({}), {})
        self._helpers, self._facts, self._stmt = context.helpers, context.facts, stmt
        self.unify = ev.unify

    def __call__(self, expr: Expr, env: Env) -> Abstract:
        if self._stmt is not None and isinstance(expr, (Item, Attr)) and (self._stmt, id(expr)) in self._facts.kinds:
            return Abstract(self._facts.value(self._stmt, expr))
        return super().__call__(expr, env)

    def _name(self, expr: Name, env: Any) -> Abstract:
        if expr.id not in env and expr.id in self._helpers:
            return Abstract(Known(self._helpers[expr.id]))
        return super()._name(expr, env)


def _first_fields(context: Context, block: tuple[Statement, ...], found: set[Statement]) -> None:
    new: dict[str, set[str]] = {}
    for stmt in block:
        for inner in blocks(stmt):
            _first_fields(context, inner, found)
        match stmt:
            case Store(Attr(Name(owner) as place, name), None, _) \
                    | Effect(Call(_, (Name(owner) as place, Const(str(name)), _), ())) \
                    if owner in new and name not in new[owner]:
                if not any(_is_data_of(ref.storage.cls, name) for ref in context.kind(stmt, place).refs):
                    found.add(stmt)
                new[owner].add(name)
        for name in names.bound((stmt,)):
            new.pop(name, None)
        match stmt:
            case Bind((name,), (Call(Attr(_, "__new__"), _, ()),)):
                new[name] = set()


def _is_data_of(cls: type | None, name: str) -> bool:
    """Whether reading the attribute of an object that has no such field gives what the class has."""
    found = None if cls is None else inspect.getattr_static(cls, name, None)
    return found is not None and not isinstance(found, (types.MemberDescriptorType, cached_property))


def _count_bindings(code: Code) -> dict[str, int]:
    counts = {p.name: 1 for p in code.params}
    for stmt in statements(code.body):
        bound = stmt.names if isinstance(stmt, (Bind, Unpack)) else (stmt.target,) if isinstance(stmt, For) else ()
        for name in bound:
            counts[name] = counts.get(name, 0) + 1
    return counts


def is_number(value: Value) -> bool:
    return number_of(value) is not None


def are_numbers(index: Value) -> bool:
    """Whether an index is an array of integers."""
    return isinstance(index, Array) and bool(index.dims) and index.dtype is not None and index.dtype.kind in "iu"


def same_shape(a: Value, b: Value) -> bool:
    """Whether two values certainly have the same shape."""
    if is_number(a) or is_number(b):
        return is_number(a) and is_number(b)
    return isinstance(a, Array) and isinstance(b, Array) and a.dims is not None and a.dims == b.dims \
        and None not in a.dims
