"""What comes from code that isn't looked into: it may be an array, and what it may change of its arguments.

Nothing that is differentiated gets there.  But an array that such code makes may be read by the backward part and
written later, so it has a storage like every other one.
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret import quiet
from srcgrad.analysis.interpret.draws import DRAWN, refuse_active
from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.sharing import gives_view
from srcgrad.analysis.interpret.state import Abstract, Env, Ref
from srcgrad.analysis.scope import MISSING
from srcgrad.analysis.values import UNKNOWN, Known
from srcgrad.lang.core import Attr, Call, Expr, Name
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


def unknown_function(ev: Evaluator, expr: Call, env: Env, args: Sequence[Abstract]) -> Refused:
    """Why a call of what isn't known is refused where what is differentiated gets there, and what to do instead."""
    func = expr.func
    name = func.name if isinstance(func, Attr) else func.id if isinstance(func, Name) else ""
    owner = ev(func.value, env).value if isinstance(func, Attr) else None
    made_by = ev(func.func, env).value if isinstance(func, Call) else None
    if isinstance(owner, Known) and not hasattr(owner.obj, name):
        whose = getattr(owner.obj, "__name__", type(owner.obj).__name__)
        return Refused(f"`{whose}` has no `{name}`", "check the name", expr.at)
    if isinstance(func, Name) and (outer := ev.outer(name)) is not None and outer.value() is MISSING:
        return Refused(f"`{name}`, which is called here, isn't defined", "check the name", expr.at)
    if owner == UNKNOWN and name in DRAWN:
        try:
            refuse_active(name, args, expr.at)
        except Refused as refusal:
            return refusal
        return Refused(f"it isn't known whether `{name}` draws random numbers that depend on what is differentiated",
                       "pass it `stop_gradient` of its arguments if it does", expr.at)
    if isinstance(made_by, Known) and _module(made_by.obj).partition(".")[0] == __name__.partition(".")[0]:
        return Refused("a derivative inside of a function that is differentiated isn't supported",
                       "take it outside, and pass it as an argument", expr.at)
    which = f"`{name}`" if name else "this"
    return Refused(f"it isn't known which function {which} is, so it can't be differentiated",
                   "call a function by its name, or pass it as an argument", expr.at)


def _module(obj: Any) -> str:
    return str(getattr(obj, "__module__", ""))


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
    if _in_library(function):
        quiet.check_inside(ev, items, quiet.ANY_OF_THEM, expr.at)
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
