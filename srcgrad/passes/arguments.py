"""Binds the arguments of a call to the parameters of a function that is put in place, as Python does."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.interpret import containers
from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract
from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import DictOf, TupleOf, Value, first_length
from srcgrad.lang.core import (
    Attr,
    Bin,
    Call,
    Code,
    Compare,
    Cond,
    Const,
    Dict,
    Expr,
    If,
    Item,
    List,
    Name,
    Refuse,
    Slice,
    Star,
    Statement,
    Tuple,
    Unary,
    Unpack,
)
from srcgrad.lang.source import Found
from srcgrad.library.registry import is_library
from srcgrad.passes.unit import own_names


@dataclass
class Callee:
    """A function that can be put in place: its code, what its outer names mean, what is bound already.

    own: the local names that the user wrote.  key: what tells it from other functions.  library: it is the plain form
    of a function that the user called.
    """
    code: Code
    outer: Callable[[str], Outer | None]
    bound: tuple[Any, ...] = ()
    bound_kwargs: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    method: bool = False
    own: frozenset[str] | None = None
    key: Any = None
    library: bool = False
    constants: dict[str, Outer] = field(default_factory=dict)

    def constant(self, obj: Any) -> Expr:
        """An object that is bound already, or a default: a literal, or a name that means just this object."""
        if obj is None or type(obj) in (bool, int, float, complex, str):
            return Const(obj)
        name = f"value_{len(self.constants)}"
        self.constants[name] = Outer(name, {name: obj})
        return Name(name)


@dataclass
class Given:
    """The arguments of a call, after `*` and `**` have been spread: `rest` is a sequence of unknown length that comes
    after the positional ones, `more` a dict whose keys aren't known."""
    positional: list[Expr]
    named: dict[str, Expr]
    rest: Expr | None = None
    more: Expr | None = None
    asked: list[tuple[str, bool]] = field(default_factory=list)     # what `more` was asked for; whether it must have it


class Binder:
    """Binds the arguments of one call."""

    def __init__(self, facts: Facts, stmt: Statement, name: Callable[[Expr], Expr], made: Callable[[str], str],
                 before: list[Statement]) -> None:
        self.facts, self.stmt, self.name, self.made, self.before = facts, stmt, name, made, before

    def bind(self, callee: Callee, first: tuple[Expr, ...], call: Call, old: Call) -> dict[str, Expr] | Refuse:
        """Parameter -> argument; `old` is the call as the facts know it, before parts of it got names."""
        given = self._spread(callee, first, call, old)
        return given if isinstance(given, Refuse) else self._bound(callee, given, call)

    # ------------------------------------------------------------ spreading

    def _spread(self, callee: Callee, first: tuple[Expr, ...], call: Call, old: Call) -> Given | Refuse:
        given = Given([*(callee.constant(b) for b in callee.bound), *first],
                      {k: callee.constant(v) for k, v in callee.bound_kwargs.items()})
        for arg, known in zip(call.args, old.args):
            if isinstance(arg, Star) and isinstance(known, Star):
                self._spread_star(given, arg.value, self.facts.kind(self.stmt, known.value))
            else:
                _add(given, [arg])
        for (key, arg), (_, known) in zip(call.kwargs, old.kwargs):
            if key is not None:
                given.named[key] = arg
            elif not self._spread_keys(given, arg, self.facts.kind(self.stmt, known)):
                return _refuse("`**` of what isn't a dict with known keys", call)
        return given

    def _spread_star(self, given: Given, value: Expr, item: Abstract) -> None:
        if isinstance(value, (Tuple, List)) and not any(isinstance(e, Star) for e in value.items):
            _add(given, value.items)
            return
        kind = self.facts.value_of(item)
        if item.items is not None and isinstance(kind, TupleOf):
            if item.items:
                held = value if isinstance(value, Name) else self.name(value)
                _add(given, [Item(held, Const(k)) for k in range(len(item.items))])
            return
        if given.rest is None and (length := self._length(kind)) is not None:
            held = value if isinstance(value, Name) else self.name(value)
            _add(given, [Item(held, Const(k)) for k in range(length)])
            return
        given.rest = value if given.rest is None else List((Star(given.rest), Star(value)))

    def _length(self, kind: Value) -> int | None:
        """The length of an array, where the interpreter has taken it for granted."""
        form = first_length(kind)
        if form is None or form.constant is not None:
            return None if form is None else form.constant
        size = self.facts.evaluator.size(form)
        return size if ("is", form, size) in self.facts.guards else None

    def _spread_keys(self, given: Given, value: Expr, item: Abstract) -> bool:
        if isinstance(value, Dict) and all(isinstance(k, Const) for k in value.keys):
            given.named.update({k.value: v for k, v in zip(value.keys, value.values) if isinstance(k, Const)})
            return True
        if not isinstance(self.facts.value_of(item), DictOf):
            return False
        if containers.keys(item):
            given.more = value
        return True

    # ------------------------------------------------------------ binding

    def _bound(self, callee: Callee, given: Given, call: Call) -> dict[str, Expr] | Refuse:
        bound: dict[str, Expr] = {}
        positional, named = list(given.positional), dict(given.named)
        if given.rest is not None:
            self._take_apart(callee, given, positional, named, call)
        rest = given.rest if any(p.kind == "varargs" for p in callee.code.params) else None
        varkw = any(p.kind == "varkw" for p in callee.code.params)
        for param in callee.code.params:
            if param.kind in ("positional", "normal") and positional:
                bound[param.name] = positional.pop(0)
            elif param.kind == "varargs":
                bound[param.name] = _rest(positional, rest)
                positional = []
            elif param.kind == "varkw":
                keys: tuple[Expr | None, ...] = tuple(map(Const, named))
                values = tuple(named.values())
                more = () if given.more is None else (given.more,)
                bound[param.name] = Dict((*(None for _ in more), *keys), (*more, *values))
                named, given.more = {}, None
            elif param.name in named and param.kind != "positional":
                bound[param.name] = named.pop(param.name)
            elif given.more is not None and not varkw and param.kind != "positional":
                bound[param.name] = self._looked_up(callee, param, given, call)
            else:
                default = _default(callee, param, call)
                if isinstance(default, Refuse):
                    return default
                bound[param.name] = default
        if positional or named:
            return Refuse(f"`{callee.code.name}` is called with arguments that it doesn't take", "check the call",
                          at=call.at)
        if given.more is not None and not varkw:
            self.before.append(_no_more(given, call))
        return bound

    def _looked_up(self, callee: Callee, param: Any, given: Given, call: Call) -> Expr:
        """The argument that a dict whose keys aren't known gives the parameter, if it has that key."""
        assert given.more is not None
        given.more = owner = given.more if isinstance(given.more, Name) else self.name(given.more)
        key = Const(param.name)
        found, default = Item(owner, key, at=call.at), _default(callee, param, call)
        given.asked.append((param.name, isinstance(default, Refuse)))
        if isinstance(default, Refuse):
            return found
        return Cond(Compare(key, ("in",), (owner,)), found, default, at=call.at)

    def _take_apart(self, callee: Callee, given: Given, positional: list[Expr], named: Mapping[str, Expr],
                    call: Call) -> None:
        """A sequence of unknown length gives every parameter that is left its argument (or fails, as the call does);
        those with a default as far as it reaches; and `*rest` what comes then."""
        params = [p for p in callee.code.params if p.kind in ("positional", "normal")][len(positional):]
        params = [p for p in params if p.name not in named]
        more = any(p.kind == "varargs" for p in callee.code.params)
        if more and not params:
            return
        assert given.rest is not None
        defaults = [d for p in params if not isinstance(d := _default(callee, p, call), Refuse)]
        needed = len(params) - len(defaults)
        if not defaults and not more:
            names = tuple(self.made(p.name) for p in params)
            self.before.append(Unpack(names, given.rest, at=given.rest.at))
            positional.extend(map(Name, names))
            return
        held = given.rest if isinstance(given.rest, Name) else self.name(given.rest)
        at = given.rest.at
        length = Call(Name("len"), (held,), at=at)
        fits = Compare(Const(needed), ("<=",), (length,), at=at) if more else \
            Compare(Const(needed), ("<=", "<="), (length, Const(len(params))), at=at)
        stop = Refuse("this sequence gives fewer or more arguments than the function takes", "check the call",
                      at=call.at)
        self.before.append(If(Unary("not", fits), (stop,), at=at))
        positional.extend(Item(held, Const(k), at=at) for k in range(needed))
        positional.extend(Cond(Compare(length, (">",), (Const(k),)), Item(held, Const(k), at=at), default)
                          for k, default in enumerate(defaults, needed))
        given.rest = Item(held, Slice(Const(len(params))), at=at)


