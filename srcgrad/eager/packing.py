"""What is saved for backward, changed on its way in and out by hooks of the user."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from srcgrad.eager.tensor import Tensor, _new, wrap

__all__ = ["Packed", "hooks", "packed", "unpacked"]


class Hooks(threading.local):
    """The pairs (pack, unpack) in force, of each thread its own; the last one acts."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Callable[[Tensor], Any], Callable[[Any], Any]]] = []
        self.refused: list[str] = []


hooks = Hooks()


class Packed:
    """What `pack` made of a saved tensor, and where the tensor stood in the graph."""
    __slots__ = ("edge", "result", "unpack", "value")

    def __init__(self, t: Tensor, edge: Any) -> None:
        pack, self.unpack = hooks.pairs[-1]
        self.value = pack(wrap(t._a))
        self.edge = edge
        self.result = hasattr(t, "_is_result")

    def open(self) -> Tensor:
        """The tensor that `unpack` gives, in the place of the one that was saved."""
        found = self.unpack(self.value)
        if not isinstance(found, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                            f"{type(found).__name__}")
        t: Tensor = _new(Tensor)
        t._a, t._fn = found._a, self.edge
        if self.result:
            t._is_result = True
        return t


def packed(x: Any, edge_of: Callable[[Tensor], Any]) -> Any:
    """Saved values with tensors packed, also those in sequences."""
    if isinstance(x, Tensor):
        return Packed(x, edge_of(x))
    return type(x)(packed(item, edge_of) for item in x) if x.__class__ in (tuple, list) else x


def unpacked(x: Any) -> Any:
    """The same values with tensors again."""
    if isinstance(x, Packed):
        return x.open()
    return type(x)(map(unpacked, x)) if x.__class__ in (tuple, list) else x
