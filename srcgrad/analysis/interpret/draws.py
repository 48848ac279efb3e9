"""Draws of random numbers: from what is differentiated, and with parameters that are."""
from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.values import UNKNOWN, Known, ListOf, ObjectOf
from srcgrad.lang.core import Attr, Call, Expr, Item, Name
from srcgrad.library import draws, writers

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.typed_calls import TypedCall

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
FROM_ARRAYS = ("shuffle", "permutation", "choice")
BY_PARAMETERS = {"normal": draws.normal, "exponential": draws.exponential, "lognormal": draws.lognormal,
                 "uniform": draws.uniform, "gauss": draws.gauss, "normalvariate": draws.normalvariate,
                 "lognormvariate": draws.lognormvariate, "expovariate": draws.expovariate}
NAMES = (*FROM_ARRAYS, *BY_PARAMETERS)
# Whole numbers: what they are doesn't change with parameters that change a little.
WHOLE = frozenset("""binomial binomialvariate geometric hypergeometric integers logseries multinomial
    multivariate_hypergeometric negative_binomial poisson randint random_integers randrange zipf seed""".split())
FROM_SEQUENCES = frozenset(("choice", "choices", "sample", "shuffle", "permutation", "permuted"))
DRAWN = frozenset(name for name in dir(np.random.Generator) if len(name) > 1 and name[0] != "_")


def drawn(work: TypedCall) -> Expr | None:
    """rng.shuffle(x), rng.normal(mu, sigma) and their kind, where they stand in the terms of the library."""
    func = work.call.func
    if not isinstance(func, Attr) or func.name not in NAMES:
        return None
    owner = work.value(func.value)
    made_by = owner.obj if isinstance(owner, Known) else getattr(work.function, "__self__", None)
    known = made_by in (random, np.random) or isinstance(made_by, GENERATORS) \
        or isinstance(owner, ObjectOf) and issubclass(owner.cls, GENERATORS)
    if not known and owner != UNKNOWN:
        return None
    pythons = made_by is random or isinstance(made_by, random.Random) \
        or isinstance(owner, ObjectOf) and issubclass(owner.cls, random.Random)
    if func.name in BY_PARAMETERS:
        form: Any = draws.uniform_number if func.name == "uniform" and pythons else BY_PARAMETERS[func.name]
        return work.use(form, func.value, *work.args, **work.kwargs) if work.active() else None
    if work.args and work.is_array(work.args[0]):
        return _from_array(work, func, pythons, known)
    if work.args and pythons and func.name == "choice" and isinstance(work.value(work.args[0]), ListOf) \
            and work.active():
        return Item(work.args[0], _number_of(work, func), at=work.at)
    return None


def _from_array(work: TypedCall, func: Attr, pythons: bool, known: bool) -> Expr | None:
    x, *rest = work.args
    if func.name == "shuffle" and pythons:
        return work.use(draws.shuffle, func.value, x)
    if func.name == "shuffle":
        return work.use(writers.shuffle, replace(func, name="permutation"), x, *rest, **work.kwargs)
    if not work.active():
        return None
    if rest and func.name == "permutation" or "axis" in work.kwargs:
        work.refuse(f"`{func.name}` along another axis isn't supported", "take the drawn indices")
    if pythons or not known and func.name == "choice" and not rest and not work.kwargs:
        drawn = _number_of(work, func)
    else:
        count = Call(Name("len"), (x,), at=work.at)
        drawn = Call(func, (count, *rest), tuple(work.kwargs.items()), at=work.at)
    return work.use(writers.taken, x, drawn)


def _number_of(work: TypedCall, func: Attr) -> Expr:
    """The number of the element that is drawn."""
    count = Call(Name("len"), (work.args[0],), at=work.at)
    return Call(func, (Call(Name("range"), (count,), at=work.at),), at=work.at)


def refuse_active(name: str, args: Sequence[Abstract], at: Any) -> None:
    """A draw that depends on what is differentiated, and isn't one of those above."""
    if name in FROM_SEQUENCES and args and args[0].active:
        raise Refused(f"`{name}` draws from what is differentiated", "draw indices, and take the elements at them", at)
    if name not in WHOLE | FROM_SEQUENCES:
        raise Refused(f"the parameters of the random numbers that `{name}` draws are differentiated",
                      "draw numbers that don't depend on them and transform these, "
                      "`mean + width * rng.standard_normal()`, say; or pass `stop_gradient` of them", at)
