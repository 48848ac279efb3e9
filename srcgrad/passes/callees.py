"""Functions that are called and not put in place: recursive ones and large ones.

Each is compiled to a forward function, which returns its result and a record of what its backward function will read,
and a backward function, which takes the record and the adjoint of the result and returns the adjoints of the active
arguments.  Arguments in storages that something writes have their adjoints in the shadow, which both share; so what
the arguments alias needn't be known.

A summary says what a call gives and writes; for recursive functions it is iterated from "never returns": rounds over
all that the first call leads to, each of which is looked at once a round, until nothing changes.
"""
from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.interpret.expressions import Evaluator, Refused
from srcgrad.analysis.interpret.interpreter import Entry, Facts, NeverReturns, Work
from srcgrad.analysis.interpret.new_classes import classes_in
from srcgrad.analysis.interpret.state import NOT_YET, NOTHING, Abstract, Env, Ref, Storage, in_order, reach, shallow
from srcgrad.analysis.interpret.texts import check_reader
from srcgrad.analysis.scope import Touched
from srcgrad.analysis.values import (
    PENDING,
    UNKNOWN,
    Array,
    Closure,
    DictOf,
    Known,
    Linear,
    ListOf,
    Number,
    ObjectOf,
    OneOf,
    TupleOf,
    Unknown,
    Value,
    join,
    members,
    number_of,
)
from srcgrad.errors import SrcgradError
from srcgrad.lang.core import At, Call, Code, Expr, Refuse
from srcgrad.lang.source import Found, find
from srcgrad.passes.descent import Descent, depth, goes_down
from srcgrad.passes.lifting import lifted_call
from srcgrad.passes.placeable import Kept, callee_of, can_inline
from srcgrad.passes.unit import lowered

MOST_KEYS = 3
MOST_ROUNDS = 20
MOST_WALKS = 60
DEEPEST = 4             # containers inside each other, of what a callee gives
FRESH = "fresh"
OUTER = "outer"
Owner = tuple[str, type | None]         # the kind of a storage, and its class


@dataclass(frozen=True)
class Template:
    """A result, without the heap that it lies in: sources are indices of arguments that it may share storage with.

    fields: what it holds, where it may be a container of this kind, and class.
    again: it may be an object of these classes, which lies in another one of its class and holds what is said there
    of all of them.
    """
    value: Value
    sources: frozenset[Any] = frozenset()
    active: bool = False
    items: tuple[Template, ...] | None = None
    fields: tuple[tuple[Owner, Any, Template], ...] = ()
    again: frozenset[Owner] = frozenset()


@dataclass
class Around:
    """What a template lies in where it is put into the heap of a caller: for each class, what objects of it hold.

    made: the objects that stand for all those inside of one of their class.  seen: storages that were put into.
    """
    whole: dict[Owner, Template] = field(default_factory=dict)
    made: dict[Owner, Storage] = field(default_factory=dict)
    seen: set[Storage] = field(default_factory=set)

    def with_(self, template: Template, storage: Storage) -> Around:
        """The same inside of the storage, which the template is of."""
        if storage.kind != "object":
            return self
        self.seen.add(storage)
        return Around({**self.whole, _owner_of(storage): template}, self.made, self.seen)

    def put_into(self, storage: Storage) -> bool:
        """Whether this was asked of the storage before."""
        known = storage in self.seen
        self.seen.add(storage)
        return known

    def held_by(self, template: Template, storage: Storage) -> list[tuple[Any, Template]]:
        """What the template, or the one around that speaks of all objects of a class, says the storage holds."""
        owner = _owner_of(storage)
        whole = self.whole.get(owner, template) if owner in template.again else template
        return [(name, part) for place, name, part in whole.fields if place == owner]


@dataclass(frozen=True)
class Summary:
    """What a call gives, and which arguments it writes; a result of None: no call has returned yet.

    outer: the name of an array that isn't local, and that it writes.  after: what containers among the arguments hold
    in the end.  refused: why it can't be differentiated, where that is why no call returns.  touched: names outside
    that it, or what it calls, reads and binds.  final: what else is found out won't change it.  text:
    something active is written as text.  reads_text: the function by which it makes numbers of what may be text.
    twins: what it gives may be one container at several places.
    """
    result: Template | None = None
    writes: frozenset[int] = frozenset()
    outer: str = ""
    after: tuple[tuple[int, Template], ...] = ()
    refused: tuple[str, str, At | None] | None = None
    touched: Touched = Touched()
    final: bool = False
    text: bool = False
    reads_text: str = ""
    twins: bool = False


