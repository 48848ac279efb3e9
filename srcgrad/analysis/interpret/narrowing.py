"""What a test says of the values of names: in the branch where `x is None` fails, x isn't None."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.interpret.refused import Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, Slot
from srcgrad.analysis.values import (
    Array,
    Closure,
    Decision,
    DictOf,
    Known,
    ListOf,
    Number,
    ObjectOf,
    TupleOf,
    Value,
    members,
    one_of,
)
from srcgrad.lang.core import (
    Attr,
    Bind,
    Bool,
    Call,
    Compare,
    Cond,
    Const,
    Expr,
    If,
    Name,
    Refuse,
    Statement,
    Tuple,
    Unary,
    children,
    names_read,
    rebuild,
)
from srcgrad.runtime.containers import has_field, made_by

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

DECISION: Any = object()                     # in place of a storage, in slots of decisions
Keeps = Callable[[Value], bool | None]       # whether a value passes a test; None where that isn't certain


# ---------------------------------------------------------------- branches

def narrowed(ev: Evaluator, test: Expr, env: Env, outcome: bool) -> Env:
    """The state in the branch that is taken when the test has this outcome."""
    match test:
        case Name(id) if (decided := env.get(Slot(DECISION, id))) is not None \
                and isinstance(decided.value, Decision):
            return narrowed(ev, decided.value.test, env, outcome)
        case Unary("not", operand):
            return narrowed(ev, operand, env, not outcome)
        case Bool(op, values) if outcome == (op == "and"):
            for value in values:
                env = narrowed(ev, value, env, outcome)
            return env
        case Call(func, (Name(id), Const(str(name))), ()) if outcome and id in env and _means(ev, func, env, has_field):
            held = {Slot(ref.storage, name): ref.storage.fields.get(name) for ref in env[id].refs}
            return {**env, **{slot: item for slot, item in held.items() if item is not None}}
    place, keeps = _test(ev, test, env)
    if place is None or keeps is None:
        return env
    positive = isinstance(test, Call) or isinstance(test, Compare) and test.ops[0] in ("is", "==")
    return _filtered(ev, place, keeps, env, outcome, positive == outcome and not isinstance(test, (Name, Attr)))


def note_decision(env: Env, name: str, value: Expr) -> None:
    """`c = f is g`: what c tells of f is kept, as long as neither is bound again."""
    if isinstance(value, (Compare, Call, Unary, Bool)) and name not in names_read(value):
        env[Slot(DECISION, name)] = Abstract(Decision(value))


def forget_decisions(env: Env, name: str) -> None:
    """A name is bound again: what it decided, and what others decided about it."""
    for slot in [s for s in env if type(s) is Slot and s.storage is DECISION]:
        value = env[slot].value
        if slot.key == name or isinstance(value, Decision) and name in names_read(value.test):
            del env[slot]


def _test(ev: Evaluator, test: Expr, env: Env) -> tuple[Expr | None, Keeps | None]:
    """What a test asks about, and how it answers."""
    match test:
        case Name() | Attr():
            return test, _truthy
        case Compare(Call(func, (place,), ()), (("is" | "is not" | "==" | "!=") as op,), (cls,)) \
                if _means(ev, func, env, type):
            found = _object(ev, cls, env)
            keeps = _is_exactly(found) if isinstance(found, type) else None
            return place, keeps if op in ("is", "==") else _opposite(keeps)
        case Compare(place, (("is" | "is not") as op,), (other,)):
            item = _look_up(ev, other, env)
            keeps = _is(item.value) if item is not None and isinstance(item.value, Known) else None
            return place, keeps if op == "is" else _opposite(keeps)
        case Call(func, (place,), ()) if _means(ev, func, env, callable):
            return place, is_callable
        case Call(func, (place, cls), ()) if _means(ev, func, env, isinstance):
            found = _object(ev, cls, env)
            return place, _is_instance(found) if isinstance(found, (type, tuple)) else None
        case Call(func, (place, Name(made)), ()) if _means(ev, func, env, made_by):
            held = env.get(made)
            return place, None if held is None or not isinstance(held.value, Closure) else _is(held.value)
    return None, None


def _look_up(ev: Evaluator, expr: Expr, env: Env) -> Abstract | None:
    """The value of an expression that only looks things up."""
    plain: Expr = expr
    while isinstance(plain, Attr):
        plain = plain.value
    return ev(expr, env) if isinstance(plain, (Name, Const)) or type(expr).__name__ == "Tuple" else None


def _object(ev: Evaluator, expr: Expr, env: Env) -> object:
    item = _look_up(ev, expr, env)
    if item is None:
        return None
    if item.items is not None:
        return tuple(part.value.obj if isinstance(part.value, Known) else None for part in item.items)
    return item.value.obj if isinstance(item.value, Known) else None


def _means(ev: Evaluator, func: Expr, env: Env, obj: object) -> bool:
    return isinstance(func, (Name, Const)) and _object(ev, func, env) is obj


def _opposite(keeps: Keeps | None) -> Keeps | None:
    def turned(value: Value) -> bool | None:
        assert keeps is not None
        known = keeps(value)
        return None if known is None else not known
    return None if keeps is None else turned


def _truthy(value: Value) -> bool | None:
    match value:
        case Known(obj) if obj is None or isinstance(obj, (bool, str, int, float)):
            return bool(obj)
        case ObjectOf(cls, _) if not hasattr(cls, "__len__") and not hasattr(cls, "__bool__"):
            return True
    return None


def _is(known: Value) -> Keeps:
    return lambda value: value == known if not isinstance(known, Known) or known.obj is None \
        or isinstance(value, (Known, ObjectOf, Array, ListOf, DictOf, TupleOf, Closure)) else None


def _is_exactly(cls: type) -> Keeps:
    return lambda value: agreed(known is cls for known in classes_of(value))


def _is_instance(classes: type | tuple) -> Keeps:
    return lambda value: is_instance(value, classes)


def is_callable(value: Value) -> bool | None:
    """Whether a value can be called; None where that isn't certain."""
    match value:
        case Closure():
            return True
        case Known(obj):
            return callable(obj)
        case ObjectOf(cls):
            return callable(getattr(cls, "__call__", None))  # noqa: B004 (of its instances)
        case Number() | Array() | ListOf() | DictOf() | TupleOf():
            return False
    return None


