"""How elementwise operations are made: their results' types, their recording, and what they cost.

The path of two tensors of one floating type, or of one and a number, is written out: it is what most programs spend
their time on.  All else goes by `general`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import graph
from srcgrad.eager.dtypes import Size, as_dtype, get_default_dtype, promote, result_dtype
from srcgrad.eager.graph import sequence
from srcgrad.eager.kinds import ACTIVE, OTHER, TENSOR
from srcgrad.eager.op import Op, record
from srcgrad.eager.quiet import quiet
from srcgrad.eager.tensor import INFERENCE, Tensor, _new
from srcgrad.runtime.modes import mode

__all__ = ["binary", "general", "operand", "shape_error", "unary", "unsupported"]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_TWO_ACTIVE, _FIRST, _SECOND = (0, ACTIVE, ACTIVE), (0, ACTIVE, TENSOR), (0, TENSOR, ACTIVE)
_WITH_NUMBER, _ONE = (0, ACTIVE, OTHER), (0, ACTIVE)
_ZERO_DIVISION = ("div_floor_cpu", "remainder_cpu", "fmod_cpu")
_FAULTS = (RuntimeWarning, FloatingPointError)


def operand(x: Any) -> Any:
    """An operand as a tensor, or as a number of Python's."""
    if isinstance(x, (Tensor, int, float, complex)) and not isinstance(x, np.generic):
        return x
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, np.ndarray):
        from srcgrad.eager.tensor import wrap
        as_dtype(x.dtype)
        return wrap(x)
    return NotImplemented


def shape_error(*shapes: tuple[int, ...]) -> RuntimeError:
    """What torch says of shapes that don't broadcast."""
    first, second = shapes[-2:]
    n = max(len(first), len(second))
    a, b = (1,) * (n - len(first)) + first, (1,) * (n - len(second)) + second
    for axis in reversed(range(n)):
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            return RuntimeError(f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) at "
                                f"non-singleton dimension {axis}")
    return RuntimeError(f"shapes {Size(first)} and {Size(second)} do not broadcast")


# ---------------------------------------------------------------- two operands

def binary(op: Op, ufunc: Any, *, floating: bool = False, refused: str = "",
           called: str = "") -> Callable[[Any, Any], Any]:
    """The function of two operands that computes `ufunc` and records `op`; `floating`: of integers it gives floats.

    `refused` are the kinds of types for which there is no such function; errors call it `called`.
    """
    plans = op.plans
    product = ufunc is np.multiply

    def function(input: Any, other: Any) -> Any:
        x, y = input, other
        if x.__class__ is not Tensor and not isinstance(x, Tensor):
            return general(op, ufunc, x, y, floating, refused, called)
        a: Any = x._a
        if a.dtype is not _FLOAT32 and a.dtype is not _FLOAT64:
            return general(op, ufunc, x, y, floating, refused, called)
        if y.__class__ is Tensor or isinstance(y, Tensor):
            b: Any = y._a
            if b.dtype is not a.dtype:
                return general(op, ufunc, x, y, floating, refused, called)
            edge2 = y._fn
            if edge2 is None and y._rg:
                edge2 = y
        elif y.__class__ is float or y.__class__ is int:
            b = y
            edge2 = None
        else:
            return general(op, ufunc, x, y, floating, refused, called)
        try:
            out = ufunc(a, b)
        except _FAULTS:
            return general(op, ufunc, x, y, floating, refused, called)
        except ValueError:
            raise shape_error(a.shape, np.shape(b)) from None
        t = _new(Tensor)
        t._a = out if out.__class__ is np.ndarray else np.asarray(out)
        edge1 = x._fn
        if edge1 is None:
            if x._rg:
                edge1 = x
            elif edge2 is None:
                if mode.inference:
                    t._vc = INFERENCE
                return t
        if not mode.grad:
            if mode.inference:
                t._vc = INFERENCE
            return t
        edges: tuple[Any, ...]
        twice = False
        if edge2 is None:
            key, edges = (_WITH_NUMBER if b is y else _FIRST), (edge1,)
        elif edge1 is None:
            key, edges = _SECOND, (edge2,)
        else:
            key, edges = _TWO_ACTIVE, (edge1, edge2)
            twice = product and edge1 is edge2
        plan = plans.get(key)
        if plan is None:
            plan = op.plan(key)
        node = op.node_class()
        node.edges, node.plan, node.seq = edges, plan, sequence()
        if b is not y and a.shape != b.shape:
            shape = out.shape
            fix = [(a.shape, None) if a.shape != shape else None, (b.shape, None) if b.shape != shape else None]
            node.fix = fix if len(edges) == 2 else fix[:1] if edge2 is None else fix[1:]
        if twice:
            node.twice = True
        if plan.saved:
            plan.collect(node, t, (x, y))
        if graph.WATCHERS:
            graph.watched(node)
        t._fn = node
        return t
    return function


