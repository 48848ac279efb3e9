"""Abstract evaluation of expressions."""
from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from srcgrad.analysis.interpret import (
    attribute_dicts,
    classes,
    closures,
    containers,
    fields,
    joining,
    narrowing,
    new_classes,
    opaque,
    operations,
    quiet,
    settable,
)
from srcgrad.analysis.interpret.equalities import Equalities
from srcgrad.analysis.interpret.made import Made
from srcgrad.analysis.interpret.narrowing import narrowed
from srcgrad.analysis.interpret.new_classes import NewClasses
from srcgrad.analysis.interpret.operators import class_of, own_operator
from srcgrad.analysis.interpret.refused import NeverReturns, Refused
from srcgrad.analysis.interpret.rewrites import Build, Replace
from srcgrad.analysis.interpret.state import NOT_YET, NOTHING, Abstract, Env, Heap, Ref, Storage, in_order, reach
from srcgrad.analysis.scope import MISSING, Outer, Touched, guard_attribute
from srcgrad.analysis.values import (
    PENDING,
    UNKNOWN,
    Again,
    Array,
    Caught,
    Closure,
    DictOf,
    Known,
    Lazy,
    Linear,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    Super,
    TupleOf,
    Value,
    join,
    members,
    number_of,
    one_of,
)
from srcgrad.lang.core import (
    At,
    Attr,
    Bin,
    Bool,
    Call,
    Compare,
    Cond,
    Const,
    Dict,
    Expr,
    Function,
    Item,
    List,
    Name,
    Opaque,
    Slice,
    Star,
    Tuple,
    Unary,
    rebuild,
)
from srcgrad.lang.names import Fresh
from srcgrad.lang.source import is_user_function
from srcgrad.rules.spellings import METHODS
from srcgrad.runtime.classes import ClassVariable

OPERATORS: dict[str, Callable] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
UNARY: dict[str, Callable] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
INACTIVE_OPERATORS = frozenset(("//", "<<", ">>", "&", "|", "^"))
DATA = (int, float, complex, np.ndarray, np.generic, list, tuple, dict)
HOLE = Name("_")
_DISPATCHER = type(np.sum)
_INACTIVE_ATTRIBUTES = frozenset(("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags"))
# ... and those that lead to the numbers of an array, or to what a function has, by other ways.
_WAYS_ROUND = frozenset(("data", "base", "ctypes", "__array_interface__", "__array_struct__"))
_INSIDE = frozenset(("__closure__", "__defaults__", "__kwdefaults__", "__dict__"))


