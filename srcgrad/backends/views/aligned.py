"""Which backward statements belong to which line of the function.

The generated text says it in comments, `# line 7: y = x * x`; headers of loops and branches go with the loop or branch
that they reverse, what begins the backward part with the last `return`, and what ends it with the `def`.  The lines of
functions that were put in place go with these functions' own, where it is said which functions those are, and with the
line that calls them otherwise.
"""
from __future__ import annotations

import ast
import linecache
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from srcgrad.backends.views.stretches import Stretch, reached
from srcgrad.lang.source import Found

__all__ = ["Aligned", "align"]

Groups = dict[int, list[str]]

_COMMENT = re.compile(r"\s*# line (\d+)(?:: (.*))?$")


@dataclass
class Aligned:
    """first: the number of the function's first line.  primal: its lines.  backward: line -> its backward lines.
    inside: the same for functions that were put in place.  others: the texts of functions that are called."""
    first: int
    primal: list[str]
    backward: Groups = field(default_factory=lambda: defaultdict(list))
    inside: dict[Stretch, Groups] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    forward: list[str] = field(default_factory=list)
    others: str = ""

    def groups(self) -> Iterator[tuple[Stretch | None, int, list[str]]]:
        """(function that was put in place, line, its backward lines)"""
        for stretch, groups in [(None, self.backward), *self.inside.items()]:
            for line, lines in groups.items():
                yield stretch, line, lines


def align(found: Found, text: str, followed: Iterable[Stretch] = ()) -> Aligned:
    """The function's lines with the backward statements of each; `followed`: functions that were put in place."""
    lines = linecache.getlines(found.file, found.globals)
    first, last = found.tree.lineno, found.tree.end_lineno or found.tree.lineno
    result = Aligned(first, [line.rstrip("\n") for line in lines[first - 1:last]])
    own, result.others = _first_definition(text)
    start = next((k for k, line in enumerate(own) if line.strip() == "# backward"), 0)
    result.forward = own[:start]
    _Walk(found, result, own[start + 1:], tuple(followed)).go()
    return result


def _first_definition(text: str) -> tuple[list[str], str]:
    lines = text.split("\n")
    end = ast.parse(text).body[0].end_lineno or len(lines)
    return lines[:end], "\n".join(lines[end:]).strip("\n")


class _Walk:
    """Goes through the backward lines with the line of the function that each belongs to."""

    def __init__(self, found: Found, result: Aligned, lines: list[str], followed: tuple[Stretch, ...]) -> None:
        self.found, self.result, self.lines, self.followed = found, result, lines, followed
        self.compounds = _compounds(result)
        self.returns = _last_return(result)
        # the line that an open block belongs to, by its indentation
        self.owners: list[tuple[int, int]] = []

    def go(self) -> None:
        owner: int = self.returns
        here: Groups = self.result.backward
        for k, line in enumerate(self.lines):
            depth = len(line) - len(line.lstrip())
            while self.owners and self.owners[-1][0] >= depth:
                self.owners.pop()
            said = self._own_line(line)
            if said is not None:
                owner, here = said, self.result.backward
                continue
            if (inner := self._inner_line(line)) is not None:
                stretch, owner = inner
                here = self.result.inside[stretch]
                continue
            owner = self._calling_line(line, owner)
            if line.lstrip().startswith(("for ", "while ")) and line.rstrip().endswith(":"):
                found = self._loop_of(k, depth)
                if found is not None:
                    owner, here = found, self.result.backward
                elif (inner := self._first_inner_line(k, depth)) is not None:
                    stretch, owner = inner
                    here = self.result.inside[stretch]
                self.owners.append((depth, owner))
            elif line.startswith("    return"):
                owner, here = self.result.first, self.result.backward
            here[owner].append(line)

    def _own_line(self, line: str) -> int | None:
        """The number in a comment, where it means a line of this function."""
        match = _COMMENT.match(line)
        return int(match[1]) if match and _shows(self.result.primal, self.result.first, match) else None

    def _inner_line(self, line: str) -> tuple[Stretch, int] | None:
        """The same for a function that was put in place."""
        match = _COMMENT.match(line)
        return next(((s, int(match[1])) for s in self.followed if _shows(s.lines(), s.first, match)), None) \
            if match else None

    def _calling_line(self, line: str, owner: int) -> int:
        """The line of the function that calls what a comment shows a line of: the last one that isn't after `owner`."""
        match = _COMMENT.match(line)
        if match is None:
            return owner
        calls = reached(self.found)
        return max((n for n, called in calls.items() if n <= owner
                    and any(_shows(s.lines(), s.first, match) for s in called)), default=owner)

    def _inside(self, k: int, depth: int) -> list[str]:
        """The lines of the block whose header is line k."""
        end = next((n for n, line in enumerate(self.lines[k + 1:], k + 1)
                    if line.strip() and len(line) - len(line.lstrip()) <= depth), len(self.lines))
        return self.lines[k + 1:end]

    def _first_inner_line(self, k: int, depth: int) -> tuple[Stretch, int] | None:
        return next((inner for line in self._inside(k, depth) if (inner := self._inner_line(line)) is not None), None)

    def _loop_of(self, k: int, depth: int) -> int | None:
        """The loop of the function that this reversed loop stands for: the one around its first comment."""
        nesting = len(self.owners)
        for line in self._inside(k, depth):
            if (number := self._own_line(line)) is not None:
                around = [a for a, b in self.compounds if a < number <= b or a == number]
                return around[nesting] if nesting < len(around) else (around[-1] if around else number)
        return None


def _shows(lines: list[str], first: int, match: re.Match[str]) -> bool:
    """Whether the comment shows one of the lines, which count from `first`."""
    k = int(match[1]) - first
    shown = (match[2] or "").removesuffix("...")
    return 0 <= k < len(lines) and lines[k].strip().startswith(shown)


def _tree(result: Aligned) -> ast.AST | None:
    try:
        return ast.parse("if 1:\n" + "\n".join(f" {line}" for line in result.primal))
    except SyntaxError:
        return None


def _compounds(result: Aligned) -> list[tuple[int, int]]:
    """First and last lines of the loops, outer ones first."""
    tree = _tree(result)
    shift = result.first - 2
    loops = [n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While))] if tree is not None else []
    return sorted((n.lineno + shift, (n.end_lineno or n.lineno) + shift) for n in loops)


def _last_return(result: Aligned) -> int:
    tree = _tree(result)
    found = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Return)] if tree is not None else []
    return max(found, default=len(result.primal) + 1) + result.first - 2
