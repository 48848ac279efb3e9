"""From the text of functions to functions that run in the user's own globals and closure.

Nothing is added to the globals.  What the text needs beyond them comes in as free variables: the cells
of the user's closure are shared, helpers get cells of their own.  Line 1 of the code is line 1 of the text,
and the text is known to `linecache` as long as any of its code is alive, so tracebacks and debuggers show it.
"""
from __future__ import annotations
import __future__

import ast
import itertools
import linecache
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from srcgrad.errors import InternalError

__all__ = ["code_in_scope", "codes", "compile_body", "future_flags", "load", "load_all"]

Defaults = tuple[tuple[Any, ...], dict[str, Any]]

_FACTORY = "<source>"
_numbers = itertools.count(1)


def load(
    text: str,
    name: str,
    globals: dict[str, Any],
    cells: Mapping[str, Any] | None = None,
    helpers: Mapping[str, Any] | None = None,
    filename_hint: str = "",
    defaults: Defaults | None = None,
) -> tuple[types.FunctionType, str]:
    """The function `name` that the text defines, and the name under which linecache knows the text.

    Values in `cells` are cells, which are shared, or plain values.  `defaults` are (positional, by keyword);
    without them the defaults that stand in the text are evaluated.

    >>> double, filename = load("def double(x):\\n    return scale * x\\n", "double", {}, helpers={"scale": 2})
    >>> double(4)
    8
    """
    known = {} if defaults is None else {name: defaults}
    function = load_all(text, [name], globals, cells, helpers, filename_hint or name, known)[name]
    return function, function.__code__.co_filename


def load_all(
    text: str,
    names: Iterable[str],
    globals: dict[str, Any],
    cells: Mapping[str, Any] | None = None,
    helpers: Mapping[str, Any] | None = None,
    filename_hint: str = "",
    defaults: Mapping[str, Defaults] | None = None,
) -> dict[str, types.FunctionType]:
    """The named functions of a text that defines one or more, as in `load`.

    The functions can call each other, and themselves, whatever the globals hold under their names.
    """
    names = list(names)
    # debuggers and line profilers know what begins with this word to be text without a file
    filename = f"<generated {filename_hint or names[0]}-{next(_numbers)}>"
    definitions = _definitions(text, filename)
    own = {node.name: types.CellType() for node in definitions}
    if missing := [name for name in names if name not in own]:
        raise InternalError(f"the generated text doesn't define {', '.join(missing)}")
    free = _free_variables(own, cells or {}, helpers or {})
    found = _codes_by_name(definitions, free, filename)

    def function(name: str) -> types.FunctionType:
        code = found[name]
        return types.FunctionType(code, globals, name, None, tuple(free[n] for n in code.co_freevars))

    for node in definitions:
        made = own[node.name].cell_contents = function(node.name)
        _set_defaults(made, (defaults or {}).get(node.name))
    for node in definitions:
        if (evaluate := _defaults_of(node.name)) in found and node.name not in (defaults or {}):
            _set_defaults(own[node.name].cell_contents, function(evaluate)())
    _register(filename, text, [own[node.name].cell_contents for node in definitions])
    return {name: own[name].cell_contents for name in names}


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and all code inside, outer before inner."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes(const)


def compile_body(body: list[ast.stmt], filename: str, flags: int = 0) -> types.CodeType:
    """The statements, all of which have locations, compiled as a module, with flags as from `future_flags`."""
    # Notebooks allow `await` at the top of a cell.
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: types.CodeType = compile(ast.Module(body, []), filename, "exec", flags=flags, dont_inherit=True)
    return code


def future_flags(code: types.CodeType) -> int:
    """The `from __future__` features under which the code was compiled (notebooks keep them from cell to cell)."""
    return code.co_flags & __future__.annotations.compiler_flag


