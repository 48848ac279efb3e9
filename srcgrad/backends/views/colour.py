"""Python source in colours: for terminals, and as HTML."""
from __future__ import annotations

import html

__all__ = ["coloured", "highlighted"]


def coloured(text: str) -> str:
    """The text with a terminal's colours; as it is where pygments isn't installed."""
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return text
    return str(highlight(text, PythonLexer(stripnl=False), TerminalFormatter()))


def highlighted(code: str) -> str:
    """One line of Python as HTML without markup around it; only escaped where pygments isn't installed.

    >>> "&lt;" in highlighted("a < b")
    True
    """
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return html.escape(code)
    formatter = HtmlFormatter(nowrap=True, noclasses=True)
    return str(highlight(code, PythonLexer(stripnl=False, ensurenl=False), formatter)).rstrip("\n")
