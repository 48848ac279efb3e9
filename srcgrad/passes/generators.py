"""Runs generators in place of the loops that consume them.

        def gen(xs):                                for x in xs:
            for x in xs:                                v = x * x
                yield x * x             ->              total = total + v
        for v in gen(x): total = total + v

One that has a name is first moved to the loop that runs over it, which changes nothing: making a generator only
remembers its arguments.  What can't be run in place is refused.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.iteration import taken_apart
from srcgrad.analysis.values import Closure, Lazy
from srcgrad.errors import SrcgradError
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
    Function,
    Jump,
    Name,
    Opaque,
    Param,
    Refuse,
    Return,
    Statement,
    Store,
    Try,
    Tuple,
    While,
    With,
    Yield,
    blocks,
    expressions,
    map_expr,
    names_read,
    statements,
    suspends,
    walk,
    with_blocks,
    with_expressions,
)
from srcgrad.lang.source import find
from srcgrad.library.iteration import zip_both
from srcgrad.passes.arguments import Callee, callee_from
from srcgrad.passes.listed import listed
from srcgrad.passes.lower import lower
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.lower.returns import duplicate
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.unit import Unit

if TYPE_CHECKING:
    from srcgrad.passes.inline import Inliner

Block = tuple[Statement, ...]
MOST_COPIED = 60        # statements of a loop's body that are written again for each further `yield`


# ---------------------------------------------------------------- moving generators to their loops

def moved(unit: Unit, facts: Facts) -> Unit | None:
    """The function with generators made where they are run over, or None where there is nothing to move."""
    work = _Mover(unit, facts)
    body = work.block(unit.code.body)
    return unit.with_body(body) if work.changed else None


class _Mover:
    def __init__(self, unit: Unit, facts: Facts) -> None:
        self.unit, self.facts = unit, facts
        self.changed = False
        body = unit.code.body
        self.bound = Counter(n for s in statements(body) for n in names.bound_by(s))
        self.bound.update(p.name for p in unit.code.params)
        self.read: Counter[str] = Counter()
        self.hidden: set[str] = set()
        self.at: dict[str, Statement] = {}
        for stmt in statements(body):
            if stmt in facts.before:        # what isn't reached doesn't count
                self._count(stmt)
        self.loops = dict(_loops(body, ()))
        self.values: dict[str, Expr] = {}

    def _count(self, stmt: Statement) -> None:
        for node in (e for top in expressions(stmt) for e in walk(top)):
            if isinstance(node, Name):
                self.read[node.id] += 1
                self.at[node.id] = stmt
            elif isinstance(node, (Function, Opaque)):
                self.hidden |= names_read(node)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for stmt in block:
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        inner = blocks(stmt)
        values = tuple(map_expr(self._value, e) if stmt in self.facts.before else e for e in expressions(stmt))
        if any(a is not b for a, b in zip(values, expressions(stmt))):
            new = with_expressions(stmt, values)
        else:
            new = stmt
        if inner:
            new = with_blocks(new, tuple(self.block(b) for b in inner))
        if not isinstance(stmt, Bind) or not isinstance(new, Bind) or not self._movable(stmt):
            return [new]
        self.changed = True
        before: list[Statement] = []
        self.values[stmt.names[0]] = self._held(stmt, new.values[0], before)
        return before

    def _value(self, expr: Expr) -> Expr:
        return self.values.get(expr.id, expr) if isinstance(expr, Name) else expr

    def _movable(self, stmt: Bind) -> bool:
        name, value = stmt.names[0], stmt.values[0]
        if len(stmt.names) > 1 or not isinstance(value, Call) or self.bound[name] != 1 or self.read[name] != 1:
            return False
        if not isinstance(self.facts.kind(stmt, value).value, Lazy) or name in self.hidden:
            return False
        reader = self.at[name]
        if not matters(self.facts, reader):
            return False
        inside = (*self.loops[reader], reader) if isinstance(reader, While) else self.loops[reader]
        return inside == self.loops[stmt]

    def _held(self, stmt: Bind, expr: Expr, before: list[Statement]) -> Expr:
        """The call with arguments that mean the same later on."""
        assert isinstance(expr, Call)
        args = tuple(self._argument(stmt, a, before) for a in expr.args)
        kwargs = tuple((k, self._argument(stmt, v, before)) for k, v in expr.kwargs)
        return Call(expr.func, args, kwargs, at=expr.at)

    def _argument(self, stmt: Bind, arg: Expr, before: list[Statement]) -> Expr:
        if isinstance(arg, (Const, Function)) or isinstance(arg, Name) and self.bound[arg.id] <= 1:
            return arg
        if isinstance(arg, Call) and isinstance(self.facts.kind(stmt, arg).value, Lazy):
            return self._held(stmt, arg, before)
        name = self.unit.fresh.name(arg.id if isinstance(arg, Name) else "items")
        self.unit.made.add(name)
        before.append(Bind((name,), (arg,), at=stmt.at))
        return Name(name, at=arg.at)


def _loops(block: Block, outside: tuple[Statement, ...]) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Each statement with the loops that it stands in."""
    for stmt in block:
        yield stmt, outside
        inside = (*outside, stmt) if isinstance(stmt, (For, While)) else outside
        for inner in blocks(stmt):
            yield from _loops(inner, inside)


