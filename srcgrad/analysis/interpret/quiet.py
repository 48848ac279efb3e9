"""Whether code that nobody follows changes nothing: methods that Python calls by itself, calls inside of f-strings.

    def __repr__(self): return f"Point({self.x})"           changes nothing: it stays where it is
    def __repr__(self): self.asked += 1; ...                must be followed, or is refused
"""
from __future__ import annotations

import copy
import functools
import math
import types
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

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
    Bin,
    Bind,
    Call,
    Code,
    Compare,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    Function,
    If,
    Jump,
    List,
    Name,
    Opaque,
    Return,
    Statement,
    Store,
    Unary,
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
# What a name may be bound to: something that others have, too; a new thing, which may hold such; or new all through.
OLD, NEW, ALL_NEW = range(3)
_MAKERS_OF_NUMBERS = (np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like,
                      np.arange, np.linspace, np.eye, np.copy, float, int, complex, str, len)
_MAKERS = (list, dict, set, tuple, sorted, copy.copy, np.array, sum, abs)
_NEW_NODES = ("BinOp", "UnaryOp", "Compare", "List", "Dict", "Set", "ListComp", "DictComp", "SetComp")
_CHANGERS = ("append", "extend", "insert", "pop", "clear", "reverse", "sort", "update", "setdefault", "add", "fill")
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
    return _quiet_nodes(found.tree, meaning, (*around, function.__code__), _how_new(found.tree, meaning))


def is_quiet_expression(ev: Evaluator, node: Any, env: Env) -> bool:
    """The same of an expression in this state."""
    def meaning(name: Any) -> Any:
        return _object_in(ev, env, name.id)
    return not any(isinstance(ev.value(env[n]), Closure) for n in parse.names_in(node) if n in env) \
        and _quiet_nodes(node, meaning, (), {})


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


def is_loud_function(ev: Evaluator, item: Abstract, env: Env) -> bool:
    """Whether the value is a function of the user, and calling it may change what it is given, or what is around it."""
    value = ev.value(item)
    if isinstance(value, Closure):
        captured = [env[name] for name in value.function.free if name in env]
        around = bool(value.function.code.nonlocals) or any(c.refs or isinstance(c.value, Closure) for c in captured)
        means = partial(_object_in, ev, env)
        return not is_quiet_code(value.function.code, means) \
            and (around or not _changes_new_things(value.function.code, means))
    function = value.obj if isinstance(value, Known) else None
    while isinstance(function, (types.MethodType, functools.partial)):
        function = function.__func__ if isinstance(function, types.MethodType) else function.func
    if isinstance(function, types.FunctionType):
        return is_user_function(function) and not is_quiet(function)
    return any(loud_method(class_of(kind), ("__call__",)) is not None for kind in members(value))


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


def _changes_new_things(code: Code, means: Callable[[str], Any]) -> bool:
    """Whether all that a function in core form changes is what it has made itself."""
    bound = {n for stmt in statements(code.body) for n in names.bound_by(stmt)} | {p.name for p in code.params}
    ways: dict[str, list[Expr | None]] = {p.name: [None] for p in code.params}
    for stmt in statements(code.body):
        values: Iterable[Expr | None] = stmt.values if isinstance(stmt, Bind) else [None] * len(names.bound_by(stmt))
        if not isinstance(stmt, Store):
            for name, value in zip(names.bound_by(stmt), values):
                ways.setdefault(name, []).append(value)

    def how_new(expr: Expr | None) -> int:
        match expr:
            case Const():
                return ALL_NEW
            case Bin() | Unary() | Compare() | List() | Dict() | Call(Attr(_, "copy")):
                return NEW
            case Call(Name(name)) if name not in bound:
                return _makes_new(means(name))
            case Call(Attr(Name(owner), name)) if owner not in bound:
                return _makes_new(getattr(means(owner), name, None))
        return OLD
    new = {name: min(map(how_new, values)) for name, values in ways.items()}
    return all(_reaches_new(place, augmented, new) for stmt in statements(code.body)
               for place, augmented in _changed(stmt))


def _changed(stmt: Statement) -> Iterable[tuple[Expr, bool]]:
    """What a statement changes, as far as that is to be seen, and whether in what is there."""
    if isinstance(stmt, Store):
        yield stmt.place, stmt.op is not None
    for top in expressions(stmt):
        for e in walk(top):
            if isinstance(e, Call) and isinstance(e.func, Attr) and e.func.name in _CHANGERS:
                yield e.func.value, True
            elif isinstance(e, Call):
                yield from ((value, True) for key, value in e.kwargs if key == "out")


def _reaches_new(place: Any, augmented: bool, new: Mapping[str, int]) -> bool:
    """Whether changing the place, a node or an expression, only changes what is new: a part of it, but no part of what
    a new list holds."""
    depth = 0
    while hasattr(place, "value"):
        place, depth = place.value, depth + 1
    found = new.get(getattr(place, "id", ""), OLD)
    return found == ALL_NEW or found == NEW and (depth == 0 or depth == 1 and not augmented)


