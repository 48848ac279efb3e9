"""What is known of a name, as calls that assert it."""
from __future__ import annotations

from typing import Any

import gast

from srcgrad.analysis.interpret.state import Abstract, Env, Ref, Storage
from srcgrad.analysis.lengths import inner_forms
from srcgrad.analysis.scope import MISSING
from srcgrad.analysis.sizes import text_of
from srcgrad.analysis.values import Array, DictOf, Known, Linear, ListOf, Number, ObjectOf, RangeOf, TupleOf, Value
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Const,
    Dict,
    Effect,
    Expr,
    Item,
    Name,
    Opaque,
    Statement,
    Store,
    Tuple,
    names_read,
    walk,
)
from srcgrad.passes.reverse.context import Context
from srcgrad.runtime import checks

Block = list[Statement]
LITERALS = (type(None), bool, int, float, complex, str, bytes)


class FactChecks:
    """Asserts kinds, views, separation, and that nobody writes; `before` binds the lengths that the facts name."""

    def __init__(self, context: Context, primal: frozenset[str], notes: str) -> None:
        self.c, self.facts, self.primal, self.notes = context, context.facts, primal, notes
        self.lengths: dict[Linear, str] = {}
        self.before: Block = []

    def call(self, function: Any, *args: Expr) -> Effect:
        """The call of a runtime check as a statement."""
        return Effect(Call(self.c.helper(function.__name__, function), args))

    def of_name(self, out: Block, where: str, stmt: Statement | None, name: str, env: Env, bound: set[str]) -> None:
        """Adds to `out` all that is known of the name in this state; `bound` are names that certainly have a value."""
        item = env.get(name)
        if item is None:
            return
        where = f"{where}, `{name}`"
        assert self.facts.evaluator is not None
        fact = self._fact(self.facts.value_of(item))
        if fact != Const(None):
            out.append(self.call(checks.check_kind, Const(where), Name(name), fact))
        self._is_view(out, where, stmt, name, item, bound)
        # a name that nothing reads any more may still mean what another one has taken over
        live = env.keys() & bound if stmt is None else env.keys() & bound & self.facts.live.after[stmt]
        others = [o for o in sorted(live) if o != name and self._are_separate(item, env[o])]
        if others:
            pairs = Dict(tuple(map(Const, others)), tuple(map(Name, others)))
            out.append(self.call(checks.check_separate, Const(where), Name(name), pairs))
        if item.refs and all(ref.storage.kind == "array" for ref in item.refs) and not self.c.in_place(item):
            out.append(self.call(checks.note_unwritten, Name(self.notes), Const(where), Name(name)))

    def _is_view(self, out: Block, where: str, stmt: Statement | None, name: str, item: Abstract,
                 bound: set[str]) -> None:
        ref = _exact(item)
        if ref is None:
            return
        view = self._through_holder(ref, bound | {name}) or self._written_out(stmt, name, ref)
        if view is not None and view != Name(name):
            out.append(self.call(checks.check_view, Const(where), Name(name), view))

    def _through_holder(self, ref: Ref, bound: set[str]) -> Expr | None:
        holder = self.c.holders.get(ref.storage)
        if holder is None:
            return None
        view = self.c.path(Name(holder), ref)
        return view if all(name in bound or self._is_outer(name) for name in names_read(view)) else None

    def _is_outer(self, name: str) -> bool:
        outer = None if name in self.primal else self.c.unit.outer(name)
        return outer is not None and outer.value() is not MISSING

    def _written_out(self, stmt: Statement | None, name: str, ref: Ref) -> Expr | None:
        """The right side itself, where it is an item of an array: evaluated again it gives the same view."""
        if not isinstance(stmt, Bind) or len(stmt.names) > 1 or not ref.path:
            return None
        (value,) = stmt.values
        plain = isinstance(value, (Item, Attr)) and not any(isinstance(e, (Call, Opaque)) for e in walk(value))
        return value if plain and name not in names_read(value) else None

    def of_place(self, stmt: Store, bound: set[str], out: Block) -> None:
        """What is written into lies where the adjoint is looked for."""
        if not isinstance(stmt.place, Item) or any(isinstance(e, (Call, Opaque)) for e in walk(stmt.place.value)):
            return
        ref = self.c.static(self.facts.kind(stmt, stmt.place.value))
        view = None if ref is None else self._through_holder(ref, bound)
        if view is not None and view != stmt.place.value:
            out.append(self.call(checks.check_view, Const(where_of(stmt)), stmt.place.value, view))

    def _are_separate(self, a: Abstract, b: Abstract) -> bool:
        """Whether the two were taken to share no memory, or to have their adjoints in different places."""
        first, second = _reachable(a), _reachable(b)
        if not first or not second or all(s.origin != "fresh" for s in first | second):
            return False
        if {s.group for s in first}.isdisjoint(s.group for s in second):
            return True
        static, other = self.c.static(a), self.c.static(b)
        written = self.c.in_place(a) and self.c.in_place(b)
        return written and (static and static.storage) != (other and other.storage)

    # ------------------------------------------------------------ facts as text

    def _fact(self, value: Value) -> Expr:
        """The fact as `runtime.checks.check_kind` takes it; None where nothing is known."""
        match value:
            case Array(dtype, dims):
                lengths = Const(None) if dims is None else Tuple(tuple(map(self._length, dims)))
                return _tuple("array", dtype and str(dtype), lengths)
            case Number(kind, dtype, linear):
                return _tuple("number", kind, dtype and str(dtype), self._length(linear))
            case Known(obj):
                plain = isinstance(obj, LITERALS)
                return _tuple("value", obj) if plain else _tuple("is", self.c.helper("known", obj))
            case RangeOf():
                return _tuple("range")
            case TupleOf(items, _):
                return _tuple("tuple", Tuple(tuple(map(self._fact, items))))
            case ListOf(item, cls):
                return _tuple("list" if cls is list else "items", Const(None) if item is None else self._fact(item))
            case DictOf(items, _):
                return _tuple("dict", self._pairs(items))
            case ObjectOf(cls, items):
                return _tuple("object", self.c.helper(cls.__name__, cls), self._pairs(items))
        return Const(None)

    def _pairs(self, items: tuple[tuple[Any, Value], ...]) -> Tuple:
        return Tuple(tuple(Tuple((self._key(key), self._fact(value))) for key, value in items))

    def _key(self, key: Any) -> Expr:
        return Const(key) if isinstance(key, (*LITERALS, tuple)) else self.c.helper("known", key)

    def _length(self, linear: Linear | None) -> Expr:
        """A length, as a number or as a name that is bound at the start."""
        if linear is None or linear.constant is not None:
            return Const(None if linear is None else linear.constant)
        if linear not in self.lengths:
            value = _linear(linear)
            if value is None:
                return Const(None)
            self.lengths[linear] = self.c.fresh.name("length")
            self.before.append(Bind((self.lengths[linear],), (value,)))
        return Name(self.lengths[linear])


