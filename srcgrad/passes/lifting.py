"""Functions made inside that call themselves, or are large: functions of their own, which are given what they read.

        def power(k):                                   def power(x, k):
            if k == 0:                                      if k == 0:
                return 1.0                      ->              return 1.0
            return power(k - 1) * x                         return power(x, k - 1) * x
        y = power(n)                                    y = power(x, n)

Variables around them are read when they are called, so each call gives what they are then.  Those that they bind
(`nonlocal`) are given back with the result: `y, count = power(x, count, n)` (`runtime.closures.carry`).
"""
from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any

import gast

from srcgrad.analysis.interpret.expressions import Evaluator
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env
from srcgrad.analysis.values import PENDING, Closure, Known
from srcgrad.lang import names, parse
from srcgrad.lang.core import (
    Call,
    Code,
    Const,
    Expr,
    Function,
    Name,
    Opaque,
    Param,
    Return,
    Star,
    Statement,
    Tuple,
    blocks,
    children,
    expressions,
    rebuild,
    statements,
    suspends,
    walk,
    with_blocks,
    with_expressions,
)
from srcgrad.passes.listed import listed_code
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.methods import Own
from srcgrad.runtime.closures import carry

Functions = dict[str, FunctionType]


def lifted_call(ev: Evaluator, expr: Call, closure: Closure, env: Env, known: dict[Any, Functions],
                classes: Iterable[type]) -> Abstract:
    """A call of a function made inside as one of a function of its own; `known` are those that were made already,
    `classes` those of what it is given."""
    waits = ev.new_classes.classes and not ev.optimistic
    if waits and any(env[name].value == PENDING for name in closure.function.free if name in env):
        return NOT_YET                      # it may be a class, whose methods read more
    group = _Group(ev, closure.function, env, expr, ev.new_classes.read_by(*classes))
    functions = group.functions(known)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        call = rebuild(expr, parts)
        assert isinstance(call, Call)
        return group.call(group.first, call, lambda name: make.outside(name, functions.get(name, carry)))
    return ev.rewrite(expr, build)


def listed_call(ev: Evaluator, expr: Call, closure: Closure, env: Env, known: dict[Any, Functions],
                classes: Iterable[type], outside: Callable[[str, Any], Expr]) -> Call:
    """A call of a generator made inside, which calls itself, as one of a function that returns its elements."""
    group = _Group(ev, closure.function, env, expr, ev.new_classes.read_by(*classes))
    functions = group.functions(known)
    return group.call(group.first, expr, lambda name: outside(name, functions.get(name, carry)))


