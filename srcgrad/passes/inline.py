"""Puts the bodies of the user's own functions where they are called.

        y = f(x * 2)                t = x * 2
                            ->      y_1 = t + 1        the body of f, its locals renamed
                                    y = y_1

What a call's arguments alias is then exact, and the derivative reads as one function.  Recursive functions and large
ones stay calls.
"""
from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.analysis.values import Closure
from srcgrad.errors import SrcgradError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Bool,
    Call,
    Code,
    Cond,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    Function,
    If,
    Name,
    Refuse,
    Return,
    Slice,
    Star,
    Statement,
    Store,
    Tuple,
    Unary,
    Unpack,
    While,
    blocks,
    children,
    expressions,
    rebuild,
    statements,
    walk,
    with_blocks,
)
from srcgrad.lang.source import find, is_user_function
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.unit import Unit, lowered, own_names, single_exit

LARGEST = 120       # statements of a callee that is put in place
MOST_ROUNDS = 40


def inline(unit: Unit, facts: Facts, kept: frozenset[Any] = frozenset()) -> Unit | None:
    """The function with the calls that were found put in place, or None if there are none."""
    work = _Inliner(unit, facts, kept)
    body = work.block(unit.code.body)
    return unit.with_body(body) if work.changed else None


def inline_all(unit: Unit, facts_of: Callable[[Unit], Facts]) -> tuple[Unit, Facts]:
    """The function with callees put in place, those of callees too, and what is known of it then."""
    facts = facts_of(unit)
    for _ in range(MOST_ROUNDS):
        new = inline(unit, facts)
        if new is None:
            break
        unit, facts = new, facts_of(new)
    return unit, facts


class _Inliner:
    def __init__(self, unit: Unit, facts: Facts, kept: frozenset[Any]) -> None:
        self.unit, self.facts, self.kept = unit, facts, kept
        self.changed = False

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for stmt in block:
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        inner = blocks(stmt)
        whole = with_blocks(stmt, tuple(self.block(b) for b in inner)) if inner else stmt
        if not self._calls(stmt):
            return [whole]
        if isinstance(stmt, While) and isinstance(whole, While):
            return self._while(stmt, whole)
        before: list[Statement] = []
        values = tuple(self._hoist(stmt, e, before) for e in expressions(stmt))
        return [*before, *self._again(whole, values)]

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
            case Unpack() | Effect() | Return():
                return [replace(stmt, value=values[0])]
        return [stmt]

    def _while(self, stmt: While, whole: While) -> list[Statement]:
        """while f(x): ...   ->   t = f(x); while t: ...; t = f(x)"""
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
        return any(self._callee(stmt, e) is not None for top in expressions(stmt) for e in walk(top))

    def _callee(self, stmt: Statement, expr: Expr) -> _Callee | None:
        found = self.facts.callees.get((stmt, id(expr)))
        if found is None or not isinstance(expr, Call):
            return None
        return _callee_of(found[0], found[1], self.kept)

    def _hoist(self, stmt: Statement, expr: Expr, before: list[Statement]) -> Expr:
        """The expression with its calls taken out into statements, in the order of evaluation."""
        if not any(self._callee(stmt, e) is not None for e in walk(expr)):
            return expr
        if isinstance(expr, Cond):
            return self._hoist_cond(stmt, expr, before)
        if isinstance(expr, (Bool, Function)):
            return self._hoist_bool(stmt, expr, before) if isinstance(expr, Bool) else expr
        parts = list(children(expr))
        last = max(k for k, p in enumerate(parts) if any(self._callee(stmt, e) for e in walk(p))) \
            if any(self._callee(stmt, e) for p in parts for e in walk(p)) else -1
        for k, part in enumerate(parts):
            parts[k] = self._hoist(stmt, part, before)
            if k < last and not _settled(parts[k]):
                parts[k] = self._name(parts[k], before)
        new = rebuild(expr, tuple(parts))
        callee = self._callee(stmt, expr)
        return new if callee is None or not isinstance(new, Call) else self._splice(callee, new, stmt, before)

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

    # ------------------------------------------------------------ one call

    def _splice(self, callee: _Callee, call: Call, stmt: Statement, before: list[Statement]) -> Expr:
        self.changed = True
        receiver = (call.func.value,) if callee.method and isinstance(call.func, Attr) else ()
        args = _bind_arguments(callee, (*receiver, *call.args), call)
        if isinstance(args, Refuse):
            before.append(args)
            return Const(None)
        renaming = self._rename_locals(callee)
        for name, outer in callee.constants.items():
            new = Name(self._outer_name(name, outer))
            args = {param: new if arg == Name(name) else arg for param, arg in args.items()}
        values = self._pass(callee, args, renaming, before)
        body = tuple(rename_statement(s, {**renaming, **values}) for s in callee.code.body)
        *rest, last = body
        before.extend(rest)
        if isinstance(last, Return):
            return self._result(last.value, before)
        before.append(last)
        return Const(None)

    def _result(self, value: Expr, before: list[Statement]) -> Expr:
        if isinstance(value, (Name, Const)):
            return value
        return self._name(value, before)

    def _rename_locals(self, callee: _Callee) -> dict[str, Name]:
        """Locals and outer names of the callee, as they are called here."""
        renaming: dict[str, Name] = {}
        for name in sorted(names.local(callee.code)):
            new = self.unit.fresh.name(name)
            renaming[name] = Name(new)
            if callee.own is not None and name not in callee.own:
                self.unit.made.add(new)
        for name in names.free(callee.code):
            outer = callee.outer(name)
            if outer is None or outer == self.unit.outer(name):
                continue
            if outer.value() is MISSING:
                continue
            renaming[name] = Name(self._outer_name(name, outer))
        return renaming

    def _outer_name(self, name: str, outer: Outer) -> str:
        for known, other in self.unit.scopes.items():
            if other == outer:
                return known
        new = self.unit.fresh.name(name)
        self.unit.scopes[new] = outer
        return new

    def _pass(self, callee: _Callee, args: Mapping[str, Expr], renaming: Mapping[str, Name],
              before: list[Statement]) -> dict[str, Expr]:
        """Parameters that the callee doesn't rebind are replaced by plain arguments; others are bound first."""
        rebound = names.bound(callee.code.body) | self._outliving(callee.code, args)
        values: dict[str, Expr] = {}
        for param, arg in args.items():
            if param not in rebound and isinstance(arg, (Name, Const)):
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
        return frozenset(p for p in captured & args.keys() if isinstance(arg := args[p], Name) and bound[arg.id] > 1)


