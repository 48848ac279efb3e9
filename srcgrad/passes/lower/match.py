"""`match`: each case as a branch, what its pattern binds as assignments at the head of the body.

    match p:                            if isinstance(p, (list, tuple, range)) and len(p) == 2 and p[0] == 0:
        case [0, y] if y > 1: ...   ->      y = p[1]
        case _: ...                         ...
                                        else: ...

The guard of a case is part of its test, with what the pattern binds written out.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from srcgrad.lang import core, parse
from srcgrad.lang.core import Attr, Bind, Bool, Call, Compare, Cond, Const, Dict, Expr, Item, Name, Slice, Tuple
from srcgrad.passes.lower.assign import is_simple
from srcgrad.passes.lower.context import Lowering, Statements, lowers
from srcgrad.passes.lower.hoist import Refused

# classes that take their whole subject as the one positional pattern
WHOLE = ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
SEQUENCES = Tuple((Name("list"), Name("tuple"), Name("range")))


@dataclass
class _Found:
    """What a pattern asks for, in order, and what it binds; rests: dicts that it binds without these keys."""
    tests: list[Expr] = field(default_factory=list)
    binds: dict[str, Expr] = field(default_factory=dict)
    rests: dict[str, list[Expr]] = field(default_factory=dict)

    def add(self, other: _Found) -> None:
        self.tests += other.tests
        self.binds.update(other.binds)
        self.rests.update(other.rests)

    @property
    def test(self) -> Expr | None:
        """None where it matches anything."""
        if len(self.tests) < 2:
            return self.tests[0] if self.tests else None
        return Bool("and", tuple(self.tests), at=self.tests[0].at)


@lowers("Match")
def match(node: Any, low: Lowering) -> Statements:
    before, subject = low.hoisted(node.subject)
    bound = frozenset(n for case in node.cases for p in parse.nodes(case.pattern) if (n := _captured(p)) is not None)
    held, subject = _held(subject, low, bound)
    return [*before, *held, *_cases(list(node.cases), subject, low, low.at(node, node.subject))]


def _captured(pattern: Any) -> str | None:
    return getattr(pattern, "name", None) or getattr(pattern, "rest", None)


def _held(subject: Expr, low: Lowering, bound: frozenset[str]) -> tuple[Statements, Expr]:
    """The subject as something that can be read often: a name that no pattern binds, or a tuple of such."""
    if isinstance(subject, Tuple) and not any(isinstance(e, core.Star) for e in subject.items):
        parts = [_held(e, low, bound) for e in subject.items]
        return [s for stmts, _ in parts for s in stmts], Tuple(tuple(e for _, e in parts), at=subject.at)
    if is_simple(subject) and isinstance(subject, (Name, Const)) and not core.names_read(subject) & bound:
        return [], subject
    bind, name = low.temporary(subject, "subject")
    return [bind], name


def _cases(cases: list[Any], subject: Expr, low: Lowering, at: core.At | None) -> Statements:
    if not cases:
        return []
    case, *others = cases
    found = _pattern(case.pattern, subject, low)
    binds = [Bind((n,), (value,), at=low.at(case.pattern)) for n, value in found.binds.items()]
    drops = [core.Effect(Call(Attr(Name(n), "__delitem__"), (key,)), at=low.at(case.pattern))
             for n, keys in found.rests.items() for key in keys]
    body = (*binds, *drops, *low.block(case.body))
    if case.guard is not None:
        guard = low.expr(case.guard)
        if core.names_read(guard) & found.rests.keys():
            raise Refused("a guard that reads what `**` binds isn't supported", "Test it in the body.", case.guard)
        found.tests.append(core.substitute(guard, found.binds))
    test = found.test
    if test is None:
        return [*body]
    here = low.at(case, case.guard or case.pattern) or at
    return [core.If(test, body, tuple(_cases(others, subject, low, at)), at=here)]


def _pattern(node: Any, subject: Expr, low: Lowering) -> _Found:
    at = low.at(node)
    match parse.kind(node):
        case "MatchValue":
            return _Found([Compare(subject, ("==",), (low.expr(node.value),), at=at)])
        case "MatchSingleton":
            return _Found([Compare(subject, ("is",), (Const(node.value),), at=at)])
        case "MatchAs":
            found = _Found() if node.pattern is None else _pattern(node.pattern, subject, low)
            if node.name is not None:
                found.binds[node.name] = subject
            return found
        case "MatchOr":
            several = [_pattern(p, subject, low) for p in node.patterns]
            if any(f.rests for f in several):
                raise Refused("`**` in one of several patterns isn't supported", "Write a case for each.", node)
            return _alternatives(several, at)
        case "MatchSequence":
            return _sequence(node, subject, low)
        case "MatchMapping":
            return _mapping(node, subject, low)
        case "MatchClass":
            return _class(node, subject, low)
    raise Refused("this pattern isn't supported", "Use `if` and `elif`.", node)


def _alternatives(found: list[_Found], at: core.At | None) -> _Found:
    tests = [f.test for f in found]
    if any(test is None for test in tests):
        tests = tests[:next(k for k, test in enumerate(tests) if test is None)]
        found = found[:len(tests) + 1]
    given = [test for test in tests if test is not None]
    out = _Found([] if len(found) > len(given) else [Bool("or", tuple(given), at=at)])
    for name in found[0].binds:
        values = [f.binds[name] for f in found]
        out.binds[name] = reduce(lambda rest, pair: Cond(pair[0], pair[1], rest),
                                 reversed(list(zip(given, values[:-1]))), values[-1])
    return out


def _sequence(node: Any, subject: Expr, low: Lowering) -> _Found:
    at, patterns = low.at(node), list(node.patterns)
    star = next((k for k, p in enumerate(patterns) if parse.kind(p) == "MatchStar"), None)
    if isinstance(subject, Tuple):
        return _display(node, subject, star, low)
    out = _Found([_is_a(subject, SEQUENCES, at)])
    wanted = len(patterns) - (star is not None)
    out.tests.append(Compare(_length(subject), ("==" if star is None else ">=",), (Const(wanted),), at=at))
    for k, pattern in enumerate(patterns):
        behind = len(patterns) - k
        if k == star:
            if pattern.name is not None:
                upper = None if behind == 1 else Const(1 - behind)
                rest = Item(subject, Slice(Const(k) if k else None, upper), at=at)
                out.binds[pattern.name] = Call(Name("list"), (rest,), at=at)
            continue
        index = Const(k if star is None or k < star else -behind)
        out.add(_pattern(pattern, Item(subject, index, at=at), low))
    return out


def _display(node: Any, subject: Tuple, star: int | None, low: Lowering) -> _Found:
    """The subject is written as a tuple: its length is known, and its parts have names."""
    patterns, items = list(node.patterns), list(subject.items)
    if star is not None:
        rest = len(items) - len(patterns) + 1
        if rest < 0:
            return _Found([Const(False)])
        name = patterns[star].name
        kept = core.List(tuple(items[star:star + rest]), at=subject.at)
        patterns[star:star + 1], items[star:star + rest] = [], []
        out = _Found([], {} if name is None else {name: kept})
    else:
        out = _Found()
    if len(items) != len(patterns):
        return _Found([Const(False)])
    for pattern, item in zip(patterns, items):
        out.add(_pattern(pattern, item, low))
    return out


def _mapping(node: Any, subject: Expr, low: Lowering) -> _Found:
    at = low.at(node)
    out = _Found([_is_a(subject, Name("dict"), at)])
    keys = [low.expr(key) for key in node.keys]
    out.tests += [Compare(key, ("in",), (subject,), at=at) for key in keys]
    for key, pattern in zip(keys, node.patterns):
        out.add(_pattern(pattern, Item(subject, key, at=at), low))
    if node.rest is not None:
        out.binds[node.rest] = Dict((None,), (subject,), at=at)
        out.rests[node.rest] = keys
    return out


def _class(node: Any, subject: Expr, low: Lowering) -> _Found:
    at, cls = low.at(node), low.expr(node.cls)
    out = _Found([_is_a(subject, cls, at)])
    for k, pattern in enumerate(node.patterns):
        if isinstance(cls, Name) and cls.id in WHOLE:
            part = subject
        else:
            name = Item(Attr(cls, "__match_args__", at=at), Const(k), at=at)
            part = Call(Name("getattr"), (subject, name), at=at)
        out.add(_pattern(pattern, part, low))
    for name, pattern in zip(node.kwd_attrs, node.kwd_patterns):
        out.add(_pattern(pattern, Attr(subject, name, at=at), low))
    return out


def _is_a(subject: Expr, cls: Expr, at: core.At | None) -> Expr:
    return Call(Name("isinstance"), (subject, cls), at=at)


def _length(subject: Expr) -> Expr:
    return Call(Name("len"), (subject,), at=subject.at)
