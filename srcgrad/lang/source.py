"""From a callable object to the text, the globals and the cells of the Python function that runs when it is called.

What runs is decided by the code object, never by a name or by `__wrapped__`: a function is found in its file by
compiling the candidates and comparing code, so two functions of one name, lambdas on one line and files that
have changed are told apart.
"""
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import linecache
import os.path
import sys
import sysconfig
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.errors import ArgumentError, SourceNotFound, UnsupportedError
from srcgrad.lang.core import At
from srcgrad.lang.load import code_in_scope, codes, compile_body, future_flags

__all__ = ["Found", "find", "in_library", "is_followed", "is_user_function", "mangle"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FAR = 1_000_000
_RELOAD = "Reload the module or restart Python, so that the file says what runs."
_LIBRARIES = ("numpy", "scipy")
# Modules of libraries whose functions are plain Python of numbers and arrays.
_PLAIN_MODULES = frozenset(("colorsys", "statistics", "scipy.spatial.distance", *(
    f"numpy.polynomial.{kind}"
    for kind in ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre", "polyutils"))))
_STDLIB = os.path.normpath(sysconfig.get_paths()["stdlib"])
_REFUSED = {
    inspect.CO_COROUTINE: "an async function",
    inspect.CO_ASYNC_GENERATOR: "an async generator",
}
# Parsed modules are shared between threads, and matching shifts their line numbers for a moment.
_lock = threading.RLock()


@dataclass(frozen=True)
class Found:
    """A function and all that its text means.

    Calling the object with `args, kwargs` runs `function(*bound, *args, **{**bound_kwargs, **kwargs})`.
    """
    function: types.FunctionType
    site: _Site
    file: str
    globals: dict[str, Any]
    cells: dict[str, types.CellType]
    name: str
    bound: tuple[Any, ...]
    bound_kwargs: dict[str, Any]
    signature: inspect.Signature
    """Of `function`, with the parameters that are bound."""

    @functools.cached_property
    def tree(self) -> gast.FunctionDef | gast.Lambda:
        """The text, with the lines and columns of the file (bytes of UTF-8, as in `ast`), private names as Python
        mangles them, and no decorators.  Default values are those of `function`: what the tree says of them was
        evaluated long ago.
        """
        # most functions that are looked at are known already, or turn out not to matter
        with _lock:
            return _tree(self.site)


def find(function: Callable[..., Any]) -> Found:
    """The Python function that runs when the object is called, and its source.

    Follows methods, `functools.partial`, `functools.lru_cache` and objects with `__call__`.  A decorated function
    is what its decorator returned.

    >>> find(functools.partial(find, abs)).bound
    (<built-in function abs>,)
    """
    plain, bound, bound_kwargs = _unwrap(function, (), {})
    code = plain.__code__
    with _lock:
        site = _site_of(plain)
    _refuse_suspended(plain, site.node)
    return Found(
        function=plain,
        site=site,
        file=code.co_filename,
        globals=plain.__globals__,
        cells=dict(zip(code.co_freevars, plain.__closure__ or (), strict=True)),
        name="lambda_" if isinstance(site.node, ast.Lambda) else site.name,
        bound=bound,
        bound_kwargs=bound_kwargs,
        signature=_signature(plain),
    )


def is_followed(obj: Any) -> bool:
    """Whether it is a function of a library that is plain Python like the user's.

    >>> import colorsys
    >>> is_followed(colorsys.rgb_to_yiq), is_followed(ast.walk)
    (True, False)
    """
    return isinstance(obj, types.FunctionType) and obj.__globals__.get("__name__") in _PLAIN_MODULES \
        and bool(_lines(obj.__code__, obj.__globals__))


def is_user_function(obj: Any) -> bool:
    """Whether calling the object runs Python code with a source, of neither NumPy, SciPy nor the standard library.

    >>> is_user_function(len), is_user_function(functools.reduce), is_user_function(ast.walk)
    (False, False, False)
    """
    cls: Any = type(obj)
    if _runs_no_python(cls):
        return False
    try:
        plain, _, _ = _unwrap(obj, (), {})
    except (SourceNotFound, ArgumentError, UnsupportedError):
        return False
    if plain.__globals__.get("__name__") == "srcgrad.api":      # a derivative, called on the way
        return False
    return not in_library(plain) and bool(_lines(plain.__code__, plain.__globals__))


# ---------------------------------------------------------------- what runs

Bound = tuple[types.FunctionType, tuple[Any, ...], dict[str, Any]]


def _unwrap(obj: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bound:
    """The plain function behind a callable that gets args and kwargs, and what it gets."""
    if isinstance(obj, types.FunctionType):
        return obj, args, kwargs
    if isinstance(obj, types.MethodType):
        return _unwrap(obj.__func__, (obj.__self__, *args), kwargs)
    if isinstance(obj, functools.partial):
        return _unwrap(obj.func, (*obj.args, *args), {**obj.keywords, **kwargs})
    if isinstance(obj, functools._lru_cache_wrapper):
        return _unwrap(obj.__wrapped__, args, kwargs)
    if isinstance(obj, staticmethod):
        return _unwrap(obj.__func__, args, kwargs)
    if isinstance(obj, type):
        raise UnsupportedError(
            f"{obj.__qualname__} is a class, not a function",
            remedy="Differentiate a function that makes the object and returns a number from it.")
    return _unwrap(_call_of(obj), args, kwargs)


@functools.cache
def _runs_no_python(cls: type) -> bool:
    """Whether calling an instance runs no Python of anyone: of a class in C, which stays as it is."""
    may_change = bool(cls.__flags__ & _HEAP_TYPE)
    return not (may_change or issubclass(cls, _FOLLOWED)) \
        and isinstance(inspect.getattr_static(cls, "__call__", None), types.WrapperDescriptorType)


_HEAP_TYPE = 1 << 9        # CPython's flag of classes that are made at run time
_FOLLOWED = (types.FunctionType, types.MethodType, functools.partial, functools._lru_cache_wrapper, staticmethod, type)


def _call_of(obj: Any) -> Any:
    """What `obj(...)` calls: `__call__` of its class, bound as Python binds it."""
    if not callable(obj):
        raise ArgumentError(f"{_named(obj)} can't be called", remedy="Pass a function.")
    owner = type(obj)
    call = inspect.getattr_static(owner, "__call__")
    if isinstance(call, types.WrapperDescriptorType):
        raise SourceNotFound(
            f"{_named(obj)} isn't written in Python, so it has no source to differentiate",
            remedy="There is no rule for it either: write it with NumPy functions that have one.")
    bind = getattr(type(call), "__get__", None)
    return call if bind is None else bind(call, obj, owner)


def _named(obj: Any) -> str:
    name = getattr(obj, "__qualname__", None)
    return name if isinstance(name, str) else f"an object of type {type(obj).__qualname__}"


def _signature(function: types.FunctionType) -> inspect.Signature:
    """The signature of the code itself: `__wrapped__` and `__signature__` may tell of another function."""
    bare = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    bare.__kwdefaults__ = function.__kwdefaults__
    bare.__annotations__ = function.__annotations__
    return inspect.signature(bare)


def in_library(function: types.FunctionType) -> bool:
    """Whether it is a function of NumPy, SciPy, the standard library, or this package."""
    # By its globals: NumPy writes `__module__` by hand, and `functools.wraps` copies it.
    module = str(function.__globals__.get("__name__", ""))
    file = function.__code__.co_filename
    return module.partition(".")[0] in _LIBRARIES or _in_this_package(module) or file.startswith("<frozen ") \
        or _in_stdlib(file)


def _in_this_package(module: str) -> bool:
    """The compiler is no program to differentiate; what generated code calls is."""
    package = __name__.partition(".")[0]
    return module.startswith(f"{package}.") and not module.startswith(f"{package}.runtime.")


def _in_stdlib(file: str) -> bool:
    file = os.path.normpath(file)
    return file.startswith(_STDLIB + os.sep) and not {"site-packages", "dist-packages"} & set(file.split(os.sep))


def _refuse_suspended(function: types.FunctionType, node: Definition) -> None:
    for flag, kind in _REFUSED.items():
        if function.__code__.co_flags & flag:
            file = function.__code__.co_filename
            at = At(file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
            raise UnsupportedError(
                f"{function.__name__} is {kind}, which can't be differentiated", at,
                "Write a plain function that returns its result.")


# ---------------------------------------------------------------- the text

@dataclass(frozen=True)
class _Site:
    """A function in a parsed file, and the innermost class in which it stands."""
    node: Definition
    owner: str | None

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def first_line(self) -> int:
        decorators = getattr(self.node, "decorator_list", [])
        return min((d.lineno for d in decorators), default=self.node.lineno)


@dataclass(frozen=True)
class _Module:
    """A parsed file, and its functions by name."""
    tree: ast.Module
    sites: dict[str, list[_Site]]


def _lines(code: types.CodeType, globals: dict[str, Any]) -> list[str]:
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, globals)
    # From Python 3.13 on the interactive prompt keeps its text by code object.
    by_code = getattr(linecache, "_getlines_from_code", None)
    if lines and code.co_filename == _NO_FILE and not _stands_in(code, "".join(lines)):
        return []
    return lines or (by_code(code) if by_code else [])


_NO_FILE = "<string>"


def _stands_in(code: types.CodeType, text: str) -> bool:
    """Whether the code is of this text: that of `python -c`, say, and not of what `dataclass` has made, which is said
    to be in a file of the same name."""
    try:
        return _match(code, text) is not None
    except (SyntaxError, ValueError):
        return False


def _site_of(function: types.FunctionType) -> _Site:
    code = function.__code__
    lines = _lines(code, function.__globals__)
    known = _sites.get(id(code))
    if known is not None and known[0] is code and known[1] is lines:
        return known[2]
    where = f"{function.__qualname__} ({code.co_filename}, line {code.co_firstlineno})"
    if not lines:
        raise SourceNotFound(
            f"the source of {where} can't be found",
            remedy="Write the function in a file, or register its text in linecache.cache.")
    with warnings.catch_warnings():
        # Python has warned of this text before.
        warnings.simplefilter("ignore")
        try:
            site = _match(code, "".join(lines))
        except (SyntaxError, ValueError) as error:
            raise SourceNotFound(f"the source of {where} isn't Python: {error}", remedy=_RELOAD) from error
    if site is None:
        raise SourceNotFound(f"the file has changed since {where} was compiled", remedy=_RELOAD)
    if len(_sites) > _MOST_SITES:
        _sites.clear()
    _sites[id(code)] = code, lines, site
    return site


# Code -> the lines that it was found in, and where, by identity: `linecache` makes new lines for a file that changes.
_sites: dict[int, tuple[types.CodeType, list[str], _Site]] = {}
_MOST_SITES = 500


@functools.lru_cache(maxsize=32)
def _module(text: str) -> _Module:
    tree = ast.parse(text)
    sites: dict[str, list[_Site]] = {}
    for site in _sites_in(tree):
        sites.setdefault(site.name, []).append(site)
    return _Module(tree, sites)


def _sites_in(tree: ast.Module) -> Iterator[_Site]:
    todo: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield _Site(node, owner)
        inside: dict[ast.AST, str] = dict.fromkeys(node.body, node.name) if isinstance(node, ast.ClassDef) else {}
        todo += [(child, inside.get(child, owner)) for child in ast.iter_child_nodes(node)]


# ---------------------------------------------------------------- which text is it

def _match(code: types.CodeType, text: str) -> _Site | None:
    """The site whose code is equal: on the same line if there is one, else wherever it has moved to."""
    alike = [site for site in _module(text).sites.get(code.co_name, ()) if _arity(site.node) == _code_arity(code)]
    here = [site for site in alike if site.first_line == code.co_firstlineno]
    elsewhere = [site for site in alike if site.first_line != code.co_firstlineno]
    for group in here, sorted(elsewhere, key=lambda site: abs(site.first_line - code.co_firstlineno)):
        equal = [(site, made) for site in group for made in _compiled(site, code, text) if _key(made) == _key(code)]
        if equal:
            return max(equal, key=lambda pair: _columns(pair[1]) == _columns(code))[0]
    return here[0] if len(here) == 1 and _rewritten_by_pytest(code) else None


def _compiled(site: _Site, like: types.CodeType, text: str) -> list[types.CodeType]:
    """The code of the site: as it stands in its file, and with free variables given from outside of the text."""
    module = _module(text)
    lines = [other.first_line for other in module.sites[site.name]]
    if lines.count(site.first_line) > 1:
        alone = _marked_codes(site, text, future_flags(like))
    else:
        alone = _codes_of(text, future_flags(like)).get((site.name, site.first_line), [])
    # The first one: what follows lies inside of it, or is a copy.
    return alone[:1] + _with_free_variables(site, like, module.tree.body)


# All of a file is compiled, never a statement alone: its imports elsewhere decide about the bytecode of calls.

@functools.lru_cache(maxsize=256)
def _marked_codes(site: _Site, text: str, flags: int) -> list[types.CodeType]:
    """The code of one of several lambdas on a line, and then what lies inside of it."""
    with _marked(site) as line:
        whole = compile_body(_module(text).tree.body, "<source>", flags)
    return [code for code in codes(whole) if code.co_firstlineno == line]


@functools.lru_cache(maxsize=32)
def _codes_of(text: str, flags: int) -> dict[tuple[str, int], list[types.CodeType]]:
    """All code of a file by its name and first line."""
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    for code in codes(compile_body(_module(text).tree.body, "<source>", flags)):
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    return found


def _with_free_variables(site: _Site, like: types.CodeType, body: list[ast.stmt]) -> list[types.CodeType]:
    """Generated text holds nothing but functions, whose helpers and cells were made for them when they were loaded."""
    if not like.co_freevars or not all(isinstance(statement, ast.FunctionDef) for statement in body):
        return []
    with _marked(site) as line:
        whole = code_in_scope(body, like.co_freevars, like.co_filename, future_flags(like))
    return [code for code in codes(whole) if code.co_name == site.name and code.co_firstlineno == line][:1]


@contextlib.contextmanager
def _marked(site: _Site) -> Iterator[int]:
    """The line at which the site's code, and no other of that name, begins while the context lasts.

    Lambdas share lines, so theirs are moved far away, all by as much: their code depends on line differences alone.
    Defaults stay, since they are evaluated (and may be lambdas) outside of the lambda.
    """
    if not isinstance(site.node, ast.Lambda):
        yield site.first_line
        return
    nodes = [site.node, *ast.walk(site.node.body)]
    _shift(nodes, _FAR)
    try:
        yield site.node.lineno
    finally:
        _shift(nodes, -_FAR)


def _shift(nodes: list[ast.AST], lines: int) -> None:
    for node in nodes:
        if isinstance(node, (ast.expr, ast.arg, ast.keyword)):
            node.lineno += lines
            node.end_lineno = (node.end_lineno or 0) + lines


def _arity(node: Definition) -> tuple[int, int, int]:
    return len(node.args.posonlyargs), len(node.args.args) + len(node.args.posonlyargs), len(node.args.kwonlyargs)


def _code_arity(code: types.CodeType) -> tuple[int, int, int]:
    return code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount


def _key(code: types.CodeType) -> tuple[Any, ...]:
    """Equal for code that does the same under the same names, wherever it stands."""
    return (
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, _code_arity(code),
        code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS), getattr(code, "co_exceptiontable", b""),
        tuple(map(_const_key, code.co_consts)),
    )


def _const_key(const: Any) -> Any:
    """Tells 1, 1.0 and True apart, and 0.0 from -0.0."""
    match const:
        case types.CodeType():
            return _key(const)
        case tuple() | frozenset():
            return type(const), type(const)(map(_const_key, const))
    # Up to Python 3.10 the qualified name of an inner function is a constant, which says where it stands.
    return type(const), const.rpartition("<locals>.")[2] if isinstance(const, str) else repr(const)


def _columns(code: types.CodeType) -> list[tuple[int | None, int | None]]:
    """Where on their lines the instructions stand; known from Python 3.11 on."""
    if sys.version_info < (3, 11):
        return []
    return [(start, end) for _, _, start, end in code.co_positions()]


def _rewritten_by_pytest(code: types.CodeType) -> bool:
    """Whether pytest has spelled out the function's assert statements, which leaves nothing to compare."""
    return any("@pytest_ar" in inner.co_names + inner.co_freevars for inner in codes(code))


# ---------------------------------------------------------------- the tree

def _tree(site: _Site) -> gast.FunctionDef | gast.Lambda:
    tree = gast.ast_to_gast(site.node)
    if not isinstance(tree, gast.Lambda):
        tree.decorator_list = []
    if site.owner:
        for child in gast.iter_child_nodes(tree):
            mangle(child, site.owner)
    return tree


def mangle(node: gast.AST, owner: str) -> None:
    """Private names as they are called in what stands in a class of this name."""
    if owner := owner.lstrip("_"):
        _mangle(node, owner)


def _mangle(node: gast.AST, owner: str) -> None:
    """Private names as Python spells them inside of a class: `self.__w` is `self._Layer__w`."""
    for field, value in gast.iter_fields(node):
        if field in ("id", "attr", "arg", "name", "names") and not isinstance(node, gast.alias):
            setattr(node, field, [_mangled(v, owner) for v in value] if field == "names" else _mangled(value, owner))
    if not isinstance(node, gast.ClassDef):
        for child in gast.iter_child_nodes(node):
            _mangle(child, owner)


def _mangled(name: Any, owner: str) -> Any:
    if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
        return f"_{owner}{name}"
    return name
