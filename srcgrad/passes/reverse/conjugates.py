"""Complex numbers: rules are plain transposes, and what is conjugated around them is written here.

The adjoint of z is dL/dRe z + i dL/dIm z.  A rule's text gives J^T out_bar, and wanted is conj(J^T conj(out_bar)).  The
conjugations are carried inwards, where they meet: `np.conj(np.conj(z_bar) * w)` is `z_bar * np.conj(w)`.
"""
from __future__ import annotations

from collections.abc import Mapping

from srcgrad.analysis.reality import reality
from srcgrad.analysis.values import Array, Number, TupleOf, Value
from srcgrad.lang.core import (
    Attr,
    Bin,
    Call,
    Const,
    Expr,
    Item,
    List,
    Name,
    Slice,
    Star,
    Statement,
    Tuple,
    Unary,
    names_read,
    substitute,
)
from srcgrad.passes.reverse.context import Context
from srcgrad.runtime.arrays import as_kind_of, conjugated
from srcgrad.runtime.fourier import dft_transpose, rfft_transpose

# functions of one array, or list of arrays: what else they are given are axes, shapes and indices
OF_ONE = frozenset("sum prod cumsum cumprod mean trace transpose swapaxes moveaxis reshape ravel expand_dims squeeze "
                   "broadcast_to concatenate stack flip roll take diag diagonal zeros_like repeat tile".split())
# f(conj z) = conj f(z)
EQUIVARIANT = OF_ONE | frozenset(
    "exp expm1 exp2 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh sqrt "
    "square reciprocal power negative add subtract multiply divide where dot matmul inner outer tensordot einsum "
    "conj conjugate real array asarray".split())
COMPLEX_FACTORS = (rfft_transpose, dft_transpose)     # linear, but not with real factors
SHAPE_ONLY = frozenset(("shape", "size", "ndim", "zeros_like", "result_type"))


class Conjugates:
    """Answers for one function; does nothing where no complex number comes up."""

    def __init__(self, context: Context) -> None:
        self.c = context

    def concerns(self, stmt: Statement, bound: Mapping[str, Expr], out_value: Value) -> bool:
        """Whether complex numbers may take part in this operation."""
        return self.c.complex and (_maybe(out_value) or any(self._any_complex(stmt, e) for e in bound.values()))

    def _any_complex(self, stmt: Statement, expr: Expr) -> bool:
        if isinstance(expr, (Tuple, List)):
            return any(self._any_complex(stmt, e) for e in expr.items)
        return not isinstance(expr, (Slice, Const)) and _maybe(self.c.value(stmt, expr))

    def turned(self, stmt: Statement, e: Expr, bars: Mapping[str, Expr]) -> Expr:
        """conj of a line of a rule's text; `bars` maps names in it that mean conjugates to what is conjugated."""
        def inner(x: Expr) -> Expr:
            return self.turned(stmt, x, bars)
        match e:
            case Name(id) if id in bars:
                return bars[id]
            case Const(value):
                return Const(value.conjugate()) if isinstance(value, complex) else e
            case Bin(op, left, right):
                return Bin(op, inner(left), inner(right))
            case Unary(op, operand):
                return Unary(op, inner(operand))
            case Tuple(items):
                return Tuple(tuple(map(inner, items)))
            case _ if not names_read(e) & bars.keys():
                return self._of_primal(stmt, e)
            case Call(Attr(_, "conj"), (value,), ()):
                return _plain(self.c, value, bars)
            case Call(Attr(_, name) as func, (first, *others), kwargs) if name in OF_ONE:
                return Call(func, (inner(first), *others), kwargs)
            case Call(Attr(_, name) as func, args, kwargs) if name in EQUIVARIANT:
                return Call(func, tuple(map(inner, args)), tuple((k, inner(v)) for k, v in kwargs))
            case Call(Name(helper) as func, (first, *others), ()) \
                    if self.c.helpers.get(helper) not in COMPLEX_FACTORS \
                    and all(_shape_like(e) or self._certainly_real(stmt, e) for e in others):
                # a helper that is given of primals only shapes and real numbers is linear, with real factors
                return Call(func, (inner(first), *others))
            case Item(value, index):
                return Item(inner(value), index)
            case Attr(value, "T"):
                return Attr(inner(value), "T")
        return Call(self.c.helper("conjugated", conjugated), (_plain(self.c, e, bars),)) if isinstance(e, Call) \
            else self.c.numpy("conj", _plain(self.c, e, bars))

    def _of_primal(self, stmt: Statement, e: Expr) -> Expr:
        match e:
            case Call(Attr(_, "conj"), (value,), ()):
                return value
            case Call(Attr(_, name), _, _) if name in SHAPE_ONLY:
                return e
            case Call(Attr(_, name) as func, args, ()) if name in EQUIVARIANT and len(args) == 1:
                return Call(func, (self.turned(stmt, args[0], {}),))
            case Slice() | Star() | List():
                return e
        return e if self._certainly_real(stmt, e) else self.c.numpy("conj", e)

    def _certainly_real(self, stmt: Statement, expr: Expr) -> bool:
        if (stmt, id(expr)) in self.c.facts.kinds:
            return not _maybe(self.c.value(stmt, expr))
        value = self.c.evaluate(stmt, expr, {})
        return reality(value) is False

    def fitted(self, stmt: Statement, operand: Expr, value: Expr) -> Expr:
        """The contribution to an operand: of what is real, the real part."""
        if isinstance(operand, (List, Tuple)):
            kind: Value = TupleOf(tuple(self.c.value(stmt, e) for e in operand.items))
        else:
            kind = self.c.value(stmt, operand)
        if reality(kind):
            return value
        if reality(kind) is False and isinstance(kind, (Array, Number)):
            return self.c.numpy("real", value)
        return Call(self.c.helper("as_kind_of", as_kind_of), (value, operand))


def _maybe(value: Value) -> bool:
    """Whether a value may be complex."""
    return reality(value) is not False


def _plain(context: Context, e: Expr, bars: Mapping[str, Expr]) -> Expr:
    """The text as it stands: what means a conjugate is turned back."""
    return substitute(e, {name: context.numpy("conj", bar) for name, bar in bars.items()})


def _shape_like(expr: Expr) -> bool:
    match expr:
        case Call(Attr(_, name) | Name(name), _, _):
            return name in ("shape", "shapes", "ndim", "size", "len")
        case Const(value):
            return not isinstance(value, complex)
        case Attr(_, name):
            return name in ("shape", "ndim", "size", "dtype")
    return False
