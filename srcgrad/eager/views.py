"""Views: tensors over a part of another's elements.

A view shares its base's storage and version counter.  It knows how it is made of the base, so that a write through it
can be replayed on the base's gradient, and that its place in the graph can be found again after the base was written.
"""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.op import Op, record
from srcgrad.eager.tensor import Tensor, counter
from srcgrad.runtime.modes import mode

__all__ = ["live_views", "replay", "view_of"]


def view_of(op: Op, out: Any, args: tuple[Any, ...], step: Callable[..., Tensor], *rest: Any) -> Tensor:
    """The result of an operation that gives a view of its first argument; `step(args[0], *rest)` makes it again."""
    t = record(op, out, args)
    link(t, args[0], step, rest)
    return t


def link(t: Tensor, source: Tensor, step: Callable[..., Tensor], rest: tuple[Any, ...]) -> None:
    """Makes `t` known as a view of `source`."""
    base = source if source._base is None else source._base
    t._base = base
    t._replay = (*(source._replay or ()), (step, rest))
    t._vc = counter(source)     # also that of all inference tensors
    if not mode.grad:
        t._made_without_grad = True
    if not base._rg:
        _remember(base, t)


def _remember(base: Tensor, t: Tensor) -> None:
    views = base._views
    if views is None:
        views = base._views = []
    elif len(views) > 16 and len(views) & (len(views) - 1) == 0:
        views[:] = [v for v in views if v() is not None]
    views.append(weakref.ref(t))


def live_views(base: Tensor) -> list[Tensor]:
    """The views of a tensor that somebody still holds."""
    found = [v() for v in base._views or ()]
    return [v for v in found if v is not None]


def replay(t: Tensor, on: Tensor) -> Tensor:
    """The view of `on` that lies in it as `t` lies in its base."""
    for step, rest in t._replay:
        on = step(on, *rest)
    return on


def shares(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the result of reshaping `b` is a view of it."""
    return np.may_share_memory(a, b)
