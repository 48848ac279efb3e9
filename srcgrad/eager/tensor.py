"""The tensor itself: its array and its place in the graph.  Chapters give it operations and methods."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from srcgrad.eager.devices import device, layout
from srcgrad.eager.dtypes import Size, as_dtype
from srcgrad.eager.dtypes import dtype as DType
from srcgrad.runtime.modes import mode, no_grad

__all__ = ["Tensor", "device", "layout", "method", "wrap"]

F = TypeVar("F", bound=Callable[..., Any])

# the counter of writes of all tensors made in inference mode: nothing that saves one for backward may be recorded
INFERENCE: list[int] = [0]

_CPU, _STRIDED = device(), layout("torch.strided")


class Tensor:
    """An array that may be differentiated, with torch's semantics.

    `_a` is its array.  `_fn` is the node that made it: a `Node`, a `Port` of a node with several results, or None for
    a leaf.  `_version` counts writes in place; base, views and detached twins share the counter `_vc`, which is made
    when somebody needs it.  A view knows its `_base` and how it is made of it, `_replay`.
    """
    _a: np.ndarray
    _fn: Any = None
    _rg = False
    _grad: Tensor | None = None
    _vc: list[int] | None = None
    _base: Tensor | None = None
    _replay: Any = None
    _views: list[Any] | None = None
    _hooks: dict[int, Any] | None = None
    _accumulator: Any = None
    _retained = False
    _kind = 1                   # as an edge of the graph: a leaf

    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, data: Any = (), *sizes: int) -> None:
        if isinstance(data, int) and not isinstance(data, bool):
            self._a = np.empty((data, *sizes), np.float32)
        else:
            self._a = np.array(_plain(data), np.float32)

    if TYPE_CHECKING:
        # what the chapters add
        _is_result: bool
        _one_of_many: bool
        _made_without_grad: bool
        _of_function: bool
        _result_number: int

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __len__(self) -> int: ...

    # ---------------------------------------------------------------- what it is

    @property
    def shape(self) -> Size:
        return Size(self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its entry `dim`."""
        if dim is None:
            return self.shape
        n = max(1, self._a.ndim)
        if not -n <= dim < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
        return self._a.shape[dim]

    @property
    def ndim(self) -> int:
        return self._a.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self._a.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._a.size

    nelement = numel

    @property
    def nbytes(self) -> int:
        return self._a.nbytes

    @property
    def itemsize(self) -> int:
        return self._a.itemsize

    def element_size(self) -> int:
        """The bytes of an element."""
        return self._a.itemsize

    @property
    def dtype(self) -> DType:
        return as_dtype(self._a.dtype)

    @property
    def device(self) -> Any:
        return _CPU

    @property
    def is_cuda(self) -> bool:
        return False

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def layout(self) -> Any:
        return _STRIDED

    def get_device(self) -> int:
        """-1: the CPU."""
        return -1

    def is_floating_point(self) -> bool:
        """Whether elements are floats."""
        return self._a.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self._a.dtype.kind == "c"

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether elements lie in the order of their indices."""
        return self._a.flags.c_contiguous

    def stride(self, dim: int | None = None) -> Any:
        """How many elements lie between neighbours, by dimension."""
        strides = tuple(s // self._a.itemsize for s in self._a.strides)
        return strides if dim is None else strides[dim]

    def storage_offset(self) -> int:
        """How many elements of the base lie before the first."""
        start = self._base._a if self._base is not None else self._a
        return (self.data_ptr() - start.__array_interface__["data"][0]) // max(1, self._a.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element."""
        address: int = self._a.__array_interface__["data"][0]
        return address

    # ---------------------------------------------------------------- its place in the graph

    @property
    def requires_grad(self) -> bool:
        return self._rg or self._fn is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._fn is not None and flag:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if flag and self._a.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Sets whether gradients are recorded for this tensor, and gives it back."""
        if not isinstance(requires_grad, bool):
            raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                            f"{type(requires_grad).__name__}")
        if not requires_grad:
            if self._fn is not None:
                raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                                   "computed variable in a subgraph that doesn't require differentiation use "
                                   "var_no_grad = var.detach().")
            self._rg = False
        elif self._fn is None:
            if self._a.dtype.kind not in "fc":
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            if self._vc is INFERENCE and not mode.inference:
                raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not "
                                   "allowed.")
            self._rg = True
        return self

    @property
    def is_leaf(self) -> bool:
        return self._fn is None

    @property
    def grad_fn(self) -> Any:
        fn = self._fn
        return fn.node if fn is not None and fn._kind == 2 else fn

    @property
    def output_nr(self) -> int:
        return self._fn.number if self._fn is not None and self._fn._kind == 2 else 0

    @property
    def grad(self) -> Tensor | None:
        if self._grad is None and self._fn is not None and not self._retained:
            warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
                          "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
                          "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.",
                          UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type "
                            f"{type(value).__name__}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value._a.dtype != self._a.dtype:
            raise RuntimeError(f"attempting to assign a gradient with dtype '{_c_name(value)}' to a tensor with dtype "
                               f"'{_c_name(self)}'. The gradient must match the tensor's dtype")
        if value._a.shape != self._a.shape:
            raise RuntimeError(f"attempting to assign a gradient of size '{list(value._a.shape)}' to a tensor of size "
                               f"'{list(self._a.shape)}'. Please ensure that the gradient and the tensor are the same "
                               "size")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        return self._retained

    @property
    def data(self) -> Tensor:
        other: Tensor = _new(Tensor)
        other._a = self._a
        if self._vc is INFERENCE:
            other._vc = INFERENCE
        return other

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._rg and value._a.dtype.kind not in "fc":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._a = value._a

    @property
    def _version(self) -> int:
        if self._vc is INFERENCE:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._vc is None else self._vc[0]

    def _is_view(self) -> bool:
        return self._base is not None

    def is_inference(self) -> bool:
        """Whether it was made inside of `inference_mode`."""
        return self._vc is INFERENCE

    def detach(self) -> Tensor:
        """The same elements, cut off the graph; storage and version counter are shared."""
        return twin(self)


_new: Any = object.__new__
_C_NAMES = {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long int", "Int": "int"}


def _c_name(t: Tensor) -> str:
    legacy = t.dtype.legacy
    return _C_NAMES.get(legacy, legacy.lower())


def _plain(data: Any) -> Any:
    return data._a if isinstance(data, Tensor) else data


# ---------------------------------------------------------------- making them

def wrap(a: Any) -> Tensor:
    """A tensor over an array (or over a NumPy scalar, which becomes a 0-d array), outside of any graph."""
    t: Tensor = _new(Tensor)
    t._a = a if a.__class__ is np.ndarray else np.asarray(a)
    if mode.inference:
        t._vc = INFERENCE
    return t


def twin(t: Tensor) -> Tensor:
    """Another tensor over the same array, outside of any graph, that shares the counter of writes."""
    other: Tensor = _new(Tensor)
    other._a = t._a
    other._vc = counter(t)
    return other


def counter(t: Tensor) -> list[int]:
    """The counter of writes, made now if nobody needed it before."""
    found = t._vc
    if found is None:
        found = t._vc = [0]
    return found


def bump(t: Tensor) -> None:
    """Counts a write in place."""
    if t._vc is None:
        t._vc = [1]
    else:
        t._vc[0] += 1


def method(*names: str) -> Callable[[F], F]:
    """Makes the decorated function a method of tensors, under its own name or those given."""
    def attach(function: F) -> F:
        for name in names or (function.__name__,):
            setattr(Tensor, name, function)
        return function
    return attach


@method()
def detach_(self: Tensor) -> Tensor:
    """Cuts this tensor off the graph."""
    if self._base is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead.")
    self._fn, self._rg, self._retained = None, False, False
    return self


__all__ += ["as_dtype", "bump", "counter", "mode", "no_grad", "twin"]
