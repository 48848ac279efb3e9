"""Put temporaries that are read once back into the expression that reads them, and sums into one line."""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from srcgrad.lang import core
from srcgrad.lang.core import Bin, Bind, Comment, Const, Expr, If, Name, Return, Statement, Store, While
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.copies import map_expressions
from srcgrad.passes.optimize.dead import drop_idle_comments
from srcgrad.passes.optimize.effects import (
    Block,
    Effects,
    Key,
    Keys,
    argument_writes,
    arguments,
    captured,
    hazard,
    header_writes,
    reads,
    statement_reads,
    written,
)
from srcgrad.passes.optimize.width import statement_columns


def nest(block: Block, effects: Effects, temporaries: frozenset[str], width: int = 100,
         marks: frozenset[str] = frozenset()) -> Block:
    """The block with temporaries that are bound once and read once put into their readers.

    A value moves down to its reader, through `if` but not into a loop, when nothing on the way writes what it
    reads.  The reader's line stays within `width`, unless the user's own statement was that long.  Nothing moves past
    a binding of a name in `marks`: these say how far the program got.  ::

        t1 = X @ w
        t2 = -t1              ->    p = np.exp(-(X @ w))
        p = np.exp(t2)
    """
    walk = _Walk(effects, width, _read_once(block, temporaries - captured(block)), marks)
    left = walk.block(block, None, 1)
    return drop_idle_comments(_returned(left, temporaries - captured(left), width, 1))


# ---------------------------------------------------------------- who is read once

def _read_once(block: Block, temporaries: frozenset[str]) -> frozenset[Statement]:
    """The Binds whose value is read exactly once, later in the same block or in the blocks inside."""
    uses = _Uses(temporaries)
    uses.block(block)
    owned: Counter[str] = Counter()
    for stmt, number in uses.owned.items():
        owned[stmt.names[0]] += number
    return frozenset(stmt for stmt, number in uses.owned.items() if number == 1
                     and stmt.names[0] not in uses.spoiled and owned[stmt.names[0]] == uses.total[stmt.names[0]])


@dataclass
class _Uses:
    temporaries: frozenset[str]
    total: Counter[str] = field(default_factory=Counter)
    owned: dict[Bind, int] = field(default_factory=dict)  # reads that can only see this binding
    spoiled: set[str] = field(default_factory=set)  # bound in a way that leaves open which binding a read sees

    def block(self, block: Block) -> tuple[Counter[str], set[str]]:
        """How often each temporary is read in the block, and which it binds."""
        found: Counter[str] = Counter()
        bound: set[str] = set()
        current: dict[str, Bind] = {}
        for stmt in block:
            read = Counter(node.id for expr in core.expressions(stmt) for node in core.walk(expr)
                           if isinstance(node, Name) and node.id in self.temporaries)
            self.total += read
            for inside, own in map(self.block, core.blocks(stmt)):
                read += inside
                bound |= own
                self.spoiled |= own & current.keys()
            for name in read.keys() & current.keys():
                self.owned[current[name]] += read[name]
            found += read
            bound |= self._bind(stmt, current)
        return found, bound

    def _bind(self, stmt: Statement, current: dict[str, Bind]) -> set[str]:
        names = self.temporaries.intersection(bound_by(stmt))
        if isinstance(stmt, Bind) and len(stmt.names) == 1 and names:
            current[stmt.names[0]] = stmt
            self.owned[stmt] = 0
        else:
            self.spoiled |= names
        return set(names)


# ---------------------------------------------------------------- the walk

@dataclass
class _Waiting:
    """A value on its way to its reader."""
    name: str
    value: Expr
    keys: Keys
    since: int
    pure: bool
    taken: bool = False


@dataclass
class _Scope:
    """A block that is being walked: what waits there, and when each key was last written since it began."""
    outer: _Scope | None
    waiting: dict[str, _Waiting] = field(default_factory=dict)
    last: dict[Key, int] = field(default_factory=dict)


