"""What the forward part keeps for the backward part of a generated function: which names, for which lines, how many
bytes."""
from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.backends.views.aligned import Aligned
from srcgrad.backends.views.stretches import Stretch

__all__ = ["Kept", "kept_values", "read_lines", "sizes"]

Reader = tuple[str, int]


@dataclass(frozen=True)
class Kept:
    """What the backward part reads of the forward part.

    origin: the assignment that makes it, "argument", or "" where it is what a place held before it was overwritten.
    stack: the name under which it is kept, where that isn't its own.  readers: the lines whose reversal reads it, with
    their function where that was put in place.
    """
    name: str
    origin: str
    stack: str | None
    readers: tuple[Reader, ...]


def kept_values(aligned: Aligned, params: tuple[str, ...]) -> list[Kept]:
    """In the order in which the forward part makes them, then what was overwritten."""
    made = {n: line for n, line in _assignments(aligned.forward).items() if not line.startswith("for ")}
    stacks = {target: stack for _, target, stack in _pops(aligned)}
    reads = {_reader(stretch, line): _loaded(lines) for stretch, line, lines in aligned.groups()}
    out = []
    for name, origin in {**dict.fromkeys(params, "argument"), **made}.items():
        readers = tuple(sorted(line for line, names in reads.items() if name in names))
        if readers and name not in stacks.values():
            out.append(Kept(name, origin, stacks.get(name), readers))
    overwritten = (pop for pop in _pops(aligned) if not pop[1].isidentifier())
    return out + [Kept(target, "", stack, (reader,)) for reader, target, stack in overwritten]


def read_lines(aligned: Aligned, names: set[str]) -> dict[Stretch | None, dict[int, list[str]]]:
    """function that was put in place, or None -> line -> which of the names its backward statements read."""
    out: dict[Stretch | None, dict[int, list[str]]] = {}
    for stretch, line, lines in aligned.groups():
        if found := _loaded(lines) & names:
            out.setdefault(stretch, {})[line] = sorted(found)
    return out


def _reader(stretch: Stretch | None, line: int) -> Reader:
    return "" if stretch is None else stretch.name, line


def _pops(aligned: Aligned) -> Iterator[tuple[Reader, str, str]]:
    """(line, target, stack) for `target = stack.pop()` and `target = stack`."""
    for stretch, number, lines in aligned.groups():
        for line in lines:
            target, equals, value = line.strip().partition(" = ")
            stack = value.removesuffix(".pop()")
            if equals and stack.isidentifier() and "_saved" in stack:
                yield _reader(stretch, number), target, stack


def _assignments(lines: list[str]) -> dict[str, str]:
    """name -> the first assignment to it."""
    found: dict[str, str] = {}
    for line in lines:
        target, equals, value = line.strip().partition(" = ")
        if equals and value not in ("[]", "None"):
            for name in target.split(", "):
                if name.isidentifier():
                    found.setdefault(name, line.strip())
        elif line.strip().startswith("for "):
            found.setdefault(line.split()[1], line.strip())
    return found


def _names(lines: list[str], kind: type) -> set[str]:
    found: set[str] = set()
    for text in _statements(lines):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        found |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}
    return found


def _loaded(lines: list[str]) -> set[str]:
    return _names(lines, ast.Load)


def _stored(lines: list[str]) -> set[str]:
    return _names(lines, ast.Store)


def _statements(lines: list[str]) -> Iterator[str]:
    """Each logical line by itself; a header gets an empty body."""
    text = ""
    for line in lines:
        text = f"{text}\n{line}" if text else line.strip()
        if _balanced(text):
            yield _headed(text)
            text = ""


def _headed(text: str) -> str:
    if not text.endswith(":"):
        return text
    if text.startswith(("elif", "else", "except", "finally")):
        return text.replace("elif", "if", 1) + " pass" if text.startswith("elif") else ""
    return text + " pass"


def _balanced(text: str) -> bool:
    return sum(map(text.count, "([{")) == sum(map(text.count, ")]}"))


# ---------------------------------------------------------------- bytes

def sizes(function: Callable[..., Any], args: tuple[Any, ...], boundary: int, names: set[str]) -> dict[str, int]:
    """How many bytes the names hold when the function reaches the line `boundary`: what arrays share counts once."""
    measured: dict[str, int] = {}
    counted = {id(_owner(a)) for arg in args for a in _arrays(arg)}
    code = getattr(function, "__code__", None)

    def local(frame: types.FrameType, event: str, arg: Any) -> Any:
        # at once, as the backward part empties what it takes from
        if event == "line" and frame.f_lineno > boundary and not measured:
            measured.update({n: _bytes(value, counted) for n, value in frame.f_locals.items() if n in names})
        return local

    def enter(frame: types.FrameType, event: str, arg: Any) -> Any:
        return local if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return measured


def _arrays(value: Any, depth: int = 6) -> Iterator[Any]:
    if isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        yield value
    elif isinstance(value, (list, tuple)) and depth:
        for item in value:
            yield from _arrays(item, depth - 1)
    elif isinstance(value, dict) and depth:
        yield from _arrays(list(value.values()), depth - 1)


def _owner(value: Any) -> Any:
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _bytes(value: Any, counted: set[int]) -> int:
    total = 0
    for item in _arrays(value):
        owner = _owner(item)
        if isinstance(owner, np.ndarray):
            total += 0 if id(owner) in counted else owner.nbytes
            counted.add(id(owner))
        else:
            total += getattr(item, "nbytes", 8)
    return total
