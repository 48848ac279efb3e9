"""What comes from code that isn't looked into: it may be an array, and what it may change of its arguments.

Nothing that is differentiated gets there.  But an array that such code makes may be read by the backward part and
written later, so it has a storage like every other one.
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret.sharing import gives_view
from srcgrad.analysis.interpret.state import Abstract, Ref
from srcgrad.analysis.values import UNKNOWN
from srcgrad.lang.core import Attr, Call, Expr
from srcgrad.rules.nondifferentiable import draws

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

_READING = frozenset((
    *(name for name in dir(np.random.Generator) if name not in ("shuffle", "permuted")), *dir(np.random.RandomState),
    *dir(str), *dir(int), *dir(float), *dir(range),
    *"""all any argmax argmin argsort astype copy cumprod cumsum dot flatten get item items keys max mean min nonzero
    prod ravel repeat reshape round std sum take tobytes tolist trace transpose values var view index count""".split(),
)) - {"shuffle", "__setattr__", "__init__"}
_WRITING_KEYWORDS = ("out", "output")


def unfollowed(ev: Evaluator, expr: Expr, sources: Iterable[Abstract] = ()) -> Abstract:
    """An object of its own, or one that reaches what the sources reach."""
    storage = ev.storage(expr, "array")
    refs = {Ref(storage), *(Ref(s, None) for item in sources for s in _reach(item))}
    ev.heap.unite(refs)
    for ref in refs:
        ev.heap.mark(ref.storage, loose=True)
    return Abstract(UNKNOWN, frozenset(refs))


def of_call(ev: Evaluator, expr: Call, function: Any, args: list[Abstract],
            kwargs: Mapping[str, Abstract]) -> Abstract:
    """What an opaque call gives; what it may change is noted."""
    items = [*args, *kwargs.values()]
    changed = items if _may_write(expr, function) else [v for k, v in kwargs.items() if _writes_keyword(k)]
    for storage in {s for item in changed for s in _reach(item)}:
        ev.heap.mark(storage, written=True, given_away=True)
        ev.changed_unseen.setdefault(ev.site, {})[storage] = _called(expr)
    ev.heap.foreign |= not _draws(function)
    return unfollowed(ev, expr, () if _in_library(function) and not _gives_view(function) else items)


def _draws(function: Any) -> bool:
    """Whether it gives random numbers, which are real."""
    return draws(function) or getattr(function, "__objclass__", None) in (np.random.Generator, np.random.RandomState)


def _may_write(expr: Call, function: Any) -> bool:
    """Whether nothing is known that forbids it to change its arguments."""
    if function is None:
        return not (isinstance(expr.func, Attr) and expr.func.name in _READING)
    return not _in_library(function) or getattr(function, "__name__", "") in ("shuffle", "setattr", "heappush",
                                                                             "heapify", "insort")


def _writes_keyword(name: str) -> bool:
    return name in _WRITING_KEYWORDS or name.startswith("overwrite_")


def _in_library(function: Any) -> bool:
    """Whether it is a function of NumPy, SciPy or the standard library."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or getattr(type(owner), "__module__", None) or ""
    home = str(module).partition(".")[0]
    return home in ("numpy", "scipy") or home in sys.stdlib_module_names


def _gives_view(function: Any) -> bool:
    try:
        return gives_view(function, (UNKNOWN,), {}) is not None
    except TypeError:                       # unhashable
        return True


def _called(expr: Call) -> str:
    return expr.func.name if isinstance(expr.func, Attr) else getattr(expr.func, "id", "a call")


def _reach(item: Abstract) -> set[Any]:
    out: set[Any] = set()
    todo = [item]
    while todo:
        part = todo.pop()
        todo += part.items or ()
        for ref in part.refs:
            if ref.storage not in out:
                out.add(ref.storage)
                todo += ref.storage.fields.values()
    return out
