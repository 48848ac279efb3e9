"""What a program is made of, read off its text: its statement skeleton, its constructs, its NumPy operations."""
from __future__ import annotations

import ast
import functools
import inspect
import itertools
import textwrap
from collections.abc import Iterator

from corpus.registry import Program

__all__ = ["constructs", "length", "operations", "shape", "skeleton"]

NESTED = ("body", "handlers", "orelse", "finalbody", "cases")


@functools.cache
def _module(file: str) -> ast.Module:
    with open(file, encoding="utf-8") as text:
        return ast.parse(text.read())


@functools.cache
def tree(program: Program) -> ast.FunctionDef:
    """The program's function definition."""
    node = ast.parse(textwrap.dedent(inspect.getsource(program.function))).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def skeleton(node: ast.AST) -> tuple:
    """The kinds of a block's statements in their nesting; neighbours of one kind and inside count as one.

    >>> skeleton(ast.parse("a = 1\\nb = 2\\nfor i in x:\\n    c = 3\\n"))
    (('Module', (('Assign',), ('For', (('Assign',),)))),)
    """
    return (_statement(node),)


def _statement(node: ast.AST) -> tuple:
    inner = (_block(getattr(node, name)) for name in NESTED if isinstance(getattr(node, name, None), list))
    return (type(node).__name__, *(block for block in inner if block))


def _block(statements: list[ast.stmt]) -> tuple:
    out: list[tuple] = []
    for statement in statements:
        kinds = _statement(statement)
        if not out or out[-1] != kinds:
            out.append(kinds)
    return tuple(out)


TARGETS = {ast.Tuple: "unpacking", ast.List: "unpacking", ast.Attribute: "field", ast.Subscript: "item"}
WITHIN = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.IfExp, ast.NamedExpr)


def shape(program: Program) -> tuple:
    """What tells a program from others: the kinds of statements in their nesting, also of the functions and classes
    that it uses, where binding a name, writing to an item or a field, and unpacking are kinds of their own, and
    comprehensions, lambdas and conditional expressions are blocks."""
    own, *used = map(_shape, _definitions(program))
    return (own, *sorted(used, key=repr))


def _shape(node: ast.AST) -> tuple:
    inner = tuple(_shapes(getattr(node, name)) for name in NESTED if isinstance(getattr(node, name, None), list))
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    within = tuple(sorted(type(e).__name__ for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
                          for e in ast.walk(child) if isinstance(e, WITHIN)))
    return (type(node).__name__, TARGETS.get(type(target), ""), within, *(block for block in inner if block))


def _shapes(statements: list[ast.stmt]) -> tuple:
    return tuple(kinds for kinds, _ in itertools.groupby(map(_shape, statements)))


def length(program: Program) -> int:
    """Lines of the function's body without its docstring."""
    body = tree(program).body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


# ---------------------------------------------------------------- constructs

