"""Attributes of objects: fields, properties, methods, and what their class has."""
from __future__ import annotations

import dis
import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import containers, narrowing, new_classes, settable
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, Slot
from srcgrad.analysis.scope import guard_attribute
from srcgrad.analysis.values import Known, ObjectOf, OneOf, Value
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Cond,
    Const,
    Dict,
    Expr,
    Function,
    If,
    Name,
    Param,
    Return,
    Star,
    Store,
    Unary,
    names_read,
    substitute,
    walk,
)
from srcgrad.lang.parse import LAMBDA
from srcgrad.runtime.classes import ClassVariable
from srcgrad.runtime.containers import has_field

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

Keywords = tuple[tuple[str | None, Expr], ...]


def attribute(ev: Evaluator, expr: Attr, owner: Abstract, cls: type, env: Env) -> Abstract:
    """`owner.name`, where the owner is an object of this class."""
    name = expr.name
    found = inspect.getattr_static(cls, name, None)
    code = isinstance(found, (property, types.FunctionType, functools.cached_property))
    if code and owner.partial and (wait := narrowing.unsure(ev, expr, 0, owner)) is not None:
        return wait
    if isinstance(found, property):
        return _property(ev, expr, owner, cls, found)
    held = containers.read(ev, owner, name, env)
    if isinstance(found, functools.cached_property):
        return _cached(ev, expr, owner, found, held, env)
    refuse_descriptor(found, cls, expr)
    of_class = isinstance(found, (types.FunctionType, classmethod, staticmethod))
    if held is not None:
        if found is None or hasattr(type(found), "__get__") and not of_class or all(
                containers.surely(ref.storage, name, env) or not ref.storage.shrinks and _is_set_first(cls, name)
                for ref in owner.refs):
            return held
        if isinstance(found, ClassVariable):
            return _or_of_class(ev, expr, owner, found)
        if of_class:
            raise Refused(f"`{name}` may be a function of the object's own here, or that of a {cls.__name__}",
                          f"set it in any case, first thing in `{cls.__name__}.__init__`", expr.at)
        return ev.heap.join(held, ev.class_attribute(cls, name))        # as long as the object has no such field
    if name == "__class__":
        return Abstract(Known(cls))
    if settable.may_be_set(ev, owner, name):
        return NOT_YET
    if of_class:
        return _method(ev, expr, owner, cls, found)
    if isinstance(found, ClassVariable):
        return new_classes.variable(ev, expr, found, env)
    if new_classes.is_constant(ev, cls, name, found):
        return ev.rewrite(expr, lambda parts, make: Const(found, at=expr.at))
    if found is not None and not hasattr(type(found), "__get__"):
        return ev.class_attribute(cls, name)
    if method_of(cls, "__getattr__") is not None:
        return ev.rewrite(expr, lambda parts, make: Call(Attr(parts[0], "__getattr__"), (Const(name),)), owner)
    raise Refused(f"the attribute `{name}` of a {cls.__name__} isn't supported yet",
                  "pass what it holds as an argument", expr.at)


def _or_of_class(ev: Evaluator, expr: Attr, owner: Abstract, found: ClassVariable) -> Abstract:
    """The object's own field where it has one."""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        place = Attr(make.bind(parts[0]), expr.name, at=expr.at)
        there = Call(make.outside("has_field", has_field), (place.value, Const(expr.name)))
        return Cond(there, place, Name(found.name, at=expr.at), at=expr.at)
    return ev.rewrite(expr, build, owner)


def refuse_descriptor(found: Any, cls: type, at: Expr) -> None:
    """A class may have an object under a name that says what reading and setting the attribute does."""
    if hasattr(type(found), "__set__") and not isinstance(
            found, (property, types.MemberDescriptorType, types.GetSetDescriptorType)):
        raise Refused(f"what `{type(found).__name__}` does with an attribute of a {cls.__name__} isn't followed",
                      "make the attribute a property", at.at)


def _is_set_first(cls: type, name: str) -> bool:
    """Whether making an instance sets the field in any case: a data class has it, or `__init__` begins with it."""
    if name in getattr(cls, "__dataclass_fields__", ()):
        return True
    inits = [init for c in cls.__mro__ if isinstance(init := vars(c).get("__init__"), types.FunctionType)]
    for init in inits:
        for step in dis.get_instructions(init):
            if step.opname == "STORE_ATTR" and step.argval == name:
                return True
            if "JUMP" in step.opname or step.opname in ("FOR_ITER", "RETURN_VALUE"):
                break
        if "__init__" not in init.__code__.co_names:        # it leaves out what the others set
            return False
    return False


def of_several(ev: Evaluator, expr: Attr, owner: Abstract, value: OneOf, env: Env) -> Abstract:
    """An attribute of what is an object of one of several classes: a field that they all have, or each by itself."""
    objects = [m.cls for m in value.kinds if isinstance(m, ObjectOf)]
    has = [m for m in value.kinds if isinstance(m, ObjectOf) and not isinstance(
        inspect.getattr_static(m.cls, expr.name, None), (property, types.FunctionType))
        and containers.read(ev, narrowing.restricted(owner, [m]), expr.name, env) is not None]
    if len(has) == len(objects) == len(value.kinds):
        found = containers.read(ev, owner, expr.name, env)
        assert found is not None
        return found
    split = narrowing.by_kind(ev, expr, 0, owner)
    if split is None:
        raise Refused(f"it isn't known what has the attribute `{expr.name}` here", "test the class first", expr.at)
    return split


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


