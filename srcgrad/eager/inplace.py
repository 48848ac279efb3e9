"""Operations in place.

One rule for all of them: the result is computed beside, written into the tensor's array, and its node becomes the
tensor's.  Through a view, the base's node becomes `CopySlices`, whose backward cuts the written part out of the
base's gradient; all views of the base then take their place in the graph anew.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import (
    arithmetic,
    compositions,
    conversion,
    creation,
    elementwise,
    gamma,
    indexing,
    linalg,
    ordering,
    reductions,
    scattering,
    selecting,
    shaping,
)
from srcgrad.eager.dtypes import as_dtype, result_dtype
from srcgrad.eager.graph import Node
from srcgrad.eager.op import operation, record
from srcgrad.eager.pointwise import operand, shape_error
from srcgrad.eager.quiet import quiet
from srcgrad.eager.slices import rebase, regenerate, retain
from srcgrad.eager.structures import bare_name
from srcgrad.eager.table import FUNCTIONS, operand_checked
from srcgrad.eager.tensor import INFERENCE, Tensor, _new, bump, method
from srcgrad.runtime.modes import mode

__all__ = ["inplace", "write"]


# ---------------------------------------------------------------- the one rule

def inplace(t: Tensor, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Tensor:
    """`t` with `f(t, *args)` written into it."""
    recorded = check(t, (*args, *kwargs.values()))
    before: Tensor = _new(Tensor)
    if not recorded:
        before._a = t._a
        out = f(before, *args, **kwargs)
        _fits(t, out)
        write(t, out._a)
        return t
    before._a, before._fn = t._a.copy(), t._fn
    out = f(before, *args, **kwargs)
    _fits(t, out)
    if out._a.dtype != t._a.dtype:
        out = conversion.to(out, t._a.dtype)
    write(t, out._a)
    _adopt(t, out)
    return t


def check(t: Tensor, others: tuple[Any, ...] = ()) -> bool:
    """Whether a write must be recorded; raises where torch forbids it."""
    if t._vc is INFERENCE and not mode.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a "
                           "clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    if not mode.grad:
        return False
    base = t._base
    if t._rg and t._fn is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if base is not None and base._rg and base._fn is None and not hasattr(t, "_made_without_grad"):
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    recorded = t._fn is not None or (base is not None and base._fn is not None) or any(map(_requires, others))
    if recorded and base is not None:
        _check_view(t)
    return recorded


def _requires(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_requires, x))
    return isinstance(x, Tensor) and x.requires_grad


def _check_view(t: Tensor) -> None:
    if hasattr(t, "_one_of_many"):
        name = "Unbind" if t.grad_fn is None else bare_name(t.grad_fn)
        raise RuntimeError(f"Output {t.output_nr} of {name} is a view and is being modified inplace. This view is the "
                           "output of a function that returns multiple views. Such functions do not allow the output "
                           "views to be modified inplace. You should replace the inplace operation by an "
                           "out-of-place one.")
    if hasattr(t, "_of_function"):
        raise RuntimeError(f"Output {t.output_nr} of {bare_name(t.grad_fn)} is a view and is being modified inplace. "
                           "This view was created inside a custom Function (or because an input was returned as-is) "
                           "and the autograd logic to handle view+inplace would override the custom backward "
                           "associated with the custom Function, leading to incorrect gradients. This behavior is "
                           "forbidden. You can fix this by cloning the output of the custom Function.")
    if hasattr(t, "_made_without_grad"):
        raise RuntimeError("A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
                           "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
                           "your code by moving both the view and the inplace either both inside the no_grad block "
                           "(if you don't want the inplace to be tracked) or both outside (if you want the inplace to "
                           "be tracked).")


def _fits(t: Tensor, out: Tensor) -> None:
    """Raises unless the result's type and shape can be written into `t`."""
    order = "biufc"
    own, new = t._a.dtype, out._a.dtype
    if order.index(new.kind) > order.index(own.kind) and {own.kind, new.kind} != {"i", "u"}:
        raise RuntimeError(f"result type {as_dtype(new).legacy} can't be cast to the desired output type "
                           f"{as_dtype(own).legacy}")
    if out._a.shape != t._a.shape:
        raise RuntimeError(f"output with shape {list(t._a.shape)} doesn't match the broadcast shape "
                           f"{list(out._a.shape)}")


def write(t: Tensor, value: Any) -> None:
    """Puts the value into the tensor's array, and counts it."""
    a = t._a
    if any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape)):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")
    with quiet:
        np.copyto(a, value, casting="unsafe")
    bump(t)