def _makes_new(function: Any) -> int:
    if isinstance(function, np.ufunc) or any(function is known for known in _MAKERS_OF_NUMBERS) \
            or getattr(function, "__module__", None) == math.__name__:
        return ALL_NEW
    return NEW if any(function is known for known in _MAKERS) else OLD


def _is_quiet_expr(expr: Expr, meaning: Meaning, around: tuple[Any, ...]) -> bool:
    match expr:
        case Call(Attr(_, name), _, _) if any(name == code.co_name for code in around):
            return True
        case Call():
            return _changes_nothing(_meant(expr.func, meaning), expr.func, around)
        case Opaque(node, _):
            return _quiet_nodes(node, meaning, around, {})
    return not isinstance(expr, Function)


def _meant(func: Expr, meaning: Meaning) -> Any:
    if isinstance(func, Name):
        return meaning(func)
    owner = _meant(func.value, meaning) if isinstance(func, Attr) else MISSING
    return getattr(owner, func.name, MISSING) if isinstance(func, Attr) and isinstance(owner, types.ModuleType) \
        else MISSING


def _quiet_nodes(tree: Any, meaning: Meaning, around: tuple[Any, ...], new: Mapping[str, int]) -> bool:
    """`new`: how new what names mean is."""
    return all(_is_quiet(node, meaning, around, new) for node in parse.nodes(tree))


def _is_quiet(node: Any, meaning: Meaning, around: tuple[Any, ...], new: Mapping[str, int]) -> bool:
    match parse.kind(node):
        case what if what in _LOUD:
            return False
        case "Attribute" | "Subscript":
            return parse.kind(node.ctx) == "Load" or _reaches_new(node, False, new)
        case "AugAssign":
            return _reaches_new(node.target, True, new)
        case "Call":
            outs = [k.value for k in node.keywords if k.arg == "out"]
            changes_new = parse.kind(node.func) == "Attribute" and node.func.attr in _CHANGERS \
                and _reaches_new(node.func.value, True, new)
            return all(_reaches_new(out, True, new) for out in outs) \
                and (changes_new or _changes_nothing(_meaning(node.func, meaning), node.func, around))
        case "Name":                                # it may be given to what calls it
            meant = meaning(node)
            return not (isinstance(meant, types.FunctionType) and is_user_function(meant)) or is_quiet(meant, around)
    return True


def _how_new(tree: Any, meaning: Meaning) -> dict[str, int]:
    """How new that is which the names in a function ever mean."""
    found: dict[str, int] = {}

    def note(target: Any, how: int) -> None:
        for node in parse.nodes(target):
            if parse.kind(node) == "Name" and parse.kind(node.ctx) != "Load":
                found[node.id] = min(found.get(node.id, ALL_NEW), how if node is target else OLD)
    for node in parse.nodes(tree):
        match parse.kind(node):
            case "Assign" | "NamedExpr":
                for target in getattr(node, "targets", None) or [node.target]:
                    note(target, _newness(node.value, meaning))
            case "AnnAssign" if node.value is not None:
                note(node.target, _newness(node.value, meaning))
            case "For" | "comprehension":
                note(node.target, OLD)
            case "withitem" if node.optional_vars is not None:
                note(node.optional_vars, OLD)
            case "Name" if parse.kind(node.ctx) == "Param":
                found[node.id] = OLD
    return found


def _newness(node: Any, meaning: Meaning) -> int:
    if parse.kind(node) in ("Constant", "JoinedStr"):
        return ALL_NEW
    if parse.kind(node) in _NEW_NODES:
        return NEW
    if parse.kind(node) != "Call":
        return OLD
    copies = parse.kind(node.func) == "Attribute" and node.func.attr == "copy"
    return max(NEW if copies else OLD, _makes_new(_meaning(node.func, meaning)))


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
    if isinstance(function, type) and not any(
            is_user_function(vars(base).get(name)) for base in function.__mro__ if base is not object
            for name in ("__new__", "__init__", "__post_init__")):
        return True                                 # a new object of it, which nobody else has
    return any(function is known for known in _BUILTINS) or is_pure(function) or _has_rule(function)


def _has_rule(function: Any) -> bool:
    try:
        return has_rule(function)
    except TypeError:                       # unhashable
        return False


__all__ = ["EQUAL", "ANY_OF_THEM", "KEY", "ORDER", "SUBSCRIPT", "TEXT", "TRUTH", "check_implied", "check_inside",
           "is_quiet", "is_quiet_call", "is_quiet_code", "is_quiet_expression", "is_quiet_generator", "is_quiet_value",
           "is_loud_function", "loud_method"]
