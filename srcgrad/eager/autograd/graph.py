"""The kinds of the graph's nodes, under torch's names."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from srcgrad.eager.graph import Node, edge_of
from srcgrad.eager.graph import accumulator as _accumulator
from srcgrad.eager.tensor import Tensor, bump

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "increment_version"]


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