@dataclass(frozen=True)
class Key:
    """A function with the kinds of its arguments and which are active.

    scope: its globals and cells, by identity, as one code has many closures.
    """
    code: types.CodeType
    scope: tuple[int, ...]
    values: tuple[Value, ...]
    active: tuple[bool, ...]


@dataclass(eq=False)
class Compiled:
    """The two functions, which are there once everything is compiled: generated code reaches them through cells.

    gives: the arguments whose adjoints the backward function returns; not all need be active in each call.
    either: those of them whose adjoints are in the shadow if they are arrays, and are returned if they are numbers.
    """
    name: str
    forward: types.CellType = field(default_factory=types.CellType)
    backward: types.CellType = field(default_factory=types.CellType)
    takes_shadow: bool = False
    gives: tuple[int, ...] = ()
    either: frozenset[int] = frozenset()


class Callees:
    """The callees of one compilation.

    lower(found, entry, callees) gives the facts of a function; build(found, entry, result_in_place, compiled,
    callees) compiles it and fills the cells.
    """

    def __init__(self, lower: Callable[..., Facts], build: Callable[..., str]) -> None:
        self._lower, self._build = lower, build
        self._summaries: dict[Key, Summary] = {}
        self._settled: dict[Key, None] = {}     # those whose summary won't change
        self._walked: dict[Key, None] = {}      # those that were looked at in this round; the first one is the head
        self._stable = True                     # whether no summary has changed in this round
        self._walks = 0                         # how often a function was looked at for its summary
        self._compiled: dict[Any, Compiled] = {}
        self._names: set[str] = set()
        self.texts: list[str] = []
        self.guards: dict[Any, Any] = {}
        self.kept = Kept()             # functions that are recursive
        self.complex = False           # complex numbers may come up where nothing is known of a value
        self.work = Work()

    # ------------------------------------------------------------ what a call gives

    def __call__(self, ev: Evaluator, expr: Call, function: Any, receiver: bool, args: list[Abstract],
                 kwargs: dict[str, Abstract], env: Env) -> Abstract | None:
        """The result of a call, or None if the function will be put in place."""
        if can_inline(function, receiver, self.kept):
            return None
        if isinstance(function, Closure):
            return lifted_call(ev, expr, function, env, self.kept.lifted, classes_in([*args, *kwargs.values()]))
        found = self.found(function, expr)
        items = self._bound(ev, found, expr, args, kwargs)
        if _is_unsettled(items, ev.optimistic):
            return NOT_YET
        goes_on = self._descends(ev, expr, found, items)
        if goes_on is not None:
            return None if goes_on else NOT_YET
        key = self._key(ev, found, items)
        if any(isinstance(item.value, Closure) for item in items):
            raise Refused(f"a function that is made inside is passed to `{found.name}`, which isn't put in place",
                          "define it outside, and pass what it needs as arguments", expr.at)
        self._check_classes(ev, found, items, expr)
        summary = self._summary(key, found)
        if summary.outer:
            raise Refused(f"`{found.name}`, which isn't put in place, writes to `{summary.outer}`, which isn't local",
                          "pass the array as an argument", expr.at)
        ev.touched_by_calls |= summary.touched
        if summary.reads_text:
            check_reader(ev, summary.reads_text, expr.at)
        if summary.text:
            ev.heap.note_text(ev.loops)
        if summary.result is None and summary.refused is not None:
            raise Refused(*summary.refused)
        if summary.result is None:
            raise NeverReturns
        active = any(i.active for i in items)
        for k in summary.writes:
            for storage in _reach(items[k]):
                ev.heap.mark(storage, written=True, active=active and storage.kind == "array",
                             shrinks=storage.kind in ("dict", "list"))
        for item in items:
            self._loosen(ev, item)
        for k, template in summary.after:
            self._put(ev, expr, template, items[k], items, (k,), Around())
        result = self._import(ev, expr, summary.result, items, (), Around())
        self._check_made(ev, found, [result, *items], expr)
        changed = [items[k] for k, _ in summary.after]
        self._confuse(ev, expr, result, changed)
        if summary.twins:
            ev.heap.twins = True
            _refuse_twins(ev, expr, [result, *changed])
        for item in (*items, result):
            _keep_together(ev, item)
        return result

    def _check_classes(self, ev: Evaluator, found: Found, items: list[Abstract], expr: Expr) -> None:
        """What classes that are made inside read means the same only where it is given."""
        missing = ev.new_classes.missing(found.function.__code__, classes_in(items))
        if missing is not None:
            raise Refused(f"`{found.name}`, which isn't put in place, is given an object of a class that is made "
                          f"inside, whose methods read {ev.new_classes.named(missing)}",
                          "keep what they read in the object", expr.at)

    def _check_made(self, ev: Evaluator, found: Found, items: list[Abstract], expr: Expr) -> None:
        """Each call makes its classes anew, so that none may get out."""
        made = ev.new_classes.classes
        if any(cls in made and made[cls].home is found.function for cls in classes_in(items)):
            raise Refused(f"`{found.name}`, which isn't put in place, gives an object of a class that it makes",
                          "define the class outside of it", expr.at)

    def _confuse(self, ev: Evaluator, expr: Expr, result: Abstract, changed: list[Abstract]) -> None:
        """What a callee gives may be what it has put into its arguments, and that may be one object several times."""
        new = [ref for item in (result, *changed) for part in reach([item]) for ref in (Ref(part, None),)
               if part.kind == "array" and isinstance(part.site, tuple) and part.site[:2] == (ev.site, id(expr))]
        if len(new) > 1:
            ev.heap.unite(frozenset(new))

    def _descends(self, ev: Evaluator, expr: Call, found: Found, items: list[Abstract]) -> bool | None:
        """Whether it is a recursive function that goes down the structure of an argument, which is noted; False if
        it did so far, and doesn't seem to go on, None if it isn't one."""
        code = found.function.__code__
        if ev.chains is None or callee_of(found.function, False, self.kept, True) is None:
            return None
        names = (p.name for p in lowered(found).params)
        depths = {name: n for name, item in zip(names, items) if (n := depth(item)) is not None}
        around = ev.chains.get(ev.site, ())
        began = any(isinstance(entry, Descent) and entry.code is code for entry in around)
        if goes_down(code, depths, around) is None:
            ev.heap.stuck |= {code} if began else set()
            return False if began else None
        if code in self.kept.circular and not began and not ev.optimistic:
            return False                # methods that are waited for may put more into its arguments
        ev.descents[ev.site, id(expr)] = depths
        return True

    def found(self, function: Any, expr: Expr) -> Found:
        try:
            found = find(function)
        except SrcgradError as error:
            raise Refused(error.what, error.remedy, expr.at) from None
        if found.bound or found.bound_kwargs:
            raise Refused("a recursive method or partial isn't supported yet", "make it a plain function", expr.at)
        return found

    def _loosen(self, ev: Evaluator, item: Abstract) -> None:
        todo, seen = [item], set()
        while todo:
            part = todo.pop()
            todo += part.items or ()
            for ref in part.refs:
                # the adjoint of a container is in the shadow, where the callee finds it
                ev.heap.mark(ref.storage, loose=True, written=ref.storage.kind != "array" and part.active)
                if ref.storage not in seen:
                    seen.add(ref.storage)
                    todo += ref.storage.fields.values()

    def _bound(self, ev: Evaluator, found: Found, expr: Call, args: list[Abstract],
               kwargs: dict[str, Abstract]) -> list[Abstract]:
        given = bind_parameters(lowered(found), found, expr, args, kwargs)
        return [ev.from_object(v.obj, ("default", v.obj), "outer", False) if isinstance(v, Default) else v
                for v in given]

    def key(self, facts: Facts, found: Found, items: list[Abstract]) -> Key:
        return self._key(facts.evaluator, found, items)

    def _key(self, ev: Evaluator, found: Found, items: list[Abstract]) -> Key:
        values = tuple(erase(ev.value(item)) for item in items)
        scope = (id(found.globals), *map(id, found.cells.values()))
        key = Key(found.function.__code__, scope, values, tuple(item.active for item in items))
        known = [k for k in {**self._settled, **self._walked} if (k.code, k.scope) == (key.code, scope)]
        if key in known or len(known) < MOST_KEYS:
            return key
        for other in known:
            values = tuple(join(a, b) for a, b in zip(values, other.values))
        active = tuple(any(k.active[i] for k in (key, *known)) for i in range(len(values)))
        return Key(key.code, scope, values, active)

    def _summary(self, key: Key, found: Found) -> Summary:
        """What a call gives; in the first one of several inside each other, all are looked at until none changes."""
        if key in self._settled or key in self._walked:
            return self._summaries[key]
        if self._walked:
            self._walk(key, found)
            return self._summaries[key]
        for _ in range(MOST_ROUNDS):
            self._stable = True
            self._walk(key, found)
            round_, self._walked = self._walked, {}
            if self._stable or self._walks > MOST_WALKS:
                break
        if not self._stable or self._walks > MOST_WALKS:
            self._summaries[key] = Summary(refused=(f"`{found.name}` calls itself with too many kinds of arguments",
                                                    "make its arguments alike in all calls", None))
        self._settled.update(round_)
        return self._summaries[key]

    def _walk(self, key: Key, found: Found) -> None:
        """Looks at the function once, with what is known so far of those that it calls."""
        self._walked[key] = None
        old = self._summaries.setdefault(key, Summary())
        self._walks += 1
        if self._walks > MOST_WALKS or old.final:
            return
        entry = Entry(symbolic(key, found), _indices(key.active), is_call=True)
        new = self._summarise(found, self._lower(found, entry, self))
        self._stable = self._stable and new == old
        self._summaries[key] = new

    def _summarise(self, found: Found, facts: Facts) -> Summary:
        params = [p.name for p in lowered(found).params]
        sources = {}
        writes = set()
        # what may be confused with a storage that is written has its adjoint in the shadow too: the caller must know
        written = {s.group for s in facts.heap.storages() if s.written}
        for k, name in enumerate(params):
            for storage in _reach(facts.entry.get(name, NOTHING)):
                if storage.origin != "fresh":       # what the callee has put there is new to the caller
                    sources[storage] = k
                if storage.group in written:
                    writes.add(k)
        outer = next((s.hint for s in facts.heap.storages() if s.origin == "outer" and s.kind == "array" and s.written),
                     "")
        self.guards.update(facts.guards)
        touched = facts.evaluator.touched | facts.evaluator.touched_by_calls
        texts: dict[str, Any] = {"text": facts.heap.text, "reads_text": facts.heap.reads_text}
        if facts.result is NOTHING and not facts.returns:
            refusal = next(((r.what, r.remedy, r.at or stmt.at) for stmt, r in facts.refused.items()), None)
            refusal = refusal or next(((stmt.what, stmt.remedy, stmt.at) for stmt in facts.before
                                       if isinstance(stmt, Refuse)), None)
            return Summary(None, frozenset(writes), outer, refused=refusal, touched=touched, **texts)
        try:
            after = tuple((k, self._export(facts, item, sources, ())) for k, name in enumerate(params)
                          if k in writes and _holds_more(item := facts.entry.get(name, NOTHING)))
            result = self._export(facts, facts.result, sources, ())
        except _TooDeep:
            refusal = (f"what `{found.name}`, which isn't put in place, gives is nested too deeply to be followed",
                       "make objects of a class of your own, or keep the parts in one list", None)
            return Summary(None, frozenset(writes), outer, refused=refusal, touched=touched, **texts, final=True)
        given: dict[Any, Abstract] = {k: facts.entry.get(params[k], NOTHING) for k, _ in after}
        given["result"] = facts.result
        twins = facts.heap.twins or _gives_twins(given, sources)
        return Summary(result, frozenset(writes), outer, after, touched=touched, **texts, twins=twins)

    def _export(self, facts: Facts, item: Abstract, sources: Mapping[Any, int], above: tuple[Owner, ...]) -> Template:
        refs = frozenset(sources.get(ref.storage, OUTER if ref.storage.origin == "outer" else FRESH)
                         for ref in item.refs)
        value = erase(facts.value_of(item))
        if item.items is not None:
            parts = tuple(self._export(facts, i, sources, (*above, ("tuple", None))) for i in item.items)
            return Template(value, refs, item.active, parts)
        held: dict[tuple[Owner, Any], Abstract] = {}
        again: set[Owner] = set()
        for storage in in_order(item.refs):
            owner, deep = _owner_of(storage), len(above) >= DEEPEST
            if storage.kind == "object" and owner in above:
                again.add(owner)
                continue
            if deep and storage.kind in ("list", "dict") and storage.fields and storage not in sources:
                raise _TooDeep
            for one in () if deep else _alike(storage):
                for name, part in one.fields.items():
                    held[owner, name] = facts.heap.join(held[owner, name], part) if (owner, name) in held else part
        fields = ((*place, self._export(facts, part, sources, (*above, place[0]))) for place, part in held.items())
        return Template(value, refs, item.active, None, tuple(fields), frozenset(again))

    def _put(self, ev: Evaluator, expr: Expr, template: Template, item: Abstract, items: list[Abstract],
             path: tuple, around: Around) -> None:
        """What a callee has put into a container that it was given is there from now on."""
        for k, part in enumerate(template.items or ()):
            if item.items is not None and k < len(item.items):
                self._put(ev, expr, part, item.items[k], items, (*path, k), around)
        for storage in in_order(item.refs):
            owner = _owner_of(storage)
            if owner in template.again and around.put_into(storage):
                continue
            inside = around if owner in template.again else around.with_(template, storage)
            for name, part in inside.held_by(template, storage):
                held = storage.fields.get(name)
                if held is not None:
                    self._put(ev, expr, part, held, items, (*path, name), inside)
                ev.heap.put(storage, name, self._import(ev, expr, part, items, (*path, name), inside))

    def _import(self, ev: Evaluator, expr: Expr, template: Template, items: list[Abstract], path: tuple,
                around: Around) -> Abstract:
        if template.items is not None:
            parts = tuple(self._import(ev, expr, t, items, (*path, k), around) for k, t in enumerate(template.items))
            return Abstract(template.value, items=parts)
        refs: set[Ref] = set()
        for source in template.sources:
            if source in (FRESH, OUTER):
                made = self._fresh(ev, expr, template, items, (*path, OUTER) if source == OUTER else path, around)
                refs.update(Ref(storage, ()) for storage in made)
                if source == OUTER and any(storage.written for storage in made):
                    raise Refused("what isn't local is given by a call of a function that isn't put in place, and is "
                                  "written", "pass it as an argument", expr.at)
            else:
                refs.update(Ref(s, None if s.kind == "array" else ()) for s in _reach(items[source])
                            if _may_mean(template.value, s))
        if len(refs) > 1:
            ev.heap.unite(refs)
        for ref in refs:
            ev.heap.mark(ref.storage, loose=True)
        return shallow(Abstract(template.value, frozenset(refs), template.active and not refs))

    def _fresh(self, ev: Evaluator, expr: Expr, template: Template, items: list[Abstract], path: tuple,
               around: Around) -> list[Storage]:
        """New storages, one for each kind of thing that the value may be and that has one."""
        made: list[Storage] = []
        new: list[Storage] = []
        for kind, cls in _owners(template.value):
            if (kind, cls) in template.again:
                known = around.made.get((kind, cls))
                if known is None:
                    known = around.made[kind, cls] = ev.storage(expr, kind, ("again", kind, cls))
                    ev.heap.mark(known, many=True)
                    new.append(known)
                made.append(known)
            else:
                made.append(ev.storage(expr, kind, path if not made else (*path, (kind, cls)),
                                       template.active and kind == "array"))
                new.append(made[-1])
            made[-1].cls = cls
        for storage in new:
            inside = around if _owner_of(storage) in template.again else around.with_(template, storage)
            for name, part in inside.held_by(template, storage):
                ev.heap.put(storage, name, self._import(ev, expr, part, items, (*path, name), inside))
        return made

    # ------------------------------------------------------------ their code

    def code_for(self, key: Key, found: Found, in_place: tuple[bool, ...], result_in_place: bool) -> Compiled:
        """The two functions for these kinds of arguments; in_place says whose adjoints are in the shadow."""
        full = (key, in_place, result_in_place)
        if full not in self._compiled:
            made = self._compiled[full] = Compiled(self._name(found.name))
            made.takes_shadow = result_in_place or any(in_place)
            made.either = frozenset(k for k, value in enumerate(key.values) if in_place[k] and may_hold_numbers(value))
            made.gives = tuple(k for k, active in enumerate(key.active)
                               if active and (not in_place[k] or k in made.either))
            entry = Entry(symbolic(key, found), _indices(key.active), in_place=_indices(in_place), is_call=True)
            self.texts.append(self._build(found, entry, result_in_place, made, self))
        return self._compiled[full]

    def _name(self, name: str) -> str:
        number, candidate = 1, name
        while candidate in self._names:
            candidate, number = f"{name}_{number}", number + 1
        self._names.add(candidate)
        return candidate


