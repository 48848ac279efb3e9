"""Every error that users meet, and the one style in which all of them are written.

An error says in one sentence what is wrong, shows where, and says what to do instead::

    a set can't be differentiated
      File "model.py", line 12
        seen = {x, y}
               ^^^^^^
      Use a tuple or a list.
"""
from __future__ import annotations

import linecache
import unicodedata
from typing import Protocol

__all__ = [
    "AliasError", "ArgumentError", "InternalError", "Place", "SourceNotFound", "SrcgradError", "UnsupportedError",
]


class Place(Protocol):
    """A stretch of source text: lines count from 1, columns count characters from 0."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...


class SrcgradError(Exception):
    """Base of all errors raised by srcgrad; `str` gives what, where and the remedy.

    The text is made when the error is, so that it still shows the source line after the file has changed.
    """

    def __init__(self, what: str, at: Place | None = None, remedy: str = "") -> None:
        super().__init__(what, at, remedy)
        self.what = what
        self.at = at
        self.remedy = _sentence(remedy)
        self._text = _render(what, at, self.remedy)

    def __str__(self) -> str:
        return self._text


class SourceNotFound(SrcgradError, LookupError):
    """The Python source of a function can't be found, or isn't what runs."""


class UnsupportedError(SrcgradError, NotImplementedError):
    """A construct or an operation that srcgrad refuses."""


class ArgumentError(SrcgradError, TypeError):
    """A call that can't mean what it says: wrong argnums, a result that is no scalar."""


class AliasError(SrcgradError, ValueError):
    """Arguments share memory where one of them is written."""


class InternalError(SrcgradError):
    """A fault of srcgrad itself, never of the user's program."""


def _render(what: str, at: Place | None, remedy: str) -> str:
    lines = [what]
    if at is not None:
        lines.append(f'  File "{at.file}", line {at.line}')
        lines += (f"    {line}" for line in _excerpt(at))
    if remedy:
        lines += (f"  {line}" for line in remedy.splitlines())
    return "\n".join(lines)


def _sentence(remedy: str) -> str:
    """With a capital letter, where it doesn't begin with code, and a full stop, as all remedies are.

    >>> _sentence("use slices"), _sentence("Write f(x)."), _sentence("np.sum gives a number")
    ('Use slices.', 'Write f(x).', 'np.sum gives a number.')
    """
    if not remedy:
        return remedy
    is_code = set("._(") & set(remedy.split()[0][:-1])
    return (remedy[0] if is_code else remedy[0].upper()) + remedy[1:] + ("" if remedy[-1] in ".:!?" else ".")


def _excerpt(at: Place) -> list[str]:
    """The source line and a line of carets, or nothing where the text isn't known."""
    full = linecache.getline(at.file, at.line).rstrip()
    text = full.lstrip()
    if not text:
        return []
    indent = len(full) - len(text)
    start = max(at.column - indent, 0)
    stop = len(text) if at.end_line > at.line else min(at.end_column - indent, len(text))
    if start >= len(text) or stop <= start:
        return [text]
    return [text, _blank(text[:start]) + "^" * _width(text[start:stop])]


def _blank(text: str) -> str:
    """As wide as the text on a screen: tabs stay tabs."""
    return "".join(c if c == "\t" else " " * _width(c) for c in text)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))
