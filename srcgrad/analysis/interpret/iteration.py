"""Loops over what builtins make of sequences, as loops over their indices.

        for i, x in enumerate(xs): ...          for i in range(len(xs)): x = xs[i]; ...
        for a, b in zip(u, v): ...      ->      for k in range(min(len(u), len(v))): a = u[k]; b = v[k]; ...
        for x in reversed(xs): ...              for k in range(len(xs) - 1, -1, -1): x = xs[k]; ...
        for key, v in d.items(): ...            for key in list(d): v = d[key]; ...

Everything may stand in everything else.  What isn't a sequence (a generator, a file) stays.
"""
from __future__ import annotations

import builtins
import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Lazy,
    Linear,
    ListOf,
    ObjectOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
    join,
)
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Bool,
    Call,
    Compare,
    Const,
    Expr,
    For,
    If,
    Item,
    Jump,
    Name,
    Slice,
    Star,
    Statement,
    Try,
    Tuple,
    Unpack,
    While,
    expressions,
    names_read,
    statements,
    substitute,
    with_expressions,
)
from srcgrad.lang.source import is_user_function

Block = tuple[Statement, ...]


class Made:
    """Names for what rewriting holds, always the same ones for the same statement.

    >>> made = Made(names.Fresh({"k"}))
    >>> made(None, "k"), made(None, "k")
    ('k_1', 'k_1')
    """

    def __init__(self, fresh: names.Fresh) -> None:
        self._fresh = fresh
        self._known: dict[tuple[Any, str], str] = {}

    def __call__(self, stmt: Statement | None, hint: str) -> str:
        if (stmt, hint) not in self._known:
            self._known[stmt, hint] = self._fresh.name(hint)
        return self._known[stmt, hint]


VIEWS = ("items", "values", "keys")


def rewritten_loop(ev: Evaluator, stmt: For, env: Env) -> Block | None:
    """The loop over indices, or None where it stays as it is."""
    if isinstance(stmt.iter, Call) and not any(isinstance(a, Star) for a in stmt.iter.args):
        new = _Loop(ev, stmt, env).rewritten()
        if new is not None:
            return new
    item = ev(stmt.iter, env)
    value = ev.value(item)
    if isinstance(value, ListOf) and ev.heap.resized_in(item.refs, stmt):
        return _Loop(ev, stmt, env).over_resized()
    return _over_object(ev, stmt, value.cls) if isinstance(value, ObjectOf) and item.active else None


def rewritten_unpack(ev: Evaluator, stmt: Unpack, env: Env) -> Block | None:
    """`a, b = iterator` takes them out of a list."""
    item = ev(stmt.value, env)
    if ev.value(item) != Lazy() or not item.active:
        return None
    return (replace(stmt, value=Call(Const(list), (stmt.value,), at=stmt.value.at)),)


def _over_object(ev: Evaluator, stmt: For, cls: type) -> Block | None:
    """A loop over an object with `__next__`, or with an `__iter__` that gives another iterator."""
    at = stmt.at
    if not hasattr(cls, "__next__"):
        call = Call(Attr(stmt.iter, "__iter__", at=at), (), at=at)
        return (replace(stmt, iter=call),) if is_user_function(getattr(cls, "__iter__", None)) else None
    held, more = (Name(ev.made(stmt, hint), at=at) for hint in ("iterator", "more"))
    following = Bind((stmt.target,), (Call(Attr(held, "__next__", at=at), (), at=at),), at=at)
    stopped = (Name("StopIteration"), None, (Bind((more.id,), (Const(False),), at=at),))
    body = (Try((following,), (stopped,), at=at), If(more, stmt.body, (Jump("break", at=at),), at=at))
    return (Bind((held.id,), (stmt.iter,), at=at), Bind((more.id,), (Const(True),), at=at),
            While(Const(True), body, at=at))


@dataclass(frozen=True)
class _Part:
    """Something that has a k-th element.

    lengths: it has as many elements as the shortest of these says; none: it never ends.  counts: the k-th element is k.
    """
    lengths: tuple[tuple[Expr, Linear | None], ...]
    element: Callable[[Expr], Expr]
    counts: bool = False


