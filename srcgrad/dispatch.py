"""What happens when a derivative is called: bind the arguments, find the variant whose guard holds, or compile one.

`Variants` are the compiled forms of one plain function for one question; everybody who asks it shares them.
They are an immutable tuple that is replaced as a whole, so a call never waits for another thread's compilation of
a variant that it doesn't need.
"""
from __future__ import annotations

import functools
import sys
import threading
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from srcgrad.analysis.declared import declared
from srcgrad.analysis.guards import Guard, compile_guard, of_value
from srcgrad.analysis.values import UNKNOWN, Array, Known, Value
from srcgrad.errors import ArgumentError
from srcgrad.options import Options
from srcgrad.runtime.structure import zeros_like

if TYPE_CHECKING:
    from srcgrad.compiler import Artifact, Request
    from srcgrad.lang.source import Found

__all__ = ["MOST_VARIANTS", "Argnum", "Argnums", "Question", "Selection", "Variant", "Variants", "binder",
           "check_argnums", "parameter_names", "select", "variants_of"]

MOST_VARIANTS = 8

Names = tuple[str, ...]
Argnum = int | str
Argnums = Union[Argnum, "tuple[Argnum, ...]"]
Compile = Callable[["Found", "tuple[Value, ...]", "Request", "tuple[Any, ...] | None"], "Artifact"]
Task = tuple["Found", "tuple[Value, ...]", "Request", "tuple[Any, ...] | None"]

# what a general form knows of a floating number or an array: that it is one
_ANY_ARRAY = Array(None, None)
_NUMERIC = (np.ndarray, float, np.floating)


@dataclass(frozen=True)
class Question:
    """What is asked about a function: `wrt` are names of its parameters; mode is "grad", "value_and_grad" or "vjp"."""
    wrt: tuple[str, ...]
    mode: str = "grad"
    has_aux: bool = False
    options: Options = Options()


@dataclass(frozen=True, eq=False)
class Variant:
    """One compiled form.  `values` is None in a general one, which takes any number or array."""
    holds: Callable[..., bool]
    artifact: Artifact
    values: tuple[Value, ...] | None


# ---------------------------------------------------------------- arguments

def parameter_names(code: types.CodeType) -> tuple[str, ...]:
    """The parameters in the order of the signature: `*args` stands before the keyword-only ones, `**kwargs` last.

    >>> parameter_names((lambda a, /, b, *rest, k, **more: 0).__code__)
    ('a', 'b', 'rest', 'k', 'more')
    """
    positional, keyword, starred, double = _kinds(code)
    return (*positional, *starred, *keyword, *double)


def _kinds(code: types.CodeType) -> tuple[Names, Names, Names, Names]:
    names, n = code.co_varnames, code.co_argcount
    end = n + code.co_kwonlyargcount
    stars = end + bool(code.co_flags & 0x04)       # CO_VARARGS
    doubles = stars + bool(code.co_flags & 0x08)   # CO_VARKEYWORDS
    return names[:n], names[n:end], names[end:stars], names[stars:doubles]


def binder(function: types.FunctionType) -> types.FunctionType:
    """A function with the signature of `function` that returns its arguments as one tuple.

    So Python itself binds the arguments, and says in its own words what is wrong with them.

    >>> def f(a, b=2, *rest, k=3): ...
    >>> binder(f)(1, k=5)
    (1, 2, (), 5)
    """
    code = function.__code__
    positional, keyword, starred, double = _kinds(code)
    n = code.co_posonlyargcount
    params = [*positional[:n], *["/"] * bool(n), *positional[n:], *(f"*{name}" for name in starred)]
    params += ["*"] * bool(keyword and not starred) + [*keyword, *(f"**{name}" for name in double)]
    everything = "".join(f"{name}, " for name in parameter_names(code))
    scope: dict[str, Any] = {}
    exec(f"def bind({', '.join(params)}):\n    return ({everything})", scope)
    bind: types.FunctionType = scope["bind"]
    bind.__name__, bind.__qualname__ = function.__name__, function.__qualname__
    bind.__defaults__, bind.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return bind


