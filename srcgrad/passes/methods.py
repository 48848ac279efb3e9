"""Functions of their own that are made of code inside of a function: for classes, and for functions that call
themselves."""
from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.analysis.interpret.class_statements import is_maker
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.new_classes import Member
from srcgrad.analysis.scope import MISSING, Outer
from srcgrad.analysis.values import Known
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names, printing
from srcgrad.lang.core import Attr, Bind, Call, Code, Const, Expr, Function, Name, statements
from srcgrad.lang.load import load_all
from srcgrad.passes.lower.jumps import single_exit
from srcgrad.passes.unit import Unit, remember_lowered


class Own:
    """Functions of this code in these globals, where names mean what they mean to the function around them; `helpers`
    and `cells` are what further names mean.  `key` tells them from others."""

    def __init__(self, codes: Sequence[Code], globals: dict[str, Any], outer: Callable[[str], Outer | None],
                 guards: dict[Any, Any], helpers: Mapping[str, Any],
                 cells: Mapping[str, types.CellType] | None = None) -> None:
        self.codes, self.globals = codes, globals
        self.text = "\n\n".join(map(printing.function, codes)) + "\n"
        self.cells: dict[str, Any] = dict(cells or {})
        self.helpers = {"refuse": _refuse, **helpers}
        own = {code.name for code in codes}
        for name in {n for code in codes for n in names.free(code)} - own - self.helpers.keys() - self.cells.keys():
            meant = outer(name)
            if meant is not None and meant.cell is not None:
                self.cells[name] = meant.cell
            elif meant is not None and (meant.globals is not globals or meant.name != name) \
                    and meant.value() is not MISSING:
                self.helpers[name] = meant.value()
                guards[("identity", meant)] = meant.guard_identity()
        held = sorted({**self.cells, **self.helpers}.items())
        self.key = self.text, id(globals), *((n, id(v)) for n, v in held)

    def loaded(self) -> dict[str, types.FunctionType]:
        made = load_all(self.text, [code.name for code in self.codes], self.globals, self.cells, self.helpers)
        for code in self.codes:
            function = made[code.name]
            remember_lowered(function, function.__code__.co_filename, code)
        return made


def function_for_class(unit: Unit, facts: Facts, expr: Function) -> types.FunctionType:
    """A method: names of classes mean these, other names around it mean nothing to the function itself."""
    ev, home = facts.evaluator, unit.found.function
    code = single_exit(expr.code)
    free = names.free(code)
    local = names.local(unit.code)
    classes = _class_names(unit, facts)
    cells = {n: ev.new_classes.cell(home, n) if n in classes else types.CellType() for n in free if n in local}
    name = names.Fresh((*free, *names.used(code))).name(f"{code.name}_method")
    plain = replace(code, name=name, params=tuple(
        replace(p, default=Const(None)) if p.default is not None and not isinstance(p.default, Const) else p
        for p in code.params))
    own = Own([plain], unit.found.globals, unit.outer, ev.guards, {}, cells)
    function = own.loaded()[name]
    function.__name__ = code.name
    read = frozenset(n for n in free if n in local and n not in classes)
    made = Function(replace(code, name=name), free, at=expr.at)
    ev.new_classes.functions[function.__code__] = Member(made, read, classes & frozenset(free))
    return function


def _class_names(unit: Unit, facts: Facts) -> frozenset[str]:
    """The names that mean one class from their one binding on."""
    bound: dict[str, list[tuple[Bind | None, Expr]]] = {}
    for stmt in statements(unit.code.body):
        values = stmt.values if isinstance(stmt, Bind) else (Const(None),) * len(names.bound_by(stmt))
        for name, value in zip(names.bound_by(stmt), values):
            bound.setdefault(name, []).append((stmt if isinstance(stmt, Bind) else None, value))
    nonlocals = {n for stmt in statements(unit.code.body) for e in names.functions_in(stmt) for n in e.code.nonlocals}
    once = {name: ways[0] for name, ways in bound.items() if len(ways) == 1 and name not in nonlocals}

    def is_class(stmt: Bind | None, value: Expr) -> bool:
        match value:
            case Call(Attr(_, "new_class")):
                return True
            case Name(id) if id not in bound:
                meant = unit.outer(id)
                return meant is not None and meant.value() in facts.evaluator.new_classes.classes
            case Name(id):
                return id in once and is_class(*once[id])
            case Call(decorator, (Name() as cls,), ()):
                maker = decorator.func if isinstance(decorator, Call) else decorator
                known = facts.kind(stmt, maker).value if stmt is not None else None
                return isinstance(known, Known) and is_maker(known.obj) and is_class(stmt, cls)
        return False
    return frozenset(name for name, way in once.items() if is_class(*way))


def _refuse(what: str, remedy: str) -> UnsupportedError:
    return UnsupportedError(what, None, remedy)