# ---------------------------------------------------------------- running them in place

def generator_of(facts: Facts, stmt: Statement, expr: Expr) -> tuple[Any, bool] | None:
    """The function whose generator an expression makes, and whether it is called on an instance."""
    found = facts.callees.get((stmt, id(expr)))
    return found if isinstance(facts.kind(stmt, expr).value, Lazy) and isinstance(expr, Call) else None


def matters(facts: Facts, stmt: Statement) -> bool:
    """Whether anything that is differentiated takes part in the statement; else it stays as the user wrote it."""
    env = facts.before.get(stmt, {})
    read = {n for s in statements((stmt,)) for e in expressions(s) for n in names_read(e)}
    return any(env[n].active for n in read if n in env)


def is_finite(facts: Facts, stmt: Statement, call: Call) -> bool:
    """Whether making all elements at once gives the same: it ends, and does nothing else."""
    found = generator_of(facts, stmt, call)
    callee = None if found is None else callee_of_generator(*found)
    if callee is None:
        return False
    body = list(statements(callee.code.body))
    quiet = not any(isinstance(s, (While, Store)) or isinstance(s, Effect) and not isinstance(s.value, Yield)
                    for s in body)
    written = any(facts.written(ref.storage) for a in call.args for ref in facts.kind(stmt, a).refs)
    return quiet and not written and not any(isinstance(s, Bind) and isinstance(s.values[0], Yield) for s in body)


def in_place(work: Inliner, stmt: For, whole: For) -> list[Statement]:
    """The statements of the generator that the loop runs over, with the loop's body in place of each `yield`."""
    call = whole.iter
    found = generator_of(work.facts, stmt, stmt.iter)
    assert found is not None and isinstance(call, Call) and isinstance(stmt.iter, Call)
    callee = callee_of_generator(*found)
    if callee is None:
        return [whole]
    if found[0] is zip_both and not (isinstance(second := stmt.iter.args[1], Call)
                                     and is_finite(work.facts, stmt, second)):
        return [Refuse("the second of these iterators may do something, or never end, while the first is at work",
                       "make a list of it, `list(...)`", at=stmt.at)]
    if callee.key in work.kept:
        return _as_list(work, found, whole)
    before: list[Statement] = []
    body = work.spliced(callee, call, stmt.iter, stmt, before, changing=names.bound((whole,)))
    problem = _unfit(body, whole)
    if problem is not None:
        return [Refuse(*problem, at=stmt.at)] if work.facts.kind(stmt, stmt.iter).active else [whole]
    live = work.facts.live.after.get(stmt, frozenset())
    body = _named_by_target(body, whole.target)
    out = without_jumps(work.unit, _Placing(whole, live).block(body))
    own = {id(e) for s in statements(whole.body) for e in expressions(s)}
    chain = (*work.unit.chains.get(stmt, ()), callee.key)
    work.unit.chains.update((s, chain) for s in statements(out) if not any(id(e) in own for e in expressions(s)))
    return [*before, *out]


def _as_list(work: Inliner, found: tuple[Any, bool], whole: For) -> list[Statement]:
    """The loop over a generator that calls itself runs over a list of its elements."""
    function, receiver = found
    call = whole.iter
    assert isinstance(call, Call)
    made = None if isinstance(function, Closure) else listed(find(function))
    if made is None:
        return [Refuse("a generator that calls itself is supported only where it is a function of its own that ends "
                       "and does nothing else", "let it return a list", at=whole.at)]
    work.changed = True
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


