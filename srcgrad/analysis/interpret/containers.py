"""What lists, dicts, tuples and objects hold: displays, and what is read from them and put into them.

A field of one particular object, or the value at a constant key of one particular dict, is followed like a name (a
`Slot` of the environment).  Everything else is the join of all that is ever put there (`Storage.fields`).
"""
from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.interpret import operations, quiet
from srcgrad.analysis.interpret.refused import NeverReturns, Refused
from srcgrad.analysis.interpret.rewrites import Make
from srcgrad.analysis.interpret.state import NOT_YET, Abstract, Env, Ref, Slot, Storage
from srcgrad.analysis.values import PENDING, UNKNOWN, DictOf, Known, ListOf, TupleOf, Value, join, number_of
from srcgrad.lang.core import (
    At,
    Attr,
    Bin,
    Call,
    Compare,
    Const,
    Dict,
    Effect,
    Expr,
    If,
    Item,
    List,
    Name,
    Refuse,
    Star,
    Statement,
    Store,
    Tuple,
)

if TYPE_CHECKING:
    from srcgrad.analysis.interpret.expressions import Evaluator

ANY = "*"           # the key of what stands at keys that aren't known


# ---------------------------------------------------------------- reading and writing

def constant_key(value: Value) -> Any:
    """The key that a value certainly is, or ANY."""
    if isinstance(value, Known) and (value.obj is None or isinstance(value.obj, (str, int, float, Enum))):
        return value.obj
    number = number_of(value)
    if number is not None and number.kind == "int" and number.linear is not None:
        constant = number.linear.constant
        return ANY if constant is None else constant
    return ANY


def read(ev: Evaluator, owner: Abstract, key: Any, env: Env) -> Abstract | None:
    """What the owner holds at a constant key, or anywhere; None where nothing was ever put."""
    found = [item for ref in owner.refs for item in _held(ref.storage, key, env)]
    return functools.reduce(ev.heap.join, found) if found else None


def _held(storage: Storage, key: Any, env: Env) -> list[Abstract]:
    slot = Slot(storage, key)
    if slot in env:
        return [env[slot]]
    if storage.kind == "list" or key == ANY:
        return list(storage.fields.values())
    if storage.cls is defaultdict:
        return [storage.fields[k] for k in (key, ANY) if k in storage.fields]
    return [storage.fields[k] for k in (key, ANY) if k in storage.fields][:1]


def surely(storage: Storage, key: Any, env: Env) -> bool:
    """Whether the container certainly has the key here."""
    return Slot(storage, key) in env or storage.has(key)


def write(ev: Evaluator, owner: Abstract, key: Any, value: Abstract, env: Env, kind: Value = UNKNOWN) -> None:
    """`owner[key] = value`, or a field of that name; kind: what kind of thing an unknown key is."""
    exact = len(owner.refs) == 1
    for ref in owner.refs:
        ev.heap.mark(ref.storage, written=True)
        put(ev, ref.storage, key, value, env, exact, kind)


def put(ev: Evaluator, storage: Storage, key: Any, value: Abstract, env: Env, exact: bool,
        kind: Value | None = UNKNOWN, seen: bool = True) -> None:
    ev.heap.put(storage, key, value, kind, seen)
    if key == ANY:
        for known in [k for k in storage.fields if k != ANY]:
            ev.heap.put(storage, known, value, seen=seen)
        for slot in [s for s in env if isinstance(s, Slot) and s.storage is storage]:
            env[slot] = ev.heap.join(env[slot], value)
        return
    slot = Slot(storage, key)
    if exact and storage.single and storage.kind != "list":
        env[slot] = value
    elif slot in env:
        env[slot] = ev.heap.join(env[slot], value)


def note_key(ev: Evaluator, owner: Abstract, key: Abstract) -> None:
    """A key that is active makes the dict active: it may be read again."""
    if key.active:
        for ref in owner.refs:
            ev.heap.mark(ref.storage, keyed=ref.storage.kind == "dict")


def a_key(owner: Abstract) -> Abstract:
    """Any of the keys of a dict."""
    return Abstract(key_kinds(owner), varied=is_keyed(owner))


def is_keyed(owner: Abstract) -> bool:
    """Whether the value may be a dict whose keys are active."""
    return any(ref.storage.keyed for ref in owner.refs)


