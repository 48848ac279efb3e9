"""Runs generators in place of the loops that consume them.

        def gen(xs):                                for x in xs:
            for x in xs:                                v = x * x
                yield x * x             ->              total = total + v
        for v in gen(x): total = total + v

What can't be run in place is refused.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.new_classes import classes_in
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.unpacking import taken_apart
from srcgrad.analysis.values import Closure, Lazy
from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Attr,
    Bind,
    Call,
    Const,
    For,
    Name,
    Refuse,
    Return,
    Statement,
    Try,
    With,
    Yield,
    blocks,
    expressions,
    names_read,
    statements,
    suspends,
    walk,
    with_blocks,
)
from srcgrad.lang.source import find
from srcgrad.library.iteration import zip_both
from srcgrad.passes.leaving import left_by_return, without_jumps
from srcgrad.passes.lifting import listed_call
from srcgrad.passes.listed import listed
from srcgrad.passes.lower.returns import duplicate
from srcgrad.passes.meanwhile import may_change
from srcgrad.passes.producers import callee_of_generator, generator_of, is_finite
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.splice import Splicer
from srcgrad.passes.unit import Unit

Block = tuple[Statement, ...]
MOST_COPIED = 60        # statements of a loop's body that are written again for each further `yield`


def in_place(work: Splicer, stmt: For, whole: For) -> list[Statement]:
    """The statements of the generator that the loop runs over, with the loop's body in place of each `yield`."""
    call = whole.iter
    found = generator_of(work.facts, stmt, stmt.iter)
    assert found is not None and isinstance(call, Call) and isinstance(stmt.iter, Call)
    callee = callee_of_generator(*found)
    if callee is None:
        return [whole]
    if found[0] is zip_both and not (isinstance(second := stmt.iter.args[1], Call)
                                     and is_finite(work.facts, stmt, second)
                                     and not may_change(work.unit, work.facts, stmt, second, statements(stmt.body))):
        return [whole]
    if callee.key in work.kept or isinstance(found[0], Closure) and callee.code.at in work.kept:
        return _as_list(work, found, stmt, whole)
    before: list[Statement] = []
    changed = work.changed
    body = work.spliced(callee, call, stmt.iter, stmt, before, changing=names.bound((whole,)))
    problem = _unfit(body, whole)
    must = whole.managed or whole.result is not None
    if problem is not None and not must and not work.facts.kind(stmt, stmt.iter).active:
        work.changed = changed
        return [whole]
    if problem is not None:
        return [Refuse(*problem, at=stmt.at)]
    if whole.result is not None:
        body = _returning(body, whole.result)
    live = work.facts.live.after.get(stmt, frozenset())
    body = _named_by_target(body, whole.target)
    out = without_jumps(work.unit, _Placing(whole, live).block(body))
    own = {id(e) for s in statements(whole.body) for e in expressions(s)}
    chain = (*work.unit.chains.get(stmt, ()), callee.key)
    work.unit.chains.update((s, chain) for s in statements(out) if not any(id(e) in own for e in expressions(s)))
    return [*before, *out]


def _returning(body: Block, result: str) -> Block:
    """The generator's body, which leaves what it returns under this name."""
    out: list[Statement] = []
    for stmt in body:
        if isinstance(stmt, Return):
            out += [Bind((result,), (stmt.value,), at=stmt.at), replace(stmt, value=Const(None))]
        else:
            inner = blocks(stmt)
            out.append(with_blocks(stmt, tuple(_returning(b, result) for b in inner)) if inner else stmt)
    return tuple(out)


def _as_list(work: Splicer, found: tuple[Any, bool], stmt: For, whole: For) -> list[Statement]:
    """The loop over a generator that calls itself runs over a list of its elements."""
    function, receiver = found
    call = whole.iter
    assert isinstance(call, Call)
    work.changed = True
    assert isinstance(stmt.iter, Call)
    reads_changes = may_change(work.unit, work.facts, stmt, stmt.iter, statements(stmt.body))
    if isinstance(function, Closure) and whole.result is None and not reads_changes:
        env = work.facts.before[stmt]
        try:
            given = classes_in([work.facts.kind(stmt, e) for e in stmt.iter.args])
            made_inside = listed_call(work.facts.evaluator, call, function, env, work.kept.lifted, given, work.outside)
        except Refused as refused:
            return [Refuse(refused.what, refused.remedy, at=whole.at)]
        return [replace(whole, iter=made_inside)]
    made = None if isinstance(function, Closure) or whole.result is not None else listed(find(function))
    if made is None:
        return [Refuse("a generator that calls itself is supported only where it is a function of its own that ends "
                       "and does nothing else", "let it return a list", at=whole.at)]
    if reads_changes:
        return [Refuse("a generator that calls itself reads here what the loop over it changes",
                       "make a list of it, `list(...)`", at=whole.at)]
    owner = (call.func.value,) if receiver and isinstance(call.func, Attr) else ()
    whole_call = Call(work.outside(made.__name__, made), (*owner, *call.args), call.kwargs, at=call.at)
    return [replace(whole, iter=whole_call)]


