"""Jumps: `break` ends a branch at the end of a loop's body, `return` ends the function; `continue` and `else` are gone.

    for i in r:                         returned = False
        if a: continue                  for i in r:
        if b: return x        ->            if not a:
        s = s + i                               if b:
    return s                                        result = x
                                                    returned = True
                                                    break
                                                else:
                                                    s = s + i
                                        if not returned:
                                            result = s
                                        return result

What follows a branch that jumps moves into its other arm; only where it would have to be copied too often, and after
loops, `with` and `try`, a flag says how the block was left, and only if something there depends on it.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from srcgrad.lang import core, names
from srcgrad.lang.core import (
    Bind,
    Bool,
    Code,
    Const,
    Expr,
    For,
    If,
    Jump,
    Name,
    Return,
    Statement,
    Try,
    Unary,
    While,
)
from srcgrad.passes.lower.returns import COPIED, duplicate, ends

Block = tuple[Statement, ...]
Known = frozenset[str]


def single_exit(code: Code) -> Code:
    """The function with one return, at its end, and every `break` at the end of its loop's body.

    >>> from srcgrad.lang import printing, templates
    >>> block = templates.parse_block("for i in r:\\n    if a:\\n        continue\\n    s = s + i\\nreturn s")
    >>> print(printing.function(single_exit(Code("f", (), block))), end="")
    def f():
        for i in r:
            if not a:
                s = s + i
        return s
    """
    *others, last = code.body or (None,)
    if isinstance(last, Return) and not any(_needs_work(s) for s in core.statements(tuple(others))):
        return code
    return _Jumps(code).function()


def _needs_work(stmt: Statement) -> bool:
    jumps = isinstance(stmt, Return) or isinstance(stmt, Jump) and stmt.kind in ("break", "continue")
    return jumps or isinstance(stmt, (For, While)) and bool(stmt.orelse)


def is_flag(name: str) -> bool:
    """Whether the name, which no user wrote, says how a block was left: it says what it means, and stays."""
    return _FLAG.match(name) is not None


_FLAG = re.compile(r"(returned|left|skipped)(_\d+)?$")


@dataclass(eq=False)
class _Scope:
    """What a jump leaves: the function, a loop, or a guard (`with`, `try`, a branch that would have to be copied).

    more: something follows in the block around it.  left, skipped: flags of a loop, by name, for `break` and
    `continue`.  has_else: a loop's `else`.  sets: the flags that are set inside.
    """
    kind: str
    outer: _Scope | None = None
    more: bool = False
    has_else: bool = False
    left: str | None = None
    skipped: str | None = None
    sets: dict[str, None] = field(default_factory=dict)

    def until(self, kind: str) -> list[_Scope]:
        """The scopes from here to the first of this kind, which is the last of them."""
        out, scope = [], self
        while scope.kind != kind and scope.outer is not None:
            out.append(scope)
            scope = scope.outer
        return [*out, scope]

    def goes_on(self) -> bool:
        """Whether it matters, when this scope was left by a jump, that it was."""
        return self.more or self.outer is not None and self.outer.kind == "loop"


class _Jumps:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.fresh = names.Fresh(names.used(code))
        self.result = self.fresh.name("result")
        self.returned: str | None = None

    def function(self) -> Code:
        body = self.block(self.code.body, (), _Scope("function"), frozenset())
        returns = [s for s in core.statements(self.code.body) if isinstance(s, Return)]
        at = returns[-1].at if returns else self.code.at
        last = body[-1] if body else None
        if len(returns) == 1 and isinstance(last, Bind) and last.names == (self.result,):
            return replace(self.code, body=(*body[:-1], Return(last.values[0], at=at)))
        return replace(self.code, body=(*body, Return(Name(self.result), at=at)))

    # ------------------------------------------------------------ blocks

    def block(self, block: Block, rest: Block, scope: _Scope, known: Known) -> Block:
        """The block, followed by `rest` wherever it doesn't jump; `known` are flags that are False here."""
        whole = (*block, *rest)
        out: list[Statement] = []
        for i, stmt in enumerate(whole):
            after = () if ends(stmt) else whole[i + 1:]
            if isinstance(stmt, (Return, Jump)):
                return (*out, *self._jump(stmt, scope))
            if isinstance(stmt, If) and _escapes(stmt):
                return (*out, *self._if(stmt, after, scope, known))
            if isinstance(stmt, (For, While)) or core.blocks(stmt) and _escapes(stmt):
                return (*out, *self._barrier(stmt, after, scope, known))
            inner = tuple(self.block(b, (), scope, known) for b in core.blocks(stmt))
            out.append(core.with_blocks(stmt, inner) if inner else stmt)
            if ends(stmt):
                break
        return tuple(out)

    def _jump(self, stmt: Return | Jump, scope: _Scope) -> Block:
        if isinstance(stmt, Return):
            return (Bind((self.result,), (stmt.value,), at=stmt.at), *self._leave_all(stmt, scope))
        match stmt.kind:
            case "break":
                return self._break(stmt, scope)
            case "continue":
                *guards, loop = scope.until("loop")
                if not any(g.more for g in guards):
                    return ()
                loop.skipped = loop.skipped or self.fresh.name("skipped")
                return self._set(loop.skipped, stmt, guards)
            case "pass":
                return ()
        return (stmt,)

    def _leave_all(self, stmt: Return, scope: _Scope) -> Block:
        """What comes after `result = ...`."""
        barriers = scope.until("function")[:-1]
        out: Block = ()
        if any(b.goes_on() for b in barriers):
            self.returned = self.returned or self.fresh.name("returned")
            out = self._set(self.returned, stmt, barriers)
        return (*out, Jump("break", at=stmt.at)) if scope.kind == "loop" else out

    def _break(self, stmt: Jump, scope: _Scope) -> Block:
        *guards, loop = scope.until("loop")
        out: Block = ()
        if guards or loop.has_else:
            loop.left = loop.left or self.fresh.name("left")
            out = self._set(loop.left, stmt, guards)
        return out if guards else (*out, stmt)

    def _set(self, flag: str, stmt: Statement, scopes: Iterable[_Scope]) -> Block:
        for scope in scopes:
            scope.sets[flag] = None
        return (Bind((flag,), (Const(True),), at=stmt.at),)

    # ------------------------------------------------------------ branches

    def _if(self, stmt: If, after: Block, scope: _Scope, known: Known) -> Block:
        """What comes after the branch moves into its arms, unless too much would have to be copied."""
        extra = _open(stmt.body) + _open(stmt.orelse) - 1
        if extra > 0 and extra * sum(1 for _ in core.statements(after)) > COPIED:
            return self._barrier(stmt, after, scope, known)
        body = self.block(stmt.body, after, scope, known)
        orelse = self.block(stmt.orelse, duplicate(after) if _open(stmt.body) else after, scope, known)
        if not body and orelse:
            return (If(_negated(stmt.test), orelse, at=stmt.at),)
        return (replace(stmt, body=body, orelse=orelse),)

    # ------------------------------------------------------------ loops, with, try

    def _barrier(self, stmt: Statement, after: Block, scope: _Scope, known: Known) -> Block:
        loop = stmt if isinstance(stmt, (For, While)) else None
        kind = "guard" if loop is None else "loop"
        inner = _Scope(kind, scope, bool(after) or loop is not None and bool(loop.orelse))
        before: list[Statement] = []
        if loop is not None:
            whole, after = self._loop(loop, inner, after, known)
            if inner.left is not None:
                before.append(_unset(inner.left, stmt))
        elif isinstance(stmt, Try):
            whole = self._try(stmt, inner, known)
        else:
            whole = core.with_blocks(stmt, tuple(self.block(b, (), inner, known) for b in core.blocks(stmt)))
        flags = list(inner.sets)
        first = (self.returned if scope.kind == "function" else scope.skipped,)
        before += [_unset(f, stmt) for f in flags if f in first and f not in known]
        return (*before, whole, *self._after(flags, after, scope, known | set(flags)))

    def _loop(self, loop: For | While, inner: _Scope, after: Block, known: Known) -> tuple[Statement, Block]:
        """The loop without its `else`, and what follows it now."""
        inner.has_else = bool(loop.orelse) and "break" in _jumps_in(loop.body)
        body = self.block(loop.body, (), inner, known)
        whole = replace(loop, body=body, orelse=())
        if inner.has_else and inner.left is not None:
            return whole, (If(Unary("not", Name(inner.left)), loop.orelse), *after)
        return whole, (*loop.orelse, *after)

    def _try(self, stmt: Try, inner: _Scope, known: Known) -> Try:
        """The `else` of a `try` runs only if its body wasn't left by a jump."""
        followed = replace(inner, more=True) if stmt.orelse else inner
        body = self.block(stmt.body, (), followed, known)
        flags = list(inner.sets)
        orelse = self.block(stmt.orelse, (), inner, known)
        if flags and orelse:
            orelse = (If(_none_of(flags), orelse),)
        handlers = tuple((e, n, self.block(b, (), inner, known)) for e, n, b in stmt.handlers)
        return Try(body, handlers, orelse, self.block(stmt.final, (), inner, known), at=stmt.at)

    def _after(self, flags: list[str], after: Block, scope: _Scope, known: Known) -> Block:
        """What follows a block that may have been left: it is skipped, or the loop around is left as well."""
        if not flags:
            return self.block(after, (), scope, known)
        if scope.kind != "loop":
            rest = self.block(after, (), scope, known)
            return (If(_none_of(flags), rest),) if rest else ()
        leaving = [f for f in flags if f != scope.skipped]
        skipping = [f for f in flags if f == scope.skipped]
        rest = self.block(after, (), scope, known)
        if skipping and rest:
            rest = (If(_none_of(skipping), rest),)
        if not leaving:
            return rest
        return (If(_any_of(leaving), (Jump("break"),), rest),)


