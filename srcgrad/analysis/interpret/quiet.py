"""Whether code that nobody follows changes nothing: methods that Python calls by itself, calls inside of f-strings.

    def __repr__(self): return f"Point({self.x})"           changes nothing: it stays where it is
    def __repr__(self): self.asked += 1; ...                must be followed, or is refused
"""
from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.operations import PURE_METHODS, PURE_STRING_METHODS
from srcgrad.analysis.interpret.operators import class_of, method
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.state import Abstract, Env, reach
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.analysis.values import Closure, Known, members
from srcgrad.errors import SrcgradError
from srcgrad.lang import names, parse
from srcgrad.lang.core import (
    At,
    Attr,
    Bind,
    Call,
    Code,
    Effect,
    Expr,
    For,
    Function,
    If,
    Jump,
    Name,
    Opaque,
    Return,
    Unpack,
    While,
    expressions,
    statements,
    walk,
)
from srcgrad.lang.source import Found, find, is_user_function
from srcgrad.rules.nondifferentiable import is_pure
from srcgrad.rules.registry import has_rule

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

Meaning = Callable[[Any], Any]          # of the node of a name or an attribute: the object, or MISSING

_LOUD = ("Global", "Nonlocal", "Delete", "Yield", "YieldFrom", "Await", "With", "Import", "ImportFrom", "ClassDef")
_BUILTINS = (print, id, isinstance, getattr, hasattr, super, callable)
_METHODS = PURE_METHODS | PURE_STRING_METHODS | {"get", "items", "keys", "values", "index", "__repr__", "__str__"}
TEXT = ("__str__", "__repr__", "__format__")
TRUTH = ("__bool__", "__len__")
KEY = ("__hash__", "__eq__")
EQUAL = ("__eq__",)
ORDER = ("__lt__", "__gt__", "__le__", "__ge__", "__eq__", "__ne__")
SUBSCRIPT = ("__index__", "__hash__", "__eq__")
ANY_OF_THEM = (*TEXT, *TRUTH, *ORDER, *SUBSCRIPT, "__int__", "__float__", "__complex__", "__array__", "__getitem__",
               "__iter__", "__next__", "__contains__")


def check_implied(ev: Evaluator, items: Iterable[Abstract], names: tuple[str, ...], at: At | None) -> None:
    """Refuses objects with such methods, which Python calls here, unless these change nothing."""
    for item in items:
        for kind in members(ev.whole(item)):
            cls = class_of(kind)
            if cls is not None and (name := loud_method(cls, names)) is not None:
                raise Refused(f"Python calls the method `{name}` of a {cls.__name__} here, which changes something",
                              "call it by name, on a line of its own", at)


def check_inside(ev: Evaluator, items: Iterable[Abstract], names: tuple[str, ...], at: At | None) -> None:
    """The same for what these containers hold, too."""
    for cls in dict.fromkeys(s.cls for s in reach(items) if s.kind == "object"):
        if cls is not None and (name := loud_method(cls, names)) is not None:
            raise Refused(f"Python may call the method `{name}` of a {cls.__name__} here, which changes something",
                          "call it by name, on a line of its own", at)


def loud_method(cls: type | None, names: tuple[str, ...]) -> str | None:
    """The first of these methods that changes something, or may do so."""
    return next((name for name in names if (own := method(cls, name)) is not None and not is_quiet(own)), None)


def is_quiet(function: types.FunctionType, around: tuple[Any, ...] = ()) -> bool:
    """Whether a function of the user certainly changes nothing."""
    if function.__code__ in around:
        return True
    try:
        found = find(function)
    except SrcgradError:
        return False
    cells, own = tuple(found.cells.items()), set(function.__code__.co_varnames) | set(function.__code__.co_cellvars)

    def meaning(node: Any) -> Any:
        return MISSING if node.id in own else Outer(node.id, found.globals, cells).value()
    return _quiet_nodes(found.tree, meaning, (*around, function.__code__))


def is_quiet_expression(ev: Evaluator, node: Any, env: Env) -> bool:
    """The same of an expression in this state."""
    def meaning(name: Any) -> Any:
        return _object_in(ev, env, name.id)
    return not any(isinstance(ev.value(env[n]), Closure) for n in parse.names_in(node) if n in env) \
        and _quiet_nodes(node, meaning, ())


def is_quiet_call(ev: Evaluator, call: Call, env: Env) -> bool:
    """The same of a call in this state."""
    return _changes_nothing(_meant(call.func, lambda name: _object_in(ev, env, name.id)), call.func, ())


def is_quiet_generator(found: Found, code: Code) -> bool:
    """Whether a generator, and those like it that it runs over, only give out values."""
    cells = tuple(found.cells.items())
    return is_quiet_code(code, lambda name: Outer(name, found.globals, cells).value(), (found.function.__code__,))


