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

from collections.abc import Callable
from typing import Any

from srcgrad.lang import core, names, parse
from srcgrad.passes.lower.branches import negated
from srcgrad.passes.lower.context import EXPANSIONS, Lowering, Statements
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


def _append(node: Any, out: str, low: Lowering) -> Statements:
    return _call_of(node, out, "append", low)


def _add(node: Any, out: str, low: Lowering) -> Statements:
    return _call_of(node, out, "add", low)


def _call_of(node: Any, out: str, method: str, low: Lowering) -> Statements:
    before, value = low.hoisted(node.elt)
    at = low.at(node.elt)
    return [*before, core.Effect(core.Call(core.Attr(core.Name(out), method, at=at), (value,), at=at), at=at)]


def _put(node: Any, out: str, low: Lowering) -> Statements:
    before, key = low.hoisted(node.key)
    if not isinstance(key, (core.Name, core.Const)):
        held, key = low.temporary(key, "key")
        before.append(held)
    more, value = low.hoisted(node.value)
    return [*before, *more, core.Store(core.Item(core.Name(out), key), None, value, at=low.at(node.value))]


_COLLECTED: dict[str, tuple[core.Expr, Callable[[Any, str, Lowering], Statements]]] = {
    "ListComp": (core.List(()), _append), "SetComp": (core.Call(core.Name("set")), _add),
    "DictComp": (core.Dict((), ()), _put)}


def _collected(expr: core.Opaque, low: Lowering) -> core.Call:
    out = low.fresh.name("values")
    body = (*_filled(out, expr.node, low), core.Return(core.Name(out, at=expr.at), at=expr.at))
    return _called(expr, (), body, ())


def _filled(out: str, node: Any, low: Lowering) -> Statements:
    empty, put = _COLLECTED[parse.kind(node)]
    loops, _ = _loops(node.generators, low, lambda: put(node, out, low))
    return [core.Bind((out,), (empty,), at=low.at(node)), *loops]


def _spelled_out(out: str, node: Any, low: Lowering) -> Statements:
    """The statements of a comprehension in the function itself, its targets renamed."""
    _rename_targets(node, low)
    return _filled(out, node, low)


def _rename_targets(node: Any, low: Lowering) -> None:
    targets = {n.id for generator in node.generators for n in parse.nodes(generator.target)
               if parse.kind(n) == "Name" and parse.kind(n.ctx) == "Store"}
    to = {name: low.fresh.name(name) for name in sorted(targets)}
    for part in parse.nodes(node):
        if parse.kind(part) == "Name":
            part.id = to.get(part.id, part.id)


def _decided(out: str, node: Any, low: Lowering) -> Statements:
    """any(... for ...) or all(... for ...), which stop at the first element that decides."""
    finds = node.func.id == "any"
    given = node.args[0]
    _rename_targets(given, low)

    def test() -> Statements:
        before, element = low.hoisted(given.elt)
        stop = (core.Bind((out,), (core.Const(finds),), at=low.at(node)), core.Jump("break", at=low.at(node)))
        return [*before, core.If(element if finds else negated(element), stop, at=low.at(given.elt))]

    def leave() -> core.Statement:
        decided: core.Expr = core.Name(out)
        return core.If(decided if finds else negated(decided), (core.Jump("break", at=low.at(node)),), at=low.at(node))

    loops, _ = _loops(given.generators, low, test, leave=leave)
    return [core.Bind((out,), (core.Const(not finds),), at=low.at(node)), *loops]


EXPANSIONS.update({**dict.fromkeys(_COLLECTED, _spelled_out), "Call": _decided})


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


def _loops(generators: list[Any], low: Lowering, inner: Any, first: core.Expr | None = None,
           leave: Callable[[], core.Statement] | None = None) -> tuple[Block, core.Expr]:
    """The nested loops, and what the first runs over, if `first` doesn't stand for it; `leave` follows inner loops."""
    generator, *rest = generators
    if generator.is_async:
        raise Refused("`async` isn't supported", "Use a plain loop.", generator.target)
    before, source = low.hoisted(generator.iter)
    target, at = generator.target, low.at(generator.target)
    name = target.id if parse.kind(target) == "Name" else low.fresh.name("item")
    head = [] if parse.kind(target) == "Name" else bind(target, core.Name(name, at=at), low, at)

    def inside() -> Block:
        if not rest:
            return tuple(inner())
        return (*_loops(rest, low, inner, leave=leave)[0], *([] if leave is None else [leave()]))
    body = (*head, *_tested(generator.ifs, low, inside))
    loop = core.For(name, source if first is None else first, body, at=at)
    return (*before, loop) if first is None else (loop,), source


def _tested(tests: list[Any], low: Lowering, inner: Any) -> Block:
    if not tests:
        return inner()
    before, test = low.hoisted(tests[0])
    return (*before, core.If(test, _tested(tests[1:], low, inner), at=low.at(tests[0])))


_KINDS = {**dict.fromkeys(_COLLECTED, _collected), "GeneratorExp": _generator}
