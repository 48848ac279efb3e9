"""NumPy meets tensors: `np.sin(t)`, `np.sum(t)` and `a @ t` give tensors, recorded through NumPy's own rules.

The same way derivatives are differentiated again: a rule's text runs on tensors, its calls of NumPy come here, and the
runtime's helpers that aren't made of such calls have rules of their own.
"""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.eager.op import Op, op_for, record, record_many
from srcgrad.eager.quiet import quiet
from srcgrad.eager.tensor import Tensor, method, wrap
from srcgrad.eager.translation import HELPERS
from srcgrad.rules import registry

if TYPE_CHECKING:
    from srcgrad.rules.rule import Rule

__all__ = ["HELPERS", "TORCH", "bind", "call", "constant", "helper"]

# NumPy's functions that the tensor has itself, with torch's types and names
TORCH: dict[Any, Callable[..., Any]] = {}


def helper(function: Any, op: Op) -> None:
    """Has a function of the runtime run on tensors through this operation."""
    HELPERS[function] = lambda *args, **kwargs: call(op, function, args, kwargs)


def constant(function: Any) -> None:
    """Has a function of the runtime run on the arrays of tensors, with derivative zero."""
    HELPERS[function] = lambda *args, **kwargs: _wrapped(_run(function, args, kwargs))


# ---------------------------------------------------------------- calls

def call(op: Op, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function on the arrays, recorded as `op`."""
    bound = bind(op.rule, args, kwargs)
    out = _run(function, args, kwargs)
    if isinstance(out, (tuple, list)):
        return record_many(op, out, bound)
    return record(op, out, bound)


def bind(rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """One argument for each parameter of the rule, defaults filled in."""
    given = _signature(rule).bind(None, None, *args, **kwargs)
    given.apply_defaults()
    return tuple(given.arguments[p] for p in rule.params)


@functools.cache
def _signature(rule: Rule) -> inspect.Signature:
    return inspect.signature(rule.function)


def _run(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with quiet:
        found = function(*map(_opened, args), **{k: _opened(v) for k, v in kwargs.items()})
    return _owned(found, (*args, *kwargs.values()))


def _owned(found: Any, given: Any) -> Any:
    """The result in memory of its own: views that NumPy makes aren't known as views of the tensor."""
    if isinstance(found, (list, tuple)) and not hasattr(found, "_fields"):
        return type(found)(_owned(item, given) for item in found)
    if not isinstance(found, np.ndarray):
        return found
    return found.copy() if any(isinstance(x, Tensor) and np.may_share_memory(found, x._a) for x in given) else found


def _opened(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x._a
    if isinstance(x, (list, tuple)) and any(isinstance(item, (Tensor, list, tuple)) for item in x):
        return type(x)(_opened(item) for item in x)
    return x


def _wrapped(x: Any) -> Any:
    """Arrays as tensors outside of any graph."""
    if isinstance(x, (np.ndarray, np.generic)):
        return wrap(x)
    return type(x)(map(_wrapped, x)) if type(x) in (list, tuple) else x


def _requires(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(_requires(item) for item in x)
    return isinstance(x, Tensor) and x.requires_grad


# ---------------------------------------------------------------- NumPy's protocols

@method()
def __array_ufunc__(self: Tensor, ufunc: Any, kind: str, *inputs: Any, **kwargs: Any) -> Any:
    """`np.sin(t)` and its kin."""
    if kind != "__call__" or kwargs.pop("out", None) is not None:
        raise TypeError(f"np.{ufunc.__name__}: tensors take no out=, and no {kind}; use the methods that end in _")
    return _dispatch(ufunc, inputs, kwargs)


@method()
def __array_function__(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`np.sum(t)` and its kin."""
    if function in _OF_SHAPE:
        return _OF_SHAPE[function](*args, **kwargs)
    return _dispatch(function, args, kwargs)


def _dispatch(function: Any, args: Any, kwargs: Any) -> Any:
    own = TORCH.get(function)
    if own is not None and not kwargs.keys() - _PASSED:
        return own(*args, **kwargs)
    if registry.has_rule(function):
        return call(op_for(function), function, args, kwargs)
    return _inactive(function, args, kwargs)


_PASSED = {"axis", "keepdims"}


def _inactive(function: Any, args: Any, kwargs: Any) -> Any:
    if _requires(args) or _requires(tuple(kwargs.values())):
        from srcgrad.rules.nondifferentiable import is_nondifferentiable
        if not is_nondifferentiable(function):
            raise TypeError(f"np.{function.__name__} has no derivative rule, and a tensor that requires grad was given "
                            "to it: use detach(), or another function")
    return _wrapped(_run(function, args, kwargs))


def _shape(a: Any) -> tuple[int, ...]:
    return tuple(np.shape(a._a if isinstance(a, Tensor) else a))


def _result_type(*values: Any) -> np.dtype:
    return np.result_type(*(v._a if isinstance(v, Tensor) else v for v in values))


_OF_SHAPE: dict[Any, Callable[..., Any]] = {
    np.shape: _shape, np.ndim: lambda a: len(_shape(a)), np.size: lambda a, axis=None: int(np.size(_opened(a), axis)),
    np.result_type: _result_type, np.iscomplexobj: lambda x: np.iscomplexobj(_opened(x))}
