"""Functions that are made inside and put into containers, or of which one of several is called.

        fs.append(lambda v: v * k)      ->      fs.append(Lambda(k=k))
        fs[0](x)                        ->      (lambda k, v: v * k)(fs[0].k, x)        which is put in place

An object says which function it is by its class, and has what the function keeps by value: defaults, and variables of
functions that were put in place.  Variables of the function around it are read when it is called, as in Python.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from srcgrad.analysis.interpret.new_classes import NewClasses
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract
from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import Closure, ObjectOf, Value
from srcgrad.lang.core import Attr, Call, Code, Const, Expr, Function, Name, Param, Refuse
from srcgrad.lang.names import free
from srcgrad.runtime.closures import Captured

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

_functions: dict[type, Function] = {}           # class -> what a call of its instances runs


def made(ev: Evaluator, expr: Function) -> Abstract:
    """A function that is kept somewhere becomes an object of a class of its own."""
    return ev.rewrite(expr, lambda parts, make: _object(make, expr))


def _object(make: Make, expr: Function) -> Expr:
    code = expr.code
    kept = make.kept(expr)
    if isinstance(kept, Refuse):
        make.add(kept)
        return Const(None)
    fields: dict[str, Expr] = {name: Name(name) for name in kept}
    for param in code.params:
        if param.default is not None and not isinstance(param.default, Const):
            fields[_default(param)] = param.default
    plain = code.name.strip("<>").rstrip("_").title().replace("_", "") or "Lambda"
    cls = type(plain, (Captured,), {"__doc__": None})
    _functions[cls] = expr
    _kept[cls] = tuple(kept)
    return Call(make.outside(plain, cls), (), tuple(fields.items()), at=expr.at)


_kept: dict[type, tuple[str, ...]] = {}


def function_of(value: Value) -> Closure | None:
    """The function that a value is: one that is made inside, or the object that keeps one."""
    if isinstance(value, ObjectOf) and value.cls in _functions:
        return Closure(_functions[value.cls])
    return value if isinstance(value, Closure) else None


def read_later(code: Code, outer: Callable[[str], Outer | None], made: NewClasses) -> frozenset[str]:
    """The names that functions which the code keeps somewhere, and methods, read when they are called."""
    if not (_functions or made.classes):
        return frozenset()
    found = [outer(name) for name in free(code)]
    classes = [value for one in found if one is not None and isinstance(value := one.value(), type)]
    # what a function of its own is given (`passes.lifting`), for methods that it calls
    given = frozenset(p.name for p in code.params if p.kind == "positional")
    return made.read_by(*classes) | (given if made.classes else frozenset()) \
        | frozenset(name for cls in classes if cls in _functions for name in _functions[cls].free)


def _default(param: Param) -> str:
    return f"{param.name}_default"


def call(ev: Evaluator, expr: Call, cls: type) -> Abstract:
    """A call of such an object: of its function, with what it keeps as further arguments."""
    function, kept = _functions[cls], _kept[cls]

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        f = make.bind(parts[0], "f")
        params = tuple(replace(p, default=Attr(f, _default(p))) if p.default is not None
                       and not isinstance(p.default, Const) else p for p in function.code.params)
        more = tuple(Param(name, "positional") for name in kept)
        params = tuple(replace(p, kind="normal") if p.kind == "positional" and not more else p for p in params)
        code = replace(function.code, params=(*more, *params))
        n = 1 + len(expr.args)
        kwargs = tuple((k, v) for (k, _), v in zip(expr.kwargs, parts[n:]))
        args = (*(Attr(f, name) for name in kept), *parts[1:n])
        return Call(Function(code, free(code), at=expr.at), args, kwargs, at=expr.at)
    ev.rewrite(expr, build)
    return NOT_YET
