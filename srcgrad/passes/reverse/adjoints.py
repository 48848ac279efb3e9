"""The adjoints that exist at a point of the backward pass: first use, accumulation, ownership.

An adjoint that isn't there is zero.  `own` may be added to in place; `shared` may be another name's object;
`lazy` broadcasts to the shape of its primal (the adjoint of a mean stays a scalar).
"""
from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.analysis.values import Value

OWN, SHARED, LAZY = "own", "shared", "lazy"


@dataclass
class State:
    """name of an adjoint -> how it may be used; the kind of a lazy one; its mask (`passes.reverse.masks`)."""
    have: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, Value] = field(default_factory=dict)
    masks: dict[str, str] = field(default_factory=dict)

    def copy(self) -> State:
        """The same adjoints, without masks."""
        return State(dict(self.have), dict(self.kinds))

    def has(self, name: str) -> bool:
        return name in self.have

    def set(self, name: str, how: str, kind: Value | None = None) -> None:
        self.have[name] = how
        self.kinds.pop(name, None)
        self.masks.pop(name, None)
        if kind is not None:
            self.kinds[name] = kind

    def masked(self, name: str, mask: str | None) -> None:
        """Notes the mask of an adjoint, or that it has none; it is forgotten by the next `set`."""
        self.masks.pop(name, None)
        if mask is not None:
            self.masks[name] = mask

    def drop(self, name: str) -> None:
        self.have.pop(name, None)
        self.kinds.pop(name, None)


def meet(a: str, b: str) -> str:
    """What may be done with an adjoint that came one way or the other."""
    if LAZY in (a, b):
        return LAZY
    return OWN if a == b == OWN else SHARED