def code_in_scope(body: list[ast.stmt], names: Iterable[str], filename: str, flags: int = 0) -> types.CodeType:
    """The statements compiled as the body of a function that has `names` as local variables."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    bind: list[ast.stmt] = [ast.fix_missing_locations(ast.Assign(targets, ast.Constant(None)))] if targets else []
    header = ast.parse("def _(): pass").body[0]
    assert isinstance(header, ast.FunctionDef)
    header.name, header.body = _FACTORY, [*bind, *body]
    whole = compile_body([header], filename, flags)
    return next(code for code in codes(whole) if code.co_name == _FACTORY)


# ---------------------------------------------------------------- the text

def _definitions(text: str, filename: str) -> list[ast.FunctionDef]:
    try:
        body = ast.parse(text, filename).body
    except SyntaxError as error:
        raise InternalError(f"the generated text isn't Python: {error}\n{text}") from error
    definitions = [node for node in body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    if len(definitions) < len(body):
        raise InternalError(f"the generated text holds more than plain functions\n{text}")
    if len({node.name for node in definitions}) < len(definitions):
        raise InternalError(f"the generated text defines one name twice\n{text}")
    return definitions


def _free_variables(
    own: dict[str, types.CellType], cells: Mapping[str, Any], helpers: Mapping[str, Any]
) -> dict[str, types.CellType]:
    if twice := (own.keys() & helpers.keys()) | (cells.keys() & helpers.keys()):
        raise InternalError(f"the generated text has two meanings for {', '.join(sorted(twice))}")
    shared = {name: v if isinstance(v, types.CellType) else types.CellType(v) for name, v in cells.items()}
    return shared | {name: types.CellType(value) for name, value in helpers.items()} | own


# ---------------------------------------------------------------- the code

def _codes_by_name(
    definitions: list[ast.FunctionDef], names: Iterable[str], filename: str
) -> dict[str, types.CodeType]:
    """The code of each function, and of one that evaluates its defaults where it has some."""
    body: list[ast.stmt] = []
    for node in definitions:
        body.append(node)
        if node.args.defaults or any(node.args.kw_defaults):
            body.append(_defaults_function(node))
    factory = code_in_scope(body, names, filename)
    return {code.co_name: _outermost(code) for code in factory.co_consts if isinstance(code, types.CodeType)}


def _defaults_of(name: str) -> str:
    # No identifier, so that it collides with no name of the text.
    return f"defaults of {name}"


def _defaults_function(node: ast.FunctionDef) -> ast.FunctionDef:
    """def defaults(): return (a, b), {'c': d}"""
    made = ast.parse("def _(): return (), {}").body[0]
    assert isinstance(made, ast.FunctionDef)
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    pairs = [(ast.Constant(arg.arg), value) for arg, value in keywords if value]
    by_keyword = ast.Dict([k for k, _ in pairs], [v for _, v in pairs])
    values = ast.Tuple([ast.Tuple(node.args.defaults, ast.Load()), by_keyword], ast.Load())
    made.name, made.body = _defaults_of(node.name), [ast.Return(values)]
    return ast.fix_missing_locations(made)


def _set_defaults(function: types.FunctionType, defaults: Defaults | None) -> None:
    if defaults is not None:
        function.__defaults__ = defaults[0] or None
        function.__kwdefaults__ = defaults[1] or None


def _outermost(code: types.CodeType) -> types.CodeType:
    """The code with qualified names that don't show the function it was compiled in."""
    prefix = f"{_FACTORY}.<locals>."

    def renamed(const: Any) -> Any:
        if isinstance(const, types.CodeType):
            return _outermost(const)
        # Up to Python 3.10 the qualified name of an inner function is a constant of the outer one.
        return const.removeprefix(prefix) if isinstance(const, str) else const

    consts = tuple(renamed(const) for const in code.co_consts)
    if sys.version_info >= (3, 11):
        return code.replace(co_consts=consts, co_qualname=code.co_qualname.removeprefix(prefix))
    return code.replace(co_consts=consts)


# ---------------------------------------------------------------- linecache

def _register(filename: str, text: str, functions: list[types.FunctionType]) -> None:
    """Known until the last function and the last code is gone: a closure that was returned outlives the function that
    made it, and a profiler gives a function other code."""
    # A modification time of None keeps the entry through linecache.checkcache.
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    all_codes = itertools.chain.from_iterable(codes(function.__code__) for function in functions)
    alive = dict(enumerate((*functions, *all_codes)))
    pending = set(alive)
    for token, holder in alive.items():
        weakref.finalize(holder, _release, filename, pending, token).atexit = False


def _release(filename: str, pending: set[int], token: int) -> None:
    pending.discard(token)
    if not pending:
        linecache.cache.pop(filename, None)
