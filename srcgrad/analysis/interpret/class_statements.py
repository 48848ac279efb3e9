"""Class statements inside of a function, and what decorates classes and methods: done once, by the compiler.

        new_class("Spring", (Base,), ..., energy=Spring_energy)     ->      the class
        property(Spring_area)                                       ->      the property
"""
from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import types
import typing
from collections import namedtuple
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.new_classes import Made, classes_in
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env
from srcgrad.analysis.values import PENDING, Closure, Known, ObjectOf, TupleOf
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Code,
    Const,
    Dict,
    Expr,
    Function,
    Item,
    List,
    Name,
    Refuse,
    Store,
    Tuple,
    Unary,
    replace,
    statements,
)
from srcgrad.lang.names import bound
from srcgrad.lang.source import is_user_function
from srcgrad.runtime.classes import ClassVariable, made_anew, made_in, new_class

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.calls import Calls
    from srcgrad.analysis.interpret.expressions import Evaluator

# What makes classes, and what they hold, of what is known.
_MAKERS_OF_PARTS: frozenset[Any] = frozenset((
    property, staticmethod, classmethod, functools.cached_property, abc.abstractmethod, dataclasses.field, enum.auto,
    typing.TypeVar, namedtuple))
MAKERS: frozenset[Any] = _MAKERS_OF_PARTS | frozenset((
    dataclasses.dataclass, functools.total_ordering, enum.unique, typing.runtime_checkable, typing.final))
_TYPING = ("typing", "typing_extensions", "types")
_METACLASSES = ("builtins", "abc", "enum", "typing", "typing_extensions")
_UNSET = object()


# ---------------------------------------------------------------- making classes

def functions_of_classes(code: Code) -> set[Any]:
    """The functions made inside that classes made inside hold."""
    binds = [stmt for stmt in statements(code.body) if isinstance(stmt, Bind)]
    held = {value.id for stmt in binds for call in stmt.values if isinstance(call, Call)
            and isinstance(call.func, Attr) and call.func.name == new_class.__name__
            for _, value in call.kwargs if isinstance(value, Name)}
    return {value for stmt in binds for name, value in zip(stmt.names, stmt.values)
            if name in held and isinstance(value, Function)} if held else set()


