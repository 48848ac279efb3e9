"""The grammar of the core form, checked: what passes hand to each other must be what `lang.core` says.

>>> verify(core.Code("f", (), (core.Jump("break"),)))
Traceback (most recent call last):
    ...
srcgrad.errors.InternalError: `break` outside of a loop, in Jump(kind='break', value=None)
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from srcgrad.errors import InternalError
from srcgrad.lang import core, parse
from srcgrad.lang.names import is_target

KINDS = ("positional", "normal", "varargs", "keyword", "varkw")
_OPERATORS = frozenset(parse.OPERATORS.values())
_UNARIES = frozenset(parse.UNARIES.values())
_COMPARISONS = frozenset(parse.COMPARISONS.values())
_LITERALS = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))
Block = tuple[core.Statement, ...]


def verify(code: core.Code) -> None:
    """Raises InternalError, naming the statement, where the grammar is broken."""
    _Verifier().code(code)


class _Verifier:
    """Walks a function; `self.where` is the statement it stands in, for the message."""

    def __init__(self) -> None:
        self.where: Any = None
        self.seen: set[int] = set()

    def fail(self, why: str) -> NoReturn:
        raise InternalError(f"{why}, in {self.where!r}"[:2000])

    def need(self, condition: object, why: str) -> None:
        if not condition:
            self.fail(why)

    # ------------------------------------------------------------ functions and blocks

    def code(self, code: core.Code) -> None:
        outside, self.where = self.where, code
        self.need(code.name == parse.LAMBDA or is_target(code.name), "a bad function name")
        self.params(code.params)
        self.block(code.body, loop=False)
        self.where = outside

    def params(self, params: tuple[core.Param, ...]) -> None:
        self.need(isinstance(params, tuple), "parameters that aren't a tuple")
        self.need(all(isinstance(p, core.Param) for p in params), "parameters that aren't Params")
        self.targets(tuple(p.name for p in params))
        self.need(len({p.name for p in params}) == len(params), "a parameter named twice")
        self.need(all(p.kind in KINDS for p in params), "an unknown kind of parameter")
        order = [KINDS.index(p.kind) for p in params]
        self.need(order == sorted(order), "parameters out of order")
        for p in params:
            self.maybe(p.default)

    def block(self, block: Block, loop: bool) -> None:
        self.need(isinstance(block, tuple), "a block that isn't a tuple")
        for stmt in block:
            outside, self.where = self.where, stmt
            self.need(id(stmt) not in self.seen, "a statement that stands in two places")
            self.seen.add(id(stmt))
            check = _STATEMENTS.get(type(stmt))
            if check is None:
                self.fail("no statement of the core form")
            check(self, stmt, loop)
            self.where = outside

    def targets(self, names: tuple[str, ...]) -> None:
        self.need(isinstance(names, tuple), "names that aren't a tuple")
        for name in names:
            self.need(is_target(name), f"{name!r} can't be assigned to")

    # ------------------------------------------------------------ statements

    def bind(self, stmt: core.Bind, loop: bool) -> None:
        self.targets(stmt.names)
        self.need(stmt.names, "a Bind of no names")
        self.need(len(set(stmt.names)) == len(stmt.names), "a name bound twice at once")
        if len(stmt.values) == 1 and isinstance(stmt.values[0], core.Yield):
            self.expr(stmt.values[0].value)
        else:
            self.exprs(stmt.values)
        self.need(len(stmt.names) == len(stmt.values), "names and values differ in number")

    def unpack(self, stmt: core.Unpack, loop: bool) -> None:
        self.targets(stmt.names)
        self.need(stmt.star is None or stmt.star in range(len(stmt.names)), "a star that is no index of a name")
        self.expr(stmt.value)

    def store(self, stmt: core.Store, loop: bool) -> None:
        self.need(isinstance(stmt.place, (core.Item, core.Attr, core.Name)), "a place that is no Item, Attr or Name")
        self.need(stmt.op is None or stmt.op in _OPERATORS, f"an unknown operator {stmt.op!r}")
        self.need(stmt.op or not isinstance(stmt.place, core.Name), "a Store to a Name needs an operator")
        self.exprs((stmt.place, stmt.value))

    def value(self, stmt: core.Effect | core.Return, loop: bool) -> None:
        suspends = isinstance(stmt, core.Effect) and isinstance(stmt.value, core.Yield)
        self.exprs(core.children(stmt.value) if suspends else (stmt.value,))

    def if_(self, stmt: core.If, loop: bool) -> None:
        self.expr(stmt.test)
        self.block(stmt.body, loop)
        self.block(stmt.orelse, loop)

    def for_(self, stmt: core.For, loop: bool) -> None:
        self.targets((stmt.target,) if stmt.result is None else (stmt.target, stmt.result))
        self.expr(stmt.iter)
        self.block(stmt.body, True)
        self.block(stmt.orelse, loop)

    def while_(self, stmt: core.While, loop: bool) -> None:
        self.expr(stmt.test)
        self.block(stmt.body, True)
        self.block(stmt.orelse, loop)

    def try_(self, stmt: core.Try, loop: bool) -> None:
        self.block(stmt.body, loop)
        for kind, name, body in stmt.handlers:
            self.maybe(kind)
            self.need(name is None or (kind is not None and is_target(name)), f"{name!r} can't name an exception")
            self.block(body, loop)
        self.need(stmt.handlers or not stmt.orelse, "an `else` without an `except`")
        self.block(stmt.orelse, loop)
        self.block(stmt.final, loop)

    def with_(self, stmt: core.With, loop: bool) -> None:
        self.need(stmt.items, "a With of nothing")
        for manager, name in stmt.items:
            self.expr(manager)
            self.need(name is None or is_target(name), f"{name!r} can't be assigned to")
        self.block(stmt.body, loop)

    def jump(self, stmt: core.Jump, loop: bool) -> None:
        self.need(stmt.kind in ("break", "continue", "pass", "raise"), f"an unknown jump {stmt.kind!r}")
        self.need(loop or stmt.kind in ("pass", "raise"), f"`{stmt.kind}` outside of a loop")
        self.need(stmt.kind == "raise" or stmt.value is None, f"`{stmt.kind}` with a value")
        self.maybe(stmt.value)

    def said(self, stmt: core.Refuse | core.Comment, loop: bool) -> None:
        texts = (stmt.text,) if isinstance(stmt, core.Comment) else (stmt.what, stmt.remedy)
        self.need(all(isinstance(t, str) for t in texts), "a text that isn't a string")

    # ------------------------------------------------------------ expressions

    def maybe(self, expr: core.Expr | None) -> None:
        if expr is not None:
            self.expr(expr)

    def exprs(self, exprs: tuple[core.Expr, ...], star: bool = False) -> None:
        self.need(isinstance(exprs, tuple), "expressions that aren't a tuple")
        for expr in exprs:
            self.expr(expr.value if star and isinstance(expr, core.Star) else expr)

    def index(self, index: core.Expr) -> None:
        for part in index.items if isinstance(index, core.Tuple) else (index,):
            if isinstance(part, core.Slice):
                self.exprs(core.children(part))
            else:
                self.exprs((part,), star=isinstance(index, core.Tuple))

    def expr(self, expr: core.Expr) -> None:
        match expr:
            case core.Item(value, index):
                self.expr(value)
                self.index(index)
            case core.Call(func, args, kwargs):
                self.expr(func)
                if isinstance(func, core.Attr) and func.name == "__delitem__" and len(args) == 1:
                    self.index(args[0])
                else:
                    self.exprs(args, star=True)
                self.need(all(k is None or is_target(k) for k, _ in kwargs), "a bad keyword")
                self.exprs(tuple(v for _, v in kwargs))
            case core.Tuple(items) | core.List(items):
                self.exprs(items, star=True)
            case core.Function(code, free):
                self.targets(free)
                self.code(code)
            case core.Slice() | core.Star() | core.Yield():
                self.fail(f"a {type(expr).__name__} in this place")
            case _:
                self.plain(expr)

    def plain(self, expr: core.Expr) -> None:
        check = _EXPRESSIONS.get(type(expr))
        if check is None:
            self.fail(f"no expression of the core form: {expr!r}")
        self.need(check(expr), f"a malformed {type(expr).__name__}")
        self.exprs(core.children(expr))


_STATEMENTS: dict[type, Callable[[_Verifier, Any, bool], None]] = {
    core.Bind: _Verifier.bind, core.Unpack: _Verifier.unpack, core.Store: _Verifier.store, core.Effect: _Verifier.value,
    core.Return: _Verifier.value, core.If: _Verifier.if_, core.For: _Verifier.for_, core.While: _Verifier.while_,
    core.Try: _Verifier.try_, core.With: _Verifier.with_, core.Jump: _Verifier.jump, core.Refuse: _Verifier.said,
    core.Comment: _Verifier.said}
_EXPRESSIONS: dict[type, Callable[[Any], bool]] = {
    core.Name: lambda e: is_target(e.id),
    core.Const: lambda e: type(e.value) in _LITERALS,
    core.Bin: lambda e: e.op in _OPERATORS,
    core.Unary: lambda e: e.op in _UNARIES,
    core.Compare: lambda e: 0 < len(e.ops) == len(e.rights) and set(e.ops) <= _COMPARISONS,
    core.Bool: lambda e: e.op in ("and", "or") and len(e.values) > 1,
    core.Cond: lambda e: True,
    core.Attr: lambda e: is_target(e.name),
    core.Dict: lambda e: len(e.keys) == len(e.values),
    core.Opaque: lambda e: isinstance(e.reads, tuple),
}