def _unset(flag: str, stmt: Statement) -> Bind:
    return Bind((flag,), (Const(False),), at=stmt.at)


def _any_of(flags: list[str]) -> Expr:
    return Name(flags[0]) if len(flags) == 1 else Bool("or", tuple(map(Name, flags)))


def _none_of(flags: list[str]) -> Expr:
    return Unary("not", _any_of(flags))


def _negated(test: Expr) -> Expr:
    match test:
        case Unary("not", inner):
            return inner
    return Unary("not", test, at=test.at)


def _jumps_in(block: Block) -> set[str]:
    return set().union(*(_escapes(stmt) for stmt in block)) if block else set()


def _escapes(stmt: Statement) -> set[str]:
    """How control may leave the statement other than by running to its end or raising."""
    match stmt:
        case Return():
            return {"return"}
        case Jump("break" | "continue" as kind):
            return {kind}
        case For(_, _, body, orelse) | While(_, body, orelse):
            return _jumps_in(body) & {"return"} | _jumps_in(orelse)
    inner = [_jumps_in(block) for block in core.blocks(stmt)]
    return set().union(*inner) if inner else set()


def breaks(block: Block) -> bool:
    """Whether the block, as a loop's body, may leave the loop."""
    return "break" in _jumps_in(block)


def before_leaving(block: Block, make: Callable[[], Iterable[Statement]]) -> Block:
    """The body of a loop with what `make` gives at the end of each of its branches, before a `break`."""
    if not breaks(block):
        return (*block, *make())
    *others, last = block
    if isinstance(last, Jump):
        return (*others, *make(), last)
    return (*others, core.with_blocks(last, tuple(before_leaving(b, make) for b in core.blocks(last))))


def _open(block: Block) -> int:
    """How many copies of what follows the block would be needed."""
    for i, stmt in enumerate(block):
        if ends(stmt):
            return 0
        if isinstance(stmt, If) and _escapes(stmt):
            return (_open(stmt.body) + _open(stmt.orelse)) * _open(block[i + 1:])
    return 1
