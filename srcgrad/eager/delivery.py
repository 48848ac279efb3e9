"""Gradients on their way: hooks that see and change them, and their addition to what leaves have."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from srcgrad.eager.graph import Node
from srcgrad.eager.tensor import Tensor, bump, wrap
from srcgrad.runtime.arrays import cast
from srcgrad.runtime.modes import no_grad

__all__ = ["accumulate", "accumulating", "after", "as_tensor", "hooked", "own_array", "run_hooks", "store_gradient"]

accumulating = threading.RLock()


def hooked(node: Node, bar: Any, create: bool) -> Any:
    """The gradients of a node's results after the hooks on them; results that retain theirs get them."""
    many = isinstance(bar, list)
    bars = bar if many else [bar]
    if node.before is not None:
        for number, hooks in node.before.items():
            if number is None:
                bars = prehooks(list(hooks.values()), bars, create)
            elif bars[number] is not None:
                bars[number] = run_hooks(list(hooks.values()), bars[number], create)
    if node.retained is not None:
        for number, reference in node.retained.items():
            t = reference()
            if t is not None and bars[number] is not None:
                accumulate(t, bars[number], create, replace=False)
    return bars if many else bars[0]


def prehooks(hooks: list[Any], bars: list[Any], create: bool) -> list[Any]:
    for hook in hooks:
        found = hook(tuple(as_tensor(b) for b in bars))
        if found is not None:
            bars = [_back(b, create) for b in (found if isinstance(found, tuple) else (found,))]
    return bars


def run_hooks(hooks: list[Any], bar: Any, create: bool) -> Any:
    """The gradient after hooks, each of which may give another one."""
    for hook in hooks:
        found = hook(as_tensor(bar))
        if found is not None:
            _check_hooked(hook, found, as_tensor(bar))
            bar = _back(found, create)
    return bar


def _check_hooked(hook: Any, found: Any, bar: Tensor) -> None:
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(found, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    if found._a.shape != bar._a.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    if found._a.dtype != bar._a.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {bar.type()} got {found.type()})")


def after(node: Node, bars: Any, bar: Any, create: bool) -> Any:
    """What hooks on the node make of the gradients of its inputs."""
    outs = tuple(as_tensor(b) for b in (bar if isinstance(bar, list) else [bar]))
    for hook in list(node.after.values()):
        given = iter(bars)
        ins = tuple(None if e is None else as_tensor(next(given)) for e in node._slots())
        found = hook(ins, outs)
        if found is not None:
            found = found if isinstance(found, tuple) else (found,)
            bars = tuple(_back(f, create) for e, f in zip(node._slots(), found) if e is not None)
    return bars


def as_tensor(bar: Any) -> Any:
    """A gradient as a tensor."""
    return bar if bar is None or isinstance(bar, Tensor) else wrap(bar)


def _back(t: Any, create: bool) -> Any:
    return t if create or t is None else t._a


# ---------------------------------------------------------------- gradients of leaves

def accumulate(t: Tensor, bar: Any, create: bool, replace: bool = False) -> None:
    """Adds a gradient to what the tensor has; the first becomes an array of its own, of the tensor's type."""
    known = t._grad
    if create:
        new = as_tensor(bar)
        if new._a.dtype != t._a.dtype:
            new = new.to(t.dtype)
        t._grad = _own(new) if known is None else known + new
        return
    if known is None:
        t._grad = wrap(own_array(bar, t._a))
    elif known.requires_grad:
        with no_grad():
            t._grad = known + wrap(cast(bar, t._a.dtype))
    else:
        a = known._a
        if not a.flags.writeable or any(s == 0 for s in a.strides):
            t._grad = wrap(a + bar)
            return
        np.add(a, bar, out=a, casting="unsafe")
        bump(known)


def own_array(bar: Any, a: np.ndarray) -> np.ndarray:
    """The gradient as an array that nobody else holds, of the type and shape of the leaf."""
    if isinstance(bar, np.ndarray) and bar.dtype == a.dtype:
        return np.array(bar, order="C" if not bar.flags.contiguous else "K")
    return np.array(cast(bar, a.dtype))


def _own(t: Tensor) -> Tensor:
    """A gradient that is recorded, apart from others over the same array."""
    return t.clone() if t._fn is None else t


def store_gradient(leaf: Tensor, bar: Any, create: bool) -> None:
    """Adds to the gradient of a leaf, with what its hooks do."""
    before, stored, last = (list(leaf.__dict__.get(kind, {}).values())
                           for kind in ("_arrived_hooks", "_stored_hooks", "_post_hooks"))
    if before:
        bar, = prehooks(before, [bar], create)
    with accumulating:
        accumulate(leaf, bar, create)
    for hook in stored:
        hook((), (as_tensor(bar),))
    for hook in last:
        hook(leaf)