def _tuple(*parts: Any) -> Tuple:
    return Tuple(tuple(part if isinstance(part, Expr) else Const(part) for part in parts))


def where_of(stmt: Statement) -> str:
    return "a line of our own" if stmt.at is None else f"line {stmt.at.line} of {stmt.at.file}"


def _exact(item: Abstract) -> Ref | None:
    """The one reference that says where a value lies, if there is one."""
    if len(item.refs) != 1:
        return None
    (ref,) = item.refs
    storage = ref.storage
    return None if ref.path is None or storage.many or storage.kind != "array" else ref


def _reachable(item: Abstract) -> set[Storage]:
    """All storages that the value, or what it holds, may lie in."""
    out: set[Storage] = set()
    todo = [item]
    while todo:
        part = todo.pop()
        todo.extend(part.items or ())
        for ref in part.refs:
            if ref.storage not in out:
                out.add(ref.storage)
                todo.extend(ref.storage.fields.values())
    return out


def _linear(linear: Linear) -> Expr | None:
    """A length as an expression over the arguments; None where something else is in it."""
    if not all(map(_is_path, linear.terms)):
        return None
    tree = gast.parse(text_of(linear), mode="eval").body
    reads = {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)} - {"max", "len", "range"}
    return Opaque(tree, tuple(sorted(reads)))


def _is_path(term: tuple[Any, int]) -> bool:
    match term[0]:
        case str() | (str(), int()):
            return True
    inner = inner_forms(term[0])
    return bool(inner) and all(_is_path(part) for form in inner for part in form.terms)
