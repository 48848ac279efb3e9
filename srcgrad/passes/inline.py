"""Puts the bodies of the user's own functions where they are called.

        y = f(x * 2)                t = x * 2
                            ->      y_1 = t + 1        the body of f, its locals renamed
                                    y = y_1

What a call's arguments alias is then exact, and the derivative reads as one function.  Recursive functions and large
ones stay calls.
"""
from __future__ import annotations

import builtins
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.analysis.values import PENDING, Closure, Known
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Bool,
    Call,
    Code,
    Cond,
    Const,
    Effect,
    Expr,
    For,
    Function,
    If,
    Jump,
    Name,
    Opaque,
    Refuse,
    Return,
    Slice,
    Star,
    Statement,
    Store,
    Try,
    Tuple,
    Unary,
    Unpack,
    While,
    With,
    blocks,
    children,
    expressions,
    names_read,
    rebuild,
    statements,
    suspends,
    walk,
    with_blocks,
)
from srcgrad.lang.source import find, is_user_function
from srcgrad.passes.arguments import Binder, Callee, callee_from
from srcgrad.passes.cursors import advanced
from srcgrad.passes.generators import generator_of, in_place, matters, moved, refused, unrolled
from srcgrad.passes.lower.comprehensions import expanded
from srcgrad.passes.lower.jumps import breaks, is_flag, single_exit
from srcgrad.passes.rename import relocated, rename_statement
from srcgrad.passes.unit import Unit, lowered
from srcgrad.passes.unroll import is_uneven, written_out

LARGEST = 120       # statements of a callee that is put in place
MOST_ROUNDS = 40


class Recursive(Exception):
    """A function calls itself, perhaps through others: it can't be put in place."""

    def __init__(self, code: Any) -> None:
        super().__init__(code)
        self.code = code


def inline(unit: Unit, facts: Facts, kept: frozenset[Any] = frozenset(), generators: bool = False) -> Unit | None:
    """The function with the calls that were found put in place, or None if there are none; `kept` stay calls.

    With `generators`, those that loops run over are put in place too: it may turn out first that they are sequences.
    """
    work = Inliner(unit, facts, kept, generators)
    body = work.block(unit.code.body)
    return unit.with_body(body) if work.changed else None


def inline_all(unit: Unit, facts_of: Callable[[Unit, bool], Facts], kept: set[Any]) -> tuple[Unit, Facts]:
    """The function with callees put in place, those of callees too, and what is known of it then.

    Functions that turn out to be recursive are added to `kept`.
    """
    while True:
        try:
            return _inline_all(unit, facts_of, kept)
        except Recursive as found:
            kept.add(found.code)


def _inline_all(unit: Unit, facts_of: Callable[[Unit, bool], Facts], kept: set[Any]) -> tuple[Unit, Facts]:
    facts = facts_of(unit, False)
    for _ in range(MOST_ROUNDS):
        new = inline(unit, facts, frozenset(kept)) or moved(unit, facts) \
            or advanced(unit, facts) and inline(unit, facts, frozenset(kept)) \
            or inline(unit, facts, frozenset(kept), generators=True) or refused(unit, facts)
        if not new and facts.evaluator.pending and not facts.optimistic:
            # all wait for each other, round a loop, say
            facts = facts_of(unit, True)
        elif not new:
            check_settled(facts)
            return unit, facts
        else:
            unit, facts = new, facts_of(new, False)
    raise UnsupportedError("the calls in this function lead too deep into each other", unit.code.at,
                           "Call fewer functions of your own inside each other.")


def check_settled(facts: Facts) -> None:
    """Raises where something was to be put in place and wasn't."""
    if facts.evaluator.pending:
        for (stmt, _), item in facts.kinds.items():
            if item.value == PENDING and stmt in facts.before:
                raise UnsupportedError("it isn't known what this is, so it can't be differentiated", stmt.at,
                                       "Call a function by its name, or pass the result as an argument.")


