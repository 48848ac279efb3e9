"""How a rule is checked against differences: by inner products along random directions, over nested sequences too."""
from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.lang import printing
from srcgrad.rules.rule import Rule
from srcgrad.rules.slicing import slice_for
from srcgrad.runtime.arrays import cast, unbroadcast


@dataclass(frozen=True)
class Case:
    """One call of a function.  outputs: which of several results get an adjoint (None: all)."""
    args: tuple
    kwargs: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[int, ...] | None = None


def case(*args: Any, outputs: tuple[int, ...] | None = None, **kwargs: Any) -> Case:
    return Case(args, kwargs, outputs)


def bound(rule: Rule, case_: Case) -> dict[str, Any]:
    """The arguments by the names of the rule's parameters, defaults filled in."""
    given = inspect.signature(rule.function).bind(None, None, *case_.args, **case_.kwargs)
    given.apply_defaults()
    return {name: given.arguments[name] for name in rule.params}


def call(function: Callable, rule: Rule, values: dict[str, Any], case_: Case) -> Any:
    """The function on other values for the arguments that the case gives."""
    names = [p for p in rule.params if p != rule.variadic]
    args = [values[n] for n in names[:len(case_.args)]]
    if rule.variadic is not None:
        position = rule.params.index(rule.variadic)
        args = [values[n] for n in rule.params[:position]] + list(values[rule.variadic])
    return function(*args, **{name: values[name] for name in case_.kwargs})


def active(value: Any) -> bool:
    """Whether the value is floating, or holds what is."""
    if isinstance(value, (list, tuple)):
        return any(active(v) for v in value)
    return not isinstance(value, (str, bytes)) and value is not None and np.asarray(value).dtype.kind in "fc"


def adjoints(rule: Rule, out_bar: Any, out: Any, values: dict[str, Any], wanted: list[str]) -> dict[str, Any]:
    """What the compiler makes of the rule: sliced to active arguments, conjugated, unbroadcast and cast."""
    turn = np.conj if not rule.real_linear and is_complex((out, values)) else lambda g: g
    bars = spliced(rule, tree(turn, out_bar), out, values, wanted)
    return {p: fit(rule, tree(turn, bar), values[p]) for p, bar in bars.items()}


def spliced(rule: Rule, out_bar: Any, out: Any, values: dict[str, Any], wanted: list[str]) -> dict[str, Any]:
    """The adjoints that the rule's text gives when it is sliced and printed."""
    names = {"out_bar": out_bar, "out": out, **values}
    for line in slice_for(rule, wanted):
        exec(f"{line.names[0]} = {printing.text(line.values[0])}", dict(rule.globals), names)
    return {p: names[rule.returned[p]] for p in wanted}


def wanted_in(rule: Rule, case_: Case) -> list[str]:
    """The parameters with an adjoint that the case gives an active argument for."""
    values = bound(rule, case_)
    given = inspect.signature(rule.function).bind(None, None, *case_.args, **case_.kwargs).arguments
    return [p for p in rule.returned if p in given and active(values[p])]


def run(rule: Rule, out_bar: Any, out: Any, values: dict[str, Any]) -> dict[str, Any]:
    """The adjoints that the rule gives when it is called as the function it is."""
    stop = rule.params.index(rule.variadic) if rule.variadic else len(rule.params)
    rest = values[rule.variadic] if rule.variadic else ()
    keywords = {p: values[p] for p in rule.params[stop + 1:]}
    bars = rule.function(out_bar, out, *(values[p] for p in rule.params[:stop]), *rest, **keywords)
    return dict(zip(rule.returned, bars if len(rule.returned) > 1 else (bars,)))


def fit(rule: Rule, bar: Any, value: Any) -> Any:
    """An adjoint in the shape and type of its argument."""
    if isinstance(value, (list, tuple)):
        return [fit(rule, b, v) for b, v in zip(bar, value)]
    bar = unbroadcast(bar, np.shape(value)) if rule.elementwise else bar
    return cast(bar, np.asarray(value).dtype)


def tree(function: Callable, value: Any) -> Any:
    """The function applied to all numbers and arrays of a nested sequence."""
    if isinstance(value, (list, tuple)):
        return [tree(function, v) for v in value]
    return None if value is None else function(value)


def is_complex(value: Any) -> bool:
    if isinstance(value, dict):
        return any(is_complex(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return any(is_complex(v) for v in value)
    return np.iscomplexobj(value)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """A direction in which the value can move: None where it is not floating."""
    if isinstance(value, (list, tuple)):
        return [random_like(v, rng) for v in value]
    if not active(value):
        return None
    noise = rng.normal(size=np.shape(value))
    return noise + 1j * rng.normal(size=np.shape(value)) if np.iscomplexobj(value) else noise


def moved(value: Any, direction: Any, step: float) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(moved(v, d, step) for v, d in zip(value, direction))
    return value if direction is None else value + step * direction


def inner(a: Any, b: Any) -> float:
    """The real inner product over all parts that both have."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, (list, tuple)):
        return builtins.sum(inner(x, y) for x, y in zip(a, b))
    return float(np.real(np.sum(np.conj(a) * b)))


def sloped(function: Callable, rule: Rule, case_: Case, out_bar: Any, directions: dict[str, Any]) -> float:
    """d<out_bar, function> along the directions, by differences of fourth order."""
    values = bound(rule, case_)

    def at(step: float) -> float:
        there = {p: moved(v, directions[p], step) if p in directions else v for p, v in values.items()}
        return inner(out_bar, call(function, rule, there, case_))
    h = 1e-3
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def seeded(out: Any, case_: Case, rng: np.random.Generator) -> Any:
    """A random adjoint of a result."""
    bar = random_like(out, rng)
    if case_.outputs is not None:
        bar = [b if i in case_.outputs else None for i, b in enumerate(bar)]
    return bar
