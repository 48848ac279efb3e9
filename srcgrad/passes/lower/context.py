"""What lowering carries along, and the table of constructs that the other files of this folder fill."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from srcgrad.lang import core, parse
from srcgrad.lang.names import Fresh, free
from srcgrad.passes.lower import hoist
from srcgrad.passes.lower.returns import ends

Statements = list[core.Statement]
CONSTRUCTS: dict[str, Callable[[Any, Lowering], Statements]] = {}
# Expressions that can be spelled out as statements which give their value a name.
EXPANSIONS: dict[str, Callable[[str, Any, Lowering], Statements]] = {}


def lowers(*kinds: str) -> Callable[[Callable[[Any, Lowering], Statements]], Callable[[Any, Lowering], Statements]]:
    """Registers the function that lowers statements of these kinds (names of gast's classes)."""
    def register(function: Callable[[Any, Lowering], Statements]) -> Callable[[Any, Lowering], Statements]:
        CONSTRUCTS.update((kind, function) for kind in kinds)
        return function
    return register


class Lowering:
    """One function being lowered: its file, and the names that are still free.

    What isn't supported becomes a Refuse in its place; nothing here raises.  `rebound` are names that functions inside
    bind around them, so that any call may do that.  `set_on_classes` are attributes that classes may get anew.
    """

    def __init__(self, file: str, taken: Iterable[str], rebound: Iterable[str] = (),
                 set_on_classes: Iterable[str] = ()):
        self.file, self.rebound, self.set_on_classes = file, frozenset(rebound), frozenset(set_on_classes)
        self.fresh = Fresh(taken)

    def block(self, nodes: Iterable[Any]) -> tuple[core.Statement, ...]:
        """The statements in core form, up to the first that never lets the next one run."""
        out: Statements = []
        for node in nodes:
            out += self.statement(node)
            if any(map(ends, out)):
                break
        return tuple(out)

    def statement(self, node: Any) -> Statements:
        construct = CONSTRUCTS.get(parse.kind(node))
        try:
            if construct is None:
                raise hoist.Refused(*_UNSUPPORTED.get(parse.kind(node), _UNKNOWN), node)
            return [part for stmt in construct(node, self) for part in self._with_defaults(stmt)]
        except hoist.Refused as refused:
            return [core.Refuse(refused.what, refused.remedy, at=self.at(refused.node) or self.at(node))]

    def at(self, node: Any, until: Any = None) -> core.At | None:
        return parse.position(node, self.file, until)

    def expr(self, node: Any) -> core.Expr:
        """An expression that must hold no `:=` of its own, since it isn't the first thing its statement evaluates."""
        hoist.check(node)
        return parse.expression(node, self.file)

    def hoisted(self, node: Any) -> tuple[Statements, core.Expr]:
        """The first expression that a statement evaluates: what must run before it, and its core form."""
        if parse.kind(node) == "Yield":
            first, value = self.yielded(node)
            bind, held = self.temporary(value, "sent")
            return [*first, bind], held
        if parse.kind(node) == "YieldFrom":
            name = self.fresh.name("result")
            return self.given_out(node, name), core.Name(name, at=self.at(node))
        if parse.kind(node) == "BoolOp" and any(map(parse.binds_names, node.values[1:])):
            name = self.fresh.name("cond")
            return self._one_by_one(name, node.values, parse.kind(node.op)), core.Name(name, at=self.at(node))
        if parse.kind(node) == "UnaryOp" and parse.kind(node.op) == "Not":
            before, operand = self.hoisted(node.operand)
            return before, core.Unary("not", operand, at=self.at(node))
        bindings, node = hoist.hoist(node, self.fresh.name)
        binds: Statements = []
        for name, bound in bindings:
            spell_out = EXPANSIONS.get(parse.kind(bound)) if parse.binds_names(bound) else None
            binds += [core.Bind((name,), (self.expr(bound),), at=self.at(bound))] if spell_out is None \
                else spell_out(name, bound, self)
        return binds, self.expr(node)

    def _one_by_one(self, name: str, values: list[Any], op: str) -> Statements:
        """`a and (b := f(a))`, whose second part runs only if the first is true."""
        before, value = self.hoisted(values[0])
        before.append(core.Bind((name,), (value,), at=self.at(values[0])))
        if len(values) > 1:
            test = core.Name(name) if op == "And" else core.Unary("not", core.Name(name))
            rest = tuple(self._one_by_one(name, values[1:], op))
            before.append(core.If(test, rest, (), at=self.at(values[0])))
        return before

    def yielded(self, node: Any) -> tuple[Statements, core.Yield]:
        """What a `yield` gives out, which is the first thing that its statement evaluates."""
        before, value = ([], core.Const(None)) if node.value is None else self.hoisted(node.value)
        return before, core.Yield(value, at=self.at(node))

    def given_out(self, node: Any, result: str | None = None) -> Statements:
        """`result = yield from items` gives out each of them."""
        before, items = self.hoisted(node.value)
        name, at = self.fresh.name("item"), self.at(node)
        each = core.Effect(core.Yield(core.Name(name, at=at), at=at), at=at)
        return [*before, core.For(name, items, (each,), at=at, result=result)]

    def _with_defaults(self, stmt: core.Statement) -> Statements:
        """`g = lambda v, s=k: v * s` takes its defaults when it is made: they get names that nobody binds again."""
        if not isinstance(stmt, core.Bind):
            return [stmt]
        before: Statements = []
        values = tuple(core.map_expr(lambda e: self._named_defaults(e, before), value) for value in stmt.values)
        return [*before, replace(stmt, values=values)] if before else [stmt]

    def _named_defaults(self, expr: core.Expr, before: Statements) -> core.Expr:
        if not isinstance(expr, core.Function):
            return expr
        params = []
        for param in expr.code.params:
            if param.default is not None and not isinstance(param.default, core.Const):
                bind, name = self.temporary(param.default, param.name)
                before.append(bind)
                param = replace(param, default=name)
            params.append(param)
        code = replace(expr.code, params=tuple(params))
        return core.Function(code, free(code), at=expr.at)

    def temporary(self, value: core.Expr, hint: str) -> tuple[core.Bind, core.Name]:
        """A fresh name for the value, and the statement that binds it."""
        name = self.fresh.name(hint)
        return core.Bind((name,), (value,), at=value.at), core.Name(name, at=value.at)


_UNKNOWN = ("this kind of statement isn't supported", "Write it with plain assignments, `if`, `for` and `while`.")
_UNSUPPORTED = {
    "AsyncFunctionDef": ("`async` isn't supported", "Use a plain function."),
    "AsyncFor": ("`async` isn't supported", "Use a plain loop."),
    "AsyncWith": ("`async` isn't supported", "Use a plain `with`."),
    "TryStar": ("`except*` isn't supported", "Use `except`."),
}
