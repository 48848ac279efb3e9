"""Checking gradients against differences."""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.api import DEFAULT, vjp
from srcgrad.options import Options
from srcgrad.runtime.structure import fields, zeros_like

__all__ = ["check_grads"]


def check_grads(f: Callable[..., Any], *args: Any, rtol: float = 1e-5, atol: float = 1e-7, eps: float | None = None,
                seed: int = 0, options: Options = DEFAULT) -> None:
    """Raise AssertionError unless the gradients of `f` at these arguments agree with differences.

    For every argument with floating numbers, f's pullback is compared with central differences in one random
    direction: a wrong entry goes unseen only by accident.  `f` may return anything with numbers in it.  It is called
    once by `vjp` and twice for every argument, with fresh copies.

    >>> check_grads(lambda x, y: np.sin(x) * y, np.array([0.3, 1.2]), 2.0)
    """
    rng = np.random.default_rng(seed)
    value, pullback = vjp(f, *map(_copy, args), options=options)
    value_bar = _random_like(value, rng)
    gradients = pullback(value_bar)
    for i, (x, gradient) in enumerate(zip(args, gradients, strict=True)):
        direction = _random_like(x, rng)
        if _dot(direction, direction) == 0:
            continue
        step = _step(x) if eps is None else eps
        ahead, behind = (_dot(value_bar, f(*_replaced(args, i, _moved(x, direction, h)))) for h in (step, -step))
        expected, found = (ahead - behind) / (2 * step), _dot(gradient, direction)
        # the error of a difference is of the order of the step's square, of the derivative and of the value
        error = 10 * step * step
        if not np.isclose(found, expected, rtol=max(rtol, error), atol=max(atol, error * abs(ahead))):
            raise AssertionError(f"the gradient with respect to argument {i} is off: in a random direction it is "
                                 f"{found:.12g}, and differences give {expected:.12g}")


def _replaced(args: tuple[Any, ...], i: int, x: Any) -> list[Any]:
    return [x if k == i else _copy(arg) for k, arg in enumerate(args)]


def _copy(x: Any) -> Any:
    return _moved(x, None, 0.0)


def _step(x: Any) -> float:
    """Where the errors of rounding and of the difference are about equal, for the coarsest number in x."""
    floating = (leaf.dtype for leaf in _leaves(x) if leaf.dtype.kind in "fc")
    return max((float(np.finfo(dtype).eps) ** (1 / 3) for dtype in floating), default=1e-5)


def _leaves(x: Any) -> list[np.ndarray]:
    """All numbers and arrays of numbers in a value, in a fixed order."""
    if isinstance(x, (int, float, complex, np.generic, np.ndarray)):
        leaf = np.asarray(x)
        return [leaf] if leaf.dtype.kind in "fciu" else []
    return [leaf for item in _parts(x).values() for leaf in _leaves(item)]


def _parts(x: Any) -> dict[Any, Any]:
    if isinstance(x, (tuple, list)):
        return dict(enumerate(x))
    return x if isinstance(x, dict) else fields(x) or {}


def _random_like(x: Any, rng: np.random.Generator) -> Any:
    """A random adjoint: zero for integers, which differences can't move."""
    if isinstance(x, (float, complex, np.inexact)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc"):
        noise = rng.standard_normal(np.shape(x))
        if np.iscomplexobj(x):
            noise = noise + 1j * rng.standard_normal(np.shape(x))
        dtype = np.asarray(x).dtype
        return noise.astype(dtype) if isinstance(x, np.ndarray) else dtype.type(noise)
    if isinstance(x, (tuple, list)):
        return [_random_like(item, rng) for item in x]
    if isinstance(x, (int, np.generic, np.ndarray)):
        return zeros_like(x)
    return {key: _random_like(item, rng) for key, item in _parts(x).items()} or None


def _moved(x: Any, direction: Any, h: float) -> Any:
    """x + h * direction, with the structure and the classes of x."""
    if isinstance(x, np.ndarray):
        return x.copy() if direction is None or x.dtype.kind not in "fc" else (x + h * direction).astype(x.dtype)
    if isinstance(x, (float, complex, np.inexact)):
        return x if direction is None else type(x)(x + h * direction)
    parts = _parts(x)
    moved = {key: _moved(item, None if direction is None else direction[key], h) for key, item in parts.items()}
    if isinstance(x, tuple):
        return tuple.__new__(type(x), moved.values())
    if isinstance(x, list):
        return list(moved.values())
    if isinstance(x, dict):
        return moved
    return _with_fields(x, moved) if parts else x


def _with_fields(x: Any, values: dict[str, Any]) -> Any:
    new = copy.copy(x)
    for name, value in values.items():
        object.__setattr__(new, name, value)
    return new


def _dot(a: Any, b: Any) -> float:
    """The real inner product of two structures."""
    return sum(float(np.real(np.vdot(p, q))) for p, q in zip(_leaves(a), _leaves(b), strict=True))
