"""The core form: what every program is rewritten into, and what every pass reads and returns.

Expressions are frozen and compared by structure; where they came from (`at`) doesn't count.
Statements are frozen and compared by identity, so that facts can be kept in dictionaries beside
them.  A pass never changes a node: it builds new ones.

The grammar (verified between passes by `lang.verify`)::

    block   = statement*
    statement =
        Bind      names = values          parallel: all values are evaluated, then all names bound
        Unpack    names = value           one value taken apart by iteration
        Store     place = value           place is an Item or an Attr
                  place op= value         or a Name: `a += b`, which rebinds a number and writes an array
        Effect    value                   an expression evaluated for what it does
        If, For, While, Try, With, Return, Jump, Refuse, Comment
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = [name for name in (
    "At Expr Name Const Bin Unary Compare Bool Cond Call Star Yield Attr Item Slice Tuple List Dict Function Opaque "
    "Statement Bind Unpack Store Effect If For While Try With Return Jump Refuse Comment Param Code "
    "children rebuild walk names_read map_expr substitute expressions with_expressions blocks with_blocks statements "
    "suspends replace").split()]


@dataclass(frozen=True)
class At:
    """A place in the user's source: columns count characters from 0, lines from 1 in `file`."""
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


# ---------------------------------------------------------------- expressions

@dataclass(frozen=True)
class Expr:
    at: At | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Name(Expr):
    id: str


@dataclass(frozen=True, eq=False)
class Const(Expr):
    """A literal: number, string, bytes, bool, None or Ellipsis.  1, 1.0 and True differ, and so do 0.0 and -0.0."""
    value: Any

    def _key(self):
        return type(self.value), repr(self.value)

    def __eq__(self, other):
        return isinstance(other, Const) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


@dataclass(frozen=True)
class Bin(Expr):
    """op is one of + - * / // % ** @ << >> & | ^"""
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Unary(Expr):
    """op is one of + - ~ not"""
    op: str
    operand: Expr


@dataclass(frozen=True)
class Compare(Expr):
    """left ops[0] rights[0] ops[1] ...; an op is one of == != < <= > >= is, is not, in, not in."""
    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@dataclass(frozen=True)
class Bool(Expr):
    """op is and / or."""
    op: str
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class Cond(Expr):
    """body if test else orelse"""
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(frozen=True)
class Call(Expr):
    """kwargs are pairs (name, value); the name None stands for **value."""
    func: Expr
    args: tuple[Expr, ...] = ()
    kwargs: tuple[tuple[str | None, Expr], ...] = ()


@dataclass(frozen=True)
class Star(Expr):
    """*value in a call, a tuple, a list or a subscript"""
    value: Expr


@dataclass(frozen=True)
class Yield(Expr):
    """yield value: as a whole statement (Effect) or as the only value of one (Bind), in a generator"""
    value: Expr


@dataclass(frozen=True)
class Attr(Expr):
    value: Expr
    name: str


@dataclass(frozen=True)
class Item(Expr):
    """value[index]"""
    value: Expr
    index: Expr


@dataclass(frozen=True)
class Slice(Expr):
    """lower:upper:step, in an index only"""
    lower: Expr | None = None
    upper: Expr | None = None
    step: Expr | None = None


