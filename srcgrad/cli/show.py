"""`srcgrad show`: print the source of a gradient."""
from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.api import Derivative, grad, value_and_grad
from srcgrad.cli.failure import Failure
from srcgrad.cli.target import explain, find_target
from srcgrad.errors import ArgumentError, SrcgradError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="FILE.py:FUNC", help="a function in a file, or package.module:func")
    parser.add_argument("--wrt", metavar="NAMES", help="arguments to differentiate, by name or position: w,b "
                                                       "(the first one if not given)")
    parser.add_argument("--args", metavar="EXPR", help="a Python expression for the arguments, in the file's names; "
                                                       "without it the source is right for any arguments")
    parser.add_argument("--value", action="store_true", help="compute the function's value, too")
    parser.add_argument("--stage", metavar="NAME", help="print this stage of the compilation; 'all' prints every one")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")


def run(options: argparse.Namespace) -> int:
    """Print what was asked for."""
    # what the user's file prints is no part of the source
    with redirect_stdout(sys.stderr):
        function, scope = find_target(options.target)
        args = _arguments(options.args, scope)
        text = _text(function, args, options)
    _write(text if text.endswith("\n") else text + "\n", options.output)
    return 0


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


def _text(function: Any, args: tuple[Any, ...], options: argparse.Namespace) -> str:
    try:
        derivative = _derivative(function, options)
        return derivative.source(*args) if options.stage is None else _stage(derivative, args, options.stage)
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


def _derivative(function: Any, options: argparse.Namespace) -> Derivative:
    if isinstance(function, Derivative) and options.wrt is None and not options.value:
        return function
    make = value_and_grad if options.value else grad
    if options.wrt is None:
        return make(function)
    entries = [entry.strip() for entry in options.wrt.split(",")]
    if not all(entries):
        raise Failure(f"--wrt '{options.wrt}' has an empty name: write w,b", code=2)
    argnums = tuple(int(entry) if entry.lstrip("-").isdigit() else entry for entry in entries)
    return make(function, argnums[0] if len(argnums) == 1 else argnums)


def _stage(derivative: Derivative, args: tuple[Any, ...], wanted: str) -> str:
    stages = list(derivative.stages(*args))
    if wanted == "all":
        return "\n".join(f"# ---------------- {name}\n{text.rstrip()}\n" for name, text in stages)
    for name, text in stages:
        if name == wanted:
            return text
    raise Failure(f"there is no stage '{wanted}'; the stages are {', '.join(name for name, _ in stages)}", code=2)


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{output} can't be written: {error.strerror}") from error
