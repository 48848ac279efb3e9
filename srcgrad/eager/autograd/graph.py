"""The kinds of the graph's nodes, under torch's names."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from srcgrad.eager.graph import WATCHERS, Node, edge_of, pack
from srcgrad.eager.graph import accumulator as _accumulator
from srcgrad.eager.packing import hooks
from srcgrad.eager.tensor import Tensor, bump

__all__ = ["GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version",
           "save_on_cpu", "saved_tensors_hooks"]


class saved_tensors_hooks:
    """Inside, `pack_hook` changes what operations save for backward; `unpack_hook` turns it into a tensor again."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if hooks.refused:
            raise RuntimeError(hooks.refused[-1])
        hooks.pairs.append((self.pack_hook, self.unpack_hook))
        WATCHERS.append(pack)

    def __exit__(self, *exception: object) -> None:
        hooks.pairs.pop()
        WATCHERS.remove(pack)


class save_on_cpu(saved_tensors_hooks):
    """Inside, what is saved lies on the CPU: it does so anyway."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t, lambda t: t)


class disable_saved_tensors_hooks:
    """Inside, hooks on what is saved are refused with this message."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def __enter__(self) -> None:
        if hooks.pairs:
            raise RuntimeError(self.error_message)
        hooks.refused.append(self.error_message)

    def __exit__(self, *exception: object) -> None:
        hooks.refused.pop()


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write in place that nobody saw."""
    for t in [tensor] if isinstance(tensor, Tensor) else tensor:
        bump(t)


class GradientEdge(NamedTuple):
    """A node and which of its results is meant."""
    node: Any
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge = edge_of(tensor)
    return GradientEdge(_accumulator(edge) if edge._kind == 1 else edge.node, tensor.output_nr)
