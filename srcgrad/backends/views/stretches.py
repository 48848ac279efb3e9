"""Where the text of a function stands in its file."""
from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.errors import Place
from srcgrad.lang.source import Found, is_user_function


@dataclass(frozen=True)
class Stretch:
    """The lines of one function, decorators left out; names: (line, what is bound there)."""
    file: str
    first: int
    last: int
    name: str
    names: frozenset[tuple[int, str]] = field(default=frozenset(), compare=False)

    @staticmethod
    def of(found: Found) -> Stretch:
        return Stretch(found.file, found.tree.lineno, found.tree.end_lineno or found.tree.lineno, found.name)

    def holds(self, at: Place) -> bool:
        return at.file == self.file and self.first <= at.line <= self.last

    def bound_at(self, at: Place) -> frozenset[str]:
        return frozenset(name for line, name in self.names if at.line <= line <= at.end_line)

    def lines(self) -> list[str]:
        """The text, moved to the left as far as it goes."""
        lines = [line.rstrip("\n") for line in linecache.getlines(self.file)[self.first - 1:self.last]]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return [line[indent:] for line in lines]


def surrounding(file: str, line: int) -> Stretch | None:
    """The innermost `def` around a line of a file, if the file can be read."""
    around = [s for s in _definitions(file, "".join(linecache.getlines(file))) if s.first <= line <= s.last]
    return max(around, key=lambda s: s.first, default=None)


def reached(found: Found) -> dict[int, frozenset[Stretch]]:
    """line -> the functions that it calls by their names, with those that these call."""
    meant = {**found.globals, **{n: c.cell_contents for n, c in found.cells.items() if _is_full(c)}}
    return _reached(Stretch.of(found), meant, frozenset())


def _reached(caller: Stretch, meant: Mapping[str, Any], above: frozenset[Stretch]) -> dict[int, frozenset[Stretch]]:
    out: dict[int, frozenset[Stretch]] = {}
    for call in _calls("\n".join(caller.lines())):
        function = _function(call.func, meant)
        code = getattr(function, "__code__", None)
        called = None if code is None else surrounding(code.co_filename, _first_line(code))
        if called is None or called == caller or called in above or not is_user_function(function):
            continue
        assert function is not None
        inner = _reached(called, function.__globals__, above | {caller}).values()
        line = call.lineno + caller.first - 1
        out[line] = out.get(line, frozenset()).union({called}, *inner)
    return out


def _first_line(code: types.CodeType) -> int:
    """The line of the `def`, below its decorators, or one of the body."""
    return max(code.co_firstlineno, min((n for _, _, n in code.co_lines() if n is not None and n > code.co_firstlineno),
                                        default=code.co_firstlineno))


def _function(expr: ast.expr, meant: Mapping[str, Any]) -> Any:
    """The function that a name, or a name in a module, means."""
    if isinstance(expr, ast.Name):
        return meant.get(expr.id)
    owner = _function(expr.value, meant) if isinstance(expr, ast.Attribute) else None
    return vars(owner).get(getattr(expr, "attr", "")) if isinstance(owner, types.ModuleType) else None


def _is_full(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


@functools.lru_cache(maxsize=32)
def _calls(text: str) -> tuple[ast.Call, ...]:
    try:
        return tuple(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call))
    except SyntaxError:
        return ()


@functools.lru_cache(maxsize=32)
def _definitions(file: str, text: str) -> tuple[Stretch, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(Stretch(file, n.lineno, n.end_lineno or n.lineno, n.name, _bound(n))
                 for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _bound(tree: ast.AST) -> frozenset[tuple[int, str]]:
    return frozenset([(n.lineno, n.id) for n in ast.walk(tree) if isinstance(n, ast.Name) and not _is_read(n)]
                     + [(n.lineno, n.arg) for n in ast.walk(tree) if isinstance(n, ast.arg)])


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)
