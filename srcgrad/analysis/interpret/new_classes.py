"""Classes that are made inside: what they read of the function around them, and how that is followed.

    class Spring:                                   a class of Python, whose methods are functions of Python
        stiffness = 2.0 * k                         ClassVariable("Spring_stiffness"), which is read as that name
        def energy(self, d): return k * d           reads k, and is called as a function that is made inside

A method that reads nothing of the function around it is like any other.  Those that do are followed where the names
that they read mean the same: in the function that makes the class, and in functions of its own (`passes.lifting`).
"""
from __future__ import annotations

import inspect
import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make, Replace
from srcgrad.analysis.interpret.state import Abstract, Env, reach
from srcgrad.analysis.values import Known, ObjectOf, TupleOf, Value, members
from srcgrad.lang.core import Attr, Bind, Call, Expr, Function, Name, Statement, Store
from srcgrad.runtime.classes import ClassVariable

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator


@dataclass(frozen=True)
class Made:
    """A class that was made inside of the function `home`: the names around it that it reads, its variables too."""
    home: Any
    read: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Member:
    """A function that a class holds: what it was made of, and the names around it that it reads, of which `classes`
    mean classes."""
    function: Function
    read: frozenset[str]
    classes: frozenset[str]


@dataclass
class NewClasses:
    """All classes that were made in a compilation.

    functions: those that the classes hold.  methods: those of them that read names around them, as functions made
    inside.  cells: what names of classes mean in methods.  given: the names that functions of their own are given.
    several: classes that stand for one in each iteration of a loop.  parts: what makers made, by identity."""
    classes: dict[type, Made] = field(default_factory=dict)
    functions: dict[types.CodeType, Member] = field(default_factory=dict)
    methods: dict[types.CodeType, Function] = field(default_factory=dict)
    cells: dict[tuple[Any, str], types.CellType] = field(default_factory=dict)
    given: dict[types.CodeType, frozenset[str]] = field(default_factory=dict)
    several: set[type] = field(default_factory=set)
    parts: dict[int, Any] = field(default_factory=dict)

    def knows(self, obj: Any) -> bool:
        """Whether the object was made for a class; then it is what it is."""
        return self.parts.get(id(obj)) is obj if self.parts else False

    def cell(self, home: Any, name: str) -> types.CellType:
        """What the name of a class means in methods."""
        return self.cells.setdefault((home, name), types.CellType())

    def is_cell(self, cell: types.CellType | None) -> bool:
        return cell is not None and any(cell is known for known in self.cells.values())

    def note(self, home: Any, name: str, item: Abstract) -> None:
        """What a name means now, if it is one of a class."""
        cell = self.cells.get((home, name))
        if cell is not None and isinstance(item.value, Known) and isinstance(item.value.obj, type):
            cell.cell_contents = item.value.obj

    def missing(self, code: types.CodeType, classes: Iterable[Any]) -> str | None:
        """A name that classes read, and that this function, which isn't put in place, doesn't get."""
        return min(self.read_by(*classes) - self.given.get(code, frozenset()), default=None)

    def named(self, name: str) -> str:
        """What the user calls a variable that methods read."""
        of = [(cls, key) for cls in self.classes for key, v in vars(cls).items()
              if isinstance(v, ClassVariable) and v.name == name]
        return f"the attribute `{of[0][1]}` of `{of[0][0].__name__}`" if of else f"`{name}`"

    def read_by(self, *classes: Any) -> frozenset[str]:
        """The names that these classes read of the functions that made them."""
        if not self.classes:
            return frozenset()
        return frozenset(name for cls in classes if isinstance(cls, type) for base in cls.__mro__
                         if base in self.classes for name in self.classes[base].read)


def check_told_apart(ev: Evaluator, items: Iterable[Abstract], expr: Expr) -> None:
    """Classes that a loop makes anew can't be told apart."""
    if ev.new_classes.several and any(cls in ev.new_classes.several for cls in classes_in(items)):
        raise Refused("a class that a loop makes anew is asked for here", "define the class before the loop", expr.at)


def classes_in(items: Iterable[Abstract]) -> set[type]:
    """The classes of all objects in the values, and those that are values themselves."""
    held = reach(items := list(items))
    parts = [*items, *(part for storage in held for part in storage.fields.values())]
    known = {kind.obj for part in parts for kind in members(part.value)
             if isinstance(kind, Known) and isinstance(kind.obj, type)}
    tuples = {kind.cls for part in parts for kind in members(part.value) if isinstance(kind, TupleOf)}
    return known | tuples | {storage.cls for storage in held if storage.cls is not None}


