"""Where the text of a function stands in its file."""
from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass, field

from srcgrad.errors import Place
from srcgrad.lang.source import Found


@dataclass(frozen=True)
class Stretch:
    """The lines of one function, decorators left out; names: what it binds."""
    file: str
    first: int
    last: int
    name: str
    names: frozenset[str] = field(default=frozenset(), compare=False)

    @staticmethod
    def of(found: Found) -> Stretch:
        return Stretch(found.file, found.tree.lineno, found.tree.end_lineno or found.tree.lineno, found.name)

    def holds(self, at: Place) -> bool:
        return at.file == self.file and self.first <= at.line <= self.last

    def lines(self) -> list[str]:
        """The text, moved to the left as far as it goes."""
        lines = [line.rstrip("\n") for line in linecache.getlines(self.file)[self.first - 1:self.last]]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return [line[indent:] for line in lines]


def surrounding(file: str, line: int) -> Stretch | None:
    """The innermost `def` around a line of a file, if the file can be read."""
    around = [s for s in _definitions(file, "".join(linecache.getlines(file))) if s.first <= line <= s.last]
    return max(around, key=lambda s: s.first, default=None)


@functools.lru_cache(maxsize=32)
def _definitions(file: str, text: str) -> tuple[Stretch, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(Stretch(file, n.lineno, n.end_lineno or n.lineno, n.name, _bound(n))
                 for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _bound(tree: ast.AST) -> frozenset[str]:
    return frozenset([n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
                     + [n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)])
