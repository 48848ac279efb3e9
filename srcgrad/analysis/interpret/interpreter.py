"""The abstract interpreter: one walk over the core form that finds kinds, storages, activity and callees.

Facts about storages only grow; the walk is repeated until none does.  A loop is visited until its head is stable.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.interpret import operations
from srcgrad.analysis.interpret.calls import Calls
from srcgrad.analysis.interpret.expressions import HOLE, OPERATORS, Evaluator, NeverReturns, Refused, numeric
from srcgrad.analysis.interpret.state import (
    NOTHING,
    Abstract,
    Env,
    Heap,
    Storage,
    forget_name,
    forgetful,
    join_envs,
    merge_envs,
)
from srcgrad.analysis.lengths import Iteration
from srcgrad.analysis.liveness import Liveness
from srcgrad.analysis.scope import Outer
from srcgrad.analysis.values import (
    UNKNOWN,
    Array,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    ObjectOf,
    RangeOf,
    ShapeOf,
    TupleOf,
    Value,
    number_of,
)
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
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
    statements,
)

MAX_ROUNDS = 60
MAX_VISITS = 40
NO_VARIABLE = -1


@dataclass(frozen=True)
class Entry:
    """What the interpreter is told of the arguments: abstract values, which are active, and sizes in this call.

    in_place: arguments in storages that the caller writes, or whose adjoints it keeps in the shadow for other reasons.
    """
    values: tuple[Value, ...]
    active: frozenset[int]
    sizes: Mapping[Any, int] = field(default_factory=dict)
    in_place: frozenset[int] = frozenset()
    result_in_place: bool = False


@dataclass
class Facts:
    """What is known of a function.

    before, after   the state around each statement that can be reached
    kinds           (statement, id of an expression in it) -> its abstract value
    callees         (statement, id of a call in it) -> (function, whether it is called on an instance)
    refused         statement -> why it can't be differentiated
    taken           an if whose condition is certain -> which way it goes
    guards          what was assumed about the outside and about the arguments
    entry           the arguments
    result          the abstract value that the function returns
    """
    heap: Heap
    live: Liveness
    before: dict[Statement, Env] = field(default_factory=dict)
    after: dict[Statement, Env] = field(default_factory=dict)
    kinds: dict[tuple[Statement, int], Abstract] = field(default_factory=dict)
    callees: dict[tuple[Statement, int], tuple[Any, Any]] = field(default_factory=dict)
    refused: dict[Statement, Refused] = field(default_factory=dict)
    taken: dict[Statement, bool] = field(default_factory=dict)
    guards: dict[Any, Any] = field(default_factory=dict)
    result: Abstract = NOTHING
    entry: Env = field(default_factory=dict)
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
        return self.evaluator.value(item)

    def written(self, storage: Storage) -> bool:
        """Whether something writes in place into the storage, or into one that may be confused with it."""
        group = storage.group
        if group not in self._written:
            self._written[group] = any(s.written for s in self.heap.storages() if s.group is group)
        return self._written[group]

    def name_after(self, stmt: Statement, name: str) -> Abstract:
        return self.after[stmt].get(name, NOTHING)


def interpret(code: Code, outer: Callable[[str], Outer | None], entry: Entry,
              user_result: Callable | None = None) -> Facts:
    """Interprets a function for these arguments."""
    heap = Heap()
    live = Liveness(code.body)
    guards: dict = {}
    for _ in range(MAX_ROUNDS):
        heap.changed = False
        facts = Facts(heap, live, guards=guards)
        _Walk(facts, outer, entry, user_result).function(code)
        if not heap.changed:
            break
    return facts


def filled_array(stmt: Statement) -> tuple[Expr, Expr] | None:
    """a and v, if the statement is `a.fill(v)`."""
    match stmt:
        case Effect(Call(Attr(array, "fill"), (value,), ())):
            return array, value
    return None


class _Walk:
    """One walk over the whole function."""

    def __init__(self, facts: Facts, outer: Callable[[str], Outer | None], entry: Entry,
                 user_result: Callable | None) -> None:
        self.facts, self.heap, self.entry = facts, facts.heap, entry
        self.heads: dict[Statement, Env] = {}         # what held at the head of a loop when it was last left
        self.ev = Evaluator(facts.heap, outer, facts.guards, entry.sizes, Calls(facts.callees, user_result),
                            self._annotate)
        facts.evaluator = self.ev

    def _annotate(self, expr: Expr, item: Abstract) -> None:
        self.facts.kinds[(self.ev.site, id(expr))] = item

    def function(self, code: Code) -> None:
        env: Env = {}
        for k, (param, value) in enumerate(zip(code.params, self.entry.values)):
            env[param.name] = self.ev.from_value(value, param.name, "argument", k in self.entry.active)
            if k in self.entry.in_place:
                self._mark_in_place(env[param.name])
        self.facts.entry = dict(env)
        loops = (s for s in statements(code.body) if isinstance(s, For))
        self.numbers: dict[Statement, int] = {s: k for k, s in enumerate(loops)}
        self.last = code.body[-1] if code.body else None
        self.block(code.body, env)

    def _mark_in_place(self, item: Abstract) -> None:
        for ref in item.refs:
            self.heap.mark(ref.storage, written=True, loose=True)
            for part in ref.storage.fields.values():
                self._mark_in_place(part)
        for part in item.items or ():
            self._mark_in_place(part)

    def block(self, block: tuple[Statement, ...], env: Env | None) -> Env | None:
        for stmt in block:
            if env is None:
                return None
            env = self._statement(stmt, env)
        return env

    def _statement(self, stmt: Statement, env: Env) -> Env | None:
        live = self.facts.live.before[stmt]
        env = {name: item for name, item in env.items() if name in live}
        self._note(self.facts.before, stmt, env)
        self.ev.site = stmt
        self.ev.born = set()
        try:
            after = getattr(self, "_" + type(stmt).__name__.lower())(stmt, dict(env))
        except Refused as refusal:
            self.facts.refused[stmt] = refusal
            return None
        except NeverReturns:
            return None
        if after is not None:
            self._note(self.facts.after, stmt, after)
        return after

    def _note(self, states: dict[Statement, Env], stmt: Statement, env: Env) -> None:
        states[stmt] = merge_envs(self.heap, states[stmt], env) if stmt in states else dict(env)

    # ------------------------------------------------------------ simple statements

    def _bind(self, stmt: Bind, env: Env) -> Env:
        items = [self.ev(value, env) for value in stmt.values]
        for name, item in zip(stmt.names, items):
            self._assign(env, name, item)
        self._check_generations(stmt, env)
        return env

    def _assign(self, env: Env, name: str, item: Abstract) -> None:
        env.pop(name, None)
        forget_name(self.heap, env, name)
        env[name] = item

    def _check_generations(self, stmt: Statement, env: Env) -> None:
        """A storage that is born here while an earlier one of the same place can be reached stands for several."""
        bound = set(getattr(stmt, "names", ()))
        live = self.facts.live.after[stmt]
        for name, item in env.items():
            if name not in bound and name in live:
                for ref in item.refs:
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
        if stmt.star is not None and item.active:
            raise Refused("a starred name on the left isn't supported yet where the values are differentiated",
                          "take the elements by index", stmt.at)
        if stmt.star is None and item.items is not None and len(item.items) == n:
            return list(item.items)
        if isinstance(value, ListOf):
            return [self.ev.element(item)] * n
        if isinstance(value, ShapeOf):
            return [Abstract(Number("int"))] * n
        if isinstance(value, Array):
            return [self._array_element(stmt, item, value, Const(k)) for k in range(n)]
        return [Abstract(UNKNOWN, varied=item.active)] * n

    def _array_element(self, stmt: Statement, item: Abstract, value: Array, index: Expr) -> Abstract:
        result = operations.getitem(value, (Number("int"),))
        if isinstance(result, Number):
            return Abstract(result, varied=item.active)
        exact = isinstance(result, Array) and result.dims is not None
        return Abstract(result, self.ev.view(item, Item(HOLE, index) if exact else None), item.varied)

    def _store(self, stmt: Store, env: Env) -> Env:
        value = self.ev(stmt.value, env)
        match stmt.place:
            case Name(id):
                self._augment(stmt, id, self.ev(stmt.place, env), value, env)
            case Item(owner, index):
                place = self.ev(owner, env)
                key = self.ev(index, env)
                put = self._put_value(stmt, place, value, env)
                if put is not None:
                    self._write(stmt, place, key, put)
            case Attr(owner, name):
                place = self.ev(owner, env)
                put = self._put_value(stmt, place, value, env)
                if put is not None:
                    self._set_field(stmt, place, name, put)
        return env

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
        elif number_of(kind) is None:
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
        if isinstance(kind, ListOf):
            raise Refused(f"`{name} {stmt.op}= ...` on a list isn't supported yet", "use `append`", stmt.at)
        result = self._operated(stmt, kind, value)
        active = (old.active or value.active) and stmt.op not in ("//", "&", "|", "^", "<<", ">>")
        if isinstance(kind, Array):
            for ref in old.refs:
                self.heap.mark(ref.storage, active=active)
            self._assign(env, name, Abstract(result, old.refs, active))
            return
        self._assign(env, name, self.ev.fresh(stmt.place, result, active))

    def _write(self, stmt: Store, place: Abstract, key: Abstract, value: Abstract) -> None:
        kind = self.ev.value(place)
        if isinstance(kind, Array):
            self._agree(kind, self.ev.value(key), self.ev.value(value))
            self._write_array(place, value)
        elif isinstance(kind, (ListOf, DictOf)):
            known = key.value.obj if isinstance(key.value, Known) and isinstance(kind, DictOf) else "*"
            for ref in place.refs:
                self.heap.mark(ref.storage, written=True)
                self.heap.put(ref.storage, known, value)
        elif place.active or value.active:
            raise Refused("it isn't known what is assigned to here", "use a local array, list or dict", stmt.at)

    def _agree(self, array: Array, index: Value, value: Value) -> None:
        """What is written is as long as its place, unless it is stretched: so the equal lengths are written alike."""
        cell = operations.getitem(array, index.items if isinstance(index, TupleOf) else (index,))
        if isinstance(cell, Array) and isinstance(value, Array) and cell.dims and value.dims:
            for p, q in zip(reversed(cell.dims), reversed(value.dims)):
                if p is not None and q is not None and p != q and q.constant is None:
                    self.ev.unify(p, q)

    def _write_array(self, place: Abstract, value: Abstract) -> None:
        for ref in place.refs:
            if ref.storage.origin == "outer" and (value.active or place.active):
                raise Refused(f"writing to `{ref.storage.hint}`, which isn't local, isn't supported yet where the "
                              "values are differentiated", "pass the array as an argument, or copy it first",
                              self.ev.site.at)
            self.heap.mark(ref.storage, written=True, active=value.active)

    def _set_field(self, stmt: Store, owner: Abstract, name: str, value: Abstract) -> None:
        kind = self.ev.value(owner)
        if not isinstance(kind, ObjectOf):
            if owner.active or value.active:
                raise Refused(f"setting the attribute `{name}` isn't supported here", "use a local name", stmt.at)
            return
        for ref in owner.refs:
            self.heap.mark(ref.storage, written=True)
            self.heap.put(ref.storage, name, value)

    def _effect(self, stmt: Effect, env: Env) -> Env:
        filled = filled_array(stmt)
        if filled is not None:
            array = self.ev(filled[0], env)
            if isinstance(self.ev.value(array), Array):
                self._write_array(array, self.ev(filled[1], env))
                return env
        self.ev(stmt.value, env)
        return env

    def _comment(self, stmt: Comment, env: Env) -> Env:
        return env

    def _return(self, stmt: Return, env: Env) -> None:
        if stmt is not self.last:
            raise Refused("a `return` inside a loop isn't supported yet",
                          "keep the result in a name, and return it at the end", stmt.at)
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

    def _jump(self, stmt: Jump, env: Env) -> None:
        if stmt.kind != "raise":
            raise Refused(f"`{stmt.kind}` isn't supported yet",
                          "put the rest of the loop's body under an `if`", stmt.at)
        return None

    def _try(self, stmt: Try, env: Env) -> Env:
        raise Refused("`try` isn't supported yet", "test the condition with an `if` beforehand", stmt.at)

    def _with(self, stmt: With, env: Env) -> Env:
        raise Refused("`with` isn't supported yet", "put the `with` around the call of the gradient", stmt.at)

    # ------------------------------------------------------------ control flow

    def _if(self, stmt: If, env: Env) -> Env | None:
        certain = self.ev.truth(self.ev(stmt.test, env))
        if certain is not None:
            self.facts.taken[stmt] = certain
            return self.block(stmt.body if certain else stmt.orelse, env)
        self.facts.taken.pop(stmt, None)
        live = self.facts.live.after[stmt]
        ends = [self.block(body, dict(env)) for body in (stmt.body, stmt.orelse)]
        kept = [None if end is None else {n: i for n, i in end.items() if n in live} for end in ends]
        return join_envs(self.heap, *kept)

    def _for(self, stmt: For, env: Env) -> Env | None:
        item = self.ev(stmt.iter, env)
        if stmt.orelse:
            raise Refused("`for ... else` isn't supported yet", "keep a flag", stmt.at)
        element = self._element(stmt, item)
        return self._loop(stmt, env, lambda state: self._assign(state, stmt.target, element))

    def _element(self, stmt: For, item: Abstract) -> Abstract:
        value = self.ev.value(item)
        match value:
            case RangeOf() | ShapeOf():
                return Abstract(Number("int", None, Linear.symbol(Iteration(self.numbers[stmt]))))
            case Array():
                return self._array_element(stmt, item, value, Name(f"{stmt.target}_index"))
            case ListOf():
                return self.ev.element(item)
            case TupleOf() if item.items:
                return functools.reduce(self.heap.join, item.items)
        if item.active:
            raise Refused("it isn't known what this loop runs over",
                          "loop over a range, an array, a list or a tuple", stmt.at)
        return NOTHING

    def _while(self, stmt: While, env: Env) -> Env | None:
        if stmt.orelse:
            raise Refused("`while ... else` isn't supported yet", "keep a flag", stmt.at)
        return self._loop(stmt, env, lambda state: self.ev(stmt.test, state))

    def _loop(self, stmt: For | While, env: Env, head: Callable[[Env], object]) -> Env | None:
        """The state at the head grows until it is stable; only what is live there is kept.

        Nothing that is known in terms of the loop's variable outlives the iteration.
        """
        outside = self.ev.loops
        self.ev.loops = (*outside, stmt)
        live = self.facts.live.head[stmt]
        earlier = self.heads.get(stmt)
        state = dict(env) if earlier is None else merge_envs(self.heap, dict(env), earlier)
        for visit in range(MAX_VISITS + 1):
            if visit == MAX_VISITS:
                raise Refused("this loop is too involved to be followed", "split it into functions", stmt.at)
            inner = dict(state)
            self.ev.site = stmt
            head(inner)
            end = self.block(stmt.body, inner)
            number = self.numbers.get(stmt, NO_VARIABLE)
            back = None if end is None else {n: forgetful(i, number) for n, i in end.items() if n in live or n in env}
            new = state if back is None else merge_envs(self.heap, state, back)
            if new == state:
                break
            state = new
        self.heads[stmt] = state
        self.ev.loops, self.ev.site = outside, stmt
        self._mark_survivors(stmt, state)
        return state

    def _mark_survivors(self, stmt: Statement, state: Env) -> None:
        """A storage that is born in the loop and used after it has no place for a buffer of its own."""
        live = self.facts.live.after[stmt]
        for name, item in state.items():
            for ref in item.refs:
                if name in live and stmt in ref.storage.home:
                    self.heap.mark(ref.storage, loose=True)
