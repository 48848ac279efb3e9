"""`srcgrad show`: print the source of a derivative."""
from __future__ import annotations

import argparse

from srcgrad.backends.views.side_by_side import side_by_side
from srcgrad.cli.failure import Failure
from srcgrad.cli.output import add_colour, add_output, in_colour, write
from srcgrad.cli.question import Question, add_arguments, ask, compiled
from srcgrad.lang.source import find

__all__ = ["EXAMPLES", "HELP", "add", "run"]

HELP = "print the source of a gradient"
EXAMPLES = """\
examples:
  srcgrad show model.py:loss                     the gradient of loss with respect to its first argument
  srcgrad show model.py:loss --wrt w,b --value   the value, and the gradients with respect to w and b
  srcgrad show model.py:loss --args "np.ones(3), 2.0"
                                                 the text that runs for such arguments
  srcgrad show model.py:loss --side-by-side      what each line becomes in the backward pass
  srcgrad show package.model:Net.loss --stage all
                                                 every stage of the compilation
  srcgrad show -c "def f(x): return x * x"       a function from the command line; - reads standard input
"""
_NOTE = ("# For any numbers and arrays, and what annotations and defaults say; --args gives the text for arguments "
         "of one kind.\n")


def add(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a Python expression for the arguments, in the file's names; without it the source is "
                          "right for all that annotations and defaults allow")
    parser.add_argument("--stage", metavar="NAME", help="print this stage of the compilation; 'all' prints every one")
    parser.add_argument("--side-by-side", action="store_true", help="the function beside its backward statements")
    add_colour(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print what was asked for."""
    if options.side_by_side and options.stage is not None:
        raise Failure("--side-by-side shows the final text: leave out --stage", code=2)
    question = ask(options)
    text = compiled(lambda: _text(question, options), question.given)
    write(in_colour(text, options), options.output)
    return 0


def _text(question: Question, options: argparse.Namespace) -> str:
    derivative = question.derivative
    if options.stage is not None:
        return _stage(question, options.stage)
    text = derivative.source(*question.args, **question.kwargs)
    if options.side_by_side:
        target, _ = derivative.target()
        return side_by_side(find(target.function), text)
    return text if question.given else _NOTE + text


def _stage(question: Question, wanted: str) -> str:
    stages = list(question.derivative.stages(*question.args, **question.kwargs))
    if wanted == "all":
        return "\n".join(f"# ---------------- {name}\n{text.rstrip()}\n" for name, text in stages)
    for name, text in stages:
        if name == wanted:
            return text
    raise Failure(f"there is no stage '{wanted}'; the stages are {', '.join(name for name, _ in stages)}", code=2)