def _is_unsettled(items: list[Abstract], optimistic: bool) -> bool:
    """Whether the arguments aren't known until other functions have been put in place."""
    held = [*items, *(part for storage in reach(items) for part in storage.fields.values())]
    return any(item.value == PENDING or item.partial and not optimistic for item in held)


def _keep_together(ev: Evaluator, item: Abstract) -> None:
    """Caller and callee must agree on where adjoints are: in the shadow those of all arrays of a value, or of none."""
    reached = _reach(item)
    written = ev.heap.written_groups()
    if item.active and any(s.kind != "array" or s.group in written for s in reached):
        for storage in reached:
            ev.heap.mark(storage, written=True, loose=True)


def _holds_more(item: Abstract) -> bool:
    """Whether the value holds containers, into which something may be put."""
    return any(s.kind != "array" for s in _reach(item))


def _refuse_twins(ev: Evaluator, expr: Expr, items: list[Abstract]) -> None:
    """Refuses what is changed where the callee may have given one object at two places: each looks new here."""
    made = [s for s in reach(items)
            if s.kind != "array" and isinstance(s.site, tuple) and s.site[:2] == (ev.site, id(expr))]
    for k, storage in enumerate(made):
        for other in made[:k]:
            if _owner_of(storage) == _owner_of(other) and (storage.written or other.written) \
                    and not _inside(storage.site[2], other.site[2]):      # type: ignore[index]
                raise Refused("what this call gives may be one object at several places, and is changed",
                              "copy what you change, or let the function give one object", expr.at)


