"""Where texts go, and whether in colour."""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from srcgrad.backends.views.colour import coloured
from srcgrad.cli.failure import Failure

__all__ = ["add_colour", "add_output", "write", "in_colour"]


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")


def add_colour(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto",
                        help="colours: auto for those of a terminal, unless NO_COLOR is set")


def write(text: str, output: str | None) -> None:
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{output} can't be written: {error.strerror}") from error


def in_colour(text: str, options: argparse.Namespace) -> str:
    """The text with colours, where they are wanted and the package that knows them is there."""
    if options.color == "never" or getattr(options, "output", None) is not None:
        return text
    if options.color == "auto" and not (sys.stdout.isatty() and "NO_COLOR" not in os.environ):
        return text
    return coloured(text)
