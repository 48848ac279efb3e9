"""Guards: the facts that a compiled variant relies on, as one straight-line function over the arguments.

A guard is a Python expression over parameter names and over names of particular objects.  `compile_guard` joins
the checks of all arguments and all further guards into one function that is called before each use of the variant.
"""
from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from itertools import count
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.analysis.values import Array, DictOf, Known, ListOf, Number, ObjectOf, OneOf, RangeOf, TupleOf, Value

__all__ = ["Guard", "of_value", "compile_guard"]

NUMBER_OR_ARRAY = (np.ndarray, float, int, np.number)


@dataclass(frozen=True, eq=False)
class Guard:
    """`text` is an expression over the parameters' names, builtins, and the names in `objects`, which are its own.

    Two guards are equal if their texts are and their objects are the same objects.

    >>> relu = abs
    >>> Guard("G0['f'] is F0", (("G0", {"f": relu}), ("F0", relu))).text
    "G0['f'] is F0"
    """
    text: str
    objects: tuple[tuple[str, object], ...] = ()

    def _key(self) -> tuple:
        return self.text, tuple((name, id(obj)) for name, obj in self.objects)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def of_value(name: str, value: Value) -> Guard | None:
    """The check that the expression `name` has this abstract value; None where there is nothing to check.

    Arrays are checked by class, dtype and rank, and for dimensions that are always 0 or 1; lists by their elements;
    one particular object by identity, or by value where it can't change.

    >>> of_value("x", Array(None, ())).text
    'type(x) is _ndarray and x.ndim == 0'
    """
    check = _Check()
    text = " and ".join(check.terms(name, value))
    return Guard(text, tuple(check.objects.items())) if text else None


def _keeps_all_in_dict(cls: type) -> bool:
    """Whether what an instance holds is just what its `__dict__` holds."""
    slots = any("__slots__" in c.__dict__ for c in cls.__mro__)
    return bool(cls.__dictoffset__) and not is_dataclass(cls) and not slots


def compile_guard(params: Sequence[str], values: Sequence[Value], guards: Sequence[Guard] = ()) -> Callable[..., bool]:
    """A function of the parameters that tells whether they have these values and all guards hold; it never raises.

    >>> holds = compile_guard(("x", "n"), (Array(np.dtype(float), ()), Number("int")), (Guard("n > x.ndim"),))
    >>> holds(np.array(1.0), 2), holds(np.array(1.0), 0), holds(1.0, 2), holds(np.array(1), 2)
    (True, False, False, False)
    """
    # a parameter may hide a builtin that a check needs
    own = {name: f"_{name}_" if hasattr(builtins, name) else name for name in params}
    checks = [of_value(own[name], value) for name, value in zip(params, values, strict=True)]
    objects: dict[str, object] = {}
    taken = set(own.values())
    texts = [_with_own_names(guard, objects, taken, {}) for guard in checks if guard is not None]
    texts += [_with_own_names(guard, objects, taken, own) for guard in guards]
    holds = " and ".join(dict.fromkeys(texts)) or "True"
    source = (f"def guard({', '.join(own.values())}):\n"
              f"    try:\n        return bool({holds})\n    except Exception:\n        return False\n")
    exec(compile(source, "<srcgrad guard>", "exec"), objects)
    guard: Any = objects["guard"]
    return guard