def unsupported(name: str, dtype: Any) -> NotImplementedError:
    """What torch says of an operation that there isn't for a type."""
    return NotImplementedError(f"\"{name}\" not implemented for '{as_dtype(dtype).legacy}'")


def check_bools(x: Any, y: Any) -> None:
    if _is_bool(x) or _is_bool(y):
        if _is_bool(x) and _is_bool(y):
            raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                               "`logical_xor()` operator instead.")
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")


def _is_bool(x: Any) -> bool:
    return isinstance(x, bool) or (isinstance(x, Tensor) and x._a.dtype == bool)


def general(op: Op, ufunc: Any, x: Any, y: Any, floating: bool, refused: str = "", called: str = "") -> Any:
    """Two operands of any types; those whose kind is in `refused` aren't there for the function `called`."""
    x, y = operand(x), operand(y)
    if x is NotImplemented or y is NotImplemented:
        return NotImplemented
    dtype = result_dtype(x, y)
    if floating and dtype.kind not in "fc":
        dtype = get_default_dtype().numpy
    if called == "-":
        check_bools(x, y)
    if dtype.kind in refused:
        raise unsupported(called, dtype)
    a, b = promote(dtype, getattr(x, "_a", x), getattr(y, "_a", y))
    if called in _ZERO_DIVISION and dtype.kind in "iu" and not np.all(b):
        raise RuntimeError("ZeroDivisionError")
    try:
        with quiet:
            out = ufunc(a, b)
    except ValueError:
        raise shape_error(np.shape(a), np.shape(b)) from None
    return record(op, out, (x, y))


# ---------------------------------------------------------------- one operand

def unary(op: Op, ufunc: Any, *, floating: bool = True) -> Callable[[Any], Any]:
    """The function of one operand that computes `ufunc` and records `op`."""
    plans = op.plans

    def function(input: Any) -> Any:
        x = input
        a = x._a
        if a.dtype.kind not in "fc" and floating:
            with quiet:
                return record(op, ufunc(a.astype(get_default_dtype().numpy)), (x,))
        try:
            out = ufunc(a)
        except _FAULTS:
            with quiet:
                out = ufunc(a)
        t = _new(Tensor)
        t._a = out if out.__class__ is np.ndarray else np.asarray(out)
        edge = x._fn
        if edge is None:
            if not x._rg:
                if mode.inference:
                    t._vc = INFERENCE
                return t
            edge = x
        if not mode.grad:
            if mode.inference:
                t._vc = INFERENCE
            return t
        if a.dtype.kind == "c" or t._a.dtype.kind != "f":
            return record(op, t._a, (x,))
        plan = plans.get(_ONE)
        if plan is None:
            plan = op.plan(_ONE)
        node = op.node_class()
        node.edges, node.plan, node.seq = (edge,), plan, sequence()
        plan.collect(node, t, (x,))
        if graph.WATCHERS:
            graph.watched(node)
        t._fn = node
        return t
    return function