def key_kinds(owner: Abstract) -> Value:
    """What kind of thing the keys of a dict are."""
    kinds: list[Value] = []
    for ref in owner.refs:
        kinds += [Known(k) for k in ref.storage.fields if k != ANY]
        if ANY in ref.storage.fields:
            kinds.append(ref.storage.keys or UNKNOWN)
    return functools.reduce(join, kinds) if kinds else UNKNOWN


def remove(ev: Evaluator, owner: Abstract, key: Any, env: Env) -> None:
    """`del owner[key]`"""
    for ref in owner.refs:
        ev.heap.mark(ref.storage, written=True, shrinks=True)
        for slot in [s for s in env if isinstance(s, Slot) and s.storage is ref.storage and key in (ANY, s.key)]:
            del env[slot]


def born(ev: Evaluator, expr: Expr, kind: str, pairs: Iterable[tuple[Any, Abstract]], env: Env,
         cls: type | None = None) -> Storage:
    """A new storage that holds these items."""
    # what objects of a class hold is asked for together
    seen = kind == "object" or ev.heap.knows(ev.place(expr))
    storage = ev.storage(expr, kind)
    storage.cls = cls
    for slot in [s for s in env if isinstance(s, Slot) and s.storage is storage]:
        del env[slot]
    pairs = list(pairs)
    storage.born_with = frozenset(k for k, _ in pairs if k != ANY)
    for key, item in pairs:
        put(ev, storage, key, item, env, True, None, seen)
    return storage


# ---------------------------------------------------------------- displays

def tuple_(ev: Evaluator, expr: Tuple, env: Env) -> Abstract:
    items: list[Abstract] = []
    for part in expr.items:
        items.extend(spread(ev, part, env) if isinstance(part, Star) else [ev(part, env)])
    return of_items(ev, items)


def of_items(ev: Evaluator, items: Iterable[Abstract], cls: type = tuple) -> Abstract:
    """A tuple of these items."""
    items = tuple(items)
    return Abstract(TupleOf(tuple(ev.value(i) for i in items), cls), items=items)


def spread(ev: Evaluator, expr: Star, env: Env) -> list[Abstract]:
    item = ev(expr.value, env)
    if item.items is None:
        raise Refused("the length of what is spread here isn't known", "name the elements one by one", expr.at)
    return list(item.items)


def list_(ev: Evaluator, expr: List, env: Env) -> Abstract:
    if any(isinstance(part, Star) and ev(part.value, env).active for part in expr.items):
        for part in expr.items:
            ev(part.value if isinstance(part, Star) else part, env)
        return ev.rewrite(expr, lambda parts, make: _concatenated(make, expr, parts))
    items: list[Abstract] = []
    for part in expr.items:
        items.extend(_spread_into_list(ev, part, env) if isinstance(part, Star) else [ev(part, env)])
    storage = born(ev, expr, "list", [(ANY, item) for item in items], env)
    ev.displays[id(expr)] = TupleOf(tuple(map(ev.argument_value, expr.items, items))) \
        if not any(isinstance(part, Star) for part in expr.items) else UNKNOWN
    return Abstract(ListOf(None), frozenset((Ref(storage),)))


def _concatenated(make: Make, expr: List, parts: tuple[Expr, ...]) -> Expr:
    """[*a, b, *c]   ->   a list that a, [b] and c go into"""
    first: list[Expr] = []
    new: Name | None = None
    for part in parts:
        if new is None and not isinstance(part, Star):
            first.append(part)
            continue
        if new is None:
            new = make.bind(List(tuple(first), at=expr.at), "items")
        value = part.value if isinstance(part, Star) else List((part,), at=expr.at)
        make.add(Effect(Call(Attr(new, "extend"), (value,), at=expr.at), at=expr.at))
    assert new is not None
    return new


def _spread_into_list(ev: Evaluator, part: Star, env: Env) -> list[Abstract]:
    item = ev(part.value, env)
    if item.items is not None:
        return list(item.items)
    value = ev.value(item)
    if isinstance(value, ListOf):
        return [] if value.item is None else [ev.element(item)]
    if item.active:
        raise Refused("the length of what is spread here isn't known", "use `extend`", part.at)
    return [Abstract()]


