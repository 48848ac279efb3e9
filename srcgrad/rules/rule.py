"""What a derivative rule is, and how its text is read.

A rule is a plain function of `(out_bar, out, <NumPy's own parameter names>)` whose body is a straight line of
assignments, and which returns a `<param>_bar` for each differentiable parameter::

    @rule(np.multiply, elementwise=True, linear_in=("x1", "x2"))
    def multiply(out_bar, out, x1, x2):
        x1_bar = out_bar * x2
        x2_bar = out_bar * x1
        return x1_bar, x2_bar

The function runs as it stands, and its text is what the compiler splices into generated code.
"""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import math
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from srcgrad.lang.core import Attr, Bind, Expr, Name, names_read, walk
from srcgrad.lang.parse import expression
from srcgrad.rules import registry

_GIVEN = ("out_bar", "out")
_WORDS: dict[str, Any] = {"elementwise": False, "linear_in": (), "jointly_linear": False, "real_linear": False,
                          "inactive": (), "only": {}, "harmless": 1.0}
_EAGER = "srcgrad.eager."


@dataclass(frozen=True, eq=False)
class Rule:
    """A checked rule, compared by identity.  A parameter that is neither returned nor `inactive` has derivative zero.

    function        the rule itself, callable
    primal          the function that it differentiates
    params          the parameters after `out_bar` and `out`, in order
    defaults        what a call leaves out
    variadic        the parameter that takes the remaining positional arguments as a tuple, or None
    body            the assignments, in core form
    returned        differentiable parameter -> the name that holds its adjoint
    elementwise     the Jacobian is diagonal up to broadcasting; the reader undoes the broadcasting
    linear_in       linear in each of these while the others are fixed
    jointly_linear  linear in all differentiable parameters at once
    real_linear     for complex numbers the text is the transpose over (Re, Im), with nothing conjugated around it
    inactive        parameters on which the result depends in a way that the rule doesn't know: refused when active
    only            parameter -> the constants for which the rule holds; other values are refused
    harmless        an operand, and result, at which all partials are finite
    globals         the names that the body reads beside parameters, and what they mean
    """
    function: Callable
    primal: Callable
    params: tuple[str, ...]
    defaults: Mapping[str, Any]
    variadic: str | None
    body: tuple[Bind, ...]
    returned: Mapping[str, str]
    elementwise: bool
    linear_in: tuple[str, ...]
    jointly_linear: bool
    real_linear: bool
    inactive: tuple[str, ...]
    only: Mapping[str, tuple]
    harmless: float
    globals: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Rule({self.function.__name__})"


class RuleError(TypeError):
    """A rule whose text is not of the form that rules have."""


def rule(primal: Callable, *also: Callable, elementwise: bool = False, linear_in: tuple[str, ...] = (),
         jointly_linear: bool = False, real_linear: bool = False,
         inactive: tuple[str, ...] = (), only: Mapping[str, tuple] | None = None,
         harmless: float = 1.0) -> Callable[[Callable], Callable]:
    """Registers the decorated function as the rule of `primal` (and of `also`); its form is checked.

    The function itself is given back unchanged, so that it can be called.  (The package's own chapters are read and
    checked as they are looked up, since reading all of them costs a tenth of a second.)
    """
    def register(function: Callable) -> Callable:
        @functools.cache
        def made() -> Rule:
            return read(function, primal, elementwise=elementwise, linear_in=linear_in, inactive=inactive,
                        jointly_linear=jointly_linear, real_linear=real_linear, only=dict(only or {}),
                        harmless=harmless)
        registry.add(made, primal, *also)
        return function
    return register


def read(function: Callable, primal: Callable, **words: Any) -> Rule:
    """The rule with its text in core form, checked and not registered; the words are those of `rule`."""
    words = {**_WORDS, **words}
    params, defaults, variadic = _signature(function)
    body, returned = _text(function)
    for param in (*returned, *words["linear_in"], *words["inactive"], *words["only"]):
        if param not in params:
            _refuse(function, f"it has no parameter {param!r}")
    names = _resolve(function, params, body)
    for bar in returned.values():
        if bar not in {s.names[0] for s in body}:
            _refuse(function, f"it returns {bar!r}, which it doesn't assign")
    return Rule(function, primal, params, defaults, variadic, body, returned, globals=names, **words)


