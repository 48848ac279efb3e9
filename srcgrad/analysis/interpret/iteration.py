"""Loops over what builtins make of sequences, as loops over their indices.

        for i, x in enumerate(xs): ...          for i in range(len(xs)): x = xs[i]; ...
        for a, b in zip(u, v): ...      ->      for k in range(min(len(u), len(v))): a = u[k]; b = v[k]; ...
        for x in reversed(xs): ...              for k in range(len(xs) - 1, -1, -1): x = xs[k]; ...
        for key, v in d.items(): ...            for key in list(d): v = d[key]; ...
        for x in a.flat: ...                    for k in range(a.size): x = a[np.unravel_index(k, np.shape(a))]; ...

Everything may stand in everything else.  What isn't a sequence (a generator, a file) stays.
"""
from __future__ import annotations

import builtins
import functools
from dataclasses import replace

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.operators import method
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.sequences import Part, Sequences
from srcgrad.analysis.interpret.state import Env
from srcgrad.analysis.interpret.unpacking import taken_apart
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    Lazy,
    ListOf,
    ObjectOf,
    OneOf,
    Pending,
    join,
)
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
    Refuse,
    Slice,
    Star,
    Statement,
    Try,
    Tuple,
    Unpack,
    While,
    expressions,
    map_expr,
    names_read,
    statements,
    substitute,
    with_expressions,
)

Block = tuple[Statement, ...]
MOST_ITEMS = 16                 # of what a loop runs over, and
MOST_STATEMENTS = 80            # of what is made of its body, where it is written out


def rewritten_loop(ev: Evaluator, stmt: For, env: Env) -> Block | None:
    """The loop over indices, or None where it stays as it is."""
    if stmt.result is not None:
        return _with_result(ev, stmt, env)
    if isinstance(stmt.iter, Call) and not any(isinstance(a, Star) for a in stmt.iter.args):
        new = _Loop(ev, stmt, env).rewritten()
        if new is not None:
            return new
    if (work := _Loop(ev, stmt, env)).is_flat(stmt.iter):
        return work.over_cells(stmt.iter)
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


def _with_result(ev: Evaluator, stmt: For, env: Env) -> Block | None:
    """Only a generator returns something, which is known when it is put in place."""
    value = ev.value(ev(stmt.iter, env))
    if isinstance(value, (Lazy, Pending)):
        return None
    if isinstance(value, ObjectOf) and hasattr(value.cls, "__next__"):
        raise Refused("what this iterator returns, which is an object of your own, isn't known",
                      "let it keep it in an attribute", stmt.at)
    assert stmt.result is not None
    return replace(stmt, result=None), Bind((stmt.result,), (Const(None),), at=stmt.at)


def _over_object(ev: Evaluator, stmt: For, cls: type) -> Block | None:
    """A loop over an object with `__next__`, or with an `__iter__` that gives another iterator."""
    at = stmt.at
    if not hasattr(cls, "__next__"):
        call = Call(Attr(stmt.iter, "__iter__", at=at), (), at=at)
        return (replace(stmt, iter=call),) if method(cls, "__iter__") is not None else None
    held, more = (Name(ev.made(stmt, hint), at=at) for hint in ("iterator", "more"))
    following = Bind((stmt.target,), (Call(Attr(held, "__next__", at=at), (), at=at),), at=at)
    stopped = (Name("StopIteration"), None, (Bind((more.id,), (Const(False),), at=at),))
    body = (Try((following,), (stopped,), at=at), If(more, stmt.body, (Jump("break", at=at),), at=at))
    return (Bind((held.id,), (stmt.iter,), at=at), Bind((more.id,), (Const(True),), at=at),
            While(Const(True), body, at=at))


