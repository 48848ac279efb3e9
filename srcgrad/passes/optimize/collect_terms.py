"""Merge terms that are added to the same target and differ by a number only."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from srcgrad.lang import core
from srcgrad.lang.core import Bin, Bind, Comment, Const, Expr, Item, Jump, Name, Refuse, Return, Statement, Store, Unary
from srcgrad.passes.optimize.effects import (
    Block,
    Effects,
    Keys,
    hazard,
    owner,
    place_reads,
    reads,
    statement_reads,
    writes,
)
from srcgrad.passes.optimize.operands import makes_new

ONE = Fraction(1)


@dataclass(frozen=True)
class Kinds:
    """kind(e): "array", "number", or None if it is unknown; floating(e): whether e is real and floating."""
    kind: Callable[[Expr], str | None]
    floating: Callable[[Expr], bool]


def collect_terms(block: Block, effects: Effects, kinds: Kinds, targets: frozenset[str]) -> Block:
    """The block with equal terms of what is added to the names in `targets`, or to parts of these, merged.

    A term is a product of factors in any order, with a number; numbers are only added if that is exact. ::

        u_bar += g * (0.5 * u)
        u_bar += g * u * 0.5      ->      u_bar += g * u
        x_bar = 1.0 * u
        x_bar += u                ->      x_bar = 2.0 * u
    """
    return _Collect(effects, kinds, targets).block(block)


# ---------------------------------------------------------------- terms

@dataclass(frozen=True)
class Term:
    """coefficient * product; products with equal factors are equal terms."""
    coefficient: Fraction
    product: Expr
    factors: frozenset[tuple[Expr, int]]
    original: Expr | None = None
    negative: bool = False


def terms_of(expr: Expr, kinds: Kinds) -> list[Term] | None:
    """The terms of a sum, in order; None if it has a term of another kind."""
    out: list[Term] = []
    for negative, part in _parts(expr, False):
        term = _term(part, negative, kinds)
        if term is None:
            return None
        out.append(term)
    return out


def _parts(expr: Expr, negative: bool) -> list[tuple[bool, Expr]]:
    match expr:
        case Bin("+" | "-" as op, left, right):
            return _parts(left, negative) + _parts(right, negative != (op == "-"))
    return [(negative, expr)]


def _term(expr: Expr, negative: bool, kinds: Kinds) -> Term | None:
    coefficient, product = _split(expr)
    if product is None or coefficient == 0 or not kinds.floating(product):
        return None
    factors = _factors(product, 1)
    if any(kinds.kind(factor) is None for factor in factors):
        return None
    return Term(-coefficient if negative else coefficient, product, frozenset(factors.items()), expr, negative)


def _split(expr: Expr) -> tuple[Fraction, Expr | None]:
    """The number in front, and what is left of the product; None if nothing is."""
    match expr:
        case Const(value) if type(value) in (int, float) and abs(value) < float("inf"):
            return Fraction(value), None
        case Unary("-", operand):
            coefficient, product = _split(operand)
            return -coefficient, product
        case Bin("*", left, right):
            (a, x), (b, y) = _split(left), _split(right)
            return a * b, y if x is None else x if y is None else _same(expr, left, right, x, y)
        case Bin("/", left, right):
            (a, x), (b, y) = _split(left), _split(right)
            if b and y is None:
                return a / b, x
            # a bare number over a product stays: its reciprocal is a factor
            return (ONE, expr) if x is None or y is None or b == 0 else (a / b, _same(expr, left, right, x, y))
    return ONE, expr


def _same(expr: Bin, left: Expr, right: Expr, x: Expr, y: Expr) -> Expr:
    return expr if x is left and y is right else replace(expr, left=x, right=y)


def _factors(expr: Expr, power: int) -> Counter[Expr]:
    match expr:
        case Bin("*", left, right):
            out = _factors(left, power)
            out.update(_factors(right, power))
            return out
        case Bin("/", left, right) if not isinstance(left, Const):
            out = _factors(left, power)
            out.update(_factors(right, -power))
            return out
    return Counter({expr: power})


def _is_exact(coefficient: Fraction) -> bool:
    """Whether a float holds the number as it is: 0.1 + 0.2 would print as 0.30000000000000004."""
    return coefficient != 0 and Fraction(float(coefficient)) == coefficient


def _text(term: Term) -> Expr:
    """The magnitude of the term."""
    if term.original is not None:
        return term.original
    magnitude = abs(term.coefficient)
    return term.product if magnitude == 1 else _times(float(magnitude), term.product)


def _times(number: float, product: Expr) -> Expr:
    """The number stands first, where it prints without parentheses."""
    if isinstance(product, Bin) and product.op in ("*", "/"):
        return replace(product, left=_times(number, product.left))
    return Bin("*", Const(number), product)


def _is_negative(term: Term) -> bool:
    return term.negative if term.original is not None else term.coefficient < 0


def sum_of(terms: list[Term]) -> tuple[bool, Expr]:
    """The terms as one expression, after its sign."""
    first, *others = terms
    negative, expr = _is_negative(first), _text(first)
    for term in others:
        expr = Bin("-" if _is_negative(term) != negative else "+", expr, _text(term))
    return negative, expr


def merged(terms: list[Term], more: list[Term]) -> tuple[list[Term], list[Term]]:
    """The first terms with those of the others that are equal to one of them, and the others that are left."""
    terms, left = list(terms), []
    for term in more:
        at = next((i for i, t in enumerate(terms) if t.factors == term.factors
                   and _is_exact(t.coefficient + term.coefficient)), None)
        if at is None:
            left.append(term)
        else:
            terms[at] = replace(terms[at], coefficient=terms[at].coefficient + term.coefficient, original=None)
    return terms, left


# ---------------------------------------------------------------- statements

@dataclass(frozen=True)
class _Sum:
    """`target = terms` (op None) or `target += terms`, and the place of the statement."""
    stmt: Statement
    target: Expr
    op: str | None
    terms: list[Term]
    needs: Keys


@dataclass
class _Collect:
    effects: Effects
    kinds: Kinds
    targets: frozenset[str]

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for stmt in block:
            stmt = core.with_blocks(stmt, tuple(map(self.block, core.blocks(stmt))))
            found = self._sum(stmt)
            if found is not None:
                found = self._within(found)
                stmt = found.stmt
            if found is None or found.op is None or not self._join(out, found):
                out.append(stmt)
        return tuple(out)

    def _sum(self, stmt: Statement) -> _Sum | None:
        match stmt:
            case Bind((name,), (value,)):
                target: Expr = Name(name)
                op = None
            case Store(target, "+" | "-" as op, value):
                pass
            case _:
                return None
        root = owner(target)
        if not isinstance(root, Name) or root.id not in self.targets or not self.effects.pure(value):
            return None
        terms = terms_of(value, self.kinds)
        if terms is None or op is None and self.kinds.kind(target) == "array" and not makes_new(value):
            return None
        if op == "-":
            terms = [replace(t, coefficient=-t.coefficient, negative=not t.negative) for t in terms]
        return _Sum(stmt, target, op, terms, reads(value, self.effects))

    def _within(self, found: _Sum) -> _Sum:
        """Equal terms of one sum."""
        terms: list[Term] = []
        for term in found.terms:
            terms, left = merged(terms, [term])
            terms += left
        return found if len(terms) == len(found.terms) else self._with_terms(found, terms)

    def _with_terms(self, found: _Sum, terms: list[Term]) -> _Sum:
        negative, value = sum_of(terms)
        stmt = found.stmt
        if isinstance(stmt, Store):
            return replace(found, stmt=replace(stmt, op="-" if negative else "+", value=value), terms=terms)
        if negative:
            value = self._negated(terms, value)
        if not makes_new(value) and self.kinds.kind(found.target) != "number":
            value = Bin("*", Const(1.0), value)
        assert isinstance(stmt, Bind)
        return replace(found, stmt=replace(stmt, values=(value,)), terms=terms)

    def _negated(self, terms: list[Term], value: Expr) -> Expr:
        """A first term that is negative keeps its sign: -a + b."""
        first, *others = terms
        expr: Expr = Unary("-", _text(first))
        for term in others:
            expr = Bin("-" if _is_negative(term) else "+", expr, _text(term))
        return expr

    def _join(self, out: list[Statement], later: _Sum) -> bool:
        """Whether all terms of the statement could be merged into earlier statements."""
        mine = self._content(later.target)
        place = place_reads(later.target, self.effects)
        if hazard(mine, later.needs):
            return False
        for at in range(len(out) - 1, -1, -1):
            stmt = out[at]
            earlier = self._sum(stmt)
            if earlier is not None and earlier.target == later.target:
                terms, left = merged(earlier.terms, later.terms)
                if not left and not hazard(mine, earlier.needs):
                    out[at] = self._with_terms(earlier, terms).stmt
                    return True
            if not self._passes(stmt, mine, place | later.needs):
                return False
        return False

    def _content(self, target: Expr) -> Keys:
        """The name that the target hangs on, and what it holds."""
        root = owner(target)
        assert isinstance(root, Name)
        return self.effects.contents((root.id,)) | {("name", root.id)}

    def _passes(self, stmt: Statement, mine: Keys, needs: Keys) -> bool:
        """Whether the terms may be added before the statement, instead of after it."""
        if isinstance(stmt, Comment):
            return True
        inside = list(core.statements((stmt,)))
        if any(isinstance(s, (Return, Jump, Refuse)) for s in inside):
            return False
        written = writes(stmt, self.effects)
        if self._only_adds(stmt, mine):
            return not hazard(needs - mine, written - mine)
        touched = written.union(*(statement_reads(s, self.effects) for s in inside))
        return not hazard(mine, touched) and not hazard(needs, written)

    def _only_adds(self, stmt: Statement, mine: Keys) -> bool:
        """Whether the statement only adds to the same object, in which case the order doesn't matter."""
        match stmt:
            case Store(Name() as root, "+" | "-", value):
                index: Expr = Const(...)
            case Store(Item(Name() as root, index), "+" | "-", value):
                pass
            case _:
                return False
        same = root.id in self.targets and self._content(root) == mine and self.effects.pure(value)
        return same and not hazard(mine, reads(value, self.effects) | reads(index, self.effects))
