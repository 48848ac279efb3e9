"""Line breaks: long logical lines are broken inside brackets, where the expression is loosest.

>>> print("\\n".join(wrap(f"return {' + '.join(f'coefficient_{i}' for i in range(9))}", "")))
return (coefficient_0 + coefficient_1 + coefficient_2 + coefficient_3 + coefficient_4 + coefficient_5
        + coefficient_6 + coefficient_7 + coefficient_8)
"""
from __future__ import annotations

import re
from typing import NamedTuple

WIDTH = 110
INDENT = "    "

_TOKEN = re.compile(r"""(?P<string>[rbfuRBFU]*(?:'{3}(?:\\.|[^\\])*?'{3}|"{3}(?:\\.|[^\\])*?"{3}"""
                    r"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"))|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,\ )"""
                    r"""|(?P<loose>\ (?:and|or|if|else|for|==|!=|<=?|>=?|in|not\ in|is|is\ not)\ )|(?P<sum>\ [-+|]\ )"""
                    r"""|(?P<product>\ (?:\*|/|//|%|@|&|<<|>>)\ )""")
_RANKS = {"comma": 0, "loose": 1, "sum": 2, "product": 3}


class _Break(NamedTuple):
    """A place where a line may end: the next line starts at `at`, inside the bracket at `bracket`."""
    at: int
    rank: int
    bracket: int


def wrap(line: str, indent: str) -> list[str]:
    """The line, broken inside brackets where it is longer than WIDTH columns; a right-hand side may get parentheses."""
    if len(indent) + len(line) <= WIDTH:
        return [indent + line]
    line = _parenthesised(line)
    breaks = _breaks(line)
    lines: list[str] = []
    start, lead = 0, indent
    columns: dict[int, int] = {}
    while len(lead) + len(line) - start > WIDTH and (chosen := _choose(breaks, start, WIDTH - len(lead))):
        columns.update((b.bracket, len(lead) + b.bracket - start + 1) for b in breaks if start <= b.bracket < chosen.at)
        lines.append(lead + line[start:chosen.at].rstrip())
        start, lead = chosen.at, _lead(columns[chosen.bracket], indent)
    return [*lines, lead + line[start:]]


def _lead(column: int, indent: str) -> str:
    """Below the bracket, unless that is far to the right or where a block's body would stand."""
    return " " * column if len(indent + INDENT) < column < WIDTH // 2 else indent + 2 * INDENT


def _choose(breaks: list[_Break], start: int, room: int) -> _Break | None:
    """The loosest place that fits, and of these the last; a line shorter than a third of the room is a waste."""
    ahead = [b for b in breaks if b.at > start]
    fitting = [b for b in ahead if b.at <= start + room + 1] or ahead[:1]  # the space before `at` goes
    wide = [b for b in fitting if b.at > start + room // 3] or fitting
    return min(wide, key=lambda b: (b.rank, -b.at), default=None)


def _breaks(line: str) -> list[_Break]:
    found, opened = [], []
    for token in _TOKEN.finditer(line):
        what = str(token.lastgroup)
        if what == "open":
            opened.append(token.start())
        elif what == "close":
            opened.pop()
        elif what in _RANKS and opened:
            at = token.end() if what == "comma" else token.start() + 1
            found.append(_Break(at, 10 * len(opened) + _RANKS[what], opened[-1]))
    return found


def _parenthesised(line: str) -> str:
    """`x = a + b` as `x = (a + b)` if the right-hand side could be broken outside of its own brackets."""
    head = re.match(r"(return|raise|if|elif|while|[^=(]*?(?: [-+*/%@&|^<>]*=)+) ", line)
    if head is None:
        return line
    colon = ":" if line.endswith(":") and line.startswith(("if", "elif", "while")) else ""
    value = line[head.end():len(line) - len(colon)]
    loose = any(b.rank < 20 for b in _breaks(f"({value})"))
    return f"{head.group()}({value}){colon}" if loose else line
