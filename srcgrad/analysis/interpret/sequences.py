"""What a loop runs over, as something that has a length and a k-th element."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.values import (
    Array,
    DictOf,
    Known,
    Linear,
    ListOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
)
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
    If,
    Item,
    Jump,
    List,
    Name,
    Star,
    Statement,
    Tuple,
)
from srcgrad.library.writers import get_flat


@dataclass(frozen=True)
class Part:
    """Something that has a k-th element.

    lengths: it has as many elements as the shortest of these says; none: it never ends.  counts: the k-th element is k.
    texts: a text that is known is (part of) each element, such an item of `named`.
    """
    lengths: tuple[tuple[Expr, Linear | None], ...]
    element: Callable[[Expr], Expr]
    counts: bool = False
    texts: tuple[str, ...] = ()
    named: Expr | None = None


VIEWS = ("items", "values", "keys")


class Sequences:
    """The parts of what one loop runs over; `before`: what is evaluated before it."""

    def __init__(self, ev: Evaluator, stmt: For, env: Env) -> None:
        self.ev, self.stmt, self.env, self.at = ev, stmt, env, stmt.at
        self.bound = names.bound((stmt,))
        self.before: list[Statement] = []
        self.held = 0
        self.resized = False            # a list that is run over changes its length meanwhile

    def known(self, func: Expr) -> Any:
        """The object that a name, or an attribute of a module or a class, means."""
        if isinstance(func, Attr) and self.known(func.value) is None or not isinstance(func, (Name, Attr)):
            return None
        value = self.ev(func, self.env).value
        return value.obj if isinstance(value, Known) else None

    def value(self, expr: Expr) -> Value:
        return self.ev.value(self.ev(expr, self.env))

    def name(self, hint: str) -> str:
        return self.ev.made(self.stmt, hint)

    def producer(self, function: Any) -> Callable[[Call], Part | None] | None:
        try:
            name = self._PRODUCERS.get(function)
            return None if name is None else getattr(self, name)
        except TypeError:               # unhashable
            return None

    def part(self, expr: Expr) -> Part | None:
        if isinstance(expr, Call) and not any(isinstance(a, Star) for a in expr.args):
            make = self.producer(self.known(expr.func))
            if make is not None:
                return make(expr)
            view = self.view(expr)
            if view is not None:
                return self.view_part(*view)
        return self.sequence(expr)

    def sequence(self, expr: Expr) -> Part | None:
        if self.is_flat(expr):
            return self.cells(expr.value)
        value = self.value(expr)
        length: Linear | None = None
        match value:
            case Array(_, dims):
                if dims == ():
                    return None
                length = dims[0] if dims is not None else None
            case TupleOf(items):
                length = Linear(len(items))
            case ListOf():
                self.resized |= self.ev.heap.resized_in(self.ev(expr, self.env).refs, self.stmt)
            case RangeOf() | ShapeOf() | Known(str()):
                pass
            case _:
                return None
        if isinstance(expr, Call) and self.known(expr.func) is range and len(expr.args) == 1:
            count = self.hold(expr.args[0], "n")
            return Part(((count, None),), lambda k: k, counts=True)
        name = self.hold(expr, "items")
        return Part(((self.len(name), length),), lambda k: Item(name, k, at=expr.at),
                    texts=_texts(expr, value), named=name)

    def is_flat(self, expr: Expr) -> TypeGuard[Attr]:
        return isinstance(expr, Attr) and expr.name == "flat" and isinstance(self.value(expr.value), Array)

    def cells(self, array: Expr) -> Part:
        """What `array.flat` runs over, as it is when it comes to each."""
        array = self.hold(array, "items")
        size = Attr(array, "size", at=self.at)
        return Part(((size, None),), lambda k: Call(Const(get_flat), (array, k), at=self.at))

    def hold(self, expr: Expr, hint: str) -> Expr:
        """A name, or a constant, that means this throughout the loop."""
        if isinstance(expr, Const) or isinstance(expr, Name) and expr.id not in self.bound:
            return expr
        if isinstance(expr, Name):
            hint = expr.id
        self.held += 1
        name = self.name(f"{hint}_{self.held}" if self.held > 1 else hint)
        self.before.append(Bind((name,), (expr,), at=self.at))
        return Name(name, at=expr.at)

    def len(self, expr: Expr) -> Call:
        return Call(Name("len"), (expr,), at=self.at)

    def length(self, part: Part) -> Expr:
        different: list[tuple[Expr, Linear | None]] = []
        for text, length in part.lengths:
            alike = [t for t, known in different if t == text or length is not None and known == length]
            if not alike:
                different.append((text, length))
        if len(different) == 1:
            return different[0][0]
        return Call(Name("min"), tuple(text for text, _ in different), at=self.at)

    def enumerated(self, call: Call) -> Part | None:
        kwargs = dict(call.kwargs)
        start = kwargs.get("start", call.args[1] if len(call.args) > 1 else Const(0))
        inner = self.part(call.args[0]) if call.args else None
        if inner is None:
            return None
        start = self.hold(start, "start")
        plain = start == Const(0)
        return Part(inner.lengths, lambda k: Tuple((k if plain else Bin("+", start, k), inner.element(k))),
                    texts=inner.texts, named=inner.named)

    def zipped(self, call: Call) -> Part | None:
        parts = [self.part(arg) for arg in call.args]
        whole = [p for p in parts if p is not None]
        if len(whole) < len(parts) or not parts:
            return None
        strict = dict(call.kwargs).get("strict", Const(False))
        if strict != Const(False) and not self.strict(strict, whole):
            return None
        lengths = tuple(length for p in whole for length in p.lengths)
        named = next((p for p in whole if p.texts), whole[0])
        return Part(lengths, lambda k: Tuple(tuple(p.element(k) for p in whole)), texts=named.texts, named=named.named)

    def strict(self, strict: Expr, parts: list[Part]) -> bool:
        """zip(..., strict=True) raises where the lengths differ (here before the first iteration)."""
        if strict != Const(True) or any(len(p.lengths) != 1 for p in parts):
            return False
        first, *others = (p.lengths[0] for p in parts)
        for text, length in others:
            if length is None or length != first[1]:
                error = Call(Name("ValueError"), (Const("zip() arguments have different lengths"),), at=self.at)
                self.before.append(If(Compare(first[0], ("!=",), (text,)), (Jump("raise", error, at=self.at),),
                                      at=self.at))
        return True

    def mapped(self, call: Call) -> Part | None:
        if len(call.args) < 2:
            return None
        inner = self.zipped(Call(call.func, call.args[1:], at=call.at))
        if inner is None:
            return None
        function = self.hold(call.args[0], "function")

        def element(k: Expr) -> Expr:
            items = inner.element(k)
            assert isinstance(items, Tuple)
            return Call(function, items.items, at=call.at)
        return Part(inner.lengths, element)

    def counted(self, call: Call) -> Part | None:
        kwargs = dict(call.kwargs)
        start = kwargs.get("start", call.args[0] if call.args else Const(0))
        step = kwargs.get("step", call.args[1] if len(call.args) > 1 else Const(1))
        if step != Const(1) or isinstance(start, Const) and not isinstance(start.value, int):
            return None                 # the sums are rounded one by one
        start = self.hold(start, "start")
        return Part((), lambda k: k if start == Const(0) else Bin("+", start, k))

    def repeated(self, call: Call) -> Part | None:
        if len(call.args) != 1 or call.kwargs:
            return None
        value = self.hold(call.args[0], "value")
        return Part((), lambda k: value)

    def view_part(self, owner: Expr, kind: str) -> Part:
        owner = self.hold(owner, "items")
        keys = self.hold(Call(Name("list"), (owner,), at=self.at), "keys")

        def element(k: Expr) -> Expr:
            key = Item(keys, k, at=self.at)
            return {"keys": key, "values": Item(owner, key), "items": Tuple((key, Item(owner, key)))}[kind]
        return Part(((self.len(keys), None),), element)

    def turned(self, call: Call) -> Part | None:
        inner = self.sequence(call.args[0]) if len(call.args) == 1 else None
        if inner is None:
            return None
        last = Bin("-", inner.lengths[0][0], Const(1))
        return Part(inner.lengths, lambda k: inner.element(Bin("-", last, k)))

    def paired(self, call: Call) -> Part | None:
        inner = self.sequence(call.args[0]) if len(call.args) == 1 else None
        if inner is None:
            return None
        text, known = inner.lengths[0]
        shorter = None if known is None else known - Linear(1)
        return Part(((Bin("-", text, Const(1)), shorter),),
                     lambda k: Tuple((inner.element(k), inner.element(Bin("+", k, Const(1))))))

    def view(self, call: Call) -> tuple[Expr, str] | None:
        func = call.func
        if isinstance(func, Attr) and func.name in VIEWS and not call.args and not call.kwargs \
                and isinstance(self.value(func.value), DictOf):
            return func.value, func.name
        return None

    _PRODUCERS: dict[Any, str] = {
        enumerate: "enumerated", zip: "zipped", map: "mapped", reversed: "turned", itertools.count: "counted",
        itertools.repeat: "repeated", itertools.pairwise: "paired"}


def _texts(expr: Expr, value: Value) -> tuple[str, ...]:
    """The texts that a sequence certainly consists of."""
    if isinstance(value, Known) and isinstance(value.obj, str):
        return tuple(value.obj)
    parts: Sequence[Any] = value.items if isinstance(value, TupleOf) else ()
    if isinstance(expr, (Tuple, List)):
        parts = [Known(e.value) if isinstance(e, Const) else None for e in expr.items]
    found = tuple(p.obj for p in parts if isinstance(p, Known) and isinstance(p.obj, str))
    return found if len(found) == len(parts) else ()
