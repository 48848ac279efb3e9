"""Exact rewrites of expressions: the same bits, types and shapes come out.

Signs meet sums, factors of one go, constants are folded, NumPy's names for operators become operators.
Nothing is done to a value of unknown kind.  The one liberty: a factor that is a power of two moves past other
factors, which is exact unless the product overflows or becomes subnormal.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from srcgrad.lang import core
from srcgrad.lang.core import Attr, Bin, Bind, Call, Cond, Const, Expr, Name, Statement, Store, Unary
from srcgrad.passes.optimize.copies import map_expressions
from srcgrad.passes.optimize.effects import Block

Kind = Literal["array", "number"] | None
Oracle = Callable[[Expr], bool]

# what the result of an expression is used for
VALUE = "value"  # it may be kept, so that which object it is matters
OPERAND = "operand"  # only the numbers matter
TEST = "test"  # only its truth matters

_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "**",
              "matmul": "@", "floor_divide": "//", "mod": "%", "remainder": "%"}
_ARITHMETIC = frozenset("+ - * / // % ** @".split())
# functions whose result shares nothing with their arguments
FRESH = frozenset("sum mean prod dot outer where exp log sqrt sin cos tan tanh sinh cosh arctan arcsin arccos abs "
                   "absolute sign log1p expm1 log2 log10 square reciprocal maximum minimum hypot arctan2 logaddexp "
                   "vdot inner tensordot cumsum cumprod std var concatenate stack".split())


def _never(_: Expr) -> bool:
    return False


def _calls_nothing(expr: Expr) -> bool:
    return not any(isinstance(node, (Call, core.Opaque, core.Function)) for node in core.walk(expr))


def simplify(expr: Expr, kind: Callable[[Expr], Kind], floating: Oracle = _never,
             pure: Oracle = _calls_nothing, use: str = VALUE) -> Expr:
    """The expression, simplified.

    `kind` tells arrays and numbers, and must answer None for bools, unsigned integers and all else;
    it need only know names, calls and items, for what operators make is derived here.  `floating` tells which
    names, calls and items are real and floating, and `pure` what may be evaluated in another order.

    >>> from srcgrad.lang.templates import parse_expr
    >>> from srcgrad.lang.printing import text
    >>> text(simplify(parse_expr("a + -(b * c)"), lambda e: "number"))
    'a - b * c'
    """
    return _Simplify(kind, floating, pure).expr(expr, use)


def simplify_block(block: Block, kind: Callable[[Expr], Kind], floating: Oracle = _never,
                   pure: Oracle = _calls_nothing, shareable: frozenset[str] = frozenset()) -> Block:
    """The block with all its expressions simplified, and `s += -g` as `s -= g`.

    The names in `shareable` may stand for the same array as another name (nobody writes into either),
    so that for them `x = 1.0 * a` may become `x = a` for an array, too.
    """
    rules = _Simplify(kind, floating, pure)
    return tuple(_statement(stmt, rules, shareable) for stmt in block)


def _statement(stmt: Statement, rules: _Simplify, shareable: frozenset[str]) -> Statement:
    match stmt:
        case Bind((name,), (value,)) if name in shareable:
            return replace(stmt, values=(rules.expr(value, OPERAND),))
        case Store(_, op, _) if op in _ARITHMETIC:
            return _store(stmt, rules)
        case Store(core.Item(array, _), None, value) if rules.kind(array) == "array":
            return replace(stmt, value=rules.expr(value, OPERAND))
        case core.If() | core.While():
            stmt = replace(stmt, test=rules.expr(stmt.test, TEST))
        case _:
            stmt = map_expressions(stmt, lambda e: rules.expr(e, VALUE))
    return core.with_blocks(stmt, tuple(tuple(_statement(s, rules, shareable) for s in b) for b in core.blocks(stmt)))


def _store(stmt: Store, rules: _Simplify) -> Store:
    signed = rules.signed(stmt.value)
    op = stmt.op
    if signed.negative and op in ("+", "-") and _numeric(stmt.place, rules):
        return replace(stmt, op="-" if op == "+" else "+", value=signed.magnitude)
    return replace(stmt, value=signed.plain)


def _numeric(place: Expr, rules: _Simplify) -> bool:
    """Whether numbers or an array are stored into (`+=` of a list means something else)."""
    return rules.known(place) or (isinstance(place, core.Item) and rules.kind(place.value) == "array")


@dataclass(frozen=True)
class _Signed:
    """An expression as `plain`, and as the negative (or not) of a `magnitude`."""
    plain: Expr
    negative: bool
    magnitude: Expr


class _Simplify:
    def __init__(self, kind: Callable[[Expr], Kind], floating: Oracle, pure: Oracle) -> None:
        self._kind = kind
        self._floating = floating
        self.pure = pure

    # ------------------------------------------------------------ what is known

    def kind(self, expr: Expr) -> Kind:
        match expr:
            case Const(value):
                return "number" if type(value) in (int, float, complex) else None
            case Unary("-" | "+", operand):
                return self.kind(operand)
            case Bin(op, left, right) if op in _ARITHMETIC:
                kinds = {self.kind(left), self.kind(right)}
                if op == "@" or None in kinds:
                    return self._kind(expr)
                return "array" if "array" in kinds else "number"
        return self._kind(expr)

    def floating(self, expr: Expr) -> bool:
        match expr:
            case Const(value):
                return type(value) in (float, complex)
            case Unary("-" | "+", operand):
                return self.floating(operand)
            case Bin("/", left, right) if self.known(left) and self.known(right):
                return True
            case Bin(op, left, right) if op in _ARITHMETIC and self.known(left) and self.known(right):
                return self.floating(left) or self.floating(right)
        return self._floating(expr)

    def known(self, expr: Expr) -> bool:
        """Whether it is a number or an array, though it may be open which."""
        if isinstance(expr, Bin) and expr.op == "@":
            return self.known(expr.left) and self.known(expr.right)
        return self.kind(expr) is not None

    # ------------------------------------------------------------ walking

    def expr(self, expr: Expr, use: str) -> Expr:
        if isinstance(expr, (Bin, Unary)) or _summand(expr) is not None:
            return self._kept(self.signed(expr, use).plain, expr, use)
        return self._kept(self._node(self._inside(expr), use), expr, use)

    def _kept(self, new: Expr, old: Expr, use: str) -> Expr:
        """The new form, times 1.0 if it would hand out an array that others know where the old form made a new one."""
        if use == VALUE and _makes_new(old) and not _makes_new(new) and self.kind(new) != "number":
            return Bin("*", Const(1.0), new, at=old.at) if self._is_scaled(old) and self.floating(new) else old
        return new

    def _is_scaled(self, expr: Expr) -> bool:
        """Whether it has more factors than one, beside a name or part."""
        return isinstance(expr, Bin) and expr.op == "*" and any(
            isinstance(side, Bin) and self.kind(side) is not None for side in (expr.left, expr.right))

    def _inside(self, expr: Expr) -> Expr:
        children = core.children(expr)
        uses = self._uses(expr, len(children))
        new = tuple(self.expr(child, use) for child, use in zip(children, uses))
        return expr if all(a is b for a, b in zip(children, new)) else core.rebuild(expr, new)

    def _uses(self, expr: Expr, number: int) -> list[str]:
        match expr:
            case core.Compare():
                return [OPERAND] * number
            case Cond():
                return [TEST, VALUE, VALUE]
            case Call(Attr(Name("np"), name), _, _) if name in FRESH:
                return [VALUE] + [OPERAND] * (number - 1)
        return [VALUE] * number

    def _node(self, expr: Expr, use: str) -> Expr:
        """A node that isn't arithmetic, its children being simple already."""
        match expr:
            case Attr(Attr(inner, "T"), "T") if self.kind(inner) == "array":
                return inner
            case Call(Attr(Name("np"), "transpose"), (x,), ()) if self.kind(x) == "array":
                return self._node(Attr(x, "T", at=expr.at), use)
            case Call(Attr(Name("np"), "negative"), (x,), ()) if self.kind(x) == "array":
                return self.expr(Unary("-", x, at=expr.at), use)
            case Call(Attr(Name("np"), name), (a, b), ()) if name in _OPERATORS and self._on_arrays(a, b):
                return self.expr(Bin(_OPERATORS[name], a, b, at=expr.at), use)
        return expr

    def _on_arrays(self, a: Expr, b: Expr) -> bool:
        kinds = {self.kind(a), self.kind(b)}
        return "array" in kinds and None not in kinds

    # ------------------------------------------------------------ signs

    def signed(self, expr: Expr, use: str = OPERAND) -> _Signed:
        match expr:
            case Unary("-", operand):
                return self._negative(expr, self.signed(operand))
            case Unary("not", operand):
                return self._unsigned(self._not(expr, self.expr(operand, TEST), use))
            case Bin("+" | "-"):
                return self._unsigned(self._sum(expr, self.signed(expr.left), self.signed(expr.right)))
            case Bin("*" | "/"):
                return self._product(expr, self.signed(expr.left), self.signed(expr.right))
            case Bin() | Unary():
                new = self._rebuilt(expr, *(self.expr(child, OPERAND) for child in core.children(expr)))
                return self._unsigned(self._power(new))
        if _summand(expr) is not None:
            return self._total(self._inside(expr))
        return self._unsigned(self._node(self._inside(expr), OPERAND))

    def _total(self, expr: Expr) -> _Signed:
        """np.sum(-a) is -np.sum(a), which turns fewer signs."""
        summand = _summand(expr)
        assert isinstance(expr, Call) and summand is not None
        inner = self.signed(summand)
        if not inner.negative or self.kind(inner.magnitude) != "array":
            return self._unsigned(expr)
        total = replace(expr, args=(inner.magnitude, *expr.args[1:]))
        return _Signed(Unary("-", total, at=expr.at), True, total)

    def _unsigned(self, expr: Expr) -> _Signed:
        if isinstance(expr, Unary) and expr.op == "-" and self.known(expr.operand):
            return _Signed(expr, True, expr.operand)
        number = _number(expr)
        if number is not None and math.copysign(1.0, number) < 0:
            return _Signed(expr, True, Const(-number))
        return _Signed(expr, False, expr)

    def _rebuilt(self, expr: Expr, *new: Expr) -> Expr:
        return expr if all(a is b for a, b in zip(core.children(expr), new)) else core.rebuild(expr, new)

    def _negative(self, expr: Unary, inner: _Signed) -> _Signed:
        """-(-a) is a, and -(2.0 * a) is -2.0 * a."""
        if not self.known(inner.magnitude):
            return _Signed(self._rebuilt(expr, inner.plain), False, self._rebuilt(expr, inner.plain))
        if inner.negative:
            return _Signed(inner.magnitude, False, inner.magnitude)
        return _Signed(self._with_sign(expr, inner.magnitude), True, inner.magnitude)

    def _with_sign(self, expr: Unary, product: Expr) -> Expr:
        """The negative of a product has its sign at the first factor, where it prints without parentheses."""
        if isinstance(product, Bin) and product.op in ("*", "/") and self.known(product):
            return replace(product, left=self._with_sign(replace(expr, operand=product.left), product.left))
        return self._rebuilt(expr, product)

    def _sum(self, expr: Bin, left: _Signed, right: _Signed) -> Expr:
        """a + -b is a - b, and -a + b is b - a.  (-a - b isn't -(a + b): the sign of a zero differs.)"""
        folded = _folded(expr, left.plain, right.plain)
        if folded is not None:
            return folded
        if right.negative and self.known(left.plain):
            flipped = replace(expr, op="-" if expr.op == "+" else "+", right=right.magnitude)
            if left.negative and flipped.op == "+" and self._may_swap(left, right):
                return replace(flipped, op="-", left=right.magnitude, right=left.magnitude)
            return replace(flipped, left=left.plain)
        if left.negative and expr.op == "+" and self.known(right.plain) and self._may_swap(left, right):
            return replace(expr, op="-", left=right.plain, right=left.magnitude)
        if expr.op == "-" and _is_zero(right.plain) and self.floating(left.plain):
            return left.plain
        return self._rebuilt(expr, left.plain, right.plain)

    def _may_swap(self, left: _Signed, right: _Signed) -> bool:
        return self.pure(left.plain) and self.pure(right.plain)

    def _product(self, expr: Bin, left: _Signed, right: _Signed) -> _Signed:
        """(-a) * b is -(a * b), so that the sign can meet a sum; where none comes, it stays where it was."""
        if not (self.known(left.magnitude) and self.known(right.magnitude)):
            return self._unsigned(self._rebuilt(expr, left.plain, right.plain))
        negative = left.negative != right.negative
        magnitude = self._factors(self._rebuilt(expr, left.magnitude, right.magnitude))
        if not negative:
            return _Signed(magnitude, False, magnitude)
        if isinstance(magnitude, Bin) and (magnitude.left, magnitude.right) == (left.magnitude, right.magnitude):
            return _Signed(self._rebuilt(expr, left.plain, right.plain), True, magnitude)
        return _Signed(self._with_sign(Unary("-", magnitude, at=expr.at), magnitude), True, magnitude)

    # ------------------------------------------------------------ factors and constants

    def _factors(self, expr: Expr) -> Expr:
        """A product without needless factors; both operands are known and without sign."""
        if not isinstance(expr, Bin):
            return expr
        folded = _folded(expr, expr.left, expr.right)
        if folded is not None:
            return folded
        match expr.left:
            case Bin("*", Const(1.0), Attr(_, "size") as count) if expr.op == "/" or self.floating(expr.right):
                return replace(expr, left=count)        # an int that becomes a float all the same
        if self._is_one(expr.right, expr.left, expr.op):
            return expr.left
        if expr.op == "*" and self._is_one(expr.left, expr.right, "*"):
            return expr.right
        return self._gathered(expr)

    def _is_one(self, factor: Expr, other: Expr, op: str) -> bool:
        """Whether multiplying `other` by the factor (or dividing) leaves the bits and the type alone."""
        if not isinstance(factor, Const) or type(factor.value) not in (int, float) or factor.value != 1:
            return False
        return self.floating(other) or (type(factor.value) is int and op == "*")

    def _gathered(self, expr: Bin) -> Expr:
        """2.0 * (0.5 * a * b) is a * b: constants meet if moving one is exact, that is for powers of two."""
        for factor, rest in ((expr.left, expr.right), (expr.right, expr.left)):
            first = _first_factor(rest)
            if not (isinstance(factor, Const) and isinstance(first, Const) and isinstance(rest, Bin)):
                continue
            if (expr.op == "/" and factor is expr.left) or not self.floating(rest):
                continue
            near = rest.left is first and rest.op == "*" == expr.op
            if not (_is_power_of_two(factor.value) or (near and _is_power_of_two(first.value))):
                continue
            together = _folded(expr, first, factor)
            if together is not None:
                return self._with_first_factor(rest, together)
        return expr

    def _with_first_factor(self, product: Bin, constant: Expr) -> Expr:
        left = constant if not isinstance(product.left, Bin) else self._with_first_factor(product.left, constant)
        return self._factors(replace(product, left=left))

    def _power(self, expr: Expr) -> Expr:
        """a ** 1 is a."""
        match expr:
            case Bin("**", base, exponent) if self.known(base) and self._is_one(exponent, base, "*"):
                return base
        return expr

    def _not(self, expr: Unary, operand: Expr, use: str) -> Expr:
        if use == TEST and isinstance(operand, Unary) and operand.op == "not":
            return operand.operand
        return self._rebuilt(expr, operand)


