"""Checking gradients against differences."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.api import DEFAULT, Derivative, grad, vjp
from srcgrad.dispatch import parameter_names
from srcgrad.errors import ArgumentError
from srcgrad.options import Options
from srcgrad.testing.differences import compare_entries
from srcgrad.testing.report import Entry, Report
from srcgrad.testing.structures import copied, floating, inner_product, leaves, parts, replaced, step_for

__all__ = ["Entry", "Report", "check_grads", "compare_with_differences"]


def check_grads(f: Callable[..., Any], args: Sequence[Any], order: int = 1, modes: Sequence[str] = ("rev",), *,
                rtol: float = 1e-5, atol: float = 1e-7, eps: float | None = None, seed: int = 0,
                options: Options = DEFAULT) -> None:
    """Raise AssertionError unless the derivatives of `f` at these arguments agree with differences.

    For every argument with floating numbers, f's pullback is compared with central differences in one random
    direction: a wrong entry goes unseen only by accident.  If one is wrong, the error lists the entries that are.
    `f` may return anything with numbers in it.  It is called with fresh copies.  With `order=2` the gradient of `f`,
    which then returns a number, is checked in the same way, too.

    >>> check_grads(lambda x, y: np.sin(x) * y, (np.array([0.3, 1.2]), 2.0))
    """
    _check_question(f, args, order, modes, eps)
    for _ in range(order):
        _check(f, tuple(args), rtol, atol, eps, seed, options)
        f = _gradient_of(f, args, options)


def _check_question(f: Any, args: Any, order: Any, modes: Any, eps: Any) -> None:
    if not callable(f):
        raise ArgumentError(f"check_grads was given an object of type {type(f).__name__}, which can't be called",
                            remedy="Write check_grads(f, (x, y)).")
    if not isinstance(args, (tuple, list)):
        raise ArgumentError("check_grads takes the arguments of the function as one tuple",
                            remedy="Write check_grads(f, (x, y)).")
    if not any(floating(leaf) for _, leaf in leaves(tuple(args))):
        raise ArgumentError("check_grads was given no argument with floating-point numbers, so there is nothing to "
                            "compare", remedy="Pass 2.0 for 2, or x.astype(float) for an array of integers.")
    if eps is not None and not eps > 0:
        raise ArgumentError(f"eps is {eps!r:.60}", remedy="Pass the step of the differences, eps=1e-6 say, or none.")
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"order is {order!r:.60}", remedy="Write check_grads(f, (x, y), order=1), or 2.")
    if unknown := [mode for mode in modes if mode != "rev"]:
        raise ArgumentError(f"there is no mode {unknown[0]!r}", remedy='Write modes=("rev",): reverse mode.')


def _check(f: Callable[..., Any], args: tuple[Any, ...], rtol: float, atol: float, eps: float | None, seed: int,
           options: Options) -> None:
    rng = np.random.default_rng(seed)
    value, pullback = vjp(f, *map(copied, args), options=options)
    if not any(leaves(value)):
        raise ArgumentError(f"the function returned {_what(value)}, which holds no numbers to compare",
                            remedy="Return a number, an array, or a structure of them.")
    if not all(np.all(np.isfinite(leaf)) for _, leaf in leaves(value) if floating(leaf)):
        raise AssertionError("the function's value at these arguments isn't finite, so differences say nothing of its "
                             "gradient\n  Pass arguments at which it is finite.")
    value_bar = _random_adjoint(value, rng)
    gradients = pullback(value_bar)
    wrong = [i for i, gradient in enumerate(gradients)
             if not _agrees_along(f, args, i, gradient, value_bar, rng, rtol, atol, eps)]
    if wrong:
        raise AssertionError(_told(f, args, wrong, gradients, value_bar, rtol, atol, eps))


def _what(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _agrees_along(f: Callable[..., Any], args: tuple[Any, ...], i: int, gradient: Any, value_bar: Any,
                  rng: np.random.Generator, rtol: float, atol: float, eps: float | None) -> bool:
    """Whether the gradient by argument i is right in one random direction."""
    numbers = [np.asarray(leaf) for _, leaf in leaves(args[i]) if floating(leaf)]
    if not sum(x.size for x in numbers):
        return True
    direction = [_noise(x, rng) for x in numbers]
    step = step_for(args[i]) if eps is None else eps
    values = []
    for h in (step, -step):
        moved = (x + h * d for x, d in zip(numbers, direction))
        values.append(inner_product(value_bar, f(*_with(args, i, replaced(args[i], iter(list(moved)))))))
    ahead, behind = values
    expected, found = (ahead - behind) / (2 * step), _along(args[i], gradient, direction)
    # the error of a difference is of the order of the step's square, of the derivative and of the value
    error = 10 * step * step
    return bool(np.isclose(found, expected, rtol=max(rtol, error), atol=max(atol, error * abs(ahead))))


def _along(x: Any, gradient: Any, direction: list[np.ndarray]) -> float:
    """The gradient in a direction; NaN where it lacks a part or has another form, so that it agrees with nothing."""
    paths = [path for path, leaf in leaves(x) if floating(leaf)]
    found = dict(leaves(gradient))
    if any(path not in found or not _fits(found[path], d) for path, d in zip(paths, direction)):
        return float("nan")
    return sum(float(np.real(np.vdot(np.asarray(found[path]), d))) for path, d in zip(paths, direction))


def _fits(gradient: Any, like: np.ndarray) -> bool:
    return np.shape(gradient) == like.shape and (like.dtype.kind == "c" or not np.any(np.imag(gradient)))


def _told(f: Callable[..., Any], args: tuple[Any, ...], wrong: list[int], gradients: Any, value_bar: Any, rtol: float,
          atol: float, eps: float | None) -> str:
    names = _names(f, len(args))
    title = str(getattr(f, "__name__", "the function"))
    report = compare_entries(lambda *args: inner_product(value_bar, f(*args)), title, args,
                             {i: gradients[i] for i in wrong}, names, rtol, atol, eps)
    off = " and ".join(f"`{names[i]}`" for i in wrong)
    shapes = "".join(f"\n  {line}" for i in wrong for line in _shapes(names[i], args[i], gradients[i]))
    return (f"the gradient with respect to {off} is off{shapes}\n{report.table()}\n"
            "  (of the function's value times a random adjoint, where it isn't one number)")


def _shapes(name: str, x: Any, gradient: Any) -> list[str]:
    """A sentence for each part of the gradient that hasn't the shape of its argument, or isn't there."""
    found = dict(leaves(gradient))
    lines = []
    for path, leaf in leaves(x):
        if floating(leaf) and path not in found:
            lines.append(f"{name}{path} has no gradient")
        elif floating(leaf) and np.shape(found[path]) != np.shape(leaf):
            lines.append(f"{name}{path} has shape {np.shape(leaf)}, and its gradient {np.shape(found[path])}")
    return lines


def _gradient_of(f: Callable[..., Any], args: Sequence[Any], options: Options) -> Callable[..., Any]:
    """The gradient by every argument that has floating numbers, as a function of all."""
    places = tuple(i for i, x in enumerate(args) if any(floating(leaf) for _, leaf in leaves(x)))
    return grad(f, places, options=options)


def compare_with_differences(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, *,
                             rtol: float = 1e-5, atol: float = 1e-7, eps: float | None = None) -> Report:
    """A gradient (`grad(f)`, or a function, for its first argument) beside differences, entry by entry.

    >>> compare_with_differences(lambda x: x * x, (3.0,)).agrees
    True
    """
    derivative = f if isinstance(f, Derivative) else grad(f)
    target, selection = derivative.target()
    keywords = kwargs or {}
    names = [*parameter_names(target.function.__code__)[len(target.bound):][:len(args)], *keywords]
    values = (*args, *keywords.values())
    by_position = _with_keywords(derivative, len(args), tuple(keywords))
    gradients = _as_gradients(derivative, by_position(*map(copied, values)))
    if missing := [name for name in selection.wrt if name not in names]:
        raise ArgumentError(f"the argument '{missing[0]}' is differentiated, and has its default value",
                            remedy="Pass it.")
    given = {names.index(name): gradient for name, gradient in zip(selection.wrt, gradients)}
    f = _with_keywords(_scalar(derivative), len(args), tuple(keywords))
    return compare_entries(f, derivative.__name__, values, given, names, rtol, atol, eps)


def _with_keywords(f: Callable[..., Any], positions: int, keywords: tuple[str, ...]) -> Callable[..., Any]:
    """`f` as a function of positional arguments alone: those that are behind the first ones have these names."""
    return lambda *values: f(*values[:positions], **dict(zip(keywords, values[positions:])))


def _as_gradients(derivative: Derivative[..., Any], result: Any) -> tuple[Any, ...]:
    _, selection = derivative.target()
    return (result,) if selection.single else tuple(result)


def _scalar(derivative: Derivative[..., Any]) -> Callable[..., Any]:
    """The function that is differentiated, without what else it returns."""
    f = derivative.__wrapped__
    return (lambda *args, **kwargs: f(*args, **kwargs)[0]) if derivative._has_aux else f


# ---------------------------------------------------------------- adjoints and directions

def _random_adjoint(value: Any, rng: np.random.Generator) -> Any:
    """A random adjoint of a value: zero for integers, which differences can't move."""
    if isinstance(value, (int, float, complex, np.generic, np.ndarray)):
        x = np.asarray(value)
        noise = _noise(x, rng) if floating(value) else np.zeros(x.shape)
        return noise if isinstance(value, np.ndarray) else noise[()]
    members = {key: _random_adjoint(item, rng) for _, key, item in parts(value)}
    if isinstance(value, (tuple, list)):
        return list(members.values())
    return members or None


def _noise(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        noise = noise + 1j * rng.standard_normal(x.shape)
    return np.asarray(noise, dtype=x.dtype)


def _with(args: tuple[Any, ...], i: int, x: Any) -> list[Any]:
    return [x if k == i else copied(arg) for k, arg in enumerate(args)]


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """The names of the first parameters; where they have none, their positions."""
    try:
        found = [p.name for p in inspect.signature(f).parameters.values() if p.kind in (
            p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        found = []
    return [found[k] if k < len(found) else f"argument {k}" for k in range(count)]
