"""What statements read and write: the facts by which the passes decide what may move, go or be evaluated again.

A *key* is either `('name', id)`, the binding of a name, or `('content', storage)`, what a mutable object holds.
"""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bind, Call, Effect, Expr, Function, Item, Name, Opaque, Statement, Store
from srcgrad.lang.names import bound_by

Key = tuple[str, Hashable]
Keys = frozenset[Key]
Block = tuple[Statement, ...]

NOTHING: Keys = frozenset()
# methods of lists, dicts, sets and arrays that change their object, and nothing else
MUTATORS = frozenset("append extend insert pop remove clear sort reverse fill put itemset partition resize setflags "
                     "update setdefault popitem add discard".split())
# what an array keeps for life, whatever is written into it
SHAPE_ATTRIBUTES = frozenset("shape ndim size dtype itemsize nbytes".split())
SHAPE_FUNCTIONS = frozenset("shape ndim size zeros_like ones_like empty_like".split())


@dataclass(frozen=True)
class Effects:
    """What the passes can't see from the text.

    `pure(expr)`: evaluating has no effect, so the expression may be dropped, moved, or evaluated again.
    `storages[name]`: the mutable storages whose content the value of the name reaches, wherever it is bound
    in the function; names that are absent are immutable values.
    `arrays`: those storages that are arrays, so that their shape and dtype never change.
    `integers`: names that never mean anything but an integer.
    """
    pure: Callable[[Expr], bool]
    storages: Mapping[str, frozenset[Hashable]]
    arrays: frozenset[Hashable] = frozenset()
    integers: frozenset[str] = frozenset()
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)    # answers, with what they are of

    def contents(self, names: Iterable[str]) -> Keys:
        """The keys of all that the values of these names hold."""
        return frozenset(("content", token) for name in names for token in self.storages.get(name, ()))


def hazard(a: Keys, b: Keys) -> bool:
    """Whether one of the two writes what the other reads (or writes)."""
    return not a.isdisjoint(b)


# ---------------------------------------------------------------- reads

def reads(expr: Expr, effects: Effects) -> Keys:
    """All keys that evaluating the expression may read; the shape of an array isn't its content.

    `u[1:] * c` reads the names `u` and `c`, and what u's storages hold; `u.shape` reads the name alone.
    """
    found, answer = effects.known.get(("reads", id(expr)), (None, NOTHING))
    if found is not expr:
        out: set[Key] = set()
        _read(expr, effects, out)
        answer = frozenset(out)
        effects.known["reads", id(expr)] = expr, answer
    return answer


def _read(expr: Expr, effects: Effects, out: set[Key]) -> None:
    if (owner := owner_of_shape(expr)) is not None and effects.storages.get(owner, frozenset()) <= effects.arrays:
        out.update(("name", name) for name in core.names_read(expr))
        return
    if isinstance(expr, (Name, Opaque, Function)):
        names = core.names_read(expr)
        out.update(("name", name) for name in names)
        out.update(effects.contents(names))
    for child in core.children(expr):
        _read(child, effects, out)


def owner_of_shape(expr: Expr) -> str | None:
    """The array whose shape or dtype is all that the expression asks for."""
    match expr:
        case Attr(Name(owner), name) if name in SHAPE_ATTRIBUTES:
            return owner
        case Call(Attr(Name("np"), name), (Name(owner),), ()) if name in SHAPE_FUNCTIONS:
            return owner
    return None


def statement_reads(stmt: Statement, effects: Effects) -> Keys:
    """What the statement itself reads, blocks inside left out; `u[i] = v` reads the name u but not its content."""
    answer: Keys | None = effects.known.get(("statement", stmt))
    if answer is None:
        out: set[Key] = set()
        for expr in core.expressions(stmt):
            if isinstance(stmt, Store) and expr is stmt.place and stmt.op is None:
                out |= place_reads(expr, effects)
            else:
                _read(expr, effects, out)
        answer = effects.known["statement", stmt] = frozenset(out)
    return answer


