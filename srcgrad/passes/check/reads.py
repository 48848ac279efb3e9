"""What the statements of an adjoint read of primal values: their contents, their shapes, or where they lie."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.lang import printing
from srcgrad.lang.core import (
    Attr,
    Call,
    Const,
    Dict,
    Expr,
    Function,
    Item,
    Name,
    Opaque,
    Statement,
    children,
    expressions,
    names_read,
    statements,
)
from srcgrad.passes.reverse.context import Context
from srcgrad.runtime import checks

SHAPES = frozenset(("shape", "size", "ndim", "dtype"))
SHAPE_FUNCTIONS = frozenset(("zeros_like", "shape", "size", "ndim", "ones_like", "empty_like", "len"))


class Reads:
    """Collects what is read, by what it is called in a message.  It knows nothing of how `passes.place` decides that.

        x_bar = np.zeros_like(x)            {"shape of `x`": outline(x)}
        w_bar = y_bar * x                   {"`x`": x}
        b_bar = shadow(b[1:])               {"memory of `b[1:]`": memory_of(b[1:])}
    """

    def __init__(self, context: Context, primal: frozenset[str]) -> None:
        self.c, self.primal = context, primal

    def of(self, block: list[Statement]) -> Dict:
        out: dict[str, Expr] = {}
        for stmt in statements(tuple(block)):
            self._read_all(expressions(stmt), out)
        return Dict(tuple(map(Const, out)), tuple(out.values()))

    def _read(self, expr: Expr, out: dict[str, Expr]) -> None:
        match expr:
            case Name(id):
                if id in self.primal:
                    out[f"`{id}`"] = expr
                return
            case Opaque() | Function():
                for name in sorted(names_read(expr)):
                    self._read(Name(name), out)
                return
            case Attr(value, name) if name in SHAPES:
                self._read_outline(value, out)
                return
            case Call(Name(id) | Attr(Name(id), _), (place, *rest), ()) if id == self.c.shadow:
                self._read_place(place, out)
                for arg in rest:
                    # `take` is told the owner of what may be a view
                    self._read_place(arg, out) if _is_take(expr) else self._read(arg, out)
                return
            case Call(Attr(_, "may_share_memory"), args, ()):
                for arg in args:
                    self._read_place(arg, out)
                return
            case Call(Name(name) | Attr(_, name), (place, *rest), ()) if name in SHAPE_FUNCTIONS:
                self._read_outline(place, out)
                self._read_all(rest, out)
                return
        if isinstance(expr, Item) and self._is_part(expr):
            out[f"`{printing.text(expr)}`"] = expr
            while isinstance(expr, Item):
                self._read(expr.index, out)
                expr = expr.value
            return
        self._read_all(children(expr), out)

    def _is_part(self, place: Expr) -> bool:
        """Items of a name, by names of the primal program: others of that name need not be kept."""
        while isinstance(place, Item):
            if not names_read(place.index) <= self.primal:
                return False
            place = place.value
        return isinstance(place, Name) and place.id in self.primal

    def _read_all(self, exprs: Iterable[Expr], out: dict[str, Expr]) -> None:
        for expr in exprs:
            self._read(expr, out)

    def _read_outline(self, place: Expr, out: dict[str, Expr]) -> None:
        self._read_through("shape", checks.outline, place, out)

    def _read_place(self, place: Expr, out: dict[str, Expr]) -> None:
        self._read_through("memory", checks.memory_of, place, out)

    def _read_through(self, what: str, helper: Any, place: Expr, out: dict[str, Expr]) -> None:
        """Only the shape of a place is read, or where it lies; of the indices that lead to it, all."""
        root = place
        while isinstance(root, (Item, Attr)):
            if isinstance(root, Item):
                self._read(root.index, out)
            root = root.value
        if not isinstance(root, Name):
            self._read(place, out)
        elif root.id in self.primal:
            out[f"{what} of `{printing.text(place)}`"] = Call(self.c.helper(helper.__name__, helper), (place,))


def _is_take(call: Call) -> bool:
    return isinstance(call.func, Attr) and call.func.name == "take"
