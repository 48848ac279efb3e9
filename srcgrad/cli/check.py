"""`srcgrad check`: a gradient against differences."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from srcgrad.cli.failure import Failure
from srcgrad.cli.question import add_arguments, ask, compiled
from srcgrad.testing import compare_with_differences

__all__ = ["EXAMPLES", "HELP", "add", "run"]

HELP = "compare a gradient with differences"
EXAMPLES = """\
examples:
  srcgrad check model.py:loss --args "np.ones(3), 2.0"
                                                 the gradient with respect to the first argument
  srcgrad check model.py:loss --wrt w,b --args "w0, b0, data"
                                                 names that the file defines may stand in the arguments
"""


def add(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a Python expression for the arguments, in the file's names", value=False)
    parser.add_argument("--rtol", type=_at_least(0, float), default=1e-5,
                        help="allowed error relative to the gradient (1e-5)")
    parser.add_argument("--atol", type=_at_least(0, float), default=1e-7, help="allowed error beside that (1e-7)")
    parser.add_argument("--rows", type=_at_least(1, int), default=10,
                        help="how many of the largest errors are listed (10)")


def _at_least(least: int, kind: Callable[[str], float]) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return value
    return number


def run(options: argparse.Namespace) -> int:
    """Report the largest errors as a table on standard error; 1 if one is too large."""
    if options.args is None:
        raise Failure("check needs arguments: add --args EXPR", code=2)
    question = ask(options)
    report = compiled(lambda: compare_with_differences(
        question.derivative, question.args, question.kwargs, rtol=options.rtol, atol=options.atol), question.given)
    if not report.entries:
        raise Failure("the arguments that are differentiated hold no floating-point numbers, so there is nothing to "
                      "compare: write 2.0 for 2 in --args, or name others with --wrt", code=2)
    print(report.table(options.rows), file=sys.stderr)
    return 0 if report.agrees else 1