def _named_by_target(body: Block, target: str) -> Block:
    """What is given out once, and read nowhere else, has the name that the loop gives it."""
    given = [e.value for s in statements(body) for e in expressions(s) if isinstance(e, Yield)]
    if len(given) != 1 or not isinstance(given[0], Name):
        return body
    name = given[0].id
    bindings = sum(name in names.bound_by(s) for s in statements(body))
    reads = sum(name in names_read(e) for s in statements(body) for e in expressions(s))
    return tuple(rename_statement(s, {name: Name(target)}) for s in body) if bindings == reads == 1 else body


def refused(unit: Unit, facts: Facts) -> Unit | None:
    """The function with what is left of generators refused, or None where nothing is."""
    # where it stands; of several in one statement, the outermost
    left = {s: e.at or s.at for s in statements(unit.code.body) for top in reversed(list(expressions(s)))
            for e in reversed(list(walk(top))) if isinstance(facts.kind(s, e).value, Lazy) and facts.kind(s, e).active}
    return unit.with_body(_with_refusals(unit.code.body, left)) if left else None


def _with_refusals(block: Block, left: dict[Statement, At | None]) -> Block:
    out: list[Statement] = []
    for stmt in block:
        if stmt in left:
            out.append(Refuse("this iterator is used other than by one loop, so its place in between isn't known",
                              "make a list of it, `list(...)`, or run over it in one loop", at=left[stmt]))
            return tuple(out)
        inner = blocks(stmt)
        out.append(with_blocks(stmt, tuple(_with_refusals(b, left) for b in inner)) if inner else stmt)
    return tuple(out)


def _unfit(body: Block, loop: For) -> tuple[str, str] | None:
    if any(isinstance(s, Refuse) for s in body):
        return None
    gives = sum(_gives(s) for s in statements(body))
    if gives > 1 and (gives - 1) * sum(1 for _ in statements(loop.body)) > MOST_COPIED:
        return ("this loop over a generator with several `yield` is too long to be written for each of them",
                "put its body into a function")
    if loop.managed:
        return None
    if any(isinstance(s, Try) and s.handlers and suspends(s.body) for s in statements(body)):
        return "this generator gives out values inside of a `try` with `except`", "catch the error around the loop"
    if any(isinstance(s, With) and suspends(s.body) and not _is_quiet(s) for s in statements(body)):
        return "this generator gives out values inside of a `with`", "put the `with` around the loop"
    return None


def _is_quiet(stmt: With) -> bool:
    """Whether what is managed lets all errors pass: np.errstate(...)."""
    return all(isinstance(e, Call) and isinstance(e.func, Attr) and e.func.name == "errstate" for e, _ in stmt.items)


def _gives(stmt: Statement) -> bool:
    return any(isinstance(e, Yield) for e in expressions(stmt))


@dataclass
class _Placing:
    """Puts the body of a loop in the place of each `yield`; leaving it is leaving the generator."""
    loop: For
    live: frozenset[str]
    used: bool = False

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for stmt in block:
            if _gives(stmt):
                out.extend(self.given(stmt))
            else:
                inner = blocks(stmt)
                out.append(with_blocks(stmt, tuple(map(self.block, inner))) if inner else stmt)
        return tuple(out)

    def given(self, stmt: Statement) -> list[Statement]:
        value = expressions(stmt)[0]
        assert isinstance(value, Yield)
        body = left_by_return(self.loop.body)
        if self.used:
            body = duplicate(body)
        self.used = True
        named = value.value == Name(self.loop.target)
        first = Bind((self.loop.target,), (value.value,), at=stmt.at)
        out = [*body] if named else taken_apart([first, *body], lambda name: name not in self.live)
        if isinstance(stmt, Bind):
            out.append(replace(stmt, values=(Const(None),)))
        return out