@dataclass
class _Walk:
    effects: Effects
    width: int
    once: frozenset[Statement]
    marks: frozenset[str] = frozenset()
    clock: int = 0

    def block(self, block: Block, scope: _Scope | None, depth: int) -> Block:
        """`scope` is where the block may take values from; what it writes is recorded there, too."""
        mine = _Scope(scope)
        out: list[tuple[Statement, _Waiting | None]] = []
        for stmt in block:
            if isinstance(stmt, Comment):
                out.append((stmt, None))
                continue
            self.clock += 1
            single = stmt in self.once
            if not self.marks.isdisjoint(bound_by(stmt)):
                mine.waiting.clear()
            stmt = self.statement(stmt, mine, depth)
            for name in bound_by(stmt):
                mine.waiting.pop(name, None)
            mine.last.update(dict.fromkeys(header_writes(stmt, self.effects), self.clock))
            out.append((stmt, self._await(stmt, mine) if single and isinstance(stmt, Bind) else None))
        if scope is not None:
            scope.last.update(mine.last)
        return tuple(stmt for stmt, waiting in out if waiting is None or not waiting.taken)

    def _await(self, stmt: Bind, scope: _Scope) -> _Waiting:
        value, name = stmt.values[0], stmt.names[0]
        waiting = _Waiting(name, value, reads(value, self.effects), self.clock, self.effects.pure(value))
        scope.waiting[name] = waiting
        return waiting

    def statement(self, stmt: Statement, scope: _Scope, depth: int) -> Statement:
        if not isinstance(stmt, While):  # its test is evaluated again each turn
            stmt = self._header(stmt, scope, depth)
        inside = core.blocks(stmt)
        if not inside:
            return stmt
        changed: list[Block] = []
        written_inside: set[Key] = set()
        for block in inside:
            inner = _Scope(scope if isinstance(stmt, If) else None)
            changed.append(self.block(block, inner, depth + 1))
            written_inside.update(inner.last)
        scope.last.update(dict.fromkeys(written_inside, self.clock))
        return core.with_blocks(stmt, tuple(changed))

    def _header(self, stmt: Statement, scope: _Scope, depth: int) -> Statement:
        names = dict.fromkeys(node.id for expr in core.expressions(stmt) for node in core.walk(expr)
                              if isinstance(node, Name))
        for name in names:
            waiting = self._find(name, scope)
            if waiting is not None:
                stmt = self._take(stmt, waiting, depth)
        return stmt

    def _find(self, name: str, scope: _Scope | None) -> _Waiting | None:
        """What waits under the name, if it still has the value that it would have here."""
        outer: list[_Scope] = []
        while scope is not None:
            outer.append(scope)
            if name in scope.waiting:
                waiting = scope.waiting[name]
                adjacent = len(outer) == 1 and waiting.since == self.clock - 1
                fresh = all(s.last.get(key, 0) <= waiting.since for s in outer for key in waiting.keys)
                return waiting if (fresh if waiting.pure else adjacent) else None
            scope = scope.outer
        return None

    def _take(self, stmt: Statement, waiting: _Waiting, depth: int) -> Statement:
        if hazard(waiting.keys, argument_writes(stmt, self.effects)):
            return stmt
        if not waiting.pure and not self._may_come_later(stmt, waiting):
            return stmt
        changed = _with_value(stmt, waiting)
        if changed is None or not self._fits(stmt, changed, waiting, depth):
            return stmt
        waiting.taken = True
        return changed

    def _may_come_later(self, stmt: Statement, waiting: _Waiting) -> bool:
        """Whether an effect may happen when the statement is half evaluated, instead of just before it."""
        if _is_copy(stmt):
            return True
        lazy = (core.Cond, core.Bool, core.Compare)
        if any(isinstance(node, lazy) for expr in core.expressions(stmt) for node in core.walk(expr)):
            return False
        others = statement_reads(stmt, self.effects) - {("name", waiting.name)}
        return all(map(self.effects.pure, arguments(stmt))) and (
            not hazard(others, written(waiting.value, self.effects)))

    def _fits(self, stmt: Statement, changed: Statement, waiting: _Waiting, depth: int) -> bool:
        if _is_copy(stmt) or _users_own(stmt, waiting):
            return True
        return 4 * depth + statement_columns(changed) <= self.width


def _with_value(stmt: Statement, waiting: _Waiting) -> Statement | None:
    """The statement with the value in place of its name; None if the name stands where only a name can."""
    changed = map_expressions(stmt, lambda e: core.substitute(e, {waiting.name: waiting.value}))
    left = any(waiting.name in core.names_read(expr) for expr in core.expressions(changed))
    return None if left else changed


