"""Which backward statements belong to which line of the function.

The generated text says it in comments, `# line 7: y = x * x`; headers of loops and branches go with the loop or branch
that they reverse, what begins the backward part with the last `return`, and what ends it with the `def`.
"""
from __future__ import annotations

import ast
import linecache
import re
from collections import defaultdict
from dataclasses import dataclass, field

from srcgrad.lang.source import Found

__all__ = ["Aligned", "align"]

_COMMENT = re.compile(r"\s*# line (\d+)(?:: (.*))?$")


@dataclass
class Aligned:
    """first: the number of the function's first line.  primal: its lines.  backward: line -> its backward lines.
    elsewhere: backward lines of functions that were put in place, with their comments, by the line after which they
    stand; others: the texts of functions that are called."""
    first: int
    primal: list[str]
    backward: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    forward: list[str] = field(default_factory=list)
    others: str = ""


def align(found: Found, text: str) -> Aligned:
    """The function's lines with the backward statements of each."""
    lines = linecache.getlines(found.file, found.globals)
    first, last = found.tree.lineno, found.tree.end_lineno or found.tree.lineno
    result = Aligned(first, [line.rstrip("\n") for line in lines[first - 1:last]])
    own, result.others = _first_definition(text)
    start = next((k for k, line in enumerate(own) if line.strip() == "# backward"), 0)
    result.forward = own[:start]
    _Walk(found, result, own[start + 1:]).go()
    return result


def _first_definition(text: str) -> tuple[list[str], str]:
    lines = text.split("\n")
    end = ast.parse(text).body[0].end_lineno or len(lines)
    return lines[:end], "\n".join(lines[end:]).strip("\n")


class _Walk:
    """Goes through the backward lines with the line of the function that each belongs to."""

    def __init__(self, found: Found, result: Aligned, lines: list[str]) -> None:
        self.result, self.lines = result, lines
        self.compounds = _compounds(result)
        self.returns = _last_return(result)
        # the line that an open block belongs to, by its indentation
        self.owners: list[tuple[int, int]] = []

    def go(self) -> None:
        owner = self.returns
        for k, line in enumerate(self.lines):
            depth = len(line) - len(line.lstrip())
            while self.owners and self.owners[-1][0] >= depth:
                self.owners.pop()
            said = self._own_line(line)
            if said is not None:
                owner = said
                continue
            if line.lstrip().startswith(("for ", "while ")) and line.rstrip().endswith(":"):
                owner = self._loop_of(k, depth, owner)
                self.owners.append((depth, owner))
            elif line.startswith("    return"):
                owner = self.result.first
            self.result.backward[owner].append(line)

    def _own_line(self, line: str) -> int | None:
        """The number in a comment, where it means a line of this function."""
        match = _COMMENT.match(line)
        if match is None:
            return None
        number = int(match[1])
        k = number - self.result.first
        if not 0 <= k < len(self.result.primal):
            return None
        shown = (match[2] or "").removesuffix("...")
        return number if self.result.primal[k].strip().startswith(shown) else None

    def _loop_of(self, k: int, depth: int, otherwise: int) -> int:
        """The loop of the function that this reversed loop stands for: the one around its first comment."""
        nesting = len(self.owners)
        for line in self.lines[k + 1:]:
            if line.strip() and len(line) - len(line.lstrip()) <= depth:
                break
            if (number := self._own_line(line)) is not None:
                around = [a for a, b in self.compounds if a < number <= b or a == number]
                return around[nesting] if nesting < len(around) else (around[-1] if around else number)
        return otherwise


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