def _with_own_names(guard: Guard, objects: dict[str, object], taken: set[str], params: dict[str, str]) -> str:
    """The guard's text after parameters were renamed and its objects have got names that nothing else has."""
    named = {id(obj): name for name, obj in objects.items()}
    names = dict(params)
    for name, obj in guard.objects:
        new = named.get(id(obj)) or next(n for n in _variations(name) if n not in objects and n not in taken)
        objects[new], names[name] = obj, new
    tree = ast.parse(guard.text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    text = ast.unparse(tree)
    return text if isinstance(tree.body, ast.Compare) else f"({text})"


def _variations(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{k}" for k in count(1))


# ---------------------------------------------------------------- one check a kind of value

_BY_VALUE = (str, bytes, slice, range, np.dtype, frozenset)


def function_terms(name: str, obj: object) -> tuple[list[str], tuple[tuple[str, object], ...]]:
    """Checks that a function still has its code and its defaults, with the objects in them; none for anything else.

    >>> function_terms("f", len)
    ([], ())
    """
    if not isinstance(obj, FunctionType):
        return [], ()
    held = {f"{part}_{id(getattr(obj, part)):x}": (part, getattr(obj, part))
            for part in ("__code__", "__defaults__", "__kwdefaults__")}
    terms = [f"{name}.{part} is {key}" for key, (part, _) in held.items()]
    return terms, tuple((key, value) for key, (_, value) in held.items())


class _Check:
    """Collects the objects that the terms of one check name."""

    def __init__(self) -> None:
        self.objects: dict[str, object] = {}
        self.depth = 0

    def object(self, hint: str, obj: object) -> str:
        for name, held in self.objects.items():
            if held is obj:
                return name
        name = next(n for n in _variations(hint if hint.isidentifier() else "_object") if n not in self.objects)
        self.objects[name] = obj
        return name

    def is_a(self, name: str, *classes: type) -> str:
        names = [c.__name__ if getattr(builtins, c.__name__, None) is c else self.object(f"_{c.__name__}", c)
                 for c in classes]
        return f"type({name}) is {names[0]}" if len(names) == 1 else f"type({name}) in ({', '.join(names)})"

    def terms(self, name: str, value: Value) -> list[str]:
        match value:
            case Array():
                return self.array(name, value)
            case Number():
                return self.number(name, value)
            case Known(obj):
                return self.known(name, obj)
            case TupleOf(items, cls):
                inner = (self.part(f"{name}[{i}]", item) for i, item in enumerate(items))
                return [self.is_a(name, cls), f"len({name}) == {len(items)}", *_flat(inner)]
            case ListOf(item):
                return [self.is_a(name, list), *self.elements(name, item)]
            case DictOf():
                return self.mapping(name, value)
            case ObjectOf(cls, fields):
                # a further attribute may hide a method
                count = [f"len({name}.__dict__) == {len(fields)}"] if _keeps_all_in_dict(cls) else []
                return [self.is_a(name, cls), *count, *_flat(self.part(f"{name}.{field}", v) for field, v in fields)]
            case RangeOf():
                return [self.is_a(name, range)]
            case OneOf(kinds):
                ways = [" and ".join(self.part(name, kind)) or "True" for kind in kinds]
                return ["(" + " or ".join(f"({way})" for way in ways) + ")"]
        return []

    def part(self, name: str, value: Value) -> list[str]:
        """As `terms`, of what a container holds: where nothing is known of an array it may be a number."""
        if value == Array(None, None):
            return [f"isinstance({name}, {self.object('_number_or_array', NUMBER_OR_ARRAY)})"]
        return self.terms(name, value)

    def array(self, name: str, value: Array) -> list[str]:
        terms = [self.is_a(name, np.ndarray)]
        if value.dtype is not None:
            terms.append(f"{name}.dtype == {self.object('_dtype', value.dtype)}")
        if value.dims is not None:
            terms.append(f"{name}.ndim == {len(value.dims)}")
            terms += [f"{name}.shape[{i}] == {dim.constant}" for i, dim in enumerate(value.dims)
                      if dim is not None and dim.constant in (0, 1)]
        return terms

    def number(self, name: str, value: Number) -> list[str]:
        cls = {"bool": bool, "int": int, "float": float, "complex": complex}[value.kind]
        terms = [self.is_a(name, cls if value.dtype is None else value.dtype.type)]
        if value.linear is not None and value.linear.constant is not None:
            terms.append(f"{name} == {value.linear.constant}")
        return terms

    def known(self, name: str, obj: Any) -> list[str]:
        if obj is None or obj is True or obj is False or obj is Ellipsis:
            return [f"{name} is {obj!r}"]
        if isinstance(obj, _BY_VALUE):
            return [self.is_a(name, type(obj)), f"{name} == {self.object('_value', obj)}"]
        if type(obj) in (int, float, complex):
            # by repr: 0.0 and -0.0 are two values, and a NaN is one
            exact = f"{name} == {obj!r}" if type(obj) is int else f"repr({name}) == {repr(obj)!r}"
            return [self.is_a(name, type(obj)), exact]
        if isinstance(obj, (MethodType, BuiltinMethodType)) and not isinstance(obj.__self__, type(np)):
            return self.method(name, obj)
        terms, objects = function_terms(name, obj)
        self.objects.update(objects)
        return [f"{name} is {self.object('_object', obj)}", *terms]

    def method(self, name: str, obj: Any) -> list[str]:
        """A bound method is a new object each time that it is looked up."""
        owner = f"{name}.__self__ is {self.object('_self', obj.__self__)}"
        if isinstance(obj, MethodType):
            return [self.is_a(name, type(obj)), owner, *self.known(f"{name}.__func__", obj.__func__)]
        return [self.is_a(name, type(obj)), owner, f"{name}.__name__ == {obj.__name__!r}"]

    def elements(self, name: str, item: Value | None) -> list[str]:
        """All elements of a list; a list of floats may hold ints, as float is what they have in common."""
        if item is None:
            return [f"not {name}"]
        with_name = f"_item{self.depth}"
        self.depth += 1
        terms = ([self.is_a(with_name, float, int)] if item == Number("float") else self.part(with_name, item))
        self.depth -= 1
        return [f"all({' and '.join(terms)} for {with_name} in {name})"] if terms else []

    def mapping(self, name: str, value: DictOf) -> list[str]:
        terms = [self.is_a(name, dict)]
        keys = [key for key, _ in value.items]
        texts = [repr(key) if type(key) in (str, int) else self.object("_key", key) for key in keys]
        if value.other is None:
            terms.append(f"len({name}) == {len(keys)}")
        for text, (_, item) in zip(texts, value.items, strict=True):
            terms += self.part(f"{name}[{text}]", item) or [f"{text} in {name}"]
        if value.other is not None:
            terms += self.others(name, value.other, keys)
        return terms

    def others(self, name: str, item: Value, keys: list) -> list[str]:
        inner = f"_item{self.depth}"
        self.depth += 1
        terms = self.part(inner, item)
        self.depth -= 1
        known = self.object("_keys", frozenset(keys))
        wanted = f"for _key{self.depth}, {inner} in {name}.items() if _key{self.depth} not in {known}"
        return [f"all({' and '.join(terms)} {wanted})"] if terms else []


def _flat(lists: Any) -> list[str]:
    return [term for terms in lists for term in terms]