def dict_(ev: Evaluator, expr: Dict, env: Env) -> Abstract:
    pairs: list[tuple[Any, Abstract]] = []
    keyed = False
    if not ev.optimistic and any(key is None and ev(value, env).value == PENDING
                                 for key, value in zip(expr.keys, expr.values)):
        return NOT_YET
    if any(key is None and ev(value, env).active for key, value in zip(expr.keys, expr.values)):
        known: list[tuple[Any, ...] | None] = [None if key is None else () for key in expr.keys]
        open_ends = False
        for k, (key, value) in enumerate(zip(expr.keys, expr.values)):
            if key is not None:
                ev(key, env)
            item = ev(value, env)
            if key is None and (found := sure_keys(ev, item, expr.at)) is not None:
                known[k] = tuple(found)
                open_ends |= not is_settled(ev, item)
        if None in known:
            return ev.rewrite(expr, lambda parts, make: _filled(make, expr, parts))
        return ev.rewrite(expr, lambda parts, make: _listed(make, expr, parts, known, open_ends))
    loose: list[Value] = []
    for key, value in zip(expr.keys, expr.values):
        if key is None:
            pairs.extend(_spread_keys(ev, value, env))
        else:
            made = ev(key, env)
            quiet.check_inside(ev, (made,), quiet.KEY, key.at)
            keyed |= made.active
            kind = ev.value(made)
            pairs.append((constant_key(kind), ev(value, env)))
            loose += [kind] if pairs[-1][0] == ANY else []
    storage = born(ev, expr, "dict", pairs, env)
    for kind in loose:
        ev.heap.put(storage, ANY, storage.fields[ANY], kind)
    ev.heap.mark(storage, keyed=keyed)
    return Abstract(DictOf(()), frozenset((Ref(storage),)))


OTHER_KEYS = "this dict has other keys than it was known to have"


def sure_keys(ev: Evaluator, item: Abstract, at: At | None = None) -> list[Any] | None:
    """The keys of a dict, where all of them are known and there for life; as long as that isn't settled, one that is
    empty is taken for one that is filled.  at: where other keys may have come up later, in an earlier attempt."""
    found = keys(item)
    if at in ev.wrong_guesses:
        return None
    if not item.refs or ANY in found or not found and not is_settled(ev, item):
        return None
    return found if all(ref.storage.has(key) for ref in item.refs for key in found) else None


def is_settled(ev: Evaluator, item: Abstract) -> bool:
    """Whether nothing that waits for a rewriting may yet change what is known of the value."""
    return not (item.partial or ev.pending or ev.replacements or ev.comprehensions or ev.written_out)


def no_more_keys(owner: Expr, keys: Sequence[Any], at: At | None) -> Statement:
    """What is known of the keys isn't settled, so it is looked at when the program runs."""
    other = Compare(Call(Name("len"), (owner,), at=at), ("!=",), (Const(len(keys)),), at=at)
    return If(other, (Refuse(OTHER_KEYS, "Loop over its items.", at=at),),
              at=at)


def _listed(make: Make, expr: Dict, parts: tuple[Expr, ...], known: list[tuple[Any, ...] | None],
            open_ends: bool) -> Expr:
    """{**d, "k": v}   ->   {"a": d["a"], "k": v}"""
    rest = iter(parts)
    pairs: dict[Expr, Expr] = {}
    for key, found in zip(expr.keys, known):
        if key is not None:
            made = next(rest)
            pairs[made] = next(rest)
            continue
        held = make.bind(next(rest))
        if open_ends:
            make.add(no_more_keys(held, found or (), expr.at))
        pairs.update((Const(k), Item(held, Const(k))) for k in found or ())
    return Dict(tuple(pairs), tuple(pairs.values()), at=expr.at)


def _filled(make: Make, expr: Dict, parts: tuple[Expr, ...]) -> Expr:
    """{**d, "k": v}   ->   a dict that is filled"""
    rest = iter(parts)
    pairs = [(None if key is None else next(rest), next(rest)) for key in expr.keys]
    plain: list[tuple[Expr, Expr]] = []
    new: Name | None = None
    for key, value in pairs:
        if key is not None and new is None:
            plain.append((key, value))
            continue
        if new is None:
            new = make.bind(Dict(tuple(k for k, _ in plain), tuple(v for _, v in plain), at=expr.at), "entries")
        if key is None:
            make.add(Effect(Call(Attr(new, "update"), (value,), at=expr.at), at=expr.at))
        else:
            make.add(Store(Item(new, key), None, value, at=expr.at))
    assert new is not None
    return new


def _spread_keys(ev: Evaluator, value: Expr, env: Env) -> list[tuple[Any, Abstract]]:
    item = ev(value, env)
    kind = ev.value(item)
    if not isinstance(kind, DictOf):
        if item.active:
            raise Refused("it isn't known what `**` spreads here", "name the keys one by one", value.at)
        return [(ANY, Abstract())]
    return [(key, part) for key in keys(item) if (part := read(ev, item, key, env)) is not None]


