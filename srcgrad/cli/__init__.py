"""The command line: `srcgrad show FILE.py:FUNC`, and `emit`, `check` and `explain` alike.

Exit codes: 0 done; 1 refused or failed; 2 wrong use.  Sources go to standard output, everything else to standard error.
"""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from srcgrad.cli import check, emit, explain, show
from srcgrad.cli.failure import Failure
from srcgrad.cli.target import STDIN

__all__ = ["main"]

_COMMANDS: dict[str, Any] = {"show": show, "emit": emit, "check": check, "explain": explain}
_EXAMPLES = """\
examples:
  srcgrad show model.py:loss                               the source of the gradient
  srcgrad emit model.py:loss -o loss_grad.py               the same as a module of its own
  srcgrad check model.py:loss --args "np.ones(3), 2.0"     the gradient against differences
  srcgrad explain model.py:loss --args "np.ones(3), 2.0"   what is saved and why, line by line

`srcgrad COMMAND --help` has more of them.
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
        # what begins with a hyphen is an option to argparse
        given = sys.argv[1:] if argv is None else argv
        options = _parser().parse_args([f"{STDIN}{word[1:]}" if word.startswith("-:") else word for word in given])
        return int(_COMMANDS[options.command].run(options))
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
    for name, command in _COMMANDS.items():
        title = command.HELP[0].upper() + command.HELP[1:] + "."
        command.add(commands.add_parser(name, help=command.HELP, description=title, epilog=command.EXAMPLES,
                                        formatter_class=argparse.RawDescriptionHelpFormatter))
    return parser


def _version() -> str:
    return str(sys.modules["srcgrad"].__version__)
