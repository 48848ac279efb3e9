"""Puts the bodies of the user's own functions where they are called.

        y = f(x * 2)                t = x * 2
                            ->      y_1 = t + 1        the body of f, its locals renamed
                                    y = y_1

What a call's arguments alias is then exact, and the derivative reads as one function.  Recursive functions and large
ones stay calls.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.values import PENDING
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bind,
    Cond,
    Const,
    Effect,
    Expr,
    For,
    Function,
    If,
    Item,
    Jump,
    Name,
    Return,
    Statement,
    Store,
    Try,
    Tuple,
    Unpack,
    While,
    With,
    blocks,
    expressions,
    names_read,
    statements,
    with_blocks,
)
from srcgrad.passes.cursors import advanced
from srcgrad.passes.descent import Descent, Recursive
from srcgrad.passes.generators import in_place, refused
from srcgrad.passes.guesses import WrongGuess, confirmed
from srcgrad.passes.handed import handed_over
from srcgrad.passes.hoist import Hoister, Maker
from srcgrad.passes.kept_iterators import kept_as_objects
from srcgrad.passes.lower.jumps import breaks
from srcgrad.passes.moving import moved
from srcgrad.passes.outer_names import with_own_names
from srcgrad.passes.placeable import Kept
from srcgrad.passes.producers import generator_of, matters
from srcgrad.passes.rename import rename_statement
from srcgrad.passes.scatter import scattered
from srcgrad.passes.unit import Unit
from srcgrad.passes.unroll import is_uneven, written_out

MOST_ROUNDS = 60
MOST_STATEMENTS = 5000


def inline(unit: Unit, facts: Facts, kept: Kept, generators: bool = False) -> Unit | None:
    """The function with the calls that were found put in place, or None if there are none; `kept` stay calls.

    With `generators`, those that loops run over are put in place too: it may turn out first that they are sequences.
    """
    work = Inliner(unit, facts, kept, generators)
    body = work.block(unit.code.body)
    return with_own_names(unit, body, work.bound_outside) if work.changed else None


def inline_all(unit: Unit, facts_of: Callable[[Unit, bool], Facts], kept: Kept) -> tuple[Unit, Facts]:
    """The function with callees put in place, those of callees too, and what is known of it then.

    Functions that turn out to be recursive are added to `kept`.
    """
    while True:
        try:
            return _inline_all(unit, facts_of, kept)
        except WrongGuess as wrong:
            kept.wrong_guesses.add(wrong.at)
        except Recursive as found:
            # a function made inside is known by its place: each attempt makes it anew
            code = found.code.code.at if isinstance(found.code, Function) else found.code
            if not kept.add(code):
                raise UnsupportedError("a function that calls itself is used in a way that isn't supported",
                                       unit.code.at, "Call it by its name.") from None


def _inline_all(unit: Unit, facts_of: Callable[[Unit, bool], Facts], kept: Kept) -> tuple[Unit, Facts]:
    facts = facts_of(unit, False)
    for _ in range(MOST_ROUNDS):
        new = inline(unit, facts, kept) or moved(unit, facts) \
            or advanced(unit, facts) and inline(unit, facts, kept) \
            or inline(unit, facts, kept, generators=True) \
            or kept_as_objects(unit, facts) and inline(unit, facts, kept) or refused(unit, facts) \
            or not facts.evaluator.pending and (
                confirmed(unit, facts, kept.wrong_guesses) or handed_over(unit) or scattered(unit))
        if not new and facts.evaluator.pending and not facts.optimistic:
            # all wait for each other, round a loop, say
            facts = facts_of(unit, True)
        elif not new and facts.evaluator.pending and facts.heap.stuck:
            raise Recursive(next(iter(facts.heap.stuck)))
        elif not new:
            check_settled(facts)
            return unit, facts
        elif sum(1 for _ in statements(new.code.body)) > MOST_STATEMENTS:
            break
        else:
            unit, facts = new, facts_of(new, False)
    for chain in unit.chains.values():
        for entry in chain:
            if isinstance(entry, Descent) and entry.code not in kept:
                raise Recursive(entry.code)
    raise UnsupportedError("the calls in this function lead too deep into each other", unit.code.at,
                           "Call fewer functions of your own inside each other.")


def check_settled(facts: Facts) -> None:
    """Raises where something was to be put in place and wasn't."""
    if facts.evaluator.pending:
        for (stmt, _), item in facts.kinds.items():
            if item.value == PENDING and stmt in facts.before:
                raise UnsupportedError("it isn't known what this is, so it can't be differentiated", stmt.at,
                                       "Call a function by its name, or pass the result as an argument.")


