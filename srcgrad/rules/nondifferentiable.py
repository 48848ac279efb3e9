"""The table of functions whose result has no derivative, and of those that are pure.

*Pure*: the result depends on the arguments alone and nothing else happens, so that a call may be dropped, repeated, or
made with stand-ins for its arguments.  *Nondifferentiable*: the result's derivative is zero wherever it exists.  A
function that is in neither table and has no rule is unsupported for active arguments.
"""
from __future__ import annotations

import bisect
import builtins
import functools
import math
import operator
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.rules import registry
from srcgrad.rules.spellings import ATTRIBUTES, METHODS, SYNONYMS
from srcgrad.runtime import writes
from srcgrad.runtime.tensors import stop_gradient

_NUMPY_ZERO = """
    floor ceil trunc rint round around fix sign signbit floor_divide equal not_equal less less_equal greater
    greater_equal array_equal array_equiv allclose isclose logical_and logical_or logical_not logical_xor bitwise_and
    bitwise_or bitwise_xor invert left_shift right_shift isnan isinf isfinite isneginf isposinf isreal iscomplex
    isrealobj iscomplexobj isscalar isin argmax argmin nanargmax nanargmin argsort argpartition lexsort argwhere
    nonzero flatnonzero count_nonzero searchsorted digitize any all shape ndim size iterable broadcast_shapes zeros
    ones empty zeros_like ones_like empty_like eye identity tri indices ix_ tril_indices triu_indices
    tril_indices_from triu_indices_from diag_indices diag_indices_from unravel_index ravel_multi_index mask_indices
    gcd lcm result_type promote_types can_cast min_scalar_type dtype finfo iinfo issubdtype shares_memory
    may_share_memory isnat isdtype isfortran bitwise_count packbits unpackbits mintypecode typename common_type
    base_repr binary_repr format_float_scientific format_float_positional einsum_path geterr geterrcall getbufsize
    get_printoptions get_include datetime_as_string datetime_data busday_count busday_offset is_busday spacing int8
    int16 int32 int64 uint8 uint16 uint32 uint64 intp bool_ linalg.matrix_rank"""

# Pure, but with a derivative that no rule gives: fine for inactive arguments.
_NUMPY_PURE = """
    arange logspace geomspace meshgrid unique histogram histogram_bin_edges fromiter frombuffer fromstring partition
    percentile quantile nanmedian nanpercentile nanquantile nanstd nanvar cov corrcoef correlate polyfit polyval roots
    poly vander vectorize piecewise apply_along_axis delete insert resize choose extract setdiff1d union1d intersect1d
    unwrap gradient modf frexp divmod nextafter hamming hanning blackman bartlett kaiser i0 hsplit dsplit block bmat
    broadcast_arrays require array2string array_str array_repr nanmax nanmin nanprod nancumsum nancumprod
    fft.fftfreq fft.rfftfreq linalg.eig linalg.eigvals linalg.cond linalg.multi_dot
    polyadd polysub polymul polydiv polyder polyint histogram2d histogramdd ediff1d trim_zeros asarray_chkfinite
    rollaxis matvec vecmat unique_all unique_counts unique_inverse unique_values cumulative_sum cumulative_prod
    real_if_close setxor1d unstack diagflat sort_complex asmatrix fft.rfft2 fft.irfft2
    fft.rfftn fft.irfftn fft.hfft fft.ihfft linalg.tensorsolve linalg.tensorinv linalg.matrix_norm linalg.vector_norm
    linalg.diagonal linalg.trace linalg.tensordot linalg.svdvals linalg.cross linalg.outer linalg.matmul linalg.vecdot
    vecdot"""

_PYTHON_ZERO = (
    len, int, bool, isinstance, issubclass, callable, hasattr, round, range, str, repr, format, ord, chr, hash, any,
    all, type, hex, bin, oct, ascii,
    math.floor, math.ceil, math.trunc, math.isnan, math.isinf, math.isfinite, math.isclose, math.gcd, math.lcm,
    math.factorial, math.comb, math.perm, math.isqrt, bisect.bisect_left, bisect.bisect_right,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.not_, operator.truth,
    operator.is_, operator.is_not, operator.contains, operator.index, operator.floordiv, operator.and_, operator.or_,
    operator.xor, operator.invert, operator.lshift, operator.rshift, stop_gradient,
    writes.flat_cells, writes.cycle, writes.cycle_apart, writes.diagonal_cells, writes.along_axis, writes.cells_of,
    writes.partition_order, writes.running_order, writes.reduceat_cells)

# Their results hold or give what goes in.
_PYTHON_PURE = (
    tuple, list, dict, set, frozenset, zip, enumerate, reversed, sorted, slice, map, filter, getattr, iter, divmod, min,
    max, sum, abs, pow, float, complex, object, operator.getitem, operator.itemgetter, operator.attrgetter, math.modf,
    math.frexp, math.dist, math.remainder)

