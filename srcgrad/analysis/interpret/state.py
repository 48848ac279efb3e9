"""What the interpreter keeps of a value beside its kind: which storages it may lie in, and whether it is active.

The heap model: arrays, lists, dicts and objects are *storages*, named by the place in the text where they are made.
A reference is a set of (storage, view path); it is exact if there is one and its path is known.  Facts about
storages only grow (written, active, dynamic, what they hold), so the whole walk is repeated until none does of which
the walk may have been told less before.
"""
from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.analysis.interpret.equalities import Equalities
from srcgrad.analysis.lengths import forget
from srcgrad.analysis.values import (
    PENDING,
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    ListOf,
    Number,
    ObjectOf,
    Value,
    join,
    members,
    one_of,
)
from srcgrad.lang.core import Expr, names_read

Path = tuple[Expr, ...] | None


@dataclass(eq=False)
class Storage:
    """One abstract storage.

    kind: array, list, dict or object.  origin: fresh, argument or outer.  many: may stand for several at once.
    written: something writes into it in place.  active: its content may depend on the active arguments.
    loose: some reference to it isn't exact, so that its adjoint lives in the shadow.
    held: a container holds it.  born_with: keys or fields that it has for life.  keys: of a dict, what kind of thing
    those of its keys are that aren't known one by one.  resized: loops in which a list gets longer or shorter.
    shrinks: keys are taken out of it.  unfollowed: the comprehension that makes it, as long as none follows that.
    given_away: code that isn't followed may put something into it.  keyed: a key of a dict is active.
    number: how many were known before it.
    """
    site: Hashable
    kind: str
    origin: str
    hint: str = ""
    many: bool = False
    written: bool = False
    active: bool = False
    loose: bool = False
    held: bool = False
    shrinks: bool = False
    given_away: bool = False
    keyed: bool = False
    born_with: frozenset[Any] = frozenset()
    unfollowed: Any = None
    fields: dict[Any, Abstract] = field(default_factory=dict)
    keys: Value | None = None
    resized: set[Hashable] = field(default_factory=set)
    cls: type | None = None
    home: tuple = ()
    group_of: Storage | None = None
    number: int = 0

    def __repr__(self) -> str:
        return f"<{self.kind} {self.hint or self.site}>"

    def __hash__(self) -> int:
        return self.number          # so that sets of storages have the same order whenever the program is compiled

    def born_at(self, stmt: object) -> bool:
        """Whether it comes into being in this statement."""
        return isinstance(self.site, tuple) and bool(self.site) and self.site[0] is stmt

    @property
    def single(self) -> bool:
        """Whether references to it mean one particular object at a time, whose fields can be followed."""
        return not (self.many or self.held and self.home) and self.origin != "outer"

    def has(self, key: Any) -> bool:
        """Whether the container certainly has the key, at any time."""
        return key in self.born_with and not self.shrinks

    @property
    def stays_empty(self) -> bool:
        """Whether it is a list that nothing is put into, as far as is known yet."""
        return self.kind == "list" and self.origin == "fresh" and not (
            self.fields or self.given_away or self.unfollowed)

    @property
    def group(self) -> Storage:
        """The representative of the storages that references may confuse with this one."""
        root = self
        while root.group_of is not None:
            root = root.group_of
        step = self
        while step.group_of is not None and step.group_of is not root:      # so that the next one has a short way
            step.group_of, step = root, step.group_of
        return root


@dataclass(frozen=True)
class Ref:
    """A storage, and the subscripts that lead from it to the view (None: not known)."""
    storage: Storage
    path: Path = ()

    def __hash__(self) -> int:
        return self.storage.number


@dataclass(frozen=True)
class Slot:
    """What one particular object holds now under a key; `Storage.fields` joins what it holds at any time."""
    storage: Storage
    key: Any


@dataclass(frozen=True)
class Abstract:
    """An abstract value with its references and whether it is active itself (numbers, tuples).

    partial: it may be something else, too, which isn't known yet.
    """
    value: Value = UNKNOWN
    refs: frozenset[Ref] = frozenset()
    varied: bool = False
    items: tuple[Abstract, ...] | None = None     # of a tuple
    partial: bool = False

    @property
    def active(self) -> bool:
        if self.varied:
            return True
        return bool(self.refs or self.items) and _reaches_active(self)

    @property
    def numeric(self) -> bool:
        return isinstance(self.value, (Number, Array))