def _add(given: Given, items: Sequence[Expr]) -> None:
    if given.rest is None:
        given.positional.extend(items)
    elif items:
        given.rest = List((Star(given.rest), *items))


def _rest(positional: list[Expr], rest: Expr | None) -> Expr:
    if rest is None:
        return Tuple(tuple(positional))
    return List((*positional, Star(rest, at=rest.at)), at=rest.at) if positional else rest


def _default(callee: Callee, param: Any, call: Call) -> Expr | Refuse:
    if param.name in callee.defaults:
        return callee.constant(callee.defaults[param.name])
    if isinstance(param.default, (Const, Name, Attr)):
        # a name that only means the default: lowering gave it
        return param.default
    if param.default is not None:
        return Refuse(f"the default value of `{param.name}` is computed where the function is made", "pass it",
                      at=call.at)
    return Refuse(f"`{callee.code.name}` is called without its argument `{param.name}`", "pass it", at=call.at)


def _no_more(given: Given, call: Call) -> Statement:
    """Stops where the dict has keys that the function doesn't take."""
    assert given.more is not None
    taken: Expr = Const(sum(must for _, must in given.asked))
    for name, must in given.asked:
        if not must:
            taken = Bin("+", taken, Compare(Const(name), ("in",), (given.more,)))
    other = Compare(Call(Name("len"), (given.more,), at=call.at), ("!=",), (taken,), at=call.at)
    stop = Refuse("this dict gives arguments that the function doesn't take", "check the call", at=call.at)
    return If(other, (stop,), at=call.at)


def _refuse(what: str, call: Call) -> Refuse:
    return Refuse(f"{what} in a call isn't supported", "name the arguments one by one", at=call.at)


def callee_from(found: Found, code: Code, receiver: bool) -> Callee:
    """A function of the program as a callee, with this code."""
    cells = tuple(found.cells.items())
    defaults = {p.name: p.default for p in found.signature.parameters.values() if p.default is not p.empty}
    return Callee(code, lambda name: Outer(name, found.globals, cells), found.bound, found.bound_kwargs, defaults,
                   receiver, own_names(found), found.function.__code__, is_library(found.function))