def _signature(function: Callable) -> tuple[tuple[str, ...], dict[str, Any], str | None]:
    """(parameters after `out_bar` and `out`, defaults, the variadic one)"""
    parameters = list(inspect.signature(function).parameters.values())
    if tuple(p.name for p in parameters[:2]) != _GIVEN:
        _refuse(function, "its first parameters must be out_bar and out")
    rest = parameters[2:]
    variadic = [p.name for p in rest if p.kind is p.VAR_POSITIONAL]
    defaults = {p.name: p.default for p in rest if p.default is not p.empty}
    return tuple(p.name for p in rest), defaults, variadic[0] if variadic else None


def _text(function: Callable) -> tuple[tuple[Bind, ...], dict[str, str]]:
    """The straight-line body in core form, and parameter -> returned name."""
    file = function.__code__.co_filename
    tree = definition(function)
    *lines, last = [s for s in tree.body if not _is_docstring(s)]
    if not isinstance(last, ast.Return):
        _refuse(function, "its last statement must return the adjoints")
    body = []
    for line in lines:
        if not (isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], ast.Name)):
            _refuse(function, f"line {line.lineno} is not an assignment to one name")
        value = expression(line.value, file)
        body.append(Bind((line.targets[0].id,), (value,), at=value.at))
    return tuple(body), _returned(function, last.value)


def _returned(function: Callable, value: ast.expr | None) -> dict[str, str]:
    """parameter -> the name of its adjoint, from what a rule returns."""
    found = {}
    for item in value.elts if isinstance(value, ast.Tuple) else [value]:
        if not (isinstance(item, ast.Name) and item.id.endswith("_bar")):
            _refuse(function, "it must return names that end in _bar")
        found[item.id.removesuffix("_bar")] = item.id
    return found


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def definition(function: Callable) -> ast.FunctionDef:
    """The function's tree, with line numbers as in its file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first = code.co_firstlineno
    last = max(line for _, _, line in code.co_lines() if line is not None)
    for end in range(last, min(last + 5, len(lines)) + 1):      # a closing bracket has no code
        try:
            tree = ast.parse(textwrap.dedent("".join(lines[first - 1:end])))
        except SyntaxError:
            continue
        found = ast.increment_lineno(tree, first - 1).body[0]
        if isinstance(found, ast.FunctionDef) and found.name == code.co_name:
            return found
    _refuse(function, "its source is not to be found")


def _resolve(function: Callable, params: tuple[str, ...], body: tuple[Bind, ...]) -> dict[str, Any]:
    """The globals that the body reads; refuses names that mean nothing, and whatever generated code may not call."""
    local = {*_GIVEN, *params}
    found: dict[str, Any] = {}
    for line in body:
        for name in sorted(names_read(line.values[0]) - local):
            found[name] = _global(function, name)
        _check_attributes(function, line.values[0], found)
        local.update(line.names)
    return found


def _global(function: Callable, name: str) -> Any:
    if name in function.__globals__:
        value = function.__globals__[name]
        module = getattr(value, "__module__", None) or ""
        if value is np or value is math or module.startswith(("srcgrad.runtime", "numpy", "scipy")):
            return value
        if module.startswith(_EAGER) and function.__module__.startswith(_EAGER):
            return value                    # rules of the tensor's own operations never become generated code
        if isinstance(value, types.ModuleType) and value.__name__.startswith("scipy"):
            return value
        _refuse(function, f"generated code may not use {name!r}: only NumPy, SciPy, math and srcgrad.runtime")
    if hasattr(builtins, name):
        return getattr(builtins, name)
    _refuse(function, f"{name!r} is neither a parameter, nor assigned before, nor a global")


def _check_attributes(function: Callable, value: Expr, found: Mapping[str, Any]) -> None:
    """Refuses `np.something` that NumPy doesn't have."""
    for node in walk(value):
        if isinstance(node, Attr) and isinstance(node.value, Name):
            owner = found.get(node.value.id)
            if isinstance(owner, types.ModuleType) and not hasattr(owner, node.name):
                _refuse(function, f"{owner.__name__} has no {node.name!r}")


def _refuse(function: Callable, why: str) -> NoReturn:
    code = function.__code__
    raise RuleError(f"{function.__name__} is no derivative rule: {why} ({code.co_filename}:{code.co_firstlineno})")