def _adopt(t: Tensor, out: Tensor) -> None:
    """Gives the tensor the node of what was written into it."""
    if t._base is not None:
        rebase(t, out)
        return
    fn = out._fn
    retain(t, fn)
    t._fn = fn
    if isinstance(fn, Node) and fn.saved:
        for saved in fn.saved:
            if isinstance(saved, Tensor) and getattr(saved, "_is_result", False) and saved._a is out._a:
                saved._a, saved._vc = t._a, t._vc
                _expect(fn, t._version)
    regenerate(t)


def _expect(node: Node, version: int) -> None:
    """The node's saved result is the tensor itself, which has been written `version` times."""
    node.versions = tuple(version if isinstance(s, Tensor) and getattr(s, "_is_result", False) else
                          node.versions[i] if node.versions is not None else 0 for i, s in enumerate(node.saved))


# ---------------------------------------------------------------- methods that write

_PLAIN = """
    add sub mul div pow remainder fmod floor_divide exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos
    atan sinh cosh tanh asinh acosh atanh sigmoid relu abs neg reciprocal square floor ceil round trunc frac sign clamp
    clamp_min clamp_max clip masked_fill erf erfc erfinv lerp addcmul addcdiv scatter scatter_add index_add index_copy
    index_fill index_put tril triu cumsum cumprod nan_to_num logit atan2 hypot addmm eq ne lt le gt ge logical_and
    logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not xlogy multiply subtract divide
    absolute negative true_divide fix sgn sinc deg2rad rad2deg conj_physical heaviside copysign arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh greater greater_equal less less_equal not_equal addmv addr addbmm baddbmm
    masked_scatter scatter_reduce renorm float_power ldexp gcd lcm nextafter lgamma digamma mvlgamma
    """.split()
# those that are functions of the module as well
_ALSO_FUNCTIONS = """
    abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max
    clamp_min clip conj_physical cos cosh deg2rad erf erfc exp exp2 expm1 fix floor frac gcd index_put lcm ldexp log
    log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square
    tan tanh trunc xlogy
    """.split()