@dataclass(frozen=True)
class Tuple(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class List(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Dict(Expr):
    """A key of None stands for **value."""
    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Function(Expr):
    """A lambda or a nested def: its code, and its free names (read when it is called)."""
    code: Code
    free: tuple[str, ...]
    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Opaque(Expr):
    """Python that no pass looks into (an f-string, a comprehension): the gast node, and the names it reads."""
    node: Any
    reads: tuple[str, ...]
    __eq__ = object.__eq__
    __hash__ = object.__hash__


# ---------------------------------------------------------------- statements

@dataclass(frozen=True, eq=False)
class Statement:
    at: At | None = field(default=None, repr=False, kw_only=True)


@dataclass(frozen=True, eq=False)
class Bind(Statement):
    names: tuple[str, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Unpack(Statement):
    """star is the index of the name that takes what the others leave (`a, *b = v`), or None."""
    names: tuple[str, ...]
    value: Expr
    star: int | None = None


@dataclass(frozen=True, eq=False)
class Store(Statement):
    """place = value, or place op= value with op one of + - * / // % ** @ ...; a Name as place needs an op."""
    place: Expr
    op: str | None
    value: Expr


@dataclass(frozen=True, eq=False)
class Effect(Statement):
    value: Expr


@dataclass(frozen=True, eq=False)
class If(Statement):
    test: Expr
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()


@dataclass(frozen=True, eq=False)
class For(Statement):
    """managed: it is the body of a `with` over a generator, in which what the body raises arrives at the `yield`.
    result: what the iterator returns when it has ended, of `result = yield from iter`."""
    target: str
    iter: Expr
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()
    managed: bool = False
    result: str | None = None


@dataclass(frozen=True, eq=False)
class While(Statement):
    test: Expr
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()


@dataclass(frozen=True, eq=False)
class Try(Statement):
    """handlers are triples (exception or None, name or None, block)."""
    body: tuple[Statement, ...]
    handlers: tuple[tuple[Expr | None, str | None, tuple[Statement, ...]], ...]
    orelse: tuple[Statement, ...] = ()
    final: tuple[Statement, ...] = ()


@dataclass(frozen=True, eq=False)
class With(Statement):
    """items are pairs (manager, name or None)."""
    items: tuple[tuple[Expr, str | None], ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Return(Statement):
    value: Expr


@dataclass(frozen=True, eq=False)
class Jump(Statement):
    """break, continue, pass, or raise with its value."""
    kind: str
    value: Expr | None = None


@dataclass(frozen=True, eq=False)
class Refuse(Statement):
    """Raises when it is reached; to the analyses it never ends."""
    what: str
    remedy: str


@dataclass(frozen=True, eq=False)
class Comment(Statement):
    """A comment line of the generated source."""
    text: str


@dataclass(frozen=True)
class Param:
    """kind is one of `positional`, `normal`, `varargs`, `keyword`, `varkw`."""
    name: str
    kind: str = "normal"
    default: Expr | None = None
    annotation: Expr | None = None


@dataclass(frozen=True, eq=False)
class Code:
    """A function in core form; it binds `nonlocals` around it, some of them among the `globals` of its module."""
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    at: At | None = None
    nonlocals: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()


# ---------------------------------------------------------------- walking

# A table by class, since nothing is called as often.
_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Bin: lambda e: (e.left, e.right),
    Unary: lambda e: (e.operand,),
    Compare: lambda e: (e.left, *e.rights),
    Bool: lambda e: e.values,
    Cond: lambda e: (e.test, e.body, e.orelse),
    Call: lambda e: (e.func, *e.args, *(v for _, v in e.kwargs)) if e.kwargs else (e.func, *e.args),
    Star: lambda e: (e.value,),
    Yield: lambda e: (e.value,),
    Attr: lambda e: (e.value,),
    Item: lambda e: (e.value, e.index),
    Slice: lambda e: tuple(part for part in (e.lower, e.upper, e.step) if part is not None),
    Tuple: lambda e: e.items,
    List: lambda e: e.items,
    Dict: lambda e: tuple(part for pair in zip(e.keys, e.values) for part in pair if part is not None),
}


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions, in the order of evaluation."""
    parts = _CHILDREN.get(type(expr))
    return () if parts is None else parts(expr)


def rebuild(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """The same node over new children (as many, in the order of `children`)."""
    at = expr.at
    match expr:
        case Bin(op, _, _):
            return Bin(op, *new, at=at)
        case Unary(op, _):
            return Unary(op, *new, at=at)
        case Compare(_, ops, _):
            return Compare(new[0], ops, new[1:], at=at)
        case Bool(op, _):
            return Bool(op, new, at=at)
        case Cond():
            return Cond(*new, at=at)
        case Call(_, args, kwargs):
            n = 1 + len(args)
            return Call(new[0], new[1:n], tuple((k, v) for (k, _), v in zip(kwargs, new[n:])), at=at)
        case Star():
            return Star(*new, at=at)
        case Yield():
            return Yield(*new, at=at)
        case Attr(_, name):
            return Attr(new[0], name, at=at)
        case Item():
            return Item(*new, at=at)
        case Slice(lower, upper, step):
            it = iter(new)
            return Slice(*(None if e is None else next(it) for e in (lower, upper, step)), at=at)
        case Tuple():
            return Tuple(new, at=at)
        case List():
            return List(new, at=at)
        case Dict(keys, _):
            it = iter(new)
            pairs = [(None if k is None else next(it), next(it)) for k in keys]
            return Dict(tuple(k for k, _ in pairs), tuple(v for _, v in pairs), at=at)
    return expr


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all its subexpressions, parents first."""
    # kept with the node, which never changes
    known: tuple[Expr, ...] | None = expr.__dict__.get("_walked")
    if known is None:
        known = expr.__dict__["_walked"] = _walked(expr)
    return iter(known)


def _walked(expr: Expr) -> tuple[Expr, ...]:
    found, left = [], [expr]
    while left:
        node = left.pop()
        found.append(node)
        left.extend(children(node)[::-1])
    return tuple(found)


def map_expr(function, expr: Expr) -> Expr:
    """`function` applied to every node from the leaves upwards; nodes that don't change are kept."""
    old = children(expr)
    new = tuple(map_expr(function, child) for child in old)
    if any(a is not b for a, b in zip(old, new)):
        expr = rebuild(expr, new)
    return function(expr)


def names_read(expr: Expr) -> frozenset[str]:
    """All names that evaluating the expression may read."""
    # kept with the node, which never changes
    known: frozenset[str] | None = expr.__dict__.get("_names_read")
    if known is None:
        known = expr.__dict__["_names_read"] = _names_read(expr)
    return known


def _names_read(expr: Expr) -> frozenset[str]:
    match expr:
        case Name(name):
            return frozenset((name,))
        case Opaque(_, names) | Function(_, names):
            return frozenset(names)
    return frozenset().union(*map(names_read, children(expr)))


def substitute(expr: Expr, values: dict[str, Expr]) -> Expr:
    """The expression with names replaced by expressions."""
    # most that is looked at reads none of them
    if values.keys().isdisjoint(names_read(expr)):
        return expr
    if isinstance(expr, Name):
        return values[expr.id]
    old = children(expr)
    new = tuple(substitute(child, values) for child in old)
    return expr if all(map(operator.is_, old, new)) else rebuild(expr, new)


_EXPRESSIONS: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Bind: lambda s: s.values,
    Unpack: lambda s: (s.value,),
    Effect: lambda s: (s.value,),
    Return: lambda s: (s.value,),
    Store: lambda s: (s.place, s.value),
    If: lambda s: (s.test,),
    While: lambda s: (s.test,),
    For: lambda s: (s.iter,),
    Try: lambda s: tuple(e for e, _, _ in s.handlers if e is not None),
    With: lambda s: tuple(e for e, _ in s.items),
    Jump: lambda s: () if s.value is None else (s.value,),
}


def expressions(stmt: Statement) -> tuple[Expr, ...]:
    """The expressions that the statement itself evaluates (not those of the blocks inside)."""
    parts = _EXPRESSIONS.get(type(stmt))
    return () if parts is None else parts(stmt)


def with_expressions(stmt: Statement, new: tuple[Expr, ...]) -> Statement:
    """The same statement, as a new one, over new expressions (as many, in the order of `expressions`)."""
    match stmt:
        case Bind():
            return replace(stmt, values=new)
        case Unpack() | Effect() | Return():
            return replace(stmt, value=new[0])
        case Store():
            return replace(stmt, place=new[0], value=new[1])
        case If() | While():
            return replace(stmt, test=new[0])
        case For():
            return replace(stmt, iter=new[0])
        case With(items, _):
            return replace(stmt, items=tuple((e, name) for e, (_, name) in zip(new, items)))
        case Try(_, handlers, _, _):
            left = iter(new)
            return replace(stmt, handlers=tuple((e and next(left), name, b) for e, name, b in handlers))
        case Jump(_, value):
            return replace(stmt, value=None if value is None else new[0])
    return replace(stmt)


_BLOCKS: dict[type, Callable[[Any], tuple[tuple[Statement, ...], ...]]] = {
    If: lambda s: (s.body, s.orelse),
    For: lambda s: (s.body, s.orelse),
    While: lambda s: (s.body, s.orelse),
    Try: lambda s: (s.body, *(b for _, _, b in s.handlers), s.orelse, s.final),
    With: lambda s: (s.body,),
}


def blocks(stmt: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks inside a compound statement."""
    parts = _BLOCKS.get(type(stmt))
    return () if parts is None else parts(stmt)


def with_blocks(stmt: Statement, new: tuple[tuple[Statement, ...], ...]) -> Statement:
    """The same statement over new blocks (as many, in the order of `blocks`); itself where they are the same."""
    if type(stmt) not in _BLOCKS or all(map(_same, blocks(stmt), new)):
        return stmt
    match stmt:
        case If() | For() | While():
            return replace(stmt, body=new[0], orelse=new[1])
        case Try(_, handlers, _, _):
            n = len(handlers)
            caught = tuple((e, name, b) for (e, name, _), b in zip(handlers, new[1:n + 1]))
            return replace(stmt, body=new[0], handlers=caught, orelse=new[n + 1], final=new[n + 2])
        case With():
            return replace(stmt, body=new[0])
    return stmt


def _same(one: tuple[Statement, ...], other: tuple[Statement, ...]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))


def statements(block: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements of a block and of the blocks inside, in the order of the text."""
    out: list[Statement] = []
    for stmt in block:
        out.append(stmt)
        if type(stmt) in _BLOCKS:
            out += _inside(stmt)
    return iter(out)


def _inside(stmt: Statement) -> tuple[Statement, ...]:
    # kept with the statement, which never changes
    known: tuple[Statement, ...] | None = stmt.__dict__.get("_inside")
    if known is None:
        known = stmt.__dict__["_inside"] = tuple(s for block in blocks(stmt) for s in statements(block))
    return known


def suspends(block: tuple[Statement, ...]) -> bool:
    """Whether the block, as a function's body, is that of a generator."""
    return any(isinstance(e, Yield) for stmt in statements(block) for e in expressions(stmt))
