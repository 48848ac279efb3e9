"""Comprehensions and generator expressions as functions of statements.

        [v * k for v in x if v > 0]     ->      def comprehension():
                                                    values = []
                                                    for v in x:
                                                        if v > 0:
                                                            values.append(v * k)
                                                    return values

Lowering leaves a comprehension as the user wrote it; only where something in it is differentiated does the compiler
ask for its statements.
"""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, names, parse
from srcgrad.passes.lower.context import Lowering, Statements
from srcgrad.passes.lower.hoist import Refused
from srcgrad.passes.lower.targets import bind

Block = tuple[core.Statement, ...]


def expanded(expr: core.Opaque) -> core.Call | None:
    """The call that the expression stands for, of a function made on the spot; None where it is something else."""
    build = _KINDS.get(parse.kind(expr.node))
    at = expr.at
    if build is None or at is None:
        return None
    low = Lowering(at.file, parse.names_in(expr.node))
    try:
        return build(expr, low)
    except Refused as refused:
        body = (core.Refuse(refused.what, refused.remedy, at=low.at(refused.node) or at),)
        return core.Call(parse.function_expr(core.Code("comprehension", (), body, at), at), (), at=at)


def _walrus_names(expr: core.Opaque) -> frozenset[str]:
    """What the expression binds in the function around it."""
    return frozenset(n.target.id for n in parse.nodes(expr.node) if parse.kind(n) == "NamedExpr")


def _list(expr: core.Opaque, low: Lowering) -> core.Call:
    return _collected(expr, low, core.List(()), lambda out: _call_of(expr.node, out, "append", low))


def _set(expr: core.Opaque, low: Lowering) -> core.Call:
    return _collected(expr, low, core.Call(core.Name("set")), lambda out: _call_of(expr.node, out, "add", low))


def _call_of(node: Any, out: str, method: str, low: Lowering) -> Statements:
    before, value = low.hoisted(node.elt)
    at = low.at(node.elt)
    return [*before, core.Effect(core.Call(core.Attr(core.Name(out), method, at=at), (value,), at=at), at=at)]


def _dict(expr: core.Opaque, low: Lowering) -> core.Call:
    def put(out: str) -> Statements:
        before, key = low.hoisted(expr.node.key)
        if not isinstance(key, (core.Name, core.Const)):
            held, key = low.temporary(key, "key")
            before.append(held)
        more, value = low.hoisted(expr.node.value)
        return [*before, *more, core.Store(core.Item(core.Name(out), key), None, value, at=low.at(expr.node.value))]
    return _collected(expr, low, core.Dict((), ()), put)


def _collected(expr: core.Opaque, low: Lowering, empty: core.Expr, put: Any) -> core.Call:
    out = low.fresh.name("values")
    loops, _ = _loops(expr.node.generators, low, lambda: put(out))
    body = (core.Bind((out,), (empty,), at=expr.at), *loops, core.Return(core.Name(out, at=expr.at), at=expr.at))
    return _called(expr, (), body, ())


def _generator(expr: core.Opaque, low: Lowering) -> core.Call:
    """What the first `for` runs over is evaluated at once, all else when the elements are asked for."""
    def give() -> Statements:
        before, value = low.hoisted(expr.node.elt)
        return [*before, core.Effect(core.Yield(value, at=value.at), at=low.at(expr.node.elt))]

    items = low.fresh.name("items")
    loops, source = _loops(expr.node.generators, low, give, core.Name(items, at=expr.at))
    body = (*loops, core.Return(core.Const(None), at=expr.at))
    return _called(expr, (core.Param(items),), body, (source,))


def _called(expr: core.Opaque, params: tuple[core.Param, ...], body: Block, args: tuple[core.Expr, ...]) -> core.Call:
    code = core.Code("comprehension", params, body, expr.at, _walrus_names(expr))
    return core.Call(core.Function(code, names.free(code), at=expr.at), args, at=expr.at)


def _loops(generators: list[Any], low: Lowering, inner: Any, first: core.Expr | None = None) -> tuple[Block, core.Expr]:
    """The nested loops, and what the first runs over where `first` doesn't stand for it."""
    generator, *rest = generators
    if generator.is_async:
        raise Refused("`async` isn't supported", "Use a plain loop.", generator.target)
    before, source = low.hoisted(generator.iter)
    target, at = generator.target, low.at(generator.target)
    name = target.id if parse.kind(target) == "Name" else low.fresh.name("item")
    head = [] if parse.kind(target) == "Name" else bind(target, core.Name(name, at=at), low, at)
    body = (*head, *_tested(generator.ifs, low, lambda: _loops(rest, low, inner)[0] if rest else tuple(inner())))
    loop = core.For(name, source if first is None else first, body, at=at)
    return (*before, loop) if first is None else (loop,), source


def _tested(tests: list[Any], low: Lowering, inner: Any) -> Block:
    if not tests:
        return inner()
    before, test = low.hoisted(tests[0])
    return (*before, core.If(test, _tested(tests[1:], low, inner), at=low.at(tests[0])))


_KINDS = {"ListComp": _list, "SetComp": _set, "DictComp": _dict, "GeneratorExp": _generator}