# ---------------------------------------------------------------- which arguments

@dataclass(frozen=True)
class Selection:
    """`wrt` are the parameters, each once; `picks` says for each asked argument which of them it is, and which
    element of it where the parameter is `*args`."""
    wrt: Names
    picks: tuple[tuple[int, int | None], ...]
    single: bool

    @functools.cached_property
    def plain(self) -> bool:
        """True where the compiled function already returns what was asked for."""
        whole = all(part is None for _, part in self.picks)
        return whole and (self.single or len(self.picks) > 1)

    def arrange(self, gradients: Any) -> Any:
        """What was asked for, from the gradients of `wrt`."""
        each = gradients if len(self.wrt) > 1 else (gradients,)
        picked = tuple(each[k] if part is None else self._element(each[k], k, part) for k, part in self.picks)
        return picked[0] if self.single else picked

    def _element(self, gradients: tuple[Any, ...], k: int, part: int) -> Any:
        if part >= len(gradients):
            raise ArgumentError(f"*{self.wrt[k]} was given {len(gradients)} arguments, and argnums asks for one more")
        return gradients[part]


def check_argnums(argnums: Any, code: types.CodeType | None, name: str) -> None:
    """Raise unless argnums is an index, a name, or a tuple of them, and the function has such arguments.

    What can be said before it is known whether the function will be a method.
    """
    entries = argnums if isinstance(argnums, tuple) else (argnums,)
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, (int, str)):
            raise ArgumentError(f"argnums has {entry!r} of type {type(entry).__name__}",
                                remedy="Give the position or the name of an argument, or a tuple of them.")
    if not entries:
        raise ArgumentError("argnums is empty", remedy="Name at least one argument.")
    if len(set(entries)) < len(entries):
        raise ArgumentError(f"argnums={argnums!r} names an argument twice", remedy="Name each argument once.")
    if code is not None:
        for entry in entries:
            _find(entry, code, name, 0)


def select(argnums: Argnums, code: types.CodeType, name: str, bound: int = 0) -> Selection:
    """The arguments of the function `name` that argnums means; positions count from behind the `bound` first ones.

    >>> select((1, "a"), (lambda a, b: a * b).__code__, "f")
    Selection(wrt=('b', 'a'), picks=((0, None), (1, None)), single=False)
    """
    entries = argnums if isinstance(argnums, tuple) else (argnums,)
    found = [_find(entry, code, name, bound) for entry in entries]
    if len(set(found)) < len(found):
        raise ArgumentError(f"argnums={argnums!r} means one argument of {name} twice",
                            remedy="Name each argument once.")
    wrt = tuple(dict.fromkeys(param for param, _ in found))
    picks = tuple((wrt.index(param), part) for param, part in found)
    return Selection(wrt, picks, not isinstance(argnums, tuple))


def _find(entry: Argnum, code: types.CodeType, name: str, bound: int) -> tuple[str, int | None]:
    names = parameter_names(code)
    visible = names[bound:]
    if isinstance(entry, str):
        if entry not in names:
            raise ArgumentError(f"{name} has no argument '{entry}'", remedy=_they_are(visible))
        return entry, None
    starred = code.co_argcount - bound if code.co_flags & 0x04 else None       # CO_VARARGS
    if starred is not None and starred < 0:
        raise ArgumentError(f"{name} has more arguments bound than names", remedy="Differentiate the plain function.")
    if starred is not None and entry >= starred:
        return visible[starred], entry - starred
    if not -len(visible) <= entry < len(visible) or (entry < 0 and starred is not None):
        raise ArgumentError(f"{name} has no argument {entry}", remedy=_they_are(visible))
    return visible[entry], None


def _they_are(visible: tuple[str, ...]) -> str:
    if not visible:
        return "It takes no arguments."
    return "It has " + ", ".join(f"{i} ({name})" for i, name in enumerate(visible)) + "."


