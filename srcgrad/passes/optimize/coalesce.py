"""Give versions of a name the user's own name back, where they don't get into each other's way."""
from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from srcgrad.lang import core
from srcgrad.lang.core import (
    Bind,
    Expr,
    For,
    If,
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
)
from srcgrad.lang.names import bound, bound_by
from srcgrad.passes.optimize.effects import Block, block_expressions, captured, owner_of_shape
from srcgrad.passes.optimize.naming import rename, stem_of

Names = frozenset[str]
_NUMBERED = re.compile(r"^(.+)_[0-9]+$")
_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def coalesce(block: Block, params: Iterable[str], origin: Mapping[str, str], keep: Names = frozenset(),
             alike: Callable[[str, str], bool] = lambda a, b: False) -> Block:
    """The block with numbered names named like what they are versions of, along with their adjoints and saved values.

    Two names become one only if neither is bound while the other is still read, so that nothing else changes.
    `origin` tells what versions are versions of; other numbered names lose their number, except those in `keep`.
    `alike` tells which names certainly are arrays of one shape and dtype: then `np.zeros_like(x)` may read either. ::

        x_1 = np.tanh(x @ w)               x = np.tanh(x @ w)
        x_1_bar = y_bar @ v.T       ->     x_bar = y_bar @ v.T
        w_bar = x_1.T @ x_1_bar            w_bar = x.T @ x_bar
    """
    params = tuple(params)
    here = dict.fromkeys(name for stmt in core.statements(block) for name in bound_by(stmt))
    bases = _bases(here, origin, keep.union(params))
    versions = [(stem, base) for stem, base in bases.items() if stem in here]
    mixed = {name for pair in versions for name in pair if not alike(*pair)}
    while more := {name for pair in versions for name in pair if not mixed.isdisjoint(pair)} - mixed:
        mixed |= more           # versions of versions may become one name with it
    shapes = frozenset(name for pair in versions for name in pair) - mixed
    fixed = captured(block) | _guarded(block) | _read_from_outside(block, {*here, *params})
    merging = _Merging(_Interference(block, params, shapes), fixed)
    families = _families(here)
    for stem, base in bases.items():
        merging.rename(stem, families[stem], base)
    return _without_idle(rename(block, merging.names))


def _bases(names: Iterable[str], origin: Mapping[str, str], keep: Names) -> dict[str, str]:
    """What names are versions of, by stem."""
    out: dict[str, str] = {}
    for stem, family in _families(names).items():
        base = origin.get(stem) or _without_number(stem)
        if base is not None and keep.isdisjoint((stem, *family)):
            out[stem] = base
    return out


def _families(names: Iterable[str]) -> dict[str, list[str]]:
    """Names by what they belong to: x_1, x_1_bar and x_1_saved to x_1."""
    out: dict[str, list[str]] = {}
    for name in names:
        out.setdefault(stem_of(name), []).append(name)
    return out


def _without_number(name: str) -> str | None:
    match = _NUMBERED.match(name)
    return match[1] if match else None


def _read_from_outside(block: Block, local: set[str]) -> Names:
    return frozenset(n for expr in block_expressions(block) for n in core.names_read(expr)) - local


def _guarded(block: Block) -> Names:
    """Names in statements that exceptions may leave at any place."""
    out: set[str] = set()
    for stmt in core.statements(block):
        if isinstance(stmt, (Try, With)):
            out |= bound((stmt,)).union(*map(core.names_read, block_expressions((stmt,))))
    return frozenset(out)


def _without_idle(block: Block) -> Block:
    """The block without `x = x`."""
    return tuple(core.with_blocks(stmt, tuple(map(_without_idle, core.blocks(stmt)))) for stmt in block
                 if not (isinstance(stmt, Bind) and all(Name(n) == v for n, v in zip(stmt.names, stmt.values))))


class _Merging:
    """Classes of names that become one name; the class of a name that stays is called by it."""

    def __init__(self, apart: _Interference, fixed: Names) -> None:
        self.edges, self.fixed = apart.edges, fixed
        self.names: dict[str, str] = {}
        self._versions: dict[str, list[str]] = defaultdict(list)

    def rename(self, stem: str, family: list[str], base: str) -> None:
        """Names the family like the base, or else like an earlier version of it, if nothing stands in the way."""
        versions = self._versions[base]
        for candidate in (base, *versions):
            pairs = [(name, candidate + name[len(stem):]) for name in family]
            if all(self._may_merge(old, new) for old, new in pairs):
                for old, new in pairs:
                    self._merge(old, new)
                return
        versions.append(stem)

    def _may_merge(self, old: str, new: str) -> bool:
        return self.fixed.isdisjoint((old, new)) and new not in _RESERVED and new not in self.edges[old]

    def _merge(self, old: str, new: str) -> None:
        self.names[old] = new
        self.edges[new] |= self.edges[old]
        for other in self.edges[old]:
            self.edges[other].add(new)


class _Interference:
    """`edges[x]`: the names that are live where x is bound, or bound where x is live.

    A walk from the end to the beginning; loops are walked until nothing more is live at their heads.
    Reading only the shape of a name in `shapes` doesn't make it live.
    """

    def __init__(self, block: Block, params: tuple[str, ...], shapes: Names) -> None:
        self._shapes = shapes
        self.edges: defaultdict[str, set[str]] = defaultdict(set)
        self._breaks: list[Names] = []
        self._continues: list[Names] = []
        self._bound(params, self._block(block, frozenset()))

    def _bound(self, names: tuple[str, ...], live: Names, source: str | None = None) -> Names:
        """Notes that names are bound where others are live; a copy may share its source's name."""
        for name in names:
            new = live.union(names) - {name, source} - self.edges[name]
            self.edges[name] |= new
            for other in new:
                self.edges[other].add(name)
        return live - set(names)

    def _block(self, block: Block, live: Names) -> Names:
        for stmt in reversed(block):
            live = self._statement(stmt, live)
        return live

    def _statement(self, stmt: Statement, live: Names) -> Names:
        match stmt:
            case Bind((name,), (Name(source),)):
                live = self._bound((name,), live, source)
            case Bind() | Unpack() | Store(Name()):
                live = self._bound(bound_by(stmt), live)
            case If(_, body, orelse):
                live = self._block(body, live) | self._block(orelse, live)
            case For() | While():
                return self._loop(stmt, live)
            case Try() | With():
                live = live.union(*(self._block(b, live) for b in core.blocks(stmt)))
            case Return() | Refuse() | Jump("raise"):
                live = frozenset()
            case Jump("break"):
                live = self._breaks[-1]
            case Jump("continue"):
                live = self._continues[-1]
        return live | self._read(stmt)

    def _loop(self, stmt: For | While, live: Names) -> Names:
        target = (stmt.target,) if isinstance(stmt, For) else ()
        test = self._read(stmt) if isinstance(stmt, While) else frozenset()
        head = self._block(stmt.orelse, live) | test
        while True:
            self._breaks.append(live)
            self._continues.append(head)
            before = self._bound(target, self._block(stmt.body, head))
            self._breaks.pop()
            self._continues.pop()
            if before <= head:
                return head | self._read(stmt)
            head |= before

    def _read(self, stmt: Statement) -> Names:
        return frozenset().union(*(self._names(e) for e in core.expressions(stmt)))

    def _names(self, expr: Expr) -> Names:
        if owner_of_shape(expr) in self._shapes:
            return core.names_read(expr) - self._shapes
        if isinstance(expr, (Name, core.Opaque, core.Function)):
            return core.names_read(expr)
        return frozenset().union(*map(self._names, core.children(expr)))
