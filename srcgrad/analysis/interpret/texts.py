"""Numbers that are made of text: something differentiated may have been written there, and its derivative is lost."""
from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret.refused import ReadsText
from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.analysis.values import UNKNOWN, Known, Value, held, members
from srcgrad.lang import parse
from srcgrad.lang.core import At, Opaque

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

# Functions that make numbers of text, beside the classes of numbers.
_READERS = frozenset((np.array, np.asarray, np.fromstring, np.loadtxt, np.genfromtxt, json.loads, ast.literal_eval))


def reads(function: Any) -> bool:
    """Whether it makes numbers of text."""
    if isinstance(function, type):
        return issubclass(function, (float, int, complex, np.number, Fraction))
    try:
        return function in _READERS or function == float.fromhex
    except (TypeError, ValueError):         # unhashable, or an array
        return False


def check_call(ev: Evaluator, function: Any, args: Iterable[Abstract], at: At | None) -> None:
    """A call of a function that makes numbers of text, or that is given one to do so."""
    args = list(args)
    readers = [f for f in (function, *(a.value.obj for a in args if isinstance(a.value, Known))) if reads(f)]
    if readers and any(_may_be_text(ev.value(a)) for a in args):
        check_reader(ev, readers[0].__name__, at)


def check_comprehension(ev: Evaluator, expr: Opaque, env: Env) -> None:
    """A comprehension that isn't followed, and may do so."""
    if any(name in env and _may_be_text(ev.value(env[name])) for name in expr.reads):
        for node in parse.nodes(expr.node):
            name = node.func if parse.kind(node) == "Call" else None
            known = None if name is None or parse.kind(name) not in ("Name", "Attribute") else _meant(ev, name, env)
            if known is not None and reads(known):
                check_reader(ev, known.__name__, expr.at)


def _meant(ev: Evaluator, node: Any, env: Env) -> Any:
    if parse.kind(node) == "Attribute":
        return getattr(_meant(ev, node.value, env), node.attr, None)
    value = None if parse.kind(node) != "Name" or node.id in env else ev.outer_value(node.id).value
    return value.obj if isinstance(value, Known) else None


def check_reader(ev: Evaluator, reader: str, at: At | None) -> None:
    """A number is made of what may be text: refused where that may hold what is differentiated."""
    ev.heap.reads_text = reader
    if ev.heap.may_hold_text(ev.loops):
        raise ReadsText(f"`{reader}` may read here what a differentiated value was written to as text",
                        "pass the number itself", at)


def _may_be_text(value: Value) -> bool:
    return any(kind == UNKNOWN or any(map(_may_be_text, held(kind))) for kind in members(value))