def is_instance(value: Value, classes: type | tuple) -> bool | None:
    """Whether a value is an instance of these classes; None where that isn't certain."""
    try:
        return agreed(_of_classes(m, classes) for m in members(value))
    except TypeError:
        return None


def _of_classes(value: Value, classes: type | tuple) -> bool | None:
    """The same for a value of one kind."""
    if isinstance(value, Array) and value.dims is None:
        asked = classes if isinstance(classes, tuple) else (classes,)
        return False if all(c in _NEVER_NUMERIC for c in asked) else None
    known = classes_of(value)
    return agreed(issubclass(cls, classes) for cls in known) if known else None


_NEVER_NUMERIC = (list, dict, tuple, str, set, frozenset, type(None))


def agreed(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def classes_of(value: Value) -> tuple[type, ...]:
    """The classes that a value may be an instance of, or none where they aren't known."""
    match value:
        case Known(obj):
            return (type(obj),)
        case Number("float", None):
            return float, int           # what a list of floats and ints holds is called a float
        case Number(kind, None):
            return (getattr(builtins, kind),)
        case Number(_, np.dtype() as dtype):
            return (dtype.type,)
        case Array(_, dims):
            return () if dims is None else (np.ndarray,)
        case TupleOf(_, cls) | ListOf(_, cls) | ObjectOf(cls, _):
            return (cls,)
        case DictOf():
            return (dict,)
    return ()


def class_of(value: Value) -> type | None:
    """The class of a value, where it is certain."""
    known = classes_of(value)
    return known[0] if len(known) == 1 else None


# ---------------------------------------------------------------- values

def _filtered(ev: Evaluator, place: Expr, keeps: Keeps, env: Env, outcome: bool, settles: bool) -> Env:
    """settles: the test tells what the value is, so that it can't be anything else."""
    key = _key(ev, place, env)
    item = env.get(key) if key is not None else None
    if item is None:
        return env
    whole = ev.whole(item)
    kept = [m for m in members(whole) if keeps(m) in (outcome, None)]
    settles = settles and item.partial
    if not kept or len(kept) == len(members(whole)) and not settles:
        return env
    return {**env, key: replace(restricted(item, kept), partial=item.partial and not settles)}


def _key(ev: Evaluator, place: Expr, env: Env) -> object:
    if isinstance(place, Name):
        return place.id
    if isinstance(place, Attr) and isinstance(place.value, Name) and place.value.id in env:
        refs = env[place.value.id].refs
        if len(refs) == 1:
            return Slot(next(iter(refs)).storage, place.name)
    return None


def restricted(item: Abstract, kept: list[Value]) -> Abstract:
    """The value where it is one of these."""
    classes = {m.cls for m in kept if isinstance(m, (ListOf, ObjectOf))}
    kinds = {kind for cls, kind in ((DictOf, "dict"), (Array, "array")) if any(isinstance(m, cls) for m in kept)}
    refs = frozenset(r for r in item.refs if r.storage.kind in kinds
                     or r.storage.kind == "object" and (r.storage.cls or object) in classes
                     or r.storage.kind == "list" and (r.storage.cls or list) in classes)
    tuples = [m for m in kept if isinstance(m, TupleOf)]
    if len(kept) == 1 and tuples:
        return Abstract(kept[0], items=item.items or tuple(_part(item, m) for m in tuples[0].items))
    if tuples:
        return Abstract(one_of(kept), item.refs, item.varied)
    return Abstract(one_of(kept), refs, item.varied and any(isinstance(m, (Number, Array)) for m in kept))


def _part(item: Abstract, value: Value) -> Abstract:
    """An item of a tuple of which is known only what all items may share storage with."""
    if isinstance(value, TupleOf):
        return Abstract(value, items=tuple(_part(item, m) for m in value.items))
    return restricted(item, list(members(value))) if not isinstance(value, Known) else Abstract(value)


def has_items(value: Value) -> bool:
    """Whether `value[k]` may work."""
    if isinstance(value, Known):
        return hasattr(value.obj, "__getitem__")
    return not isinstance(value, (Number, Closure)) and (
        not isinstance(value, ObjectOf) or hasattr(value.cls, "__getitem__"))


def has_attribute(value: Value, name: str) -> bool:
    """Whether `value.name` may work."""
    if isinstance(value, Known):
        return hasattr(value.obj, name)
    classes = classes_of(value)
    return isinstance(value, ObjectOf) or not classes or any(hasattr(cls, name) for cls in classes)


# ---------------------------------------------------------------- dispatch

def unsure(ev: Evaluator, expr: Expr, k: int, item: Abstract, is_method: bool = True) -> Abstract | None:
    """An operation that means code of the user's, on what isn't wholly known yet: it waits, or is decided by what is
    known, which a test makes sure of; None where all is known.  The rest is as in `by_kind`."""
    if not item.partial:
        return None
    key = ev.site, id(expr)
    if not ev.optimistic or ev.guarded not in (None, key):
        return NOT_YET
    ev.guarded = key
    found = by_kind(ev, expr, k, item, True, is_method)
    if found is None:
        raise Refused("it isn't known what this works with", "Give it a value of one kind.", expr.at)
    return found


def by_kind(ev: Evaluator, expr: Expr, k: int, item: Abstract, guarded: bool = False,
            is_method: bool = True) -> Abstract | None:
    """An operation on what is one of several kinds: each by itself, told apart when the program runs.

    guarded: it may be of other kinds, too, which is refused when it happens.  is_method: `item` is what a method is
    called on, not the function that is called.
    """
    kinds = _told_apart([m for m in members(ev.whole(item)) if m != Known(None)])
    tests = [_tells(m) for m in kinds]
    if len(kinds) < 2 and not guarded or tests.count(None) > (not guarded):
        return None
    order = sorted(range(len(kinds)), key=lambda i: tests[i] is None)

    def build(parts: tuple[Expr, ...], make: Make) -> Expr:
        held = [_held(part, make) for part in parts]
        method = held[k] if isinstance(expr, Call) and is_method else None
        target = method.value if isinstance(method, Attr) else held[k]
        if not isinstance(target, Name):
            target = make.bind(target)
            held[k] = Attr(target, method.name) if isinstance(method, Attr) else target
        if guarded:
            return _checked(make, expr, held, target, [test for test in tests if test is not None])
        out = rebuild(expr, tuple(map(copied, held)))
        for i in reversed(order[:-1]):
            test = tests[i]
            assert test is not None
            out = Cond(test(make, copied(target)), rebuild(expr, tuple(map(copied, held))), out, at=expr.at)
        return out
    ev.rewrite(expr, build)
    return NOT_YET


def _checked(make: Make, expr: Expr, held: list[Expr], target: Expr, tests: list[Any]) -> Expr:
    """if type(a) is A: t = a.f(x), and so on; else it is refused

    Not for good: `a` may turn out to be of more kinds, for instance where a loop carries what `f` gives.
    """
    name = make.name("t")

    def bind() -> Bind:
        return Bind((name,), (rebuild(expr, tuple(map(copied, held))),), at=expr.at)
    refused = Refuse("here comes up what wasn't known before", "Give it a value of one kind.", at=expr.at)
    others = Bool("and", (Const(False), *(Unary("not", test(make, copied(target))) for test in tests)))
    last: Statement = If(others, (bind(),), (refused,), at=expr.at)
    for test in reversed(tests):
        last = If(test(make, copied(target)), (bind(),), (last,), at=expr.at)
    make.add(last)
    return Name(name, at=expr.at)


def for_other_kinds(ev: Evaluator, stmt: If, env: Env) -> tuple[Statement, ...] | None:
    """The last branch of `_checked`, if there are other kinds now."""
    match stmt:
        case If(Bool("and", (Const(False), *tests)), body, (Refuse(),)):
            for test in tests:
                place, keeps = _test(ev, test.operand, env) if isinstance(test, Unary) else (None, None)
                key = None if place is None else _key(ev, place, env)
                if keeps is None or key not in env:
                    return None
                if any(keeps(m) is True for m in members(ev.whole(env[key]))):
                    return None
            return body
    return None


def copied(expr: Expr) -> Expr:
    """The expression anew: facts go by identity, and in each branch there are others."""
    parts = tuple(map(copied, children(expr)))
    return rebuild(expr, parts) if parts else replace(expr)


def _held(part: Expr, make: Make) -> Expr:
    if isinstance(part, Attr):
        return Attr(part.value if isinstance(part.value, (Name, Const)) else make.bind(part.value), part.name,
                    at=part.at)
    return part if isinstance(part, (Name, Const)) or type(part).__name__ in ("Slice", "Star") else make.bind(part)


def _tells(value: Value) -> Callable[[Make, Expr], Expr] | None:
    """The test that tells whether a value is of this kind."""
    match value:
        case Known(int() | float()) | Number("float" | "int", None):
            return lambda make, e: Call(make.outside("isinstance", isinstance), (e, Tuple((
                make.outside("float", float), make.outside("int", int)))))
        case Known(obj):
            name = getattr(obj, "__name__", "value")
            return lambda make, e: Compare(e, ("is",), (make.outside(name if name.isidentifier() else "value", obj),))
        case ObjectOf(cls, _):
            return lambda make, e: Compare(Call(make.outside("type", type), (e,)), ("is",),
                                           (make.outside(cls.__name__, cls),))
        case Array(_, dims) if dims is not None:
            return lambda make, e: _instance(make, e, np.ndarray)
        case TupleOf(_, cls) | ListOf(_, cls):
            return lambda make, e: _instance(make, e, cls)
        case DictOf():
            return lambda make, e: _instance(make, e, dict)
    return None


def _told_apart(kinds: list[Value]) -> list[Value]:
    """One of each class: dicts with other keys, tuples of other lengths aren't told apart by a test."""
    found: dict[Any, Value] = {}
    for value in kinds:
        found.setdefault(class_of(value) if isinstance(value, (DictOf, TupleOf)) else value, value)
    return list(found.values())


def _instance(make: Make, e: Expr, cls: type) -> Expr:
    return Call(make.outside("isinstance", isinstance), (e, make.outside(cls.__name__, cls)))
