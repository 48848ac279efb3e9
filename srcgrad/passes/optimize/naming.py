"""Give the temporaries that are left names as a person would: a, b, c, ..., and a_bar for the adjoint of a."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from srcgrad.lang import core
from srcgrad.lang.core import Bind, For, Name, Statement, Store, Unpack
from srcgrad.lang.names import bound_by
from srcgrad.passes.optimize.copies import map_expressions
from srcgrad.passes.optimize.effects import Block, captured

# without those that are read as counters, or mistaken for digits
LETTERS = "abcdefghpqrstuvwxyz"
_STEM = re.compile(r"^(.+?)((?:_bar|_dot|_saved)*)$")


def rename_temporaries(block: Block, temporaries: frozenset[str], taken: frozenset[str]) -> Block:
    """The block with its temporaries named by letters in the order of the text, adjoints like what they belong to.

    A letter is passed over where it, or the adjoint's name made from it, is in `taken` or stands in the block::

        t1 = np.exp(x)             a = np.exp(x)
        t4_bar = y_bar * t1   ->   b_bar = y_bar * a
        t1_bar = t4_bar + 1        a_bar = b_bar + 1
    """
    found = list(dict.fromkeys(_names(block)))
    fixed = captured(block)
    stems: dict[str, list[str]] = {}
    for name in found:
        if name in temporaries and name not in fixed:
            stems.setdefault(stem_of(name), []).append(name)
    busy = taken | (frozenset(found) - {name for names in stems.values() for name in names}) | fixed
    return rename(block, _letters(stems, busy))


def stem_of(name: str) -> str:
    """What the name belongs to: x for x_bar and x_saved."""
    match = _STEM.match(name)
    return match[1] if match else name


def _letters(stems: dict[str, list[str]], busy: frozenset[str]) -> dict[str, str]:
    candidates, out = _candidates(), {}
    for stem, names in stems.items():
        suffixes = [name[len(stem):] for name in names]
        letter = next(c for c in candidates if busy.isdisjoint({c, f"{c}_bar", *(c + s for s in suffixes)}))
        out.update({name: letter + suffix for name, suffix in zip(names, suffixes)})
    return out


def _candidates() -> Iterator[str]:
    yield from LETTERS
    for number in count(1):
        yield from (f"{letter}{number}" for letter in LETTERS)


def _names(block: Block) -> Iterator[str]:
    """All names in the order of the text: what a statement binds, then what it reads, then the blocks inside."""
    for stmt in core.statements(block):
        yield from bound_by(stmt)
        for expr in core.expressions(stmt):
            for node in core.walk(expr):
                if isinstance(node, Name):
                    yield node.id
                elif isinstance(node, (core.Opaque, core.Function)):
                    yield from sorted(core.names_read(node))


def rename(block: Block, names: dict[str, str]) -> Block:
    """The block with names replaced wherever they are bound or read, but for functions and comprehensions inside."""
    values: dict[str, core.Expr] = {old: Name(new) for old, new in names.items()}
    return tuple(_rename_statement(stmt, names, values) for stmt in block)


def _rename_statement(stmt: Statement, names: dict[str, str], values: dict[str, core.Expr]) -> Statement:
    whole = stmt.place if isinstance(stmt, Store) else None
    stmt = map_expressions(stmt, lambda e: core.substitute(e, values))
    match stmt:
        case Bind() | Unpack():
            if not names.keys().isdisjoint(stmt.names):
                stmt = replace(stmt, names=tuple(names.get(n, n) for n in stmt.names))
        case For():
            stmt = replace(stmt, target=names.get(stmt.target, stmt.target))
        case Store() if whole is not None:
            stmt = replace(stmt, place=core.substitute(whole, values))
        case core.Try(_, handlers, _, _):
            stmt = replace(stmt, handlers=tuple((e and core.substitute(e, values), n and names.get(n, n), b)
                                                for e, n, b in handlers))
        case core.With(items, _):
            stmt = replace(stmt, items=tuple((e, n and names.get(n, n)) for e, n in items))
    return core.with_blocks(stmt, tuple(rename(inner, names) for inner in core.blocks(stmt)))
