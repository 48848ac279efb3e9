"""Functions that torch has and that are made of others: products, parts put back, splits, running logarithms."""
from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from srcgrad.eager.axes import axis
from srcgrad.eager.creation import as_tensor, tensor
from srcgrad.eager.dtypes import Size, as_dtype
from srcgrad.eager.joining import stack
from srcgrad.eager.table import FUNCTIONS, function, plain
from srcgrad.eager.tensor import Tensor, method, wrap

__all__ = ["chain_matmul"]


# ---------------------------------------------------------------- products

@function
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`beta * input + alpha * outer(vec1, vec2)`."""
    return input * beta + FUNCTIONS["outer"](vec1, vec2) * alpha


@function
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`beta * input` and `alpha` times the sum of the products of matrices."""
    return input * beta + (batch1 @ batch2).sum(0) * alpha


@plain
def chain_matmul(*matrices: Any) -> Any:
    """The product of several matrices, in the order that needs the fewest multiplications."""
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return _chain(list(matrices), tuple(m.shape[0] for m in matrices) + (matrices[-1].shape[-1],))


def _chain(matrices: list[Any], sizes: tuple[int, ...]) -> Any:
    @functools.cache
    def best(i: int, k: int) -> tuple[int, int]:
        """The cost of the product of matrices i ... k - 1, and where it is cut last."""
        if k - i == 1:
            return 0, i
        return min((best(i, j)[0] + best(j, k)[0] + sizes[i] * sizes[j] * sizes[k], j) for j in range(i + 1, k))

    def product(i: int, k: int) -> Any:
        if k - i == 1:
            return matrices[i]
        j = best(i, k)[1]
        return product(i, j) @ product(j, k)
    return product(0, len(matrices))


# ---------------------------------------------------------------- parts put back

@function
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """A copy whose elements under the mask are those of the source, one after the other."""
    if mask._a.dtype != bool:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype}")
    shape = np.broadcast_shapes(input._a.shape, mask._a.shape)
    where = np.broadcast_to(mask._a, shape)
    count = int(where.sum())
    if source.numel() < count:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes and source to have at least "
                           f"{count} elements, but got {source.numel()}")
    out = input.expand(shape).clone()
    out[wrap(where.copy())] = source.reshape(-1)[:count]
    return out


@function
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """A copy with `src` as one of its slices."""
    out = input.clone()
    out.select(dim, index).copy_(src)
    return out


@function
def slice_scatter(input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None,
                  step: int = 1) -> Any:
    """A copy with `src` as several of its slices."""
    out = input.clone()
    out[(*(slice(None),) * axis(dim, input._a.ndim), slice(start, end, step))] = src
    return out


@function
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy with `src` as its diagonal."""
    out = input.clone()
    out.diagonal(offset, dim1, dim2).copy_(src)
    return out


@function
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """What the source has for each place along a dimension, reduced, together with what was there."""
    if reduce not in _REDUCED:
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + reduce)
    d = axis(dim, input._a.ndim)
    src = src[tuple(slice(n) for n in index._a.shape)]
    n = input._a.shape[d]
    # one more dimension, with every source on the place that it goes to and nothing elsewhere
    hits = np.expand_dims(index._a, d) == _range(n, d, input._a.ndim + 1)
    pad = [(0, 0)] * (input._a.ndim + 1)
    for k, (own, given) in enumerate(zip(input._a.shape, index._a.shape)):
        if k != d:
            pad[k if k < d else k + 1] = (0, own - given)
    hits = np.pad(hits, pad)
    inner = tuple(slice(s) for s in (*index._a.shape[:d], n, *index._a.shape[d:]))
    filled = FUNCTIONS["zeros"](*hits.shape, dtype=src.dtype)
    filled[inner] = src.unsqueeze(d).expand(hits[inner].shape)
    return _REDUCED[reduce](input, filled, wrap(hits), d + 1, include_self)


def _range(n: int, d: int, ndim: int) -> np.ndarray:
    return np.arange(n).reshape([n if k == d else 1 for k in range(ndim)])


def _reduced_sum(input: Any, filled: Any, hits: Any, d: int, own: bool) -> Any:
    total = FUNCTIONS["where"](hits, filled, 0.0).to(input.dtype).sum(d)
    return input + total if own else FUNCTIONS["where"](hits.any(d), total, input)


def _reduced_mean(input: Any, filled: Any, hits: Any, d: int, own: bool) -> Any:
    count = hits.sum(d) + int(own)
    return FUNCTIONS["where"](hits.any(d), _reduced_sum(input, filled, hits, d, own) / count.clamp(min=1), input)


def _reduced_prod(input: Any, filled: Any, hits: Any, d: int, own: bool) -> Any:
    product = FUNCTIONS["where"](hits, filled, 1.0).to(input.dtype).prod(d)
    return input * product if own else FUNCTIONS["where"](hits.any(d), product, input)


def _extreme(name: str, start: float) -> Any:
    def reduced(input: Any, filled: Any, hits: Any, d: int, own: bool) -> Any:
        where = FUNCTIONS["where"]
        found = where(hits, filled, start)
        first = where(wrap(np.asarray(own)), input, start) if own else where(hits.any(d), start, input)
        best = getattr(FUNCTIONS["cat"]([found, first.unsqueeze(d)], d), name)(d)
        return best.to(input.dtype)
    return reduced


_REDUCED: dict[str, Any] = {"sum": _reduced_sum, "mean": _reduced_mean, "prod": _reduced_prod,
                            "amax": _extreme("amax", -np.inf), "amin": _extreme("amin", np.inf)}


# ---------------------------------------------------------------- running sums, norms, runs of equal elements

@function
def logcumsumexp(input: Any, dim: int) -> Any:
    """The logarithm of the running sum of exponentials along a dimension."""
    d = axis(dim, input._a.ndim)
    add = FUNCTIONS["logaddexp"]
    return stack(list(itertools.accumulate(input.unbind(d), add)), d)


@function
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Slices along a dimension, shortened where their norm is above `maxnorm`."""
    d = axis(dim, input._a.ndim)
    over = [k for k in range(input._a.ndim) if k != d]
    size = input.norm(p, over, keepdim=True)
    return input * FUNCTIONS["where"](size > maxnorm, maxnorm / (size + 1e-7), 1.0)


