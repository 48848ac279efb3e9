"""The user's own functions as text that stands at the top of a module."""
from __future__ import annotations

import ast
import copy
import linecache
import textwrap
from typing import Any

import gast

from srcgrad.lang.source import Found

__all__ = ["capture", "user_function"]


def capture(tree: gast.FunctionDef) -> bool:
    """Whether the function itself binds names of the functions around it."""
    return any(isinstance(node, gast.Nonlocal) for node in tree.body)


def user_function(found: Found, name: str) -> tuple[str, dict[str, Any]]:
    """The definition (a lambda's as `name`) without its decorators, and the defaults that it reads by name.

    Where the text as written says the same it is kept, comments and all.
    """
    tree: Any = gast.gast_to_ast(copy.deepcopy(found.tree))
    if isinstance(tree, ast.Lambda):
        defaults = _named_defaults(tree.args, found, name)
        return f"{name} = {_unparsed(tree)}\n", defaults
    tree.decorator_list = []
    written = _as_written(found, tree)
    defaults = _named_defaults(tree.args, found, name)
    if written is not None and not defaults:
        return written, {}
    return _unparsed(tree) + "\n", defaults


def _unparsed(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _as_written(found: Found, tree: ast.FunctionDef) -> str | None:
    lines = linecache.getlines(found.file, found.globals)
    text = textwrap.dedent("".join(lines[found.tree.lineno - 1:found.tree.end_lineno])).rstrip() + "\n"
    try:
        again = ast.parse(text).body
    except SyntaxError:
        return None
    return text if len(again) == 1 and ast.dump(again[0]) == ast.dump(tree) else None


def _named_defaults(arguments: ast.arguments, found: Found, name: str) -> dict[str, Any]:
    """Defaults were evaluated when the function was made: those that aren't plain literals get names."""
    given: dict[str, Any] = {}
    parameters = found.signature.parameters
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    for k, node in enumerate(arguments.defaults):
        arguments.defaults[k] = _default(node, parameters[positional[first + k].arg].default, name, k, given)
    for k, (param, written) in enumerate(zip(arguments.kwonlyargs, arguments.kw_defaults)):
        if written is not None:
            arguments.kw_defaults[k] = _default(written, parameters[param.arg].default, name, first + k, given)
    return given


def _default(node: ast.expr, value: Any, name: str, number: int, given: dict[str, Any]) -> ast.expr:
    try:
        written = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        written = given     # nothing that a default may be
    if type(written) is type(value) and repr(written) == repr(value) and isinstance(
            value, (int, float, str, bytes, type(None))):
        return node
    label = f"{name}_default_{number}"
    given[label] = value
    return ast.Name(label, ast.Load())
