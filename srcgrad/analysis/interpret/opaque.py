"""Python that the core form has no expression for: f-strings, sets, comprehensions.

They stay as the user wrote them as long as nothing in them changes anything.  Else they are spelled out:

        f"{a[0]:.2f} {f(a)}"    ->      "".join((format(a[0], ".2f"), " ", format(f(a))))
        {f(a), 1}               ->      set((f(a), 1))
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import comprehension, quiet, texts
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOTHING, Abstract, Env
from srcgrad.analysis.interpret.unfollowed import unfollowed
from srcgrad.lang import parse
from srcgrad.lang.core import At, Attr, Call, Const, Expr, Opaque, Tuple

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def given(ev: Evaluator, expr: Opaque, env: Env) -> Abstract:
    """What such an expression gives."""
    what = parse.kind(expr.node)
    if what in comprehension.KINDS:
        known = comprehension.given(ev, expr, env)
        if known is not None:
            return known
    if what != "ListComp" and what != "DictComp" and not quiet.is_quiet_expression(ev, expr.node, env):
        if what in comprehension.KINDS:
            return comprehension.noted(ev, expr)
        if what in _SPELLED:
            return ev.rewrite(expr, lambda parts, make: _SPELLED[what](expr.node, expr.at, make))
    if what == "JoinedStr":
        quiet.check_inside(ev, [env[n] for n in expr.reads if n in env], quiet.TEXT, expr.at)
    active = [n for n in expr.reads if n in env and env[n].active]
    if active and what != "JoinedStr":
        raise Refused(f"this expression isn't supported for `{active[0]}`, which is differentiated",
                      "write it as a loop", expr.at)
    if active:
        ev.heap.note_text(ev.loops)
        return NOTHING
    if (ev.site, id(expr)) in ev.heap.wanted:
        return comprehension.noted(ev, expr)
    texts.check_comprehension(ev, expr, env)
    ev.heap.foreign = True
    item = unfollowed(ev, expr, [env[n] for n in expr.reads if n in env])
    if what in ("ListComp", "DictComp"):
        ev.storage(expr, "array").unfollowed = ev.site, id(expr)
    return item


def _joined(node: Any, at: At | None, make: Make) -> Expr:
    parts = tuple(_part(value, at, make) for value in node.values)
    if len(parts) == 1:
        return parts[0]
    return Call(Attr(Const(""), "join", at=at), (Tuple(parts, at=at),), at=at)


def _part(node: Any, at: At | None, make: Make) -> Expr:
    assert at is not None
    if parse.kind(node) != "FormattedValue":
        return parse.expression(node, at.file)
    value = parse.expression(node.value, at.file)
    function = _CONVERSIONS.get(node.conversion)
    if function is not None:
        value = Call(make.outside(function.__name__, function), (value,), at=at)
        if node.format_spec is None:
            return value
    layout = () if node.format_spec is None else (_joined(node.format_spec, at, make),)
    return Call(make.outside("format", format), (value, *layout), at=at)


def _set(node: Any, at: At | None, make: Make) -> Expr:
    assert at is not None
    items = tuple(parse.expression(e, at.file) for e in node.elts)
    return Call(make.outside("set", set), (Tuple(items, at=at),), at=at)


_SPELLED: dict[str, Callable[[Any, At | None, Make], Expr]] = {"JoinedStr": _joined, "Set": _set}