@function
def unique_consecutive(input: Any, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The elements without those that equal the one before; where each went, and how many there were."""
    a = input._a.reshape(-1)
    first = np.ones(a.shape, bool)
    first[1:] = a[1:] != a[:-1]
    found = [wrap(a[first])]
    if return_inverse:
        found.append(wrap((np.cumsum(first) - 1).reshape(input._a.shape)))
    if return_counts:
        found.append(wrap(np.diff(np.append(np.flatnonzero(first), len(a)))))
    return found[0] if len(found) == 1 else tuple(found)


# ---------------------------------------------------------------- other shapes and types

@function
def diagflat(input: Any, offset: int = 0) -> Any:
    """A matrix with all elements on a diagonal."""
    return input.reshape(-1).diag(offset)


@function
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Parts of these sizes."""
    return input.split(list(split_sizes), dim)


def _split_along(name: str, least: int) -> None:
    def parts(input: Any, indices_or_sections: Any) -> Any:
        if input._a.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension{'s' * (least > 1)}, but"
                               f" got a tensor with {input._a.ndim} dimensions!")
        d = {"vsplit": 0, "dsplit": 2}.get(name, 0 if input._a.ndim == 1 else 1)
        if isinstance(indices_or_sections, int) and input._a.shape[d] % indices_or_sections:
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size of the dimension "
                               f"{input._a.shape[d]} is not divisible by the split_size {indices_or_sections}!")
        return input.tensor_split(indices_or_sections, d)
    parts.__name__, parts.__doc__ = name, "Parts, cut before indices or into so many."
    function(parts)


for _name, _least in {"hsplit": 1, "vsplit": 2, "dsplit": 3}.items():
    _split_along(_name, _least)
function(FUNCTIONS["vstack"], "row_stack", methods=False)


@function
def float_power(input: Any, exponent: Any) -> Any:
    """The power, in double precision."""
    double = as_dtype(np.dtype(np.float64))
    raised = [x.to(double) if isinstance(x, Tensor) else float(x) for x in (input, exponent)]
    return FUNCTIONS["pow"](*raised)


@function
def positive(input: Any) -> Any:
    """The tensor itself."""
    if input._a.dtype == bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@function
def ldexp(input: Any, other: Any) -> Any:
    """`input * 2 ** other`."""
    return input * FUNCTIONS["pow"](2.0, other)


def _whole(name: str, ufunc: Any) -> None:
    def called(input: Any, other: Any) -> Any:
        return wrap(ufunc(input._a, other._a))
    called.__name__, called.__doc__ = name, f"NumPy's `{ufunc.__name__}`."
    function(called)


for _name, _ufunc in {"gcd": np.gcd, "lcm": np.lcm, "nextafter": np.nextafter}.items():
    _whole(_name, _ufunc)


@plain
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All choices of `r` elements, a row each."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.numel()), r)), np.int64).reshape(-1, r)
    return input[wrap(rows)]


@plain
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that all these broadcast to."""
    return Size(np.broadcast_shapes(*((s,) if isinstance(s, int) else tuple(s) for s in shapes)))


@plain
def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """The places in that shape of elements counted from its start."""
    return tuple(wrap(np.asarray(i)) for i in np.unravel_index(indices._a, tuple(shape)))


@plain
def scalar_tensor(s: Any, *, dtype: Any = None, requires_grad: bool = False) -> Any:
    """A tensor without dimensions, of the default type."""
    return FUNCTIONS["full"]((), s, dtype=dtype or FUNCTIONS["ones"](1).dtype, requires_grad=requires_grad)


@plain
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
            requires_grad: bool = False) -> Any:
    """A tensor of anything that can be one, sharing memory if possible."""
    if copy:
        return tensor(obj, dtype=dtype, requires_grad=requires_grad)
    made = as_tensor(obj, dtype)
    return made.requires_grad_() if requires_grad else made


# ---------------------------------------------------------------- methods alone

@method()
def apply_(self: Any, callable: Any) -> Any:
    """Writes what a function of Python numbers makes of each element."""
    flat = [callable(x) for x in self._a.reshape(-1).tolist()]
    return self.copy_(wrap(np.array(flat, self._a.dtype).reshape(self._a.shape)))


@method()
def map_(self: Any, tensor: Any, callable: Any) -> Any:
    """Writes what a function of Python numbers makes of each element and its counterpart."""
    pairs = zip(self._a.reshape(-1).tolist(), np.broadcast_to(tensor._a, self._a.shape).reshape(-1).tolist())
    return self.copy_(wrap(np.array([callable(x, y) for x, y in pairs], self._a.dtype).reshape(self._a.shape)))


@method()
def is_same_size(self: Any, other: Any) -> bool:
    """Whether the shapes are equal."""
    return bool(self._a.shape == other._a.shape)


@method()
def is_signed(self: Any) -> bool:
    """Whether the type has negative numbers."""
    return bool(self._a.dtype.kind in "ifc")


@method()
def sum_to_size(self: Any, *size: Any) -> Any:
    """Summed over the dimensions that broadcasting from `size` would have made."""
    from srcgrad.runtime.arrays import unbroadcast
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    return unbroadcast(self, shape)
