"""Subscripts of objects that make something of what stands in them: np.r_[a, b], np.c_[a, b]."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from srcgrad.analysis.interpret import operators
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import Abstract, Env
from srcgrad.analysis.values import Array, Known, Number, ObjectOf, Value, number_of
from srcgrad.lang.core import Attr, Call, Expr, Item, Tuple

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

CONTAINERS = (tuple, list, dict, str, bytes, range, np.ndarray)


def of_subscript(ev: Evaluator, expr: Item, owner: Value, index: Abstract, env: Env) -> Abstract | None:
    """np.r_[a, b]   ->   np.concatenate((a, b))         np.c_[a, b]   ->   np.column_stack((a, b))

    Of other objects it isn't known what they make of what is differentiated.
    """
    made_by = type(owner.obj) if isinstance(owner, Known) else owner.cls if isinstance(owner, ObjectOf) else None
    if issubclass(made_by or object, CONTAINERS) or made_by is None and not _is_float(ev.value(index)):
        return None
    if made_by not in (type(np.r_), type(np.c_)):
        if isinstance(owner, ObjectOf) and operators.method(made_by, "__getitem__") is not None:
            return None
        whose = "this object" if made_by is None else f"a {made_by.__name__}"
        raise Refused(f"it isn't known what the subscript of {whose} makes of what is differentiated",
                      "call a NumPy function instead", expr.at)
    parts = expr.index.items if isinstance(expr.index, Tuple) else (expr.index,)
    values = [ev.value(ev(part, env)) for part in parts]
    if not all(isinstance(v, Array) and v.dims is not None or number_of(v) is not None for v in values):
        raise Refused("slices and texts aren't supported here beside what is differentiated",
                      "write np.concatenate, or np.column_stack", expr.at)

    def build(rebuilt: tuple[Expr, ...], make: Make) -> Expr:
        numpy, whole = make.outside("np", np), rebuilt[1]
        entries = whole.items if isinstance(whole, Tuple) else (whole,)
        entries = tuple(Call(Attr(numpy, "atleast_1d"), (e,), at=expr.at) if _is_number(v) else e
                        for e, v in zip(entries, values))
        joined = "concatenate" if made_by is type(np.r_) else "column_stack"
        return Call(Attr(numpy, joined), (Tuple(entries, at=expr.at),), at=expr.at)
    return ev.rewrite(expr, build, index)


def _is_float(value: Value) -> bool:
    """Whether it certainly is no index of a sequence."""
    return isinstance(value, Number) and value.kind == "float" \
        or isinstance(value, Array) and value.dtype is not None and value.dtype.kind == "f"


def _is_number(value: Value) -> bool:
    return isinstance(value, Number) or isinstance(value, Array) and value.dims == () or not isinstance(value, Array)
