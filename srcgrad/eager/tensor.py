"""The tensor itself: its array, its place in the graph, its conversions.  Chapters give it operations and methods."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from srcgrad.eager.devices import device
from srcgrad.eager.dtypes import Size, as_dtype
from srcgrad.eager.dtypes import dtype as DType
from srcgrad.runtime.modes import mode, no_grad

__all__ = ["Tensor", "device", "method", "wrap"]

F = TypeVar("F", bound=Callable[..., Any])

_ONLY_FLOATING = "can require gradients"


_CPU = device()


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
        _inference: bool
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
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...

    # ---------------------------------------------------------------- what it is

    @property
    def shape(self) -> Size:
        return Size(self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its entry `dim`."""
        return self.shape if dim is None else self._a.shape[dim]

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
    def layout(self) -> str:
        return "torch.strided"

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
        if not flag:
            if self._fn is not None:
                raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                                   "computed variable in a subgraph that doesn't require differentiation use "
                                   "var_no_grad = var.detach().")
            self._rg = False
        elif self._fn is None:
            if self._a.dtype.kind not in "fc":
                raise RuntimeError(f"only Tensors of floating point dtype {_ONLY_FLOATING}")
            self._rg = True

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Sets whether gradients are recorded for this tensor, and gives it back."""
        self.requires_grad = requires_grad
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
        return wrap(self._a)

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._rg and value._a.dtype.kind not in "fc":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._a = value._a

    @property
    def _version(self) -> int:
        return 0 if self._vc is None else self._vc[0]

    def _is_view(self) -> bool:
        return self._base is not None

    def is_inference(self) -> bool:
        """Whether it was made inside of `inference_mode`."""
        return bool(self.__dict__.get("_inference", False))

    def detach(self) -> Tensor:
        """The same elements, cut off the graph; storage and version counter are shared."""
        return twin(self)

    # ---------------------------------------------------------------- conversions

    def item(self) -> Any:
        """The one element as a Python number."""
        if self._a.size != 1:
            raise RuntimeError(f"a Tensor with {self._a.size} elements cannot be converted to Scalar")
        return self._a.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self._a.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, not a copy."""
        if self.requires_grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._a

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        a = self.numpy()
        if dtype is not None and a.dtype != dtype:
            return a.astype(dtype)
        return a.copy() if copy else a

    def _one(self) -> Any:
        if self._a.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._a.item()

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> int:
        if self._a.size != 1 or self._a.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._a.item())

    def __bool__(self) -> bool:
        a = self._a
        if a.size == 1:
            return bool(a.item())
        if a.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def __len__(self) -> int:
        if not self._a.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._a)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if self._fn is not None:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                               "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
                               "because of a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/"
                               "pull/103001")
        if id(self) in memo:
            found: Tensor = memo[id(self)]
            return found
        new: Tensor = _new(type(self))
        memo[id(self)] = new
        for name, value in self.__dict__.items():
            if name not in _OWN:
                new.__dict__[name] = copy.deepcopy(value, memo)
        new._a = self._a.copy()
        new._rg = self._rg
        if self._grad is not None:
            new._grad = copy.deepcopy(self._grad, memo)
        return new

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        rest = {k: v for k, v in self.__dict__.items() if k not in _OWN}
        return _unpickle, (type(self), self._a, self._rg, rest)


_OWN = frozenset(("_a", "_fn", "_rg", "_grad", "_vc", "_base", "_replay", "_views", "_hooks", "_accumulator",
                  "_retained"))
_new: Any = object.__new__
_C_NAMES = {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long int", "Int": "int"}


def _unpickle(cls: type, a: np.ndarray, requires_grad: bool, rest: dict[str, Any]) -> Tensor:
    new: Tensor = _new(cls)
    new._a, new._rg = a, requires_grad
    new.__dict__.update(rest)
    return new


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
