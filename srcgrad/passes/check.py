"""Checked mode: asserts what was inferred, while the generated function runs.

Every statement of the forward part is followed by calls that look at what it made: kinds, lengths, views, separate
storages, arrays that nobody writes.  What an adjoint reads is remembered where its statement runs, and compared where
the adjoint starts, so that a needless save is told from a missing one::

        t1 = x * w                              t1 = x * w
        ...                             ->      check_kind("line 2, `t1`", t1, ("array", "float64", (n,)))
                                                remember(seen, 1, {"x": x})
        x_bar = t1_bar * w                      check_held(seen, 1, "line 2", {"x": x})
                                                x_bar = t1_bar * w

The calls are put in when everything has been decided but nothing optimised.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast

from srcgrad.analysis.interpret.state import Abstract, Env, Ref, Storage
from srcgrad.analysis.scope import MISSING
from srcgrad.analysis.sizes import text_of
from srcgrad.analysis.values import (
    Array, DictOf, Known, Linear, ListOf, Number, ObjectOf, RangeOf, TupleOf, Value,
)
from srcgrad.lang import names, printing
from srcgrad.lang.core import (
    Attr, Bind, Call, Comment, Const, Dict, Effect, Expr, For, Function, If, Item, List, Name, Opaque, Slice, Statement,
    Store, Tuple, Unpack, While, blocks, children, expressions, names_read, statements, walk, with_blocks,
)
from srcgrad.passes.place import Placed
from srcgrad.passes.reverse.adjoints import State
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.reverse.steps import Step
from srcgrad.runtime import checks

Block = list[Statement]
COMPOUND = (If, For, While)
LITERALS = (type(None), bool, int, float, complex, str, bytes)
SHAPES = frozenset(("shape", "size", "ndim", "dtype"))
SHAPE_FUNCTIONS = frozenset(("zeros_like", "shape", "size", "ndim", "ones_like", "empty_like", "len"))


@dataclass(frozen=True, eq=False)
class Mark:
    """A place in the backward part: before it nothing is compared yet.

    kind: `before` or `after` the statement, at the `start` of its k-th block, `decision` or `trips`.
    """
    key: int
    kind: str
    stmt: Statement
    k: int
    values: Dict


class Checker:
    """Marks the adjoints of steps; when these have been placed, puts the checks in."""

    def __init__(self, context: Context, steps: list[Step]) -> None:
        self.c, self.facts, self.steps = context, context.facts, steps
        self.primal = names.local(context.unit.code)
        self.marks: dict[Statement, Mark] = {}
        self.at: dict[tuple[str, Statement, int], list[Mark]] = {}
        self.lengths: dict[Linear, str] = {}
        self.before: Block = []
        self.seen, self.notes = context.fresh.name("seen"), context.fresh.name("unwritten")
        context.forward_names |= {self.seen, self.notes}
        self._mark_block(steps)

    # ------------------------------------------------------------ marks

    def _mark_block(self, steps: list[Step]) -> None:
        for step in steps:
            if isinstance(step.stmt, COMPOUND):
                self._mark_compound(step)
            elif step.forward is None:
                self._mark(step.adjoint, "before" if isinstance(step.stmt, Store) else "after", step.stmt)

    def _mark_compound(self, step: Step) -> None:
        self._mark(step.first, "after", step.stmt)
        kind = "decision" if isinstance(step.stmt, If) else "trips"
        step.first.append(self._new_mark(kind, step.stmt, 0, Dict((), ())))
        for k, (inner, tail) in enumerate(zip(step.inner, step.tails)):
            self._mark(tail, "start", step.stmt, k)
            self._mark_block(inner)

    def _mark(self, adjoint: Block, kind: str, stmt: Statement, k: int = 0) -> None:
        values = self._values_read(adjoint)
        if values.keys:
            adjoint.insert(0, self._new_mark(kind, stmt, k, values))

    def _new_mark(self, kind: str, stmt: Statement, k: int, values: Dict) -> Comment:
        comment = Comment(f"check {len(self.marks)}")
        self.marks[comment] = Mark(len(self.marks), kind, stmt, k, values)
        return comment

    # ------------------------------------------------------------ what an adjoint reads

    def _values_read(self, block: Block) -> Dict:
        """What the statements read of primal values, by what it is called in a message."""
        out: dict[str, Expr] = {}
        for stmt in statements(tuple(block)):
            for expr in expressions(stmt):
                self._read(expr, out)
        return Dict(tuple(map(Const, out)), tuple(out.values()))

    def _read(self, expr: Expr, out: dict[str, Expr]) -> None:
        match expr:
            case Name(id):
                if id in self.primal:
                    out[f"`{id}`"] = expr
                return
            case Opaque() | Function():
                for name in sorted(names_read(expr)):
                    self._read(Name(name), out)
                return
            case Attr(value, name) if name in SHAPES:
                self._read_outline(value, out)
                return
            case Call(Name(id), (place, *rest), ()) | Call(Attr(Name(id), "pop" | "add_each"), (place, *rest), ()) \
                    if id == getattr(self.c, "_shadow", None):
                self._read_place(place, out)
                self._read_all(rest, out)
                return
            case Call(Attr(_, "may_share_memory"), args, ()):
                for arg in args:
                    self._read_place(arg, out)
                return
            case Call(Name(name) | Attr(_, name), (place, *rest), ()) if name in SHAPE_FUNCTIONS:
                self._read_outline(place, out)
                self._read_all(rest, out)
                return
        self._read_all(children(expr), out)

    def _read_all(self, exprs: Any, out: dict[str, Expr]) -> None:
        for expr in exprs:
            self._read(expr, out)

    def _read_outline(self, place: Expr, out: dict[str, Expr]) -> None:
        self._read_through("shape", checks.outline, place, out)

    def _read_place(self, place: Expr, out: dict[str, Expr]) -> None:
        self._read_through("memory", checks.memory_of, place, out)

    def _read_through(self, what: str, helper: Any, place: Expr, out: dict[str, Expr]) -> None:
        """Only the shape of a place is read, or where it lies; of the indices that lead to it, all."""
        root = place
        while isinstance(root, (Item, Attr)):
            if isinstance(root, Item):
                self._read(root.index, out)
            root = root.value
        if not isinstance(root, Name):
            self._read(place, out)
        elif root.id in self.primal:
            out[f"{what} of {_text(place)}"] = self._call(helper, place)

    # ------------------------------------------------------------ the whole function

    def insert(self, placed: Placed, state: State) -> Placed:
        """The placed parts with all checks in them; `state` has the adjoints at the end of the backward part."""
        backward = self._backward(placed.backward)
        bound = {p.name for p in self.c.unit.code.params}
        opening: Block = []
        for name in sorted(bound & self.facts.entry.keys()):
            self._facts_of(opening, "at the start", None, name, self.facts.entry, bound)
        forward = self._forward(placed.forward, self.steps, bound)
        closing = self._effect(checks.check_unwritten, Name(self.notes))
        before = [Bind((self.seen,), (Dict((), ()),)), Bind((self.notes,), (List(()),)), *self.before]
        return Placed([*before, *opening, *placed.before], [*forward[:-1], closing, *forward[-1:]],
                      [*backward, closing, *self._ending(state)])

    def _ending(self, state: State) -> Iterator[Statement]:
        params = {p.name for p in self.c.unit.code.params}
        yield self._effect(checks.check_all_met, Name(self.seen), Const("at the end"))
        primal = {bar: name for name, bar in self.c._bars.items()}
        for bar in sorted(state.have):
            if primal.get(bar) in self.primal - params:
                yield self._effect(checks.check_zero, Const(f"at the end, `{bar}`"), Name(bar))

    # ------------------------------------------------------------ the forward part

    def _forward(self, block: Block, steps: list[Step], bound: set[str]) -> Block:
        """`bound` holds the names that certainly have a value, and grows."""
        origin = {step.forward or step.stmt: step.stmt for step in steps}
        compound = iter([step for step in steps if isinstance(step.stmt, COMPOUND)])
        out: Block = []
        for stmt in block:
            if isinstance(stmt, COMPOUND):
                self._forward_compound(stmt, next(compound), bound, out)
            elif stmt in origin:
                self._forward_simple(stmt, origin[stmt], bound, out)
            else:
                out.append(stmt)
        return out

    def _forward_simple(self, stmt: Statement, old: Statement, bound: set[str], out: Block) -> None:
        if isinstance(old, Store):
            self._place_is_view(old, bound, out)
        out.extend(self._remembered("before", old))
        out.append(stmt)
        bound.update(names.bound_by(stmt))
        env = self.facts.after.get(old)
        if env is not None and isinstance(old, (Bind, Unpack)):
            for name in old.names:
                self._facts_of(out, _where(old), old, name, env, bound)
        out.extend(self._remembered("after", old))

    def _forward_compound(self, stmt: Statement, step: Step, bound: set[str], out: Block) -> None:
        old = step.stmt
        inner: list[tuple[Statement, ...]] = []
        ends: list[set[str]] = []
        for k, block in enumerate(blocks(stmt)):
            own = set(bound)
            steps = step.inner[k] if k < len(step.inner) else []
            head = self._head(old, steps, own)
            body = [*self._remembered("start", old, k), *head, *self._forward(list(block), steps, own)]
            inner.append(tuple(self._watched(old, k, body)))
            ends.append(own)
        out.append(with_blocks(stmt, tuple(inner)))
        if isinstance(old, If):
            bound |= ends[0] & ends[1]
        env = self.facts.after.get(old, {})
        for name in sorted(names.bound((old,)) & bound & env.keys()):
            self._facts_of(out, f"after {_where(old)}", None, name, env, bound)
        out.extend(self._remembered("after", old))

    def _head(self, old: Statement, steps: list[Step], bound: set[str]) -> Block:
        """At the start of an iteration all that the loop binds is as its head says."""
        out: Block = []
        if isinstance(old, For):
            bound.add(old.target)
        if isinstance(old, (For, While)) and steps:
            env = self.facts.before.get(steps[0].stmt, {})
            for name in sorted(names.bound((old,)) & bound & env.keys()):
                self._facts_of(out, f"at the head of {_where(old)}", None, name, env, bound)
        return out

    def _watched(self, old: Statement, k: int, body: Block) -> Block:
        """Which way an `if` goes, and what a loop runs over, is remembered at the end of each block."""
        for mark in self.at.get(("decision", old, 0), ()):
            body = [*body, self._remember(mark, Dict((Const("the decision"),), (Const(k == 0),)))]
        for mark in self.at.get(("trips", old, 0), ()):
            if k == 0 and isinstance(old, For):
                kept = self.c.fresh.name(f"{old.target}_kept")
                values = Dict((Const(f"`{old.target}`"),), (Name(kept),))
                body = [Bind((kept,), (Name(old.target),)), *body, self._remember(mark, values)]
            elif k == 0:
                body = [*body, self._remember(mark, Dict((), ()))]
        return body

    def _remembered(self, kind: str, stmt: Statement, k: int = 0) -> Iterator[Statement]:
        for mark in self.at.get((kind, stmt, k), ()):
            yield self._remember(mark, mark.values)

    def _remember(self, mark: Mark, values: Dict) -> Statement:
        return self._effect(checks.remember, Name(self.seen), Const(mark.key), values)

    # ------------------------------------------------------------ the backward part

    def _backward(self, block: Block) -> Block:
        """The marks as comparisons; those that were kept are noted, and no others are remembered."""
        out: Block = []
        for stmt, following in zip(block, [*block[1:], None]):
            mark = self.marks.get(stmt)
            if mark is None:
                whole = with_blocks(stmt, tuple(tuple(self._backward(list(b))) for b in blocks(stmt)))
                trips = self._trips_of(block, stmt)
                out.append(whole if trips is None else replace(whole, body=(self._trip(trips, whole), *whole.body)))
            elif mark.kind not in ("decision", "trips"):
                self._keep(mark)
                out.append(self._held(mark, mark.values))
            elif mark.kind == "decision" and isinstance(following, If):
                self._keep(mark)
                decided = Call(Name("bool"), (mark.stmt.test,))
                out.append(self._held(mark, Dict((Const("the decision"),), (decided,))))
        return out

    def _trips_of(self, block: Block, stmt: Statement) -> Mark | None:
        """The mark right before a reversed loop."""
        k = next(k for k, s in enumerate(block) if s is stmt)
        mark = self.marks.get(block[k - 1]) if k and isinstance(stmt, For) else None
        return mark if mark is not None and mark.kind == "trips" else None

    def _trip(self, mark: Mark, loop: For) -> Statement:
        self._keep(mark)
        if isinstance(mark.stmt, For):
            return self._held(mark, Dict((Const(f"`{loop.target}`"),), (Name(loop.target),)))
        return self._held(mark, Dict((), ()))

    def _keep(self, mark: Mark) -> None:
        self.at.setdefault((mark.kind, mark.stmt, mark.k), []).append(mark)

    def _held(self, mark: Mark, values: Dict) -> Statement:
        return self._effect(checks.check_held, Name(self.seen), Const(mark.key), Const(_where(mark.stmt)), values)

    # ------------------------------------------------------------ facts about one name

    def _facts_of(self, out: Block, where: str, stmt: Statement | None, name: str, env: Env, bound: set[str]) -> None:
        item = env.get(name)
        if item is None:
            return
        where = f"{where}, `{name}`"
        fact = self._fact(self.facts.evaluator.value(item))
        if fact != Const(None):
            out.append(self._effect(checks.check_kind, Const(where), Name(name), fact))
        self._is_view(out, where, stmt, name, item, bound)
        others = [o for o in sorted(env.keys() & bound) if o != name and self._are_separate(item, env[o])]
        if others:
            pairs = Dict(tuple(map(Const, others)), tuple(map(Name, others)))
            out.append(self._effect(checks.check_separate, Const(where), Name(name), pairs))
        if item.refs and all(ref.storage.kind == "array" for ref in item.refs) and not self.c.in_place(item):
            out.append(self._effect(checks.note_unwritten, Name(self.notes), Const(where), Name(name)))

    def _is_view(self, out: Block, where: str, stmt: Statement | None, name: str, item: Abstract,
                 bound: set[str]) -> None:
        ref = _exact(item)
        if ref is None:
            return
        view = self._through_holder(ref, bound | {name}) or self._written_out(stmt, name, ref)
        if view is not None and view != Name(name):
            out.append(self._effect(checks.check_view, Const(where), Name(name), view))

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

    def _place_is_view(self, stmt: Store, bound: set[str], out: Block) -> None:
        """What is written into lies where the adjoint is looked for."""
        if not isinstance(stmt.place, Item) or any(isinstance(e, (Call, Opaque)) for e in walk(stmt.place.value)):
            return
        ref = self.c.static(self.facts.kind(stmt, stmt.place.value))
        view = None if ref is None else self._through_holder(ref, bound)
        if view is not None and view != stmt.place.value:
            out.append(self._effect(checks.check_view, Const(_where(stmt)), stmt.place.value, view))

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
            case ListOf(item):
                return _tuple("list", Const(None) if item is None else self._fact(item))
            case DictOf(items, _):
                return _tuple("dict", self._pairs(items))
            case ObjectOf(cls, items):
                return _tuple("object", self.c.helper(cls.__name__, cls), self._pairs(items))
        return Const(None)

    def _pairs(self, items: tuple[tuple[Any, Value], ...]) -> Tuple:
        return Tuple(tuple(Tuple((Const(key), self._fact(value))) for key, value in items))

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

    # ------------------------------------------------------------ calls

    def _call(self, function: Any, *args: Expr) -> Call:
        return Call(self.c.helper(function.__name__, function), args)

    def _effect(self, function: Any, *args: Expr) -> Effect:
        return Effect(self._call(function, *args))


def _tuple(*parts: Any) -> Tuple:
    return Tuple(tuple(part if isinstance(part, Expr) else Const(part) for part in parts))


def _where(stmt: Statement) -> str:
    return "a line of our own" if stmt.at is None else f"line {stmt.at.line} of {stmt.at.file}"


def _text(place: Expr) -> str:
    return f"`{printing.text(place)}`"


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
    reads = {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)} - {"max"}
    return Opaque(tree, tuple(sorted(reads)))


def _is_path(term: tuple[Any, int]) -> bool:
    match term[0]:
        case str() | (str(), int()):
            return True
        case ("clamp", Linear() as inner):
            return all(map(_is_path, inner.terms))
    return False