def _inside(a: tuple, b: tuple) -> bool:
    """Whether one of two places is in the other."""
    return a[:len(b)] == b or b[:len(a)] == a


def _gives_twins(items: Mapping[Any, Abstract], known: Mapping[Any, int]) -> bool:
    """Whether one container that the callee makes is at two places of what it gives."""
    places: dict[Storage, tuple] = {}
    todo: list[tuple[tuple, Abstract, frozenset[Storage]]] = [((k,), item, frozenset()) for k, item in items.items()]
    while todo:
        path, item, around = todo.pop()
        todo += [((*path, k), part, around) for k, part in enumerate(item.items or ())]
        for storage in {ref.storage for ref in item.refs if ref.storage.kind != "array"} - around:
            if storage not in known and not _inside(places.setdefault(storage, path), path):
                return True
            todo += [((*path, name), part, around | {storage}) for name, part in storage.fields.items()]
    return False


class _TooDeep(Exception):
    """There are lists or dicts inside each other of which it isn't known where that ends."""


def _alike(storage: Storage) -> list[Storage]:
    """The storage, and what it leads to of its class, where objects lie inside each other: nobody tells these apart."""
    if storage.kind != "object":
        return [storage]
    owner = _owner_of(storage)
    inside = reach([part for part in storage.fields.values()])
    return [storage, *(s for s in inside if s is not storage and _owner_of(s) == owner)]


