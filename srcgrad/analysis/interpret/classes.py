"""`super()`, and the methods that it finds."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.analysis.values import Known, ObjectOf, Super
from srcgrad.lang.core import Attr, Call, Const, Expr, rebuild

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls
    from srcgrad.analysis.interpret.expressions import Evaluator


def super_call(calls: Calls, ev: Evaluator, expr: Call, func: Attr, owner: Abstract, env: Env) -> Abstract:
    """super(Layer, self).forward(x)   ->   the method of the next class, called with self"""
    found, instance = _found(ev, func, owner)
    if found is object.__init__:
        return ev.rewrite(expr, lambda parts, make: Const(None))
    args, kwargs = calls.arguments(ev, expr, env, inlined=True)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(func.value, Call)
        call = rebuild(expr, parts)
        assert isinstance(call, Call)
        first = () if isinstance(found, staticmethod) else (func.value.args[1],)
        plain = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        return Call(make.outside(func.name, plain), (*first, *call.args), call.kwargs, at=expr.at)
    return ev.rewrite(expr, build, *instance, *args, *kwargs.values())


def super_attribute(ev: Evaluator, expr: Attr, owner: Abstract) -> Abstract:
    """super(Shape, self).area, of a property"""
    found, instance = _found(ev, expr, owner)
    if not isinstance(found, property):
        raise Refused("a method of `super()` that isn't called at once isn't supported", "call it", expr.at)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        assert isinstance(expr.value, Call)
        return Call(make.outside(expr.name, found.fget), (expr.value.args[1],), at=expr.at)
    return ev.rewrite(expr, build, *instance)


def _found(ev: Evaluator, attr: Attr, owner: Abstract) -> tuple[Any, tuple[Abstract, ...]]:
    assert isinstance(owner.value, Super) and owner.items is not None
    (instance,) = owner.items
    value = ev.value(instance)
    cls: Any = value.cls if isinstance(value, ObjectOf) else value.obj if isinstance(value, Known) else None
    after = owner.value.cls
    if not isinstance(cls, type) or after not in cls.__mro__:
        raise Refused("it isn't known which class `super()` means here", "call the method of the class by name",
                      attr.at)
    for base in cls.__mro__[cls.__mro__.index(after) + 1:]:
        if attr.name in base.__dict__:
            return base.__dict__[attr.name], (instance,)
    raise Refused(f"`super()` has no attribute `{attr.name}`", "check the name", attr.at)


__all__ = ["super_call", "super_attribute"]
