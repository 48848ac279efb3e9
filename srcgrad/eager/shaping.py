"""Shapes: views where torch has views, copies where it copies."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.op import Op, record
from srcgrad.eager.protocols import TORCH
from srcgrad.eager.table import function
from srcgrad.eager.tensor import Tensor, method
from srcgrad.eager.views import view_of

_view, _copied = Op("ViewBackward0", np.reshape), Op("UnsafeViewBackward0", np.reshape)
_alias = Op("AliasBackward0", np.positive)


def sizes_of(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list, np.ndarray)):
        shape = tuple(shape[0])
    for n in shape:
        if not hasattr(n, "__index__"):
            raise TypeError(f"argument 'size' must be tuple of ints, not {type(n).__name__}")
    return tuple(int(n) for n in shape)


def given_sizes(name: str, sizes: tuple[Any, ...], words: dict[str, Any], word: str = "size") -> tuple[Any, ...]:
    """Sizes given one after the other or by a keyword."""
    if not sizes and word not in words:
        raise TypeError(f"{name}() missing 1 required positional arguments: \"{word}\"")
    return sizes or (words.pop(word),)


def _full_shape(shape: tuple[Any, ...], size: int) -> tuple[int, ...]:
    """The shape with -1 replaced by what is left."""
    sizes = sizes_of(shape)
    if sizes.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(n for n in sizes if n != -1)
    if any(n < -1 for n in sizes) or (known != size if -1 not in sizes else known == 0 or size % known):
        raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {size}")
    return tuple(size // known if n == -1 else n for n in sizes)


@function
def reshape(input: Tensor, *shape: Any, **words: Any) -> Tensor:
    """Another shape: a view if possible, else a copy."""
    a = input._a
    new = _full_shape(given_sizes("reshape", shape, words, "shape"), a.size)
    out = a.reshape(new)
    if _is_view(out, a):
        return view_of(_view, out, (input, new, "C"), reshape, new)
    return record(_copied, out, (input, new, "C"))


def _is_view(out: np.ndarray, a: np.ndarray) -> bool:
    return out.base is not None and (out.base is a or out.base is a.base)


@method()
def view(self: Tensor, *shape: Any) -> Tensor:
    """A view of another shape, or of the bytes as another type."""
    from srcgrad.eager.dtypes import dtype
    a = self._a
    if shape and isinstance(shape[0], (dtype, np.dtype, type)):
        return _as_type(self, shape[0])
    new = _full_shape(shape, a.size)
    out = a.reshape(new)
    if not _is_view(out, a) and a.size:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    return view_of(_view, out, (self, new, "C"), view, new)


def _as_type(self: Tensor, wanted: Any) -> Tensor:
    from srcgrad.eager.dtypes import numpy_dtype
    from srcgrad.eager.tensor import counter, wrap
    t = wrap(self._a.view(numpy_dtype(wanted)))
    t._vc = counter(self)
    return t


@method()
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view of the shape of another tensor."""
    return view(self, other._a.shape)


@method()
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """The elements in the shape of another tensor."""
    return reshape(self, other._a.shape)


@function
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Some dimensions made one."""
    shape = input._a.shape
    if not shape:
        return reshape(input, 1)
    first, last = axis(start_dim, len(shape)), axis(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    return reshape(input, (*shape[:first], math.prod(shape[first:last + 1]), *shape[last + 1:]))


@function
def ravel(input: Tensor) -> Tensor:
    """All dimensions made one."""
    return reshape(input, -1)


@function
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dimension made several."""
    shape = input._a.shape
    d = axis(dim, len(shape))
    inner = _full_shape(tuple(sizes), shape[d])
    return reshape(input, (*shape[:d], *inner, *shape[d + 1:]))


# ---------------------------------------------------------------- order of dimensions

_transpose, _t, _permute = Op("TransposeBackward0", np.swapaxes), Op("TBackward0", np.transpose), Op(
    "PermuteBackward0", np.transpose)
_move = Op("PermuteBackward0", np.moveaxis)


@function
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    n = input._a.ndim
    i, j = axis(dim0, n), axis(dim1, n)
    if not n:
        return view_of(_alias, input._a[...], (input,), transpose, i, j)
    return view_of(_transpose, input._a.swapaxes(i, j), (input, i, j), transpose, i, j)


@function
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """The same as `transpose`."""
    return transpose(input, axis0, axis1)


function(transpose, "swapdims")


@function
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix."""
    if input._a.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._a.ndim}D")
    return view_of(_t, input._a.T, (input, None), t)


@function
def permute(input: Tensor, *dims: Any, **words: Any) -> Tensor:
    """The dimensions in another order."""
    n = input._a.ndim
    given = sizes_of(given_sizes("permute", dims, words, "dims"))
    if len(given) != n:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                           f"of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = "
                           f"{len(given)}")
    order = tuple(axis(d, n) for d in given)
    if len(set(order)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return view_of(_permute, input._a.transpose(order), (input, order), permute, order)


@function
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places."""
    n = input._a.ndim
    source, destination = (tuple(axis(d, n) for d in dims) if isinstance(dims, (tuple, list)) else axis(dims, n)
                           for dims in (source, destination))
    if not n:
        return view_of(_alias, input._a[...], (input,), movedim, 0, 0)
    return view_of(_move, np.moveaxis(input._a, source, destination), (input, source, destination), movedim, source,
                   destination)


