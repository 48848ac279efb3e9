"""Which lengths are assumed to be equal: guards check it, and equal lengths are written alike."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from srcgrad.analysis.lengths import SliceLength, map_inner, value_of, weight
from srcgrad.analysis.values import Array, Linear

MOST_STEPS = 8
_Pair = tuple[Linear, Linear]


class Equalities:
    """Lengths that are equal in this call, as far as that was needed.

    guards: every assumption is put there.  sizes: the arguments' symbols in this call.  assumed: how many assumptions
    there are.
    """

    def __init__(self, guards: dict[Any, Any], sizes: Mapping[Any, int]) -> None:
        self.guards, self.sizes, self.assumed = guards, sizes, 0
        self._simpler: dict[Linear, Linear] = {}
        self._canonical: dict[int, tuple[Array, Array]] = {}     # answers by identity, as long as nothing is assumed
        for key, fact in guards.items():
            if key[0] == "same":
                self._assume(*fact)

    def size(self, form: Linear) -> int | None:
        """The number that a form is in this call; None where loops or something unknown decide it."""
        return value_of(form, self.sizes.get)

    def root(self, form: Linear) -> Linear:
        """How the form is written; equal ones alike."""
        if not self._simpler:
            return form
        for _ in range(MOST_STEPS):
            new = map_inner(form, self.root)
            new = self._simpler.get(new, new)
            if new == form:
                break
            form = new
        return form

    def canonical(self, value: Array) -> Array:
        """The array with its lengths written as their roots."""
        if not self._simpler or value.dims is None:
            return value
        known = self._canonical.get(id(value))
        if known is None:
            dims = tuple(None if d is None else self.root(d) for d in value.dims)
            new = value if dims == value.dims else Array(value.dtype, dims)
            known = self._canonical[id(value)] = (value, new)
        return known[1]

    def unify(self, p: Linear, q: Linear) -> Linear | None:
        """The form that both are, if they are equal in this call: that is assumed, and guarded."""
        needed = self._needed(p, q)
        if needed is None:
            return None
        for one, other in needed:
            self.guards[("same", one, other)] = (one, other)
            self._assume(one, other)
        return self.root(p)

    def _assume(self, p: Linear, q: Linear) -> None:
        p, q = self.root(p), self.root(q)
        if p != q:
            # the simpler one stands for both, or a form could come to be inside itself
            kept, replaced = (q, p) if weight(q) < weight(p) else (p, q)
            self._simpler[replaced] = kept
            self._canonical.clear()
            self.assumed += 1

    def _needed(self, p: Linear, q: Linear) -> list[_Pair] | None:
        """What must be equal for two forms to be, where it is in this call; None where it isn't known to be.

        Two slices with a loop's variable in their bounds are as long if they are cut from dimensions that are.
        """
        if self.root(p) == self.root(q):
            return []
        a, b = self.size(p), self.size(q)
        if a is not None or b is not None:
            return [(p, q)] if a == b else None
        out: list[_Pair] = []
        for one, other in _different_parts(self.root(p), self.root(q)):
            found = None if one is None or other is None else self._needed(one, other)
            if found is None:
                return None
            out += found
        return out or None


def _different_parts(p: Linear, q: Linear) -> Iterator[tuple[Linear | None, Linear | None]]:
    """Where two forms differ in one slice alone: the parts in which these do."""
    match (p - q).terms:
        case ((SliceLength() as one, c), (SliceLength() as other, d)) if (p - q).const == c + d == 0 \
                and one.step == other.step:
            yield from ((a, b) for a, b in zip(one.forms, other.forms) if a != b)


__all__ = ["Equalities"]
