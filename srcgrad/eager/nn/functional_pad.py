"""Margins around tensors."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from srcgrad.eager.nn.ops import windows as ops
from srcgrad.eager.nn.ops.apply import apply
from srcgrad.eager.nn.tensors import Tensor
from srcgrad.eager.tensor import wrap


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Margins of the given widths: before and after the last axis, then the one before it, and so on.

    Modes: `"constant"` (negative widths cut), `"reflect"`, `"replicate"`, `"circular"`.

    >>> import srcgrad.eager as torch
    >>> torch.nn.functional.pad(torch.tensor([[1.0, 2.0]]), (1, 2))
    tensor([[0., 1., 2., 0., 0.]])
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    margins = tuple((int(a), int(b)) for a, b in zip(pad[::2], pad[1::2]))[::-1]
    if len(margins) > input.dim():
        raise RuntimeError(f"Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {input.dim()}")
    if any(n + a + b < 0 for n, (a, b) in zip(input.shape[input.dim() - len(margins):], margins)):
        raise RuntimeError(f"The input size {list(input.shape)}, plus negative padding {list(pad)}, resulted in a "
                           "negative output size, which is invalid.")
    if mode == "constant":
        return apply(ops.pad, input, margins, 0.0 if value is None else value)
    if mode not in _PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _by_places(input, margins, mode)


def _by_places(input: Tensor, margins: tuple[tuple[int, int], ...], mode: str) -> Tensor:
    """Takes elements of the input again, axis by axis."""
    for back, (before, after) in enumerate(reversed(margins), start=1):
        size = input.shape[-back]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError("Argument #4: Padding size should be less than the corresponding input dimension, but "
                               f"got: padding ({before}, {after}) at dimension {input.dim() - back} of input "
                               f"{list(input.shape)}")
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        places = _PLACES[mode](np.arange(-before, size + after), size)
        input = input.index_select(-back, wrap(places))
    return input


def _reflected(places: np.ndarray, size: int) -> np.ndarray:
    inside = np.abs(places)
    return np.where(inside >= size, 2 * (size - 1) - inside, inside)


_PLACES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "reflect": _reflected,
    "replicate": lambda places, size: np.clip(places, 0, size - 1),
    "circular": lambda places, size: places % size,
}
