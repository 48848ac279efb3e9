"""The command line: `srcgrad show FILE.py:FUNC`.

Exit codes: 0 done; 1 refused or failed; 2 wrong use.  Sources go to standard output, everything else to standard error.
"""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from srcgrad.cli import show
from srcgrad.cli.failure import Failure

__all__ = ["main"]

_EXAMPLES = """\
examples:
  srcgrad show model.py:loss                     the gradient of loss with respect to its first argument
  srcgrad show model.py:loss --wrt w,b --value   the value, and the gradients with respect to w and b
  srcgrad show model.py:loss --args "np.ones(3), 2.0"
                                                 the text that runs for such arguments
  srcgrad show package.model:Net.loss --stage all
                                                 every stage of the compilation
"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong use in one line, like every other failure."""

    def error(self, message: str) -> NoReturn:
        raise Failure(f"{message} (see {self.prog} --help)", code=2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    >>> main(["--version"])
    srcgrad 0.1.0
    0
    """
    try:
        options = _parser().parse_args(argv)
        return show.run(options)
    except Failure as failure:
        print(f"srcgrad: {failure}", file=sys.stderr)
        return failure.code
    except SystemExit as end:
        return int(end.code or 0)
    except BrokenPipeError:
        # who reads the output has seen enough; Python would complain again at its end
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="srcgrad", description="Derivatives of plain Python + NumPy functions, as source.",
                     epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"srcgrad {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    show.add_arguments(commands.add_parser(
        "show", help="print the source of a gradient", description="Print the source of a gradient.",
        epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter))
    return parser


def _version() -> str:
    return str(sys.modules["srcgrad"].__version__)
