"""The options that all commands share: the function, its arguments, and what to differentiate."""
from __future__ import annotations

import argparse
import sys
import types
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from srcgrad.api import Derivative, grad, value_and_grad
from srcgrad.cli.failure import Failure
from srcgrad.cli.target import Target, explain, find_target
from srcgrad.errors import ArgumentError, SrcgradError

__all__ = ["Question", "add_arguments", "ask", "compiled"]

T = TypeVar("T")
# collects the arguments of a call; a name that no file can hold by accident
_COLLECT = "__srcgrad_arguments"


@dataclass(frozen=True)
class Question:
    """What a command is asked: a derivative, and the arguments for it (none: for all)."""
    target: Target
    derivative: Derivative[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def given(self) -> bool:
        return bool(self.args or self.kwargs)


def add_arguments(parser: argparse.ArgumentParser, args: str, value: bool = True) -> None:
    """`args` says what --args is for."""
    parser.add_argument("target", metavar="FILE.py:FUNC", nargs="?",
                        help="a function in a file, or package.module:func; - or -:FUNC reads the standard input; "
                             "FUNC may be left out where there is only one")
    parser.add_argument("-c", dest="code", metavar="CODE", help="take the function from this text")
    parser.add_argument("--wrt", metavar="NAMES", help="arguments to differentiate, by name or position: w,b "
                                                       "(the first one if not given)")
    parser.add_argument("--args", metavar="EXPR", help=args)
    if value:
        parser.add_argument("--value", action="store_true", help="compute the function's value, too")


def ask(options: argparse.Namespace) -> Question:
    """The function is found and its arguments are evaluated, with the names of its file (and `np`) in scope."""
    # what the user's file prints is no part of the source
    with redirect_stdout(sys.stderr):
        target = find_target(options.target, options.code)
        args, kwargs = _arguments(options.args, target.scope)
        given = bool(args or kwargs)
        return Question(target, compiled(lambda: _derivative(target.function, options), given), args, kwargs)


def compiled(make: Callable[[], T], given: bool) -> T:
    """What `make` gives; each of its errors is one for the user, who gave arguments or didn't."""
    try:
        with redirect_stdout(sys.stderr):
            return make()
    except ArgumentError as error:
        raise Failure(str(error), code=2) from error
    except SrcgradError as error:
        raise Failure(str(error)) from error
    except Failure:
        raise
    except TypeError as error:
        if given and "argument" in str(error):
            raise Failure(f"--args doesn't fit: {error}", code=2) from error
        raise Failure(f"the compilation failed: {explain(error)}") from error
    except Exception as error:
        raise Failure(f"the compilation failed: {explain(error)}") from error


def _arguments(expression: str | None, scope: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if expression is None:
        return (), {}
    code, is_call = _parsed(expression.strip())
    try:
        value = eval(code, {"np": np, **scope, _COLLECT: lambda *args, **kwargs: (args, kwargs)})
    except Exception as error:
        raise Failure(f"--args failed: {type(error).__name__}: {error}") from error
    if is_call:
        args, kwargs = value
        return args, kwargs
    return value if type(value) is tuple else (value,), {}


def _parsed(expression: str) -> tuple[types.CodeType, bool]:
    """The code of the arguments: of an expression, or, where there are keywords, of a call with them."""
    try:
        return compile(expression, "--args", "eval"), False
    except SyntaxError as error:
        try:
            return compile(f"{_COLLECT}({expression})" if expression else "", "--args", "eval"), True
        except SyntaxError:
            raise Failure(f"--args is no Python expression, and no arguments of a call: {error.msg}; write "
                          '--args "np.ones(3), 2.0, n=5"', code=2) from error


def _derivative(function: Any, options: argparse.Namespace) -> Derivative[..., Any]:
    value = getattr(options, "value", False)
    if isinstance(function, Derivative) and options.wrt is None and not value:
        return function
    make: Any = value_and_grad if value else grad
    if options.wrt is None:
        return make(function)
    entries = [entry.strip() for entry in options.wrt.split(",")]
    if not all(entries):
        raise Failure(f"--wrt '{options.wrt}' has an empty name: write w,b", code=2)
    argnums = tuple(int(entry) if entry.lstrip("-").isdigit() else entry for entry in entries)
    return make(function, argnums[0] if len(argnums) == 1 else argnums)
