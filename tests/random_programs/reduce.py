"""Shrink a failing random program while it keeps failing in the same way.

    python tests/random_programs/reduce.py KIND SEED [--plain | --general | --checked] [--basic]
"""
from __future__ import annotations

import argparse
import ast
import copy
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

if __name__ == "__main__":
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from random_programs.generate import KINDS, generate
from random_programs.judge import judge
from random_programs.run import add_options, options_of

__all__ = ["reduce"]

BLOCKS = ("body", "orelse")


def reduce(source: str, still_fails: Callable[[str], bool]) -> str:
    """The smallest text found by deleting statements and simplifying expressions for which `still_fails` holds.

    >>> reduce("a = 1\\nb = a + 2\\nc = 3\\n", lambda text: "a +" in text)
    'b = a + a'
    """
    changed = True
    while changed:
        changed = False
        for candidate in _smaller(source):
            if candidate != source and still_fails(candidate):
                source, changed = candidate, True
                break
    return source


def _smaller(source: str) -> Iterator[str]:
    """Texts a step smaller, the largest steps first."""
    yield from _each(source, _without_statements)
    yield from _each(source, _unwrapped)
    yield from _each(source, _simpler_expressions)


def _each(source: str, edits: Callable[[ast.Module], list[Callable[[], None]]]) -> Iterator[str]:
    """The text after each edit alone."""
    tree = ast.parse(source)
    for k in range(len(edits(tree))):
        changed = copy.deepcopy(tree)
        edits(changed)[k]()
        yield ast.unparse(changed)


def _blocks(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    return [(node, name) for node in ast.walk(tree) for name in BLOCKS
            if isinstance(getattr(node, name, None), list) and getattr(node, name)]


def _without_statements(tree: ast.Module) -> list[Callable[[], None]]:
    """Deletions of half a block, then of a statement."""
    edits: list[Callable[[], None]] = []
    for node, name in _blocks(tree):
        statements = getattr(node, name)
        half = len(statements) // 2
        spans = [(0, half), (half, len(statements))] if half > 1 else []
        for low, high in spans + [(k, k + 1) for k in reversed(range(len(statements)))]:
            kept = statements[:low] + statements[high:] or ([] if name == "orelse" else [ast.Pass()])
            edits.append(lambda node=node, name=name, kept=kept: setattr(node, name, kept))
    return edits


def _unwrapped(tree: ast.Module) -> list[Callable[[], None]]:
    """Compound statements replaced by what is inside; for loops with their index set before."""
    edits: list[Callable[[], None]] = []
    for node, name in _blocks(tree):
        for k, statement in enumerate(getattr(node, name)):
            if isinstance(statement, ast.If | ast.For | ast.While):
                bound = [ast.Assign([statement.target], ast.Constant(1), lineno=0)] \
                    if isinstance(statement, ast.For) else []
                new = [*getattr(node, name)[:k], *bound, *statement.body, *getattr(node, name)[k + 1:]]
                edits.append(lambda node=node, name=name, new=new: setattr(node, name, new))
    return edits


def _simpler_expressions(tree: ast.Module) -> list[Callable[[], None]]:
    """Operations replaced by an operand, calls by an argument, numbers by 1.0."""
    edits: list[Callable[[], None]] = []
    for parent in ast.walk(tree):
        for field, child in ast.iter_fields(parent):
            children = child if isinstance(child, list) else [child]
            for k, expr in enumerate(children):
                for new in _simpler(expr):
                    value = [*children[:k], new, *children[k + 1:]] if isinstance(child, list) else new
                    edits.append(lambda p=parent, f=field, v=value: setattr(p, f, v))
    return edits


def _simpler(expr: object) -> list[ast.expr]:
    match expr:
        case ast.BinOp(left, _, right):
            return [left, right]
        case ast.Call(ast.Attribute(), args, _):
            return [*args]
        case ast.UnaryOp(_, operand):
            return [operand]
        case ast.IfExp(_, body, orelse):
            return [body, orelse]
        case ast.Constant(float() as value) if value not in (0.0, 1.0, 2.0):
            return [ast.Constant(2.0)]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", type=int, choices=sorted(KINDS))
    parser.add_argument("seed", type=int)
    add_options(parser)
    arguments = parser.parse_args()
    source, args = generate(arguments.kind, arguments.seed, arguments.basic)
    options = options_of(arguments)
    first = judge(source, args, **options)
    if first.outcome == "right":
        print("this program is right")
        return 1

    def still_fails(text: str) -> bool:
        verdict = judge(text, args, seconds=5.0, **options)
        return (verdict.outcome, verdict.kind) == (first.outcome, first.kind)

    print(reduce(source, still_fails))
    for name, value in zip("xyA", args):
        print(f"# {name} = {value.tolist()} (strides {value.strides})")
    print(f"# {first.outcome}, {first.kind}: {first.detail}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
