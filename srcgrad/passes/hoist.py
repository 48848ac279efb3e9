"""Takes calls out of expressions into statements of their own, in the order of evaluation."""
from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import Closure, Known
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Bool,
    Call,
    Cond,
    Const,
    Dict,
    Expr,
    For,
    Function,
    If,
    List,
    Name,
    Opaque,
    Refuse,
    Return,
    Slice,
    Statement,
    Tuple,
    Unary,
    While,
    children,
    expressions,
    names_read,
    rebuild,
    statements,
    substitute,
    suspends,
    walk,
)
from srcgrad.passes.arguments import Callee
from srcgrad.passes.lower.comprehensions import expanded
from srcgrad.passes.methods import function_for_class
from srcgrad.passes.placeable import Kept, callee_of
from srcgrad.passes.splice import Splicer
from srcgrad.passes.unit import Unit


class Hoister(Splicer):
    def __init__(self, unit: Unit, facts: Facts, kept: Kept) -> None:
        super().__init__(unit, facts, kept)
        self.results: set[str] = set()      # names that library code and comprehensions give to what they make
        self.guarded = 0                    # how many `try` and `with` there are around

    def calls(self, stmt: Statement) -> bool:
        return any(self._changes(stmt, e) for top in expressions(stmt) for e in walk(top))

    def _changes(self, stmt: Statement, expr: Expr) -> bool:
        key = stmt, id(expr)
        return key in self.facts.rewrites or key in self.facts.evaluator.comprehensions \
            or self._callee(stmt, expr) is not None

    def _callee(self, stmt: Statement, expr: Expr) -> Callee | None:
        found = self.facts.callees.get((stmt, id(expr)))
        if found is None or not isinstance(expr, Call):
            return None
        return callee_of(found[0], found[1], self.kept, (stmt, id(expr)) in self.facts.evaluator.descents)

    def hoist(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """The expression with its calls taken out into statements, in the order of evaluation."""
        if not any(self._changes(stmt, e) for e in walk(expr)):
            return expr
        if isinstance(expr, Opaque) and (stmt, id(expr)) not in self.facts.rewrites:
            return self._expanded(stmt, expr, before)
        if isinstance(expr, Cond):
            return self._hoist_cond(stmt, expr, before)
        if isinstance(expr, (Bool, Function)) and (stmt, id(expr)) not in self.facts.rewrites:
            return self._hoist_bool(stmt, expr, before) if isinstance(expr, Bool) else expr
        parts = list(children(expr))
        ends = [0] * len(parts)
        last = max((k for k, p in enumerate(parts) if any(self._changes(stmt, e) for e in walk(p))), default=-1)
        for k, part in enumerate(parts):
            if k == 0 and isinstance(expr, Call) and isinstance(part, Attr):
                parts[k] = self._hoist_method(stmt, part, before, last > 0)
            else:
                parts[k] = self.hoist(stmt, part, before)
                if k < last and not self._settled(stmt, parts[k]):
                    method = k == 0 and isinstance(expr, Call)
                    parts[k] = self._method(stmt, parts[k], before) if method else self.name(parts[k], before)
            ends[k] = len(before)
        self._keep_names(parts, ends, before)
        build = self.facts.rewrites.get((stmt, id(expr)))
        if build is not None:
            self.changed = True
            return build(tuple(parts), Maker(self, before))
        new = rebuild(expr, tuple(parts))
        callee = self._callee(stmt, expr)
        if callee is None or not isinstance(new, Call) or not isinstance(expr, Call):
            return new
        return self._splice(callee, new, expr, stmt, before)

    def hoist_each(self, stmt: Statement, exprs: Iterable[Expr], before: list[Statement]) -> list[Expr]:
        """Several expressions, which are evaluated one after the other."""
        parts: list[Expr] = []
        ends: list[int] = []
        exprs = list(exprs)
        last = max((k for k, e in enumerate(exprs) if any(self._changes(stmt, part) for part in walk(e))), default=-1)
        for k, expr in enumerate(exprs):
            part = self.hoist(stmt, expr, before)
            parts.append(part if k >= last or self._settled(stmt, part) else self.name(part, before))
            ends.append(len(before))
        self._keep_names(parts, ends, before)
        return parts

    def _keep_names(self, parts: list[Expr], ends: list[int], before: list[Statement]) -> None:
        """Names that calls bind which are evaluated later (`s * f(x)`, where f binds s) are read before them."""
        for k in reversed(range(len(parts) - 1)):
            read = () if isinstance(parts[k], Function) else names_read(parts[k])
            if not read or ends[k] == len(before):
                continue
            kept = {name: Name(self.made(name)) for name in sorted(read) if self.may_bind(before[ends[k]:], name)}
            if kept:
                parts[k] = substitute(parts[k], dict(kept))
                before[ends[k]:ends[k]] = [Bind((new.id,), (Name(name),)) for name, new in kept.items()]

    def _expanded(self, stmt: Statement, expr: Opaque, before: list[Statement]) -> Expr:
        """A comprehension's statements; a generator expression becomes a call, which makes a generator."""
        call = expanded(expr)
        if call is None or not isinstance(call.func, Function):
            return expr
        self.changed = True
        if suspends(call.func.code.body):
            return call
        callee = callee_of(Closure(call.func), False, Kept())
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
            return self.hoist(stmt, func, before)
        owner = self.hoist(stmt, func.value, before)
        if named and not self._settled(stmt, owner):
            owner = self.name(owner, before)
        return Attr(owner, func.name, at=func.at)

    def _settled(self, stmt: Statement, expr: Expr) -> bool:
        """Whether evaluating the expression later gives the same: a field may be set anew by what comes between."""
        return all(isinstance(e, (Name, Const, Tuple, Slice)) or isinstance(e, Attr)
                   and isinstance(self.facts.kind(stmt, e.value).value, Known) for e in walk(expr))

    def _method(self, stmt: Statement, func: Expr, before: list[Statement]) -> Expr:
        """The function of a call; of a method only what it is called on is evaluated beforehand."""
        if not isinstance(func, Attr):
            return self.name(func, before)
        owner = func.value if self._settled(stmt, func.value) else self.name(func.value, before)
        return Attr(owner, func.name, at=func.at)

    def _hoist_cond(self, stmt: Statement, expr: Cond, before: list[Statement]) -> Expr:
        test = self.hoist(stmt, expr.test, before)
        name = self.made("t")
        branches = []
        for value in (expr.body, expr.orelse):
            inner: list[Statement] = []
            result = self.hoist(stmt, value, inner)
            branches.append((*inner, Bind((name,), (result,), at=value.at)))
        before.append(If(test, *branches, at=expr.at))
        return Name(name, at=expr.at)

    def _hoist_bool(self, stmt: Statement, expr: Bool, before: list[Statement]) -> Expr:
        """a and f(b)   ->   t = a; if t: t = f(b)"""
        name = self.made("t")
        before.append(Bind((name,), (self.hoist(stmt, expr.values[0], before),), at=expr.at))
        rest = expr.values[1] if len(expr.values) == 2 else Bool(expr.op, expr.values[1:], at=expr.at)
        inner: list[Statement] = []
        value = self.hoist(stmt, rest, inner)
        body = (*inner, Bind((name,), (value,), at=expr.at))
        test: Expr = Name(name) if expr.op == "and" else Unary("not", Name(name))
        before.append(If(test, body, at=expr.at))
        return Name(name, at=expr.at)

    def _splice(self, callee: Callee, call: Call, old: Call, stmt: Statement, before: list[Statement]) -> Expr:
        body = self.spliced(callee, call, old, stmt, before)
        *rest, last = body
        before.extend(rest)
        if isinstance(last, Return):
            if callee.library and isinstance(last.value, Name):
                self.results.add(last.value.id)
            n = len(before)
            result = self._result(last.value, before)
            self.unit.chains.update((new, self.unit.chains[last]) for new in before[n:])
            return result
        before.append(last)
        return Const(None)

    def _result(self, value: Expr, before: list[Statement]) -> Expr:
        if isinstance(value, (Name, Const)):
            return value
        return self.name(value, before)

    def function_of(self, expr: Function) -> types.FunctionType:
        """The function that a class holds; where it reads nothing of the function around it, it is like any other."""
        return function_for_class(self.unit, self.facts, expr)

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
            again, several = self._rounds(bound, self.unit.spliced[name])
            if all(order[stmt] < here for stmt in bound) and name not in written and not again:
                kept.append(name)
            elif several:
                return Refuse(f"a function that is made anew in a loop shares the variable `{name}`, which changes, "
                              "with others", "Keep it in an object or a list.", at=expr.at)
        return tuple(kept)

    def _rounds(self, bound: list[Statement], chain: tuple[Any, ...]) -> tuple[bool, bool]:
        """Whether a call of the function that binds a name does so again and again; whether there are several such
        calls, round a loop."""
        again = several = False
        for loop in statements(self.unit.code.body):
            if isinstance(loop, (For, While)):
                inside = set(statements((loop,)))
                within = len(self.unit.chains.get(loop, ())) >= len(chain)
                again |= within and not inside.isdisjoint(bound)
                several |= not within and self.site in inside
        return again, several


class Maker:
    """What rewritings ask for; statements that they make come before the one that is rewritten."""

    def __init__(self, work: Hoister, before: list[Statement]) -> None:
        self.work, self.before = work, before

    def bind(self, value: Expr, hint: str = "t") -> Name:
        if isinstance(value, Name):
            return value
        name = self.name(hint)
        self.before.append(Bind((name,), (value,), at=value.at))
        if isinstance(value, (Call, Dict, List)):
            self.work.results.add(name)
        return Name(name, at=value.at)

    def name(self, hint: str) -> str:
        return self.work.made(hint)

    @property
    def guarded(self) -> bool:
        """Whether the function may go on after an error here."""
        return self.work.guarded > 0

    def add(self, stmt: Statement) -> None:
        self.before.append(stmt)

    def outside(self, name: str, obj: Any) -> Expr:
        return self.work.outside(name, obj)

    def function(self, expr: Function) -> types.FunctionType:
        """A function that is made inside as one of Python, for a class to hold."""
        return self.work.function_of(expr)

    def kept(self, expr: Function) -> tuple[str, ...] | Refuse:
        """The variables that a function made here keeps by value: those of functions that were put in place."""
        return self.work.kept_by(expr)

    @contextmanager
    def into(self, block: list[Statement]) -> Iterator[None]:
        """Statements go into a block of their own while the context lasts."""
        before, self.before = self.before, block
        yield
        self.before = before
