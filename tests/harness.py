"""What whole-program tests share: structured arguments, differences, comparisons, the check of one program."""
from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

Function = Callable[..., Any]


# ---------------------------------------------------------------- structured values

def clone(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A deep copy in which arrays keep their memory layout, and what shared memory shares it again.

    >>> a = np.arange(6.0)[::-2]
    >>> clone(a).strides == a.strides, np.shares_memory(clone(a), a)
    (True, False)
    """
    memo = {} if memo is None else memo
    if id(value) not in memo:
        memo[id(value)] = _clone_array(value, memo) if isinstance(value, np.ndarray) else _clone_other(value, memo)
        memo.setdefault(id(memo), []).append(value)  # as deepcopy does: an id stands for its object while that lives
    return memo[id(value)]


def _clone_array(a: np.ndarray, memo: dict[int, Any]) -> np.ndarray:
    """A view stays the same view of a copy of its base, as long as that is one block of memory."""
    base = a.base
    if not isinstance(base, np.ndarray) or not a.size or not base.flags.forc or base.dtype != a.dtype:
        return a.copy(order="K")
    flips = tuple(slice(None, None, -1 if s < 0 else 1) for s in a.strides)
    forward = a[flips]
    start = forward.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    flat = clone(base, memo).ravel(order="K")
    return np.ndarray(a.shape, a.dtype, flat[start // a.itemsize:], strides=forward.strides)[flips]


def _clone_other(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, (list, tuple, dict)) or _is_record(value):
        return rebuild(value, [clone(v, memo) for _, v in parts(value)])
    return copy.deepcopy(value, memo)


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def parts(value: Any) -> list[tuple[str, Any]]:
    """The members of a container with their paths; nothing for a leaf."""
    if isinstance(value, dict):
        return [(f"[{k!r}]", v) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", v) for i, v in enumerate(value)]
    if _is_record(value):
        return [(f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    return []


def rebuild(value: Any, members: list[Any]) -> Any:
    """A container like `value` over other members, in the order of `parts`."""
    if isinstance(value, dict):
        return type(value)(zip(value, members))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*members)
    if _is_record(value):
        return dataclasses.replace(value, **{f.name: m for f, m in zip(dataclasses.fields(value), members)})
    return type(value)(members)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All leaves of a structured value, each with its path."""
    if isinstance(value, (list, tuple, dict)) or _is_record(value):
        for step, member in parts(value):
            yield from leaves(member, path + step)
    else:
        yield path, value


def is_active(leaf: Any) -> bool:
    """Whether a leaf is a floating or complex number, or an array of them."""
    return isinstance(leaf, (float, complex, np.inexact)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


def map_leaves(function: Function, value: Any) -> Any:
    """The structured value with `function` applied to each of its leaves, in order."""
    if isinstance(value, (list, tuple, dict)) or _is_record(value):
        return rebuild(value, [map_leaves(function, v) for _, v in parts(value)])
    return function(value)


# ---------------------------------------------------------------- differences

def differences(f: Function, args: tuple[Any, ...], wrt: tuple[int, ...], step: float = 1e-6) -> tuple[Any, ...]:
    """The derivative of the scalar f(*args) by central differences, in the structure of each argument in `wrt`.

    Leaves that are no floating numbers have the derivative None.

    >>> differences(lambda x: np.sum(x * x), (np.array([1.0, 2.0]),), (0,))[0].round(6).tolist()
    [2.0, 4.0]
    """
    return tuple(_differences_of_argument(f, args, k, step) for k in wrt)


def _differences_of_argument(f: Function, args: tuple[Any, ...], k: int, step: float) -> Any:
    actives = [leaf for _, leaf in leaves(args[k]) if is_active(leaf)]
    columns = [np.array([_slope(f, args, k, n, e, step) for e in range(np.size(leaf))]).reshape(np.shape(leaf))
               for n, leaf in enumerate(actives)]
    remaining = iter(columns)
    return map_leaves(lambda leaf: next(remaining)[()] if is_active(leaf) else None, args[k])


def _slope(f: Function, args: tuple[Any, ...], k: int, leaf: int, entry: int, step: float) -> Any:
    """By one entry; dL/dRe + i dL/dIm by a complex one."""
    x = np.ravel([v for _, v in leaves(args[k]) if is_active(v)][leaf])[entry].item()
    h = step * max(1.0, abs(x))
    if isinstance(x, complex):
        return _quotient(f, args, k, leaf, entry, x, h) + 1j * _quotient(f, args, k, leaf, entry, x, 1j * h)
    return _quotient(f, args, k, leaf, entry, x, h)


def _quotient(f: Function, args: tuple[Any, ...], k: int, leaf: int, entry: int, x: Any, h: Any) -> float:
    above, below = (float(f(*_moved(args, k, leaf, entry, x + s * h))) for s in (1, -1))
    return (above - below) / abs((x + h) - (x - h))


def _moved(args: tuple[Any, ...], k: int, leaf: int, entry: int, x: Any) -> tuple[Any, ...]:
    """The arguments, copied, with one entry of the leaf-th active leaf of argument k set to x."""
    count = -1

    def move(value: Any) -> Any:
        nonlocal count
        count += is_active(value)
        if not is_active(value) or count != leaf:
            return value
        if not isinstance(value, np.ndarray):
            return type(value)(x)
        value[np.unravel_index(entry, value.shape)] = x
        return value

    args = clone(args)
    return (*args[:k], map_leaves(move, args[k]), *args[k + 1:])


# ---------------------------------------------------------------- comparisons

def compare(got: Any, want: Any, rtol: float = 1e-5, atol: float = 1e-7) -> None:
    """Assert that two structured values agree: same structure and shapes, values within rtol of the largest wanted.

    What is None in `want` (a leaf that has no derivative) isn't looked at.
    """
    got_leaves, want_leaves = dict(leaves(got)), dict(leaves(want))
    assert got_leaves.keys() == want_leaves.keys(), f"{list(got_leaves)} instead of {list(want_leaves)}"
    for path, w in want_leaves.items():
        if w is not None:
            _compare_leaf(path, got_leaves[path], w, rtol, atol)


def _compare_leaf(path: str, got: Any, want: Any, rtol: float, atol: float) -> None:
    assert got is not None, f"None at {path or 'the top'} instead of {want}"
    assert np.shape(got) == np.shape(want), f"shape {np.shape(got)} instead of {np.shape(want)} at {path or 'the top'}"
    if not np.size(want):
        return
    error = np.max(np.abs(np.asarray(got) - np.asarray(want)))
    allowed = atol + rtol * np.max(np.abs(want))
    assert error <= allowed, f"off by {error:.3g} (allowed {allowed:.3g}) at {path or 'the top'}:\n{got}\nnot\n{want}"


def same(got: Any, want: Any) -> None:
    """Assert that two structured values are equal to the last bit, in type and structure too (NaN equals NaN)."""
    got_leaves, want_leaves = dict(leaves(got)), dict(leaves(want))
    assert got_leaves.keys() == want_leaves.keys()
    for path, w in want_leaves.items():
        g = got_leaves[path]
        assert type(g) is type(w), f"{type(g).__name__} instead of {type(w).__name__} at {path or 'the top'}"
        if isinstance(w, np.ndarray):
            assert g.dtype == w.dtype and g.shape == w.shape
            np.testing.assert_array_equal(g, w)
        elif isinstance(w, float | np.floating):
            np.testing.assert_equal(g, w)
        else:
            assert g == w or type(w).__eq__ is object.__eq__


def _arrays(value: Any) -> list[np.ndarray]:
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, np.ndarray)]