class _Loop:
    def __init__(self, ev: Evaluator, stmt: For, env: Env) -> None:
        self.ev, self.stmt, self.env, self.at = ev, stmt, env, stmt.at
        self.bound = names.bound((stmt,))
        self.before: list[Statement] = []
        self.held = 0
        self.resized = False            # a list that is run over changes its length meanwhile

    def rewritten(self) -> Block | None:
        call = self.stmt.iter
        assert isinstance(call, Call)
        if not self.plain_names():
            return None
        function = self.known(call.func)
        if function is builtins.reversed and len(call.args) == 1 and self.matters():
            return self.backwards(call.args[0])
        view = self.view(call)
        if view is not None:
            return self.over_keys(*view) if self.matters() else None
        if self.producer(function) is None or not self.matters():
            return None
        part = self.part(call)
        if part is None or not part.lengths:
            return None
        return self.over(part, Call(Name("range"), (self.length(part),), at=self.at), self.name("k"))

    def plain_names(self) -> bool:
        """Whether the names that the new loop uses mean what they mean in Python."""
        return all(self.known(Name(n)) is getattr(builtins, n) for n in ("len", "list", "min", "range"))

    def over_resized(self) -> Block | None:
        part = self.sequence(self.stmt.iter)
        return None if part is None or not self.plain_names() else self.over(part, Const(None), self.name("k"))

    def known(self, func: Expr) -> Any:
        """The object that a name, or an attribute of a module or a class, means."""
        if isinstance(func, Attr) and self.known(func.value) is None or not isinstance(func, (Name, Attr)):
            return None
        value = self.ev(func, self.env).value
        return value.obj if isinstance(value, Known) else None

    def value(self, expr: Expr) -> Value:
        return self.ev.value(self.ev(expr, self.env))

    def matters(self) -> bool:
        """Whether anything that is differentiated takes part in the loop; else it stays as the user wrote it."""
        read = {n for s in statements((self.stmt,)) for e in expressions(s) for n in names_read(e)}
        return any(self.env[n].active for n in read if n in self.env)

    def name(self, hint: str) -> str:
        return self.ev.made(self.stmt, hint)

    # ------------------------------------------------------------ what is run over

    def producer(self, function: Any) -> Callable[[Call], _Part | None] | None:
        try:
            name = self._PRODUCERS.get(function)
            return None if name is None else getattr(self, name)
        except TypeError:               # unhashable
            return None

    def part(self, expr: Expr) -> _Part | None:
        if isinstance(expr, Call) and not any(isinstance(a, Star) for a in expr.args):
            make = self.producer(self.known(expr.func))
            if make is not None:
                return make(expr)
            view = self.view(expr)
            if view is not None:
                return self.view_part(*view)
        return self.sequence(expr)

    def sequence(self, expr: Expr) -> _Part | None:
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
            return _Part(((count, None),), lambda k: k, counts=True)
        name = self.hold(expr, "items")
        return _Part(((self.len(name), length),), lambda k: Item(name, k, at=expr.at))

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

    def length(self, part: _Part) -> Expr:
        different: list[tuple[Expr, Linear | None]] = []
        for text, length in part.lengths:
            alike = [t for t, known in different if t == text or length is not None and known == length]
            if not alike:
                different.append((text, length))
        if len(different) == 1:
            return different[0][0]
        return Call(Name("min"), tuple(text for text, _ in different), at=self.at)

    # ------------------------------------------------------------ the builtins

    def enumerated(self, call: Call) -> _Part | None:
        kwargs = dict(call.kwargs)
        start = kwargs.get("start", call.args[1] if len(call.args) > 1 else Const(0))
        inner = self.part(call.args[0]) if call.args else None
        if inner is None:
            return None
        start = self.hold(start, "start")
        plain = start == Const(0)
        return _Part(inner.lengths, lambda k: Tuple((k if plain else Bin("+", start, k), inner.element(k))))

    def zipped(self, call: Call) -> _Part | None:
        parts = [self.part(arg) for arg in call.args]
        whole = [p for p in parts if p is not None]
        if len(whole) < len(parts) or not parts:
            return None
        strict = dict(call.kwargs).get("strict", Const(False))
        if strict != Const(False) and not self.strict(strict, whole):
            return None
        lengths = tuple(length for p in whole for length in p.lengths)
        return _Part(lengths, lambda k: Tuple(tuple(p.element(k) for p in whole)))

    def strict(self, strict: Expr, parts: list[_Part]) -> bool:
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

    def mapped(self, call: Call) -> _Part | None:
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
        return _Part(inner.lengths, element)

    def counted(self, call: Call) -> _Part | None:
        kwargs = dict(call.kwargs)
        start = kwargs.get("start", call.args[0] if call.args else Const(0))
        step = kwargs.get("step", call.args[1] if len(call.args) > 1 else Const(1))
        if step != Const(1) or isinstance(start, Const) and not isinstance(start.value, int):
            return None                 # the sums are rounded one by one
        start = self.hold(start, "start")
        return _Part((), lambda k: k if start == Const(0) else Bin("+", start, k))

    def repeated(self, call: Call) -> _Part | None:
        if len(call.args) != 1 or call.kwargs:
            return None
        value = self.hold(call.args[0], "value")
        return _Part((), lambda k: value)

    def view_part(self, owner: Expr, kind: str) -> _Part:
        owner = self.hold(owner, "items")
        keys = self.hold(Call(Name("list"), (owner,), at=self.at), "keys")

        def element(k: Expr) -> Expr:
            key = Item(keys, k, at=self.at)
            return {"keys": key, "values": Item(owner, key), "items": Tuple((key, Item(owner, key)))}[kind]
        return _Part(((self.len(keys), None),), element)

    def turned(self, call: Call) -> _Part | None:
        inner = self.sequence(call.args[0]) if len(call.args) == 1 else None
        if inner is None:
            return None
        last = Bin("-", inner.lengths[0][0], Const(1))
        return _Part(inner.lengths, lambda k: inner.element(Bin("-", last, k)))

    def paired(self, call: Call) -> _Part | None:
        inner = self.sequence(call.args[0]) if len(call.args) == 1 else None
        if inner is None:
            return None
        text, known = inner.lengths[0]
        shorter = None if known is None else known - Linear(1)
        return _Part(((Bin("-", text, Const(1)), shorter),),
                     lambda k: Tuple((inner.element(k), inner.element(Bin("+", k, Const(1))))))

    _PRODUCERS: dict[Any, str] = {
        enumerate: "enumerated", zip: "zipped", map: "mapped", reversed: "turned", itertools.count: "counted",
        itertools.repeat: "repeated", itertools.pairwise: "paired"}

    # ------------------------------------------------------------ the loop

    def over(self, part: _Part, indices: Expr, k: str) -> Block:
        element = Bind((self.stmt.target,), (part.element(Name(k)),), at=self.at)
        body = taken_apart([element, *self.stmt.body], lambda name: name not in self.ev.live_after)
        if self.resized:
            return self.step_by_step(part, k, body)
        first = body[0]
        if isinstance(first, Bind) and first.values == (Name(k),):
            # the user's own name for the index
            new = first.names[0]
            body = [with_expressions(s, tuple(substitute(e, {k: Name(new)}) for e in expressions(s)))
                    if isinstance(s, Bind) else s for s in body[1:]]
            k = new
        loop = replace(self.stmt, target=k, iter=indices, body=tuple(body))
        self.ev.heap.loop_of[loop] = self.stmt
        return (*self.before, loop)

    def step_by_step(self, part: _Part, k: str, body: list[Statement]) -> Block:
        """The lengths are asked for before each iteration."""
        left = [Compare(Name(k), ("<",), (text,)) for text, _ in part.lengths]
        after = max(i for i, s in enumerate(body) if any(k in names_read(e) for e in expressions(s))) + 1
        step = Bind((k,), (Bin("+", Name(k), Const(1)),), at=self.at)
        test: Expr = left[0] if len(left) == 1 else Bool("and", tuple(left))
        loop = While(test, (*body[:after], step, *body[after:]), at=self.at)
        self.ev.heap.loop_of[loop] = self.stmt
        return (*self.before, Bind((k,), (Const(0),), at=self.at), loop)

    def backwards(self, arg: Expr) -> Block | None:
        if isinstance(arg, Call) and self.known(arg.func) is range and not arg.kwargs:
            items: Expr = Item(arg, Slice(None, None, Const(-1)), at=self.at)
            if len(arg.args) == 1:
                items = self.down(arg.args[0])
            return (replace(self.stmt, iter=items),)
        part = self.sequence(arg)
        if part is None or self.resized:
            return None
        return self.over(part, self.down(self.length(part)), self.name("k"))

    def down(self, length: Expr) -> Call:
        bounds = (Bin("-", length, Const(1)), Const(-1), Const(-1))
        return Call(Name("range"), bounds, at=self.at)

    def view(self, call: Call) -> tuple[Expr, str] | None:
        func = call.func
        if isinstance(func, Attr) and func.name in VIEWS and not call.args and not call.kwargs \
                and isinstance(self.value(func.value), DictOf):
            return func.value, func.name
        return None

    def uneven_keys(self, owner: Expr) -> Tuple | None:
        """The keys of a dict, if they are known and hold things of different kinds: the loop is then written out."""
        item = self.ev(owner, self.env)
        found = containers.sure_keys(item)
        if found is None or not 1 < len(found) <= 8 or not all(isinstance(k, (str, int)) for k in found):
            return None
        kinds = [self.ev.value(part) for key in found
                 if (part := containers.read(self.ev, item, key, self.env)) is not None]
        known = UNKNOWN not in kinds and functools.reduce(join, kinds) == UNKNOWN
        return Tuple(tuple(Const(k) for k in found), at=self.at) if known else None

    def over_keys(self, owner: Expr, kind: str) -> Block:
        owner = self.hold(owner, "items")
        key = self.stmt.target if kind == "keys" else self.name("key")
        keys = self.uneven_keys(owner) or Call(Name("list"), (owner,), at=self.at)
        if kind == "keys":
            return (*self.before, replace(self.stmt, iter=keys))
        value = Item(owner, Name(key), at=self.at)
        part = _Part((), lambda k: value if kind == "values" else Tuple((k, value)))
        return self.over(part, keys, key)


