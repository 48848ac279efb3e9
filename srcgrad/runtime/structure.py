"""Adjoints of structured values, and copies of them.

The adjoint of a number or an array is a number or an array; of a tuple or list a list of adjoints; of a dict a dict;
of an object a dict by field; of anything else None.  None is zero wherever an adjoint is read.
"""
from __future__ import annotations

import copy
import sys
import types
from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import numpy as np

from srcgrad.errors import AliasError, ArgumentError
from srcgrad.runtime.memory import bounds, cells_are_distinct, copy_layout, mirror, root, whole_bytes

__all__ = ["zeros_like", "add", "add_at", "gradient", "copy_argument", "copy_record", "check_pair",
           "check_scalar", "check_separate", "fields", "refuse_result"]

_MADE_BY_A_CLASS_STATEMENT = 1 << 9     # CPython's Py_TPFLAGS_HEAPTYPE


def fields(x: Any) -> dict[str, Any] | None:
    """The attributes that an object carries itself, in `__dict__` or in slots; None if it isn't a plain object.

    >>> fields(types.SimpleNamespace(w=1.0, b=2.0))
    {'w': 1.0, 'b': 2.0}
    """
    if not _is_plain(type(x)):
        return None
    slots = [name for cls in type(x).__mro__ for name in _slots(cls) if hasattr(x, name)]
    own = getattr(x, "__dict__", None)
    if own is None and not slots:
        return None
    return {**{name: getattr(x, name) for name in slots}, **(own or {})}


def _is_plain(cls: type) -> bool:
    """True for classes whose instances are nothing but their attributes, so that one can be made without `__init__`.

    Objects of the standard library and of NumPy (files, loggers, paths, generators) are data to nobody.
    """
    if cls is types.SimpleNamespace:
        return True
    module = cls.__module__.partition(".")[0]
    if module == "numpy" or module in sys.stdlib_module_names or not cls.__flags__ & _MADE_BY_A_CLASS_STATEMENT:
        return False
    makers = (c.__dict__["__new__"] for c in cls.__mro__ if "__new__" in c.__dict__)
    builtin = next(m for m in makers if isinstance(m, types.BuiltinFunctionType))
    return builtin in (object.__new__, types.SimpleNamespace.__new__) and not issubclass(cls, Enum)


def _without_init(cls: type) -> Any:
    base = types.SimpleNamespace if issubclass(cls, types.SimpleNamespace) else object
    return base.__new__(cls)


def _slots(cls: type) -> tuple[str, ...]:
    names = cls.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    # a private name is kept under its mangled form
    owner = cls.__name__.lstrip("_")
    mangled = (f"_{owner}{n}" if n.startswith("__") and not n.endswith("__") else n for n in names)
    return tuple(n for n in mangled if n not in ("__dict__", "__weakref__"))


def _float_dtype(dtype: np.dtype) -> np.dtype | None:
    """The dtype of a gradient: a floating dtype stays, integers have float64, others have none."""
    if dtype.kind in "fc":
        return dtype
    return np.dtype(np.float64) if dtype.kind in "iu" else None


# ---------------------------------------------------------------- adjoints

def zeros_like(x: Any) -> Any:
    """The zero adjoint of any value; arrays keep their layout.

    >>> zeros_like((1.5, [np.ones(2), "relu"]))
    [0.0, [array([0., 0.]), None]]
    """
    return _zeros(x, ())


def _zeros(x: Any, path: tuple[int, ...]) -> Any:
    match x:
        case np.ndarray():
            dtype = _float_dtype(x.dtype)
            return None if dtype is None else np.zeros_like(x, dtype=dtype, subok=False)
        case np.generic():
            dtype = _float_dtype(x.dtype)
            return None if dtype is None else dtype.type(0)
        case bool() | Enum():
            return None
        case int() | float():
            return 0.0
        case complex():
            return 0j
    if id(x) in path:
        return None
    path = (*path, id(x))
    if isinstance(x, (tuple, list)):
        return [_zeros(item, path) for item in x]
    items = x if isinstance(x, dict) else fields(x)
    return None if items is None else {key: _zeros(item, path) for key, item in items.items()}