def assert_fresh(results: Any, args: Any) -> None:
    """Assert that the result's arrays are writable and share memory neither with the arguments nor with each other."""
    arrays = _arrays(results)
    for i, a in enumerate(arrays):
        assert a.flags.writeable, "a result is read-only"
        assert not any(np.may_share_memory(a, b) and np.shares_memory(a, b) for b in _arrays(args)), \
            "a result shares memory with an argument"
        assert not any(np.may_share_memory(a, b) and np.shares_memory(a, b) for b in arrays[:i]), \
            "two results share memory"


# ---------------------------------------------------------------- gradients

def as_tuple(gradient: Any, wrt: tuple[int, ...]) -> tuple[Any, ...]:
    """The gradients as one tuple, whether one argument is active or several."""
    return (gradient,) if len(wrt) == 1 else tuple(gradient)


def argnums(wrt: tuple[int, ...]) -> int | tuple[int, ...]:
    return wrt[0] if len(wrt) == 1 else wrt


def derivative(f: Function, wrt: tuple[int, ...], **options: bool) -> Function:
    """`grad(f)` for these arguments; `options` are fields of `srcgrad.options.Options`: plain, general, checked."""
    from srcgrad import grad
    from srcgrad.options import Options
    with_options = {"options": Options(**options)} if options else {}
    return grad(f, argnums=argnums(wrt), **with_options)