def taken_apart(body: list[Statement], only_here: Callable[[str], bool]) -> list[Statement]:
    """`t = (a, (b, c))` followed by `i, u = t` as plain assignments, where nobody else reads t."""
    out: list[Statement] = []
    todo = list(body)
    while todo:
        stmt = todo.pop(0)
        at = None if not isinstance(stmt, Bind) else _where_unpacked(stmt, todo)
        if at is None or not isinstance(stmt, Bind) or not only_here(stmt.names[0]):
            out.append(stmt)
            if not isinstance(stmt, (Bind, Unpack)):
                break
            continue
        unpack, value = todo[at], stmt.values[0]
        assert isinstance(unpack, Unpack) and isinstance(value, Tuple)
        binds = [Bind((n,), (v,), at=unpack.at) for n, v in zip(unpack.names, value.items)]
        todo[at:at + 1] = binds
    return [*out, *todo]


def _where_unpacked(stmt: Bind, rest: list[Statement]) -> int | None:
    """Where the tuple is taken apart, if that is the only use of it."""
    name, value = stmt.names[0], stmt.values[0]
    if not isinstance(value, Tuple) or len(stmt.names) > 1:
        return None
    readers = [s for s in statements(tuple(rest)) if any(name in names_read(e) for e in expressions(s))]
    for i, other in enumerate(rest):
        match other:
            case Unpack(targets, Name(read), None) if read == name and len(targets) == len(value.items):
                return i if readers == [other] else None
            case Bind() | Unpack():
                continue
        break
    return None
