"""Objects and dictionaries that only their own name knows become a local name for each of their fields.

        c = object.__new__(Cell)
        c.temp = x                          c_temp = x
        c.temp = c.temp + flux      ->      c_temp = c_temp + flux
        return np.sum(c.temp)               return np.sum(c_temp)

Then their fields are what any other local is: saved, recomputed and added to by name.  The object must not be handed
to anybody (a list, a function that stays a call, another name), and what is read of it must have been set where it was
made.
"""
from __future__ import annotations

import inspect
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from srcgrad.analysis.interpret.constructors import is_frozen, plain_defaults, record_arguments, record_fields
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Dict,
    Expr,
    Function,
    Item,
    Jump,
    Name,
    Opaque,
    Return,
    Statement,
    Store,
    Try,
    With,
    blocks,
    children,
    expressions,
    map_expr,
    names_read,
    statements,
    with_blocks,
    with_expressions,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]
Field = tuple[str, str]                     # the name of the object, and that of the field


def scattered(unit: Unit) -> Unit | None:
    """The function with such objects as their fields, or None where there are none."""
    work = _Scatter(unit)
    work.look(unit.code.body, False)
    fields = work.fields()
    if not fields:
        return None
    owners = {owner for owner, _ in fields}
    names = {(owner, name): unit.fresh.name(f"{owner}_{name}") for owner, name in sorted(fields)}
    return unit.with_body(_Rewriter(work, owners, names).block(unit.code.body))