def unrolled(callee: Callee, args: dict[str, Expr]) -> tuple[Callee, dict[str, Expr]]:
    """A function whose loops over `*args` are written out for each of them, which gets a parameter of its own.

        for iterable in iterables: ...      ->      ... with iterables_0, ... with iterables_1
    """
    for param in callee.code.params:
        given = args.get(param.name)
        loops = [s for s in statements(callee.code.body) if isinstance(s, For) and s.iter == Name(param.name)]
        reads = sum(e == Name(param.name) for s in statements(callee.code.body) for top in expressions(s)
                    for e in walk(top))
        if param.kind == "varargs" and isinstance(given, Tuple) and loops and reads == len(loops):
            own = tuple(f"{param.name}_{k}" for k in range(len(given.items)))
            body = _written_out(callee.code.body, param.name, own)
            params = tuple(Param(n, "positional") for n in own)
            args = {**{n: v for n, v in args.items() if n != param.name}, **dict(zip(own, given.items))}
            others = tuple(p for p in callee.code.params if p is not param)
            callee = replace(callee, code=replace(callee.code, params=(*params, *others), body=body))
    return callee, args


def _written_out(block: Block, param: str, own: tuple[str, ...]) -> Block:
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, For) and stmt.iter == Name(param):
            for name in own:
                out += [rename_statement(s, {stmt.target: Name(name)}) for s in stmt.body]
        else:
            inner = blocks(stmt)
            out.append(with_blocks(stmt, tuple(_written_out(b, param, own) for b in inner)) if inner else stmt)
    return tuple(out)


def refused(unit: Unit, facts: Facts) -> Unit | None:
    """The function with what is left of generators refused, or None where nothing is."""
    left = {s for s in statements(unit.code.body) for top in expressions(s) for e in walk(top)
            if isinstance(facts.kind(s, e).value, Lazy) and facts.kind(s, e).active}
    return unit.with_body(_with_refusals(unit.code.body, left)) if left else None


def _with_refusals(block: Block, left: set[Statement]) -> Block:
    out: list[Statement] = []
    for stmt in block:
        if stmt in left:
            out.append(Refuse("this iterator is used other than by one loop, so its place in between isn't known",
                              "make a list of it, `list(...)`, or run over it in one loop", at=stmt.at))
            return tuple(out)
        inner = blocks(stmt)
        out.append(with_blocks(stmt, tuple(_with_refusals(b, left) for b in inner)) if inner else stmt)
    return tuple(out)


def callee_of_generator(function: Any, receiver: bool) -> Callee | None:
    if isinstance(function, Closure):
        return Callee(function.function.code, lambda name: None, key=function.function)
    try:
        found = find(function)
    except SrcgradError:
        return None
    return callee_from(found, _code(found), receiver)


_keyed: dict[Any, Code] = {}


def _code(found: Any) -> Code:
    """The function in core form, its jumps as they are."""
    key = found.function.__code__, found.file
    if key not in _keyed:
        _keyed[key] = lower(found.tree, found.file)
    return _keyed[key]


def _unfit(body: Block, loop: For) -> tuple[str, str] | None:
    if any(isinstance(s, Refuse) for s in body):
        return None
    gives = sum(_gives(s) for s in statements(body))
    if gives > 1 and (gives - 1) * sum(1 for _ in statements(loop.body)) > MOST_COPIED:
        return ("this loop over a generator with several `yield` is too long to be written for each of them",
                "put its body into a function")
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


def left_by_return(block: Block) -> Block:
    """The body of a loop with its own `break` as `return`."""
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, Jump) and stmt.kind == "break":
            stmt = Return(Const(None), at=stmt.at)
        elif blocks(stmt) and not isinstance(stmt, (For, While)):
            stmt = with_blocks(stmt, tuple(map(left_by_return, blocks(stmt))))
        out.append(stmt)
    return tuple(out)


def without_jumps(unit: Unit, body: Block) -> Block:
    """The block with every `return` in it made a way to its end."""
    if not any(isinstance(s, Return) for s in statements(body[-1:])):
        body = (*body, Return(Const(None)))
    known = names.bound(body)
    code = single_exit(Code("loop", (), body))
    *rest, last = code.body
    result = last.value.id if isinstance(last, Return) and isinstance(last.value, Name) else None
    block = _without(tuple(rest), result) if result not in known else tuple(rest)
    renaming: dict[str, Expr] = {}
    for name in sorted(names.bound(block) - known):
        renaming[name] = Name(unit.fresh.name(name))
    return tuple(rename_statement(s, renaming) for s in block) if renaming else block


def _without(block: Block, result: str | None) -> Block:
    """The block without what it returns, which is always None."""
    out: list[Statement] = []
    for stmt in block:
        if isinstance(stmt, Bind) and stmt.names == (result,):
            continue
        inner = blocks(stmt)
        out.append(with_blocks(stmt, tuple(_without(b, result) for b in inner)) if inner else stmt)
    return tuple(out)