def is_quiet_value(ev: Evaluator, item: Abstract, env: Env) -> bool:
    """Whether calling what the value is certainly changes nothing."""
    value = ev.value(item)
    if isinstance(value, Closure):
        return is_quiet_code(value.function.code, partial(_object_in, ev, env))
    return not isinstance(value, Known) or not callable(value.obj) or _changes_nothing(value.obj, None, ())


def may_change_captured(ev: Evaluator, item: Abstract, env: Env) -> bool:
    """Whether calling the value may change what a function made inside has from around it."""
    value = ev.value(item)
    if not isinstance(value, Closure) or is_quiet_value(ev, item, env):
        return False
    captured = [env[name] for name in value.function.free if name in env]
    return bool(value.function.code.nonlocals) or any(c.refs or isinstance(c.value, Closure) for c in captured)


def _object_in(ev: Evaluator, env: Env, name: str) -> Any:
    item = env[name] if name in env else ev.outer_value(name)
    return item.value.obj if isinstance(item.value, Known) else MISSING


def is_quiet_code(code: Code, means: Callable[[str], Any], around: tuple[Any, ...] = ()) -> bool:
    """The same of a function in core form, whose outer names have such meanings."""
    own = names.bound(code.body) | {p.name for p in code.params}

    def meaning(name: Any) -> Any:
        return MISSING if name.id in own else means(name.id)
    kinds = (Bind, Unpack, If, For, While, Return, Jump, Effect)
    return not code.nonlocals and all(isinstance(stmt, kinds) and all(
        _is_quiet_expr(e, meaning, around) for top in expressions(stmt) for e in walk(top))
        for stmt in statements(code.body))


def _is_quiet_expr(expr: Expr, meaning: Meaning, around: tuple[Any, ...]) -> bool:
    match expr:
        case Call(Attr(_, name), _, _) if any(name == code.co_name for code in around):
            return True
        case Call():
            return _changes_nothing(_meant(expr.func, meaning), expr.func, around)
        case Opaque(node, _):
            return _quiet_nodes(node, meaning, around)
    return not isinstance(expr, Function)


def _meant(func: Expr, meaning: Meaning) -> Any:
    if isinstance(func, Name):
        return meaning(func)
    owner = _meant(func.value, meaning) if isinstance(func, Attr) else MISSING
    return getattr(owner, func.name, MISSING) if isinstance(func, Attr) and isinstance(owner, types.ModuleType) \
        else MISSING


def _quiet_nodes(tree: Any, meaning: Meaning, around: tuple[Any, ...]) -> bool:
    return all(_is_quiet(node, tree, meaning, around) for node in parse.nodes(tree))


def _is_quiet(node: Any, tree: Any, meaning: Meaning, around: tuple[Any, ...]) -> bool:
    match parse.kind(node):
        case what if what in _LOUD:
            return False
        case "Attribute" | "Subscript":
            return parse.kind(node.ctx) == "Load"
        case "AugAssign":
            return parse.kind(node.target) == "Name" and _is_text(node.target.id, tree)
        case "Call":
            return _changes_nothing(_meaning(node.func, meaning), node.func, around)
    return True


def _is_text(name: str, tree: Any) -> bool:
    """Whether the name begins as a constant, so that `+=` binds it anew."""
    bound = [n.value for n in parse.nodes(tree) if parse.kind(n) == "Assign" and any(
        parse.kind(t) == "Name" and t.id == name for t in n.targets)]
    return bool(bound) and all(parse.kind(value) in ("Constant", "JoinedStr") for value in bound)


def _meaning(node: Any, meaning: Meaning) -> Any:
    if parse.kind(node) == "Name":
        return meaning(node)
    owner = _meaning(node.value, meaning) if parse.kind(node) == "Attribute" else MISSING
    return getattr(owner, node.attr, MISSING) if isinstance(owner, types.ModuleType) else MISSING


def _changes_nothing(function: Any, node: Any, around: tuple[Any, ...]) -> bool:
    if function is MISSING:
        name = node.name if isinstance(node, Attr) else getattr(node, "attr", None)
        return name in _METHODS
    if isinstance(function, types.FunctionType) and is_user_function(function):
        return is_quiet(function, around)
    return any(function is known for known in _BUILTINS) or is_pure(function) or _has_rule(function)


def _has_rule(function: Any) -> bool:
    try:
        return has_rule(function)
    except TypeError:                       # unhashable
        return False


__all__ = ["EQUAL", "ANY_OF_THEM", "KEY", "ORDER", "SUBSCRIPT", "TEXT", "TRUTH", "check_implied", "check_inside",
           "is_quiet", "is_quiet_call", "is_quiet_code", "is_quiet_expression", "is_quiet_generator", "is_quiet_value",
           "loud_method", "may_change_captured"]
