"""The memory behind tensors, as far as programs ask about it."""
from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor, method

__all__ = ["Storage"]


class Storage:
    """The memory of a tensor and of all that share it; two are the same if their addresses are."""

    def __init__(self, t: Tensor) -> None:
        a: Any = t._a
        while isinstance(a.base, np.ndarray):
            a = a.base
        self._a: np.ndarray = a
        self.dtype = t.dtype

    def data_ptr(self) -> int:
        """The address of the first element."""
        address: int = self._a.__array_interface__["data"][0]
        return address

    def size(self) -> int:
        """The number of elements."""
        return int(self._a.size)

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._a.nbytes)

    def tolist(self) -> list[Any]:
        """The elements in the order in which they lie."""
        found: list[Any] = self._a.reshape(-1, order="A").tolist()
        return found

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and other.data_ptr() == self.data_ptr()

    def __hash__(self) -> int:
        return self.data_ptr()

    def __repr__(self) -> str:
        rows = "".join(f" {x}\n" for x in self.tolist())
        return f"{rows}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"


@method("storage", "untyped_storage")
def storage(self: Tensor) -> Storage:
    """The memory behind this tensor."""
    return Storage(self)


def _no(self: Tensor) -> bool:
    return False


for _name in ("is_shared", "is_pinned", "is_conj", "is_neg"):
    setattr(Tensor, _name, _no)


@method()
def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself: there is one process."""
    return self
