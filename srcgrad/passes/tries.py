"""Makes `try` ready to be reversed: which way it went, and how far its body got where that matters.

        try: ...                        failed = False
        except E: ...           ->      try: ...
                                        except E: failed = True; ...

Where something that the body has done before the exception is read afterwards (`with_progress`), its statements are
counted.  Each becomes a branch, `if done >= 2: y[1] = f(x)`, which `passes.place` prints as the statement followed by
`done = 2`: the analyses and the reverse pass need no other notion of a statement that may not have happened.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import gast

from srcgrad.analysis.interpret.interpreter import Facts
from srcgrad.analysis.interpret.state import Abstract, Storage
from srcgrad.analysis.values import Array
from srcgrad.lang import names
from srcgrad.lang.core import (
    Attr,
    Bin,
    Bind,
    Call,
    Compare,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Jump,
    Name,
    Opaque,
    Refuse,
    Statement,
    Store,
    Try,
    Tuple,
    While,
    With,
    blocks,
    expressions,
    statements,
    walk,
    with_blocks,
)

Block = tuple[Statement, ...]


@dataclass
class Tries:
    """What is known of the tries of a function.

    ways        a `try` with handlers -> the name that says which of them ran
    covered     a `try` -> names that are kept before it, and put back after its reverse
    counted     tries whose bodies count their finished statements
    steps       a branch that stands for a statement of such a body -> the counter, and the count when it is finished
                (None: the statement counts itself)
    starts      statements that start a count or say that no handler ran
    whole       branches that hold whole loops or branches which nobody can see the midst of
    resets      the start of a counter in a loop -> its last count, which it has at the end of each earlier iteration
    """
    ways: dict[Statement, str] = field(default_factory=dict)
    covered: dict[Statement, frozenset[str]] = field(default_factory=dict)
    counted: set[Statement] = field(default_factory=set)
    steps: dict[Statement, tuple[str, int | None]] = field(default_factory=dict)
    starts: set[Statement] = field(default_factory=set)
    whole: set[Statement] = field(default_factory=set)
    resets: dict[Statement, int] = field(default_factory=dict)

    @property
    def counters(self) -> frozenset[str]:
        """The names that count finished statements."""
        return frozenset(name for name, _ in self.steps.values())


def with_ways(stmt: Try, fresh: Callable[[str], str]) -> tuple[list[Bind], Try, str | None]:
    """The `try` with a note of which handler ran, and its name."""
    if not stmt.handlers:
        return [], stmt, None
    several = len(stmt.handlers) > 1
    way = fresh("handler" if several else "failed")
    handlers = tuple((e, n, (Bind((way,), (Const(k + 1 if several else True),), at=stmt.at), *b))
                     for k, (e, n, b) in enumerate(stmt.handlers))
    return [Bind((way,), (Const(0 if several else False),), at=stmt.at)], replace(stmt, handlers=handlers), way


# ---------------------------------------------------------------- what an exception leaves behind

class Visible:
    """Whether statements of a body do what is read where its exceptions arrive."""

    def __init__(self, stmt: Try, facts: Facts) -> None:
        self.facts, self.inside = facts, set(statements(stmt.body))
        self.live = facts.live.caught.get(stmt, frozenset())

    def __call__(self, stmt: Statement) -> bool:
        if stmt not in self.facts.before:
            return False
        after = self.facts.after.get(stmt, {})
        if any(n in self.live and n in after and after[n].active for n in names.bound_by(stmt)):
            return True
        return any(not self._is_inside(storage) for item in self._changed(stmt) for storage in _storages(item))

    def leaves_half_done(self, stmt: Statement) -> bool:
        """Whether it calls a function that writes into what is read afterwards, and may raise in the midst of that."""
        if stmt not in self.facts.before:
            return False
        items = (self.facts.kind(stmt, a) for top in expressions(stmt) for e in walk(top)
                 if isinstance(e, Call) and (stmt, id(e)) in self.facts.callees for a in e.args)
        return any(_is_written(self.facts, item) and not all(map(self._is_inside, _storages(item))) for item in items)

    def _is_inside(self, storage: Storage) -> bool:
        return any(storage.born_at(s) for s in self.inside)

    def _changed(self, stmt: Statement) -> Iterator[Abstract]:
        """What the statement may write into."""
        kind = self.facts.kind
        match stmt:
            case Store(Item(owner, _) | Attr(owner, _)):
                yield kind(stmt, owner)
                yield from ([kind(stmt, stmt.place)] if stmt.op is not None else ())
            case Store(Name() as name):
                yield kind(stmt, name)
        for top in expressions(stmt):
            for e in walk(top):
                match e:
                    case Call(Attr(owner, _)) if not isinstance(self.facts.value(stmt, owner), Array):
                        yield kind(stmt, owner)
                if isinstance(e, Call) and (stmt, id(e)) in self.facts.callees:
                    yield from (item for a in e.args if _is_written(self.facts, item := kind(stmt, a)))


def _storages(item: Abstract) -> Iterator[Storage]:
    for ref in item.refs:
        yield ref.storage
    for part in item.items or ():
        yield from _storages(part)


def _is_written(facts: Facts, item: Abstract) -> bool:
    return any(facts.written(s) for s in _storages(item))


def needs_progress(stmt: Try, visible: Visible) -> bool:
    """Whether an exception may come when something visible has been done: not if that is the last thing to fail."""
    body = list(stmt.body)
    while body and not may_raise(body[-1]):
        body.pop()
    if body and not blocks(body[-1]):
        body.pop()
    return bool(stmt.handlers) and any(map(visible, statements(tuple(body))))


# ---------------------------------------------------------------- counting

class Progress:
    """Puts the statements of a body under counters."""

    def __init__(self, tries: Tries, counters: dict[Statement, str], fresh: Callable[[str], str],
                 visible: set[int], bindings: Mapping[str, int]) -> None:
        self.tries, self.counters, self.fresh = tries, counters, fresh
        self.visible, self.bindings = visible, bindings
        self.merged: set[str] = set()
        self.restarted: set[str] = set()        # counters in loops, which are as the last time's exception left them

    def block(self, block: Block, in_loop: bool) -> tuple[list[Statement], Block]:
        """What must run before the block may raise, and the block."""
        done = self.fresh("done")
        # a zero that the analyses don't take for one
        start = Bind((done,), (Opaque(gast.Constant(0, None), ()),))
        self.tries.starts.add(start)
        first: list[Statement] = [start]
        out: list[Statement] = []
        group: list[Statement] = []
        count, ended = 0, False

        def close() -> None:
            nonlocal count, ended
            if group:
                count += 1
                out.append(self._step(done, count, tuple(group), count))
                group.clear()
            ended = False

        for position, stmt in enumerate(block):
            if self._is_start(stmt):
                first.append(stmt)
            elif blocks(stmt) and self._merges(stmt, in_loop):
                if ended:
                    close()
                group.append(stmt)
            elif blocks(stmt):
                close()
                before, whole = self._compound(stmt, in_loop)
                first += before
                out.append(self._step(done, count, (whole,), None) if count else whole)
                if position + 1 < len(block):
                    count += 1
                    out.append(self._step(done, count, (), count))
            elif isinstance(stmt, (Jump, Refuse)):
                close()
                out.append(stmt)
            else:
                if ended and may_raise(stmt):
                    close()
                group.append(stmt)
                ended = ended or not self._merges(stmt, in_loop)
        close()
        if in_loop:
            self.tries.resets[start] = count
            self.restarted.add(done)
        return first if count else first[1:], tuple(out)

    def _step(self, done: str, count: int, block: Block, finished: int | None) -> If:
        branch = If(Compare(Name(done), (">=",), (Const(count),)), block)
        self.tries.steps[branch] = done, finished
        if finished is not None and any(map(blocks, block)):
            self.tries.whole.add(branch)
        return branch

    def _is_start(self, stmt: Statement) -> bool:
        """Whether it starts a counter of iterations."""
        return stmt in self.tries.starts or isinstance(stmt, Bind) and stmt.values == (Const(0),) \
            and stmt.names[0] in self.counters.values()

    def _merges(self, stmt: Statement, in_loop: bool) -> bool:
        """Whether nobody can tell that the statement happened if the next one didn't."""
        inside = list(statements((stmt,)))
        if in_loop or isinstance(stmt, (Store, Effect)) or any(
                id(s) in self.visible or isinstance(s, (Try, With)) for s in inside):
            return False
        own = Counter(n for s in inside for n in names.bound_by(s))
        if any(self.bindings.get(n, count) != count for n, count in own.items()):
            return False
        self.merged.update(own)
        return True

    def _compound(self, stmt: Statement, in_loop: bool) -> tuple[list[Statement], Statement]:
        match stmt:
            case If(_, body, orelse):
                parts = [self.block(b, in_loop) for b in (body, orelse)]
                return [], with_blocks(stmt, tuple((*first, *inner) for first, inner in parts))
            case For() | While():
                return self._loop(stmt)
            case With():
                first, inner = self.block(stmt.body, in_loop)
                return first, replace(stmt, body=inner)
        assert isinstance(stmt, Try)
        return self._try(stmt, in_loop)

    def _try(self, stmt: Try, in_loop: bool) -> tuple[list[Statement], Statement]:
        """A `try` inside: any of its blocks may be left by an exception that it doesn't catch."""
        way, covered = self.tries.ways.pop(stmt, None), self.tries.covered.pop(stmt, frozenset())
        first: list[Statement] = []

        def counted(block: Block, bare: int = 0) -> Block:
            before, inner = self.block(block[bare:], in_loop)
            first.extend(before)
            return *block[:bare], *inner
        known = stmt in self.tries.counted
        body = stmt.body if known else counted(stmt.body)
        handlers = tuple((e, n, counted(b, bare=1)) for e, n, b in stmt.handlers)
        whole = Try(body, handlers, counted(stmt.orelse), counted(stmt.final), at=stmt.at)
        if way is not None:
            self.tries.ways[whole], self.tries.covered[whole] = way, covered if known else frozenset()
        self.tries.counted.add(whole)
        return first, whole

    def _loop(self, stmt: For | While) -> tuple[list[Statement], Statement]:
        counter = self.counters.pop(stmt, None)
        body, head = stmt.body, stmt.body[:1]
        before: list[Statement] = []
        if counter is None:
            counter = self.fresh("n")
            before = [Bind((counter,), (Const(0),), at=stmt.at)]
            head = (Bind((counter,), (Bin("+", Name(counter), Const(1)),), at=stmt.at),)
        else:
            body = body[1:]
        first, inner = self.block(body, True)
        whole = replace(stmt, body=(*head, *first, *inner))
        self.counters[whole] = counter
        return before, whole


def may_raise(stmt: Statement) -> bool:
    """Whether the statement does more than give names to what is there."""
    return not (isinstance(stmt, Bind) and all(_is_there(v) for v in stmt.values))


def _is_there(expr: Expr) -> bool:
    return isinstance(expr, (Name, Const)) or isinstance(expr, Tuple) and all(map(_is_there, expr.items))