class _Loop(Sequences):
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
        if 1 < len(part.texts) <= MOST_ITEMS and not self.resized:
            size = sum(1 for _ in statements(self.stmt.body))
            if len(part.texts) * size <= MOST_STATEMENTS:
                return self.one_by_one(part)
        return self.over(part, Call(Name("range"), (self.length(part),), at=self.at), self.name("k"))

    def plain_names(self) -> bool:
        """Whether the names that the new loop uses mean what they mean in Python."""
        return all(self.known(Name(n)) is getattr(builtins, n) for n in ("len", "list", "min", "range"))

    def over_resized(self) -> Block | None:
        part = self.sequence(self.stmt.iter)
        return None if part is None or not self.plain_names() else self.over(part, Const(None), self.name("k"))

    def matters(self) -> bool:
        """Whether anything that is differentiated takes part in the loop; else it stays as the user wrote it."""
        read = {n for s in statements((self.stmt,)) for e in expressions(s) for n in names_read(e)}
        return any(self.env[n].active for n in read if n in self.env)

    def over_cells(self, flat: Attr) -> Block | None:
        part = self.cells(flat.value)
        return self.over(part, Call(Name("range"), (self.length(part),), at=self.at), self.name("k")) \
            if self.matters() and self.plain_names() else None

    def over(self, part: Part, indices: Expr, k: str) -> Block:
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

    def one_by_one(self, part: Part) -> Block:
        """for name, v in zip(("a", "b"), x)   ->   for pair in (("a", 0), ("b", 1)), as the texts may be keys"""
        assert part.named is not None
        named, n = part.named, len(part.texts)
        for text, length in part.lengths:
            known = None if length is None else length.constant
            if known is None and length is not None and (size := self.ev.size(length)) is not None:
                self.ev.guards[("is", length, size)] = (length, known := size)
            if known is None and text != self.len(named):
                self.before.append(If(Compare(text, ("<",), (Const(n),), at=self.at), (Refuse(
                    "there are fewer values than names here", "give each name a value", at=self.at),), at=self.at))
            elif known is not None:
                n = min(n, known)
        pairs = tuple(Tuple((Const(text), Const(k))) for k, text in enumerate(part.texts[:n]))
        pair, text, k = self.name("pair"), Name(self.name("text")), Name(self.name("k"))
        whole = map_expr(lambda e: text if e == Item(named, k) else e, part.element(k))
        element = [Unpack((text.id, k.id), Name(pair), at=self.at), Bind((self.stmt.target,), (whole,), at=self.at)]
        body = taken_apart([*element, *self.stmt.body], lambda name: name not in self.ev.live_after)
        loop = replace(self.stmt, target=pair, iter=Tuple(pairs, at=self.at), body=tuple(body))
        self.ev.heap.loop_of[loop] = self.stmt
        self.ev.written_out.add(self.stmt)
        return (*self.before, loop)

    def step_by_step(self, part: Part, k: str, body: list[Statement]) -> Block:
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

    def uneven_keys(self, owner: Expr) -> Tuple | None:
        """The keys of a dict, if they are known and hold things of different kinds: the loop is then written out."""
        item = self.ev(owner, self.env)
        found = containers.sure_keys(self.ev, item, self.at)
        if found is None or not 1 < len(found) <= 8 or not all(isinstance(k, (str, int)) for k in found):
            return None
        kinds = [self.ev.value(part) for key in found
                 if (part := containers.read(self.ev, item, key, self.env)) is not None]
        joined = functools.reduce(join, kinds) if kinds and UNKNOWN not in kinds else None
        uneven = joined == UNKNOWN or isinstance(joined, OneOf) or isinstance(joined, Array) and joined.dims is None
        if uneven and not containers.is_settled(self.ev, item):
            self.before.append(containers.no_more_keys(owner, found, self.at))
        return Tuple(tuple(Const(k) for k in found), at=self.at) if uneven else None

    def over_keys(self, owner: Expr, kind: str) -> Block:
        owner = self.hold(owner, "items")
        key = self.stmt.target if kind == "keys" else self.name("key")
        keys = self.uneven_keys(owner) or Call(Name("list"), (owner,), at=self.at)
        if kind == "keys":
            return (*self.before, replace(self.stmt, iter=keys))
        value = Item(owner, Name(key), at=self.at)
        part = Part((), lambda k: value if kind == "values" else Tuple((k, value)))
        return self.over(part, keys, key)