def add(a: Any, b: Any) -> Any:
    """The sum of two adjoints of one value, as a new object; None is zero, and so is 0.0 beside a container's adjoint.

    >>> add([1.0, None], [2.0, 3.0]), add(0.0, [2.0])
    ([3.0, 3.0], [2.0])
    """
    if a is None or isinstance(a, float) and a == 0.0 and isinstance(b, (list, tuple, dict)):
        return b
    if b is None or isinstance(b, float) and b == 0.0 and isinstance(a, (list, tuple, dict)):
        return a
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return [add(_item(a, i), _item(b, i)) for i in range(max(len(a), len(b)))]
    if isinstance(a, dict):
        return {key: add(a.get(key), b.get(key)) for key in (*a, *(k for k in b if k not in a))}
    return a + b


def part_of(bars: Any, key: Any) -> Any:
    """The adjoint of one element or field in that of a container; None, which is zero, where there is none.

    >>> part_of([1.0, 2.0], 1), part_of({"a": 1.0}, "b"), part_of(None, 0)
    (2.0, None, None)
    """
    return bars.get(key) if isinstance(bars, dict) else _item(bars, key)


def _item(bars: Any, i: int) -> Any:
    return bars[i] if bars is not None and i < len(bars) else None


def add_at(bar: Any, index: Any, g: Any) -> None:
    """Add `g` to `bar[index]`, where `bar` is the adjoint of an array, a list or a dict; repeated indices add up.

    >>> bar = np.zeros(3)
    >>> add_at(bar, [0, 0, 2], np.ones(3))
    >>> bar
    array([2., 0., 1.])
    """
    if g is None:
        return
    if isinstance(bar, dict):
        bar[index] = _merged(bar.get(index), g)
    elif not isinstance(bar, np.ndarray):
        bar[index] = _merged(bar[index], g)
    elif _is_basic(index) and cells_are_distinct(bar):
        bar[index] += g
    else:
        np.add.at(bar, index, g)


def _merged(bar: Any, g: Any) -> Any:
    """The sum of two adjoints, which nobody else has, so that parts of it may be added to in place."""
    if isinstance(g, np.ndarray) and bar is None:
        return g.copy()
    if isinstance(g, (list, tuple)):
        return [_merged(_item(bar, i), g[i] if i < len(g) else None) for i in range(max(len(bar or ()), len(g)))]
    if isinstance(g, dict):
        return {key: _merged(part_of(bar, key), g.get(key)) for key in {**(bar or {}), **g}}
    return add(bar, g)


def field_key(owner: Any, name: str) -> str | int:
    """Where the adjoint of `owner` has that of its field: by name, and by number if the owner is a named tuple.

    >>> field_key(types.SimpleNamespace(w=1.0), "w")
    'w'
    """
    return getattr(type(owner), "_fields").index(name) if isinstance(owner, tuple) else name  # noqa: B009


def _is_basic(index: Any) -> bool:
    """True for an index that reaches no cell twice."""
    entries = index if isinstance(index, tuple) else (index,)
    return all(e is None or e is Ellipsis or isinstance(e, (slice, int, np.integer)) for e in entries)


# ---------------------------------------------------------------- gradients

def gradient(x: Any, x_bar: Any, owned: bool = False) -> Any:
    """The gradient of the argument `x` from its adjoint: with x's classes, fields, shapes and floating dtypes.

    Every array is fresh and writable and shares memory with nothing, unless `owned` promises that x_bar's arrays
    already are.  Numbers that have no derivative (bools) and other leaves give None.  Objects are made
    without `__init__`.

    >>> gradient({"w": np.ones(2, np.float32), "n": 3}, {"w": 2.0})
    {'w': array([2., 2.], dtype=float32), 'n': 0.0}
    """
    return _gradient(x, x_bar, owned, {})