@dataclass
class _Scatter:
    """What each name that an object is made under is used for.

    made: (statement, the fields that it sets and their values) of each making.  there: the fields that are set after
    each.  used: the fields that are read or written; objects, dicts: names of which they are attributes, or items.
    changed: names of objects whose fields are set after they were made.  lost: names that mean something else, too."""
    unit: Unit
    made: dict[Statement, tuple[str, dict[str, Expr]]] = field(default_factory=dict)
    there: dict[Statement, set[str]] = field(default_factory=dict)
    kinds: dict[str, set[type]] = field(default_factory=dict)
    used: dict[str, set[str]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    dicts: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def fields(self) -> set[Field]:
        """The fields that can be names."""
        self.lost |= {p.name for p in self.unit.code.params} | self.unit.code.nonlocals
        out: set[Field] = set()
        for owner, kinds in self.kinds.items():
            sets = [fields for stmt, fields in self.there.items() if self.made[stmt][0] == owner]
            known = set.intersection(*sets)
            if owner in self.changed and any(map(is_frozen, kinds)):
                continue                    # that is an error
            others = (self.objects if dict in kinds else set()) | (self.dicts if kinds - {dict} else set())
            if owner in self.lost | others or not self.used.get(owner, set()) <= known:
                continue
            if all(name.isidentifier() and not any(map(_is_special(name), kinds)) for name in known.union(*sets)):
                out.update((owner, name) for name in known.union(*sets))
        return out

    # ------------------------------------------------------------ makings

    def look(self, block: Block, guarded: bool) -> None:
        """Notes makings and uses in a block; `guarded`: what fails there may go on, with the object half made."""
        for k, stmt in enumerate(block):
            found = self._making(stmt)
            if found is not None and not guarded:
                owner, cls, fields = found
                self.made[stmt] = owner, fields
                self.there[stmt] = set(fields) or self._first(owner, block[k + 1:])
                self.kinds.setdefault(owner, set()).add(cls)
                for value in fields.values():
                    self._note(value)
            else:
                self._uses(stmt)
            for inner in blocks(stmt):
                self.look(inner, guarded or isinstance(stmt, (Try, With)))

    def _making(self, stmt: Statement) -> tuple[str, type, dict[str, Expr]] | None:
        """(name, class, fields that are set at once) of a statement that makes an object or a dictionary."""
        match stmt:
            case Bind((owner,), (Dict(keys, values),)):
                if all(isinstance(k, Const) and isinstance(k.value, str) for k in keys):
                    named = {k.value: v for k, v in zip(keys, values) if isinstance(k, Const)}
                    return (owner, dict, named) if len(named) == len(keys) else None
            case Bind((owner,), (Call(Attr(Name(base), "__new__"), (Name(cls),), ()),)):
                if self._outer(base) is object and isinstance(made := self._outer(cls), type):
                    return (owner, made, {}) if not hasattr(made, "__del__") else None
            case Bind((owner,), (Call(Name(cls), _, _) as call,)):
                made = self._outer(cls)
                names = record_fields(made) if isinstance(made, type) and not issubclass(made, tuple) else None
                given = None if names is None or hasattr(made, "__del__") else record_arguments(made, call)
                if given:
                    rest = {n: Const(v, at=call.at) for n, v in plain_defaults(made).items() if n not in given}
                    return (owner, made, {**given, **rest}) if {*given, *rest} == {*(names or ())} else None
        return None

    @cached_property
    def _classes(self) -> dict[str, str]:
        """Names of classes that are made inside, with the names outside that they mean all the time."""
        bound = [(name, stmt) for stmt in statements(self.unit.code.body) for name in bound_by(stmt)]
        times = Counter(name for name, _ in bound)
        return {name: stmt.values[0].id for name, stmt in bound if times[name] == 1 and isinstance(stmt, Bind)
                and stmt.names == (name,) and isinstance(stmt.values[0], Name)}

    def _outer(self, name: str) -> Any:
        while name in self._classes:
            name = self._classes[name]
        outer = None if name in self.unit.bound_here else self.unit.outer(name)
        return None if outer is None else outer.value()

    def _first(self, owner: str, rest: Block) -> set[str]:
        """The fields that are set right after the object was made, before anything else is asked of it."""
        found: set[str] = set()
        for stmt in rest:
            match stmt:
                case Store(Attr(Name(name), attribute) | Item(Name(name), Const(str(attribute))), None, value) \
                        if name == owner:
                    if not _fields_in(value, owner) <= found:
                        break
                    found.add(attribute)
                case Bind() | Store() if owner not in bound_by(stmt):
                    if not set().union(*(_fields_in(e, owner) for e in expressions(stmt))) <= found:
                        break
                case _ if not _speaks_of(stmt, owner) and not _leaves(stmt):
                    continue
                case _:
                    break
        return found

    # ------------------------------------------------------------ uses

    def _uses(self, stmt: Statement) -> None:
        self.lost.update(bound_by(stmt))
        if isinstance(stmt, Store) and isinstance(stmt.place, Attr) and isinstance(stmt.place.value, Name):
            self.changed.add(stmt.place.value.id)
        for expr in expressions(stmt):
            self._note(expr)

    def _note(self, expr: Expr) -> None:
        match expr:
            case Attr(Name(owner), name):
                self.used.setdefault(owner, set()).add(name)
                self.objects.add(owner)
            case Item(Name(owner), Const(str(name))):
                self.used.setdefault(owner, set()).add(name)
                self.dicts.add(owner)
            case Name(name):
                self.lost.add(name)
            case Function() | Opaque():
                self.lost |= names_read(expr)
            case _:
                for child in children(expr):
                    self._note(child)


def _is_special(name: str) -> Any:
    """Whether a class does something of its own when the field is read or set."""
    def special(cls: type) -> bool:
        static = inspect.getattr_static(cls, name, None)
        if cls is dict or isinstance(static, types.MemberDescriptorType):
            return False
        return hasattr(type(static), "__set__") or hasattr(type(static), "__delete__") \
            or cls.__getattribute__ is not object.__getattribute__
    return special


def _speaks_of(stmt: Statement, owner: str) -> bool:
    """Whether the object may be used, or its name bound, anywhere in the statement."""
    return any(owner in bound_by(s) or any(owner in names_read(e) for e in expressions(s)) for s in statements((stmt,)))


def _leaves(stmt: Statement) -> bool:
    """Whether what follows the statement may not be reached, but for errors."""
    return any(isinstance(s, Return) or isinstance(s, Jump) and s.kind != "raise" for s in statements((stmt,)))


def _fields_in(expr: Expr, owner: str) -> set[str]:
    """The fields of the object that the expression reads; an empty name where it means the object itself."""
    match expr:
        case Attr(Name(name), attribute) | Item(Name(name), Const(str(attribute))) if name == owner:
            return {attribute}
        case Name(name) if name == owner:
            return {""}
        case Function() | Opaque():
            return {""} if owner in names_read(expr) else set()
    return set().union(*(_fields_in(child, owner) for child in children(expr)))


class _Rewriter:
    def __init__(self, work: _Scatter, owners: set[str], names: dict[Field, str]) -> None:
        self.work, self.owners, self.names = work, owners, names

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for stmt in block:
            new = tuple(self.statement(stmt))
            self.work.unit.keep_chain(new, stmt)
            out += new
        return tuple(out)

    def statement(self, stmt: Statement) -> Iterator[Statement]:
        owner, fields = self.work.made.get(stmt, ("", {}))
        if owner in self.owners:
            yield from self._made(stmt, owner, fields)
            return
        inner = blocks(stmt)
        if inner:
            stmt = with_blocks(stmt, tuple(map(self.block, inner)))
        old = expressions(stmt)
        new = tuple(map(self.expr, old))
        if any(a is not b for a, b in zip(old, new)):
            stmt = with_expressions(stmt, new)
        if isinstance(stmt, Store) and stmt.op is None and isinstance(stmt.place, Name):
            stmt = Bind((stmt.place.id,), (stmt.value,), at=stmt.at)
        yield stmt

    def _made(self, stmt: Statement, owner: str, fields: dict[str, Expr]) -> Iterator[Statement]:
        """The fields of a new object, all at once where the old one of this name is asked for some of them."""
        names = tuple(self.names[owner, name] for name in fields)
        values = tuple(map(self.expr, fields.values()))
        if any(owner in names_read(value) for value in fields.values()):
            yield Bind(names, values, at=stmt.at)
        else:
            yield from (Bind((name,), (value,), at=stmt.at) for name, value in zip(names, values))

    def expr(self, expr: Expr) -> Expr:
        return map_expr(self._field, expr) if not self.owners.isdisjoint(names_read(expr)) else expr

    def _field(self, expr: Expr) -> Expr:
        match expr:
            case Attr(Name(owner), name) | Item(Name(owner), Const(str(name))) if (owner, name) in self.names:
                return replace(Name(self.names[owner, name]), at=expr.at)
        return expr