class Inliner(Hoister):
    def __init__(self, unit: Unit, facts: Facts, kept: Kept, generators: bool = False) -> None:
        super().__init__(unit, facts, kept)
        self.generators = generators

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for stmt in block:
            out.extend(self.statement(stmt))
        return tuple(out)

    def statement(self, stmt: Statement) -> list[Statement]:
        """What takes the place of a statement; all of it has been put in place by the same calls."""
        site, self.site = self.site, stmt
        around, self.around = self.around, self.around + self.unit.chains.get(stmt, ())
        self.loops += isinstance(stmt, (For, While))
        out = self._statement(stmt)
        self.loops -= isinstance(stmt, (For, While))
        self.site, self.around = site, around
        chain = self.unit.chains.get(stmt, ())
        if chain:
            for new in statements(tuple(out)):
                self.unit.chains.setdefault(new, chain)
        return out

    def _statement(self, stmt: Statement) -> list[Statement]:
        if stmt in self.facts.rewritten:
            self.changed = True
            self.unit.fresh.reserve(names.bound(self.facts.rewritten[stmt]))
            return [new for part in self.facts.rewritten[stmt] for new in self.statement(part)]
        replacement = self.facts.replacements.get(stmt)
        if replacement is not None:
            self.changed = True
            made: list[Statement] = []
            made.extend(replacement(Maker(self, made)))
            return made
        if isinstance(stmt, For) and not self.calls(stmt) and is_uneven(self.facts, stmt):
            return written_out(self, stmt)
        inner = blocks(stmt)
        self.guarded += isinstance(stmt, (Try, With))
        whole = with_blocks(stmt, tuple(self.block(b) for b in inner)) if inner else stmt
        self.guarded -= isinstance(stmt, (Try, With))
        if not self.calls(stmt):
            if self.generators and isinstance(stmt, For) and isinstance(whole, For) \
                    and generator_of(self.facts, stmt, stmt.iter) \
                    and (stmt.managed or stmt.result is not None or matters(self.facts, stmt)):
                return in_place(self, stmt, whole)
            return [whole]
        if isinstance(stmt, While) and isinstance(whole, While):
            return self._while(stmt, whole)
        before: list[Statement] = []
        parts = expressions(stmt)
        if isinstance(stmt, Store) and stmt.op is not None:
            return self._updated(stmt, before)
        if isinstance(stmt, Store):                             # what is stored is evaluated first
            values = tuple(reversed(self.hoist_each(stmt, reversed(parts), before)))
        else:
            values = tuple(self.hoist_each(stmt, parts, before))
        return self._under_one_name([*before, *self._again(whole, values)])

    def _under_one_name(self, out: list[Statement]) -> list[Statement]:
        """`values = []; ...; rows = values` of something that has no name of the user's, as `rows = []; ...`."""
        before, last = out[:-1], out[-1] if out else None
        if not isinstance(last, Bind) or len(last.names) > 1 or self.guarded:
            return out
        name, value = last.names[0], last.values[0]
        if not isinstance(value, Name) or value.id not in self.results or name in names.captured(self.unit.code.body):
            return out
        inner = tuple(statements(tuple(before)))
        used = names.bound(inner).union(*(names_read(e) for s in inner for e in expressions(s)))
        if name in used or value.id not in names.bound(inner):
            return out
        renamed = [rename_statement(s, {value.id: Name(name)}) for s in before]
        for old, new in zip(inner, statements(tuple(renamed)), strict=True):
            self.unit.keep_chain((new,), old)
        return renamed

    def _updated(self, stmt: Store, before: list[Statement]) -> list[Statement]:
        """place += f(x)    ->      t = place; r = ...; t += r; place = t       where f may change the place"""
        place = self.hoist(stmt, stmt.place, before)
        end = len(before)
        value = self.hoist(stmt, stmt.value, before)
        if not isinstance(place, Name):
            parts, after = [place, value], len(before)
            self._keep_names(parts, [end, after], before)
            place, end = parts[0], end + len(before) - after
        if not isinstance(place, (Name, Attr, Item)) or not self.may_change(before[end:], place):
            return [*before, *self._store(stmt, place, value)]
        old = self.made(names.root_name(place))
        before.insert(end, Bind((old,), (place,), at=stmt.at))
        back = Bind((place.id,), (Name(old),), at=stmt.at) if isinstance(place, Name) \
            else Store(place, None, Name(old), at=stmt.at)
        return [*before, replace(stmt, place=Name(old), value=value), back]

    def _store(self, stmt: Store, place: Expr, value: Expr) -> list[Statement]:
        """A store to one of several places, which a test tells apart, is an `if`."""
        if isinstance(place, Cond):
            before: list[Statement] = []
            held = value if isinstance(value, (Name, Const)) else self.name(value, before)
            ways = (tuple(self._store(stmt, way, held)) for way in (place.body, place.orelse))
            return [*before, If(place.test, *ways, at=stmt.at)]
        if not isinstance(place, (Attr, Item, Name)):
            raise UnsupportedError("it isn't known what is written to here", stmt.at,
                                   "Tell the classes of the objects apart by isinstance before.")
        return [replace(stmt, place=place, value=value)]

    def _again(self, stmt: Statement, values: tuple[Expr, ...]) -> list[Statement]:
        match stmt:
            case Effect(_) if isinstance(values[0], (Name, Const, Tuple)):
                return []
            case Bind():
                return [replace(stmt, values=values)]
            case Store():
                return self._store(stmt, values[0], values[1])
            case If():
                return [replace(stmt, test=values[0])]
            case For():
                return [replace(stmt, iter=values[0])]
            case With(items, _):
                return [replace(stmt, items=tuple((e, n) for e, (_, n) in zip(values, items)))]
            case Jump():
                return [replace(stmt, value=values[0])]
            case Unpack() | Effect() | Return():
                return [replace(stmt, value=values[0])]
        return [stmt]

    def _while(self, stmt: While, whole: While) -> list[Statement]:
        """while f(x): ...   ->   t = f(x); while t: ...; t = f(x)     where nothing leaves the loop"""
        first: list[Statement] = []
        value = self.hoist(stmt, stmt.test, first)
        match first:
            case [Bind((name,), (only,))] if value == Name(name):
                return [replace(whole, test=only)]
            case []:
                return [replace(whole, test=value)]
        if breaks(stmt.body):
            leave = (Jump("break", at=stmt.at),)
            return [While(Const(True), (*first, If(value, whole.body, leave, at=stmt.at)), at=stmt.at)]
        test = self.made("test")
        first.append(Bind((test,), (value,), at=stmt.at))
        again: list[Statement] = []
        value = self.hoist(stmt, stmt.test, again)
        again.append(Bind((test,), (value,), at=stmt.at))
        return [*first, replace(whole, test=Name(test), body=(*whole.body, *again))]