def keys(item: Abstract) -> list[Any]:
    """All keys that a dict may have, ANY among them where not all are known."""
    return list(dict.fromkeys(key for ref in item.refs for key in ref.storage.fields))


# ---------------------------------------------------------------- sequences

def joined(ev: Evaluator, expr: Bin, left: Abstract, right: Abstract) -> Abstract | None:
    """`a + b` and `a * n` of lists and tuples."""
    a, b = ev.value(left), ev.value(right)
    if expr.op == "+" and isinstance(a, TupleOf) and isinstance(b, TupleOf) and left.items is not None \
            and right.items is not None:
        return of_items(ev, left.items + right.items)
    if expr.op == "*":
        count = number_of(b) or number_of(a)
        times = None if count is None or count.linear is None else count.linear.constant
        items = left.items if isinstance(a, TupleOf) else right.items if isinstance(b, TupleOf) else None
        if items is not None and times is not None:
            return of_items(ev, items * times)
    several = [(item, kind.cls) for item, kind in ((left, a), (right, b)) if isinstance(kind, (ListOf, TupleOf))]
    classes = {list if issubclass(cls, list) else tuple for _, cls in several}
    if len(classes) == 1 and (len(several) == 2 or number_of(a) is not None or number_of(b) is not None):
        return list_of(ev, expr, [item for item, _ in several], *classes)
    return None


def list_of(ev: Evaluator, expr: Expr, sources: Iterable[Abstract], cls: type = list) -> Abstract:
    """A new list, or tuple, of what these containers hold."""
    storage = ev.storage(expr, "list")
    storage.cls = cls
    for source in sources:
        for item in source.items or ():
            ev.heap.put(storage, ANY, item)
        for ref in source.refs:
            for item in list(ref.storage.fields.values()):
                ev.heap.put(storage, ANY, item)
    return Abstract(ListOf(None, cls), frozenset((Ref(storage),)))


def tuple_item(ev: Evaluator, expr: Item, items: tuple[Abstract, ...], index: Abstract) -> Abstract:
    key = index.value
    number = number_of(key)
    if number is not None and number.linear is not None and number.linear.constant is not None:
        if not -len(items) <= number.linear.constant < len(items):
            raise NeverReturns
        return items[number.linear.constant]
    if isinstance(key, operations.SliceOf):
        return of_items(ev, items[_constant_slice(ev, expr, key)])
    return functools.reduce(ev.heap.join, items) if items else Abstract()


def _constant_slice(ev: Evaluator, expr: Item, key: operations.SliceOf) -> slice:
    bounds: list[int | None] = []
    for part in (key.lower, key.upper, key.step):
        number = None if part is None else number_of(part)
        known = None if number is None or number.linear is None else number.linear.constant
        if known is None and part not in (None, Known(None)):
            raise Refused("the bounds of this slice of a tuple aren't known", "take the elements by index", expr.at)
        bounds.append(known)
    return slice(*bounds)


def item(ev: Evaluator, expr: Expr, owner: Abstract, index: Abstract, env: Env) -> Abstract:
    """`owner[index]` of a list or a dict."""
    if isinstance(index.value, operations.SliceOf):
        value = ev.value(owner)
        return list_of(ev, expr, [owner], value.cls if isinstance(value, ListOf) else list)
    for ref in owner.refs:
        if ref.storage.cls is defaultdict:
            ev.heap.put(ref.storage, ANY, ref.storage.fields[ANY], ev.value(index))
            note_key(ev, owner, index)
    found = read(ev, owner, constant_key(index.value), env)
    return Abstract(varied=owner.varied) if found is None else found


def item_of_unknown(ev: Evaluator, found: Abstract, index: Abstract, env: Env) -> Abstract:
    """`found`, an item of what it refers to: a part of an array, or what a list or a dict holds."""
    boxes = frozenset(ref for ref in found.refs if ref.storage.kind in ("list", "dict"))
    if not boxes or ev.value(index) == UNKNOWN or isinstance(index.value, operations.SliceOf):
        return replace(found, refs=ev.view(found, None))
    arrays = replace(found, refs=found.refs - boxes)
    rest = replace(found, refs=ev.view(arrays, None))
    held = read(ev, replace(found, refs=boxes), constant_key(index.value), env)
    return rest if held is None else replace(ev.heap.join(rest, held), value=found.value)
