"""What a write through a view does to the graph: the base's node becomes `CopySlices`, and its views are found anew."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.graph import Node, edge_of, node_class, sequence
from srcgrad.eager.table import FUNCTIONS
from srcgrad.eager.tensor import Tensor, _new, wrap
from srcgrad.eager.views import live_views, replay
from srcgrad.runtime.modes import enable_grad, no_grad

__all__ = ["rebase", "regenerate", "retain"]


def retain(t: Tensor, fn: Any) -> None:
    """A gradient that is to be kept is that of the tensor's new value."""
    if t._retained:
        old = t._fn.node
        reference = old.retained.pop(t.output_nr)
        node, number = fn.node, fn.number if fn._kind == 2 else 0
        node.special = True
        node.retained = {**(node.retained or {}), number: reference}


def regenerate(base: Tensor) -> None:
    """All views of the base take their place in the graph anew."""
    if base._views is None:
        return
    for t in live_views(base):
        if not hasattr(t, "_made_without_grad"):
            with enable_grad():
                t._fn = replay(t, base)._fn
            if t._fn is not None:
                t._fn.__class__ = node_class("AsStridedBackward0")


class CopySlices(Node):
    """A base of which a part was written through a view: edges to the base as it was and to what was written."""
    view: Tensor
    order: list[int]

    def name(self) -> str:
        """As torch calls it."""
        return "torch::autograd::CopySlices"

    def _slots(self) -> tuple[Any, ...]:
        base, written = self.edges
        inner = () if written is None or written._kind == 1 else written.node._slots()
        return base, *(inner[1:] or (written,))


class _Slices:
    """How `CopySlices` runs backwards."""
    op = None
    saved = ()
    sequences = False

    @staticmethod
    def arrays(node: CopySlices, out_bar: Any) -> tuple[Any, ...]:
        """The base's gradient without the written part, and that part."""
        order = node.order
        buffer = np.empty([out_bar.shape[i] for i in order], out_bar.dtype).transpose(np.argsort(order))
        buffer[...] = out_bar
        with no_grad():
            part = replay(node.view, wrap(buffer))._a
        written = part.copy()
        part[...] = 0
        return buffer, written

    @staticmethod
    def tensors(node: CopySlices, out_bar: Any) -> tuple[Any, ...]:
        """The same, recorded."""
        buffer = FUNCTIONS["clone"](out_bar.contiguous())
        part = replay(node.view, buffer)
        written = FUNCTIONS["clone"](part)
        part.zero_()
        return buffer, written


def rebase(t: Tensor, out: Tensor) -> None:
    """Gives the base of a view, and its views, their places after `out` was written through the view `t`."""
    base = t._base
    assert base is not None
    node = CopySlices()
    node.edges, node.plan, node.seq = (edge_of(base), edge_of(out)), _Slices, sequence()
    node.order = sorted(range(base._a.ndim), key=lambda i: -abs(base._a.strides[i]))
    node.view = _new(Tensor)
    node.view._replay = t._replay
    retain(base, node)
    base._fn = node
    regenerate(base)