class _Group:
    """A function made inside, and those that it calls: `members` by name, `given` is what each of them needs."""

    def __init__(self, ev: Evaluator, function: Function, env: Env, expr: Call, read: frozenset[str]) -> None:
        self.ev, self.env, self.expr = ev, env, expr
        self.members: dict[str, Function] = {}
        self._reach(function)
        own = [name for name, member in self.members.items() if member is function]
        self.first = own[0] if own else function.code.name
        self.members.setdefault(self.first, function)
        self.given = {name: self._needed(member, read) for name, member in self.members.items()}
        self.written = {name: self._bound(member.code) & frozenset(self.given[name])
                        for name, member in self.members.items()}
        for _ in self.members:
            for name, member in self.members.items():
                for other in self.members.keys() & frozenset(member.free):
                    self.given[name] = tuple(dict.fromkeys((*self.given[name], *self.given[other])))
                    self.written[name] |= self.written[other]

    def _refuse(self, what: str, remedy: str) -> Refused:
        return Refused(what, remedy, self.expr.at)

    def _reach(self, function: Function) -> None:
        if suspends(function.code.body) and listed_code(function.code) is None:
            raise self._refuse("a generator that is made inside and calls itself is supported only where it ends and "
                               "does nothing else", "let it return a list")
        for name in function.free:
            item = self.env.get(name)
            if item is not None and isinstance(item.value, Closure) and name not in self.members:
                self.members[name] = item.value.function
                self._reach(item.value.function)

    def _needed(self, function: Function, read: frozenset[str]) -> tuple[str, ...]:
        """What the function reads, and what methods do of the objects that it is given, or makes."""
        needed = [name for name in function.free if name not in self.members]
        made = [self.env[name].value for name in needed if name in self.env]
        read |= self.ev.new_classes.read_by(*(value.obj for value in made if isinstance(value, Known)))
        needed = list(dict.fromkeys((*needed, *sorted(read & self.env.keys()))))
        for name in needed:
            if name not in self.env and self.ev.outer(name) is None:
                raise self._refuse(f"`{name}`, which `{function.code.name}` reads, has no value here that is known",
                                   "pass it as an argument")
        return tuple(name for name in needed if name in self.env)

    def _bound(self, code: Code) -> frozenset[str]:
        inside = [e.code for stmt in statements(code.body) for top in expressions(stmt) for e in walk(top)
                  if isinstance(e, Function)]
        return code.nonlocals.union(*map(self._bound, inside))

    # ------------------------------------------------------------ functions

    def functions(self, known: dict[Any, Functions]) -> Functions:
        codes = [self._code(name, member) for name, member in self.members.items()]
        outer = self.ev.outer("__name__")
        assert outer is not None
        own = Own(codes, outer.globals, self.ev.outer, self.ev.guards, {"carry": carry})
        if own.key not in known:
            known[own.key] = own.loaded()
            for name, function in known[own.key].items():
                self.ev.new_classes.given[function.__code__] = frozenset(self.given[name])
        return known[own.key]

    def _code(self, name: str, function: Function) -> Code:
        code = self._plain(function)
        own = names.local(function.code)
        if own & (self.members.keys() | frozenset(self.given[name])):
            raise self._refuse(f"`{code.name}` uses one name for two variables", "give one of them another name")
        params = (*(Param(n, "positional") for n in self.given[name]), *(replace(p, default=None) for p in code.params))
        body = self._block(code.body)
        *rest, last = body
        if self.written[name]:
            if not isinstance(last, Return):
                raise self._refuse(f"`{code.name}` never returns", "let it return a value")
            last = Return(Tuple((last.value, *map(Name, sorted(self.written[name])))), at=last.at)
        return Code(name, params, (*rest, last), code.at)

    def _plain(self, function: Function) -> Code:
        """The code of a function; of a generator, as one that returns a list."""
        listed = listed_code(function.code) if suspends(function.code.body) else None
        return single_exit(function.code) if listed is None else listed

    def _block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(self._statement(stmt) for stmt in block)

    def _statement(self, stmt: Statement) -> Statement:
        new = with_blocks(stmt, tuple(map(self._block, blocks(stmt)))) if blocks(stmt) else stmt
        return with_expressions(new, tuple(map(self._expr, expressions(stmt))))

    def _expr(self, expr: Expr) -> Expr:
        match expr:
            case Call(Name(name)) if name in self.members:
                args = tuple(map(self._expr, expr.args))
                call = replace(expr, args=args, kwargs=tuple((k, self._expr(v)) for k, v in expr.kwargs))
                return self.call(name, call, Name)
            case Name(name) if name in self.members:
                raise self._refuse(f"`{name}`, which calls itself, is used here as a value", "call it by its name")
            case Function(code, free) if self.members.keys() & frozenset(free):
                self._check_shadows(names.local(code))
                code = replace(code, body=self._block(code.body))
                return Function(code, names.free(code), at=expr.at)
            case Opaque(node, reads) if self.members.keys() & frozenset(reads):
                return self._opaque(node, expr)
        old = children(expr)
        return rebuild(expr, tuple(map(self._expr, old))) if old else expr

    def _check_shadows(self, bound: frozenset[str]) -> None:
        if bound & self.members.keys() or bound.intersection(*(self.given[n] for n in self.members)):
            raise self._refuse("a function that calls itself is called where a name that it reads means something else",
                               "use different names")

    def _opaque(self, node: Any, expr: Opaque) -> Opaque:
        """Comprehensions: each call in them gets what the function needs."""
        new = copy.deepcopy(node)
        given = frozenset(n for name in self.members for n in self.given[name])
        calls = [n for n in gast.walk(new) if isinstance(n, gast.Call) and getattr(n.func, "id", None) in self.members]
        reads = [n for n in gast.walk(new) if isinstance(n, gast.Name) and n.id in self.members]
        bound = {n.id for n in gast.walk(new) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
        if len(reads) != len(calls) or bound & given:
            raise self._refuse("a function that calls itself is used in a comprehension in a way that isn't supported",
                               "write it as a loop")
        for call in calls:
            name = call.func.id
            if self.written[name] or self._missing(name, len(call.args), {k.arg for k in call.keywords}):
                raise self._refuse("a function that calls itself and binds names around it, or has defaults, is called "
                                   "in a comprehension", "write it as a loop")
            call.args[:0] = [gast.copy_location(gast.Name(n, gast.Load(), None, None), call) for n in self.given[name]]
        return Opaque(new, parse.reads(new), at=expr.at)

    # ------------------------------------------------------------ calls

    def call(self, name: str, call: Call, meaning: Callable[[str], Expr]) -> Call:
        """The call with all that the function is given."""
        if any(isinstance(a, Star) for a in call.args) or any(k is None for k, _ in call.kwargs):
            raise self._refuse(f"`{name}`, which calls itself, is called with `*` or `**`", "pass arguments one by one")
        more = tuple(self._missing(name, len(call.args), {k for k, _ in call.kwargs}).items())
        args = (*(Name(n, at=call.at) for n in self.given[name]), *call.args)
        kwargs = (*call.kwargs, *more)
        if not self.written[name]:
            return Call(meaning(name), args, kwargs, at=call.at)
        written = Tuple(tuple(Const(self.given[name].index(n)) for n in sorted(self.written[name])))
        return Call(meaning("carry"), (meaning(name), written, *args), kwargs, at=call.at)

    def _missing(self, name: str, positional: int, named: set[str | None]) -> Mapping[str, Expr]:
        """The defaults of parameters that a call leaves out."""
        params = self.members[name].code.params
        return {p.name: p.default for k, p in enumerate(params) if p.default is not None and p.name not in named
                and (k >= positional or p.kind == "keyword")}