def _writing(name: str) -> None:
    f = FUNCTIONS[name]

    def called(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return inplace(self, f, *args, **kwargs)
    called.__name__ = f"{name}_"
    called.__doc__ = f"`{name}`, written into this tensor."
    setattr(Tensor, f"{name}_", called)


for _synonym, _name in {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div"}.items():
    FUNCTIONS[_synonym] = FUNCTIONS[_name]
    setattr(Tensor, _synonym, FUNCTIONS[_name])
for _name in _PLAIN:
    _writing(_name)
for _name in _ALSO_FUNCTIONS:
    FUNCTIONS[f"{_name}_"] = getattr(Tensor, f"{_name}_")


def _direct(name: str, ufunc: Any, operator: str) -> None:
    """The same with less ado where nothing is recorded and types agree."""
    f = FUNCTIONS[name]

    def called(self: Tensor, other: Any, **kwargs: Any) -> Any:
        other = operand(other)
        if other is NotImplemented:
            return NotImplemented
        if kwargs or self._a.dtype.kind != "f" or other.__class__ in (complex, bool) or check(self, (other,)):
            return inplace(self, f, other, **kwargs)
        b = getattr(other, "_a", other)
        if isinstance(b, np.ndarray) and b.dtype != self._a.dtype and (
                b.dtype.kind == "b" or result_dtype(self, other) != self._a.dtype):
            return inplace(self, f, other)
        if any(s == 0 for s in self._a.strides):
            return inplace(self, f, other)
        try:
            with quiet:
                ufunc(self._a, b, out=self._a, casting="unsafe", dtype=self._a.dtype)
        except ValueError:
            _broadcasts(self._a, b)
            raise
        bump(self)
        return self
    called.__name__ = f"{name}_"
    called.__doc__ = f"`{name}`, written into this tensor."
    setattr(Tensor, f"{name}_", operand_checked(called, f"{name}_"))
    setattr(Tensor, operator, called)


def _broadcast(a: np.ndarray, b: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape, np.shape(b))
    except ValueError:
        raise shape_error(a.shape, np.shape(b)) from None


for _name, _ufunc, _operator in (("add", np.add, "__iadd__"), ("sub", np.subtract, "__isub__"),
                                 ("mul", np.multiply, "__imul__"), ("div", np.divide, "__itruediv__")):
    _direct(_name, _ufunc, _operator)
for _name, _operator in {"pow": "__ipow__", "remainder": "__imod__", "floor_divide": "__ifloordiv__",
                         "bitwise_and": "__iand__", "bitwise_or": "__ior__", "bitwise_xor": "__ixor__"}.items():
    setattr(Tensor, _operator, getattr(Tensor, f"{_name}_"))


@operation("ZeroBackward0", elementwise=True)
def zero(out_bar: Any, out: Any, a: Any) -> Any:
    a_bar = np.zeros_like(out_bar)
    return a_bar


@operation("FillBackward2", elementwise=True)
def _fill(out_bar: Any, out: Any, a: Any, value: Any) -> Any:
    a_bar = np.zeros_like(out_bar)
    value_bar = out_bar
    return a_bar, value_bar


@operation("CopyBackwards", elementwise=True)
def _copy(out_bar: Any, out: Any, a: Any, source: Any) -> Any:
    a_bar = np.zeros_like(out_bar)
    source_bar = out_bar
    return a_bar, source_bar


@method()
def zero_(self: Tensor) -> Tensor:
    """Sets all elements to zero."""
    return inplace(self, lambda a: record(zero, np.zeros(a._a.shape, a._a.dtype), (a,)))


@method()
def fill_(self: Tensor, value: Any) -> Tensor:
    """Sets all elements to one number."""
    number = getattr(value, "_a", value)
    if isinstance(number, str):
        raise TypeError("fill_(): argument 'value' (position 1) must be Number, not str")
    if np.ndim(number):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {np.ndim(number)} "
                           "dimensions.")

    def filled(a: Tensor, value: Any) -> Tensor:
        return record(_fill, np.full(a._a.shape, number).astype(a._a.dtype), (a, value))
    return inplace(self, filled, value)


@method()
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Takes the elements of another tensor, broadcast and cast."""
    if isinstance(src, str) or src is None:
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    source = src if isinstance(src, Tensor) else creation.tensor(src)
    if source._a.shape != self._a.shape:
        _broadcasts(self._a, source._a)
        source = shaping.expand(_without_lead(source, self._a.ndim), self._a.shape)

    def copied(a: Tensor, source: Tensor) -> Tensor:
        return record(_copy, _cast(source._a, a._a.dtype), (a, source))
    return inplace(self, copied, source)


def _broadcasts(a: np.ndarray, b: Any) -> None:
    """Raises unless `b` can be written into `a`."""
    shape = _broadcast(a, b)
    if shape != a.shape:
        raise RuntimeError(f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(shape)}")


def _without_lead(source: Tensor, ndim: int) -> Tensor:
    """Without leading dimensions of 1 that the target hasn't."""
    while source._a.ndim > ndim and source._a.shape[0] == 1:
        source = shaping.squeeze(source, 0)
    return source


def _cast(a: np.ndarray, dtype: np.dtype) -> np.ndarray:
    with quiet:
        return (a.real if a.dtype.kind == "c" and dtype.kind != "c" else a).astype(dtype, copy=False)


@method("__setitem__")
def setitem(self: Tensor, index: Any, value: Any) -> None:
    """Writes elements by index."""
    entries, arrays = indexing.plain_index(self, index)
    if not isinstance(value, Tensor):
        value = _assigned(self, value)
    if not arrays:
        place = indexing.getitem(self, entries)
        if value._a.shape != place._a.shape:
            value = shaping.expand(_without_lead(value, place._a.ndim), place._a.shape)
        copy_(place, value)
        return
    indexing.check_index(self._a, entries, True)
    first, entries = indexing.in_two_steps(self._a, entries)
    if first is not None:
        setitem(indexing.getitem(self, first), entries, value)
        return
    target = self._a[entries].shape
    if value._a.shape != target:
        value = _fitted(value, target)

    def put(a: Tensor, value: Tensor) -> Tensor:
        cast = conversion.to(value, a._a.dtype)
        return scattering.placed(scattering.index_put_op, a, entries, cast, False)
    inplace(self, put, value)


@method("__delitem__")
def delitem(self: Tensor, index: Any) -> None:
    """Refuses: a tensor keeps its elements."""
    raise TypeError("Tensor does not support deleting items")


def _assigned(t: Tensor, value: Any) -> Tensor:
    """A number, or an array, as a tensor of the type that it is assigned to."""
    if isinstance(value, complex) and not isinstance(value, np.generic) and t._a.dtype.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {t.dtype.legacy.lower()} without overflow")
    if not isinstance(value, (int, float, complex, np.ndarray, np.generic)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {t.type()}")
    return creation.tensor(value, dtype=t.dtype)


def _fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    try:
        return shaping.expand(_without_lead(value, len(shape)), shape)
    except RuntimeError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(value._a.shape)} cannot be broadcast to "
                           f"indexing result of shape {list(shape)}") from None


# the chapters whose functions are written in place here
CHAPTERS = (arithmetic, compositions, conversion, creation, elementwise, gamma, indexing, linalg, ordering, reductions,
            scattering, selecting, shaping)
