"""Which part of an array a place is, as a box (`analysis.boxes`) in the whole array that it is a view of.

        A[i, k + 1:]                        rows i, columns from k + 1
        v[j], where v = A[2:]               row 2 + j
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from srcgrad.analysis.boxes import ONE, Box, Order, Span, Trips, cell, counting
from srcgrad.analysis.interpret.state import NOTHING, Abstract, Env
from srcgrad.analysis.lengths import Iteration
from srcgrad.analysis.values import UNKNOWN, Array, Known, Linear, Number, Value, number_of
from srcgrad.lang.core import (
    Attr,
    Call,
    Const,
    Expr,
    For,
    Item,
    Name,
    Slice,
    Statement,
    Tuple,
    blocks,
    names_read,
    statements,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.needs import Key, Needs, box_of, map_boxes, of_content, part_key
from srcgrad.passes.reverse.context import Context

MOST_BOXES = 12         # of one array; more of them are taken to be all of it


@dataclass(frozen=True)
class _Axis:
    """A dimension of a view: cell j of it is cell `offset + stride * j` of the array's; of: which dimension that is
    (None: of none).  An offset of None isn't known."""
    of: int | None
    offset: Linear | None
    stride: int
    length: Linear | None


class Parts:
    """Answers for one function."""

    def __init__(self, context: Context) -> None:
        self.c = context
        self.order = Order(self._trips_of)

    # ------------------------------------------------------------ loops

    def _trips_of(self, loop: int) -> Trips | None:
        return self._trips.get(loop)

    @cached_property
    def _trips(self) -> dict[int, Trips]:
        loops = [s for s in statements(self.c.unit.code.body) if isinstance(s, For)]
        found = {self.number(stmt): self._counts(stmt, stmt.iter) for stmt in loops}
        return {number: trips for number, trips in found.items() if number is not None and trips is not None}

    def number(self, stmt: Statement) -> int | None:
        """The loop's number in the forms that its variable is in."""
        return self.c.facts.numbers.get(stmt)

    def _counts(self, stmt: For, items: Expr) -> Trips | None:
        if not isinstance(items, Call) or items.kwargs or self.c.kind(stmt, items.func).value != Known(range):
            return None
        forms = [self.form(self.c.value(stmt, e)) for e in items.args]
        step = forms[2].constant if len(forms) == 3 and forms[2] is not None else 1 if len(forms) < 3 else None
        start, stop = (Linear(0), forms[0]) if len(forms) == 1 else (forms[0], forms[1])
        return counting(start, stop, step) if step else None

    def form(self, value: Value) -> Linear | None:
        """An integer in terms of lengths and loop variables; lengths that are equal are one."""
        number = number_of(value)
        if number is None or number.kind != "int" or number.linear is None:
            return None
        return self.c.facts.evaluator.equalities.root(number.linear)

    def _state(self, stmt: Statement) -> Env:
        """The state before the statement, with names that aren't read again, but in whose terms views are known."""
        return {**self._steady, **self._loops_around.get(stmt, {}), **self.c.facts.before.get(stmt, {})}

    @cached_property
    def _steady(self) -> Env:
        return {name: self.c.facts.after[stmt][name] for stmt in self.c.unit.code.body if stmt in self.c.facts.after
                for name in bound_by(stmt) if name in self.c.steady and name in self.c.facts.after[stmt]}

    @cached_property
    def _loops_around(self) -> dict[Statement, Env]:
        """A statement -> the variables of the loops that it stands in."""
        out: dict[Statement, Env] = {}
        todo: list[tuple[tuple[Statement, ...], Env]] = [(self.c.unit.code.body, {})]
        while todo:
            block, around = todo.pop()
            for stmt in block:
                out[stmt] = inside = around
                number = self.number(stmt)
                if isinstance(stmt, For) and number in self._trips and self.c.bindings.get(stmt.target) == 1:
                    value = Number("int", None, Linear.symbol(Iteration(number)))
                    inside = {**around, stmt.target: Abstract(value)}
                todo.extend((inner, inside) for inner in blocks(stmt))
        return out

    # ------------------------------------------------------------ needs

    def earlier(self, needs: Needs, stmt: Statement) -> Needs:
        """What was needed in iterations before this one."""
        return self._over(needs, stmt, self.order.earlier)

    def ever(self, needs: Needs, stmt: Statement) -> Needs:
        """What was needed in any iteration."""
        return self._over(needs, stmt, self.order.ever)

    def _over(self, needs: Needs, stmt: Statement, over: Callable[[Box, int], Box]) -> Needs:
        if not isinstance(stmt, For):
            return needs
        number = self.number(stmt)
        return map_boxes(needs, lambda box: None if number is None else over(box, number))

    def new(self, needs: Needs, known: Needs) -> Needs:
        """The needs that aren't known; an array of which many parts are needed is needed as a whole."""
        out = frozenset(key for key in needs - known if not self._is_known(key, known))
        for group in {key[1][0] for key in out if box_of(key) is not None}:
            if len(of_content(known | out, group)) > MOST_BOXES:
                out = out - of_content(out, group) | {part_key(group, None)}
        return out

    def _is_known(self, key: Key, known: Needs) -> bool:
        box = box_of(key)
        if box is None:
            return False
        group = key[1][0]
        return part_key(group, None) in known or any(
            (other := box_of(k)) is not None and self.order.covers(other, box) for k in of_content(known, group))

    def elsewhere(self, owner: Abstract, box: Box, needs: Needs) -> Needs:
        """The needs of parts of these arrays that certainly aren't met by this one."""
        return frozenset(key for ref in owner.refs for key in of_content(needs, ref.storage.group)
                         if (other := box_of(key)) is not None and self.order.disjoint(box, other))

    # ------------------------------------------------------------ places

    def box(self, place: Expr, stmt: Statement) -> Box | None:
        """Where in a whole array a name, or items of it, lie before the statement; None where that isn't known."""
        steps: list[Expr] = []
        while isinstance(place, Item):
            steps.append(place.index)
            place = place.value
        if not isinstance(place, Name) or place.id in bound_by(stmt):
            return None
        env = self._state(stmt)
        item = self.c.facts.before.get(stmt, {}).get(place.id)
        paths = set() if item is None else {ref.path for ref in item.refs}
        if item is None or len(paths) != 1 or item.items is not None \
                or any(ref.storage.kind != "array" for ref in item.refs):
            return None
        (path,) = paths
        value = self.c.facts.value_of(item)
        if path is None or not isinstance(value, Array) or value.dims is None:
            return None
        view = _View(self, env, bound_by(stmt), self._whole(item, env) if path else value.dims)
        return view.follow(path, reversed(steps))

    def _whole(self, item: Abstract, env: Env) -> tuple[Linear | None, ...] | None:
        """The dimensions of the array that it is a view of."""
        holders = {self.c.holders.get(ref.storage) for ref in item.refs}
        holder = holders.pop() if len(holders) == 1 else None
        whole = NOTHING if holder is None else env.get(holder, NOTHING)
        found = self.c.facts.value_of(whole)
        return found.dims if isinstance(found, Array) else None