class Inliner:
    def __init__(self, unit: Unit, facts: Facts, kept: frozenset[Any], generators: bool = False) -> None:
        self.unit, self.facts, self.kept, self.generators = unit, facts, kept, generators
        self.changed = False
        self.site: Statement | None = None
        self.loops = 0                 # how many are around the statement
        self.results: set[str] = set()      # names that library code and comprehensions give to their results
        self.guarded = 0                    # how many `try` and `with` there are around

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for stmt in block:
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        """What takes the place of a statement; all of it has been put in place by the same calls."""
        site, self.site = self.site, stmt
        self.loops += isinstance(stmt, (For, While))
        out = self._statement(stmt)
        self.loops -= isinstance(stmt, (For, While))
        self.site = site
        chain = self.unit.chains.get(stmt, ())
        if chain:
            for new in statements(tuple(out)):
                self.unit.chains.setdefault(new, chain)
        return out

    def _statement(self, stmt: Statement) -> list[Statement]:
        if stmt in self.facts.rewritten:
            self.changed = True
            self.unit.fresh.reserve(names.bound(self.facts.rewritten[stmt]))
            return [new for part in self.facts.rewritten[stmt] for new in self.statement(part)]
        replacement = self.facts.replacements.get(stmt)
        if replacement is not None:
            self.changed = True
            made: list[Statement] = []
            made.extend(replacement(_Maker(self, made)))
            return made
        if isinstance(stmt, For) and not self._calls(stmt) and is_uneven(self.facts, stmt):
            return written_out(self, stmt)
        inner = blocks(stmt)
        self.guarded += isinstance(stmt, (Try, With))
        whole = with_blocks(stmt, tuple(self.block(b) for b in inner)) if inner else stmt
        self.guarded -= isinstance(stmt, (Try, With))
        if not self._calls(stmt):
            if self.generators and isinstance(stmt, For) and isinstance(whole, For) \
                    and generator_of(self.facts, stmt, stmt.iter) and matters(self.facts, stmt):
                return in_place(self, stmt, whole)
            return [whole]
        if isinstance(stmt, While) and isinstance(whole, While):
            return self._while(stmt, whole)
        before: list[Statement] = []
        values = tuple(self._hoist(stmt, e, before) for e in expressions(stmt))
        return self._under_one_name([*before, *self._again(whole, values)])

    def _under_one_name(self, out: list[Statement]) -> list[Statement]:
        """`values = []; ...; rows = values` of something that has no name of the user's, as `rows = []; ...`."""
        before, last = out[:-1], out[-1] if out else None
        if not isinstance(last, Bind) or len(last.names) > 1 or self.guarded:
            return out
        name, value = last.names[0], last.values[0]
        if not isinstance(value, Name) or value.id not in self.results or name in names.captured(self.unit.code.body):
            return out
        inner = tuple(statements(tuple(before)))
        used = names.bound(inner).union(*(names_read(e) for s in inner for e in expressions(s)))
        if name in used or value.id not in names.bound(inner):
            return out
        return [rename_statement(s, {value.id: Name(name)}) for s in before]

    def _again(self, stmt: Statement, values: tuple[Expr, ...]) -> list[Statement]:
        match stmt:
            case Effect(_) if isinstance(values[0], (Name, Const, Tuple)):
                return []
            case Bind():
                return [replace(stmt, values=values)]
            case Store():
                return [replace(stmt, place=values[0], value=values[1])]
            case If():
                return [replace(stmt, test=values[0])]
            case For():
                return [replace(stmt, iter=values[0])]
            case With(items, _):
                return [replace(stmt, items=tuple((e, n) for e, (_, n) in zip(values, items)))]
            case Jump():
                return [replace(stmt, value=values[0])]
            case Unpack() | Effect() | Return():
                return [replace(stmt, value=values[0])]
        return [stmt]

    def _while(self, stmt: While, whole: While) -> list[Statement]:
        """while f(x): ...   ->   t = f(x); while t: ...; t = f(x)     where nothing leaves the loop"""
        if breaks(stmt.body):
            head: list[Statement] = []
            goes_on = self._hoist(stmt, stmt.test, head)
            leave = (Jump("break", at=stmt.at),)
            return [While(Const(True), (*head, If(goes_on, whole.body, leave, at=stmt.at)), at=stmt.at)]
        test = self._made("test")
        first: list[Statement] = []
        value = self._hoist(stmt, stmt.test, first)
        first.append(Bind((test,), (value,), at=stmt.at))
        again: list[Statement] = []
        value = self._hoist(stmt, stmt.test, again)
        again.append(Bind((test,), (value,), at=stmt.at))
        return [*first, replace(whole, test=Name(test), body=(*whole.body, *again))]

    # ------------------------------------------------------------ calls in expressions

    def _calls(self, stmt: Statement) -> bool:
        return any(self._changes(stmt, e) for top in expressions(stmt) for e in walk(top))

    def _changes(self, stmt: Statement, expr: Expr) -> bool:
        key = stmt, id(expr)
        return key in self.facts.rewrites or key in self.facts.evaluator.comprehensions \
            or self._callee(stmt, expr) is not None

    def _callee(self, stmt: Statement, expr: Expr) -> Callee | None:
        found = self.facts.callees.get((stmt, id(expr)))
        if found is None or not isinstance(expr, Call):
            return None
        return _callee_of(found[0], found[1], self.kept)

    def _hoist(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """The expression with its calls taken out into statements, in the order of evaluation."""
        if not any(self._changes(stmt, e) for e in walk(expr)):
            return expr
        if isinstance(expr, Opaque):
            return self._expanded(stmt, expr, before)
        if isinstance(expr, Cond):
            return self._hoist_cond(stmt, expr, before)
        if isinstance(expr, (Bool, Function)) and (stmt, id(expr)) not in self.facts.rewrites:
            return self._hoist_bool(stmt, expr, before) if isinstance(expr, Bool) else expr
        parts = list(children(expr))
        last = max((k for k, p in enumerate(parts) if any(self._changes(stmt, e) for e in walk(p))), default=-1)
        for k, part in enumerate(parts):
            if k == 0 and isinstance(expr, Call) and isinstance(part, Attr):
                parts[k] = self._hoist_method(stmt, part, before, last > 0)
                continue
            parts[k] = self._hoist(stmt, part, before)
            if k < last and not self._settled(stmt, parts[k]):
                method = k == 0 and isinstance(expr, Call)
                parts[k] = self._method(stmt, parts[k], before) if method else self._name(parts[k], before)
        build = self.facts.rewrites.get((stmt, id(expr)))
        if build is not None:
            self.changed = True
            return build(tuple(parts), _Maker(self, before))
        new = rebuild(expr, tuple(parts))
        callee = self._callee(stmt, expr)
        if callee is None or not isinstance(new, Call) or not isinstance(expr, Call):
            return new
        return self._splice(callee, new, expr, stmt, before)

    def _expanded(self, stmt: Statement, expr: Opaque, before: list[Statement]) -> Expr:
        """A comprehension's statements; a generator expression becomes a call, which makes a generator."""
        call = expanded(expr)
        if call is None or not isinstance(call.func, Function):
            return expr
        self.changed = True
        if suspends(call.func.code.body):
            return call
        callee = _callee_of(Closure(call.func), False, frozenset())
        if callee is None:
            before.append(Refuse("this comprehension is too long", "write it as a loop", at=expr.at))
            return Const(None)
        result = self._splice(callee, call, call, stmt, before)
        if isinstance(result, Name):
            self.results.add(result.id)
        return result

    def _hoist_method(self, stmt: Statement, func: Attr, before: list[Statement], named: bool) -> Expr:
        """What a method is called on is evaluated before the arguments; which method it is need not be."""
        if self._changes(stmt, func):
            return self._hoist(stmt, func, before)
        owner = self._hoist(stmt, func.value, before)
        if named and not self._settled(stmt, owner):
            owner = self._name(owner, before)
        return Attr(owner, func.name, at=func.at)

    def _settled(self, stmt: Statement, expr: Expr) -> bool:
        """Whether evaluating the expression later gives the same: a field may be set anew by what comes between."""
        return all(isinstance(e, (Name, Const, Tuple, Slice)) or isinstance(e, Attr)
                   and isinstance(self.facts.kind(stmt, e.value).value, Known) for e in walk(expr))

    def _made(self, hint: str) -> str:
        name = self.unit.fresh.name(hint)
        self.unit.made.add(name)
        return name

    def _name(self, expr: Expr, before: list[Statement]) -> Expr:
        if isinstance(expr, (Slice, Star)):
            return expr
        name = self._made("t")
        before.append(Bind((name,), (expr,), at=expr.at))
        return Name(name, at=expr.at)

    def _method(self, stmt: Statement, func: Expr, before: list[Statement]) -> Expr:
        """The function of a call; of a method only what it is called on is evaluated beforehand."""
        if not isinstance(func, Attr):
            return self._name(func, before)
        owner = func.value if self._settled(stmt, func.value) else self._name(func.value, before)
        return Attr(owner, func.name, at=func.at)

    def _hoist_cond(self, stmt: Statement, expr: Cond, before: list[Statement]) -> Expr:
        test = self._hoist(stmt, expr.test, before)
        name = self._made("t")
        branches = []
        for value in (expr.body, expr.orelse):
            inner: list[Statement] = []
            result = self._hoist(stmt, value, inner)
            branches.append((*inner, Bind((name,), (result,), at=value.at)))
        before.append(If(test, *branches, at=expr.at))
        return Name(name, at=expr.at)

    def _hoist_bool(self, stmt: Statement, expr: Bool, before: list[Statement]) -> Expr:
        """a and f(b)   ->   t = a; if t: t = f(b)"""
        name = self._made("t")
        before.append(Bind((name,), (self._hoist(stmt, expr.values[0], before),), at=expr.at))
        rest = expr.values[1] if len(expr.values) == 2 else Bool(expr.op, expr.values[1:], at=expr.at)
        inner: list[Statement] = []
        value = self._hoist(stmt, rest, inner)
        body = (*inner, Bind((name,), (value,), at=expr.at))
        test: Expr = Name(name) if expr.op == "and" else Unary("not", Name(name))
        before.append(If(test, body, at=expr.at))
        return Name(name, at=expr.at)

    def kept_by(self, expr: Function) -> tuple[str, ...] | Refuse:
        """The variables of functions put in place that a function reads: each call of these has its own."""
        body = self.unit.code.body
        order = {stmt: k for k, stmt in enumerate(statements(body))}
        here = len(order) if self.site is None else order.get(self.site, len(order))
        written = {n for stmt in order for top in expressions(stmt) for e in walk(top) if isinstance(e, Function)
                   for n in e.code.nonlocals}
        kept = []
        for name in expr.free:
            bound = [stmt for stmt in order if name in names.bound_by(stmt)]
            if name not in self.unit.spliced or not bound:
                continue
            if len(bound) == 1 and order[bound[0]] < here and name not in written:
                kept.append(name)
            elif self.loops:
                return Refuse(f"a function that is made anew in a loop shares the variable `{name}`, which changes, with "
                              "others", "Keep it in an object or a list.", at=expr.at)
        return tuple(kept)

    # ------------------------------------------------------------ one call

    def _splice(self, callee: Callee, call: Call, old: Call, stmt: Statement, before: list[Statement]) -> Expr:
        body = self.spliced(callee, call, old, stmt, before)
        *rest, last = body
        before.extend(rest)
        if isinstance(last, Return):
            if callee.library and isinstance(last.value, Name):
                self.results.add(last.value.id)
            return self._result(last.value, before)
        before.append(last)
        return Const(None)

    def spliced(self, callee: Callee, call: Call, old: Call, stmt: Statement, before: list[Statement],
                changing: Collection[str] = ()) -> tuple[Statement, ...]:
        """The body of the callee, its parameters bound before; the names in `changing` may be bound while it runs."""
        self.changed = True
        chain = self.unit.chains.get(stmt, ())
        if callee.key in chain and not callee.library or callee.key is self.unit.found.function.__code__:
            raise Recursive(callee.key)
        receiver = (call.func.value,) if callee.method and isinstance(call.func, Attr) else ()
        binder = Binder(self.facts, stmt, lambda e: self._name(e, before), self._made, before)
        args = binder.bind(callee, receiver, call, old)
        if isinstance(args, Refuse):
            return (args,)
        if callee.library:
            callee, args = unrolled(callee, args)
        renaming = self._rename_locals(callee)
        for name, outer in callee.constants.items():
            hint = next((param for param, arg in args.items() if arg == Name(name)), name)
            new = Name(self._outer_name(hint, outer))
            args = {param: new if arg == Name(name) else arg for param, arg in args.items()}
        values = self._pass(callee, args, renaming, before, changing)
        body = tuple(rename_statement(s, {**renaming, **values}) for s in callee.code.body)
        if callee.library:
            body = tuple(relocated(s, call.at) for s in body)
        self.unit.chains.update((s, (*chain, callee.key)) for s in statements(body))
        return body

    def _result(self, value: Expr, before: list[Statement]) -> Expr:
        if isinstance(value, (Name, Const)):
            return value
        return self._name(value, before)

    def _rename_locals(self, callee: Callee) -> dict[str, Name]:
        """Locals and outer names of the callee, as they are called here."""
        renaming: dict[str, Name] = {}
        for name in sorted(names.local(callee.code)):
            new = self.unit.fresh.name(name)
            renaming[name] = Name(new)
            self.unit.spliced.add(new)
            if callee.own is not None and name not in callee.own and not is_flag(name):
                self.unit.made.add(new)
        for name in names.free(callee.code):
            outer = callee.outer(name)
            if outer is None or _means_the_same(outer, self.unit.outer(name)):
                continue
            if outer.value() is MISSING:
                continue
            renaming[name] = Name(self._outer_name(name, outer))
        return renaming

    def _outer_name(self, name: str, outer: Outer) -> str:
        for known, other in self.unit.scopes.items():
            if other == outer or other.means_only(outer.value()) and outer.means_only(other.value()):
                return known
        new = self.unit.fresh.name(name)
        self.unit.scopes[new] = outer
        return new

    def outside(self, name: str, obj: Any) -> Expr:
        """A name that means this object: the user's own if there is one."""
        known = self.unit.outer(name)
        if known is not None and known.value() is obj and name not in names.local(self.unit.code):
            return Name(name)
        return Name(self._outer_name(name, Outer(name, {name: obj})))

    def _pass(self, callee: Callee, args: Mapping[str, Expr], renaming: Mapping[str, Name],
              before: list[Statement], changing: Collection[str] = ()) -> dict[str, Expr]:
        """Parameters that the callee doesn't rebind are replaced by plain arguments; others are bound first."""
        rebound = names.bound(callee.code.body) | self._outliving(callee.code, args)
        opaque = {n for stmt in statements(callee.code.body) for e in expressions(stmt) for node in walk(e)
                  if isinstance(node, Opaque) for n in node.reads}
        values: dict[str, Expr] = {}
        for param, arg in args.items():
            plain = isinstance(arg, Name) and arg.id not in changing or isinstance(arg, Const) and param not in opaque
            if param not in rebound and plain:
                values[param] = arg
            else:
                before.append(Bind((renaming[param].id,), (arg,), at=arg.at))
        return values

    def _outliving(self, code: Code, args: Mapping[str, Expr]) -> frozenset[str]:
        """Parameters that a function made by the callee reads, perhaps when the argument's name means another thing."""
        captured = {n for stmt in statements(code.body) for e in expressions(stmt) for node in walk(e)
                    if isinstance(node, Function) for n in node.free}
        bound = Counter([p.name for p in self.unit.code.params])
        bound.update(n for stmt in statements(self.unit.code.body) for n in names.bound_by(stmt))
        return frozenset(p for p in captured & args.keys() if isinstance(arg := args[p], Name)
                         and (self.loops or bound[arg.id] > 1))


class _Maker:
    """What rewritings ask for; statements that they make come before the one that is rewritten."""

    def __init__(self, work: Inliner, before: list[Statement]) -> None:
        self.work, self.before = work, before

    def bind(self, value: Expr, hint: str = "t") -> Name:
        if isinstance(value, Name):
            return value
        name = self.name(hint)
        self.before.append(Bind((name,), (value,), at=value.at))
        return Name(name, at=value.at)

    def name(self, hint: str) -> str:
        return self.work._made(hint)

    def add(self, stmt: Statement) -> None:
        self.before.append(stmt)

    def outside(self, name: str, obj: Any) -> Expr:
        return self.work.outside(name, obj)

    def kept(self, expr: Function) -> tuple[str, ...] | Refuse:
        """The variables that a function made here keeps by value: those of functions that were put in place."""
        return self.work.kept_by(expr)

    @contextmanager
    def into(self, block: list[Statement]) -> Iterator[None]:
        """Statements go into a block of their own while the context lasts."""
        before, self.before = self.before, block
        yield
        self.before = before


def can_inline(function: Any, receiver: bool, kept: Collection[Any] = ()) -> bool:
    """Whether calls of the function are put in place; those of `kept` aren't."""
    return _callee_of(function, receiver, kept) is not None


def _callee_of(function: Any, receiver: bool, kept: Collection[Any]) -> Callee | None:
    if isinstance(function, Closure):
        code = function.function.code
        if suspends(code.body):
            return None
        code = single_exit(code)
        if function.function in kept or not _placeable(code):
            return None
        return Callee(code, lambda name: None, key=function.function)
    try:
        found = find(function)
    except SrcgradError:
        return None
    if found.function.__code__ in kept:
        return None
    code = lowered(found)
    if suspends(code.body) or not _placeable(code) or is_recursive(found):
        return None
    return callee_from(found, code, receiver)


def _means_the_same(outer: Outer, own: Outer | None) -> bool:
    """Whether a name means here what it means to a callee: modules and builtins aren't rebound unseen."""
    if outer == own:
        return True
    value = outer.value()
    known = isinstance(value, types.ModuleType) or getattr(builtins, outer.name, MISSING) is value
    return known and own is not None and own.value() is value


def _placeable(code: Code) -> bool:
    body = list(statements(code.body))
    returns = [s for s in body if isinstance(s, Return)]
    return len(body) <= LARGEST and all(r is code.body[-1] for r in returns)


def is_recursive(found: Any) -> bool:
    """Whether the function may call itself, directly or through others that its globals and cells name."""
    seen: set[Any] = set()
    todo = [found]
    while todo:
        current = todo.pop()
        for name in names.free(lowered(current)):
            value = Outer(name, current.globals, tuple(current.cells.items())).value()
            if not isinstance(value, types.FunctionType):
                continue
            if value.__code__ is found.function.__code__:
                return True
            if value.__code__ not in seen:
                seen.add(value.__code__)
                todo.extend(_try_find(value))
    return False


def _try_find(function: Any) -> list:
    try:
        return [find(function)] if is_user_function(function) else []
    except SrcgradError:
        return []
