"""What Python asks of tensors: numbers, truth, lengths, arrays, copies, pickles."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor, _new, method

__all__ = ["item", "numpy", "tolist"]

_OWN = frozenset(("_a", "_fn", "_rg", "_grad", "_vc", "_base", "_replay", "_views", "_hooks", "_accumulator",
                  "_retained", "_stored_hooks", "_arrived_hooks", "_post_hooks", "_made_without_grad", "_one_of_many",
                  "_of_function", "_is_result", "_result_number"))


@method()
def item(self: Tensor) -> Any:
    """The one element as a Python number."""
    if self._a.size != 1:
        raise RuntimeError(f"a Tensor with {self._a.size} elements cannot be converted to Scalar")
    return self._a.item()


@method()
def tolist(self: Tensor) -> Any:
    """The elements as nested lists of Python numbers."""
    return self._a.tolist()


@method()
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The array itself, not a copy."""
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return self._a


@method()
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    a = self.numpy()
    if dtype is not None and a.dtype != dtype:
        return a.astype(dtype)
    return a.copy() if copy else a


def _one(self: Tensor) -> Any:
    if self._a.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._a.item()


@method()
def __float__(self: Tensor) -> float:
    return float(_one(self))


@method()
def __int__(self: Tensor) -> int:
    return int(_one(self))


@method()
def __complex__(self: Tensor) -> complex:
    return complex(_one(self))


@method()
def __index__(self: Tensor) -> int:
    if self._a.size != 1 or self._a.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._a.item())


@method()
def __bool__(self: Tensor) -> bool:
    a = self._a
    if a.size == 1:
        return bool(a.item())
    if a.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")


@method()
def __len__(self: Tensor) -> int:
    if not self._a.ndim:
        raise TypeError("len() of a 0-d tensor")
    return len(self._a)


@method()
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
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


@method()
def __reduce_ex__(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    rest = {k: v for k, v in self.__dict__.items() if k not in _OWN}
    return _unpickle, (type(self), self._a, self.requires_grad, rest)


def _unpickle(cls: type, a: np.ndarray, requires_grad: bool, rest: dict[str, Any]) -> Tensor:
    new: Tensor = _new(cls)
    new._a, new._rg = a, requires_grad
    new.__dict__.update(rest)
    return new
