"""What a gradient was specialised on, as checks in plain NumPy that name the argument and the fact."""
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from srcgrad.analysis.guards import Guard, of_value
from srcgrad.analysis.values import Array, Value
from srcgrad.backends.standalone.inside import NUMERIC

__all__ = ["Fact", "facts_of", "prose"]

_NUMBER_OR_ARRAY = Array(None, None)


@dataclass(frozen=True)
class Fact:
    """A condition over the parameters and the names in `objects`; `about` are expressions for what it is about."""
    text: str
    about: tuple[str, ...]
    objects: tuple[tuple[str, object], ...] = ()


def facts_of(params: tuple[str, ...], values: tuple[Value, ...], guards: tuple[Guard, ...]) -> list[Fact]:
    """All facts, those of each argument first; what is only about globals is left out, as these are constants here.

    >>> import numpy as np
    >>> [fact.text for fact in facts_of(("x",), (Array(np.dtype(float), ()),), ())]
    ['type(x) is _ndarray', 'x.dtype == _dtype', 'x.ndim == 0']
    """
    found: list[Fact] = []
    for name, value in zip(params, values, strict=True):
        found += _of_argument(name, value)
    for guard in guards:
        found += _of_guard(guard, params)
    return list({(f.text, f.about): f for f in found}.values())


def _of_argument(name: str, value: Value) -> Iterator[Fact]:
    if value == _NUMBER_OR_ARRAY:
        yield Fact(f"isinstance({name}, NUMERIC)", (name,), (("NUMERIC", NUMERIC),))
        return
    guard = of_value(name, value)
    if guard is not None:
        for term in _terms(guard.text):
            yield Fact(term, (_about(term, name),), _used(term, guard.objects))


def _terms(text: str) -> list[str]:
    """The parts of a conjunction."""
    tree = ast.parse(text, mode="eval").body
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    return [ast.unparse(part) for part in parts]


def _used(text: str, objects: tuple[tuple[str, object], ...]) -> tuple[tuple[str, object], ...]:
    names = _names(text)
    return tuple((name, obj) for name, obj in objects if name in names)


def _names(text: str) -> list[str]:
    return [node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)]


def _about(text: str, name: str) -> str:
    """The part of the argument that the term looks at first: `p['w']` of `p['w'].ndim == 2`."""
    match ast.parse(text, mode="eval").body:
        case ast.Compare(left=ast.Call(func=ast.Name(id="type" | "len" | "repr"), args=[inner])):
            return ast.unparse(inner)
        case ast.Compare(left=ast.Attribute(value=inner, attr="ndim" | "dtype")):
            return ast.unparse(inner)
        case ast.Compare(left=ast.Subscript(value=ast.Attribute(value=inner, attr="shape"))):
            return ast.unparse(inner)
        case ast.Compare(left=ast.Name() | ast.Subscript() | ast.Attribute() as inner) if not name.startswith("_"):
            return ast.unparse(inner)
    return name


def _of_guard(guard: Guard, params: tuple[str, ...]) -> Iterator[Fact]:
    own = {name for name, _ in guard.objects}
    met = [name for name in dict.fromkeys(_names(guard.text)) if name in params and name not in own]
    if met:
        yield Fact(guard.text, tuple(met), guard.objects)


# ---------------------------------------------------------------- in words

_LENGTH = r"[\w.\[\]']+\.shape\[\d+\]"
_PHRASES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"type\((?P<x>.+)\) is np\.ndarray", lambda m: f"{m['x']} must be an array"),
    (r"type\((?P<x>.+)\) is (?P<t>[\w.]+)", lambda m: f"{m['x']} must be of type {m['t']}"),
    (r"isinstance\((?P<x>.+), NUMERIC\)", lambda m: f"{m['x']} must be a number or an array"),
    (r"not holds_complex\((?P<x>.+)\)", lambda m: f"{m['x']} must be real"),
    (r"(?P<x>.+)\.dtype == np\.dtype\('(?P<d>\w+)'\)", lambda m: f"{m['x']} must have dtype {m['d']}"),
    (r"(?P<x>.+)\.ndim == 1", lambda m: f"{m['x']} must have 1 dimension"),
    (r"(?P<x>.+)\.ndim == (?P<n>\d+)", lambda m: f"{m['x']} must have {m['n']} dimensions"),
    (r"(?P<x>.+)\.shape\[(?P<i>\d+)\] == (?P<n>\d+)",
     lambda m: f"{m['x']} must have length {m['n']} along dimension {m['i']}"),
    (rf"(?P<x>{_LENGTH}) == (?P<y>{_LENGTH})", lambda m: f"{m['x']} must equal {m['y']}"),
    (r"len\((?P<x>.+)\) == 1", lambda m: f"{m['x']} must have 1 element"),
    (r"len\((?P<x>.+)\) == (?P<n>\d+)", lambda m: f"{m['x']} must have {m['n']} elements"),
    (r"not (?P<x>[\w.\[\]']+)", lambda m: f"{m['x']} must be empty"),
    (r"(?P<x>[\w.\[\]']+) (?:is|==) (?P<v>None|True|False|-?\d+|'[^']*')", lambda m: f"{m['x']} must be {m['v']}"),
)


def prose(condition: str) -> str:
    """The condition as the beginning of a sentence.

    >>> prose("x.ndim == 2"), prose("x.shape[0] == y.shape[1]")
    ('x must have 2 dimensions', 'x.shape[0] must equal y.shape[1]')
    """
    for pattern, phrase in _PHRASES:
        if (match := re.fullmatch(pattern, condition)) is not None and _balanced(match["x"]):
            return phrase(match)
    return f"{condition} must hold"


def _balanced(text: str) -> bool:
    """Whether it is an expression by itself."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