EFFECTS = (
    print, input, open, time.time, time.perf_counter, time.process_time, time.monotonic, time.sleep, warnings.warn,
    np.seterr, np.seterrcall, np.setbufsize, np.set_printoptions, np.printoptions, np.show_runtime,
    np.show_config, np.info, np.test, np.save, np.savez,
    np.savez_compressed, np.savetxt, np.load, np.loadtxt, np.genfromtxt)

# What neither a rule nor a table covers, and why.
UNSUPPORTED: dict[str, str] = {
    **dict.fromkeys(("copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal"), "writes its argument"),
    **dict.fromkeys(("apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "frompyfunc"),
                    "calls a function that it is given"),
    **dict.fromkeys(("fromfile", "fromregex", "from_dlpack"), "reads from outside"),
    "nested_iters": "an iterator that writes through views",
}

# By module, since nobody who hasn't loaded one can have these.
_GENERATORS = (("numpy.random", "Generator"), ("numpy.random", "RandomState"), ("random", "Random"))
_MAKE_GENERATORS = tuple(("numpy.random", name) for name in "default_rng RandomState Generator SeedSequence".split())
_LOGGING = tuple(("logging", name) for name in "debug info warning error exception critical log".split())
_LOGGERS = (("logging", "Logger"), ("logging", "LoggerAdapter"))
_HIGHER_ORDER = (map, filter, np.vectorize, np.apply_along_axis, np.piecewise)


def is_nondifferentiable(function: Any) -> bool:
    """Whether the derivative of what the function gives is zero (wherever it exists), also if it has effects.

    >>> is_nondifferentiable(np.argmax), is_nondifferentiable(print), is_nondifferentiable(np.random.rand)
    (True, True, True)
    """
    return (draws(function) or _in(function, _zero()) or _has_effects(function)
            or getattr(function, "__no_gradient__", False) is True)


def leaves_the_program(function: Any) -> bool:
    """Whether what the function is given may come back by a way that can't be followed: a file, say.

    >>> leaves_the_program(np.save), leaves_the_program(print)
    (True, False)
    """
    told = function in (print, warnings.warn, time.sleep) or any(function is known for known in _loaded(_LOGGING))
    return _has_effects(function) and not told


def is_logger(cls: type) -> bool:
    """Whether objects of the class are only told things, none of which come back.

    >>> import logging
    >>> is_logger(logging.Logger), is_logger(list)
    (True, False)
    """
    return issubclass(cls, tuple(_loaded(_LOGGERS)))


def is_pure(function: Any) -> bool:
    """Whether a call may be dropped, repeated or tried on stand-ins.

    >>> is_pure(np.sum), is_pure(np.argmax), is_pure(print), is_pure(np.random.rand)
    (True, True, False, False)
    """
    if draws(function) or _has_effects(function):
        return False
    return _in(function, _pure("numpy.fft" in sys.modules)) or registry.has_rule(function)


def draws(function: Any) -> bool:
    """Whether the function draws random numbers (a method of a generator, np.random.rand ...)."""
    owner = getattr(function, "__self__", None)
    return owner is not None and isinstance(owner, tuple(_loaded(_GENERATORS)))


def _has_effects(function: Any) -> bool:
    return _in(function, _EFFECTS) or any(function is made for made in _loaded(_MAKE_GENERATORS + _LOGGING))


def _loaded(places: tuple[tuple[str, str], ...]) -> Iterator[Any]:
    """What these modules have under these names, if they are loaded."""
    return (getattr(sys.modules[module], name) for module, name in places if module in sys.modules)


def _in(function: Any, table: frozenset) -> bool:
    try:
        return function in table
    except TypeError:                       # unhashable
        return False


_EFFECTS = frozenset(EFFECTS)


@functools.cache
def _zero() -> frozenset:
    return frozenset((*_found(_NUMPY_ZERO.split()), *_PYTHON_ZERO))


@functools.cache
def _pure(fft: bool) -> frozenset:
    """Functions that call what they are given are as pure as that, hence not in here; those of np.fft if `fft`."""
    names = _NUMPY_PURE.split()
    numpy = _found(names if fft else [name for name in names if not name.startswith("fft.")])
    known = {*_zero(), *numpy, *_PYTHON_PURE, *SYNONYMS, *METHODS.values(), *ATTRIBUTES.values()}
    exceptions = {e for e in vars(builtins).values() if isinstance(e, type) and issubclass(e, BaseException)}
    return frozenset((known | exceptions) - set(_HIGHER_ORDER))


def _found(names: list[str]) -> Iterator[Any]:
    """Those of NumPy's functions that the installed NumPy has."""
    for name in names:
        try:
            yield operator.attrgetter(name)(np)
        except AttributeError:
            continue
