"""What statements of the backward part read of the primal program: names, and the content of storages."""
from __future__ import annotations

from typing import Any

from srcgrad.analysis.boxes import Box
from srcgrad.analysis.interpret.state import Abstract, reach
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Call,
    Expr,
    Function,
    Item,
    Name,
    Opaque,
    Slice,
    Statement,
    children,
    expressions,
    statements,
)
from srcgrad.lang.names import root_name
from srcgrad.passes.needs import Key, Needs, part_key, whole_arrays
from srcgrad.passes.parts import Parts
from srcgrad.passes.reverse.context import Context

Block = list[Statement]
SHAPE_ONLY = frozenset(("zeros_like", "shape", "size", "ndim", "ones_like", "empty_like", "shapes", "len",
                        "may_share_memory"))
# methods of the shadow that ask of their first argument where it lies, not what is in it
OF_STORAGES = frozenset(("add", "accumulate", "add_part", "take", "pop"))


class Reads:
    """Answers for one function; `primal` are the names whose values the backward part can't make itself."""

    def __init__(self, context: Context) -> None:
        self.c, self.parts = context, Parts(context)
        self.primal = set(names.local(context.unit.code))
        self._outside: dict[str, Abstract | None] = {}

    def of(self, block: Block, stmt: Statement | None) -> Needs:
        """What the block reads, in the state around the statement."""
        return whole_arrays(self.parts_of(block, stmt))

    def parts_of(self, block: Block, stmt: Statement | None) -> Needs:
        """The same, of arrays by part: of a block that runs where the state is that before a simple statement."""
        out: set[Key] = set()
        for inner in statements(tuple(block)):
            for expr in expressions(inner):
                self._read(expr, stmt, out, False)
        return frozenset(out)

    def of_expr(self, expr: Expr, stmt: Statement) -> Needs:
        out: set[Key] = set()
        self._read(expr, stmt, out, False)
        return whole_arrays(frozenset(out))

    def _read(self, expr: Expr, stmt: Statement | None, out: set[Key], shape: bool) -> None:
        match expr:
            case Name(id):
                self._read_place(expr, id, stmt, out, shape)
                return
            case Item() if not shape and (root := _owner(expr)) in self.primal and self._box(expr, stmt):
                self._read_place(expr, root, stmt, out, shape)
                for index in _indices(expr):
                    self._read(index, stmt, out, False)
                return
            case Attr(value, name) if name in ("shape", "size", "ndim", "dtype"):
                self._read(value, stmt, out, True)
                return
            case Attr(Name(id), name) if self._is_outer_object(id, stmt):
                self._read_field(id, name, stmt, out, shape)
                return
            case Call(func, args, kwargs):
                self._read_call(func, args, kwargs, stmt, out, shape)
                return
            case Opaque(_, reads):
                for name in reads:
                    self._read(Name(name), stmt, out, shape)
                return
            case Function(_, free):
                for name in free:
                    self._read(Name(name), stmt, out, False)
                return
        for child in children(expr):
            self._read(child, stmt, out, shape and not isinstance(expr, Slice))

    def _read_place(self, place: Expr, root: str, stmt: Statement | None, out: set[Key], shape: bool) -> None:
        if root in self.primal:
            out.add(("name", root))
        box = None if shape or root not in self.primal else self._box(place, stmt)
        out.update(part_key(group, box) for group in self._groups(root, stmt, shape))

    def _box(self, place: Expr, stmt: Statement | None) -> Box | None:
        return None if stmt is None else self.parts.box(place, stmt)

    def _is_outer_object(self, name: str, stmt: Statement | None) -> bool:
        item = self._item(name, stmt)
        return item is not None and item.items is None and bool(item.refs) \
            and all(r.storage.origin == "outer" and r.storage.kind == "object" for r in item.refs)

    def _read_field(self, name: str, field: str, stmt: Statement | None, out: set[Key], shape: bool) -> None:
        """One field of an object from outside, which keeps what the function puts into its others."""
        item = self._item(name, stmt)
        assert item is not None
        if name in self.primal:
            out.add(("name", name))
        out.update(("content", (ref.storage.group, field)) for ref in item.refs)
        held = reach(part for ref in item.refs for key, part in ref.storage.fields.items() if key in (field, "*"))
        out.update(("content", s.group) for s in held if not shape or s.kind != "array")

    def _read_call(self, func: Expr, args: tuple[Expr, ...], kwargs: tuple[tuple[str | None, Expr], ...],
                   stmt: Statement | None, out: set[Key], shape: bool) -> None:
        called = func.id if isinstance(func, Name) else func.name if isinstance(func, Attr) else ""
        shadow = isinstance(func, Name) and func.id == self.c.shadow
        inner = called in SHAPE_ONLY or shadow and self._is_array(args[0], stmt)
        if isinstance(func, Attr):
            self._read(func.value, stmt, out, shape or called == "pop")
            if called in OF_STORAGES and isinstance(func.value, Name) and func.value.id == self.c.shadow:
                self._read(args[0], stmt, out, self._is_array(args[0], stmt))
                args = args[1:]
        for e in (*args, *(v for _, v in kwargs)):
            self._read(e, stmt, out, inner)

    def _is_array(self, place: Expr, stmt: Statement | None) -> bool:
        """Whether the shadow is asked for an array, whose adjoint doesn't depend on what is in it."""
        item = self._item(root_name(place), stmt)
        return not isinstance(place, Name) or item is None \
            or item.items is None and all(r.storage.kind == "array" for r in item.refs)

    def _groups(self, name: str, stmt: Statement | None, shape: bool) -> set[Any]:
        """The storages whose content reading the name may read; which array a container holds is its content, also
        where only the array's shape is asked for."""
        item = self._item(name, stmt)
        return {s.group for s in reach([] if item is None else [item]) if not shape or s.kind != "array"}

    def _item(self, name: str, stmt: Statement | None) -> Abstract | None:
        if name not in self.primal:
            return self._outer(name)
        if stmt is None:
            ends = [env[name] for env in self.c.facts.before.values() if name in env]
            ends += [env[name] for env in self.c.facts.after.values() if name in env]
            if not ends:
                return None
            return Abstract(items=tuple(ends))
        found = [env[name] for env in (self.c.facts.before.get(stmt, {}), self.c.facts.after.get(stmt, {}))
                 if name in env]
        if len(found) > 1 and name in names.bound_by(stmt):
            return Abstract(items=tuple(found))
        return found[0] if found else self._item(name, None)

    def _outer(self, name: str) -> Abstract | None:
        """What a name from outside means: what it holds may be changed, too."""
        if name not in self._outside:
            known = self.c.unit.outer(name) is not None
            self._outside[name] = self.c.facts.evaluator(Name(name), {}) if known else None
        return self._outside[name]


def _owner(place: Expr) -> str | None:
    """The name that a place consists of items of."""
    while isinstance(place, Item):
        place = place.value
    return place.id if isinstance(place, Name) else None


def _indices(place: Expr) -> list[Expr]:
    return [place.index, *_indices(place.value)] if isinstance(place, Item) else []