# ---------------------------------------------------------------- methods

def of_method(ev: Evaluator, expr: Call, function: Any, receiver: bool, env: Env) -> Abstract | None:
    """A call of a method that reads names around it, as one of a function that is made inside."""
    first_ones: tuple[Any, ...] = ()
    while isinstance(function, types.MethodType):
        first_ones, function = (function.__self__, *first_ones), function.__func__
    if isinstance(function, staticmethod):
        function = function.__func__
    if not isinstance(function, types.FunctionType) or function.__code__ not in ev.new_classes.functions:
        return None
    if function.__code__ not in ev.new_classes.methods:
        if ev.new_classes.functions[function.__code__].read:
            raise Refused(f"`{function.__name__}`, which reads variables around it, is held by something that isn't "
                          "followed", "make it a plain method", expr.at)
        return None
    method = ev.new_classes.methods[function.__code__]
    _check_names(ev, expr, method, env)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        func, n = parts[0], 1 + len(expr.args)
        first: tuple[Expr, ...] = tuple(make.outside(getattr(b, "__name__", "owner"), b) for b in first_ones)
        if receiver and not first_ones:
            assert isinstance(func, Attr)
            first = (func.value,)
        kwargs = tuple((k, v) for (k, _), v in zip(expr.kwargs, parts[n:]))
        return Call(method, (*first, *parts[1:n]), kwargs, at=expr.at)
    return ev.rewrite(expr, build)


def _check_names(ev: Evaluator, expr: Expr, method: Function, env: Env) -> None:
    missing = [name for name in method.free if name not in env and ev.outer(name) is None]
    if missing:
        raise Refused(f"{ev.new_classes.named(missing[0])}, which a method that is called here reads, has no value "
                      "that is known",
                      "pass it as an argument, or keep it in the object", expr.at)


# ---------------------------------------------------------------- data of classes

def variable(ev: Evaluator, expr: Attr, found: ClassVariable, env: Env) -> Abstract:
    """Spring.stiffness   ->   Spring_stiffness"""
    if found.name not in env:
        raise Refused(f"the attribute `{expr.name}` of a class that is made inside has no value here that is known",
                      "pass it as an argument, or keep it in the object", expr.at)
    return ev.rewrite(expr, lambda parts, make: Name(found.name, at=expr.at))


def is_constant(ev: Evaluator, cls: type, name: str, found: Any) -> bool:
    """Whether a class that is made inside has a number, or a text, under this name, which nobody sets anew."""
    home = next((base for base in cls.__mro__ if name in vars(base)), None)
    return home in ev.new_classes.classes and type(found) in (bool, int, float, complex, str, type(None))


def store(ev: Evaluator, stmt: Store, owner: Value) -> Replace | None:
    """Spring.stiffness = v         ->      Spring_stiffness = v
    spring.stiffness += v           ->      spring.stiffness = Spring_stiffness + v     the first time
    """
    place = stmt.place
    if not isinstance(place, Attr):
        return None
    if isinstance(owner, Known) and isinstance(owner.obj, type) and owner.obj in ev.new_classes.classes:
        found = vars(owner.obj).get(place.name)
        if not isinstance(found, ClassVariable):
            raise Refused(f"setting the attribute `{place.name}` of a class here isn't supported",
                          "set it in the body of that class first, and name the class when it is set", stmt.at)
        if stmt.op is None:
            return lambda make: [Bind((found.name,), (stmt.value,), at=stmt.at)]
        return lambda make: [Store(Name(found.name, at=place.at), stmt.op, stmt.value, at=stmt.at)]
    if stmt.op is not None and isinstance(owner, ObjectOf) \
            and isinstance(inspect.getattr_static(owner.cls, place.name, None), ClassVariable):
        return lambda make: _updated(stmt, place, make)
    return None


def _updated(stmt: Store, place: Attr, make: Make) -> list[Statement]:
    held = Attr(make.bind(place.value), place.name, at=place.at)
    new = Name(make.name(place.name))
    return [Bind((new.id,), (held,), at=stmt.at), Store(new, stmt.op, stmt.value, at=stmt.at),
            Store(held, None, new, at=stmt.at)]
