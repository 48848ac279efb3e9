"""The abstract interpreter: one walk over the core form that finds kinds, storages, activity and callees.

Facts about storages only grow; the walk is repeated until none does.  A loop is visited until its head is stable.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.interpret import (
    class_statements,
    closures,
    containers,
    new_classes,
    operations,
    operators,
    quiet,
    settable,
    stores,
)
from srcgrad.analysis.interpret.calls import Calls
from srcgrad.analysis.interpret.control import Control, Handled
from srcgrad.analysis.interpret.expressions import HOLE, OPERATORS, Evaluator, NeverReturns, Refused, numeric
from srcgrad.analysis.interpret.made import Made
from srcgrad.analysis.interpret.narrowing import forget_decisions, note_decision
from srcgrad.analysis.interpret.new_classes import NewClasses
from srcgrad.analysis.interpret.rewrites import Build, Replace
from srcgrad.analysis.interpret.rewriting import rewrite, same_text
from srcgrad.analysis.interpret.state import (
    NOT_YET,
    NOTHING,
    Abstract,
    Env,
    Heap,
    Storage,
    forget_name,
    live_part,
    merge_envs,
    reach,
)
from srcgrad.analysis.liveness import Liveness
from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import (
    PENDING,
    UNKNOWN,
    Array,
    DictOf,
    ListOf,
    Number,
    ObjectOf,
    ShapeOf,
    TupleOf,
    Value,
    number_of,
)
from srcgrad.errors import UnsupportedError
from srcgrad.lang import names
from srcgrad.lang.core import (
    At,
    Attr,
    Bind,
    Code,
    Comment,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Jump,
    Name,
    Refuse,
    Return,
    Statement,
    Store,
    Try,
    Unpack,
    While,
    With,
    names_read,
    statements,
)

MAX_ROUNDS = 60
MOST_STATEMENTS = 60_000        # looked at in one compilation, again and again


@dataclass(frozen=True)
class Entry:
    """What the interpreter is told of the arguments: abstract values, which are active, and sizes in this call.

    is_call: what objects hold is what they may hold at any time, not what they hold when the function is called.
    in_place: arguments in storages that the caller writes, or whose adjoints it keeps in the shadow for other reasons.
    complex: some argument is complex, or holds what is, although its value doesn't tell.
    """
    values: tuple[Value, ...]
    active: frozenset[int]
    sizes: Mapping[Any, int] = field(default_factory=dict)
    in_place: frozenset[int] = frozenset()
    result_in_place: bool = False
    is_call: bool = False
    complex: bool = False


@dataclass
class Facts:
    """What is known of a function.

    before, after   the state around each statement that can be reached
    kinds           (statement, id of an expression in it) -> its abstract value
    callees         (statement, id of a call in it) -> (function, whether it is called on an instance)
    rewrites        (statement, id of an expression in it) -> how what it means is made
    replacements    statement -> how the statements that take its place are made
    refused         statement -> why it can't be differentiated
    rewritten       statement -> those that are followed in its place
    taken           an if whose condition is certain -> which way it goes
    guards          what was assumed about the outside and about the arguments
    entry           the arguments
    given_complex   whether complex arguments are expected, whatever `entry` says
    result          the abstract value that the function returns
    numbers         a loop -> the number that its variable has in lengths
    """
    heap: Heap
    live: Liveness
    before: dict[Statement, Env] = field(default_factory=dict)
    after: dict[Statement, Env] = field(default_factory=dict)
    kinds: dict[tuple[Statement, int], Abstract] = field(default_factory=dict)
    callees: dict[tuple[Statement, int], tuple[Any, Any]] = field(default_factory=dict)
    optimistic: bool = False
    rewrites: dict[tuple[Statement, int], Build] = field(default_factory=dict)
    replacements: dict[Statement, Replace] = field(default_factory=dict)
    refused: dict[Statement, Refused] = field(default_factory=dict)
    rewritten: dict[Statement, tuple[Statement, ...]] = field(default_factory=dict)
    taken: dict[Statement, bool] = field(default_factory=dict)
    guards: dict[Any, Any] = field(default_factory=dict)
    result: Abstract = NOTHING
    entry: Env = field(default_factory=dict)
    numbers: dict[Statement, int] = field(default_factory=dict)
    given_complex: bool = False
    returns: bool = False
    evaluator: Evaluator = field(init=False, repr=False)
    _written: dict[Storage, bool] = field(default_factory=dict, repr=False)

    def kind(self, stmt: Statement, expr: Expr) -> Abstract:
        """The abstract value of an expression that stands in the statement."""
        return self.kinds.get((stmt, id(expr)), NOTHING)

    def value(self, stmt: Statement, expr: Expr) -> Value:
        return self.value_of(self.kind(stmt, expr))

    def value_of(self, item: Abstract) -> Value:
        """The value with all that is known of what it refers to."""
        return self.evaluator.whole(item)

    def written(self, storage: Storage) -> bool:
        """Whether something writes in place into the storage, or into one that may be confused with it."""
        group = storage.group
        if group not in self._written:
            self._written[group] = any(s.written for s in self.heap.storages() if s.group is group)
        return self._written[group]

    def note_written(self, storage: Storage) -> None:
        """The storage, which later analyses made, is written in place."""
        self._written[storage.group] = True

    def name_after(self, stmt: Statement, name: str) -> Abstract:
        return self.after[stmt].get(name, NOTHING)


class Work:
    """How much a compilation has looked at, so that it ends in a reasonable time."""

    def __init__(self) -> None:
        self.statements = 0
        self.new_classes = NewClasses()

    def note(self, stmt: Statement) -> None:
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            raise UnsupportedError("what is called here leads to too many cases to be compiled in a reasonable time",
                                   stmt.at, "Let functions that call each other work with one kind of value.")


def interpret(code: Code, outer: Callable[[str], Outer | None], entry: Entry,
              user_result: Callable | None = None, optimistic: bool = False,
              chains: Mapping[Statement, tuple[Any, ...]] | None = None,
              assumed: dict[Any, Any] | None = None, work: Work | None = None, function: Any = None,
              steps: frozenset[Statement] = frozenset(), wrong_guesses: Set[At] = frozenset()) -> Facts:
    """Interprets a function for these arguments.

    optimistic: what is known of a value that waits for functions to be put in place is taken for all that it may be.
    assumed: guards of lengths that were taken to be equal when the function was interpreted before; those that are
    from now on are added.  function: the one that the code was made of.  steps: branches that are taken, unless an
    exception came before them.  wrong_guesses: where dicts turned out to have other keys than they were known to have.
    """
    work = Work() if work is None else work
    heap = Heap()
    heap.of_classes = class_statements.functions_of_classes(code)
    live = Liveness(code.body, captured_by_objects=closures.read_later(code, outer, work.new_classes))
    guards: dict = dict(assumed or {})
    rewritten: dict[Statement, tuple[Statement, ...]] = {}
    versions: dict[Statement, list[tuple[Statement, ...]]] = {}
    made = Made(names.Fresh(names.used(code)))
    in_play = settable.InPlay(function)
    parsed: dict = {}                       # storages are known by their expressions: these are the same in each walk
    for _ in range(MAX_ROUNDS):
        heap.changed = heap.text = False
        facts = Facts(heap, live, guards=guards, rewritten=rewritten, given_complex=entry.complex,
                      optimistic=optimistic)
        walk = _Walk(facts, outer, entry, user_result, work)
        walk.ev.wrong_guesses = wrong_guesses
        walk.steps, walk.versions = steps, versions
        walk.ev.made, walk.ev.chains, walk.ev.parsed, walk.ev.in_play = made, chains, parsed, in_play
        known = _equal_lengths(guards)
        walk.function(code)
        # lengths that are taken to be equal from now on were written differently before
        if not heap.changed and _equal_lengths(guards) == known:
            break
    else:
        raise UnsupportedError("this function is too involved to be followed", code.at, "Split it into functions.")
    if assumed is not None:
        assumed.update((key, guard) for key, guard in facts.guards.items() if key[0] == "same")
    return facts


def _equal_lengths(guards: Mapping[Any, Any]) -> int:
    return sum(key[0] == "same" for key in guards)


class _Walk(Control):
    """One walk over the whole function."""

    def __init__(self, facts: Facts, outer: Callable[[str], Outer | None], entry: Entry,
                 user_result: Callable | None, work: Work) -> None:
        self.facts, self.heap, self.entry, self.work = facts, facts.heap, entry, work
        self.heads: dict[Statement, Env] = {}         # what held at the head of a loop when it was last left
        self.breaks: list[list[Env]] = []
        self.tries: list[Handled] = []
        self.steps: frozenset[Statement] = frozenset()
        self.versions: dict[Statement, list[tuple[Statement, ...]]] = {}     # all that a statement was rewritten to
        self.ev = Evaluator(facts.heap, outer, facts.guards, entry.sizes, Calls(facts.callees, user_result),
                            facts.kinds)
        self.ev.new_classes = work.new_classes
        self.read_by_methods = work.new_classes.read_by(*work.new_classes.classes)
        self.ev.rewrites, self.ev.replacements = facts.rewrites, facts.replacements
        self.ev.optimistic, self.ev.sure = facts.optimistic, not entry.is_call
        facts.evaluator = self.ev

    def function(self, code: Code) -> None:
        env: Env = {}
        for k, (param, value) in enumerate(zip(code.params, self.entry.values)):
            env[param.name] = self.ev.from_value(value, param.name, "argument", k in self.entry.active)
            if k in self.entry.in_place:
                self._mark_in_place(env[param.name])
            if self.entry.is_call and k in self.entry.active and not env[param.name].active:
                for ref in env[param.name].refs:        # the caller knows more of it
                    self.heap.mark(ref.storage, active=True)
        self.facts.entry = dict(env)
        self.heap.changed = False           # nothing has been asked yet
        loops = (s for s in statements(code.body) if isinstance(s, For))
        self.numbers = self.facts.numbers = {s: k for k, s in enumerate(loops)}
        self.block(code.body, env)

    def _mark_in_place(self, item: Abstract) -> None:
        for storage in reach([item]):
            self.heap.mark(storage, written=True, loose=True)

    def block(self, block: tuple[Statement, ...], env: Env | None) -> Env | None:
        for stmt in block:
            if env is None:
                return None
            env = self._statement(stmt, env)
        return env

    def _statement(self, stmt: Statement, env: Env) -> Env | None:
        self.work.note(stmt)
        live = self.facts.live.before[stmt]
        env = live_part(env, live)
        self._note(self.facts.before, stmt, env)
        self._note_raising(env)
        self.ev.site = stmt
        self.ev.born = set()
        pending = self.ev.pending
        try:
            new = self._rewritten(stmt, env)
            if new is not None:
                return self.block(new, env)
            after = getattr(self, _METHODS[type(stmt)])(stmt, dict(env))
        except Refused as refusal:
            for (site, _), item in list(self.facts.kinds.items()):
                if site is stmt:
                    self.heap.want(item)
            if self.ev.pending == pending:
                self.facts.refused[stmt] = refusal
                return None
            after = {**env, **dict.fromkeys(names.bound_by(stmt), NOT_YET)}
        except NeverReturns:
            return None
        if after is not None:
            self._note(self.facts.after, stmt, after)
        return after

    def _rewritten(self, stmt: Statement, env: Env) -> tuple[Statement, ...] | None:
        """A statement that says in a special way what others say plainly is followed as those."""
        self.ev.live_after = self.facts.live.after[stmt]
        known, new = self.facts.rewritten.get(stmt), rewrite(self.ev, stmt, env)
        if new is None:
            self.facts.rewritten.pop(stmt, None)
        elif known is None or not same_text(known, new):
            # storages are known by where they are made: the same text is the same statements, whenever it comes again
            earlier = self.versions.setdefault(stmt, [])
            again = next((block for block in earlier if same_text(block, new)), None)
            if again is None:
                earlier.append(new)
                self.facts.live.insert(stmt, new)
            self.facts.rewritten[stmt] = new if again is None else again
        found = self.facts.rewritten.get(stmt)
        self.numbers.update((s, self.numbers[stmt]) for s in found or () if isinstance(s, For))
        return found

    def _note(self, states: dict[Statement, Env], stmt: Statement, env: Env) -> None:
        env = {name: item for name, item in env.items() if type(name) is str}
        states[stmt] = merge_envs(self.heap, states[stmt], env) if stmt in states else env

    # ------------------------------------------------------------ simple statements

    def _bind(self, stmt: Bind, env: Env) -> Env:
        items = [self.ev(value, env) for value in stmt.values]
        self._check_operands(stmt, env)
        for name, item in zip(stmt.names, items):
            self._assign(env, name, item)
        if len(stmt.names) == 1:
            self.work.new_classes.note(self.ev.in_play.function, stmt.names[0], items[0])
            note_decision(env, stmt.names[0], stmt.values[0])
        self._check_generations(stmt, env)
        return env

    def _assign(self, env: Env, name: str, item: Abstract) -> None:
        env.pop(name, None)
        forget_decisions(env, name)
        forget_name(self.heap, env, name)
        env[name] = item
        if name in self.read_by_methods and item.active and name not in self.heap.active_names:
            self.heap.active_names.add(name)
            self.heap.changed = True

    def _check_generations(self, stmt: Statement, env: Env) -> None:
        """A storage that is born here while an earlier one of the same place can be reached stands for several."""
        if not self.ev.born:
            return
        bound = set(getattr(stmt, "names", ()))
        live = self.facts.live.after[stmt]
        for name, item in env.items():
            if name not in bound and name in live:
                for ref in item.refs:
                    if ref.storage in self.ev.born:
                        self.heap.mark(ref.storage, many=True, loose=True)

    def _check_operands(self, stmt: Bind, env: Env) -> None:
        """As `_check_generations`, for an earlier storage that the new one is made from."""
        if self.ev.born and self.ev.loops:
            for name in set().union(*map(names_read, stmt.values)):
                for ref in env.get(name, NOTHING).refs:
                    if ref.storage in self.ev.born:
                        self.heap.mark(ref.storage, many=True, loose=True)

    def _unpack(self, stmt: Unpack, env: Env) -> Env:
        item = self.ev(stmt.value, env)
        parts = self._parts(stmt, item)
        for name, part in zip(stmt.names, parts):
            self._assign(env, name, part)
        return env

    def _parts(self, stmt: Unpack, item: Abstract) -> list[Abstract]:
        value = self.ev.value(item)
        n = len(stmt.names)
        if stmt.star is not None:
            if item.active:
                self.facts.replacements[stmt] = stores.starred(stmt, stmt.star, item, value)
            return [Abstract(UNKNOWN, self.ev.view(item, None), item.active)] * n
        if stmt.star is None and item.items is not None and len(item.items) == n:
            return list(item.items)
        if isinstance(value, ListOf):
            return [self.ev.element(item)] * n
        if isinstance(value, ShapeOf):
            return [Abstract(Number("int"))] * n
        if isinstance(value, Array):
            return [self._array_element(stmt, item, value, Const(k)) for k in range(n)]
        return [Abstract(UNKNOWN, self.ev.view(item, None), item.active)] * n

    def _array_element(self, stmt: Statement, item: Abstract, value: Array, index: Expr) -> Abstract:
        result = operations.getitem(value, (Number("int"),))
        if isinstance(result, Number):
            return Abstract(result, varied=item.active)
        exact = isinstance(result, Array) and result.dims is not None
        return Abstract(result, self.ev.view(item, Item(HOLE, index) if exact else None), item.varied)

    def _store(self, stmt: Store, env: Env) -> Env:
        self.facts.replacements.pop(stmt, None)
        value = self.ev(stmt.value, env)
        match stmt.place:
            case Name(id):
                self._augment(stmt, id, self.ev(stmt.place, env), value, env)
            case Item(owner, index):
                place = self.ev(owner, env)
                key = self.ev(index, env)
                if value.active:
                    stores.check_takes_numbers(self.ev.value(place), stmt.at)
                if self._replaced(stmt, place):
                    return env
                put = self._put_value(stmt, place, value, env)
                if put is not None:
                    self._write(stmt, place, key, put, env)
            case Attr(owner, name):
                place = self.ev(owner, env)
                if self._replaced(stmt, place):
                    return env
                put = self._put_value(stmt, place, value, env)
                if put is not None:
                    self._set_field(stmt, place, name, put, env)
        return env

    def _replaced(self, stmt: Store, owner: Abstract) -> bool:
        """Whether code of the owner's class does it, or it sets a variable, which is noted."""
        kind = self.ev.value(owner)
        replace = stores.of_object(self.ev, stmt, operators.class_of(kind)) or new_classes.store(self.ev, stmt, kind) \
            or stores.of_several(stmt, kind)
        if replace is not None:
            self.facts.replacements[stmt] = replace
        return replace is not None

    def _put_value(self, stmt: Store, owner: Abstract, value: Abstract, env: Env) -> Abstract | None:
        """What `owner[k] op= value` puts into the owner; None where it writes into an array that the owner holds."""
        if stmt.op is None:
            return value
        old = self.ev(stmt.place, env)
        if isinstance(self.ev.value(owner), Array):
            return value
        kind = self.ev.value(old)
        if isinstance(kind, Array) and kind.dims is not None:
            self._write_array(old, value)
            return None
        if isinstance(kind, Array):
            self._write_array(old, value)
        elif (replace := stores.augmented(stmt, kind)) is not None:
            self.facts.replacements[stmt] = replace
            return None
        elif kind == UNKNOWN and not old.active and not value.active:
            self._write_array(old, value)
            return Abstract(UNKNOWN, old.refs)
        elif PENDING in (kind, value.value):
            return NOT_YET
        elif number_of(kind) is None and not isinstance(kind, TupleOf):
            raise Refused("it isn't known whether this changes an array or puts a new value in its place",
                          "give the element a name first, or write `x = x + ...`", stmt.at)
        return self.ev.fresh(stmt.place, self._operated(stmt, kind, value), old.active or value.active)

    def _operated(self, stmt: Store, old: Value, value: Abstract) -> Value:
        """The kind of `old op value`, of `place op= value`."""
        assert stmt.op is not None
        return numeric(self.ev.result(OPERATORS[stmt.op], [old, self.ev.value(value)]), old, self.ev.value(value))

    def _augment(self, stmt: Store, name: str, old: Abstract, value: Abstract, env: Env) -> None:
        kind = self.ev.value(old)
        if isinstance(kind, Array) and kind.dims is not None:
            self._write_array(old, value)
            return
        if (replace := stores.augmented(stmt, kind)) is not None:
            self.facts.replacements[stmt] = replace
            return
        if kind == UNKNOWN and value.active:
            self.heap.want(old)
        if PENDING in (kind, value.value) and not isinstance(kind, Array):
            self._assign(env, name, NOT_YET)
            return
        result = self._operated(stmt, kind, value)
        active = (old.active or value.active) and stmt.op not in ("//", "&", "|", "^", "<<", ">>")
        if isinstance(kind, Array):
            for ref in old.refs:
                self.heap.mark(ref.storage, active=active)
            self._assign(env, name, Abstract(result, old.refs, active))
            return
        if kind == UNKNOWN and old.refs:
            self._write_array(old, value)
            self._assign(env, name, Abstract(result, old.refs, active))
            return
        self._assign(env, name, self.ev.fresh(stmt.place, result, active))

    def _write(self, stmt: Store, place: Abstract, key: Abstract, value: Abstract, env: Env) -> None:
        kind = self.ev.value(place)
        quiet.check_inside(self.ev, (key,), quiet.SUBSCRIPT, stmt.at)
        if isinstance(kind, Array):
            self._agree(kind, self.ev.value(key), self.ev.value(value))
            self._write_array(place, value)
        elif isinstance(kind, ListOf) and kind.cls is tuple:
            raise NeverReturns
        elif isinstance(kind, (ListOf, DictOf)):
            if isinstance(key.value, operations.SliceOf):
                self._write_slice(stmt, place, value)
            else:
                known = containers.constant_key(key.value) if isinstance(kind, DictOf) else containers.ANY
                containers.write(self.ev, place, known, value, env, key.value)
                containers.note_key(self.ev, place, key)
        elif place.active or value.active:
            raise Refused("it isn't known what is assigned to here", "use a local array, list or dict", stmt.at)
        else:
            self._write_array(place, value)

    def _write_slice(self, stmt: Store, place: Abstract, value: Abstract) -> None:
        """items[a:b] = value"""
        if value.active and not isinstance(self.ev.value(value), (ListOf, TupleOf)):
            raise Refused("it isn't known what is put into the list here", "make it a list first", stmt.at)
        parts = value.items if value.items is not None else [self.ev.element(value)]
        for ref in place.refs:
            self.heap.mark(ref.storage, written=True, shrinks=True)
            for part in parts:
                self.heap.put(ref.storage, containers.ANY, part)

    def _agree(self, array: Array, index: Value, value: Value) -> None:
        """What is written is as long as its place, unless it is stretched: so the equal lengths are written alike."""
        cell = operations.getitem(array, index.items if isinstance(index, TupleOf) else (index,))
        if isinstance(cell, Array) and isinstance(value, Array) and cell.dims and value.dims:
            for p, q in zip(reversed(cell.dims), reversed(value.dims)):
                if p is not None and q is not None and p != q and q.constant is None:
                    self.ev.unify(p, q)

    def _write_array(self, place: Abstract, value: Abstract) -> None:
        for ref in place.refs:
            self.heap.mark(ref.storage, written=True, active=value.active and not _holds_integers(self.ev.value(place)))

    def _set_field(self, stmt: Store, owner: Abstract, name: str, value: Abstract, env: Env) -> None:
        kind = self.ev.value(owner)
        if not isinstance(kind, ObjectOf):
            if owner.active or value.active:
                raise Refused(f"setting the attribute `{name}` isn't supported here", "use a local name", stmt.at)
            return
        containers.write(self.ev, owner, name, value, env)

    def _effect(self, stmt: Effect, env: Env) -> Env:
        self.ev(stmt.value, env)
        return env

    def _comment(self, stmt: Comment, env: Env) -> Env:
        return env

    def _return(self, stmt: Return, env: Env) -> None:
        item = self.ev(stmt.value, env)
        old = self.facts.result
        self.facts.result = item if old is NOTHING else self.heap.join(old, item)
        self.facts.after[stmt] = env
        self.facts.returns = True
        if self.entry.result_in_place:
            self._mark_in_place(item)
        return None

    def _refuse(self, stmt: Refuse, env: Env) -> None:
        return None


_METHODS: dict[type, str] = {kind: "_" + kind.__name__.lower() for kind in (
    Bind, Unpack, Store, Effect, If, For, While, Try, With, Return, Jump, Refuse, Comment)}


def _holds_integers(value: Value) -> bool:
    """Whether what is written there is cast to a type that has no derivative."""
    return isinstance(value, Array) and value.dtype is not None and value.dtype.kind in "iub"