def _definitions(program: Program) -> list[ast.FunctionDef | ast.ClassDef]:
    """The program's function and the functions and classes of its module that it uses, directly or not."""
    module = _module(inspect.getsourcefile(program.function) or "")
    known = {n.name: n for n in module.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    found: list[ast.FunctionDef | ast.ClassDef] = [tree(program)]
    queue = list(found)
    while queue:
        for name in ast.walk(queue.pop()):
            used = known.get(name.id) if isinstance(name, ast.Name) else None
            if used is not None and used.name not in [d.name for d in found]:
                found.append(used)
                queue.append(used)
    return found


def _functions(program: Program) -> list[ast.FunctionDef]:
    """The program's function, the functions that it calls, and the methods of the classes that it uses."""
    out = []
    for definition in _definitions(program):
        members = definition.body if isinstance(definition, ast.ClassDef) else [definition]
        out += [m for m in members if isinstance(m, ast.FunctionDef)]
    return out


def constructs(program: Program) -> set[str]:
    """The constructs of the language that the program, its callees and its classes use."""
    functions = _functions(program)
    out = {name for f in functions for name in _constructs_of(f)}
    own = {f.name for f in functions}
    for f in functions:
        called = {n.id for n in ast.walk(f) if isinstance(n, ast.Name)}
        out |= {"call"} if called & (own - {f.name}) else set()
        out |= {"recursion"} if f.name in called else set()
    return out | ({"object"} if any(isinstance(d, ast.ClassDef) for d in _definitions(program)) else set())


def _constructs_of(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        yield from _of_node(node)
        if isinstance(node, ast.For | ast.While):
            if node.orelse:
                yield "loop else"
            inner = [n for s in node.body for n in ast.walk(s)]
            if any(isinstance(n, ast.For | ast.While) for n in inner):
                yield "nested loop"
            if any(isinstance(n, ast.Return) for n in inner):
                yield "return in loop"
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    if len(returns) > 1:
        yield "early return"


SIMPLE: dict[type, str] = {
    ast.While: "while", ast.IfExp: "conditional", ast.Break: "break", ast.Continue: "continue", ast.Lambda: "lambda",
    ast.ListComp: "comprehension", ast.DictComp: "comprehension", ast.GeneratorExp: "comprehension", ast.Try: "try",
    ast.With: "with", ast.Yield: "generator", ast.Match: "match", ast.NamedExpr: "walrus", ast.ClassDef: "class",
    ast.Nonlocal: "nonlocal", ast.Starred: "star", ast.Dict: "dict", ast.Raise: "raise", ast.Assert: "assert",
    ast.Delete: "del", ast.Global: "global", ast.JoinedStr: "f-string", ast.YieldFrom: "generator",
    ast.BoolOp: "and, or", ast.SetComp: "comprehension", ast.Set: "set",
}


def _of_node(node: ast.AST) -> Iterator[str]:
    if type(node) in SIMPLE:
        yield SIMPLE[type(node)]
    elif isinstance(node, ast.If):
        yield "if"
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            yield "elif"
    elif isinstance(node, ast.For):
        yield "for range" if _calls(node.iter, "range") else "for each"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        yield "append"
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _of_assignment(target, node.value)
    elif isinstance(node, ast.AugAssign):
        yield "augmented name" if isinstance(node.target, ast.Name) else "augmented item"
        yield from _of_store(node.target)


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _of_assignment(target: ast.expr, value: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Tuple):
        yield "unpacking"
        if isinstance(value, ast.Tuple) and {ast.dump(e).replace("Store", "Load") for e in target.elts} \
                & {ast.dump(e) for e in value.elts}:
            yield "swap"
        for element in target.elts:
            yield from _of_store(element)
    elif isinstance(target, ast.Name) and isinstance(value, ast.Name):
        yield "alias"
    elif isinstance(target, ast.Name) and _is_view(value):
        yield "view"
    yield from _of_store(target)


def _is_view(value: ast.expr) -> bool:
    if isinstance(value, ast.Subscript):
        return any(isinstance(n, ast.Slice) for n in ast.walk(value.slice))
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in ("reshape", "ravel")
    return isinstance(value, ast.Attribute) and value.attr == "T"


def _of_store(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Subscript):
        sliced = any(isinstance(n, ast.Slice) or isinstance(n, ast.Constant) and n.value is ...
                     for n in ast.walk(target.slice))
        yield "slice write" if sliced else "item write"
    elif isinstance(target, ast.Attribute):
        yield "attribute write"


# ---------------------------------------------------------------- operations

def operations(program: Program) -> set[str]:
    """Names such as `np.sum`, `np.linalg.solve`, `math.exp` and, for methods and attributes, `.sum`."""
    out = set()
    for function in _functions(program):
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute):
                text = ast.unparse(node)
                out.add(text if text.startswith(("np.", "math.")) and "(" not in text else "." + node.attr)
    return out | {f"operator {type(n.op).__name__}" for f in _functions(program) for n in ast.walk(f)
                  if isinstance(n, ast.BinOp)}
