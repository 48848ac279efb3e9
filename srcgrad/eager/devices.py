"""Where tensors lie: here always in the memory of the CPU."""
from __future__ import annotations

from typing import Any

__all__ = ["device"]


class device:
    """Where a tensor lies: here always the CPU."""
    __slots__ = ("type", "index")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        name, _, number = str(getattr(type, "type", type)).partition(":")
        if name != "cpu":
            raise RuntimeError(f"srcgrad.eager has no device {name!r}: tensors are NumPy arrays on the CPU")
        self.type, self.index = name, int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type={self.type!r})" if self.index is None else f"device(type='cpu', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and other.type == self.type

    def __hash__(self) -> int:
        return hash(self.type)


class layout:
    """How elements lie in memory: prints as its name, and equals another of that name.

    >>> layout("torch.strided")
    torch.strided
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, layout) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)