def new(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """new_class("Spring", (Base,), keywords, annotations, variables, energy=Spring_energy)"""
    made = ev.new_classes
    name, bases, keywords, annotations, variables = (_static(ev, arg, item, env) for arg, item in zip(expr.args, args))
    if any(part is NOT_YET for part in (bases, keywords)):
        return NOT_YET
    if _UNSET in (bases, keywords):
        raise Refused("it isn't known what this class inherits from", "name the classes", expr.at)
    _check_bases(bases, keywords, expr)
    members: dict[str, Any] = {}
    for key, value in expr.kwargs:
        assert key is not None and isinstance(value, Name)
        item = kwargs[key]
        if item.value == PENDING:
            return NOT_YET
        known = _static(ev, value, item, env)
        if known is _UNSET or key in variables:
            _check_data(ev, item, key, expr)
            known = ClassVariable(value.id)
        elif not isinstance(known, Function) and is_user_function(getattr(type(known), "__set_name__", None)):
            raise Refused(f"what `{type(known).__name__}` does in a class that is made inside isn't followed",
                          "define the class outside", expr.at)
        members[key] = known

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        held = {key: make.function(v) if isinstance(v, Function) else v for key, v in members.items()}
        try:
            cls = made_in(_module(ev), name, bases, keywords, annotations, held)
        except Exception as error:
            make.add(Refuse(f"this class can't be made: {error}", "correct it", at=expr.at))
            return Const(None)
        functions = [code for part in held.values() for code in _codes(part) if code in made.functions]
        read = made.read_by(*cls.__mro__).union(*(made.functions[code].read for code in functions),
                                                (v.name for part in held.values() for v in _variables(part)))
        if read:
            read = read.union(*(made.functions[code].classes for code in functions))
        made.classes[cls] = Made(ev.in_play.function, read)
        own = {name: v.name for base in cls.__mro__ for name, v in vars(base).items() if isinstance(v, ClassVariable)}
        for code in functions if read else ():
            made.methods[code] = _as_method(made.functions[code].function, read, own)
        known = make.outside(name, cls)
        return Call(make.outside("made_anew", made_anew), (known,), at=expr.at) if in_loop else known
    in_loop = bool(ev.loops)
    return ev.rewrite(expr, build)


def again(calls: Calls, ev: Evaluator, expr: Call, args: list[Abstract], kwargs: dict, env: Env) -> Abstract | None:
    """A class statement in a loop: what its methods read means another thing in each iteration."""
    known, made = args[0].value, ev.new_classes
    if isinstance(known, Known) and isinstance(known.obj, type) \
            and any(known.obj in cls.__mro__ for cls in classes_in(env.values())):
        if made.read_by(known.obj) & bound(ev.loops):
            raise Refused(f"objects of `{known.obj.__name__}`, which each iteration makes anew, outlive the "
                          "iteration, and its methods read what changes",
                          "define the class before the loop, and keep what its methods read in the object", expr.at)
        made.several.add(known.obj)
    return args[0]


def _module(ev: Evaluator) -> str:
    """The name of the module in which the function stands."""
    outer = ev.outer("__name__")
    return "__main__" if outer is None else str(outer.value())


def _as_method(function: Function, read: frozenset[str], own: dict[str, str]) -> Function:
    """The function as one that is made inside, which gets all that its class reads, and binds what it sets of it."""
    stored = {stmt.place.name for stmt in statements(function.code.body)
              if isinstance(stmt, Store) and isinstance(stmt.place, Attr)}
    sets = function.code.nonlocals | {own[name] for name in stored & own.keys()}
    return Function(replace(function.code, nonlocals=sets), tuple(dict.fromkeys((*function.free, *sorted(read)))),
                    at=function.at)


def _check_bases(bases: tuple[Any, ...], keywords: dict[str, Any], expr: Expr) -> None:
    """No code of the user's runs when a class is made."""
    for base in types.resolve_bases(bases):
        if is_user_function(getattr(base, "__init_subclass__", None)):
            raise Refused(f"`{base.__name__}.__init_subclass__` is called for a class that is made inside, which isn't "
                          "followed", "define the class outside", expr.at)
    for cls in (*map(type, types.resolve_bases(bases)), keywords.get("metaclass", type)):
        if getattr(cls, "__module__", "").partition(".")[0] not in _METACLASSES:
            raise Refused("a class that is made inside has a metaclass of your own, which isn't followed",
                          "define the class outside", expr.at)


def _check_data(ev: Evaluator, item: Abstract, name: str, expr: Expr) -> None:
    value = ev.value(item)
    if isinstance(value, ObjectOf) and (hasattr(value.cls, "__get__") or hasattr(value.cls, "__set_name__")):
        raise Refused(f"`{name}` is an object that says what reading the attribute does, which isn't followed in a "
                      "class that is made inside", "make it a property", expr.at)


def _codes(part: Any) -> list[types.CodeType]:
    """The code of the functions that a member of a class holds."""
    match part:
        case types.FunctionType():
            return [part.__code__]
        case staticmethod() | classmethod():
            return _codes(part.__func__)
        case property():
            return [code for f in (part.fget, part.fset, part.fdel) for code in _codes(f)]
        case functools.cached_property():
            return _codes(part.func)
        case dataclasses.Field():
            return _codes(part.default_factory)
    return []


def _variables(part: Any) -> list[ClassVariable]:
    if isinstance(part, dataclasses.Field):
        part = part.default
    return [part] if isinstance(part, ClassVariable) else []


# ---------------------------------------------------------------- what classes hold

def is_maker(function: Any) -> bool:
    """Whether it makes a class, or a part of one, of other things that are known."""
    if isinstance(getattr(function, "__self__", None), property):
        return True
    if isinstance(function, types.FunctionType) and function.__module__ == dataclasses.__name__ \
            and function.__qualname__.startswith("dataclass.<locals>"):         # what `dataclass(frozen=True)` gives
        return True
    try:
        return function in MAKERS
    except TypeError:
        return False


def of_maker(ev: Evaluator, expr: Call, function: Any, args: list[Abstract], kwargs: dict[str, Abstract],
             env: Env) -> Abstract | None:
    """property(Spring_area)   ->   the property"""
    if len(args) != len(expr.args) or len(kwargs) != len(expr.kwargs) or "**" in kwargs:
        return None
    items = [*args, *kwargs.values()]
    exprs = [*expr.args, *(value for _, value in expr.kwargs)]
    parts = [_static(ev, e, item, env) for e, item in zip(exprs, items)]
    if any(part is NOT_YET for part in parts):
        return NOT_YET
    if function is not dataclasses.field and any(part is _UNSET for part in parts):
        return None
    if _decorates_classes(function) and any(isinstance(p, type) and p not in ev.new_classes.classes for p in parts):
        return None                         # a class from outside stays what it is
    return _made_of(ev, expr, function, parts)


def _decorates_classes(function: Any) -> bool:
    return function not in _MAKERS_OF_PARTS


def _made_of(ev: Evaluator, expr: Call, function: Any, parts: list[Any]) -> Abstract:
    n = len(expr.args)

    def build(exprs: tuple[Expr, ...], make: Make) -> Expr:
        held = [make.function(part) if isinstance(part, Function) else
                ClassVariable(make.bind(e).id) if part is _UNSET else part for part, e in zip(parts, exprs[1:])]
        try:
            made = function(*held[:n], **{k: v for (k, _), v in zip(expr.kwargs, held[n:]) if k is not None})
        except Exception as error:
            make.add(Refuse(f"this can't be made: {error}", "correct it", at=expr.at))
            return Const(None)
        if isinstance(made, type) and made.__module__ == __name__:
            made.__module__ = _module(ev)
        known = [ev.new_classes.classes[part] for part in parts if isinstance(part, type)
                 and part in ev.new_classes.classes]
        if isinstance(made, type) and made not in ev.new_classes.classes:
            ev.new_classes.classes[made] = known[0] if known else Made(ev.in_play.function)
        ev.new_classes.parts[id(made)] = made
        hint = getattr(made, "__name__", None) or getattr(function, "__name__", "made")
        return make.outside(hint if isinstance(hint, str) and hint.isidentifier() else "made", made)
    return ev.rewrite(expr, build)


def _static(ev: Evaluator, expr: Expr, item: Abstract, env: Env) -> Any:
    """The object that an expression certainly means (of a function made inside, what it is made of)."""
    value = item.value
    if value == PENDING:
        return NOT_YET
    match value:
        case Known(obj):
            return obj
        case Closure(function):
            return function
        case TupleOf(_, cls) if cls is tuple and item.items is not None and isinstance(expr, (Tuple, Name)):
            exprs = expr.items if isinstance(expr, Tuple) else [Const(None)] * len(item.items)
            found = [_static(ev, e, part, env) for e, part in zip(exprs, item.items)]
            return next((f for f in found if f is _UNSET or f is NOT_YET), tuple(found))
    match expr:
        case Name(id) if id not in env:
            outer = ev.outer(id)
            obj = None if outer is None else outer.value()
            if outer is not None and type(obj).__module__ in _TYPING:
                ev.guards[("identity", outer)] = outer.guard_identity()
                return obj
        case List(items):
            parts = [_static(ev, e, ev(e, env), env) for e in items]
            return next((f for f in parts if f is _UNSET or f is NOT_YET), parts)
        case Dict(keys, values) if all(isinstance(k, Const) for k in keys):
            parts = [_static(ev, e, ev(e, env), env) for e in values]
            return next((f for f in parts if f is _UNSET or f is NOT_YET),
                        {k.value: v for k, v in zip(keys, parts) if isinstance(k, Const)})
        case Unary("-", operand):
            known = _static(ev, operand, ev(operand, env), env)
            return -known if isinstance(known, (int, float, complex)) else _UNSET
        case Item(owner, index):
            of, at = (_static(ev, e, ev(e, env), env) for e in (owner, index))
            generic = isinstance(of, (type, typing._SpecialForm)) or hasattr(of, "__origin__")
            if generic and at is not _UNSET and at is not NOT_YET:
                return of[at]
    return _UNSET