def _owners(value: Value) -> list[Owner]:
    """The kinds of storages that such a value may lie in."""
    found: dict[Owner, None] = {}
    for kind in members(value):
        match kind:
            case ListOf(_, cls):
                found["list", cls] = None
            case DictOf():
                found["dict", None] = None
            case ObjectOf(cls, _):
                found["object", cls] = None
            case Array() | TupleOf() | Unknown():
                found["array", None] = None
    return list(found) or [("array", None)]


def _owner_of(storage: Storage) -> Owner:
    general = {"list": list, "object": object}.get(storage.kind)
    return storage.kind, None if general is None else storage.cls or general


def _may_mean(value: Value, storage: Storage) -> bool:
    """Whether a value may lie in a storage."""
    if value == UNKNOWN:
        return True
    kinds = {"array": (Array,), "list": (ListOf,), "dict": (DictOf,), "object": (ObjectOf,)}[storage.kind]
    return any(isinstance(m, kinds) and (not isinstance(m, (ListOf, ObjectOf)) or m.cls is (storage.cls or list))
               for m in members(value))


def may_hold_numbers(value: Value) -> bool:
    """Whether a part of the adjoint of a value in the shadow may not be there: that of a number, or in a tuple."""
    return value == UNKNOWN or isinstance(value, (TupleOf, OneOf)) or isinstance(value, Array) and value.dims is None