# ---------------------------------------------------------------- variants

class Variants:
    """The compiled forms of `function` for one question."""

    def __init__(self, function: types.FunctionType, question: Question, compile: Compile | None = None) -> None:
        self.function = function
        self.question = question
        self._compile = compile or _compile_gradient
        self._lock = threading.RLock()
        self._restart(function.__code__)

    def _restart(self, code: types.CodeType) -> None:
        self.all: tuple[Variant, ...] = ()
        self.warned = False
        self.code = code
        self.bind = binder(self.function)

    def values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """One value a parameter; defaults are those that the function has now."""
        function, bind = self.function, self.bind
        if function.__code__ is not self.code:
            bind = self._follow()
        if bind.__defaults__ is not function.__defaults__:
            bind.__defaults__ = function.__defaults__
        if bind.__kwdefaults__ is not function.__kwdefaults__:
            bind.__kwdefaults__ = function.__kwdefaults__
        bound: tuple[Any, ...] = bind(*args, **kwargs)
        return bound

    def _follow(self) -> types.FunctionType:
        """The code of the function was replaced: what was compiled from the old one is of no use."""
        with self._lock:
            if self.function.__code__ is not self.code:
                self._restart(self.function.__code__)
            return self.bind

    def find(self, values: tuple[Any, ...]) -> Variant:
        """The first variant that is right for these values, compiled if there is none."""
        for variant in self.all:
            if variant.holds(*values):
                return variant
        with self._lock:
            for variant in self.all:
                if variant.holds(*values):
                    return variant
            return self._new(values)

    def general(self) -> Artifact:
        """The form for arguments of which nothing is known."""
        return self._compile(*self.task(None, general=True))

    def task(self, values: tuple[Any, ...] | None, general: bool = False) -> Task:
        """What the compiler is called with for these values; None where there are none."""
        from srcgrad.lang.source import find
        names = parameter_names(self.code)
        options = self.question.options
        request = self._request(replace(options, general=True) if general or values is None else options)
        if values is None:
            return find(self.function), declared(self.function), request, None
        for name, value in zip(names, values, strict=True):
            _check_plain(name, value)
            if name in self.question.wrt:
                _check_differentiable(name, value)
        seen = tuple(_abstract(name, value) for name, value in zip(names, values, strict=True))
        return find(self.function), seen, request, values

    def _new(self, values: tuple[Any, ...]) -> Variant:
        if self.question.options.general or sum(v.values is not None for v in self.all) >= MOST_VARIANTS:
            return self._new_general(values)
        artifact = self._compile(*self.task(values))
        holds = compile_guard(parameter_names(self.code), artifact.arguments, artifact.guards)
        variant = Variant(holds, artifact, artifact.arguments)
        self.all = (*self.all, variant)
        return variant

    def _new_general(self, values: tuple[Any, ...]) -> Variant:
        """Behind the special ones; there are several for arguments of different structure, and the oldest goes."""
        special = tuple(v for v in self.all if v.values is not None)
        if special and not self.warned:
            self.warned = True
            _warn(self.function, parameter_names(self.code), special)
        artifact = self._compile(*self.task(values, general=True))
        names = parameter_names(self.code)
        numeric = tuple(Guard(f"isinstance({name}, _numeric)", (("_numeric", _NUMERIC),))
                        for name, value in zip(names, artifact.arguments, strict=True) if value == _ANY_ARRAY)
        arguments = tuple(UNKNOWN if value == _ANY_ARRAY else value for value in artifact.arguments)
        variant = Variant(compile_guard(names, arguments, (*numeric, *artifact.guards)), artifact, None)
        others = [v for v in self.all if v.values is None]
        self.all = (*special, *others[1 - MOST_VARIANTS:], variant)
        return variant

    def _request(self, options: Options) -> Request:
        from srcgrad.compiler import Request
        names = parameter_names(self.code)
        question = self.question
        return Request(tuple(map(names.index, question.wrt)), question.mode, question.has_aux, options)