def _gradient(x: Any, bar: Any, owned: bool, path: dict[int, Any]) -> Any:
    if isinstance(x, np.ndarray):
        return _array_gradient(x, bar, owned)
    if isinstance(x, (float, int, complex, np.generic)):
        return None if isinstance(x, Enum) else _number_gradient(x, bar)
    if id(x) in path:
        return path[id(x)]
    match x:
        case tuple():
            items = [_gradient(item, _item(bar, i), owned, path) for i, item in enumerate(x)]
            return tuple.__new__(type(x), items)
        case list():
            new = path[id(x)] = [] if type(x) is list else copy.copy(x)
            new[:] = [_gradient(item, _item(bar, i), owned, path) for i, item in enumerate(x)]
            del path[id(x)]
            return new
        case dict():
            return _mapping_gradient(x, bar, owned, path)
    return _object_gradient(x, bar, owned, path)


def _mapping_gradient(x: dict, bar: Any, owned: bool, path: dict[int, Any]) -> dict:
    new = path[id(x)] = {} if type(x) is dict else copy.copy(x)
    for key, item in x.items():
        new[key] = _gradient(item, None if bar is None else bar.get(key), owned, path)
    del path[id(x)]
    return new


def _object_gradient(x: Any, bar: Any, owned: bool, path: dict[int, Any]) -> Any:
    items = fields(x)
    if items is None:
        return None
    new = path[id(x)] = _without_init(type(x))
    for name, item in items.items():
        # a frozen dataclass forbids the ordinary way
        object.__setattr__(new, name, _gradient(item, None if bar is None else bar.get(name), owned, path))
    del path[id(x)]
    return new


def _array_gradient(x: np.ndarray, bar: Any, owned: bool) -> np.ndarray | None:
    dtype = _float_dtype(x.dtype)
    if dtype is None:
        return None
    if bar is None:
        return np.zeros_like(x, dtype=dtype, subok=False)
    if dtype.kind == "f" and np.iscomplexobj(bar):
        bar = bar.real
    if owned and type(bar) is np.ndarray and bar.dtype == dtype and bar.shape == x.shape and bar.flags.writeable:
        return bar
    new = np.empty_like(x, dtype=dtype, subok=False)
    new[...] = bar
    return new


def _number_gradient(x: Any, bar: Any) -> Any:
    if isinstance(x, np.generic):
        dtype = _float_dtype(x.dtype)
        kind = None if dtype is None else dtype.type
    else:
        kind = None if isinstance(x, bool) else complex if isinstance(x, complex) else float
    if kind is None:
        return None
    if bar is None:
        return kind(0)
    if np.iscomplexobj(bar) and not issubclass(kind, (complex, np.complexfloating)):
        bar = bar.real
    return kind(bar)


# ---------------------------------------------------------------- copies

def copy_argument(x: Any) -> Any:
    """A copy of an argument for a function that writes it: arrays keep their layout, and what shares memory inside
    `x` shares it inside the copy.  Functions, modules and the like stay what they are.

    >>> a = np.zeros(3)
    >>> b, view = copy_argument([a, a[1:]])
    >>> b[1] = 5.0
    >>> view
    array([5., 0.])
    """
    if type(x) is np.ndarray:
        return copy_layout(x)
    return _Copier()(x)


def copy_record(record: Any) -> Any:
    """A deep copy of what a saved record holds, down to the arrays in objects; functions and the like stay as they are.

    Arrays that share memory share it in the copy.
    """
    return _Copier()(record)