def _reaches_active(item: Abstract) -> bool:
    """Whether something active can be reached from the value."""
    todo, seen = [item], set()
    while todo:
        current = todo.pop()
        if current.varied:
            return True
        todo.extend(current.items or ())
        for ref in current.refs:
            if ref.storage.active or ref.storage.keyed:
                return True
            if ref.storage not in seen:
                seen.add(ref.storage)
                todo.extend(ref.storage.fields.values())
    return False


_READ_ON_THE_WAY = ("active", "shrinks", "given_away", "keyed")
_READ_OF_CONTAINERS = ("many", "held")
NOTHING = Abstract()
NOT_YET = Abstract(PENDING)


class Heap:
    """The storages of one function, and how they grow."""

    def __init__(self) -> None:
        self._storages: dict[Hashable, Storage] = {}
        self.changed = False
        self._asked: set[str] = set()            # what is seldom asked for, and has been
        self.loop_of: dict[Hashable, Hashable] = {}      # a loop that stands for another -> that one
        self.text = False            # something active was written as text, in this round as far as it has come
        self.text_in: set[Hashable] = set()      # the loops in which that is done
        self.reads_text = ""         # the name of a function that makes a number of what may be text
        self.twins = False           # what a call gives may be one container at several places
        self.foreign = False         # something comes from code, or objects, of which nothing is known
        self.escaping: set[Any] = set()      # functions made inside that containers hold, or that join others
        self.active_names: set[str] = set()  # those that methods of classes made inside read, and that are active
        self.of_classes: set[Any] = set()    # those that are parts of classes, which hold them otherwise
        self.stuck: set[Any] = set()         # functions that went down a structure, and then got one as deep again
        self.wanted: set[Any] = set()        # comprehensions of what isn't differentiated that must be followed
        self._joins: dict[tuple[int, int], tuple[Abstract, Abstract, Abstract]] = {}     # by identity, with operands
        self._assumed = 0            # how many lengths were taken to be equal for these
        self._equalities = Equalities({}, {})

    def note_text(self, loops: Iterable[Hashable]) -> None:
        new = {self.loop_of.get(loop, loop) for loop in loops}
        self.changed |= not new <= self.text_in
        self.text_in |= new
        self.text = True

    def may_hold_text(self, loops: Iterable[Hashable]) -> bool:
        """Whether what is read in these loops may be text of something active: it was written before, or goes round."""
        return self.text or not self.text_in.isdisjoint(self.loop_of.get(loop, loop) for loop in loops)

    def storages(self) -> Iterable[Storage]:
        return self._storages.values()

    def knows(self, site: Hashable) -> bool:
        """Whether something was made there before."""
        return site in self._storages

    def storage(self, site: Hashable, kind: str, origin: str = "fresh", hint: str = "",
                active: bool = False) -> Storage:
        """The storage of a place; nobody has asked yet whether a new one is active."""
        known = self._storages.get(site)
        if known is None:
            known = self._storages[site] = Storage(site, kind, origin, hint, active=active, number=len(self._storages))
        self.mark(known, active=active)
        return known

    def mark(self, storage: Storage, **facts: bool) -> None:
        """Facts that come true; few of them are read during the walk itself."""
        for name, value in facts.items():
            if value and not getattr(storage, name):
                setattr(storage, name, True)
                self.changed |= name in _READ_ON_THE_WAY or name in self._asked \
                    or name in _READ_OF_CONTAINERS and storage.kind != "array"

    def is_written(self, storage: Storage) -> bool:
        """Whether something writes into the storage, as far as is known yet."""
        self._asked.add("written")
        return storage.written

    def is_many(self, storage: Storage) -> bool:
        """Whether the storage may stand for several at once, as far as is known yet."""
        self._asked.add("many")
        return storage.many

    def written_groups(self) -> set[Storage]:
        """The groups that something writes into, as far as is known yet."""
        self._asked.add("group")
        return {s.group for s in self._storages.values() if self.is_written(s)}

    def groups(self, refs: Iterable[Ref]) -> set[Storage]:
        """The groups that are referred to, as far as is known yet."""
        self._asked.add("group")
        return {ref.storage.group for ref in refs}

    def note_resized(self, refs: Iterable[Ref], loops: Iterable[Hashable]) -> None:
        """These lists get longer or shorter in these loops."""
        new = {self.loop_of.get(loop, loop) for loop in loops}
        for ref in refs:
            self.changed |= not new <= ref.storage.group.resized
            ref.storage.group.resized |= new

    def resized_in(self, refs: Iterable[Ref], loop: Hashable) -> bool:
        """Whether one of these lists, or one that may be confused with it, is resized in the loop."""
        groups = self.groups(refs)
        return any(loop in s.resized for s in self._storages.values() if s.group in groups)

    def put(self, storage: Storage, key: Any, item: Abstract, kind: Value | None = UNKNOWN, seen: bool = True) -> None:
        """A container holds the item, in all iterations to come; kind: what kind of thing an unknown key is; seen:
        somebody may have asked before what it holds."""
        item = shallow(forgetful(item))
        self.escape(item.value)
        if key == "*" and storage.kind == "dict" and kind is not None:
            kind = forgetful(Abstract(kind)).value
            kinds = kind if storage.keys is None else join(storage.keys, kind)
            self.changed |= kinds != storage.keys and seen
            storage.keys = kinds
        old = storage.fields.get(key)
        new = item if old is None else self.join(old, item)
        if new != old:
            storage.fields[key] = new
            self.changed |= seen
        self._hold(item)

    def _hold(self, item: Abstract) -> None:
        for ref in item.refs:
            self.mark(ref.storage, loose=True, held=True)
        for part in item.items or ():
            self._hold(part)

    def escape(self, value: Value) -> None:
        """A function that is made inside isn't known any more by the name that it is bound to."""
        for kind in members(value):
            if isinstance(kind, Closure) and kind.function not in self.escaping | self.of_classes:
                self.escaping.add(kind.function)
                self.changed = True

    def want(self, item: Abstract) -> None:
        """More must be known of the value: comprehensions that it comes from are followed from now on."""
        for ref in item.refs:
            site = ref.storage.unfollowed
            self.changed |= site is not None and site not in self.wanted
            self.wanted |= {site} - {None}

    def unite(self, refs: Iterable[Ref]) -> None:
        roots = list({ref.storage.group: None for ref in refs})
        for other in roots[1:]:
            other.group_of = roots[0]
        self.changed |= len(roots) > 1 and "group" in self._asked

    def join(self, a: Abstract, b: Abstract) -> Abstract:
        """What is true of both: references are united, and so no longer exact."""
        if a is b:
            return a
        # loops join the same states again and again
        if self._assumed != self._equalities.assumed:
            self._joins, self._assumed = {}, self._equalities.assumed
        joins = self._joins
        known = joins.get((id(a), id(b)))
        if known is None:
            known = joins[id(a), id(b)] = (a, b, self._joined(a, b))
        return known[2]

    def take_up(self, equalities: Equalities) -> None:
        """Other lengths are assumed to be equal from now on."""
        self._equalities, self._joins = equalities, {}

    def _joined(self, a: Abstract, b: Abstract) -> Abstract:
        if a == b:
            return a
        if PENDING in (a.value, b.value):
            known = a if b.value == PENDING else b
            return known if known.partial else replace(known, partial=True)
        items = None
        if a.items is not None and b.items is not None and len(a.items) == len(b.items):
            items = tuple(self.join(p, q) for p, q in zip(a.items, b.items))
        if items is None:
            a, b = self._without_items(a), self._without_items(b)
        refs = a.refs | b.refs
        if a.refs != b.refs:
            refs = self._merge_refs(refs)
        return Abstract(self._join_values(a.value, b.value), refs, a.varied or b.varied, items,
                        a.partial or b.partial)

    def _without_items(self, item: Abstract) -> Abstract:
        """A tuple that isn't told apart any more from what else there may be: all of its items are in one."""
        if item.items is None:
            return item
        parts = [self._without_items(part) for part in item.items]
        refs = frozenset(Ref(ref.storage, None) if ref.storage.kind == "array" else ref
                         for p in parts for ref in p.refs)
        self.unite(refs)
        for ref in refs:
            self.mark(ref.storage, loose=True)
        return Abstract(item.value, refs, any(part.varied for part in parts), partial=item.partial)

    def _join_values(self, a: Value, b: Value) -> Value:
        """Lengths that are equal in this call are taken to be equal in every one, which is guarded."""
        if a != b:
            self.escape(a)
            self.escape(b)
        if isinstance(a, Array) and isinstance(b, Array) and a.dims and b.dims and len(a.dims) == len(b.dims):
            for p, q in zip(a.dims, b.dims):
                if p is not None and q is not None and p != q:
                    self._equalities.unify(p, q)
            a, b = self._equalities.canonical(a), self._equalities.canonical(b)
        return join(a, b)

    def _merge_refs(self, refs: frozenset[Ref]) -> frozenset[Ref]:
        by_storage: dict[Storage, set[Path]] = {}
        for ref in refs:
            by_storage.setdefault(ref.storage, set()).add(ref.path)
        merged = frozenset(Ref(s, next(iter(paths)) if len(paths) == 1 else None) for s, paths in by_storage.items())
        self.unite(merged)
        for ref in merged:
            self.mark(ref.storage, loose=len(by_storage) > 1 or ref.path is None)
        return merged