@dataclass(frozen=True)
class Default:
    """The default value of a parameter that a call leaves out."""
    obj: Any


def bind_parameters(code: Code, found: Found, expr: Call, args: list[Any],
                    kwargs: Mapping[Any, Any]) -> list[Any]:
    """The arguments of a call in the order of the parameters."""
    given, named, out = list(args), dict(kwargs), []
    for param in code.params:
        default = found.signature.parameters[param.name].default
        if param.kind in ("varargs", "varkw"):
            raise Refused("a recursive function with * or ** in its parameters isn't supported yet",
                          "name the parameters", expr.at)
        if given and param.kind in ("positional", "normal"):
            out.append(given.pop(0))
        elif param.name in named:
            out.append(named.pop(param.name))
        elif default is not found.signature.empty:
            out.append(Default(default))
        else:
            raise Refused(f"`{code.name}` is called without its argument `{param.name}`", "pass it", expr.at)
    if given or named:
        raise Refused(f"`{code.name}` is called with arguments that it doesn't take", "check the call", expr.at)
    return out


def symbolic(key: Key, found: Found) -> tuple[Value, ...]:
    """The kinds of the arguments with a symbol for every length."""
    params = [p.name for p in lowered(found).params]
    return tuple(_with_symbols(value, name) for name, value in zip(params, key.values))