class _Copier:
    """Copies with one memo: an object that is met twice is copied once, and views follow their storage."""

    def __init__(self) -> None:
        self.memo: dict[int, Any] = {}
        self.storages: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def __call__(self, x: Any) -> Any:
        if x is None or isinstance(x, (float, int, str, np.generic)):
            return x
        done = self.memo.get(id(x))
        return self.copy(x) if done is None else done

    def keep(self, x: Any, new: Any) -> Any:
        self.memo[id(x)] = new
        return new

    def copy(self, x: Any) -> Any:
        match x:
            case np.ndarray():
                return self.keep(x, self.array(x))
            case tuple():
                return self.keep(x, tuple.__new__(type(x), [self(item) for item in x]))
            case list():
                new = self.keep(x, [] if type(x) is list else copy.copy(x))
                new[:] = [self(item) for item in x]
                return new
            case dict():
                return self.mapping(x)
            case set() | bytearray() | deque():
                return self.keep(x, copy.copy(x))
        return self.object(x)

    def mapping(self, x: dict) -> dict:
        new = self.keep(x, {} if type(x) is dict else copy.copy(x))
        for key, item in x.items():
            new[key] = self(item)
        return new

    def object(self, x: Any) -> Any:
        items = fields(x)
        if items is None:
            return x
        new = self.keep(x, _without_init(type(x)))
        for name, item in items.items():
            object.__setattr__(new, name, self(item))
        return new

    def array(self, x: np.ndarray) -> np.ndarray:
        owner = root(x)
        if x.size == 0 or owner.dtype.hasobject or type(x) is not np.ndarray:
            return copy_layout(x)
        new_owner = self.storage(owner)
        if owner is x:
            return new_owner
        new = mirror(x, whole_bytes(new_owner), bounds(owner)[0], x.dtype)
        if not x.flags.writeable:
            new.flags.writeable = False
        return new

    def storage(self, owner: np.ndarray) -> np.ndarray:
        held = self.storages.get(id(owner))
        if held is None:
            held = self.storages[id(owner)] = (owner, copy_layout(owner))
        return held[1]


# ---------------------------------------------------------------- checks

def refuse_result(what: str) -> None:
    """Raise since the result is of a kind that has no gradient.

    >>> refuse_result("an integer")
    Traceback (most recent call last):
    srcgrad.errors.ArgumentError: the function returned an integer, which has no gradient
      Return a real number.
    """
    raise ArgumentError(f"the function returned {what}, which has no gradient", remedy="Return a real number.")


def check_scalar(value: Any) -> None:
    """Raise unless the result that is differentiated is one real number."""
    if type(value) is np.float64 or type(value) is float:
        return
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, complex, np.number, np.ndarray)):
        kind = "None" if value is None else f"a {type(value).__name__}"
        raise ArgumentError(f"the function returned {kind}, which has no gradient",
                            remedy="Return a real number, or use vjp for other results.")
    if np.ndim(value) != 0:
        raise ArgumentError(f"the function returned an array of shape {np.shape(value)}, and a gradient needs a scalar",
                            remedy="Reduce the result to one number (np.sum, say), or use vjp.")
    if np.iscomplexobj(value):
        raise ArgumentError("the function returned a complex number, and a gradient needs a real one",
                            remedy="Take the real part or the absolute value, or use vjp.")


def check_pair(result: Any) -> None:
    """Raise unless the result is a pair: what is differentiated, and the rest."""
    if not isinstance(result, tuple) or len(result) != 2:
        kind = f"tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
        raise ArgumentError(f"with has_aux the function returns a pair, and here it returned a {kind}",
                            remedy="Return the number and the rest as a tuple of two.")


def _is_within(name: str, other: str) -> bool:
    """Whether one of two places is, or is a field of, the other: `CELL` and `CELL.buffer`."""
    return f"{name}.".startswith(f"{other}.") or f"{other}.".startswith(f"{name}.")


def check_separate(arguments: Mapping[str, Any], written: Iterable[str], inside: Iterable[str] = ()) -> None:
    """Raise AliasError if an argument that is written shares memory with another one.

    inside: arguments that hold several arrays, some of which are written: these must not share memory, either.
    """
    for name in inside:
        arrays = list(_arrays(arguments[name], ()))
        if any(_shared(a, b) for k, a in enumerate(arrays) for b in arrays[:k]):
            raise AliasError(f"two arrays inside of the argument '{name}' share memory, and the function writes there",
                             remedy="Pass a copy of one of them.")
    leaves = {name: list(_storages(x, set())) for name, x in arguments.items()}
    for name in written:
        for other, theirs in leaves.items():
            if not _is_within(name, other) and any(_shared(a, b) for a in leaves[name] for b in theirs):
                raise AliasError(f"the arguments '{name}' and '{other}' share memory, and the function writes '{name}'",
                                 remedy=f"Pass a copy of one of them ({other}.copy(), say).")