Env = dict[Any, Abstract]          # by name, or by Slot


def join_envs(heap: Heap, a: Env | None, b: Env | None) -> Env | None:
    """The state after two ways that meet; None is a way that never gets there."""
    if a is None or b is None:
        return b if a is None else a
    return merge_envs(heap, a, b)


def merge_envs(heap: Heap, a: Env, b: Env) -> Env:
    """What is true in both states."""
    out = dict(a)
    for name, item in b.items():
        own = a.get(name)
        if own is item:
            continue
        if own is not None:
            out[name] = heap.join(own, item)
        elif type(name) is not Slot:
            out[name] = item
    for slot in [name for name in a if type(name) is Slot and name not in b]:
        del out[slot]
    return out


def live_part(env: Env, live: Collection[str]) -> Env:
    """What is live of a state; what objects hold is."""
    return {name: item for name, item in env.items() if name in live or type(name) is Slot}


def drop_slots(env: Env, storages: Iterable[Storage] | None = None) -> None:
    """Nothing is known any more of what these objects (or all) hold now."""
    gone = None if storages is None else set(storages)
    for slot in [name for name in env if isinstance(name, Slot) and (gone is None or name.storage in gone)]:
        del env[slot]


def in_order(refs: Iterable[Ref]) -> list[Storage]:
    """The storages that are referred to, always in the same order."""
    found = list({ref.storage: None for ref in refs})
    return found if len(found) < 2 else sorted(found, key=lambda storage: storage.number)