def _with_symbols(value: Value, path: str) -> Value:
    match value:
        case Array(dtype, dims) if dims is not None:
            return Array(dtype, tuple(Linear.symbol((path, k)) for k in range(len(dims))))
        case TupleOf(items, cls):
            return TupleOf(tuple(_with_symbols(v, f"{path}[{k}]") for k, v in enumerate(items)), cls)
    return value


def erase(value: Value) -> Value:
    """The value without lengths and without the values of numbers, so that recursion meets few kinds."""
    match value:
        case Array(dtype, dims):
            return Array(dtype, None if dims is None else tuple(None for _ in dims))
        case TupleOf(items, cls):
            return TupleOf(tuple(map(erase, items)), cls)
        case ListOf(item, cls):
            return ListOf(None if item is None else erase(item), cls)
        case DictOf(items, other):
            return DictOf(tuple((k, erase(v)) for k, v in items), None if other is None else erase(other))
        case ObjectOf(cls, fields):
            return ObjectOf(cls, tuple((k, erase(v)) for k, v in fields))
        case OneOf(kinds):
            return functools.reduce(join, map(erase, kinds))
        case Known(obj) if isinstance(obj, bool):
            return Number("bool")
    number = number_of(value)
    return value if number is None else Number(number.kind, number.dtype)


def _indices(flags: tuple[bool, ...]) -> frozenset[int]:
    return frozenset(k for k, flag in enumerate(flags) if flag)


def _reach(item: Abstract) -> list[Any]:
    out: list[Any] = []
    todo = [item]
    while todo:
        current = todo.pop()
        todo.extend(current.items or ())
        for ref in current.refs:
            if ref.storage not in out:
                out.append(ref.storage)
                todo.extend(ref.storage.fields.values())
    return out
