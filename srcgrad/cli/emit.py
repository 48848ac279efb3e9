"""`srcgrad emit`: a derivative as a module that needs nothing but NumPy."""
from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from pathlib import Path

from srcgrad.cli.failure import Failure
from srcgrad.cli.output import add_output, write
from srcgrad.cli.question import add_arguments, ask, compiled
from srcgrad.cli.target import STDIN

__all__ = ["EXAMPLES", "HELP", "add", "run"]

HELP = "write a gradient as a module that needs nothing but NumPy"
EXAMPLES = """\
examples:
  srcgrad emit model.py:loss -o loss_grad.py     for all numbers and arrays
  srcgrad emit model.py:loss --args "np.ones(3), 2.0" -o loss_grad.py
                                                 for such arguments; others raise a TypeError that says why
  srcgrad emit model.py:loss --value -o loss_grad.py --check
                                                 exit with 1 if the file isn't what would be written now
"""


def add(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a Python expression for the arguments, in the file's names; the module is for such "
                          "arguments, and checks them; without it it is for all numbers and arrays")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the file is stale")
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Write the module, or compare it with the file."""
    if options.check and options.output is None:
        raise Failure("--check compares with a file: name it with -o FILE", code=2)
    question = ask(options)
    text = compiled(lambda: question.derivative._standalone(question.args, question.kwargs, _command(options)),
                    question.given)
    if options.check:
        return _compare(text, Path(options.output), options)
    write(text, options.output)
    return 0


def _command(options: argparse.Namespace) -> str:
    """The command line that makes the module, wherever it is written."""
    words = ["srcgrad", "emit"]
    if options.code is not None:
        words += ["-c", options.code]
    words += [options.target.replace(STDIN, "-")] if options.target is not None else []
    words += ["--wrt", options.wrt] if options.wrt is not None else []
    words += ["--args", options.args] if options.args is not None else []
    words += ["--value"] if options.value else []
    # in the header, a string that could end it mustn't
    return shlex.join(words).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _compare(text: str, path: Path, options: argparse.Namespace) -> int:
    try:
        there = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"{path} can't be read: {error.strerror}") from error
    if there == text:
        return 0
    lines = difflib.unified_diff(there.splitlines(True), text.splitlines(True), str(path), "now", n=1)
    sys.stderr.writelines(lines)
    raise Failure(f"{path} is stale; to make it anew: {_command(options)} -o {shlex.quote(str(path))}")
