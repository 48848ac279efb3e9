"""Drop what nobody reads: values, stores into local arrays, save pairs, empty branches and loops, idle comments."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from srcgrad.analysis.liveness import Liveness
from srcgrad.lang import core
from srcgrad.lang.core import (
    Attr,
    Bind,
    Call,
    Comment,
    Effect,
    Expr,
    For,
    Function,
    If,
    Item,
    Jump,
    List,
    Name,
    Statement,
    Store,
    Try,
    Unary,
    Unpack,
    While,
    With,
)
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.effects import (
    NOTHING,
    Block,
    Effects,
    Keys,
    block_expressions,
    captured,
    owner,
    reads,
    receiver,
    statement_reads,
)

Result = tuple[Block, Keys]  # what is left, and the keys that are live before it


def eliminate_dead(block: Block, live_out: frozenset[str], effects: Effects,
                   local: frozenset[str] = frozenset()) -> Block:
    """The block without what has no influence on the names `live_out` after it, nor on what the caller sees.

    `local` holds the names that are bound to fresh arrays or lists only: what is stored there is dropped if
    nobody reads it.  A list that is only appended to and popped goes, with both, if all values popped are dead::

        y_saved = []                       ->    (nothing)
        y_saved.append(y)
        y = y_saved.pop()       # y isn't read
    """
    pinned = frozenset(("name", name) for name in captured(block)) | effects.contents(captured(block))
    live = frozenset(("name", name) for name in live_out) | effects.contents(live_out)
    idle = _save_lists(block, effects) - live_out
    local = local - _escaping(block, effects, local | idle)
    while True:
        left, _ = _Sweep(effects, local, idle, pinned).block(block, live)
        needed = idle & {_popped(value) for stmt in core.statements(left) for value in core.expressions(stmt)}
        if not needed:
            return drop_idle_comments(left)
        idle -= needed


def _escaping(block: Block, effects: Effects, local: frozenset[str]) -> frozenset[str]:
    """Names of objects that may be kept where the block can't see it: by a function, or by what isn't local."""
    out: set[str] = set()
    for stmt in core.statements(block):
        if isinstance(stmt, Store) and stmt.op is None and not _is_local(owner(stmt.place), local):
            out |= core.names_read(stmt.value)
        for expr in core.expressions(stmt):
            if not effects.pure(expr):
                out.update(*(core.names_read(call) for call in core.walk(expr) if isinstance(call, Call)
                             and not _is_local(receiver(call), local) and not effects.pure(call)))
    return frozenset(out)


def _is_local(expr: Expr | None, local: frozenset[str]) -> bool:
    return isinstance(expr, Name) and expr.id in local


# ---------------------------------------------------------------- save pairs

def _popped(value: Expr) -> str | None:
    """The list of `x_saved.pop()`."""
    match value:
        case Call(Attr(Name(saved), "pop"), (), ()):
            return saved
    return None


def _pushed(stmt: Statement) -> tuple[str | None, Expr | None]:
    """The list and the value of `x_saved.append(x)`."""
    match stmt:
        case Effect(Call(Attr(Name(saved), "append"), (value,), ())):
            return saved, value
    return None, None


def _save_lists(block: Block, effects: Effects) -> frozenset[str]:
    """Names that only ever stand for lists that start empty, are appended to, and are popped.

    Such a list may also lie on another one, as the lists of an inner loop do.
    """
    occurs = Counter(node.id for expr in block_expressions(block) for node in core.walk(expr) if isinstance(node, Name))
    pushes = [(saved, value) for stmt in core.statements(block) for saved, value in [_pushed(stmt)]
              if saved is not None and value is not None and effects.pure(value)]
    found = _lists_bound(block, None) - Liveness(block).entry - captured(block)
    while True:
        allowed = Counter(saved for saved, _ in pushes)
        allowed.update(saved for e in block_expressions(block) if (saved := _popped(e)) is not None)
        allowed.update(value.id for saved, value in pushes if saved in found and isinstance(value, Name))
        kept = {name for name in found & _lists_bound(block, found) if allowed[name] == occurs[name]}
        if kept == found:
            return found
        found = frozenset(kept)


def _lists_bound(block: Block, lists: frozenset[str] | None) -> frozenset[str]:
    """Names that are bound to empty lists, or to what one of these `lists` gives (None: any list), and no others."""
    good: set[str] = set()
    bad: set[str] = set()
    for stmt in core.statements(block):
        values = stmt.values if isinstance(stmt, Bind) else ()
        for i, name in enumerate(bound_by(stmt)):
            value = values[i] if values else None
            saved = _popped(value) if value is not None else None
            fits = value == List(()) or (saved is not None and (lists is None or saved in lists))
            (good if fits else bad).add(name)
    return frozenset(good - bad)


# ---------------------------------------------------------------- the walk

@dataclass
class _Sweep:
    """One walk from the end to the beginning.

    Liveness and removal are one: what is dropped reads nothing, so that a value which only feeds itself around
    a loop is never found live.  Loops start from what is live after them and grow to the least fixpoint.
    """
    effects: Effects
    local: frozenset[str]
    idle: frozenset[str]  # save lists of which no value popped has been found live
    pinned: Keys
    raised: Keys = NOTHING  # live where an exception arrives
    caught: bool = False  # whether something happens when an exception arrives
    breaks: list[Keys] = field(default_factory=list)
    continues: list[Keys] = field(default_factory=list)

    def __post_init__(self) -> None:
        shared = Counter(token for tokens in self.effects.storages.values() for token in tokens)
        self.own: frozenset[Hashable] = frozenset(token for token, names in shared.items() if names == 1)

    def block(self, block: Block, live: Keys) -> Result:
        left: list[Statement] = []
        for stmt in reversed(block):
            kept, live = self.statement(stmt, _union(_union(live, self.pinned), self.raised))
            left.extend(reversed(kept))
        return tuple(reversed(left)), live

    def statement(self, stmt: Statement, live: Keys) -> Result:
        visit: Callable[[Statement, Keys], Result] = getattr(self, _METHODS[type(stmt)])
        return visit(stmt, live)

    def _comment(self, stmt: Comment, live: Keys) -> Result:
        return (stmt,), live

    # ------------------------------------------------------------ names

    def _bind(self, stmt: Bind, live: Keys) -> Result:
        kept = [(name, value) for name, value in zip(stmt.names, stmt.values) if not self._idle_bind(name, value, live)]
        unread = live.isdisjoint(("name", name) for name in stmt.names)
        for name, value in zip(stmt.names, stmt.values):
            if value != Name(name):
                live = live - (self._fresh(name) | {("name", name)})
        for _, value in kept:
            live = _union(live, reads(value, self.effects))
        if unread and len(kept) == 1:
            return (Effect(kept[0][1], at=stmt.at),), live
        if len(kept) < len(stmt.names):
            stmt = replace(stmt, names=tuple(n for n, _ in kept), values=tuple(v for _, v in kept))
        return ((stmt,) if kept else ()), live

    def _idle_bind(self, name: str, value: Expr, live: Keys) -> bool:
        return value == Name(name) or (("name", name) not in live and self._droppable(value))

    def _fresh(self, name: str) -> Keys:
        """The contents that no older object shares, so that binding the name starts them anew."""
        if name not in self.local:
            return NOTHING
        return frozenset(("content", token) for token in self.effects.storages.get(name, frozenset()) & self.own)

    def _unpack(self, stmt: Unpack, live: Keys) -> Result:
        names = frozenset(("name", name) for name in stmt.names)
        if live.isdisjoint(names) and self._droppable(stmt.value):
            return (), live
        return (stmt,), (live - names) | reads(stmt.value, self.effects)

    def _droppable(self, value: Expr) -> bool:
        if self.caught and not _never_raises(value) and _popped(value) is None:
            return False
        if isinstance(value, Function):
            return all(p.default is None or self.effects.pure(p.default) for p in value.code.params)
        return self.effects.pure(value) or _popped(value) in self.idle

    # ------------------------------------------------------------ contents

    def _store(self, stmt: Store, live: Keys) -> Result:
        if self._idle_store(stmt, live):
            return (), live
        return (stmt,), live | statement_reads(stmt, self.effects)

    def _idle_store(self, stmt: Store, live: Keys) -> bool:
        if not self._droppable(stmt.value):
            return False
        if isinstance(stmt.place, Name):
            name = stmt.place.id
            return ("name", name) not in live and (name not in self.effects.storages or self._unread(stmt.place, live))
        return isinstance(stmt.place, Item) and self._unread(stmt.place, live)

    def _unread(self, place: Expr, live: Keys) -> bool:
        """Whether the place is a part of a local object whose content nobody reads."""
        whose = owner(place)
        return _is_local(whose, self.local) and all(self.effects.pure(e) for e in core.children(place)) and (
            live.isdisjoint(self.effects.contents(core.names_read(whose))))

    def _effect(self, stmt: Effect, live: Keys) -> Result:
        if self._droppable(stmt.value) or self._idle_call(stmt.value, live) or _pushed(stmt)[0] in self.idle:
            return (), live
        return (stmt,), live | reads(stmt.value, self.effects)

    def _idle_call(self, call: Expr, live: Keys) -> bool:
        """`a.fill(0)` where nobody reads the local a."""
        changed = receiver(call)
        harmless = all(map(self.effects.pure, core.children(call)[1:]))
        return changed is not None and harmless and self._unread(changed, live)

    # ------------------------------------------------------------ branches and loops

    def _if(self, stmt: If, live: Keys) -> Result:
        body, before_body = self.block(stmt.body, live)
        orelse, before_orelse = self.block(stmt.orelse, live)
        if _empty(body) and _empty(orelse):
            return self.statement(Effect(stmt.test, at=stmt.at), live)
        before = before_body | before_orelse | reads(stmt.test, self.effects)
        if _empty(body):
            return (replace(stmt, test=_negated(stmt.test), body=orelse, orelse=()),), before
        return (core.with_blocks(stmt, (body, () if _empty(orelse) else orelse)),), before

    def _for(self, stmt: For, live: Keys) -> Result:
        target = frozenset({("name", stmt.target)})
        orelse, after = self.block(stmt.orelse, live)
        body, head = self._loop(stmt.body, after, live, target)
        if _empty(body) and _empty(orelse) and live.isdisjoint(target) and self.effects.pure(stmt.iter):
            return (), live
        return (core.with_blocks(stmt, (body, orelse)),), head | reads(stmt.iter, self.effects)

    def _while(self, stmt: While, live: Keys) -> Result:
        orelse, after = self.block(stmt.orelse, live)
        if _empty(orelse) and self.effects.pure(stmt.test):
            # what feeds nothing but the test is needless if the loop does nothing else
            body, _ = self._loop(stmt.body, after, live, NOTHING)
            if _empty(body):
                return (), live
        body, head = self._loop(stmt.body, after | reads(stmt.test, self.effects), live, NOTHING)
        return (core.with_blocks(stmt, (body, orelse)),), head

    def _loop(self, body: Block, head: Keys, after_break: Keys, target: Keys) -> Result:
        """What is left of the body, and what is live before each turn; `head` is live where no turn follows."""
        while True:
            self.breaks.append(after_break)
            self.continues.append(head)
            left, before = self.block(body, head)
            self.breaks.pop()
            self.continues.pop()
            if before - target <= head:
                return left, head
            head |= before - target

    def _jump(self, stmt: Jump, live: Keys) -> Result:
        match stmt.kind:
            case "break":
                live = self.breaks[-1]
            case "continue":
                live = self.continues[-1]
            case "raise":
                return self._leave(stmt)
            case _:
                return (), live
        return (stmt,), live | self.pinned | self.raised

    def _leave(self, stmt: Statement, _: Keys = NOTHING) -> Result:
        return (stmt,), self.pinned | self.raised | statement_reads(stmt, self.effects)

    _return = _refuse = _leave

    # ------------------------------------------------------------ exceptions

    def _try(self, stmt: Try, live: Keys) -> Result:
        final, live = self.block(stmt.final, live)
        outside, self.raised = self.raised, self.raised | live
        caught = [(error, name, *self.block(block, live)) for error, name, block in stmt.handlers]
        handled = live.union(*(before for _, _, _, before in caught), *(
            reads(error, self.effects) for error, _, _, _ in caught if error is not None))
        orelse, live = self.block(stmt.orelse, live)
        self.raised |= handled
        around, self.caught = self.caught, self.caught or bool(stmt.handlers)
        body, live = self.block(stmt.body, live | handled)
        self.raised, self.caught = outside, around
        handlers = tuple((error, name, left) for error, name, left, _ in caught)
        return (replace(stmt, body=body, handlers=handlers, orelse=orelse, final=final),), live | handled

    def _with(self, stmt: With, live: Keys) -> Result:
        before_exit = live  # the manager may swallow an exception
        outside, self.raised = self.raised, self.raised | live
        body, live = self.block(stmt.body, live)
        self.raised = outside
        return (replace(stmt, body=body),), live | before_exit | statement_reads(stmt, self.effects)


_METHODS: dict[type, str] = {kind: f"_{kind.__name__.lower()}" for kind in (
    Bind, Comment, Effect, For, If, Jump, core.Refuse, core.Return, Store, Try, Unpack, While, With)}


def _union(live: Keys, more: Keys) -> Keys:
    """Both; most often nothing is added to the many that are live already."""
    return live if more <= live else live | more


def _never_raises(value: Expr) -> bool:
    return isinstance(value, (Name, core.Const, List, core.Function)) and all(map(_never_raises, core.children(value)))


def _empty(block: Block) -> bool:
    return all(isinstance(stmt, Comment) for stmt in block)


def _negated(test: Expr) -> Expr:
    match test:
        case Unary("not", operand):
            return operand
        case core.Compare(left, (op,), rights) if op in _OPPOSITE:
            return core.Compare(left, (_OPPOSITE[op],), rights, at=test.at)
    return Unary("not", test, at=test.at)


# only those that are opposites for NaN and for arrays of one element, too
_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}


# ---------------------------------------------------------------- comments

def drop_idle_comments(block: Block) -> Block:
    """The block without comments that announce nothing: no statement stands before the next comment of their rank.

    `line 3: ...` announces what stands up to the next comment; any other comment what stands up to the next
    such heading.  ::

        # backward             # backward
        # line 3: y = x    ->  # line 2: x = a
        # line 2: x = a        a_bar = x_bar
        a_bar = x_bar
    """
    kept: list[Statement] = []
    following = {"heading": False, "line": False}
    for stmt in reversed(block):
        if isinstance(stmt, Comment):
            rank = "line" if stmt.text.startswith("line ") else "heading"
            if not following[rank]:
                continue
            following = {"heading": following["heading"] and rank == "line", "line": False}
        else:
            following = {"heading": True, "line": True}
            stmt = core.with_blocks(stmt, tuple(map(drop_idle_comments, core.blocks(stmt))))
        kept.append(stmt)
    return tuple(reversed(kept))