class _View:
    """Follows subscripts from a whole array to a part of it."""

    def __init__(self, parts: Parts, env: Env, unsure: Iterable[str], dims: tuple[Linear | None, ...] | None) -> None:
        self.parts, self.order, self.env, self.unsure = parts, parts.order, env, frozenset(unsure)
        self.spans = [Span() for _ in dims or ()]
        self.axes = None if dims is None else [_Axis(k, Linear(0), 1, d) for k, d in enumerate(dims)]

    def follow(self, path: Iterable[Expr], steps: Iterable[Expr]) -> Box | None:
        for step in path:
            self._step(step.index if isinstance(step, Item) else step)
        for index in steps:
            self._step(index)
        return Box(tuple(self.spans)) if self.spans else None

    def _step(self, index: Expr) -> None:
        """One more subscript; one that isn't followed, and what comes after it, leaves a part of what there is."""
        if self.axes is None:
            return
        if isinstance(index, Attr):
            self.axes = self.axes[::-1] if index.name == "T" else None
            return
        entries = list(index.items) if isinstance(index, Tuple) else [index]
        kinds = [self._kind(e) for e in entries]
        left = len(self.axes) - sum(kind in ("cell", "slice", "array") for kind in kinds)
        if None in kinds or left < 0 or kinds.count("rest") > 1:
            self.axes = None
            return
        axes = iter(self.axes)
        new: list[_Axis] | None = []
        for entry, kind in zip([*entries, Const(Ellipsis)], [*kinds, "rest"]):
            taken = [next(axes) for _ in range(left if kind == "rest" else kind != "new")]
            left -= len(taken) if kind == "rest" else 0
            kept = [_Axis(None, None, 1, ONE)] if kind == "new" else self._taken(entry, kind, taken)
            new = None if new is None or kind == "array" else [*new, *kept]
        self.axes = new

    def _kind(self, entry: Expr) -> str | None:
        """What an entry of a subscript is; None where that isn't known."""
        if isinstance(entry, Slice):
            return "slice"
        if isinstance(entry, Const) and (entry.value is None or entry.value is Ellipsis):
            return "new" if entry.value is None else "rest"
        value = self._value(entry)
        number = number_of(value)
        if number is not None:
            return "cell" if number.kind == "int" else None
        match value:
            case Array(dtype, dims) if dtype is not None and dtype.kind in "iu" and dims is not None:
                return "array" if dims else "cell"
        return None

    def _taken(self, entry: Expr, kind: str | None, axes: list[_Axis]) -> list[_Axis]:
        """What an entry leaves of the dimensions that it is for; narrows the spans."""
        if kind == "cell":
            self._cell(axes[0], self._form(entry))
            return []
        if kind == "slice" and isinstance(entry, Slice):
            return [self._slice(axes[0], entry)]
        return axes if kind == "rest" else []

    def _cell(self, axis: _Axis, at: Linear | None) -> None:
        at = self._from_start(at, axis.length)
        if at is not None and axis.offset is not None and axis.of is not None:
            self.spans[axis.of] = cell(axis.offset + at * axis.stride)

    def _slice(self, axis: _Axis, entry: Slice) -> _Axis:
        unknown = replace(axis, offset=None, length=None)
        step = Linear(1) if self._absent(entry.step) else self._form(entry.step)
        every = None if step is None else step.constant
        if axis.offset is None or axis.of is None or every is None:
            return unknown
        lower, upper = (None if self._absent(e) else e for e in (entry.lower, entry.upper))
        if every == -1 and lower is None and upper is None and axis.length is not None:
            last = axis.offset + (axis.length - ONE) * axis.stride
            return replace(axis, offset=last, stride=-axis.stride)
        if every < 1 or axis.stride < 1:
            return unknown
        start = Linear(0) if lower is None else self._form(lower)
        counted = start is not None and not self.order.at_most(Linear(0), start)      # from the end, if so
        start = self._from_start(start, axis.length)
        stop = None if upper is None else self._from_start(self._form(upper), axis.length)
        span = self.spans[axis.of]
        low = span.lower if start is None else axis.offset + start * axis.stride
        high = None if stop is None else axis.offset + (stop - ONE) * axis.stride + ONE
        if high is None or self.order.at_most(span.upper, high):
            high = span.upper
        sure = start is not None and not counted
        self.spans[axis.of] = Span(low, high, axis.stride * every if sure else 1)
        if not sure:
            return unknown
        length = axis.length if lower is None and upper is None and every == 1 else None
        return _Axis(axis.of, low, axis.stride * every, length)

    def _from_start(self, at: Linear | None, length: Linear | None) -> Linear | None:
        """The index counted from the start, None where it isn't known from which end it counts."""
        if self.order.at_most(Linear(0), at):
            return at
        if at is not None and length is not None and self.order.at_most(at, Linear(-1)):
            return length + at
        return None

    # ------------------------------------------------------------ expressions

    def _absent(self, entry: Expr | None) -> bool:
        return entry is None or entry == Const(None)

    def _form(self, expr: Expr | None) -> Linear | None:
        return None if expr is None else self.parts.form(self._value(expr))

    def _value(self, expr: Expr) -> Value:
        return UNKNOWN if names_read(expr) & self.unsure else self.parts.c.probe(expr, self.env)