function(movedim, "moveaxis")


def _turned(self: Tensor) -> Tensor:
    return permute(self, *reversed(range(self._a.ndim)))


def _matrix_turned(self: Tensor) -> Tensor:
    if self._a.ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got "
                           f"{self._a.ndim}-D tensor.")
    return transpose(self, -2, -1)


def _adjoint(self: Tensor) -> Tensor:
    return _matrix_turned(self).conj()


for _name, _get in {"T": _turned, "mT": _matrix_turned, "H": _adjoint, "mH": _adjoint}.items():
    setattr(Tensor, _name, property(_get))
function(_adjoint, "adjoint")


# ---------------------------------------------------------------- dimensions of 1

_squeeze_all, _squeeze_one, _squeeze_some = (Op(f"SqueezeBackward{i}", np.squeeze) for i in range(3))
_unsqueeze = Op("UnsqueezeBackward0", np.expand_dims)


@function
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of 1: all, or those given."""
    a = input._a
    if dim is None:
        out = a.reshape([n for n in a.shape if n != 1])
        return view_of(_squeeze_all, out, (input, None), squeeze)
    several = isinstance(dim, (tuple, list))
    wanted = [axis(d, a.ndim) for d in (dim if several else (dim,))]
    gone = tuple(d for d in wanted if a.ndim and a.shape[d] == 1)
    return view_of(_squeeze_some if several else _squeeze_one, a.reshape([n for i, n in enumerate(a.shape)
                                                                         if i not in gone]), (input, gone), squeeze,
                   dim)


@function
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With one more dimension, of 1."""
    d = axis(dim, input._a.ndim, 1)
    return view_of(_unsqueeze, np.expand_dims(input._a, d), (input, d), unsqueeze, d)


# ---------------------------------------------------------------- repeating

_expand = Op("ExpandBackward0", np.broadcast_to)
_repeat = Op("RepeatBackward0", np.tile)
_repeat_interleave = Op("RepeatInterleaveBackward0", np.repeat)


@method()
def expand(self: Tensor, *sizes: Any, **words: Any) -> Tensor:
    """Dimensions of 1 repeated, without a copy."""
    given = sizes_of(given_sizes("expand", sizes, words))
    own = self._a.shape
    lead = len(given) - len(own)
    if lead < 0:
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(own)}}}, size={list(given)}): the number of sizes "
                           f"provided ({len(given)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({len(own)})")
    shape = tuple(own[i - lead] if n == -1 else n for i, n in enumerate(given))
    for i, n in enumerate(own):
        if n not in (1, shape[i + lead]):
            raise RuntimeError(f"The expanded size of the tensor ({shape[i + lead]}) must match the existing size "
                               f"({n}) at non-singleton dimension {i + lead}.  Target sizes: {list(shape)}.  Tensor "
                               f"sizes: {list(own)}")
    out = np.lib.stride_tricks.as_strided(self._a, shape, _expanded_strides(self._a, shape))
    return view_of(_expand, out, (self, shape), expand, shape)


def _expanded_strides(a: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...]:
    lead = len(shape) - a.ndim
    return (0,) * lead + tuple(0 if n == 1 and shape[i + lead] != 1 else s
                               for i, (n, s) in enumerate(zip(a.shape, a.strides)))


@method()
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of another tensor."""
    return expand(self, other._a.shape)


@function
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Expanded to a shape."""
    return expand(input, tuple(size))


@method()
def repeat(self: Tensor, *sizes: Any, **words: Any) -> Tensor:
    """The whole tensor repeated along each dimension."""
    counts = sizes_of(given_sizes("repeat", sizes, words, "repeats"))
    if len(counts) < self._a.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return record(_repeat, np.tile(self._a, counts), (self, counts))


@function
def tile(input: Tensor, *dims: Any, **words: Any) -> Tensor:
    """The whole tensor repeated, as `np.tile`."""
    counts = sizes_of(given_sizes("tile", dims, words, "dims"))
    return repeat(input, (1,) * (input._a.ndim - len(counts)) + counts)


@function
def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element repeated."""
    counts = repeats._a if isinstance(repeats, Tensor) else repeats
    size = input._a.size if dim is None else input._a.shape[axis(dim, input._a.ndim)]
    if np.ndim(counts) and len(counts) not in (1, size):
        raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{len(counts)} and input.size(0) = {size}")
    if np.any(np.asarray(counts) < 0):
        raise RuntimeError("repeats can not be negative")
    return record(_repeat_interleave, np.repeat(input._a, counts, dim), (input, counts, dim))


TORCH.update({
    np.reshape: lambda a, shape, order="C": reshape(a, shape), np.ravel: ravel, np.transpose:
    lambda a, axes=None: _turned(a) if axes is None else permute(a, axes), np.swapaxes: transpose,
    np.moveaxis: movedim, np.broadcast_to: lambda array, shape: expand(array, shape)})

__all__ = ["expand", "permute", "reshape", "sizes_of", "squeeze", "t", "transpose", "unsqueeze"]
