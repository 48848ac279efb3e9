"""Attributes of objects: fields, properties, methods, and what their class has."""
from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.state import Abstract, Env, Slot
from srcgrad.analysis.scope import guard_attribute
from srcgrad.analysis.values import Known, ObjectOf, Value
from srcgrad.lang.core import Attr, Call, Code, Const, Expr, Function, Name, Param, Return, Star
from srcgrad.lang.parse import LAMBDA

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator


def attribute(ev: Evaluator, expr: Attr, owner: Abstract, cls: type, env: Env) -> Abstract:
    """`owner.name`, where the owner is an object of this class."""
    name = expr.name
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property):
        return _property(ev, expr, owner, cls, found)
    held = containers.read(ev, owner, name, env)
    if isinstance(found, functools.cached_property):
        return _cached(ev, expr, owner, held, env)
    if held is not None:
        return held
    if name == "__class__":
        return Abstract(Known(cls))
    if isinstance(found, (types.FunctionType, classmethod, staticmethod)):
        return _method(ev, expr, owner, cls, found)
    if found is not None and not hasattr(type(found), "__get__"):
        return ev.class_attribute(cls, name)
    if method_of(cls, "__getattr__") is not None:
        return ev.rewrite(expr, lambda parts, make: Call(Attr(parts[0], "__getattr__"), (Const(name),)), owner)
    raise Refused(f"the attribute `{name}` of a {cls.__name__} isn't supported yet",
                  "pass what it holds as an argument", expr.at)


def method_of(cls: type, name: str) -> Any:
    """What the class (or one that it inherits from) has under this name, unless it is `object`."""
    found = inspect.getattr_static(cls, name, None)
    return found if isinstance(found, types.FunctionType) else None


def guard_class(ev: Evaluator, cls: type, name: str) -> Any:
    """What the class has under this name, which a guard watches."""
    found = getattr(cls, name, None)
    if found is not None:
        ev.guards[("attribute", id(cls), name)] = guard_attribute(cls, name, Known(found))
    return found


def _property(ev: Evaluator, expr: Attr, owner: Abstract, cls: type, found: property) -> Abstract:
    """p.area   ->   area(p), which is put in place"""
    guard_class(ev, cls, expr.name)
    return ev.rewrite(expr, lambda parts, make: Call(make.outside(expr.name, found.fget), (parts[0],)), owner)


def _cached(ev: Evaluator, expr: Attr, owner: Abstract, held: Abstract | None, env: Env) -> Abstract:
    """A cached property is computed when it is read first, and a field from then on."""
    known = all(ref.storage.single and Slot(ref.storage, expr.name) in env for ref in owner.refs)
    if known or held is not None and all(ref.storage.has(expr.name) for ref in owner.refs):
        assert held is not None
        return held
    raise Refused(f"the cached property `{expr.name}` isn't supported yet where it is differentiated",
                  "make it a method", expr.at)


def _method(ev: Evaluator, expr: Attr, owner: Abstract, cls: type, found: Any) -> Abstract:
    """A method that isn't called at once: a function that remembers its object."""
    if isinstance(found, (classmethod, staticmethod)):
        return Abstract(Known(guard_class(ev, cls, expr.name)))
    guard_class(ev, cls, expr.name)
    return ev.rewrite(expr, lambda parts, make: bound_method(make.bind(parts[0]), expr.name), owner)


def bound_method(owner: Name, name: str) -> Expr:
    """lambda *args, **kwargs: owner.name(*args, **kwargs)"""
    call = Call(Attr(owner, name), (Star(Name("args")),), ((None, Name("kwargs")),))
    params = (Param("args", "varargs"), Param("kwargs", "varkw"))
    return Function(Code(LAMBDA, params, (Return(call),)), (owner.id,))


def assigns(ev: Evaluator, cls: type, name: str) -> str | None:
    """How `owner.name = v` is done by code of the class: by a property, by `__setattr__`, or (None) it isn't."""
    if method_of(cls, "__setattr__") is not None:
        return "__setattr__"
    found = inspect.getattr_static(cls, name, None)
    return "property" if isinstance(found, property) else None


def kind_of(value: Value) -> type | None:
    return value.cls if isinstance(value, ObjectOf) else None