def _is_copy(stmt: Statement) -> bool:
    match stmt:
        case Bind((_,), (Name(),)) | Return(Name()):
            return True
    return False


def _users_own(stmt: Statement, waiting: _Waiting) -> bool:
    """Whether the value stood in this very statement as the user wrote it."""
    inner, outer = waiting.value.at, stmt.at
    if inner is None or outer is None or any(name.endswith("_bar") for name in (waiting.name, *bound_by(stmt))):
        return False
    return inner.file == outer.file and isinstance(stmt, (Bind, Store)) and (
        (outer.line, outer.column) <= (inner.line, inner.column)) and (
        (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column))


def _returned(block: Block, temporaries: frozenset[str], width: int, depth: int) -> Block:
    """`x_bar = v` directly before `return x_bar` becomes `return v`."""
    block = tuple(core.with_blocks(stmt, tuple(_returned(inner, temporaries, width, depth + 1)
                                               for inner in core.blocks(stmt))) for stmt in block)
    match block[-2:]:
        case (Bind((name,), (value,)), Return(Name(read)) as last) if name == read:
            changed = replace(last, value=value)
            made = name.endswith("_bar") or name in temporaries
            if made and 4 * depth + statement_columns(changed) <= width:
                return (*block[:-2], changed)
    return block


# ---------------------------------------------------------------- sums

def merge_accumulation(block: Block, effects: Effects, values: frozenset[str], width: int = 100,
                       depth: int = 1) -> Block:
    """The block with a value and what is directly added to it in one line, for the names in `values`.

    These must be names whose objects nobody writes in place or shares, so that adding may make a new one::

        p_bar = a_bar * y / p
        p_bar -= a_bar * (1.0 - y) / (1.0 - p)    ->    p_bar = a_bar * y / p - a_bar * (1.0 - y) / (1.0 - p)
    """
    out: list[Statement] = []
    for stmt in block:
        stmt = core.with_blocks(stmt, tuple(merge_accumulation(inner, effects, values, width, depth + 1)
                                            for inner in core.blocks(stmt)))
        at, first = _start_of_sum(out, stmt, effects, values)
        merged = _sum(first, stmt) if first is not None else None
        if merged is not None and 4 * depth + statement_columns(merged) <= width:
            del out[at]
            stmt = merged
        out.append(stmt)
    return tuple(out)


def _added(stmt: Statement) -> tuple[str, str, Expr] | None:
    """The name, + or -, and the term of `x += b` or `x = x + b`."""
    match stmt:
        case Store(Name(name), "+" | "-" as op, term):
            return name, op, term
        case Bind((name,), (Bin("+" | "-" as op, Name(left), term),)) if left == name:
            return name, op, term
    return None


def _start_of_sum(before: list[Statement], stmt: Statement, effects: Effects,
                  values: frozenset[str]) -> tuple[int, Bind | None]:
    """Where the name that the statement adds to got its value, if that may be computed as late as here."""
    added = _added(stmt)
    if added is None or added[0] in core.names_read(added[2]):
        return 0, None
    if isinstance(stmt, Bind) and before and _is_copy(before[-1]) and bound_by(before[-1]) == (added[0],):
        (first,) = [earlier for earlier in before[-1:] if isinstance(earlier, Bind)]
        return len(before) - 1, first
    if added[0] not in values:
        return 0, None
    mine = frozenset({("name", added[0])})
    passed = argument_writes(stmt, effects)
    for at in range(len(before) - 1, -1, -1):
        earlier = before[at]
        match earlier:
            case Bind((name,), (value,)) if name == added[0]:
                movable = effects.pure(value) and not hazard(reads(value, effects), passed)
                return at, earlier if movable and not isinstance(value, Const) else None
        if core.blocks(earlier) or isinstance(earlier, Comment):
            break
        if hazard(mine, statement_reads(earlier, effects) | header_writes(earlier, effects)):
            break
        passed |= header_writes(earlier, effects)
    return 0, None


def _sum(first: Bind, stmt: Statement) -> Bind | None:
    added = _added(stmt)
    if added is None:
        return None
    name, op, term = added
    return replace(first, names=(name,), values=(Bin(op, first.values[0], term),))
