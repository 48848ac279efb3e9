"""`srcgrad explain`: what was found out about a function, line by line."""
from __future__ import annotations

import argparse

from srcgrad.cli.output import add_output, write
from srcgrad.cli.question import add_arguments, ask, compiled

__all__ = ["EXAMPLES", "HELP", "add", "run"]

HELP = "say what was found out about a function, line by line"
EXAMPLES = """\
examples:
  srcgrad explain model.py:loss --args "np.ones(3), 2.0"
                                                 types, what is active, what is saved and why, helpers, bytes
  srcgrad explain model.py:loss                  the same, with what annotations and defaults tell
"""


def add(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a Python expression for the arguments, in the file's names; with it bytes are counted",
                  value=False)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print the explanation."""
    question = ask(options)
    text = compiled(lambda: question.derivative.explain(*question.args, **question.kwargs), question.given)
    write(text, options.output)
    return 0
