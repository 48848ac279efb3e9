"""A function beside its backward statements, line by line: as text and as HTML."""
from __future__ import annotations

import html

from srcgrad.backends.views.aligned import Aligned, align
from srcgrad.backends.views.colour import highlighted
from srcgrad.lang.source import Found

__all__ = ["as_html", "as_text", "side_by_side"]

_WIDEST = 100
_FORWARD = "the function"
_BACKWARD = "backward, from the last line to the first"


def side_by_side(found: Found, text: str) -> str:
    """Two columns: each line of the function, and right of it what reverses it."""
    rows = _rows(align(found, text))
    width = min(max([len(left) for left, _ in rows] + [len(_FORWARD)]), _WIDEST)
    table = [(_FORWARD, _BACKWARD), ("-" * width, "-" * len(_BACKWARD)), *rows]
    # so that the whole is Python still, and can be coloured
    return "\n".join(f"{left:<{width}} | {right}".rstrip() for left, right in table) + "\n"


def as_html(found: Found, text: str) -> str:
    """The same as a table with colours."""
    cells = "".join(f"<tr><td{_STYLE}>{highlighted(left)}</td><td{_STYLE}>{highlighted(right)}</td></tr>"
                    for left, right in _rows(align(found, text)))
    heads = "".join(f"<th style='text-align:left'>{html.escape(title)}</th>" for title in (_FORWARD, _BACKWARD))
    return f"<table><tr>{heads}</tr>{cells}</table>"


def as_text(text: str) -> str:
    """Any text as HTML that looks the same."""
    return f"<pre>{html.escape(text)}</pre>"


_STYLE = " style='text-align:left;white-space:pre;font-family:monospace;padding:0 1em 0 0'"


def _rows(aligned: Aligned) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for number, left in enumerate(aligned.primal, aligned.first):
        right = [line[4:] for line in aligned.backward.get(number, [])] or [""]
        rows += [(left if k == 0 else "", line) for k, line in enumerate(right)]
    return rows + ([("", ""), *(("", line) for line in aligned.others.split("\n"))] if aligned.others else [])