class _Callee:
    """A function that can be put in place: its code, what its outer names mean, what is bound already."""

    def __init__(self, code: Code, outer: Any, bound: tuple = (), bound_kwargs: Mapping[str, Any] = {},
                 defaults: Mapping[str, Any] = {}, method: bool = False, own: frozenset[str] | None = None) -> None:
        self.code, self.outer, self.bound, self.bound_kwargs = code, outer, bound, bound_kwargs
        self.defaults, self.method, self.own = defaults, method, own
        self.constants: dict[str, Outer] = {}

    def constant(self, obj: Any) -> Expr:
        """An object that is bound already, or a default: a literal, or a name that means just this object."""
        if obj is None or type(obj) in (bool, int, float, complex, str):
            return Const(obj)
        name = f"value_{len(self.constants)}"
        self.constants[name] = Outer(name, {name: obj})
        return Name(name)


def can_inline(function: Any, receiver: bool) -> bool:
    """Whether calls of the function are put in place."""
    return _callee_of(function, receiver, frozenset()) is not None


def _callee_of(function: Any, receiver: bool, kept: frozenset[Any]) -> _Callee | None:
    if isinstance(function, Closure):
        code = single_exit(function.function.code)
        return _Callee(code, lambda name: None) if _placeable(code) else None
    try:
        found = find(function)
    except SrcgradError:
        return None
    if found.function.__code__ in kept:
        return None
    code = lowered(found)
    if not _placeable(code) or is_recursive(found):
        return None
    cells = tuple(found.cells.items())
    defaults = {p.name: p.default for p in found.signature.parameters.values() if p.default is not p.empty}
    return _Callee(code, lambda name: Outer(name, found.globals, cells), found.bound, found.bound_kwargs, defaults,
                   receiver, own_names(found))


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


def _bind_arguments(callee: _Callee, args: tuple[Expr, ...], call: Call) -> dict[str, Expr] | Refuse:
    """Parameter -> argument, as Python binds them."""
    given = [*(callee.constant(b) for b in callee.bound), *args]
    keywords = {**{k: callee.constant(v) for k, v in callee.bound_kwargs.items()},
                **{k: v for k, v in call.kwargs if k is not None}}
    if any(isinstance(a, Star) for a in given) or any(k is None for k, _ in call.kwargs):
        return Refuse("`*` and `**` in a call of your own function aren't supported yet",
                      "name the arguments one by one", at=call.at)
    bound: dict[str, Expr] = {}
    for param in callee.code.params:
        if param.kind in ("positional", "normal") and given:
            bound[param.name] = given.pop(0)
        elif param.kind == "varargs":
            bound[param.name], given = Tuple(tuple(given)), []
        elif param.kind == "varkw":
            bound[param.name] = Dict(tuple(Const(k) for k in keywords), tuple(keywords.values()))
            keywords = {}
        elif param.name in keywords:
            bound[param.name] = keywords.pop(param.name)
        elif param.name in callee.defaults:
            bound[param.name] = callee.constant(callee.defaults[param.name])
        elif isinstance(param.default, (Const, Name)):
            # a name that only means the default: lowering gave it
            bound[param.name] = param.default
        elif param.default is not None:
            return Refuse(f"the default value of `{param.name}` is computed where the function is made", "pass it",
                          at=call.at)
        else:
            return Refuse(f"`{callee.code.name}` is called without its argument `{param.name}`", "pass it", at=call.at)
    if given or keywords:
        return Refuse(f"`{callee.code.name}` is called with arguments that it doesn't take", "check the call",
                      at=call.at)
    return bound


def _settled(expr: Expr) -> bool:
    """Whether evaluating the expression later gives the same."""
    return all(isinstance(e, (Name, Const, Attr, Tuple, Slice)) for e in walk(expr))
