"""Which functions give their argument itself, or a view of it: always, never, or as the arguments decide."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.analysis.values import Array, Known, Value, number_of
from srcgrad.runtime import writes

# Functions of an array that give a view of it, always or (False) if its layout allows.
VIEWS: dict[Any, bool] = {
    np.transpose: True, np.matrix_transpose: True, np.linalg.matrix_transpose: True, np.swapaxes: True,
    np.moveaxis: True, np.rollaxis: True, np.squeeze: True, np.expand_dims: True, np.broadcast_to: True,
    np.diagonal: True, np.linalg.diagonal: True, np.flip: True, np.flipud: True, np.fliplr: True, np.rot90: True,
    np.lib.stride_tricks.sliding_window_view: True,
    np.array_split: True, np.split: True, np.hsplit: True, np.vsplit: True, np.dsplit: True,
    np.broadcast_arrays: True, np.ix_: True, writes.along_axis: True, writes.reshaped: True,
    np.reshape: False, np.ravel: False, np.asarray: False, np.ascontiguousarray: False, np.asanyarray: False,
    np.asfortranarray: False, np.asarray_chkfinite: False, np.require: False, np.trim_zeros: False,
    np.atleast_1d: False, np.atleast_2d: False, np.atleast_3d: False, np.real: False, np.imag: False,
    np.real_if_close: False,
}
if hasattr(np, "unstack"):                  # NumPy 2.1 and later
    VIEWS[np.unstack] = True

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def gives_view(function: Any, args: Args, kwargs: Kwargs) -> bool | None:
    """Whether the result is a view of the argument (True), a new array (None), or one of both (False).

    >>> gives_view(np.transpose, (), {}), gives_view(np.reshape, (), {}), gives_view(np.sin, (), {})
    (True, False, None)
    """
    decide = _DECIDED.get(function)
    return VIEWS.get(function) if decide is None else decide(args, kwargs)


def viewed(function: Any) -> int:
    """Which argument the result may be a view of."""
    return 1 if function is np.einsum else 0


def _copies_unless_told(position: int | None, default: object) -> Callable[[Args, Kwargs], bool | None]:
    """Functions with an argument `copy`: whatever isn't surely True there may give the argument itself."""
    def decide(args: Args, kwargs: Kwargs) -> bool | None:
        given = args[position] if position is not None and len(args) > position else kwargs.get("copy", Known(default))
        return None if given == Known(True) else False
    return decide


def _einsum(args: Args, kwargs: Kwargs) -> bool | None:
    """With one operand, nothing of which is summed, the result is a view."""
    if len(args) != 2 or not isinstance(args[0], Known) or not isinstance(args[0].obj, str):
        return None if len(args) > 2 else False
    given, arrow, wanted = args[0].obj.replace(" ", "").partition("->")
    if arrow:
        return True if set(given) == set(wanted) else None
    return True if len(set(given)) == len(given) else None


def _trivial_at(position: int, name: str, default: int, trivial: int) -> Callable[[Args, Kwargs], bool | None]:
    """Functions that give their argument itself where a number is `trivial`."""
    def decide(args: Args, kwargs: Kwargs) -> bool | None:
        number = number_of(args[position] if len(args) > position else kwargs.get(name, Known(default)))
        value = None if number is None or number.linear is None else number.linear.constant
        return False if value is None or value == trivial else None
    return decide


def _without_axes(args: Args, kwargs: Kwargs) -> bool | None:
    """Transforms over no axes at all give their argument itself."""
    return None if len(args) < 3 and "axes" not in kwargs else False


def _diag(args: Args, kwargs: Kwargs) -> bool | None:
    """A matrix's diagonal is a view; the matrix of a diagonal is new."""
    dims = args[0].dims if args and isinstance(args[0], Array) else None
    return False if dims is None else True if len(dims) == 2 else None


def _conjugate(args: Args, kwargs: Kwargs) -> bool | None:
    """As a method, which gives a real array itself."""
    owner = args[0]
    if not isinstance(owner, Array) or owner.dtype is None:
        return False
    return None if owner.dtype.kind == "c" else False


_DECIDED: dict[Any, Callable[[Args, Kwargs], bool | None]] = {
    np.einsum: _einsum,
    np.diag: _diag,
    np.array: _copies_unless_told(None, True),
    np.nan_to_num: _copies_unless_told(1, True),
    np.meshgrid: _copies_unless_told(None, True),
    np.ndarray.astype: _copies_unless_told(5, True),
    np.diff: _trivial_at(1, "n", 1, 0),
    np.linalg.matrix_power: _trivial_at(1, "n", -1, 1),
    **dict.fromkeys((np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn), _without_axes),
    np.ndarray.conj: _conjugate,
}