def _summand(expr: Expr) -> Expr | None:
    """a, of np.sum(a, ...)"""
    match expr:
        case Call(Attr(Name("np"), "sum"), (a, *_)):
            return a
    return None


def _makes_new(expr: Expr) -> bool:
    match expr:
        case Bin() | Unary() | Const():
            return True
        case Call(Attr(Name("np"), name), _, _):
            return name in FRESH or name in _OPERATORS or name == "negative"
    return False


def _first_factor(expr: Expr) -> Expr:
    while isinstance(expr, Bin) and expr.op in ("*", "/"):
        expr = expr.left
    return expr


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) in (int, float) and str(expr.value) in ("0", "0.0")


def _is_power_of_two(value: object) -> bool:
    return isinstance(value, (int, float)) and value != 0 and math.isfinite(value) and (
        abs(math.frexp(value)[0]) == 0.5)


def _folded(expr: Bin, left: Expr, right: Expr) -> Expr | None:
    """The constant that the operation makes of two, as Python computes it, unless it takes longer to read."""
    a, b = _number(left), _number(right)
    if a is None or b is None:
        return None
    try:
        value = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[expr.op]()
    except (ArithmeticError, KeyError):
        return None
    if not math.isfinite(value) or len(repr(value)) > len(f"{a!r} {expr.op} {b!r}"):
        return None
    return _constant(value)


def _number(expr: Expr) -> int | float | None:
    match expr:
        case Const(value) if type(value) in (int, float):
            return value
        case Unary("-", Const(value)) if type(value) in (int, float):
            return -value
    return None


def _constant(value: int | float) -> Expr:
    if math.copysign(1.0, value) < 0:
        return Unary("-", Const(-value))
    return Const(value)

