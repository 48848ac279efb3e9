"""Which plain Python function says the same as a function, or a method, that has no rule."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, TypeVar

CHAPTERS = ("builtins", "iteration", "cursors", "functional", "mathematics", "writers", "compositions", "places",
            "polynomials", "order_statistics", "mapping", "heaps")

# Chapters of modules that not everybody has loaded: nobody can call what is in a module that isn't.
LATER = {"statistics": ("statistic",), "scipy.stats": ("distributions", "frozen"),
         "scipy.integrate": ("integration",), "scipy.sparse": ("sparse",), "scipy.linalg": ("matrices",),
         "scipy.optimize": ("valleys",), "numpy.polynomial": ("series",), "typing": ("annotations",)}
_loaded: set[str] = set()

F = TypeVar("F", bound=Callable)


@dataclass(frozen=True)
class Equivalent:
    """function: plain Python.  writes: it changes what it is given, or what it gives is called, so that it always
    stands for the original.

    count: it stands for calls with so many arguments alone (one of these counts), and with `keywords` perhaps with
    keywords, too.  last: ... whose last positional argument is this constant.
    """
    function: Callable
    writes: bool = False
    count: int | tuple[int, ...] | None = None
    last: Any = None
    keywords: bool = False

    def fits(self, args: tuple[Any, ...], others: bool) -> bool:
        """Whether it stands for a call with these arguments (constants, or None where they aren't known)."""
        if self.count is None:
            return True
        counts = self.count if isinstance(self.count, tuple) else (self.count,)
        return (self.keywords or not others) and len(args) in counts and (self.last is None or args[-1] == self.last)


_functions: dict[Any, list[Equivalent]] = {}
_methods: dict[tuple[type, str], Equivalent] = {}
_owners: dict[type, list[Any]] = {}


def equivalent(*originals: Any, writes: bool = False, count: int | tuple[int, ...] | None = None,
               last: Any = None, keywords: bool = False) -> Callable[[F], F]:
    """Makes a function the plain Python form of others, which it must agree with for all arguments.

    With `count` and `last` it is a simpler form for some calls; the general form comes after these.
    """
    def register(function: F) -> F:
        assert isinstance(function, FunctionType)
        for original in originals:
            _functions.setdefault(original, []).append(Equivalent(function, writes, count, last, keywords))
            if isinstance(original, MethodType) and not isinstance(original.__self__, type):
                known = _owners.setdefault(type(original.__self__), [])
                known.extend([] if any(o is original.__self__ for o in known) else [original.__self__])
        return function
    return register


def equivalent_method(cls: type, name: str, writes: bool = False) -> Callable[[F], F]:
    """Makes a function the plain Python form of a method; its first parameter is what the method is called on."""
    def register(function: F) -> F:
        assert isinstance(function, FunctionType)
        _methods[cls, name] = Equivalent(function, writes)
        return function
    return register


def equivalent_of(function: Any, args: tuple[Any, ...] | None = None, others: bool = False) -> Equivalent | None:
    """The plain Python form of a function, or of a call with these arguments (constants, or None; `others`: keywords).

    >>> equivalent_of(sum).function.__name__, equivalent_of(len)
    ('sum_', None)
    """
    load()
    if isinstance(function, MethodType) and (owner := owner_like(function.__self__)) is not None:
        function = MethodType(function.__func__, owner)
    try:
        known = _functions.get(function, [])
    except TypeError:                       # unhashable
        return None
    fitting = [e for e in known if args is None or e.fits(args, others)]
    return fitting[0] if fitting else None


def method_of(cls: type, name: str) -> Equivalent | None:
    """The plain Python form of a method of a class, or of one that it inherits from."""
    load()
    for base in cls.__mro__:
        if (base, name) in _methods:
            return _methods[base, name]
    return None


def owner_like(obj: Any) -> Any:
    """An object whose own methods have plain forms and that is like this one, or None.

    SciPy's frozen distributions hold a copy of the distribution that they were made of.
    """
    load()
    return next((owner for owner in _owners.get(type(obj), ()) if owner is obj or _plainly(owner) == _plainly(obj)),
                None)


def _plainly(obj: Any) -> dict[str, Any]:
    """The fields of an object that are plain numbers and texts."""
    return {k: v for k, v in vars(obj).items() if isinstance(v, (bool, int, float, str)) and k != "__doc__"}


def is_library(function: Any) -> bool:
    """Whether it is one of the functions of this package."""
    module = getattr(function, "__globals__", {}).get("__name__", "") if isinstance(function, FunctionType) else ""
    return module.startswith(f"{__package__}.")


def registered() -> list[tuple[Any, Equivalent]]:
    """All functions, and (class, name) of all methods, that have a plain form, with each of its forms."""
    load()
    return [*((original, e) for original, forms in _functions.items() for e in forms), *_methods.items()]


def load() -> None:
    """Imports all chapters that there is a use for, each once."""
    for chapter in (*CHAPTERS, *(c for module, later in LATER.items() if module in sys.modules for c in later)):
        if chapter not in _loaded:
            importlib.import_module(f"{__package__}.{chapter}")
            _loaded.add(chapter)