def _storages(x: Any, seen: set[int]) -> Iterable[Any]:
    """All arrays and containers that can be reached from an argument."""
    if x is None or isinstance(x, (float, int, str, np.generic)) or id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        yield x
        return
    inner = x if isinstance(x, (tuple, list)) else _values(x)
    if inner is None:
        return
    if not isinstance(x, tuple):
        yield x
    for item in inner:
        yield from _storages(item, seen)


def arrays_in(x: Any) -> list[np.ndarray]:
    """All arrays inside of a value, each once."""
    return list({id(a): a for a in _arrays(x, ())}.values())


def _arrays(x: Any, above: tuple[int, ...]) -> Iterable[np.ndarray]:
    """All arrays inside of an argument, one that stands in several places as often."""
    if isinstance(x, np.ndarray):
        yield x
        return
    inner = x if isinstance(x, (tuple, list)) else None if id(x) in above else _values(x)
    for item in inner or ():
        yield from _arrays(item, (*above, id(x)))


def _values(x: Any) -> Iterable[Any] | None:
    items = x if isinstance(x, dict) else fields(x)
    return None if items is None else items.values()


def _shared(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.may_share_memory(a, b)) and bool(np.shares_memory(a, b))
    return a is b


def opened(bars: Any, key: Any, x: Any) -> Any:
    """The adjoint of `x`, which a container holds at `key`, as one that can be added to.

    >>> bars = [None]
    >>> opened(bars, 0, (1.0, 2.0))[1] += 5.0
    >>> bars
    [[0.0, 5.0]]
    """
    part = bars.get(key) if isinstance(bars, dict) else bars[key]
    if part is None:
        part = bars[key] = zeros_like(x)
    return part


def or_zeros(x_bar: Any, x: Any) -> Any:
    """The adjoint of `x`, where None stands for zero, also in a tuple.

    >>> or_zeros(None, 1.5), or_zeros([None, 2.0], (1.5, 1.0))
    (0.0, [0.0, 2.0])
    """
    if isinstance(x, tuple) and isinstance(x_bar, list):
        return or_zeros_each(x_bar, x)
    return zeros_like(x) if x_bar is None else x_bar


def or_zeros_each(bars: Any, x: Any) -> Any:
    """The adjoints of the elements of a list or tuple, of which None is zero.

    >>> or_zeros_each([None, 2.0], [1.5, 1.0])
    [0.0, 2.0]
    """
    return [or_zeros(bar, item) for bar, item in zip(bars, x, strict=True)]


def full(x_bar: Any, x: Any) -> Any:
    """The adjoint of `x`, where one number stands for all entries of an array, and 0.0 for zero of anything.

    >>> full(0.0, [1.5, 2.0]), full(1.0, np.zeros(2))
    ([0.0, 0.0], array([1., 1.]))
    """
    if isinstance(x, (np.ndarray, np.number, float, int, complex)):
        return np.broadcast_to(x_bar, np.shape(x))[()]
    return zeros_like(x) if isinstance(x_bar, float) else x_bar


def add_each(bars: Any, g: Any) -> None:
    """Add the adjoints `g` of all elements of a container to `bars`, in place.

    >>> bars = [1.0, None]
    >>> add_each(bars, [0.5, 2.0])
    >>> bars
    [1.5, 2.0]
    """
    for key in (g if isinstance(g, dict) else range(len(g))):
        bars[key] = _merged(bars.get(key) if isinstance(bars, dict) else bars[key], g[key])
