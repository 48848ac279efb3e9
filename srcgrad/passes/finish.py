"""From placed statements to text, and from text to functions."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CellType
from typing import Any

from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.analysis.values import Value
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names, printing
from srcgrad.lang.core import (
    Call,
    Code,
    Name,
    Param,
    expressions,
    statements,
    walk,
)
from srcgrad.lang.load import load_all
from srcgrad.passes.assemble import Parts
from srcgrad.passes.callees import Compiled
from srcgrad.passes.optimize.pipeline import optimise as optimise_body
from srcgrad.passes.outer_names import given_back
from srcgrad.passes.refusals import raised, refuse
from srcgrad.passes.reverse.context import Context
from srcgrad.passes.unit import Unit, lowered
from srcgrad.passes.versions import OWN_MEANING


@dataclass(frozen=True)
class Finished:
    """Generated functions: their text, the functions, and what they assume."""
    text: str
    forward: Callable
    pullback: Callable | None
    params: tuple[Param, ...]
    guards: tuple[Any, ...]
    arguments: tuple[Value, ...]


def finish(context: Context, parts: Parts, mode: str, values: tuple[Value, ...], origin: Mapping[str, str],
           optimise: bool) -> Finished:
    """The text of the generated functions, and the functions themselves."""
    unit = context.unit
    suffix = {"grad": "grad", "value_and_grad": "value_and_grad", "vjp": "vjp"}[mode]
    name = f"{unit.code.name}_{suffix}"
    params = tuple(replace(p, default=None, annotation=None, kind="normal") for p in unit.code.params)
    if mode != "vjp":
        codes = [Code(name, params, parts.joint)]
    else:
        takes = tuple(map(Param, context.takes))
        codes = [Code(f"{name}_forward", params, parts.forward), Code(f"{name}_backward", takes, parts.backward)]
    _check_parameters(unit, codes)
    text, functions, codes = _loaded(context, codes, origin, optimise)
    assumed = {**context.facts.guards, **context.callees.guards, **_brought_in(unit, codes)}
    guards = (*assumed.values(), *(outer.guard_missing() for outer in unit.missing))
    text = "\n\n".join([text, *context.callees.texts])
    return Finished(text, functions[0], functions[1] if len(functions) > 1 else None, unit.code.params, guards,
                    tuple(values))


def _check_parameters(unit: Unit, codes: list[Code]) -> None:
    """A parameter or a global may hide a builtin, unless generated statements call it."""
    params = {p.name for p in unit.code.params}
    hidden = {name for name in OWN_MEANING if name in params or _rebound(unit.outer(name))}
    if not hidden:
        return
    for name in sorted(hidden & {n for c in codes for n in _called(c)} - _called(lowered(unit.found))):
        kind = "parameter" if name in params else "global"
        raise UnsupportedError(f"the {kind} `{name}` hides a builtin that the gradient needs", unit.code.at,
                               "Give it another name.")


def _rebound(outer: Outer | None) -> bool:
    """Whether the name of a builtin means something else."""
    return outer is not None and hasattr(builtins, outer.name) and outer.value() is not getattr(builtins, outer.name)


def _called(code: Code) -> set[str]:
    found = (e for stmt in statements(code.body) for top in expressions(stmt) for e in walk(top))
    return {e.func.id for e in found if isinstance(e, Call) and isinstance(e.func, Name)}


def finish_callee(context: Context, parts: Parts, made: Compiled, origin: Mapping[str, str], optimise: bool) -> str:
    """The text of a callee's two functions, which go into its cells."""
    unit = context.unit
    params = tuple(replace(p, default=None, annotation=None, kind="normal") for p in unit.code.params)
    takes = list(map(Param, context.takes))
    if made.takes_shadow:
        takes.append(Param(context.shadow_name()))
    codes = [Code(f"{made.name}_forward", params, parts.forward),
             Code(f"{made.name}_backward", tuple(takes), parts.backward)]
    text, functions, codes = _loaded(context, codes, origin, optimise)
    made.forward.cell_contents, made.backward.cell_contents = functions
    context.callees.guards.update(_brought_in(unit, codes))
    return text


def _loaded(context: Context, codes: list[Code], origin: Mapping[str, str],
            optimise: bool) -> tuple[str, list[Callable], list[Code]]:
    """The text of the functions, the functions themselves, and their final code."""
    if optimise:
        codes = [replace(c, body=optimise_body(c.body, context, origin, c.params)) for c in codes]
    codes = [given_back(context.unit, c) for c in codes]
    helpers = dict(context.helpers)
    codes = [replace(c, body=raised(c.body, helpers, context.unit.found.globals)) for c in codes]
    text = "\n\n".join(printing.function(c) for c in codes) + "\n"
    unit = context.unit
    made = load_all(text, [c.name for c in codes], unit.found.globals, *_surroundings(unit, codes, helpers))
    return text, [made[c.name] for c in codes], codes


def load_code(unit: Unit, code: Code, helpers: dict[str, Any]) -> Callable:
    """A function in core form as a function that runs, with the user's defaults."""
    helpers = dict(helpers)
    params = tuple(replace(p, default=None) for p in code.params)
    code = replace(code, body=raised(code.body, helpers, unit.found.globals), params=params)
    text = printing.function(code) + "\n"
    cells, found = _surroundings(unit, [code], helpers)
    function = unit.found.function
    defaults = {code.name: (function.__defaults__ or (), function.__kwdefaults__ or {})}
    return load_all(text, [code.name], unit.found.globals, cells, found, defaults=defaults)[code.name]


def _surroundings(unit: Unit, codes: list[Code], helpers: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cells and the helpers that the text needs beyond the user's globals."""
    free = {n for c in codes for n in names.free(c)}
    if "refuse" not in unit.found.globals and "refuse" not in unit.found.cells:
        # it is printed inside of nested functions, which don't read it
        free.add("refuse")
        helpers = {**helpers, "refuse": lambda what, remedy: refuse(None, remedy, what)}
    cells: dict[str, Any] = {n: cell for n, cell in unit.found.cells.items() if n in free and n not in unit.scopes}
    own = {c.name for c in codes}
    given = {n: obj for n, obj in helpers.items() if n in free and n not in own}
    cells.update({n: given.pop(n) for n, obj in list(given.items()) if isinstance(obj, CellType)})
    for name, outer in unit.scopes.items():
        if name in free:
            _bring_in(name, outer, cells, given)
    return cells, given


def _brought_in(unit: Unit, codes: list[Code]) -> dict[Any, Any]:
    """Guards for what the text holds as it is now: globals of other modules than its own."""
    free = {n for c in codes for n in names.free(c)}
    outers = [outer for name, outer in unit.scopes.items() if name in free]
    # a scope of one name was made for an object that never changes
    return {("identity", o): o.guard_identity() for o in outers
            if o.cell is None and len(o.globals) > 1 and o.value() is not MISSING}


def _bring_in(name: str, outer: Outer, cells: dict[str, Any], helpers: dict[str, Any]) -> None:
    if outer.cell is not None:
        cells[name] = outer.cell
    elif outer.value() is not MISSING:
        helpers[name] = outer.value()