def _cached(ev: Evaluator, expr: Attr, owner: Abstract, found: functools.cached_property, held: Abstract | None,
            env: Env) -> Abstract:
    """A cached property is computed when it is read first, and a field from then on."""
    name = expr.name
    if held is not None and all(containers.surely(ref.storage, name, env) for ref in owner.refs):
        return held
    if not all(ref.storage.single for ref in owner.refs):
        raise Refused(f"the cached property `{name}` isn't supported on one of several objects", "make it a method",
                      expr.at)

    for ref in owner.refs:
        env[Slot(ref.storage, name)] = NOT_YET        # who reads it again does so when it is there

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        place = Attr(make.bind(parts[0]), name, at=expr.at)
        compute = Store(place, None, Call(make.outside(name, found.func), (place.value,), at=expr.at), at=expr.at)
        there = Call(make.outside("has_field", has_field), (place.value, Const(name)))
        make.add(compute if held is None else If(Unary("not", there), (compute,), at=expr.at))
        return place
    return ev.rewrite(expr, build)


def _method(ev: Evaluator, expr: Attr, owner: Abstract, cls: type, found: Any) -> Abstract:
    """A method that isn't called at once: a function that remembers its object."""
    if isinstance(found, (classmethod, staticmethod)):
        return Abstract(Known(guard_class(ev, cls, expr.name)))
    guard_class(ev, cls, expr.name)
    return bound_method(ev, expr, owner)


def bound_method(ev: Evaluator, expr: Attr, owner: Abstract) -> Abstract:
    """owner.name   ->   lambda *args, **kwargs: owner.name(*args, **kwargs), of the owner at this time"""
    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        return forwarding(Attr(kept(make, parts[0]), expr.name, at=expr.at), (), {}, expr.at)
    return ev.rewrite(expr, build, owner)


def kept(make: Make, value: Expr) -> Name:
    """A name of its own for a value, also for what a name means now."""
    name = make.name(value.id if isinstance(value, Name) else "held")
    make.add(Bind((name,), (value,), at=value.at))
    return Name(name, at=value.at)


def forwarding(func: Expr, args: tuple[Expr, ...], named: dict[str, Expr], at: Any) -> Function:
    """lambda *args_, **kwargs_: func(*args, *args_, **named, **kwargs_); the names in it are kept as defaults."""
    more: Expr = Name("kwargs")
    if named:
        more = Dict((*map(Const, named), None), (*named.values(), more))
    call = Call(func, (*args, Star(Name("args"))), ((None, more),), at=at)
    own = dict.fromkeys(e.id for part in (func, *args, *named.values()) for e in walk(part) if isinstance(e, Name))
    params = (Param("args", "varargs"), *(Param(name, "keyword", Name(name)) for name in own),
              Param("kwargs", "varkw"))
    return Function(Code(LAMBDA, params, (Return(call, at=at),), at), tuple(own), at=at)


def forwarded(function: Function, args: tuple[Expr, ...], kwargs: Keywords, at: Any) -> Call | None:
    """What a call of a function that only forwards its arguments calls itself."""
    code = function.code
    kinds = [p.kind for p in code.params]
    if not kinds or kinds != ["varargs", *["keyword"] * (len(kinds) - 2), "varkw"] or len(code.body) != 1:
        return None
    first, *held, last = code.params
    match code.body[0]:
        case Return(Call(func, (*own, Star(Name(spread))), ((None, more),))) if spread == first.name:
            named: Keywords = ()
            if isinstance(more, Dict) and more.keys[-1:] == (None,) \
                    and all(isinstance(k, Const) for k in more.keys[:-1]):
                named = tuple((k.value, v) for k, v in zip(more.keys[:-1], more.values) if isinstance(k, Const))
                more = more.values[-1]
            parts = (func, *own, *(v for _, v in named))
            if more != Name(last.name) or any(names_read(e) & {first.name, last.name} for e in parts):
                return None
            values = {p.name: p.default for p in held if p.default is not None}
            func, *rest = (substitute(e, values) for e in parts)
            given = tuple(zip((k for k, _ in named), rest[len(own):]))
            return Call(func, (*rest[:len(own)], *args), (*given, *kwargs), at=at)
    return None


def assigns(ev: Evaluator, cls: type, name: str) -> str | None:
    """How `owner.name = v` is done by code of the class: by a property, by `__setattr__`, or (None) it isn't."""
    if method_of(cls, "__setattr__") is not None:
        return "__setattr__"
    found = inspect.getattr_static(cls, name, None)
    return "property" if isinstance(found, property) else None


def kind_of(value: Value) -> type | None:
    return value.cls if isinstance(value, ObjectOf) else None