def _compile_gradient(found: Found, values: tuple[Value, ...], request: Request, samples: Any = None) -> Artifact:
    # only who differentiates something pays for loading the compiler
    from srcgrad.compiler import compile_gradient
    return compile_gradient(found, values, request, samples)


# one particular object matters where it is a constant or can be called; all else is data
_CONSTANTS = (type(None), bool, str, bytes, slice, type(Ellipsis), np.dtype, types.ModuleType, Enum)


def _abstract(name: str, obj: Any) -> Value:
    """The argument's abstract value; unknown where no guard could tell that the next one is alike."""
    from srcgrad.analysis.interpret.operations import of_object
    value = of_object(obj, name)
    if isinstance(value, Known) and not (callable(obj) or isinstance(obj, _CONSTANTS)):
        return UNKNOWN
    check = compile_guard((name,), (value,))
    return value if check(obj) else UNKNOWN


def _check_plain(name: str, value: Any) -> None:
    """Arrays of classes that give operators and functions meanings of their own are refused: rules are NumPy's."""
    if isinstance(value, (np.ma.MaskedArray, np.matrix)):
        kind = "a masked array" if isinstance(value, np.ma.MaskedArray) else "a matrix"
        raise ArgumentError(f"the argument '{name}' is {kind}, whose operations aren't those of arrays",
                            remedy=f"Pass a plain array, and the mask (if any) as an argument: np.asarray({name}).")


def _check_differentiable(name: str, value: Any) -> None:
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        raise ArgumentError(f"the argument '{name}' is a {type(value).__name__}, not a plain array",
                            remedy="Pass np.asarray of it, or its data.")
    if zeros_like(value) is None:
        kind = "a class" if isinstance(value, type) else "None" if value is None else f"of type {type(value).__name__}"
        if isinstance(value, np.ndarray):
            kind = f"an array of dtype {value.dtype}"
        raise ArgumentError(f"the argument '{name}' is {kind}, which has no derivative",
                            remedy="Name the arguments to differentiate with argnums, by position or by name.")


def _warn(function: types.FunctionType, names: Names, variants: tuple[Variant, ...]) -> None:
    varied = [name for name, column in zip(names, zip(*(v.values or () for v in variants), strict=True), strict=True)
              if len({of_value(name, value) for value in column}) > 1]
    what = f"the types of {' and '.join(varied)}" if varied else "what its globals or its closure hold"
    warnings.warn(
        f"{function.__qualname__} was compiled for {len(variants)} kinds of arguments: {what} varied. From now on a "
        f"general form serves all further kinds, which is right but slower.", RuntimeWarning, stacklevel=_outside())


def _outside() -> int:
    """The level of the first caller outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level


# ---------------------------------------------------------------- sharing

_KEPT = "__srcgrad_variants__"
_lock = threading.Lock()


class _Kept:
    """An attribute of `function`: an equal one that was pickled or copied to another function is empty."""

    def __init__(self, function: types.FunctionType | None = None) -> None:
        self.function = function
        self.variants: dict[Question, Variants] = {}

    def __reduce__(self) -> tuple[type, tuple]:
        return _Kept, ()


def variants_of(function: types.FunctionType, question: Question, compile: Compile | None = None) -> Variants:
    """The variants of a function for a question, the same object each time: `grad(f)(x)` in a loop compiles once.

    They are kept on the function and die with it.
    """
    if compile is not None:
        return Variants(function, question, compile)
    with _lock:
        kept = function.__dict__.get(_KEPT)
        # functools.wraps copies the attributes of one function to another
        if kept is None or kept.function is not function:
            kept = function.__dict__[_KEPT] = _Kept(function)
        known: Variants | None = kept.variants.get(question)
        if known is None:
            known = kept.variants[question] = Variants(function, question)
        return known