def call_derivative(g: Function, args: tuple[Any, ...], wrt: tuple[int, ...]) -> tuple[Any, ...]:
    """The gradients that g gives; asserts that they are fresh and that the arguments are left as they were."""
    args = clone(args)
    before = clone(args)
    result = as_tuple(g(*args), wrt)
    same(args, before)
    assert_fresh(result, args)
    return result


def gradient(f: Function, args: tuple[Any, ...], wrt: tuple[int, ...], **options: bool) -> tuple[Any, ...]:
    """The gradients of f by a derivative that is compiled for this call."""
    return call_derivative(derivative(f, wrt, **options), args, wrt)


def check_program(f: Function, args: tuple[Any, ...], wrt: tuple[int, ...], **options: bool) -> None:
    """Assert that the gradient of f under these options agrees with differences."""
    compare(gradient(f, args, wrt, **options), differences(f, args, wrt))


def check_core_form(f: Function, inputs: Iterable[tuple[Any, ...]]) -> None:
    """Assert that the core form gives what f gives, and leaves its arguments as f leaves them."""
    from srcgrad.compiler import core_form
    form = core_form(f)
    for args in inputs:
        ours, theirs = clone(args), clone(args)
        same(form(*ours), f(*theirs))
        same(ours, theirs)


def check_value(f: Function, args: tuple[Any, ...], wrt: tuple[int, ...], want: tuple[Any, ...]) -> None:
    """Assert that `value_and_grad` gives f's value, and the wanted gradient."""
    from srcgrad import value_and_grad
    value, got = value_and_grad(f, argnums=argnums(wrt))(*clone(args))
    compare(value, f(*clone(args)), rtol=1e-12, atol=1e-14)
    compare(as_tuple(got, wrt), want, rtol=1e-10, atol=1e-12)


def check_pullback(f: Function, args: tuple[Any, ...], wrt: tuple[int, ...], want: tuple[Any, ...]) -> None:
    """Assert that a pullback can be called again, is linear, and gives the wanted gradient for a seed of 1.

    All arguments are active in `vjp`; those in `wrt` are compared.
    """
    from srcgrad import vjp
    ours = clone(args)
    value, pullback = vjp(f, *ours)
    compare(value, f(*clone(args)), rtol=1e-12, atol=1e-14)
    same(ours, args)
    first = _picked(pullback(1.0), wrt)
    kept = clone(first)
    doubled = _picked(pullback(2.0), wrt)
    again = _picked(pullback(1.0), wrt)
    same(first, kept)
    same(again, first)
    assert_fresh((first, doubled, again), ours)
    compare(map_leaves(lambda v: 0.5 * v if is_active(v) else None, doubled), first, rtol=1e-12, atol=1e-14)
    compare(first, want, rtol=1e-10, atol=1e-12)


def _picked(gradients: tuple[Any, ...], wrt: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(gradients[k] for k in wrt)
