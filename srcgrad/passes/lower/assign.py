"""Assignments: `a = b = v`, `a, b = b, a`, `x: float = v`, `u[i] += v`."""
from __future__ import annotations

from typing import Any

from srcgrad.lang import core, names, parse
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.targets import bind


@lowers("Assign")
def assign(node: Any, low: Lowering) -> Statements:
    """Several targets are assigned from left to right; the value is evaluated once."""
    before, value = low.hoisted(node.value)
    at = low.at(node)
    if len(node.targets) == 1:
        return before + bind(node.targets[0], value, low, at)
    first, value, targets = _shared(node.targets, value, low, at)
    return before + first + [stmt for target in targets for stmt in bind(target, value, low, at)]


def _shared(
    targets: list[Any], value: core.Expr, low: Lowering, at: core.At | None,
) -> tuple[Statements, core.Expr, list[Any]]:
    """What gives the value a name, that name, and the targets that are left."""
    inner = [n for t in targets for n in parse.nodes(t)]
    rebound = [n.id for n in inner if parse.kind(n) == "Name" and parse.kind(n.ctx) == "Store"]
    if isinstance(value, core.Const) or (isinstance(value, core.Name) and value.id not in rebound):
        return [], value, targets
    if parse.kind(targets[0]) == "Name" and rebound.count(targets[0].id) == 1:
        name = targets[0].id
        return [core.Bind((name,), (value,), at=at)], core.Name(name, at=value.at), targets[1:]
    first, held = low.temporary(value, "t")
    return [first], held, targets


@lowers("AnnAssign")
def ann_assign(node: Any, low: Lowering) -> Statements:
    """The annotation says nothing that the program computes."""
    if node.value is None:
        return []
    before, value = low.hoisted(node.value)
    return before + bind(node.target, value, low, low.at(node))


@lowers("AugAssign")
def aug_assign(node: Any, low: Lowering) -> Statements:
    """The owner and the index are evaluated once and before the value."""
    before, place = held_place(low.expr(node.target), low)
    operator = parse.OPERATORS[parse.kind(node.op)]
    given = parse.kind(node.value) in ("Yield", "YieldFrom") and isinstance(place, core.Name) \
        and place.id not in low.rebound     # while the function is suspended, nobody binds the name
    first = given or _read_later(place, node, low)
    more, value = low.hoisted(node.value) if first else ([], low.expr(node.value))
    return [*before, *more, core.Store(place, operator, value, at=low.at(node))]


def _read_later(place: core.Expr, node: Any, low: Lowering) -> bool:
    """Whether the place may be read after what the value binds by `:=`, though Python reads it first."""
    inside = list(parse.nodes(node.value))
    bound = {n.target.id for n in inside if parse.kind(n) == "NamedExpr"}
    if bound & core.names_read(place) or any(parse.kind(n) in ("Yield", "YieldFrom") for n in inside):
        return False
    if isinstance(place, core.Name):
        return place.id not in low.rebound
    return not any(parse.kind(n) == "Call" for n in inside)


def held_place(place: core.Expr, low: Lowering) -> tuple[Statements, core.Expr]:
    """The place with what isn't a name or simple arithmetic in it evaluated beforehand.

    `rows[k].u[f(i)] += v` becomes `u = rows[k].u`, `i_1 = f(i)`, `u[i_1] += v`.
    """
    match place:
        case core.Attr(owner, name):
            before, owner = _held(owner, low, _hint(owner))
            return before, core.Attr(owner, name, at=place.at)
        case core.Item(core.Attr(array, "flat") as flat, index):
            # a name for it would hide whose cells are meant
            before, array = _held(array, low, _hint(array))
            more, index = _held_index(index, low)
            return before + more, core.Item(core.Attr(array, "flat", at=flat.at), index, at=place.at)
        case core.Item(owner, index):
            more, index = _held_index(index, low)
            before, owner = _held(owner, low, _hint(owner), _changes(owner, more, low))
            return before + more, core.Item(owner, index, at=place.at)
    return [], place


def _changes(expr: core.Expr, later: Statements, low: Lowering) -> bool:
    """Whether what is evaluated later may bind a name that the expression reads."""
    calls = any(isinstance(e, core.Call) for stmt in later for top in core.expressions(stmt) for e in core.walk(top))
    return calls and not low.rebound.isdisjoint(core.names_read(expr))


def _held(expr: core.Expr, low: Lowering, hint: str, changes: bool = False) -> tuple[Statements, core.Expr]:
    if isinstance(expr, core.Const) or isinstance(expr, core.Name) and not changes:
        return [], expr
    bound, name = low.temporary(expr, hint)
    return [bound], name


def _held_index(index: core.Expr, low: Lowering) -> tuple[Statements, core.Expr]:
    if isinstance(index, (core.Tuple, core.Slice)):
        before: Statements = []
        parts: list[core.Expr] = []
        for part in reversed(core.children(index)):
            held, part = _held(part, low, "k", True) if _changes(part, before, low) else _held_index(part, low)
            before = [*held, *before]
            parts.append(part)
        return before, core.rebuild(index, tuple(reversed(parts)))
    if is_simple(index):
        return [], index
    return _held(index, low, _hint(index) if isinstance(index, (core.Attr, core.Item)) else "k")


def is_simple(expr: core.Expr) -> bool:
    """Names, constants and arithmetic of them: evaluating it twice does no harm."""
    return all(isinstance(e, (core.Name, core.Const, core.Bin, core.Unary)) for e in core.walk(expr))


def _hint(expr: core.Expr) -> str:
    match expr:
        case core.Attr(_, name):
            return name
        case core.Item(core.Name(name), _) | core.Call(core.Name(name), _, _):
            return names.identifier(f"{name}_k")
        case core.Item(owner, _) | core.Call(owner, _, _):
            return _hint(owner)
    return "t"
