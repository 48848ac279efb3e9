"""What the names in a piece of Python text mean, and the same text with other names."""
from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Mapping

__all__ = ["free_names", "bound_names", "calls_itself", "needed_first", "identifiers", "renamed", "without_examples",
           "header_end"]


def free_names(text: str) -> set[str]:
    """The names that the text of a definition or an expression reads from around it.

    >>> sorted(free_names("def f(x, n=m):\\n    return g(lambda y: x * y)"))
    ['g', 'm']
    """
    table = symtable.symtable(text, "<text>", "exec")
    own = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    top = {s.get_name() for s in table.get_symbols() if s.is_referenced() and not s.is_assigned()}
    inner = {s.get_name() for t in _inside(table) for s in t.get_symbols() if s.is_global() and s.is_referenced()}
    return (top | inner) - own


def bound_names(text: str) -> set[str]:
    """The names that any function or class inside of the text binds, its parameters included."""
    tables = _inside(symtable.symtable(text, "<text>", "exec"))
    # methods are reached through their class alone
    return {s.get_name() for t in tables for s in t.get_symbols() if (s.is_local() or s.is_parameter())
            and not (s.is_namespace() and t.get_type() == "class")}


def calls_itself(text: str, name: str) -> bool:
    """Whether a definition reads its own name.

    >>> calls_itself("def f(x):\\n    return f(x - 1) if x else 0", "f")
    True
    """
    tables = _inside(symtable.symtable(text, "<text>", "exec"))
    return any(s.get_name() == name and s.is_global() and s.is_referenced() for t in tables for s in t.get_symbols())


def needed_first(text: str) -> set[str]:
    """The free names that are read when the definition itself runs: defaults, decorators, base classes.

    >>> sorted(needed_first("class A(B):\\n    c: D = e\\n    def f(self, x=y):\\n        return z"))
    ['B', 'e', 'y']
    """
    table = symtable.symtable(f"from __future__ import annotations\n{text}", "<text>", "exec")
    own = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    classes = [t for t in table.get_children() if t.get_type() == "class"]
    return {s.get_name() for t in (table, *classes) for s in t.get_symbols()
            if s.is_referenced() and not s.is_assigned()} - own


def _inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inside(child)


def identifiers(text: str) -> set[str]:
    """Every name that occurs in the text, whatever it means."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


# ---------------------------------------------------------------- renaming

def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with free names, and names of its outermost definitions, replaced; its layout and comments stay.

    None of the names may be bound inside as well.

    >>> renamed("def f(x):\\n    return f(x) + g  # twice", {"f": "h", "g": "k"})
    'def h(x):\\n    return h(x) + k  # twice'
    """
    changed = {old: new for old, new in names.items() if old != new}
    if not changed:
        return text
    tree = ast.parse(text)
    if any(_stands_in_a_string(node, changed) for node in ast.walk(tree)):
        # before Python 3.12 what stands in an f-string has no position
        return ast.unparse(_Renamer(changed).visit(tree)) + "\n"
    lines = [line.encode() for line in text.split("\n")]
    for line, column, old in sorted(_places(tree, lines), reverse=True):
        if old in changed:
            code = lines[line - 1]
            lines[line - 1] = code[:column] + changed[old].encode() + code[column + len(old.encode()):]
    return b"\n".join(lines).decode()


def _stands_in_a_string(node: ast.AST, names: Mapping[str, str]) -> bool:
    return isinstance(node, ast.JoinedStr) and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def _places(tree: ast.Module, lines: list[bytes]) -> Iterator[tuple[int, int, str]]:
    """Where names stand: (line, column in bytes, name)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.col_offset, node.id
    for stmt in tree.body:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            keyword = b"def" if isinstance(stmt, ast.FunctionDef) else b"class"
            line = lines[stmt.lineno - 1]
            yield stmt.lineno, line.index(stmt.name.encode(), line.index(keyword) + len(keyword)), stmt.name


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node


# ---------------------------------------------------------------- docstrings and headers

def without_examples(text: str) -> str:
    """The text of a definition with docstrings that end before their examples.

    >>> text = "def f(x):\\n    '''Twice x.\\n\\n    >>> f(1)\\n    2\\n    '''\\n    return 2 * x"
    >>> without_examples(text).split("\\n")
    ['def f(x):', "    '''Twice x.'''", '    return 2 * x']
    """
    lines = text.split("\n")
    for node in reversed(list(ast.walk(ast.parse(text)))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) and ">>>" in _docstring(node):
            place = node.body[0]
            end = place.end_lineno or place.lineno
            first = next(k for k in range(place.lineno - 1, end) if ">>>" in lines[k])
            kept = "\n".join(lines[place.lineno - 1:first]).rstrip()
            quotes = lines[end - 1].rstrip()[-3:]
            lines[place.lineno - 1:end] = (kept + quotes).split("\n")
    return "\n".join(lines)


def _docstring(node: ast.FunctionDef | ast.ClassDef) -> str:
    return ast.get_docstring(node) or ""


def header_end(text: str) -> int:
    """How many lines the header of a definition takes, `def` to colon.

    >>> header_end("def f(a,\\n      b):\\n    # first\\n    return a")
    2
    """
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        if depth == 0 and line.rstrip().endswith(":"):
            return number
    return 1