def reach(items: Iterable[Abstract]) -> list[Storage]:
    """All storages that can be reached from the values."""
    out: dict[Storage, None] = {}
    todo = list(items)
    while todo:
        current = todo.pop()
        todo.extend(current.items or ())
        for ref in current.refs:
            if ref.storage not in out:
                out[ref.storage] = None
                todo.extend(ref.storage.fields.values())
    return list(out)


def shallow(item: Abstract) -> Abstract:
    """The same without what containers hold: their storages say that, and it may be the containers themselves."""
    if not any(ref.storage.kind != "array" for ref in item.refs):
        return item
    kinds = members(item.value)
    plain = tuple(_empty(kind) for kind in kinds)
    return item if plain == kinds else replace(item, value=one_of(plain))


def _empty(value: Value) -> Value:
    match value:
        case ListOf(_, cls):
            return ListOf(None, cls)
        case DictOf():
            return DictOf(())
        case ObjectOf(cls, _):
            return ObjectOf(cls, ())
    return value


def forgetful(item: Abstract, loop: int | None = None) -> Abstract:
    """What is known of the item when the iteration of this loop, or of any, is over (`lengths.forget`)."""
    value = forget(item.value, loop)
    items = None if item.items is None else tuple(forgetful(part, loop) for part in item.items)
    return item if value is item.value and items == item.items else replace(item, value=value, items=items)


def forget_name(heap: Heap, env: Env, name: str) -> None:
    """`name` gets another value: paths that mention it no longer say where a view lies."""
    for other, item in env.items():
        if item.refs and name in _names_in_paths(item):
            env[other] = Abstract(item.value, frozenset(
                Ref(ref.storage, None if ref.path and _mentions(ref.path, name) else ref.path) for ref in item.refs),
                item.varied, item.items, item.partial)
            for ref in item.refs:
                heap.mark(ref.storage, loose=bool(ref.path and _mentions(ref.path, name)))


def _names_in_paths(item: Abstract) -> frozenset[str]:
    # kept with the value, which never changes: every assignment asks it of every name
    known: frozenset[str] | None = item.__dict__.get("_names_in_paths")
    if known is None:
        known = item.__dict__["_names_in_paths"] = frozenset(
            name for ref in item.refs for step in ref.path or () for name in names_read(step))
    return known


def _mentions(path: tuple[Expr, ...], name: str) -> bool:
    return any(name in names_read(step) for step in path)
