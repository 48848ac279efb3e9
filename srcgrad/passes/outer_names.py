"""Names outside of the function that it binds, by `global` and `nonlocal`.

        global CALLS                        calls = CALLS
        CALLS = CALLS + 1           ->      calls = calls + 1
                                            set_CALLS(calls)

The function works with a name of its own, which has kinds, versions and an adjoint like any other, and every new value
is written outside at once.  In the generated text that is `CALLS = calls` again (`given_back`).
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import reach
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Bind,
    Call,
    Code,
    Effect,
    Expr,
    Function,
    Name,
    Statement,
    blocks,
    expressions,
    map_expr,
    statements,
    walk,
    with_blocks,
    with_expressions,
)
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.unit import Unit
from srcgrad.runtime.outside import Setter

Block = tuple[Statement, ...]


def hold_outer_names(unit: Unit) -> Unit:
    """The function with names of its own for those outside that it, or a function inside, binds."""
    declared = bound_outside(unit.code, unit.outer)
    if not declared:
        return unit
    own = {name: own_name(unit, name) for name in declared}
    body = written_outside(unit, unit.code.body, declared)
    unit = replace(unit, code=replace(unit.code, nonlocals=frozenset(), globals=frozenset()))
    return with_own_names(unit, body, own)


def bound_outside(code: Code, outer: Callable[[str], Outer | None]) -> dict[str, Outer]:
    """The names outside of a function that it binds, or a function inside of it."""
    inside = _globals_inside(code.body)
    hidden = sorted(inside & names.local(code))
    if hidden:
        raise UnsupportedError(f"`{hidden[0]}` is a local variable here and a global one in a function inside",
                               code.at, "Give one of them another name.")
    return {name: scope for name in sorted(code.nonlocals | inside) if (scope := outer(name)) is not None}


def own_name(unit: Unit, name: str) -> str:
    """What the function is to call a name from outside that is bound."""
    return unit.own_names.get(name) or unit.fresh.name(name.lower().lstrip("_") or name)


def with_own_names(unit: Unit, body: Block, new: Mapping[str, str]) -> Unit:
    """The function over a body in which these names from outside get names of its own, bound at its start."""
    if not new:
        return unit.with_body(body)
    to: Mapping[str, Expr] = {name: Name(own) for name, own in new.items()}
    unit = replace(unit, own_names={**unit.own_names, **new})
    first = []
    for name, own in to.items():
        outer = unit.outer(name)
        assert outer is not None and isinstance(own, Name)
        if outer.value() is MISSING:
            unit.missing.append(outer)
        else:
            first.append(Bind((own.id,), (Name(name),), at=unit.code.at))
    renamed = tuple(rename_statement(stmt, to) for stmt in body)
    for old, changed in zip(statements(body), statements(renamed), strict=True):
        unit.keep_chain((changed,), old)
    return unit.with_body((*first, *renamed))


def _globals_inside(block: Block) -> frozenset[str]:
    codes = [code for stmt in statements(block) for e in expressions(stmt) for code in _codes(e)]
    return frozenset().union(*(code.globals | _globals_inside(code.body) for code in codes))


def _codes(expr: Expr) -> list[Code]:
    return [e.code for e in walk(expr) if isinstance(e, Function)]


def written_outside(unit: Unit, block: Block, declared: Mapping[str, Outer]) -> Block:
    """The statements, each followed by calls that write outside what it binds of these names."""
    out: list[Statement] = []
    for stmt in block:
        bound = [name for name in names.bound_by(stmt) if name in declared]
        writes = tuple(Effect(Call(_setter(unit, declared[name]), (Name(name),), at=stmt.at), at=stmt.at)
                       for name in bound)
        inner = tuple(written_outside(unit, b, declared) for b in blocks(stmt))
        if inner and writes:            # the name is bound before, or when, the first block runs
            inner = ((*writes, *inner[0]), *inner[1:])
        new = with_blocks(stmt, inner) if inner else stmt
        out += [_inside(unit, new, declared), *(() if inner else writes)]
    return tuple(out)


def _inside(unit: Unit, stmt: Statement, declared: Mapping[str, Outer]) -> Statement:
    """The statement with functions inside that do the same."""
    def change(expr: Expr) -> Expr:
        if not isinstance(expr, Function) or not any(name in declared for name in expr.free):
            return expr
        own = {name: outer for name, outer in declared.items() if name not in names.local(expr.code)}
        code = replace(expr.code, body=written_outside(unit, expr.code.body, own))
        return Function(code, names.free(code), at=expr.at)
    old = expressions(stmt)
    new = tuple(map_expr(change, e) for e in old)
    return with_expressions(stmt, new) if any(a is not b for a, b in zip(old, new)) else stmt


def _setter(unit: Unit, outer: Outer) -> Name:
    for known, scope in unit.scopes.items():
        setter = scope.globals.get(scope.name)
        if isinstance(setter, Setter) and setter.sets(outer.name, outer.globals, outer.cell):
            return Name(known)
    new = unit.fresh.name(f"set_{outer.name}")
    unit.scopes[new] = Outer(new, {new: Setter(outer.name, outer.globals, outer.cell)})
    return Name(new)


def check_outer_names(unit: Unit, facts: Facts) -> None:
    """Raises where what is kept outside is written in place, as the backward part puts old contents back there, and
    where a callee that isn't put in place meets a name outside that is bound anew."""
    clash = facts.evaluator.touched.clash(facts.evaluator.touched_by_calls)
    if clash is not None:
        raise UnsupportedError(f"`{clash}`, which isn't local, is bound anew and shared with a function that isn't put "
                               "in place", unit.code.at, f"Pass `{clash}` as an argument, and return its new value.")
    for stmt in facts.before:
        if isinstance(stmt, Effect) and isinstance(call := stmt.value, Call) and (setter := _called(unit, call)) \
                and any(facts.written(storage) for storage in reach([facts.kind(stmt, call.args[0])])):
            raise UnsupportedError(f"what `{setter.name}` is bound to here is also written in place", stmt.at,
                                   f"Keep a copy of it: `{setter.name} = value.copy()`.")


def _called(unit: Unit, call: Call) -> Setter | None:
    scope = unit.scopes.get(call.func.id) if isinstance(call.func, Name) else None
    setter = None if scope is None else scope.globals.get(scope.name)
    return setter if isinstance(setter, Setter) else None


def given_back(unit: Unit, code: Code) -> Code:
    """The function with plain assignments where it writes to names of its own module or closure."""
    set_here: set[str] = set()
    globals_ = unit.found.globals
    hidden = names.local(code)

    def change(stmt: Statement) -> Statement:
        if blocks(stmt):
            return with_blocks(stmt, tuple(tuple(map(change, b)) for b in blocks(stmt)))
        match stmt:
            case Effect(Call() as call) if (setter := _called(unit, call)) and setter.name not in hidden \
                    and setter.sets(setter.name, globals_, unit.found.cells.get(setter.name)):
                set_here.add(setter.name)
                return Bind((setter.name,), call.args, at=stmt.at)
        return stmt
    body = tuple(map(change, code.body))
    in_module = frozenset(set_here - unit.found.cells.keys())
    return replace(code, body=body, nonlocals=frozenset(set_here), globals=in_module) if set_here else code