class Evaluator:
    """Evaluates expressions in a state; `calls` says what a call gives."""

    def __init__(self, heap: Heap, outer: Callable[[str], Outer | None], guards: dict, sizes: Mapping[Any, int],
                 call: Callable[[Evaluator, Call, Env], Abstract], kinds: dict[tuple[Any, int], Abstract]) -> None:
        self.heap, self.outer, self.guards, self.sizes, self._calls = heap, outer, guards, sizes, call
        self.site: Any = None
        self.partial = 0                             # how often a value came up that isn't wholly known yet
        self.sure = True                             # arguments have all fields and keys that are known of them
        self.guarded: Any = None                     # the operation that is decided by what is known
        self.optimistic = False                      # what is known of such a value is taken for all, and checked
        self.pending = 0                             # how often a value came up that isn't known yet
        self.loops: tuple = ()
        self.born: set[Storage] = set()
        self.changed_unseen: dict[Any, dict[Storage, str]] = {}    # statement -> what opaque code may change
        self.comprehensions: set[tuple[Any, int]] = set()
        self.written_out: set[Any] = set()                     # loops that are going to be
        self.generators = 0                                    # how many were made that may be put in place
        self.in_play = settable.InPlay()                       # what code may be followed yet
        self.parsed: dict[int, tuple[Any, Expr]] = {}           # expressions inside of comprehensions, by their node
        self.live_after: frozenset[str] = frozenset()
        self.wrong_guesses: Set[At] = frozenset()    # where dicts turned out to have other keys than was thought
        self.chains: Mapping[Any, tuple[Any, ...]] | None = None    # `Unit.chains`, as long as calls are put in place
        self.descents: dict[tuple[Any, int], Mapping[Any, int]] = {}    # calls that go down a structure, how deep it is
        self.made = Made(Fresh())        # what rewriting makes
        self.new_classes = NewClasses()                         # all that were made in this compilation
        self._kinds = kinds              # what is found out: (statement, id of an expression in it) -> the value
        self.rewrites: dict[tuple[Any, int], Build] = {}
        self.replacements: dict[Any, Replace] = {}
        self._outer_values: dict[str, Abstract] = {}
        self.touched = self.touched_by_calls = Touched()        # names outside, here and in calls that stay calls
        self.homes: dict[Function, tuple] = {}       # the loops in which a function is made
        self._above: dict[type, Storage] = {}        # objects that the one that is taken up lies in
        self._within: list[type] = []
        self._recursive: set[type] = set()           # classes whose objects hold others of the same class
        self.displays: dict[int, Value] = {}         # lists as they are written, by the expression
        self.equalities = Equalities(guards, sizes)
        self.unify, self.size = self.equalities.unify, self.equalities.size
        heap.take_up(self.equalities)

    # ------------------------------------------------------------ entry

    def rewrite(self, expr: Expr, build: Build, *operands: Abstract) -> Abstract:
        """The expression will be replaced by what `build` makes of its children."""
        self.rewrites[self.site, id(expr)] = build
        return NOT_YET

    def __call__(self, expr: Expr, env: Env) -> Abstract:
        self.rewrites.pop((self.site, id(expr)), None)
        pending, partial = self.pending, self.partial
        item = getattr(self, _METHODS[type(expr)])(expr, env)
        if not item.varied and isinstance(item.value, (Closure, ObjectOf)):
            function = closures.function_of(item.value)
            if function is not None and captures_active(function, env) \
                    or isinstance(item.value, ObjectOf) and self._reads_active(item.value.cls, env):
                item = replace(item, varied=True)
        if self.pending > pending and not isinstance(expr, (Tuple, List, Dict, Slice, Star)):
            item = NOT_YET
        elif self.partial > partial and not item.partial and not isinstance(expr, (Tuple, List, Dict, Slice, Star)) \
                and (not isinstance(expr, Call) or isinstance(item.value, Known)):
            item = replace(item, partial=True)
        self.partial += item.partial
        self.pending += item.value is PENDING       # nothing is asked as often
        self._kinds[self.site, id(expr)] = item
        return item

    def _reads_active(self, cls: type, env: Env) -> bool:
        """Whether methods of a class that is made inside read what is active now, or at another time."""
        return any(name in self.heap.active_names or name in env and env[name].active
                   for name in self.new_classes.read_by(cls))

    def value(self, item: Abstract) -> Value:
        """The kind of thing, looked up in the heap where it is a container."""
        if item.items is not None and isinstance(item.value, TupleOf):
            return TupleOf(tuple(self.value(i) for i in item.items), item.value.cls)
        if isinstance(item.value, OneOf):
            kinds = [m for m in members(self.whole(item)) if m != Known(None)]
            return self.whole(item) if not kinds else one_of(kinds)
        containers = self._containers(item, 0) if item.refs else None
        return self.canonical(item.value) if containers is None else containers

    def whole(self, item: Abstract) -> Value:
        """As `value`, where None is one of the things that it may be."""
        if not isinstance(item.value, OneOf):
            return self.value(item)
        held = [self._container(storage) for storage in _containers_of(item)]
        plain = [self.canonical(m) for m in item.value.kinds if not isinstance(m, (ListOf, DictOf, ObjectOf))]
        return functools.reduce(join, [*plain, *held])

    def _containers(self, item: Abstract, depth: int) -> Value | None:
        """What is true of all containers that the value may be; None where it is none."""
        if not isinstance(item.value, (ListOf, DictOf, ObjectOf)):
            return None
        found = [self._container(storage, depth) for storage in _containers_of(item)]
        return functools.reduce(join, found) if found else None

    def canonical(self, value: Value) -> Value:
        """Lengths that are assumed to be equal are written alike."""
        if not isinstance(value, Array) or not value.dims:
            return value
        return self.equalities.canonical(value)

    def _container(self, storage: Storage, depth: int = 0) -> Value:
        if depth > 4:
            return UNKNOWN
        if storage.kind == "object":
            return self._object(storage, depth)
        fields = {k: self._field_value(v, depth) for k, v in storage.fields.items()}
        rest = fields.pop("*", None)
        if storage.kind == "list":
            for item in fields.values():
                rest = item if rest is None else join(rest, item)
            return ListOf(rest, storage.cls or list)
        if storage.kind == "dict":
            return DictOf(tuple(fields.items()), rest)
        raise AssertionError(storage.kind)

    def _object(self, storage: Storage, depth: int) -> Value:
        """An object; where its class holds objects of itself, what is true of all of them."""
        cls = storage.cls or object
        if cls in self._within:
            self._recursive.add(cls)
            return Again(cls)
        self._within.append(cls)
        known = cls in self._recursive
        fields = self._joined_fields([storage] if not known else _of_class(storage), depth)
        if not known and cls in self._recursive:
            fields = self._joined_fields(_of_class(storage), depth)
        self._within.pop()
        return ObjectOf(cls, tuple(fields.items()))

    def _joined_fields(self, group: list[Storage], depth: int) -> dict[Any, Value]:
        out: dict[Any, Value] = {}
        for storage in group:
            for name, item in storage.fields.items():
                value = self._field_value(item, depth)
                out[name] = join(out[name], value) if name in out else value
        return out

    def _field_value(self, item: Abstract, depth: int) -> Value:
        if item.items is not None and isinstance(item.value, TupleOf):
            return TupleOf(tuple(self._field_value(i, depth + 1) for i in item.items), item.value.cls)
        if isinstance(item.value, OneOf):
            held = [self._container(storage, depth + 1) for storage in _containers_of(item)]
            plain = [m for m in item.value.kinds if not isinstance(m, (ListOf, DictOf, ObjectOf))]
            return functools.reduce(join, [*plain, *held])
        containers = self._containers(item, depth + 1)
        return item.value if containers is None else containers

    # ------------------------------------------------------------ results

    def fresh(self, expr: Expr, value: Value, active: bool) -> Abstract:
        """A new value: an array gets a storage of its own."""
        if isinstance(value, Array):
            if active and value.dtype is not None and value.dtype.kind not in "biufc":
                raise Refused(f"an array of dtype {value.dtype} has no derivative, and this makes one of what is "
                              "differentiated", "use arrays of floating or complex numbers", expr.at)
            storage = self.storage(expr, "array", active=active)
            return Abstract(value, frozenset((Ref(storage),)), active and value.dims is None)
        if isinstance(value, TupleOf):
            items = tuple(self._fresh_item(expr, k, v, active) for k, v in enumerate(value.items))
            return Abstract(value, items=items)
        if isinstance(value, ListOf) and value.item is not None:
            storage = self.storage(expr, "list")
            self.heap.put(storage, "*", self._fresh_item(expr, "*", value.item, active))
            return Abstract(value, frozenset((Ref(storage),)))
        return Abstract(value, varied=active)

    def _fresh_item(self, expr: Expr, k: int | str, value: Value, active: bool) -> Abstract:
        if isinstance(value, Array):
            storage = self.storage(expr, "array", k, active)
            return Abstract(value, frozenset((Ref(storage),)))
        return Abstract(value, varied=active and not isinstance(value, Known))

    def place(self, expr: Expr, part: Any = None) -> tuple[Any, int, Any]:
        """What the storage is known by that an expression, or a part of its result, makes."""
        return self.site, id(expr), part

    def storage(self, expr: Expr, kind: str, part: Any = None, active: bool = False) -> Storage:
        storage = self.heap.storage(self.place(expr, part), kind, active=active)
        storage.home = self.loops
        self.born.add(storage)
        return storage

    def result(self, function: Callable, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
        return operations.result(function, tuple(args), kwargs or {}, unify=self.unify)

    # ------------------------------------------------------------ leaves

    def _name(self, expr: Name, env: Env) -> Abstract:
        if expr.id in env:
            return env[expr.id]
        return self.outer_value(expr.id)

    def outer_value(self, name: str) -> Abstract:
        if name not in self._outer_values:
            self._outer_values[name] = self._abstract_outer(name)
        return self._outer_values[name]

    def _abstract_outer(self, name: str) -> Abstract:
        outer = self.outer(name)
        if outer is None:
            return NOTHING
        if not outer.means_only(outer.value()):         # nobody binds a name that was made here
            self.touched |= Touched(frozenset((outer,)))
        return self.outer_object(outer)

    def outer_object(self, outer: Outer) -> Abstract:
        """What an outer name means now; that it stays of this kind is guarded."""
        obj = outer.value()
        if obj is MISSING:
            return NOTHING
        if obj is None or isinstance(obj, (str, bool)):
            self.guards[("value", outer)] = outer.guard_value()
            return Abstract(Known(obj))
        if isinstance(obj, (types.ModuleType, type, np.dtype, np.ufunc, _DISPATCHER)) \
                or callable(obj) and not hasattr(obj, "__dict__") \
                or isinstance(obj, (types.FunctionType, types.MethodType, type(np.sum))) \
                or callable(obj) and is_user_function(obj):
            self.guards[("identity", outer)] = outer.guard_identity()
            return Abstract(Known(obj))
        if self.new_classes.knows(obj):
            return Abstract(Known(obj))
        value = _lengths_as_they_are(obj)
        self.guards[("kind", outer)] = outer.guard_kind(value)
        return self.from_value(value, ("outer", id(obj), outer.name), "outer", False)

    def from_object(self, obj: Any, path: Any, origin: str, active: bool) -> Abstract:
        return self.from_value(operations.of_object(obj, path), path, origin, active)

    def from_value(self, value: Value, path: Any, origin: str, active: bool) -> Abstract:
        """An outer value or an argument: its storages are named by the path that leads to them."""
        match value:
            case Array():
                storage = self.heap.storage((origin, path), "array", origin, _hint(path), active)
                storage.home = ()
                return Abstract(value, frozenset((Ref(storage),)), active and value.dims is None)
            case TupleOf(items, _):
                parts = tuple(self.from_value(v, (path, k), origin, active) for k, v in enumerate(items))
                return Abstract(value, items=parts)
            case ListOf() | DictOf() | ObjectOf():
                return self._container_from(value, path, origin, active)
            case Number(kind):
                return Abstract(value, varied=active and kind != "bool")
            case Again(cls) if cls in self._above:
                storage = self._above[cls]
                self.heap.mark(storage, many=True)
                return Abstract(ObjectOf(cls, ()), frozenset((Ref(storage),)))
            case OneOf(kinds):
                parts = tuple(self.from_value(v, (path, k), origin, active) for k, v in enumerate(kinds))
                return functools.reduce(self.heap.join, parts)
        self.heap.foreign |= origin == "outer" and value == UNKNOWN
        return Abstract(value, varied=active and value == UNKNOWN)

    def _container_from(self, value: Value, path: Any, origin: str, active: bool) -> Abstract:
        kind = {ListOf: "list", DictOf: "dict", ObjectOf: "object"}[type(value)]
        storage = self.heap.storage((origin, path), kind, origin, _hint(path))
        storage.home = ()
        storage.cls = getattr(value, "cls", None)
        above = dict(self._above)
        if isinstance(value, ObjectOf):
            self._above[value.cls] = storage
        pairs: list[tuple[Any, Value]] = []
        match value:
            case ListOf(item):
                pairs = [("*", item)] if item is not None else []
            case DictOf(items, other):
                pairs = [*items, *([("*", other)] if other is not None else [])]
            case ObjectOf(_, fields):
                pairs = list(fields)
        storage.born_with = frozenset(key for key, _ in pairs if key != containers.ANY and self.sure)
        for key, item in pairs:
            part = self.from_value(item, (path, key), origin, active)
            if key == "*":
                for ref in part.refs:
                    self.heap.mark(ref.storage, many=True)
            self.heap.put(storage, key, part)
        self._above = above
        return Abstract(value, frozenset((Ref(storage),)))

    def _const(self, expr: Const, env: Env) -> Abstract:
        return Abstract(Known(expr.value))

    def _opaque(self, expr: Opaque, env: Env) -> Abstract:
        return opaque.given(self, expr, env)

    def _function(self, expr: Function, env: Env) -> Abstract:
        self.homes[expr] = self.loops
        return closures.made(self, expr) if expr in self.heap.escaping else Abstract(Closure(expr))

    # ------------------------------------------------------------ operators

    def _bin(self, expr: Bin, env: Env) -> Abstract:
        left, right = self(expr.left, env), self(expr.right, env)
        a, b = self.value(left), self.value(right)
        if isinstance(a, (ListOf, TupleOf)) or isinstance(b, (ListOf, TupleOf)):
            joined = containers.joined(self, expr, left, right)
            if joined is not None:
                return joined
        if own_operator(self, expr, [(left, a), (right, b)]):
            return NOT_YET
        if expr.op == "|" and isinstance(a, DictOf) and isinstance(b, DictOf) and (left.active or right.active):
            return self.rewrite(expr, lambda parts, make: Dict((None, None), parts, at=expr.at), left, right)
        merges = expr.op == "|" and UNKNOWN in (a, b)               # dicts, perhaps
        active = (left.active or right.active) and (merges or expr.op not in INACTIVE_OPERATORS)
        if active and expr.op == "%" and isinstance(a, Known) and isinstance(a.obj, str):
            self.heap.note_text(self.loops)
            return NOTHING
        result = numeric(self.result(OPERATORS[expr.op], [a, b]), a, b)
        if active and result == UNKNOWN and (expr.op in ("-", "/", "**") or _is_float(a) or _is_float(b)):
            result = Array(None, None)          # nothing else that has a derivative has such an operator
        return self.fresh(expr, result, active)

    def _unary(self, expr: Unary, env: Env) -> Abstract:
        operand = self(expr.operand, env)
        if expr.op == "not":
            known = self.truth(operand)
            return Abstract(Number("bool") if known is None else Known(not known))
        value = self.value(operand)
        if own_operator(self, expr, [(operand, value)]):
            return NOT_YET
        result = numeric(self.result(UNARY[expr.op], [value]), value)
        return self.fresh(expr, result, operand.active and expr.op != "~")

    def truth(self, item: Abstract) -> bool | None:
        """Whether a condition certainly holds, or None."""
        value = item.value
        if isinstance(value, (ObjectOf, OneOf)):
            quiet.check_implied(self, (item,), quiet.TRUTH, getattr(self.site, "at", None))
        if item.partial:
            return None
        if isinstance(value, Known) and (value.obj is None or isinstance(value.obj, (bool, str, int, float))):
            return bool(value.obj)
        if isinstance(value, TupleOf) and value.cls is tuple:
            return bool(value.items)
        return None

    def _compare(self, expr: Compare, env: Env) -> Abstract:
        items = [self(e, env) for e in (expr.left, *expr.rights)]
        if len(expr.ops) == 1:
            known = self._known_comparison(expr.ops[0], items[0], items[1])
            if known is not None:
                return Abstract(Known(known))
        if len(expr.ops) > 1 or expr.ops[0] not in OPERATORS:
            return self._membership_or_chain(expr, items)
        values = [self.value(i) for i in items]
        if expr.ops[0] in ("==", "!=") and all(isinstance(v, (ListOf, DictOf)) for v in values):
            settable.check_class(self, items, None, expr.at)
        if any(isinstance(v, (ListOf, DictOf, TupleOf)) for v in values):
            quiet.check_inside(self, items, quiet.ORDER, expr.at)
        if own_operator(self, expr, list(zip(items, values))):
            return NOT_YET
        return self.fresh(expr, numeric(self.result(OPERATORS[expr.ops[0]], values), *values), False)

    def _membership_or_chain(self, expr: Compare, items: list[Abstract]) -> Abstract:
        if expr.ops in (("in",), ("not in",)):
            cls = class_of(self.value(items[1]))
            if cls is not None and quiet.loud_method(cls, ("__contains__",)):
                fields.guard_class(self, cls, "__contains__")
                return self.rewrite(expr, lambda parts, make: _contained(expr, parts))
            quiet.check_inside(self, items, quiet.KEY, expr.at)
        if len(expr.ops) > 1:
            quiet.check_implied(self, items, quiet.ORDER, expr.at)
        return Abstract(Number("bool"))

    def _known_comparison(self, op: str, left: Abstract, right: Abstract) -> bool | None:
        a, b = self.value(left), self.value(right)
        if op in ("is", "is not") and isinstance(b, Known) and _is_one_object(b.obj):
            answers = {_may_be(kind, b.obj) for kind in members(self.whole(left))}
            same = answers.pop() if len(answers) == 1 else None
            return None if same is None else same == (op == "is")
        if op in ("is", "is not") and isinstance(b, Known) and b.obj is None:
            a = self.whole(left)
            if isinstance(a, OneOf):
                return None if Known(None) in a.kinds else op == "is not"
            if isinstance(a, Known):
                return (a.obj is None) == (op == "is")
            certain = isinstance(a, (Number, Array, TupleOf, ListOf, DictOf, ObjectOf, Closure, Lazy))
            return op == "is not" if certain else None
        if op in ("==", "!=") and isinstance(a, Known) and isinstance(b, Known) \
                and isinstance(a.obj, (str, type(None))) and isinstance(b.obj, (str, type(None))):
            return (a.obj == b.obj) == (op == "==")
        return None

    def _bool(self, expr: Bool, env: Env) -> Abstract:
        first = self(expr.values[0], env)
        if self.truth(first) is (expr.op == "or"):
            return first                    # the others aren't evaluated
        ways: list[tuple[Expr, Env]] = []
        for value in expr.values:
            ways.append((value, env))
            env = narrowed(self, value, env, expr.op == "and")
        return self._any_of(ways, expr.values[0])

    def _cond(self, expr: Cond, env: Env) -> Abstract:
        test = self.truth(self(expr.test, env))
        if test is not None:
            return self(expr.body if test else expr.orelse, env)
        return self._any_of([(expr.body, narrowed(self, expr.test, env, True)),
                             (expr.orelse, narrowed(self, expr.test, env, False))])

    def _way(self, expr: Expr, env: Env) -> Abstract:
        """What is evaluated on one way only: what is refused there gets a statement of its own, which says so when it
        is reached."""
        try:
            return self(expr, env)
        except Refused:
            if isinstance(expr, (Name, Const)):
                raise
            return self.rewrite(expr, lambda parts, make: make.bind(rebuild(expr, parts)))

    def _any_of(self, exprs: list[tuple[Expr, Env]], certain: Expr | None = None) -> Abstract:
        """One of several, of which one is certainly evaluated; those that never return don't count."""
        items = []
        for expr, env in exprs:
            try:
                items.append(self._way(expr, env) if expr is not certain else self(expr, env))
            except NeverReturns:
                continue
        if not items:
            raise NeverReturns
        out = items[0]
        for item in items[1:]:
            out = self.heap.join(out, item)
        return out

    # ------------------------------------------------------------ displays

    def _tuple(self, expr: Tuple, env: Env) -> Abstract:
        return containers.tuple_(self, expr, env)

    def _star(self, expr: Star, env: Env) -> Abstract:
        return self(expr.value, env)

    def _list(self, expr: List, env: Env) -> Abstract:
        return containers.list_(self, expr, env)

    def argument_value(self, expr: Expr, item: Abstract) -> Value:
        """The kind of an operand of a NumPy function: of a list that is written there, each element by itself."""
        display = self.displays.get(id(expr), UNKNOWN) if isinstance(expr, List) else UNKNOWN
        return self.value(item) if display == UNKNOWN else display

    def _dict(self, expr: Dict, env: Env) -> Abstract:
        return containers.dict_(self, expr, env)

    # ------------------------------------------------------------ parts

    def _attr(self, expr: Attr, env: Env) -> Abstract:
        owner, value = self.able_method(expr.value, self(expr.value, env), expr.name)
        if isinstance(value, Known):
            return self._known_attribute(expr, value.obj, env)
        if isinstance(value, Super):
            return classes.super_attribute(self, expr, owner)
        if isinstance(value, OneOf):
            return fields.of_several(self, expr, owner, value, env)
        if isinstance(value, ObjectOf):
            return fields.attribute(self, expr, owner, value.cls, env)
        if isinstance(value, TupleOf) and expr.name in value.fields and owner.items is not None:
            return owner.items[value.fields.index(expr.name)]
        if isinstance(value, TupleOf) and value.cls is not tuple:
            return fields.attribute(self, expr, owner, value.cls, env)
        if isinstance(value, Array) and expr.name in ("T", "real", "imag", "flat"):
            return self._array_attribute(expr, owner, value)
        if isinstance(value, (ListOf, DictOf)) and narrowing.has_attribute(value, expr.name) \
                or isinstance(value, Array) and owner.active and expr.name in METHODS:
            return fields.bound_method(self, expr, owner)
        if isinstance(value, Array) and owner.active and expr.name in _WAYS_ROUND \
                or isinstance(value, Closure) and expr.name in _INSIDE and captures_active(value, env):
            raise Refused(f"what is differentiated isn't followed through `{expr.name}`",
                          "use the array itself" if isinstance(value, Array) else "pass it as an argument", expr.at)
        result = operations.attribute(value, expr.name)
        if owner.active and value == UNKNOWN and expr.name not in _INACTIVE_ATTRIBUTES:
            result = Array(None, None) if expr.name in ("real", "imag", "T", "mT") else result
            return Abstract(result, self.view(owner, None), True)
        if value == UNKNOWN and result == UNKNOWN and owner.refs:
            return Abstract(result, self.view(owner, None))
        active = owner.active and expr.name in ("real", "imag", "T") and number_of(value) is not None
        return self.fresh(expr, result, active)

    def _known_attribute(self, expr: Attr, obj: Any, env: Env) -> Abstract:
        try:
            found = getattr(obj, expr.name)
        except AttributeError:
            return NOTHING
        if isinstance(found, ClassVariable):
            return new_classes.variable(self, expr, found, env)
        data = isinstance(found, DATA) and not isinstance(found, bool)
        if _changes(obj) and not (isinstance(obj, type) and obj in self.new_classes.classes):
            known = operations.of_object(found) if data else Known(found)
            self.guards[("attribute", id(obj), expr.name)] = guard_attribute(obj, expr.name, known)
        elif not isinstance(obj, types.ModuleType):
            return Abstract(Known(found))
        if not data:
            return Abstract(Known(found))
        return self.from_object(found, ("outer", id(obj), expr.name), "outer", False)

    def class_attribute(self, cls: type, name: str) -> Abstract:
        """What a class has under a name, as data."""
        found = getattr(cls, name)
        data = isinstance(found, DATA) and not isinstance(found, bool)
        self.guards[("attribute", id(cls), name)] = guard_attribute(
            cls, name, operations.of_object(found) if data else Known(found))
        return self.from_object(found, ("outer", id(cls), name), "outer", False) if data else Abstract(Known(found))

    def _array_attribute(self, expr: Attr, owner: Abstract, value: Array) -> Abstract:
        result = operations.attribute(value, expr.name)
        exact = expr.name == "T" and value.dims is not None
        return Abstract(result, self.view(owner, Attr(HOLE, "T") if exact else None), owner.varied)

    def view(self, owner: Abstract, step: Expr | None) -> frozenset[Ref]:
        """The references of a view of `owner`; without a step its place isn't followed."""
        refs = frozenset(Ref(r.storage, None if r.path is None or step is None else (*r.path, step))
                         for r in owner.refs)
        for ref in refs:
            self.heap.mark(ref.storage, loose=ref.path is None)
        return refs

    def _slice(self, expr: Slice, env: Env) -> Abstract:
        parts = [None if e is None else self.value(self(e, env)) for e in (expr.lower, expr.upper, expr.step)]
        return Abstract(operations.SliceOf(*parts))

    def _item(self, expr: Item, env: Env) -> Abstract:
        if (found := attribute_dicts.item(self, expr, env)) is not None:
            return found
        owner, index = self(expr.value, env), self(expr.index, env)
        quiet.check_inside(self, (index,), quiet.SUBSCRIPT, expr.at)
        owner, value = self._able(expr.value, owner, narrowing.has_items)
        if isinstance(value, Array):
            return self._array_item(expr, owner, value, index)
        if isinstance(value, TupleOf) and owner.items is not None:
            return containers.tuple_item(self, expr, owner.items, index)
        if isinstance(value, (ListOf, DictOf)):
            return containers.item(self, expr, owner, index, env)
        if index.active and (joined := joining.of_subscript(self, expr, value, index, env)) is not None:
            return joined
        if own_operator(self, expr, [(owner, value), (index, self.value(index))]):
            return NOT_YET
        found = Abstract(operations.getitem(value, self.value(index)), owner.refs, owner.active)
        return containers.item_of_unknown(self, found, index, env)

    def _able(self, expr: Expr, item: Abstract, able: Callable[[Value], bool]) -> tuple[Abstract, Value]:
        """An operand where it is of the kinds that the operation works with: with others it raises."""
        value = self.value(item)
        if isinstance(value, OneOf):
            kept = [m for m in value.kinds if able(m)]
            if kept and len(kept) < len(value.kinds):
                item = narrowing.restricted(item, kept)
                self._kinds[self.site, id(expr)] = item
                value = self.value(item)
        return item, value

    def able_method(self, expr: Expr, item: Abstract, name: str) -> tuple[Abstract, Value]:
        """An operand where it has a method, or an attribute, of this name."""
        if item.active and isinstance(item.value, Caught):
            raise Refused("an exception may carry here what is differentiated",
                          "keep the value in a name of its own before it is raised", expr.at)
        return self._able(expr, item, lambda value: narrowing.has_attribute(value, name))

    def _array_item(self, expr: Item, owner: Abstract, value: Array, index: Abstract) -> Abstract:
        entries = self.value(index)
        found = operations.getitem(value, entries.items if isinstance(entries, TupleOf) else (entries,))
        result = numeric(found, value)
        if isinstance(result, Number):
            return Abstract(result, varied=owner.active)
        basic = basic_index(entries)
        if basic is False:
            return self.fresh(expr, result, owner.active)
        exact = basic and isinstance(result, Array) and (result.dims is not None or _keeps_a_dimension(entries))
        refs = self.view(owner, Item(HOLE, expr.index) if exact else None)
        if basic is None:
            refs = self.perhaps_copy(expr, refs, result, owner.active)
        return Abstract(result, refs, owner.active and not exact)

    def perhaps_copy(self, expr: Expr, refs: frozenset[Ref], result: Value, active: bool) -> frozenset[Ref]:
        """The references of a value that is a view or a copy."""
        storage = self.storage(expr, "array", active=active)
        self.heap.mark(storage, loose=True)
        both = refs | {Ref(storage)}
        self.heap.unite(both)
        for ref in both:
            self.heap.mark(ref.storage, loose=True)
        return both

    def element(self, owner: Abstract, key: Any = None) -> Abstract:
        """What a container holds at a constant key, or anywhere, at any time."""
        out: Abstract | None = None
        for ref in owner.refs:
            fields = ref.storage.fields
            known = ref.storage.kind != "list" and key in fields
            for item in ([fields[key]] if known else fields.values()):
                out = item if out is None else self.heap.join(out, item)
        return Abstract(varied=owner.varied) if out is None else out

    def _call(self, expr: Call, env: Env) -> Abstract:
        return self._calls(self, expr, env)


_METHODS: dict[type, str] = {kind: "_" + kind.__name__.lower() for kind in (
    Attr, Bin, Bool, Call, Compare, Cond, Const, Dict, Function, Item, List, Name, Opaque, Slice, Star, Tuple, Unary)}


def _contained(expr: Compare, parts: tuple[Expr, ...]) -> Expr:
    """v in o   ->   bool(o.__contains__(v))"""
    found: Expr = Unary("not", Call(Attr(parts[1], "__contains__", at=expr.at), (parts[0],), at=expr.at), at=expr.at)
    return found if expr.ops[0] == "not in" else Unary("not", found, at=expr.at)


def _may_be(value: Value, obj: Any) -> bool | None:
    """Whether a value is this very object; None where that isn't certain."""
    if isinstance(value, Known):
        return value.obj is obj
    if isinstance(value, ObjectOf):
        return None if isinstance(obj, value.cls) else False
    return None if value in (UNKNOWN, PENDING) or isinstance(value, Closure) else False


def _is_one_object(obj: Any) -> bool:
    """Whether nothing else is equal to the object: `is` tells what it is."""
    return obj is NotImplemented or isinstance(obj, (type, types.FunctionType, types.BuiltinFunctionType, Enum))


def _containers_of(item: Abstract) -> list[Storage]:
    """The containers that the value may be, always in the same order."""
    return [storage for storage in in_order(item.refs) if storage.kind != "array"]


def _of_class(storage: Storage) -> list[Storage]:
    """All objects of the same class that can be reached from one."""
    reached = reach([Abstract(refs=frozenset((Ref(storage),)))])
    same = [s for s in reached if s.kind == "object" and s.cls is storage.cls]
    return sorted(same, key=lambda s: s.number)


def _lengths_as_they_are(obj: Any) -> Value:
    """An outer value; data rarely change their shape, so an array's is taken as it is."""
    value = operations.of_object(obj)
    if isinstance(value, Array) and isinstance(obj, np.ndarray):
        return Array(value.dtype, tuple(Linear(n) for n in obj.shape))
    return value


def numeric(result: Value, *operands: Value) -> Value:
    """Arithmetic on what is a number or an array gives one of them."""
    known = result != UNKNOWN or not any(isinstance(v, Array) for v in operands)
    return result if known else Array(None, None)


def _is_float(value: Value) -> bool:
    number = number_of(value)
    return number is not None and number.kind == "float"


def basic_index(value: Value) -> bool | None:
    """Whether an index is basic (gives a view): True, False, or None where that isn't known."""
    entries = value.items if isinstance(value, TupleOf) else (value,)
    answers = [_basic_entry(e) for e in entries]
    return False if False in answers else None if None in answers else True


def _keeps_a_dimension(value: Value) -> bool:
    """Whether a basic index certainly gives an array, whatever the rank of what is indexed."""
    entries = value.items if isinstance(value, TupleOf) else (value,)
    return any(isinstance(e, operations.SliceOf) or isinstance(e, Known) and e.obj in (None, Ellipsis) for e in entries)


def _basic_entry(value: Value) -> bool | None:
    number = number_of(value)
    if number is not None:
        return number.kind == "int" if number.kind != "bool" else False
    if isinstance(value, operations.SliceOf) or isinstance(value, Known) and value.obj in (None, Ellipsis):
        return True
    if isinstance(value, ListOf):
        return False if value.cls is list else None
    return False if isinstance(value, Array) and value.dims is not None else None


def _changes(obj: Any) -> bool:
    """Whether attributes of the object may be set anew: those of modules, classes and objects of no library."""
    if isinstance(obj, types.ModuleType):
        home = obj.__name__
    else:
        home = str(getattr(obj if isinstance(obj, type) else type(obj), "__module__", None))
    return home.partition(".")[0] not in ("numpy", "scipy", "math", "builtins")


def captures_active(closure: Closure, env: Env, seen: frozenset[Closure] = frozenset()) -> bool:
    """Whether a function made inside the program reads a name whose value is active, itself or by another one."""
    if closure in seen:
        return False
    captured = [env[name] for name in closure.function.free if name in env]
    return any(item.active or isinstance(item.value, Closure) and captures_active(item.value, env, seen | {closure})
               for item in captured)


def _hint(path: Any) -> str:
    while isinstance(path, tuple):
        path = path[-1]
    return str(path)