def place_reads(place: Expr, effects: Effects) -> Keys:
    """What has to be evaluated to find the place: the name it hangs on, and indices."""
    match place:
        case Item(Name(id), index):
            return frozenset({("name", id)}) | reads(index, effects)
        case Attr(Name(id), _):
            return frozenset({("name", id)})
    return reads(place, effects)


# ---------------------------------------------------------------- writes

def writes(stmt: Statement, effects: Effects) -> Keys:
    """All keys that the statement may write, blocks inside included."""
    answer: Keys | None = effects.known.get(stmt)
    if answer is None:
        inner = (writes(s, effects) for block in core.blocks(stmt) for s in block)
        answer = effects.known[stmt] = header_writes(stmt, effects).union(*inner)
    return answer


def header_writes(stmt: Statement, effects: Effects) -> Keys:
    """As `writes`, without the blocks inside."""
    answer: Keys | None = effects.known.get(("header", stmt))
    if answer is None:
        out: set[Key] = {("name", name) for name in bound_by(stmt)}
        if isinstance(stmt, Store):
            out |= _stored(stmt.place, effects)
        for expr in core.expressions(stmt):
            out |= written(expr, effects)
        answer = effects.known["header", stmt] = frozenset(out)
    return answer


def _stored(place: Expr, effects: Effects) -> Keys:
    if isinstance(place, Name):
        return effects.contents((place.id,))
    names = core.names_read(owner(place))
    # nobody knows what is stored into: then at least nothing that reads these names passes
    return effects.contents(names) or frozenset(("name", name) for name in names)


def owner(place: Expr) -> Expr:
    """What the place is a part of: `u` of `u[i].x[j]`."""
    while isinstance(place, (Item, Attr)):
        place = place.value
    return place


def written(expr: Expr, effects: Effects) -> Keys:
    """The contents that evaluating the expression may write: none if it is pure."""
    if effects.pure(expr):
        return NOTHING
    children = core.children(expr)
    inner = frozenset().union(*(written(child, effects) for child in children))
    if isinstance(expr, (Call, Opaque, Function)) or not inner:
        changed = receiver(expr)
        own = effects.contents(core.names_read(changed)) if changed is not None else NOTHING
        inner |= own or effects.contents(core.names_read(expr))
    return inner


def receiver(expr: Expr) -> Expr | None:
    """The object whose own method is called to change it, such as `saved` in `saved.append(x)`."""
    match expr:
        case Call(Attr(value, name), _, ()) if name in MUTATORS:
            return value
    return None


def arguments(stmt: Statement) -> tuple[Expr, ...]:
    """What the statement evaluates before the effect of its outermost call.

    In `f(g(x), y)` g may write something before y is read; what f writes comes after all reads.
    """
    outermost = stmt.values if isinstance(stmt, Bind) and len(stmt.values) == 1 else (
        (stmt.value,) if isinstance(stmt, Effect) else ())
    return tuple(part for expr in core.expressions(stmt) for part in (
        core.children(expr) if isinstance(expr, Call) and any(expr is e for e in outermost) else (expr,)))


def argument_writes(stmt: Statement, effects: Effects) -> Keys:
    """What is written while the statement still evaluates its arguments."""
    return frozenset().union(*(written(part, effects) for part in arguments(stmt)))


# ---------------------------------------------------------------- names of a whole block

def block_expressions(block: Block) -> Iterator[Expr]:
    """All expressions of all statements, those of the blocks inside included."""
    return (expr for stmt in core.statements(block) for expr in core.expressions(stmt))


def captured(block: Block) -> frozenset[str]:
    """Names read where no pass can follow: inside functions, comprehensions and the like, now or later."""
    return frozenset().union(*(_captured(expr) for expr in block_expressions(block)))


def _captured(expr: Expr) -> frozenset[str]:
    # kept with the node, which never changes
    known: frozenset[str] | None = expr.__dict__.get("_captured")
    if known is None:
        known = expr.__dict__["_captured"] = frozenset().union(
            *(core.names_read(node) for node in core.walk(expr) if isinstance(node, (Opaque, Function))))
    return known
