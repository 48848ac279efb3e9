"""The options that all commands share: the function, its arguments, and what to differentiate."""
from __future__ import annotations

import argparse
import sys
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


@dataclass(frozen=True)
class Question:
    """What a command is asked: a derivative, and the arguments for it (none: for all)."""
    target: Target
    derivative: Derivative[..., Any]
    args: tuple[Any, ...]


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
        args = _arguments(options.args, target.scope)
        return Question(target, compiled(lambda: _derivative(target.function, options), args), args)


def compiled(make: Callable[[], T], args: tuple[Any, ...]) -> T:
    """What `make` gives; each of its errors is one for the user."""
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
        if args and "argument" in str(error):
            raise Failure(f"--args doesn't fit: {error}", code=2) from error
        raise Failure(f"the compilation failed: {explain(error)}") from error
    except Exception as error:
        raise Failure(f"the compilation failed: {explain(error)}") from error


def _arguments(expression: str | None, scope: dict[str, Any]) -> tuple[Any, ...]:
    if expression is None:
        return ()
    try:
        value = eval(compile(expression.strip(), "--args", "eval"), {"np": np, **scope})
    except SyntaxError as error:
        raise Failure(f"--args is no Python expression: {error.msg}", code=2) from error
    except Exception as error:
        raise Failure(f"--args failed: {type(error).__name__}: {error}") from error
    return value if type(value) is tuple else (value,)


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
